"""Reference numbers of periodic cells.

Beads on a ring: the one that moves with v hits the next after a way of the gap between them. It stops there,
and its successor continues. The last bead finds the first one a gap ahead of its start, so that its way is
two gaps, once in every round. All others find one.

The packing: the contact under layer k carries k m g on the area (2 R)^2, with the lever R on each side, and
the floor n m g with R. Over the height 2 R n the mean is n m g/(8 R^2).

Spheres that slip: a = g (sin - mu cos), and 2/5 m R^2 dw/dt = mu m g cos R.

The gas: see the docstring of the case.
"""

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.periodic_cells.model import (
    BEADS,
    E_N,
    FRACTION,
    GAP,
    GRAVITY,
    LAYERS,
    MASS,
    MU,
    RADIUS,
    SIDE,
    SLOPE,
    SPHERES,
)


def ring(t: float) -> tuple[Floats, Floats]:
    """Places (unwrapped) and velocities of the beads at the time `t` [s], with the speed 1 m/s."""
    x, v = (2 * RADIUS + GAP) * np.arange(BEADS, dtype=float), np.zeros(BEADS)
    length = BEADS * (2 * RADIUS + GAP)
    moving, left = 0, t
    while True:
        ahead = (moving + 1) % BEADS
        gap = (x[ahead] - x[moving]) % length - 2 * RADIUS
        x[moving] += min(gap, left)
        if left < gap:
            v[moving] = 1.0
            return x, v
        left -= gap
        moving = ahead


def packing() -> float:
    """Mean vertical stress [Pa], tension positive."""
    return -LAYERS * MASS * GRAVITY / (8.0 * RADIUS**2)


def layer(t: float) -> tuple[float, float]:
    """Way [m] and spin [rad/s] of the spheres at the time `t` [s]."""
    s, c = np.sin(np.radians(SLOPE)), np.cos(np.radians(SLOPE))
    return 0.5 * GRAVITY * (s - MU * c) * t * t, 2.5 * MU * GRAVITY * c / RADIUS * t


def haff() -> float:
    """Rate [1/m] of T^(-1/2) of the gas, with T in [m^2/s^2] for the mass 1."""
    return (1.0 - E_N**2) / 6.0 * 4.0 * SPHERES / SIDE**3 * _chi() * np.sqrt(np.pi)


def part_of_impacts(e_n: float) -> float:
    """Pressure by impacts over that by motion of a gas with the restitution `e_n`."""
    return 2.0 * FRACTION * _chi() * (1.0 + e_n)


def _chi() -> float:
    return (1.0 - 0.5 * FRACTION) / (1.0 - FRACTION) ** 3


def temperature(result: ns.Result) -> Floats:
    """Temperature (n,) [m^2/s^2] for the mass 1: a third of the mean square of the velocities."""
    return np.mean(np.asarray(result.velocity) ** 2, axis=(1, 2))


def slope(result: ns.Result, after: float) -> float:
    """Rate [1/m] of T^(-1/2) that fits the states after the time `after` [s]."""
    late = result.t > after
    return float(np.polyfit(result.t[late], temperature(result)[late] ** -0.5, 1)[0])
