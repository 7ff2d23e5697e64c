"""A silo: balls in a box whose floor has a round hole."""

import itertools
import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import (
    Compliant,
    CompliantSpherePlane,
    CompliantSphereSphere,
    CundallStrack,
    SpherePlane,
    SpringDashpot,
)
from nsgalpha.arrays import Floats
from nsgalpha.geometry.geometry_signature import geometry_kernel

D, MASS, GRAVITY = 1.0, 1.0, 1.0  # diameter, mass, acceleration: the units
SIDE, LAYERS, SPACING = 14, 11, 1.08  # diameters between walls; layers of the start, and their spacing
HOLES = 4.5, 5.25, 6.0, 7.0  # diameters of the hole
STIFFNESS, RESTITUTION, MU = 1e4, 0.5, 0.5
T_END = 38.0, 32.0, 25.0, 20.0  # of the runs
T_START = 8.0  # when the flow is steady; one unit is sqrt(d/g)
PART = 0.55  # of the balls, after which the silo is too empty to count on


@geometry_kernel(options=(1.0,))
def measure_hole(first, last, candidates, section, scene):
    """Spheres and the plane z = 0 with a hole around the origin; option: its radius."""
    radius, x, a = scene.shapes.radius, scene.x, scene.options[0]
    gap, normal, lever = candidates.gap, candidates.normal, candidates.lever
    for c in range(first, last):
        i = candidates.a[c]
        away = math.sqrt(x[i, 0] ** 2 + x[i, 1] ** 2)
        height = x[i, 2]
        normal[c, 0], normal[c, 1], normal[c, 2] = 0.0, 0.0, 1.0
        if away < a or height < 0.0:  # the edge is nearest
            across = away - a
            height = math.sqrt(across * across + x[i, 2] ** 2)
            part = across / (height * away) if away > 0.0 else 0.0
            normal[c, 0], normal[c, 1], normal[c, 2] = part * x[i, 0], part * x[i, 1], x[i, 2] / height
        gap[c] = height - radius[i]
        for k in range(3):
            lever[c, 0, k] = -radius[i] * normal[c, k]
            lever[c, 1, k] = x[i, k] - height * normal[c, k]


class SphereHole(SpherePlane):
    """Pairs of spheres and a floor with a hole of the `diameter`."""

    def __init__(self, spheres: list[ns.Body], floor: ns.Plane, diameter: float) -> None:
        super().__init__(spheres, floor)
        self.geometry = measure_hole.with_options(0.5 * diameter)


def start() -> Floats:
    """Places (n, 3) of the balls on a loose lattice."""
    rng = np.random.default_rng(1)
    across = int((SIDE - 1) / SPACING) + 1
    cells = np.array(list(itertools.product(range(across), range(across), range(LAYERS))), float)
    places = SPACING * (cells - (0.5 * (across - 1), 0.5 * (across - 1), 0.0)) + (0.0, 0.0, 0.6)
    return places + rng.uniform(-0.035, 0.035, places.shape)


def build(hole: float) -> ns.Model:
    """The silo, with a hole of the diameter `hole`."""
    model, half = ns.Model(gravity=(0, 0, -GRAVITY)), 0.5 * SIDE * D
    balls = model.add_spheres(position=start(), radius=0.5 * D, mass=MASS)
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    walls = [model.add_plane(normal=n, offset=-half) for n in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))]
    log = math.log(RESTITUTION)
    ratio = -log / math.hypot(log, math.pi)
    normal = SpringDashpot(stiffness=STIFFNESS, damping=2.0 * ratio * math.sqrt(STIFFNESS * 0.5 * MASS))
    sliding = CundallStrack(stiffness=2.0 / 7.0 * STIFFNESS, mu=MU)
    law: dict[str, Any] = {"normal": normal, "tangential": sliding}
    model.add(CompliantSphereSphere(among=balls, **law))
    model.add(CompliantSpherePlane(balls, walls, **law))
    model.add(Compliant(SphereHole(balls, floor, hole), **law))
    return model
