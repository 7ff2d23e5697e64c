"""Cans and cones on cans, and a pyramid of cylinders.

A can on an equal fixed one that is shifted by d stands while the line of gravity is within both disks. That
is up to R - d along the shift, sqrt(R^2 - d^2) across it. A pyramid has rows of 3, 2 and 1 cylinders, w
diameters from each other, between smooth walls. It presses each wall with m g tan a, where sin a = w/2, and
the floor with 2 m g below each cylinder. A cone of the height H tips on its base if tan a > 4 R/H.
"""

import math
from collections.abc import Callable

import numpy as np

import nsgalpha as ns
from elements import Contact
from verification.outcome import Row, bound_row
from verification.run import simulate
from verification.shapes.slopes import fallen

G = 9.81
UP = (0.0, 0.0, 1.0)
RADIUS, LENGTH, SHIFT = 0.1, 0.2, 0.06
WIDE = 1.05  # diameters between neighbours of a row
TILTS = (-0.2, 0.2)  # [deg] from the angle at which they tip
CONE = (0.05, 0.3)  # radius and height [m]


def inclined(angle: float, yaw: float) -> ns.Model:
    """A model with gravity as on a slope of the `angle` towards `yaw`."""
    pull = math.sin(angle) * math.cos(yaw), math.sin(angle) * math.sin(yaw), -math.cos(angle)
    return ns.Model(gravity=tuple(G * each for each in pull))


def tipping(
    label: str, critical: float, yaw: float, shift: float, add: Callable[[ns.Model], ns.Body]
) -> list[Row]:
    """A body on a fixed can, below and above the `critical` angle [deg] towards `yaw` [rad]."""
    rows = []
    for tilt in TILTS:
        model = inclined(math.radians(critical + tilt), yaw)
        low = model.add_cylinder(RADIUS, LENGTH, fixed=True, position=(-shift, 0.0, -0.5 * LENGTH))
        body = add(model)
        model.add(Contact(among=[low, body], mu=4.0))
        result = simulate(model, t_end=4.0, h=5e-3)
        case = f"{label} on a can, slope of {critical + tilt:.2f} deg to {yaw:.2f} rad"
        rows.append(fallen(case, result, body, tilt > 0.0))
    return rows


def upright_can(model: ns.Model) -> ns.Body:
    """A can on z = 0."""
    return model.add_cylinder(RADIUS, LENGTH, mass=1.0, position=(0.0, 0.0, 0.5 * LENGTH))


def upright_cone(model: ns.Model) -> ns.Body:
    """A cone on z = 0."""
    return model.add_cone(*CONE, mass=1.0, position=(0.0, 0.0, 0.25 * CONE[1]))


def tipping_bodies() -> list[Row]:
    """Cans along the shift, against it and across it; cones to three directions."""
    rows = []
    across = math.sqrt(RADIUS**2 - SHIFT**2)
    for yaw, reach in ((0.0, RADIUS - SHIFT), (math.pi, RADIUS), (0.5 * math.pi, across)):
        rows += tipping("can", math.degrees(math.atan(2.0 * reach / LENGTH)), yaw, SHIFT, upright_can)
    for yaw in (0.0, 0.05, 1.0):
        rows += tipping("cone", math.degrees(math.atan(4.0 * CONE[0] / CONE[1])), yaw, 0.0, upright_cone)
    return rows


def pyramid() -> list[Row]:
    """Six cylinders between two smooth walls."""
    model, h = ns.Model(gravity=(0.0, 0.0, -G)), 5e-3
    rise, half = 2.0 * RADIUS * math.sqrt(1.0 - 0.25 * WIDE**2), math.sqrt(0.5)
    for level, count in enumerate((3, 2, 1)):
        for k in range(count):
            place = ((2 * k - count + 1) * RADIUS * WIDE, 0.0, RADIUS + level * rise)
            model.add_cylinder(RADIUS, 0.3, mass=1.0, position=place, rotation=(half, half, 0.0, 0.0))
    offset = -RADIUS * (2.0 * WIDE + 1.0)
    model.add_plane(normal=UP)
    for x in (1.0, -1.0):
        model.add_plane(normal=(x, 0.0, 0.0), offset=offset)
    model.add(Contact(among=[*model.bodies, *model.planes]))
    result = simulate(model, t_end=0.5, h=h)
    contacts, count = result.contacts, len(result.t)
    last = slice(int(contacts.start[count - 1]), int(contacts.start[count]))
    impulse, plane = contacts.impulse[last], contacts.plane[last]
    floor, *walls = (
        float(impulse[plane == each.index].sum(axis=0) @ each.normal) / h for each in model.planes
    )
    tangent = 0.5 * WIDE / math.sqrt(1.0 - 0.25 * WIDE**2)
    rows = [Row("pyramid of cylinders: force on the floor", "N", 6.0 * G, floor, 1e-8)]
    rows += [Row("pyramid of cylinders: force on a wall", "N", tangent * G, each, 1e-8) for each in walls]
    way = np.abs(result.position[-1] - result.position[0]).max()
    return [*rows, bound_row("pyramid of cylinders: way", "m", way, 1e-9, "none")]


def run_all() -> list[Row]:
    """All of them."""
    return [*tipping_bodies(), *pyramid()]
