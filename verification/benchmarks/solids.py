"""Boxes and hulls in set-valued contact: stacks, walls, heaps, piles, and pairs alone.

    NSGALPHA_PEERS=/path/to/python nsgalpha bench solids   # with MuJoCo and Bullet beside the first scenes
    nsgalpha bench piles                                   # a thousand boxes: minutes

Cubes have an edge of 10 cm, bricks are 20 x 10 x 6 cm; friction 0.5 in walls, 0.3 in heaps. A wall has bricks
in running bond, with a space of 1 mm beside each or none. The heap of 45 moves: it is thrown into a bin.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SolidPlane, SolidSolid
from nsgalpha.arrays import Floats
from nsgalpha.system.system import System
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask
from verification.run import simulate
from verification.scenes import GRAVITY

CUBE, BRICK = (0.1, 0.1, 0.1), (0.2, 0.1, 0.06)  # [m]
MASS, MU, MU_OF_HEAPS, H, H_OF_HEAPS = 1.0, 0.5, 0.3, 5e-3, 1e-3
REACH = 0.01  # [m], of gaps of other codes
PEERS = {"MuJoCo": "mujoco", "PyBullet": "bullet"}
COUNTS, DEEP = (125, 1000), 5  # boxes of piles, and how many fall on each other
PAIRS, REPEATS, SPREAD, VERTICES = 1000, 5, 0.15, 40  # pairs of solids far from the others


def stack() -> Floats:
    """Centres (10, 3) [m] of cubes on each other."""
    return np.array([(0.0, 0.0, 0.05 + 0.1 * k) for k in range(10)])


def wall(space: float) -> Floats:
    """Centres (205, 3) [m] of bricks, 21 and 20 in a row, with a `space` [m] beside each."""
    rows = [np.arange(21 - k % 2) + 0.5 * (k % 2) for k in range(10)]
    return np.array(
        [((BRICK[0] + space) * x, 0.0, BRICK[2] * (k + 0.5)) for k, row in enumerate(rows) for x in row]
    )


def pyramid() -> Floats:
    """Centres (55, 3) [m] of cubes, ten in the lowest row, with a space of 1 mm beside each."""
    return np.array([(0.101 * (i + 0.5 * k), 0.0, 0.1 * (k + 0.5)) for k in range(10) for i in range(10 - k)])


def standing(centres: Floats, size: tuple[float, float, float]) -> ns.Model:
    """Boxes of a `size` on a floor."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    boxes = [model.add_box(size, mass=MASS, position=place) for place in centres]
    model.add(SolidPlane(boxes, model.add_plane(normal=(0, 0, 1)), mu=MU))
    model.add(SolidSolid(among=boxes, mu=MU))
    return model


def heap(count: int, e_n: float, layer: int, speed: float = 2.0) -> ns.Model:
    """`count` cubes, turned at random, `layer`^2 in each layer, that fall into a bin."""
    model, rng = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), np.random.default_rng(0)
    pitch, half = 0.18, 0.09 * layer
    for k in range(count):
        level, (row, column) = k // layer**2, divmod(k % layer**2, layer)
        model.add_box(
            CUBE,
            mass=MASS,
            position=(pitch * (row + 0.5) - half, pitch * (column + 0.5) - half, 0.1 + pitch * level),
            rotation=np.roll(Rotation.random(None, rng).as_quat(), 1),
            velocity=(0.0, 0.0, -speed),
            angular_velocity=rng.normal(size=3),
        )
    walls = [(0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    planes = [model.add_plane(normal=n, offset=-half * (n[2] == 0)) for n in walls]
    law: dict[str, Any] = {"mu": MU_OF_HEAPS, "e_n": e_n}
    model.add(SolidPlane(model.bodies, planes, **law))
    model.add(SolidSolid(among=model.bodies, **law))
    return model


def of_standing(name: str, centres: Floats, size: tuple[float, float, float], t_end: float) -> list[Line]:
    """Lines of boxes that should stand still, with those of other codes."""
    simulate(standing(centres, size), t_end=2 * H, h=H)  # compiles, or loads the kernels
    begun = process_time()
    result = simulate(standing(centres, size), t_end=t_end, h=H, record_every=10**9)
    time, stats = 1e3 * H * (process_time() - begun) / t_end, result.stats
    lines = [
        line(name, time, "ms/step", f"{t_end:g} s, h = {H:g} s"),
        line("    drift", float(np.linalg.norm(result.position[-1] - centres, axis=1).max()), "m"),
        line("    kinetic energy", float(result.energy("kinetic")[-1]), "J"),
        line("    penetration / half width", float(stats.penetration.max()), "-"),
        line("    contacts", float(stats.contacts.max()), "-"),
        line("    velocity iterations, mean", float(stats.velocity_iterations.mean()), "-"),
        line("    velocity iterations, most", float(stats.velocity_iterations.max()), "-"),
        line("    steps divided", float((stats.divided > 1).sum()), "-"),
    ]
    scene = {"half": [0.5 * each for each in size], "mass": [MASS] * len(centres), "mu": MU}
    scene |= {"position": centres.tolist(), "gravity": GRAVITY, "h": H, "times": [t_end]}
    scene["planes"] = [((0.0, 0.0, 1.0), 0.0)]
    for peer, code in PEERS.items():
        answer = ask(code, "boxes", scene)
        if isinstance(answer, str):
            lines.append(line(f"    {peer}", math.nan, "ms/step", answer))
            continue
        place = np.array(answer["position"][0])
        moved = np.linalg.norm(place - centres, axis=1).max()
        theirs = 1e3 * H * answer["seconds"][0] / t_end
        least = least_gap(standing(centres, size), place, np.array(answer["rotation"][0]))
        lines += [
            line(f"    {peer}", theirs, "ms/step", f"{answer['version']}, same run, h = {H:g} s"),
            line("    its drift", float(moved), "m"),
            line("    its penetration / half width", max(-least, 0.0) / (0.5 * min(size)), "-"),
        ]
    return lines


def least_gap(model: ns.Model, x: Floats, q: Floats) -> float:
    """The least gap [m] of a model with its bodies at other places and rotations."""
    system = System(model)
    motion = system.motion(model.initial_state())
    motion.x[: len(x)], motion.q[: len(q)] = x, q
    candidates = system.candidates(motion.x, REACH, motion.q)
    system.select(motion, candidates)
    system.measure(motion, candidates)
    return float(candidates.gap.min(initial=math.inf))


def of_heap(name: str, model: ns.Model, t_end: float) -> tuple[list[Line], ns.Result, Floats]:
    """Lines of a heap, its result, and the milliseconds of each step."""
    simulate(heap(45, 0.3, 3), t_end=0.2, h=H_OF_HEAPS)  # compiles, or loads the kernels
    clock = ns.Sensor("clock", lambda now: process_time(), every=1)
    result = simulate(model, t_end=t_end, h=H_OF_HEAPS, watch=[clock])
    took, stats = 1e3 * np.diff(result.sensors["clock"].value), result.stats
    begun = int(np.argmax(stats.contacts > 0))
    lines = [
        line(name, float(took[begun:].mean()), "ms/step", f"{t_end:g} s, h = {H_OF_HEAPS:g} s"),
        line("    worst", float(took.max()), "ms/step"),
        line("    contacts, most", float(stats.contacts.max()), "-"),
        line("    position iterations, mean", float(stats.position_iterations[begun:].mean()), "-"),
        line("    position iterations, most", float(stats.position_iterations.max()), "-"),
        line("    velocity iterations, mean", float(stats.velocity_iterations[begun:].mean()), "-"),
        line("    impacts, most", float(stats.sub_impacts.max()), "-"),
        line("    steps capped", float((stats.capped > 0).sum()), "-"),
        line("    steps divided", float((stats.divided > 1).sum()), "-"),
        line("    steps above the tolerance", float((stats.relaxed > 0).sum()), "-"),
        line("    penetration / half width", float(stats.penetration.max()), "-"),
    ]
    return lines, result, took


def far_pairs(make: Callable[[ns.Model, Floats, Floats], Any], *, flat: bool) -> ns.Model:
    """PAIRS of solids, of which nine of ten touch, or all lie face on face."""
    model, rng = ns.Model(), np.random.default_rng(0)
    for k in range(PAIRS):
        turns = Rotation.random(2, rng)
        apart = rng.normal(size=3)
        apart *= 0.1 * rng.uniform(0.9, 1.2) / np.linalg.norm(apart)
        if flat:
            turns = Rotation.from_rotvec(np.outer(rng.uniform(0, 6, 2), (0, 0, 1)))
            apart = np.array([*rng.uniform(-0.04, 0.04, 2), 0.1])
        for place, turn in zip((0.0 * apart, apart), turns, strict=True):
            make(model, place + np.array((k, 0.0, 0.0)), np.roll(turn.as_quat(), 1))
    model.add(SolidSolid(among=model.bodies))
    return model


def box(model: ns.Model, place: Floats, rotation: Floats) -> None:
    """A cube."""
    model.add_box(CUBE, mass=MASS, position=place, rotation=rotation)


def hull(model: ns.Model, place: Floats, rotation: Floats) -> None:
    """A hull of VERTICES on a ball."""
    points = np.random.default_rng(1).normal(size=(VERTICES, 3))
    points *= 0.055 / np.linalg.norm(points, axis=1)[:, None]
    model.add_solid(points, hull=True, mass=MASS, position=place, rotation=rotation)


def narrow(model: ns.Model, state: ns.State | None = None) -> tuple[float, float, int]:
    """Seconds of a selection, of a measurement of all candidates, and the number of slots."""
    system = System(model)
    motion = system.motion(model.initial_state() if state is None else state)
    candidates = system.candidates(motion.x, 0.1 * CUBE[0], motion.q)
    times = []
    for call in (system.select, system.measure):
        call(motion, candidates)
        begun = process_time()
        for _ in range(REPEATS):
            call(motion, candidates)
        times.append((process_time() - begun) / REPEATS)
    return times[0], times[1], len(candidates.a)


def of_pairs() -> list[Line]:
    """Lines of single pairs: selection and measurement."""
    lines = []
    scenes: list[tuple[str, Callable[..., None], bool]] = [
        ("box and box, at random", box, False),
        ("box and box, face on face", box, True),
        (f"hulls of {VERTICES} vertices", hull, False),
    ]
    for name, make, flat in scenes:
        select, measure, _ = narrow(far_pairs(make, flat=flat))
        lines += [
            line(f"{name}, selection", 1e6 * select / PAIRS, "us/pair"),
            line("    measurement of all slots", 1e6 * measure / PAIRS, "us/pair"),
        ]
    model = standing(np.array([(k, 0.0, 0.05) for k in range(PAIRS)]), CUBE)
    model.elements.pop()
    lines.append(line("box and plane, measurement", 1e6 * narrow(model)[1] / PAIRS, "us/pair"))
    return lines


def bench_solids() -> list[Line]:
    """Boxes that stand, a heap of 45 that moves, and pairs alone."""
    lines = of_pairs()
    lines += of_standing("stack of ten", stack(), CUBE, 100.0)
    lines += of_standing("pyramid of 55", pyramid(), CUBE, 10.0)
    for words, space in (("1 mm", 1e-3), ("no space", 0.0)):
        lines += of_standing(f"wall of 205 bricks, {words} between", wall(space), BRICK, 10.0)
    for e_n in (0.0, 0.3):
        lines += of_heap(f"heap of 45, e = {e_n:g}", heap(45, e_n, 3), 0.6)[0]
    return lines


def bench_piles() -> list[Line]:
    """Boxes poured into a bin, five deep: time of a step, falling and at rest."""
    lines, per_step = [], {}
    for count in COUNTS:
        layer = round(math.sqrt(count / DEEP))
        model = heap(count, 0.0, layer)
        found, result, took = of_heap(f"pile of {count}", model, 1.5)
        lines += found
        for phase, steps in (("falling", slice(50, 250)), ("at rest", slice(-200, None))):
            per_step[count, phase] = float(took[steps].mean())
            lines.append(line(f"    {phase}", per_step[count, phase], "ms/step"))
        select, measure, slots = narrow(model, result.state())
        measurements = 3.0 + float(result.stats.position_iterations[-200:].mean())
        share = 1e3 * (select + measurements * measure) / per_step[count, "at rest"]
        lines += [line("    slots", slots, "-"), line("    narrow phase at rest, of a step", share, "-")]
    for phase in ("falling", "at rest"):
        few, many = (per_step[count, phase] for count in COUNTS)
        slope = math.log(many / few) / math.log(COUNTS[1] / COUNTS[0])
        lines.append(line(f"exponent of a step over N, {phase}", slope, "-"))
    return lines
