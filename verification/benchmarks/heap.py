"""Balls that are poured into a box and come to rest there, with set-valued contact.

N equal balls of 1 cm fall in layers of 5 by 5 into a box of 12 cm; mu = 0.5, steps of 1 ms, all settings by
default. The peers were measured on 130 balls in November 2026: LAMMPS with springs, Bullet with its margin,
Siconos to a residual of 1e-4.
"""

import math
from time import process_time
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.arrays import Floats
from verification.benchmarks.line import Line, line
from verification.run import simulate
from verification.scenes import GRAVITY, ball_mass

RADIUS, WIDTH, MU, H, LAYER, LARGER = 0.01, 0.12, 0.5, 1e-3, 5, 500
PHASES = {
    "falling": (0.0, 0.25),  # [s]
    "settling": (0.25, 0.45),
    "until it rests": (0.0, 1.2),
    "at rest": (1.2, 1.3),
}
ROLLING = 0.01  # over the radius, for a heap that comes to rest: others have balls that roll on
#: Milliseconds of processor time a step, and overlap over the radius, settling.
ELSEWHERE = {
    0.0: (("LAMMPS", 0.86, 0.012), ("Bullet", 3.6, 0.06), ("Siconos", 147.0, 0.08)),
    0.3: (("LAMMPS", 0.73, 0.016), ("Bullet", 3.3, 0.08)),
}


def centres(count: int, seed: int = 0) -> Floats:
    """Centres (count, 3) [m] of the balls at the start, layer over layer, shaken by `seed`."""
    rng = np.random.default_rng(seed)
    layer, place = np.divmod(np.arange(count), LAYER**2)
    row, column = np.divmod(place, LAYER)
    x = np.stack((row, column), axis=1) - (LAYER - 1) / 2
    x = 2.3 * RADIUS * x + RADIUS * rng.uniform(-0.1, 0.1, x.shape)
    return np.column_stack((x, RADIUS * (4.0 + 2.3 * layer)))


def build(count: int, e_n: float, seed: int = 0, rolling: float = 0.0) -> ns.Model:
    """`count` balls over a floor between four walls; `rolling` is the radius of rolling friction [m]."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    model.add_spheres(position=centres(count, seed), radius=RADIUS, mass=ball_mass(RADIUS))
    planes = [model.add_plane(normal=(0, 0, 1))]
    law: dict[str, Any] = {"mu": MU, "e_n": e_n, "rolling_radius": rolling}
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        planes.append(model.add_plane(normal=normal, offset=-WIDTH / 2))
    model.add(SphereSphere(among=model.spheres, **law))
    model.add(SpherePlane(model.spheres, planes, **law))
    return model


def measure(count: int, e_n: float, t_end: float, **scheme: Any) -> tuple[ns.Result, Floats]:
    """The result of a heap, and the milliseconds of processor time of each step.

    `scheme`: options of GeneralizedAlpha.
    """
    clock = ns.Sensor("clock", lambda now: process_time(), every=1)
    law = ns.GeneralizedAlpha(**scheme)
    result = simulate(build(count, e_n), t_end=t_end, h=H, scheme=law, watch=[clock])
    return result, 1e3 * np.diff(result.sensors["clock"].value)


def of_phase(name: str, result: ns.Result, took: Floats, phase: str) -> list[Line]:
    """Lines of the steps of one phase, from the first contact on."""
    stats = result.stats
    begin, end = (round(t / H) for t in PHASES[phase])
    steps = slice(max(begin, int(np.argmax(stats.contacts > 0))), end)
    return [
        line(f"{name}, {phase}: mean", float(took[steps].mean()), "ms/step"),
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


def bench_heap(count: int = 130) -> list[Line]:
    """A heap of 130 balls until it rests, by each impact law, and one of 500."""
    lines, settled = [], PHASES["settling"][1]
    simulate(build(count, 0.3), t_end=0.2, h=H)  # compiles, or loads the kernels
    for e_n, peers in ELSEWHERE.items():
        result, took = measure(count, e_n, PHASES["at rest"][1])
        for phase in PHASES:
            lines += of_phase(f"{count} balls, e = {e_n:g}", result, took, phase)
        speed = math.sqrt(float((result.velocity[-1] ** 2).sum(axis=1).mean()))
        lines += [
            line("    penetration at most / R", float(result.stats.penetration.max()) / RADIUS, "-"),
            line("    height of the centre of mass at the end", float(result.position[-1, :, 2].mean()), "m"),
            line("    speed at the end, root mean square", speed, "m/s"),
        ]
        for peer, time, depth in peers:
            lines.append(line(f"    {peer}, settling", time, "ms/step", f"recorded; overlap {depth:g} R"))
    lines += _at_rest(count)
    for scheme in ({"max_impacts": 10}, {"impact_law": "simultaneous"}):
        name = ", ".join(f"{key} = {value}" for key, value in scheme.items())
        lines += of_phase(f"e = 0.3, {name}", *measure(count, 0.3, settled, **scheme), "settling")
    return lines + of_phase(f"{LARGER} balls, e = 0", *measure(LARGER, 0.0, settled), "settling")
