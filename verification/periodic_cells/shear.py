"""Sheared cells: a collision across the face, and inelastic spheres in steady shear.

The image below of the second sphere moves with v_B - rate L. Smooth spheres with the restitution e then leave
with the impulse (1 + e) m_A m_B/(m_A + m_B) times the approach along the line of centres at the impact. The
gas is that of the example `sheared_gas`.
"""

from dataclasses import replace

import numpy as np

import nsgalpha as ns
from elements import SphereSphere
from nsgalpha.arrays import Floats
from verification.examples import sheared_gas
from verification.outcome import Row, bound_row
from verification.run import simulate

END = sheared_gas.END  # strain of the gas
PART = 0.08  # of the kinetic theory
RATE, HEIGHT, R = 3.0, 1.0, 0.1  # [1/s], [m] of the cell, [m]
MASS = np.array([1.0, 2.0])  # [kg]
START = np.array([[0.2, -0.3, 0.0], [1.0, 1.2, 0.1]])  # velocities [m/s]
E_N, ROUNDING = 0.7, 1e-9


def pair() -> ns.Result:
    """Two smooth spheres that meet across the face, with located impacts."""
    motion = ns.CellMotion(flow="x", gradient="z", shear_rate=RATE)
    model = ns.Model(periodic=(4.0, None, HEIGHT), cell_motion=motion)
    places = np.array([[0.5, 0.05, 0.0], [0.81, 0.65, 0.0]])[:, [0, 2, 1]]
    for mass, place, velocity in zip(MASS, places, START[:, [0, 2, 1]], strict=True):
        model.add_sphere(radius=R, mass=mass, position=place, velocity=velocity)
    model.add(SphereSphere(among=model.spheres, e_n=E_N))
    return simulate(model, t_end=0.25, h=1e-3, impacts="located")


def after(result: ns.Result) -> Floats:
    """Velocities (2, 3) after the impact, by hand from its place."""
    v = np.asarray(result.velocity)
    k = int(np.flatnonzero(np.abs(np.diff(v[:, 0, 2])) > 0.1)[0]) + 1
    n = result.position[k, 0] - result.position[k, 1] + HEIGHT * np.array([RATE * result.t[k], 0.0, 1.0])
    n = n / np.linalg.norm(n)
    approach = v[0, 0] - v[0, 1] + [RATE * HEIGHT, 0.0, 0.0]
    impulse = -(1.0 + E_N) * (approach @ n) / (1.0 / MASS).sum() * n
    return np.asarray(v[0] + np.array([1.0, -1.0])[:, None] * impulse / MASS[:, None])


def sheared() -> tuple[ns.Result, list[Row]]:
    """The pair and the gas; returns the result of the gas."""
    both = pair()
    error = float(np.abs(both.velocity[-1] - after(both)).max())
    gas = sheared_gas.run(end=END)
    rows = [bound_row("pair across a sheared face: velocities", "m/s", error, ROUNDING, "closed form")]
    found = sheared_gas.check(gas, part=PART)
    return gas, rows + [replace(row, quantity=f"sheared gas: {row.quantity}") for row in found]
