"""Soft balls on hard ones in a hard box, as they fall: the command is `nsgalpha bench mixture`.

The lower half of a lattice of 2.02 radii are hard balls, the upper half soft ones with springs of 1e5 N/m;
friction 0.3 everywhere, regularised between soft balls. Balls of 1 cm, steps of 1 ms.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, ExudynNormal, RegularisedCoulomb, SpherePlane, SphereSphere
from verification.benchmarks.box import MASS, MU, RADIUS, SPACING, STIFFNESS
from verification.benchmarks.line import Line, line
from verification.run import simulate
from verification.scenes import add_walls

H, STEPS = 1e-3, 60  # [s]
SIZES = ((5, 4), (10, 5))  # balls along an edge of the floor, and layers of either kind


def build(edge: int, layers: int) -> ns.Model:
    """`layers` of `edge`^2 hard balls under as many soft ones, between four walls."""
    rng = np.random.default_rng(0)
    model = ns.Model(gravity=(0.0, 0.0, -9.81))
    for k, i, j in np.ndindex(2 * layers, edge, edge):
        position = (np.array([i, j, k]) + 0.5) * SPACING + 1e-3 * RADIUS * rng.normal(size=3)
        model.add_sphere(radius=RADIUS, mass=MASS, position=position)
    balls = model.spheres
    hard, soft = balls[: len(balls) // 2], balls[len(balls) // 2 :]
    low, high = -0.02 * RADIUS, edge * SPACING + 0.02 * RADIUS
    floor = model.add_plane(normal=(0, 0, 1))
    planes = [floor, *add_walls(model, 0, low, high), *add_walls(model, 1, low, high)]
    model.add(SphereSphere(among=hard, mu=MU))
    model.add(SpherePlane(balls, planes, mu=MU))
    law: dict[str, Any] = {
        "normal": ExudynNormal(stiffness=STIFFNESS),
        "tangential": RegularisedCoulomb(mu=MU, velocity_zone=0.1),
    }
    model.add(CompliantSphereSphere(among=soft, **law))
    model.add(CompliantSphereSphere(between=(hard, soft), **law))
    return model


def bench_mixture() -> list[Line]:
    """Soft balls on hard ones fall into a hard box."""
    ns.simulate(build(3, 2), t_end=0.02, h=H)  # compiles, or loads the kernels
    lines = []
    for edge, layers in SIZES:
        model = build(edge, layers)
        start = process_time()
        result = simulate(model, t_end=STEPS * H, h=H, record_every=STEPS)
        time = 1e3 * (process_time() - start) / STEPS
        half, contacts = edge**2 * layers, int(result.stats.contacts.max())
        text = f"{half} hard, {half} soft balls, up to {contacts} contacts"
        lines.append(line(text, time, "ms/step", "processor time"))
    return lines
