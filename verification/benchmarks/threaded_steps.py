"""Set-valued steps by one thread and by two: columns of balls, stacks, falling boxes.

900 columns of four balls lean by a tenth of a millimetre, and 400 stacks of five cubes stand, each a separate
problem. 1000 boxes fall into a bin. Times are wall times of a step, with its lists of neighbours. One and two
threads take turns. The least of REPEATS runs counts, as other processes may have a core. The command is
`nsgalpha bench threads`.
"""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.benchmarks.line import Line, line
from verification.benchmarks.solids import CUBE, heap, standing
from verification.run import simulate
from verification.scenes import GRAVITY, ball_mass

RADIUS, MU, REPEATS = 0.01, 0.3, 3


def columns(count: int = 900, height: int = 4) -> ns.Model:
    """Columns of balls on a floor."""
    rng, edge = np.random.default_rng(0), round(count**0.5)
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    place = np.indices((edge, edge, height)).reshape(3, -1).T * (3.0 * RADIUS, 3.0 * RADIUS, 2.0 * RADIUS)
    place[:, 2] += RADIUS
    place[:, :2] += 0.01 * RADIUS * rng.normal(size=(len(place), 2))
    model.add_spheres(position=place, radius=RADIUS, mass=ball_mass(RADIUS))
    model.add(SphereSphere(among=model.spheres, mu=MU))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=MU))
    return model


def stacks(count: int = 400, height: int = 5) -> ns.Model:
    """Stacks of cubes on a floor."""
    rng, edge = np.random.default_rng(0), round(count**0.5)
    place = np.indices((edge, edge, height)).reshape(3, -1).T * np.array((0.3, 0.3, 0.1))
    place[:, 2] += 0.05
    place[:, :2] += 3e-3 * rng.normal(size=(len(place), 2))
    return standing(place, CUBE)


def pile() -> ns.Model:
    """Boxes that fall into a bin."""
    return heap(1000, 0.0, 10)


class Scene(NamedTuple):
    """A model, its step [s], and the steps of which the time is taken."""

    build: Callable[[], ns.Model]
    h: float
    first: int
    last: int


SCENES = {
    "900 columns of four balls": Scene(columns, 1e-3, 5, 105),
    "400 stacks of five boxes": Scene(stacks, 5e-3, 5, 45),
    "1000 boxes, falling": Scene(pile, 1e-3, 5, 45),
}


def per_step(scene: Scene, threads: int) -> float:
    """Milliseconds of a step."""
    clock = ns.Sensor("clock", lambda now: perf_counter(), every=scene.last - scene.first)
    model, start = scene.build(), scene.first * scene.h
    before = simulate(model, t_end=start, h=scene.h, threads=threads).state()
    end = scene.last * scene.h
    taken = simulate(
        model, t_end=end, h=scene.h, state=before, threads=threads, record_every=10**9, watch=[clock]
    )
    return 1e3 * float(np.ptp(taken.sensors["clock"].value)) / (scene.last - scene.first)


def bench_threads() -> list[Line]:
    """Set-valued steps by one thread and by two."""
    lines = []
    for name, scene in SCENES.items():
        brief = scene._replace(last=scene.first + 2)
        for threads in (1, 2):
            per_step(brief, threads)  # compiles, or loads the kernels
        times = [[per_step(scene, threads) for threads in (1, 2)] for _ in range(REPEATS)]
        one, two = (min(each) for each in zip(*times, strict=True))
        lines += [
            line(name, one, "ms/step", "wall"),
            line("    two threads", two, "ms/step", "wall"),
            line("    one thread / two", one / two, "-", "wall"),
        ]
    return lines
