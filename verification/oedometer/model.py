"""Packings between a floor and a servo wall, periodic across."""

import itertools

import numpy as np

import nsgalpha as ns
from elements import (
    CompliantSpherePlane,
    CompliantSphereSphere,
    Hertz,
    ServoWall,
    add_servo_wall,
    hertz_mindlin,
)

D, DENSITY = 0.01, 2500.0  # [m], [kg/m^3]
R, MASS = 0.5 * D, DENSITY * np.pi / 6.0 * D**3
YOUNG, POISSON = 3e8, 0.25  # [Pa], [-]
MODULUS = YOUNG / (1.0 - POISSON**2) / 2.0  # of two alike
LAYERS, ACROSS = 9, 4  # of the lattice
PRESSURES, DAMPING = (8e3, 32e3), 20.0  # [Pa], [N s/m] of the lid
RAMP, HOLD = 0.1, 0.1  # [s]
T_LATTICE = 2.0 * (RAMP + HOLD)
SIDE, GRAINS, LOAD, FILL = 8, 900, 250.0, 0.25  # diameters, number, [Pa], solid fraction of the start
T_PACKED = 3.5  # [s]
#: Damping of the lid over that of a speed of sqrt(p/rho), by the friction
SLOW = {0.0: 2.0, 0.3: 4.0}
#: Solid fraction and coordination number by the friction, Agnolin and Roux 2007, abstract
PUBLISHED = {0.0: (0.639, 6.0), 0.3: (0.593, 4.5)}


def lattice() -> tuple[ns.Model, ServoWall]:
    """A face-centred cubic packing with square layers, under two pressures in turn."""
    model = ns.Model(periodic=(ACROSS * D, ACROSS * D, None))
    for k, i, j in itertools.product(range(LAYERS), range(ACROSS), range(ACROSS)):
        shift = 0.5 * D * (k % 2)
        model.add_sphere(
            radius=R, mass=MASS, position=(D * i + shift, D * j + shift, R + k * D / np.sqrt(2.0))
        )
    height = D + (LAYERS - 1) * D / np.sqrt(2.0)
    low, high = PRESSURES
    times = np.cumsum([0.0, RAMP, HOLD, RAMP, HOLD])
    times[-1] += 1.0  # a table ends a run
    table = np.column_stack([times, [0.0, low, low, high, high]])
    lid = add_servo_wall(
        model,
        normal=(0, 0, -1),
        offset=-height,
        mass=10.0 * MASS,
        pressure=table,
        area=(ACROSS * D) ** 2,
        damping=DAMPING,
        name="lid",
    )
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    law = Hertz(modulus=MODULUS, restitution=0.5)
    model.add(CompliantSphereSphere(among=[*model.spheres], normal=law))
    model.add(CompliantSpherePlane([*model.spheres], [floor, lid.plane], normal=law))
    return model, lid


def packing(mu: float, seed: int = 1) -> tuple[ns.Model, ServoWall]:
    """Balls at random places that a lid presses together."""
    model = ns.Model(periodic=(SIDE * D, SIDE * D, None))
    volume = GRAINS * np.pi / 6.0 * D**3
    height = volume / FILL / (SIDE * D) ** 2
    rows = ns.layouts.random_packing(
        radius=np.full(GRAINS, R), low=(0, 0, 0), high=(SIDE * D, SIDE * D, height), seed=seed
    )
    rng = np.random.default_rng(seed)
    velocity = 0.1 * np.sqrt(LOAD / DENSITY) * rng.normal(size=(GRAINS, 3))
    grains = model.add_spheres(position=rows[:, :3], radius=R, mass=MASS, velocity=velocity)
    lid = add_servo_wall(
        model,
        normal=(0, 0, -1),
        offset=-height,
        mass=0.1 * GRAINS * MASS,
        pressure=LOAD,
        area=(SIDE * D) ** 2,
        damping=SLOW[mu] * (SIDE * D) ** 2 * np.sqrt(LOAD * DENSITY),
        name="lid",
    )
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    laws = hertz_mindlin(young=YOUNG, poisson=POISSON, restitution=0.2, mu=mu)
    model.add(CompliantSphereSphere(among=grains, **laws))
    model.add(CompliantSpherePlane(grains, [floor, lid.plane], **laws))
    return model, lid
