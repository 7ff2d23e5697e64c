"""Frictionless balls in a periodic cell that is sheared under a pressure along its gradient."""

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, Hertz
from nsgalpha.arrays import Floats

D, DENSITY, PRESSURE = 0.01, 2500.0, 1e3  # [m], [kg/m^3], [Pa]
MASS = DENSITY * np.pi / 6.0 * D**3
TIME = np.sqrt(MASS / (D * PRESSURE))  # [s]
LATTICE, PITCH = (7, 8, 7), 1.11  # balls along the axes at the start, diameters between them
SIZES = 0.1  # spread of the diameters, which keeps the flow from crystallising
STIFFNESS = 500.0  # (E/((1 - nu^2) P))^(2/3)
RESTITUTION = 0.5  # of a pair
#: Inertial numbers in turn, and the strain under each; the first only compresses and mixes the balls
INERTIAL = ((3e-2, 2.0), (1e-2, 1.0), (3e-3, 0.6), (1e-3, 0.4))
SETTLED = 0.3  # part of the strain under an inertial number before its averages begin


def step(stiffness: float = STIFFNESS) -> float:
    """Step [s]: a tenth of sqrt(m/k), k of a mean contact.

    Dashpots of all contacts of a ball must not be stiff in it. The mean force is about 0.8 P d^2 at an
    overlap of 1.6 d over the stiffness.
    """
    return float(0.1 * TIME / np.sqrt(0.75 * stiffness))


def rates() -> Floats:
    """Rows (time, shear rate) of all inertial numbers in turn."""
    rows, t = [], 0.0
    for number, strain in INERTIAL:
        rows += [(t, number / TIME)]
        t += strain * TIME / number
        rows += [(t - 0.01 * strain * TIME / number, number / TIME)]
    return np.array([*rows, (t + 1.0, INERTIAL[-1][0] / TIME)])


def windows() -> list[tuple[float, float, float]]:
    """Inertial number, begin and end [s] of its averages, for all but the first."""
    found, t = [], 0.0
    for number, strain in INERTIAL:
        end = t + 0.99 * strain * TIME / number
        found.append((number, t + SETTLED * (end - t), end))
        t += strain * TIME / number
    return found[1:]


def build(stiffness: float = STIFFNESS, seed: int = 1) -> ns.Model:
    """Balls near the points of a loose lattice, which the target stress compresses along y.

    The viscosity of the target is the modulus of the packing times the time in which sound crosses the cell.
    """
    motion = ns.CellMotion(
        flow="x",
        gradient="y",
        shear_rate=rates(),
        stress=(None, -PRESSURE, None),
        viscosity=4.0 * np.sqrt(stiffness) * PRESSURE * TIME,
        max_rate=0.1 / TIME,
        affine=True,
    )
    pitch = PITCH * D
    model = ns.Model(periodic=tuple(pitch * n for n in LATTICE), cell_motion=motion)
    rng = np.random.default_rng(seed)
    velocity = 0.1 * D / TIME * rng.normal(size=(int(np.prod(LATTICE)), 3))
    size = rng.uniform(1.0 - SIZES, 1.0 + SIZES, len(velocity))
    model.add_spheres(
        position=pitch * np.array([*np.ndindex(*LATTICE)]),
        radius=0.5 * D * size,
        mass=MASS * size**3,
        velocity=velocity,
    )
    law = Hertz(modulus=0.5 * PRESSURE * stiffness**1.5, restitution=RESTITUTION)
    model.add(CompliantSphereSphere(among=model.spheres, normal=law))
    return model
