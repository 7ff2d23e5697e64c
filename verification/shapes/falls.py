"""Falling and rocking boxes.

A box that falls flat comes back with e times its speed, without spin. Without friction and with e = 1 the
energy stays, on any vertex or edge. A block that rocks from one lower edge to the other has

    r = w+/w- = 1 - (1 + e) 3/2 sin^2 a,   tan a = width/height,

if both edges stick: the new edge has -e times its speed, the moment of momentum about it stays, and the old
one opens (G. W. Housner, Bull. Seism. Soc. Am. 53 (1963) 403, for e = 0).
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Contact
from verification.outcome import Row, bound_row
from verification.run import simulate

G = 9.81
UP = (0.0, 0.0, 1.0)
LAWS = ("sequence", "simultaneous")
SIZE = (0.4, 0.3, 0.2)
EDGE = 0.5 * math.atan2(SIZE[2], SIZE[0])
POSES = {
    "an edge": (math.cos(EDGE), 0.0, math.sin(EDGE), 0.0),
    "a corner": (0.8, 0.3, 0.5, 0.1),
    "a tilted face": (1.0, 1e-4, 2e-4, 0.0),
}
BLOCK = (0.2, 0.4, 0.8)  # width, depth, height [m]


def flat() -> list[Row]:
    """Speed and spin after a flat fall."""
    rows = []
    for law in LAWS:
        for e in (0.0, 0.5, 1.0):
            model = ns.Model()
            box = model.add_box(SIZE, mass=1.0, position=(0.0, 0.0, 0.105), velocity=(0.0, 0.0, -1.0))
            model.add(Contact(among=[box, model.add_plane(normal=UP)], mu=0.3, e_n=e))
            result = simulate(model, t_end=0.02, h=1e-3, scheme=ns.GeneralizedAlpha(impact_law=law))
            label = f"flat fall, e = {e:g}, {law}"
            rows.append(Row(f"{label}: speed after", "m/s", e, result.velocity[-1, box, 2], 1e-13))
            spin = np.abs(result.angular_velocity[-1]).max()
            rows.append(bound_row(f"{label}: spin", "rad/s", spin, 1e-12, "none"))
    return rows


def elastic() -> list[Row]:
    """Energy of falls on an edge, on a corner and at random, e = 1, mu = 0."""
    rows = []
    for name, q in POSES.items():
        model = ns.Model(gravity=(0.0, 0.0, -G))
        motion: dict[str, Any] = {"velocity": (0.3, 0.0, -1.0), "angular_velocity": (0.5, -1.0, 0.2)}
        box = model.add_box(SIZE, mass=1.0, position=(0.0, 0.0, 0.3), rotation=q, **motion)
        model.add(Contact(among=[box, model.add_plane(normal=UP)], e_n=1.0))
        energy = simulate(model, t_end=0.3, accuracy=3e-10).energy()
        change = np.abs(energy - energy[0]).max() / energy[0]
        rows.append(bound_row(f"elastic fall on {name}: energy", "-", change, 1e-10, "constant"))
    return rows


def rocking() -> list[Row]:
    """The rate after the first impact of a rocking block over that before it."""
    rows = []
    width, _, height = BLOCK
    a, rate, h = math.atan(width / height), 0.7, 1e-6
    c, s = math.cos(rate * h), math.sin(rate * h)  # it falls back from this tilt in one step
    x, z = -0.5 * width * c + 0.5 * height * s, 0.5 * width * s + 0.5 * height * c
    for law in LAWS:
        for e in (0.0, 0.4):
            model = ns.Model(gravity=(0.0, 0.0, -G))
            block = model.add_box(
                BLOCK,
                mass=1.0,
                position=(x, 0.0, z),
                rotation=(math.cos(0.5 * rate * h), 0.0, math.sin(0.5 * rate * h), 0.0),
                velocity=(-rate * z, 0.0, rate * x),
                angular_velocity=(0.0, -rate, 0.0),
            )
            model.add(Contact(among=[block, model.add_plane(normal=UP)], mu=10.0, e_n=e))
            result = simulate(model, t_end=4.0 * h, h=h, scheme=ns.GeneralizedAlpha(impact_law=law))
            ratio = result.angular_velocity[-1, block, 1] / -rate
            expected = 1.0 - (1.0 + e) * 1.5 * math.sin(a) ** 2
            rows.append(Row(f"rocking block, e = {e:g}, {law}: w+/w-", "-", expected, ratio, 5e-5))
    return rows


def run_all() -> list[Row]:
    """All of them."""
    return [*flat(), *elastic(), *rocking()]
