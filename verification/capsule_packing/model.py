"""Capsules above the floor of a box."""

import numpy as np

import nsgalpha as ns
from elements import CompliantCapsules, CompliantPolygonCapsule, Drag, SpringDashpot

COUNT = 48
RADIUS = 0.01  # [m]
LENGTH = 0.03  # of the axis [m]
GRAVITY = 9.81
MASS = 1000.0 * np.pi * RADIUS**2 * (LENGTH + 4.0 / 3.0 * RADIUS)  # [kg]
SPACING = 0.052  # at the start [m]
WIDTH = 3 * SPACING  # of the box [m]
HEIGHT = 0.5


def inertia() -> tuple[float, float, float]:
    """Principal moments [kg m^2] of a cylinder with two half balls, the axis first."""
    ball = 1000.0 * 4.0 / 3.0 * np.pi * RADIUS**3
    hull = MASS - ball
    along = 0.5 * hull * RADIUS**2 + 0.4 * ball * RADIUS**2
    # each half ball: 83/320 m r^2 about its own centre of mass, 3/8 r beyond the end of the hull
    half = 83.0 / 320.0 * RADIUS**2 + (0.5 * LENGTH + 0.375 * RADIUS) ** 2
    across = hull * (LENGTH**2 / 12.0 + RADIUS**2 / 4.0) + ball * half
    return along, across, across


def build() -> ns.Model:
    """Capsules in random directions over the floor, in a box of five polygons."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    rng = np.random.default_rng(0)
    capsules: list[ns.Primitive] = []
    for place in np.ndindex(-(-COUNT // 9), 3, 3):
        if len(capsules) == COUNT:
            break
        rod = model.add_body(
            mass=MASS,
            inertia=inertia(),
            position=SPACING * (np.array(place[::-1]) + 0.55),
            rotation=rng.normal(size=4),
        )
        ends = [(-0.5 * LENGTH, 0.0, 0.0), (0.5 * LENGTH, 0.0, 0.0)]
        capsules.append(model.add_primitive(ends, radius=RADIUS, carrier=rod))
    W, H = WIDTH, HEIGHT
    corners = [(0, 0, 0), (W, 0, 0), (W, W, 0), (0, W, 0), (0, 0, H), (W, 0, H), (W, W, H), (0, W, H)]
    inwards = [(0, 1, 2, 3), (0, 3, 7, 4), (1, 5, 6, 2), (0, 4, 5, 1), (3, 2, 6, 7)]
    walls = model.add_mesh(corners, inwards)
    contact = SpringDashpot(stiffness=2e3, damping=1.0)
    model.add(CompliantCapsules(among=capsules, normal=contact))
    model.add(CompliantPolygonCapsule(walls, capsules, normal=contact))
    slow = inertia()[1]
    model.add_load(Drag(model.bodies, translational=10.0 * MASS, rotational=20.0 * slow))
    return model
