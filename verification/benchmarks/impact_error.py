"""Error of the final velocities over the processor time: fixed, located, found steps.

    nsgalpha bench impacts
    python -m verification.benchmarks.impact_error docs/_static/impact_error.png

The reference is our run at the accuracy REFERENCE. pooltool goes from event to event. Its models of impacts
are others, so that only its time is shown. MuJoCo and Exudyn have compliant contacts of ten steps. Their
differences do not vanish with the step: several balls touch at once, and share an impact in another way.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask

RADIUS, MASS, G, MU, E_N = 0.028575, 0.17, 9.81, 0.2, 0.85  # of cloth and cushions
BALLS = 0.06, 0.93  # friction and restitution
SPEED, OFF = 8.0, 0.003  # of the cue ball [m/s], [m]
SIZE = 2.0, 1.0  # of the table [m]
REPEATS = 3
REFERENCE = 1e-10
COMPLIANT, STEPS = {"mujoco": "MuJoCo", "exudyn": "Exudyn"}, (1e-3, 1e-4, 1e-5)  # [s]
WAYS: dict[str, list[dict[str, Any]]] = {
    "fixed steps": [{"h": h} for h in (1e-3, 3e-4, 1e-4, 3e-5)],
    "located": [{"h": h, "impacts": "located"} for h in (1e-1, 1e-2, 1e-3)],
    "accuracy": [{"accuracy": accuracy} for accuracy in (1e-2, 1e-4, 1e-6, 1e-8)],
}


class Point(NamedTuple):
    """A run: way, steps in words, processor time [s], largest error [m/s], steps taken."""

    way: str
    given: str
    seconds: float
    error: float
    steps: int


def rack(rows: int) -> ns.Model:
    """A ball breaks a triangle of `rows` rows that touch, within four cushions, off its centre."""
    model, across = ns.Model(gravity=(0, 0, -G)), 2.0 * RADIUS * math.cos(math.pi / 6.0)
    model.add_sphere(radius=RADIUS, mass=MASS, position=(-0.6, OFF, RADIUS), velocity=(SPEED, 0, 0))
    for i in range(rows):
        for j in range(i + 1):
            place = i * across, (2 * j - i) * RADIUS, RADIUS
            model.add_sphere(radius=RADIUS, mass=MASS, position=place)
    model.add(SphereSphere(among=model.spheres, mu=BALLS[0], e_n=BALLS[1]))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=MU))
    for k, half in enumerate(SIZE):
        for sign in (1.0, -1.0):
            cushion = model.add_plane(normal=sign * np.eye(3)[k], offset=-0.5 * half)
            model.add(SpherePlane(model.spheres, cushion, mu=MU, e_n=E_N))
    return model


#: Model and end [s] by the name of a scene.
SCENES: dict[str, tuple[Callable[[], ns.Model], float]] = {
    "break of four": (lambda: rack(2), 1.0),
    "rack of fifteen": (lambda: rack(5), 0.3),
}


def measured(name: str) -> Iterator[Point]:
    """The points of a scene."""
    build, t_end = SCENES[name]
    reference = ns.simulate(build(), t_end=t_end, accuracy=REFERENCE)
    for way, choices in WAYS.items():
        for given in choices:
            seconds = []
            for _ in range(REPEATS + 1):  # the first loads the kernels
                model, begun = build(), process_time()
                result = ns.simulate(model, t_end=t_end, **given)
                seconds.append(process_time() - begun)
            # steps that end at impacts go beyond the end
            v = result.at([t_end]).velocity[0] if result.t[-1] >= t_end else result.velocity[-1]
            error = float(np.abs(v - reference.velocity[-1]).max())
            words = f"{next(iter(given))} = {next(iter(given.values())):g}"
            yield Point(way, words, min(seconds[1:]), error, len(result.stats.h))


def answered(code: str, name: str, h: float | None = None) -> dict[str, Any] | str:
    """The answer of a `code` to a scene, in steps of `h` [s], or why it has none."""
    build, t_end = SCENES[name]
    state = build().initial_state()
    scene = {"radius": RADIUS, "mass": MASS, "mu": MU, "e_n": E_N, "gravity": G, "size": SIZE, "t": t_end}
    motion = {"position": state.position.tolist(), "velocity": state.velocity.tolist()}
    return ask(code, "table", {**scene, **motion, "balls": BALLS, "h": h, "repeats": REPEATS + 2})


def compliant(name: str) -> Iterator[Point | str]:
    """The points of codes with compliant contact, or why they have none."""
    build, t_end = SCENES[name]
    reference = ns.simulate(build(), t_end=t_end, accuracy=REFERENCE).velocity[-1]
    for code, title in COMPLIANT.items():
        for h in STEPS:
            found = answered(code, name, h)
            if isinstance(found, str):
                yield f"{title}: {found}"
                break
            error = float(np.abs(np.array(found["velocity"]) - reference).max())
            way = f"{title} {found['version']}"
            yield Point(way, f"h = {h:g}", found["seconds"], error, round(t_end / h))


def bench_impacts() -> list[Line]:
    """Error of the final velocities and processor time of two breaks, beside other codes."""
    found = []
    for name in SCENES:
        for point in (*measured(name), *compliant(name)):
            if isinstance(point, str):
                found.append(line(f"{name}, {point.split(':')[0]}", math.nan, "ms", point))
                continue
            what = f"{name}, {point.way}, {point.given}"
            found.append(line(f"{what}: error", point.error, "m/s", f"{point.steps} steps"))
            found.append(line(f"{what}: time", 1e3 * point.seconds, "ms"))
        peer = answered("pooltool", name)
        if isinstance(peer, str):
            found.append(line(f"{name}, pooltool", math.nan, "ms", peer))
        else:
            source = f"{peer['version']}, {peer['events']} events"
            found.append(line(f"{name}, pooltool: time", 1e3 * peer["seconds"], "ms", source))
    return found


def draw(file: Path) -> None:
    """Draw the points of both scenes."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(SCENES), figsize=(9.0, 3.8), sharey=True, layout="constrained")
    for panel, name in zip(axes, SCENES, strict=True):
        points = [point for point in (*measured(name), *compliant(name)) if isinstance(point, Point)]
        ways = dict.fromkeys(point.way for point in points)
        for way, marker in zip(ways, "osD^v", strict=False):
            chosen = [point for point in points if point.way == way]
            error = [max(point.error, 1e-15) for point in chosen]
            panel.loglog([point.seconds for point in chosen], error, marker + "-", label=way, markersize=5)
        peer = answered("pooltool", name)
        if not isinstance(peer, str):
            label = "pooltool, other impact models"
            panel.axvline(peer["seconds"], color="0.6", linestyle=":", label=label)
        panel.set_title(name)
        panel.set_xlabel("processor time [s]")
        panel.grid(visible=True, color="0.9")
    axes[0].set_ylabel("largest error of a velocity [m/s]")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(file, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    draw(parser.parse_args().file)
