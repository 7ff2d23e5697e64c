"""Balls that are poured into a box and come to rest there, with set-valued contact.

N equal balls of 1 cm fall in layers of 5 by 5 into a box of 12 cm; mu = 0.5, steps of 1 ms, all settings by
default. The peers were measured on 130 balls in November 2026: LAMMPS with springs, Bullet with its margin,
Siconos to a residual of 1e-4.
"""

import math
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.benchmarks.line import Line, line
from verification.run import simulate
from verification.scenes import GRAVITY, ball_mass

RADIUS, WIDTH, MU, H, LAYER = 0.01, 0.12, 0.5, 1e-3, 5
PHASES = {"falling": (0.0, 0.25), "settling": (0.25, 0.45), "at rest": (1.2, 1.3)}  # [s]
#: Milliseconds of processor time a step, and overlap over the radius, settling.
ELSEWHERE = {
    0.0: (("LAMMPS", 0.86, 0.012), ("Bullet", 3.6, 0.06), ("Siconos", 147.0, 0.08)),
    0.3: (("LAMMPS", 0.73, 0.016), ("Bullet", 3.3, 0.08)),
}


def build(count: int, e_n: float, seed: int = 0) -> ns.Model:
    """`count` balls over a floor between four walls."""
    rng = np.random.default_rng(seed)
    layer, place = np.divmod(np.arange(count), LAYER**2)
    row, column = np.divmod(place, LAYER)
    x = np.stack((row, column), axis=1) - (LAYER - 1) / 2
    x = 2.3 * RADIUS * x + RADIUS * rng.uniform(-0.1, 0.1, x.shape)
    position = np.column_stack((x, RADIUS * (4.0 + 2.3 * layer)))
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    model.add_spheres(position=position, radius=RADIUS, mass=ball_mass(RADIUS))
    planes = [model.add_plane(normal=(0, 0, 1))]
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        planes.append(model.add_plane(normal=normal, offset=-WIDTH / 2))
    model.add(SphereSphere(among=model.spheres, mu=MU, e_n=e_n))
    model.add(SpherePlane(model.spheres, planes, mu=MU, e_n=e_n))
    return model


def bench_heap(count: int = 130) -> list[Line]:
    """A heap of 130 balls, from the first contact to rest."""
    lines = []
    simulate(build(count, 0.3), t_end=0.2, h=H)  # compiles, or loads the kernels
    for e_n, peers in ELSEWHERE.items():
        clock = ns.Sensor("clock", lambda now: process_time(), every=1)
        result = simulate(build(count, e_n), t_end=PHASES["at rest"][1], h=H, watch=[clock])
        seen, stats = result.sensors["clock"], result.stats
        took, first = 1e3 * np.diff(seen.value), int(np.argmax(stats.contacts > 0))
        name = f"{count} balls, e = {e_n:g}"
        for phase, times in PHASES.items():
            begin, end = (round(t / H) for t in times)
            begin = max(begin, first)
            part = took[begin:end]
            lines += [
                line(f"{name}, {phase}: mean", float(part.mean()), "ms/step"),
                line("    worst", float(part.max()), "ms/step"),
                line("    contacts, mean", float(stats.contacts[begin:end].mean()), "-"),
                line("    impacts a step, mean", float(stats.sub_impacts[begin:end].mean()), "-"),
                line("    steps above the tolerance", int((stats.relaxed[begin:end] > 0).sum()), "-"),
                line("    largest residual", float(stats.velocity_residual[begin:end].max()), "m/s"),
            ]
        speed = math.sqrt(float((result.velocity[-1] ** 2).sum(axis=1).mean()))
        lines += [
            line("    penetration at most / R", float(stats.penetration.max()) / RADIUS, "-"),
            line("    height of the centre of mass at the end", float(result.position[-1, :, 2].mean()), "m"),
            line("    speed at the end, root mean square", speed, "m/s"),
        ]
        for peer, time, depth in peers:
            lines.append(line(f"    {peer}, settling", time, "ms/step", f"recorded; overlap {depth:g} R"))
    return lines
