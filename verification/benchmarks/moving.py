"""Balls on a shaken table and on one at rest (`nsgalpha bench moving`).

Nine balls of 1 cm lie without friction on the table, which swings in its plane, so that they do the same. The
motion is one of the catalogue, a table of it, and the same function in Python. Up and down by a nanometre the
forces change, and set-valued contact is solved in every step where it stood before.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, SpherePlane, SphereSphere, SpringDashpot
from verification.benchmarks.line import Line, line
from verification.run import simulate

RADIUS, MASS, FREQUENCY = 0.01, 0.01, 40.0
H, STEPS, REPEATS = 1e-4, 10_000, 5
SHAKING = ns.Shaking(amplitude=(1e-3, 0, 0), frequency=FREQUENCY)
UP = ns.Shaking(amplitude=(0, 0, 1e-9), frequency=FREQUENCY)
SCHEMES = {"set-valued": ns.GeneralizedAlpha(), "compliant": ns.VelocityVerlet()}


def in_table() -> ns.MotionTable:
    """The motion at a hundred times in a swing."""
    t = np.arange(-1.0, 2.0 + STEPS * H * FREQUENCY * 100) / (100 * FREQUENCY)
    return ns.MotionTable(times=t, position=SHAKING.through(t)[0][:, :3])


def in_python(t: float) -> tuple[tuple[float, ...], ...]:
    """The motion as a function of a script."""
    place, velocity = SHAKING(t)
    return tuple(place), tuple(velocity)


def build(kind: str, motion: Callable[[float], tuple] | None) -> ns.Model:  # type: ignore[type-arg]
    """Nine balls apart from each other."""
    model = ns.Model(gravity=(0, 0, -9.81))
    for i, j in np.ndindex(3, 3):
        model.add_sphere(radius=RADIUS, mass=MASS, position=(3 * RADIUS * i, 3 * RADIUS * j, RADIUS))
    table = model.add_plane(normal=(0, 0, 1), motion=motion)
    if kind == "set-valued":
        model.add(SpherePlane(model.spheres, table))
        model.add(SphereSphere(among=model.spheres))
    else:
        law = SpringDashpot(stiffness=1e4, damping=2.0)
        model.add(CompliantSpherePlane(model.spheres, table, normal=law))
        model.add(CompliantSphereSphere(among=model.spheres, normal=law))
    return model


def bench_moving() -> list[Line]:
    """Nine balls on a table that is shaken."""
    motions = {"at rest": None, "Shaking": SHAKING, "MotionTable": in_table(), "in Python": in_python}
    motions["Shaking up and down"] = UP
    lines = []
    for kind, scheme in SCHEMES.items():
        times: dict[str, list[float]] = {name: [] for name in motions}
        for motion in motions.values():
            simulate(build(kind, motion), t_end=10 * H, h=H, scheme=scheme)  # compiles
        for _ in range(REPEATS):
            for name, motion in motions.items():
                model, start = build(kind, motion), process_time()
                simulate(model, t_end=STEPS * H, h=H, scheme=scheme, record_every=STEPS)
                times[name].append(1e6 * (process_time() - start) / STEPS)
        lines += [
            line(f"{kind}, {name}", median(t), "us/step", "processor time") for name, t in times.items()
        ]
    return lines
