"""A shear box under a servo wall, and a sheared cell of the same balls."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import (
    CompliantPolygonSphere,
    CompliantSpherePlane,
    CompliantSphereSphere,
    add_servo_wall,
    hertz_mindlin,
)
from nsgalpha.arrays import Floats

D, DENSITY, PRESSURE, MU = 0.01, 2500.0, 1e3, 0.5  # [m], [kg/m^3], [Pa], [-]
MASS = DENSITY * np.pi / 6.0 * D**3
TIME = float(np.sqrt(MASS / (D * PRESSURE)))  # [s]
SIZES = 0.1  # spread of the diameters
STIFFNESS = 200.0  # (E/((1 - nu^2) P))^(2/3), E of the balls
POISSON, RESTITUTION = 0.25, 0.5
BOX, LOWER, FILL = (
    (16.0, 5.0),
    4.5,
    0.25,
)  # length and width, height of the lower half [diameters]; at the start
GRAINS = 850
FLANGE = 8.0  # [diameters], that close the halves where they do not cover each other
SETTLE = 60.0  # [TIME] under the lid, before the lower half moves
SPEED, WAY = 0.02, 5.0  # of the lower half [diameters / TIME, diameters]
CELL, INERTIAL, STRAIN = (8, 8, 8), 4e-3, 2.0  # balls along the axes, shear rate [1/TIME], its strain

Law = dict[str, Any]


def step() -> float:
    """Step [s]; see the case simple_shear."""
    return float(0.1 * TIME / np.sqrt(0.75 * STIFFNESS))


def law(mu: float = MU) -> Law:
    """Contacts of balls with each other, and with plates as stiff."""
    young = PRESSURE * STIFFNESS**1.5 * (1.0 - POISSON**2)
    return hertz_mindlin(young=young, poisson=POISSON, restitution=RESTITUTION, mu=mu)


def plate(ends: Sequence[Sequence[float]]) -> Floats:
    """Corners (4, 3) [m] of a plate across the box through two points (x, z), its front to their left."""
    (x, z), (u, w) = np.asarray(ends) * D
    near, far = -D, (BOX[1] + 1.0) * D
    return np.array([(x, near, z), (u, near, w), (u, far, w), (x, far, z)])


def way(t: Floats) -> Floats:
    """Displacement [m] of the lower half."""
    return SPEED * D / TIME * np.maximum(t - SETTLE * TIME, 0.0)


def box(seed: int = 1, mu: float = MU) -> ns.Model:
    """Balls of a friction `mu` at random places in a box of two halves.

    The lower one moves along x after SETTLE.
    """
    length, width = BOX
    rng = np.random.default_rng(seed)
    size = rng.uniform(1.0 - SIZES, 1.0 + SIZES, GRAINS)
    height = float((size**3).sum() * np.pi / 6.0 / FILL / (length * width))
    places = ns.layouts.random_packing(
        radius=0.5 * D * size,
        low=(0, 0, 0),
        high=(length * D, width * D, height * D),
        seed=seed,
    )
    model = ns.Model()
    grains = model.add_spheres(
        position=places[:, :3],
        radius=places[:, 3],
        mass=MASS * (2.0 * places[:, 3] / D) ** 3,
        velocity=0.1 * D / TIME * rng.normal(size=(GRAINS, 3)),
    )
    end = SETTLE + WAY / SPEED
    times = np.array([0.0, SETTLE, end + 1.0]) * TIME
    motion = ns.MotionTable(times=times, position=np.outer(way(times), (1, 0, 0)))
    floor = model.add_plane(normal=(0, 0, 1), motion=motion, name="lower half")
    rest = model.add_plane(
        normal=(0, 0, 1), offset=-D, motion=ns.ConstantVelocity(velocity=(0, 0, 0)), name="upper half"
    )
    sides = [
        model.add_plane(normal=(0, 1, 0), name="near side"),
        model.add_plane(normal=(0, -1, 0), offset=-width * D, name="far side"),
    ]
    top = height + 1.0
    lower = [((0, LOWER), (0, 0)), ((-FLANGE, LOWER), (0, LOWER)), ((length, 0), (length, LOWER))]
    upper = [
        ((0, top), (0, LOWER)),
        ((length + FLANGE, LOWER), (length, LOWER)),
        ((length, LOWER), (length, top)),
    ]
    plates = [
        model.add_primitive(plate(each), carrier=half)
        for half, ends in ((floor, lower), (rest, upper))
        for each in ends
    ]
    lid = add_servo_wall(
        model,
        normal=(0, 0, -1),
        offset=-height * D,
        mass=0.1 * GRAINS * MASS,
        pressure=PRESSURE,
        area=length * width * D * D,
        damping=2.0 * length * width * D * D * float(np.sqrt(PRESSURE * DENSITY)),
        name="lid",
    )
    model.add(CompliantSphereSphere(among=grains, **law(mu)))
    model.add(CompliantSpherePlane(grains, [floor, lid.plane], **law(mu)))
    model.add(CompliantSpherePlane(grains, sides, **law(0.0)))
    model.add(CompliantPolygonSphere(plates, grains, reject_large_overlap=True, **law(mu)))
    return model


def cell(seed: int = 1) -> ns.Model:
    """The same balls in a cell that is sheared; see the case simple_shear."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(CELL))
    size = rng.uniform(1.0 - SIZES, 1.0 + SIZES, count)
    motion = ns.CellMotion(
        flow="x",
        gradient="y",
        shear_rate=INERTIAL / TIME,
        stress=(None, -PRESSURE, None),
        viscosity=4.0 * np.sqrt(STIFFNESS) * PRESSURE * TIME,
        max_rate=0.1 / TIME,
        affine=True,
    )
    pitch = 1.11 * D
    model = ns.Model(periodic=tuple(pitch * n for n in CELL), cell_motion=motion)
    model.add_spheres(
        position=pitch * np.array([*np.ndindex(*CELL)]),
        radius=0.5 * D * size,
        mass=MASS * size**3,
        velocity=0.1 * D / TIME * rng.normal(size=(count, 3)),
    )
    model.add(CompliantSphereSphere(among=model.spheres, **law()))
    return model
