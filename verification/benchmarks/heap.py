"""Balls that are poured into a box and come to rest there, with set-valued contact.

N equal balls of 1 cm fall in layers of 5 by 5 into a box of 12 cm; mu = 0.5, steps of 1 ms, all settings by
default. Peers have the same balls: LAMMPS and LIGGGHTS on springs, Bullet, and Siconos to a residual of 1e-4.
Their times are for a millisecond, one of our steps.
"""

import math
from time import process_time
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.arrays import Floats
from verification.benchmarks.box import dashpot
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask, balls_of
from verification.run import simulate
from verification.scenes import GRAVITY, ball_mass

RADIUS, WIDTH, MU, H, LAYER, SMALLEST = 0.01, 0.12, 0.5, 1e-3, 5, 130
PHASES = {
    "falling": (0.0, 0.25),  # [s]
    "settling": (0.25, 0.45),
    "until it rests": (0.0, 1.2),
    "at rest": (1.2, 1.3),
}
RESTITUTIONS, LEAST = (0.0, 0.3), 0.1  # the least of codes with dashpots
COUNTS, SETTLING = (130, 500, 2000), 40  # balls, and steps of which the time is taken
ROLLING = 0.01  # over the radius, for a heap that comes to rest: others have balls that roll on
#: Springs of codes that need them [N/m], and their step [s]: a contact takes 70 of them.
STIFFNESS, SOFT_STEP = 1e5, 1e-5
CODES = {"LAMMPS": SOFT_STEP, "LIGGGHTS": SOFT_STEP, "Bullet": H, "Siconos": H}


def side(count: int) -> int:
    """Balls along an edge of a layer, for heaps of one shape."""
    return round(LAYER * (count / SMALLEST) ** (1.0 / 3.0))


def centres(count: int, seed: int = 0, edge: int = LAYER) -> Floats:
    """Centres (count, 3) [m] of the balls at the start, layer over layer of `edge`^2, shaken by `seed`."""
    rng = np.random.default_rng(seed)
    layer, place = np.divmod(np.arange(count), edge**2)
    row, column = np.divmod(place, edge)
    x = np.stack((row, column), axis=1) - (edge - 1) / 2
    x = 2.3 * RADIUS * x + RADIUS * rng.uniform(-0.1, 0.1, x.shape)
    return np.column_stack((x, RADIUS * (4.0 + 2.3 * layer)))


def build(count: int, e_n: float, seed: int = 0, *, rolling: float = 0.0, edge: int = LAYER) -> ns.Model:
    """`count` balls over a floor between four walls; `rolling` is the radius of rolling friction [m]."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    position, half = centres(count, seed, edge), 0.5 * WIDTH * edge / LAYER
    model.add_spheres(position=position, radius=RADIUS, mass=ball_mass(RADIUS))
    planes = [model.add_plane(normal=(0, 0, 1))]
    law: dict[str, Any] = {"mu": MU, "e_n": e_n, "rolling_radius": rolling}
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        planes.append(model.add_plane(normal=normal, offset=-half))
    model.add(SphereSphere(among=model.spheres, **law))
    model.add(SpherePlane(model.spheres, planes, **law))
    return model


def measure(model: ns.Model, t_end: float, **scheme: Any) -> tuple[ns.Result, Floats]:
    """The result of a heap, and the milliseconds of processor time of each step.

    `scheme`: options of GeneralizedAlpha.
    """
    clock = ns.Sensor("clock", lambda now: process_time(), every=1)
    law = ns.GeneralizedAlpha(**scheme)
    result = simulate(model, t_end=t_end, h=H, scheme=law, watch=[clock])
    return result, 1e3 * np.diff(result.sensors["clock"].value)


def soft_law(e_n: float) -> dict[str, float]:
    """Springs and dashpots with the restitution of two balls, for codes that need them."""
    damping = dashpot(max(e_n, LEAST), STIFFNESS, 0.5 * ball_mass(RADIUS))
    springs = {"stiffness": STIFFNESS, "tangential_stiffness": 2.0 / 7.0 * STIFFNESS}
    return {**springs, "damping": damping, "tangential_damping": 0.5 * damping, "mu": MU, "e": e_n}


def quality(model: ns.Model, x: Floats, v: Floats) -> tuple[float, float, float]:
    """Largest overlap over R, height of the centre of mass [m], kinetic energy [J], at `x`, `v` (N, 3)."""
    pairs = cKDTree(x).query_pairs(2.0 * RADIUS, output_type="ndarray")
    depth = 2.0 - np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1) / RADIUS
    walls = [1.0 - (x @ plane.normal - plane.offset) / RADIUS for plane in model.planes]
    deepest = max(0.0, float(np.max(walls)), float(depth.max(initial=0.0)))
    return deepest, float(x[:, 2].mean()), 0.5 * float(ball_mass(RADIUS)) * float((v**2).sum())


def others(count: int, e_n: float, ours: float) -> list[Line]:
    """Lines of other codes for the phase of settling, of which a step takes `ours` [ms] here."""
    model, (begin, end) = build(count, e_n), PHASES["settling"]
    scene = balls_of(model, GRAVITY, law=soft_law(e_n), times=[begin, end], tolerance=1e-4)
    lines = []
    for name, h in CODES.items():
        answer = ask(name.lower(), "balls", scene | {"h": h})
        if isinstance(answer, str):
            lines.append(line(f"    {name}, settling", math.nan, "ms/ms", answer))
            continue
        time = answer["seconds"][1] / (end - begin)
        overlap, height, energy = quality(model, *(np.array(answer[k][-1]) for k in ("position", "velocity")))
        lines += [
            line(f"    {name}, settling", time, "ms/ms", f"{answer['version']}, same run, h = {h:g} s"),
            line(f"    ours / {name}", ours / time, "-"),
            *_of_quality(overlap, height, energy, round(end / H)),
        ]
    return lines


def _of_quality(overlap: float, height: float, energy: float, step: int) -> list[Line]:
    when = f"at {step * H:g} s"
    return [
        line("        overlap / R", overlap, "-", when),
        line("        height of the centre of mass", height, "m", when),
        line("        kinetic energy", energy, "J", when),
    ]


def of_phase(name: str, result: ns.Result, took: Floats, phase: str) -> list[Line]:
    """Lines of the steps of one phase, from the first contact on."""
    begin, end = (round(t / H) for t in PHASES[phase])
    steps = slice(max(begin, int(np.argmax(result.stats.contacts > 0))), end)
    return of_steps(f"{name}, {phase}", result, took, steps)


def of_steps(name: str, result: ns.Result, took: Floats, steps: slice) -> list[Line]:
    """Lines of some steps."""
    stats = result.stats
    return [
        line(f"{name}: mean", float(took[steps].mean()), "ms/step"),
        line("    worst", float(took[steps].max()), "ms/step"),
        line("    contacts, mean", float(stats.contacts[steps].mean()), "-"),
        line("    impacts a step, mean", float(stats.sub_impacts[steps].mean()), "-"),
        line("    steps that keep all impulses", int((stats.resting[steps] > 0).sum()), "-"),
        line("    steps above the tolerance", int((stats.relaxed[steps] > 0).sum()), "-"),
        line("    largest residual", float(stats.velocity_residual[steps].max()), "-"),
        line("    the same as a rate", float(stats.velocity_error[steps].max()), "m/s"),
    ]


def _at_rest(count: int) -> list[Line]:
    """A heap whose balls do not roll on, at rest: steps without a sensor."""
    model, (t_end, until) = build(count, 0.0, rolling=ROLLING * RADIUS), PHASES["at rest"]
    state = simulate(model, t_end=t_end, h=H).state()
    begun = process_time()
    stats = simulate(model, t_end=until, h=H, state=state).stats
    name = f"{count} balls, e = 0, rolling radius {ROLLING:g} R, at rest: mean"
    return [
        line(name, 1e3 * (process_time() - begun) / len(stats.resting), "ms/step"),
        line("    steps that keep all impulses", int((stats.resting[:] > 0).sum()), "-"),
    ]


def bench_heap(count: int = SMALLEST) -> list[Line]:
    """A heap of 130 balls until it rests, by each impact law, beside other codes."""
    lines, settled = [], PHASES["settling"][1]
    simulate(build(count, 0.3), t_end=0.2, h=H)  # compiles, or loads the kernels
    for e_n in RESTITUTIONS:
        result, took = measure(build(count, e_n), PHASES["at rest"][1])
        for phase in PHASES:
            lines += of_phase(f"{count} balls, e = {e_n:g}", result, took, phase)
        speed = math.sqrt(float((result.velocity[-1] ** 2).sum(axis=1).mean()))
        lines += [
            line("    penetration at most / R", float(result.stats.penetration.max()) / RADIUS, "-"),
            line("    height of the centre of mass at the end", float(result.position[-1, :, 2].mean()), "m"),
            line("    speed at the end, root mean square", speed, "m/s"),
        ]
        until = round(settled / H)
        lines += _of_quality(*quality(result.model, result.position[until], result.velocity[until]), until)
        steps = slice(*(round(each / H) for each in PHASES["settling"]))
        lines += others(count, e_n, float(took[steps].mean()))
    lines += _at_rest(count)
    for scheme in ({"max_impacts": 10}, {"impact_law": "simultaneous"}):
        name = ", ".join(f"{key} = {value}" for key, value in scheme.items())
        lines += of_phase(f"e = 0.3, {name}", *measure(build(count, 0.3), settled, **scheme), "settling")
    return lines


def bench_heaps() -> list[Line]:
    """Larger heaps as they settle, and the exponent of their time over the balls."""
    lines = []
    for e_n in RESTITUTIONS:
        times = []
        for count in COUNTS:
            edge = side(count)
            begin = round(PHASES["settling"][0] * math.sqrt(edge / LAYER) / H)  # they fall from higher
            result, took = measure(build(count, e_n, edge=edge), (begin + SETTLING) * H)
            steps = slice(begin, begin + SETTLING)
            lines += of_steps(
                f"{count} balls, e = {e_n:g}, {SETTLING} steps from {begin * H:g} s", result, took, steps
            )
            lines += _of_quality(
                *quality(result.model, result.position[-1], result.velocity[-1]), begin + SETTLING
            )
            times.append(took[steps].mean())
        slope = np.polyfit(np.log(COUNTS), np.log(times), 1)[0]
        lines.append(line(f"e = {e_n:g}: exponent of the time over the balls", float(slope), "-"))
    return lines
