"""Mechanisms without contact: planar, in space, overconstrained, with singular positions."""

from itertools import pairwise

import numpy as np

import nsgalpha as ns
from elements import Distance, Prismatic, Revolute, Spherical, Spring
from nsgalpha.arrays import Floats, turned
from verification.mechanisms import reference

Z = (0.0, 0.0, 1.0)
DOWN = (0.0, -9.81, 0.0)
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)


def pendulum() -> ns.Model:
    """A point on a massless rod; a distance joint, so its inertia plays no part."""
    model = ns.Model(gravity=DOWN)
    bob = model.add_body(mass=1.0, inertia=(1e-3,) * 3, position=(-1, 0, 0))
    model.add(Distance(None, bob, points=((0, 0, 0), (-1, 0, 0))))
    return model


def four_bar() -> ns.Model:
    """Three cranks and two couplers, all of 1 m and 1 kg; flat when the cranks are horizontal."""
    model = ns.Model(gravity=DOWN)
    slender = (1e-3, 1 / 12, 1 / 12)
    upright = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    cranks = [
        model.add_body(
            mass=1.0,
            inertia=slender,
            position=(k, 0.5, 0),
            rotation=upright,
            velocity=(0.5, 0, 0),
            angular_velocity=(0, 0, -1),
        )
        for k in range(3)
    ]
    for k, crank in enumerate(cranks):
        model.add(Revolute(None, crank, point=(k, 0, 0), axis=Z))
    for k in range(2):
        coupler = model.add_body(mass=1.0, inertia=slender, position=(k + 0.5, 1, 0), velocity=(1, 0, 0))
        model.add(Revolute(cranks[k], coupler, point=(k, 1, 0), axis=Z))
        model.add(Revolute(coupler, cranks[k + 1], point=(k + 1, 1, 0), axis=Z))
    return model


def heavy_top() -> ns.Model:
    """Of Bruls and Cardona, 150 rad/s about its axis."""
    p = reference.case("heavy_top")["params"]
    model = ns.Model(gravity=p["g"])
    spin = np.array(p["spin0_body"])
    top = model.add_body(
        mass=p["m"],
        inertia=p["J_centroidal_body"],
        position=p["com_body"],
        velocity=np.cross(spin, p["com_body"]),
        angular_velocity=spin,
    )
    model.add(Spherical(top, None, point=(0, 0, 0)))
    return model


def slider_pendulum() -> ns.Model:
    """A pendulum on a slider on a spring."""
    model = ns.Model(gravity=(0, -10, 0))
    slider = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    bob = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0.5, 0, 0))
    model.add(Prismatic(None, slider, point=(0, 0, 0), axis=(1, 0, 0)))
    model.add(Revolute(slider, bob, point=(0, 0, 0), axis=Z))
    model.add(Spring([((0, 0, 0), slider)], stiffness=10.0, length=0.0))
    return model


def bricard() -> ns.Model:
    """Six hinges in a ring of five rods; one row of thirty is redundant."""
    model = ns.Model(gravity=DOWN)
    chain: list[ns.Body | None] = [None]
    for start, end in pairwise(CORNERS):
        along = np.abs(end - start).argmax()
        inertia = np.full(3, (1 + 0.1**2) / 12)
        inertia[along] = 0.1**2 / 6
        chain.append(model.add_body(mass=1.0, inertia=inertia, position=(start + end) / 2))
    chain.append(None)
    for corner, axis, a, b in zip(CORNERS, "yzxyzx", chain[:-1], chain[1:], strict=True):
        model.add(Revolute(a, b, point=corner, axis=np.eye(3)["xyz".index(axis)]))
    return model


def far_ends(result: ns.Result) -> tuple[Floats, Floats]:
    """Final positions and velocities (3, 3) of the far ends of Bricard's three rods."""
    levers = np.array([turned(result.rotation[-1, k], (CORNERS[k + 1] - CORNERS[k]) / 2) for k in range(3)])
    spin = result.angular_velocity[-1, :3]
    return result.position[-1, :3] + levers, result.velocity[-1, :3] + np.cross(spin, levers)
