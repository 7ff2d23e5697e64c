"""Spheres that fall into a box: explicit steps beside LAMMPS, LIGGGHTS, Exudyn and Yade (recorded).

N balls of radius 1 cm are on a cubic lattice of 2.02 radii, in a box of that size. Linear springs of 1e5 N/m
have dashpots for a restitution of 0.5, and friction 0.3 by springs with Coulomb's cap (regularised in
Exudyn). The command is `nsgalpha bench explicit`; steps of 20 microseconds, with the search of neighbours.
The start of a run is apart.
"""

from __future__ import annotations

import math
import resource
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, CundallStrack, SpringDashpot
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask, balls_of
from verification.run import simulate
from verification.scenes import add_box

RADIUS, DENSITY, STIFFNESS, MU, RESTITUTION, GRAVITY = 0.01, 2500.0, 1e5, 0.3, 0.5, 9.81
MASS = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
SPACING = 2.02 * RADIUS
H = 2e-5  # [s]
WINDOWS = ((10, 0.3), (22, 0.04), (46, 0.01))  # balls along an edge, time [s]: as of the recorded figures

#: Codes that are asked for the same balls, and up to which edge: of many, Exudyn's start takes long.
CODES = {"LAMMPS": 46, "LIGGGHTS": 46, "Exudyn": 10}
#: Milliseconds a step by Yade 2023.02a, one thread, two shared cores: N, law, time.
YADE = (
    (1000, "Cundall-Strack", 0.332),
    (1000, "viscoelastic", 0.364),
    (10000, "Cundall-Strack", 5.27),
    (10000, "viscoelastic", 7.72),
)


def dashpot(restitution: float, stiffness: float, mass: float) -> float:
    """Dashpot [N s/m] for the `restitution` of a linear contact; `stiffness` [N/m], effective `mass` [kg]."""
    decay = -math.log(restitution)
    return 2.0 * decay / math.hypot(math.pi, decay) * math.sqrt(stiffness * mass)


DAMPING = dashpot(RESTITUTION, STIFFNESS, MASS / 2.0)


def build(edge: int, large: bool = False) -> ns.Model:
    """`edge`^3 balls over a floor between four walls; on them a `large` one of 20 radii."""
    rng = np.random.default_rng(0)
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    places = (np.indices((edge, edge, edge)).reshape(3, -1).T + 0.5) * SPACING
    scatter = 1e-3 * RADIUS * rng.normal(size=places.shape)
    model.add_spheres(radius=RADIUS, mass=MASS, position=places + scatter)
    if large:
        above = edge * SPACING * np.array([0.5, 0.5, 1.0]) + (0.0, 0.0, 19.8 * RADIUS)
        model.add_sphere(radius=20.0 * RADIUS, mass=20.0**3 * MASS, position=above)
    law: dict[str, Any] = {
        "normal": SpringDashpot(stiffness=STIFFNESS, damping=DAMPING),
        "tangential": CundallStrack(stiffness=STIFFNESS * 2 / 7, mu=MU),
    }
    model.add(CompliantSphereSphere(among=model.spheres, **law))
    model.add(CompliantSpherePlane(model.spheres, add_box(model, edge * SPACING), **law))
    return model


class Measured(NamedTuple):
    """One run."""

    stated: float  # time to state the model [s]
    start: float  # of a run with one step
    wall: float  # of a further step [ms]
    cpu: float
    contacts: int  # at the end
    height: float  # of the centre of mass at the end [m]


def ours(edge: int, t_end: float, large: bool = False, threads: int = 1) -> Measured:
    """A run of `edge`^3 balls."""
    begun = process_time()
    model = build(edge, large)
    stated = process_time() - begun
    options: dict[str, Any] = {"h": H, "scheme": ns.VelocityVerlet(), "record_every": 10**9}
    clocks = [np.array([perf_counter(), process_time()])]
    for until in (H, t_end):
        result = simulate(model, t_end=until, threads=threads, **options)
        clocks.append(np.array([perf_counter(), process_time()]))
    start, whole = np.diff(clocks, axis=0)
    wall, cpu = 1e3 * (whole - start) / (len(result.stats.contacts) - 1)
    height = float(result.position[-1, :, 2].mean())
    return Measured(stated, float(start[1]), wall, cpu, int(result.stats.contacts[-1]), height)


def others(edge: int, t_end: float, found: Measured) -> list[Line]:
    """Lines of the same balls in other codes, beside ours that was `found`."""
    law = {"stiffness": STIFFNESS, "tangential_stiffness": STIFFNESS * 2 / 7, "damping": DAMPING}
    law |= {"tangential_damping": 0.0, "mu": MU}
    scene = balls_of(build(edge), GRAVITY, law=law, h=H)
    lines = []
    for name, largest in CODES.items():
        if edge > largest:
            continue
        answer = ask(name.lower(), "balls", scene | {"times": [t_end]})
        if isinstance(answer, str):
            lines.append(line(f"{name}, {edge**3} balls", math.nan, "ms/step", answer))
            continue
        time = 1e3 * answer["seconds"][0] / round(t_end / H)
        height = float(np.mean(answer["position"], axis=1)[0, 2])
        about = f"{answer['version']}, same run, {answer['memory']:.0f} MiB"
        lines += [
            line(f"{name}, {edge**3} balls", time, "ms/step", about),
            line(f"    ours / {name}", found.cpu / time, "-"),
            line("    its start", answer["start"], "s"),
            line("    height of the centres, difference / R", (found.height - height) / RADIUS, "-"),
        ]
    return lines


def peak() -> float:
    """Largest memory of the process so far [MiB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def bench_explicit() -> list[Line]:
    """Balls that fall into a box, explicit steps."""
    ours(4, 10 * H)  # compiles, or loads the kernels
    lines = []
    for edge, t_end in WINDOWS:
        count = edge**3
        one = ours(edge, t_end)
        lines += [
            line(f"{count} balls, {one.contacts} contacts at the end", one.cpu, "ms/step", "processor time"),
            line(f"{count} balls", one.wall, "ms/step", "wall"),
            line(f"{count} balls, statement of the model", one.stated, "s"),
            line(f"{count} balls, start: run of one step", one.start, "s"),
            line(f"{count} balls", peak(), "MiB", "peak of this process so far"),
        ]
        if edge > WINDOWS[0][0]:
            ours(edge, 2 * H, threads=2)  # compiles, or loads the kernels
            two = ours(edge, t_end, threads=2)
            lines.append(line(f"{count} balls, two threads", two.wall, "ms/step", "wall"))
            lines.append(line(f"{count} balls, two threads", two.cpu, "ms/step", "processor time"))
            lines.append(line(f"{count} balls, one thread / two", one.wall / two.wall, "-", "wall"))
        lines += others(edge, t_end, one)
        for number, law, time in YADE:
            if number // 1000 == count // 1000:
                lines.append(line(f"Yade, {number} balls, {law}", time, "ms/step", "recorded"))
                lines.append(line(f"Yade / ours, {law}, per ball", time / number / (one.cpu / count), "-"))
    alone, beside = (ours(24, 500 * H, large).cpu for large in (False, True))
    lines.append(line("13824 balls, one of 20 times the radius on them / without it", beside / alone, "-"))
    return lines
