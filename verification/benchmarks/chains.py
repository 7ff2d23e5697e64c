"""Chains of rods on points: swinging freely, and falling on a floor. The command is `nsgalpha bench chains`.

A chain of n links of .1 m swings from a point on the ground, at first a zigzag of .1 rad about .5 rad from
the vertical. Steps are of 1 ms. Times are those of the first 40 steps; their exponent over the links is
fitted. Two rods of 1 m on hinges are the double pendulum.

Balls of 5 cm are .12 m apart in a zigzag of .4 rad seen from above, one end .2 m above the other. They fall
on a floor with friction .3, without restitution, until all touch it.
"""

from __future__ import annotations

import math
from itertools import pairwise
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, Spherical
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.stepping.step_times import StepTimes
from verification.benchmarks.line import Line, line
from verification.mechanisms.energy import chain as pendulum
from verification.mechanisms.rows import violation
from verification.run import simulate

LINKS = (10, 100, 1000, 10_000)
H = 1e-3  # [s]
STEPS, WORK, TOL = 40, 3000, 1e-10  # of a run; links of all runs of one length
LENGTH, ANGLE, BEND = 0.1, 0.5, 0.1  # [m], [rad] from the vertical, [rad] of a zigzag about that
FLOORS = ((10, 0.5), (100, 0.5), (300, 0.5), (1000, 0.5))  # balls, and until when [s]
RADIUS, SPACING, HEIGHT, MU = 0.05, 0.12, 0.051, 0.3  # of the falling chain
RISE, PLAN = 0.2, 0.4  # of its far end [m], of its zigzag seen from above [rad]
SHORT, LINEAR, QUICK = "at most 5 is aimed at", "at most 1.1 is aimed at", "at most 20 is aimed at"


def swinging(links: int) -> ns.Model:
    """A chain of rods that hangs at the ground by points."""
    model = ns.Model(gravity=(0, 0, -9.81))
    last, top = None, np.zeros(3)
    for k in range(links):
        angle = ANGLE + BEND * (-1) ** k
        along = np.array([math.sin(angle), 0.0, -math.cos(angle)])
        turn = (math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0)
        inertia = (1e-3 * LENGTH**2 / 12, 1e-3 * LENGTH**2 / 12, 1e-5 * LENGTH**2)
        rod = model.add_body(mass=1e-3, inertia=inertia, position=top + 0.5 * LENGTH * along, rotation=turn)
        model.add(Spherical(last, rod, point=top))
        last, top = rod, top + LENGTH * along
    return model


def falling(balls: int, mu: float = MU) -> ns.Model:
    """A zigzag of balls over a floor, one end a little higher."""
    model = ns.Model(gravity=(0, 0, -9.81))
    row, place, slope = [], np.array([0.0, 0.0, HEIGHT]), math.asin(RISE / (SPACING * balls))
    for k in range(balls):
        row.append(model.add_sphere(radius=RADIUS, mass=0.1, position=place))
        turn = PLAN * (-1) ** k
        along = math.cos(slope) * math.cos(turn), math.cos(slope) * math.sin(turn), math.sin(slope)
        place = place + SPACING * np.array(along)
    for one, two in pairwise(row):
        model.add(Spherical(one, two, point=0.5 * (one.position + two.position)))
    model.add(SpherePlane(row, model.add_plane(normal=(0, 0, 1)), mu=mu, e_n=0.0))
    return model


def per_step(model: ns.Model, steps: int = STEPS, times: int = 1) -> float:
    """Least processor time [s] of a step in `times` runs of `steps`, without start."""
    spent = []
    for _ in range(times):
        stepper = GeneralizedAlphaStepper(model, model.initial_state(), H, GeneralizedAlpha(), TOL)
        run = Run(stepper, StepTimes(0.0, H))
        run.plan(steps, steps)
        start = process_time()
        _, failure = run.advance(0, steps)
        spent.append((process_time() - start) / steps)
        if failure is not None:
            raise RuntimeError(str(failure))
    return min(spent)


def _swing() -> list[Line]:
    per_step(swinging(2))  # compiles, or loads the kernels
    times = [per_step(swinging(n), times=min(max(WORK // n, 1), 9)) for n in LINKS]
    lines = [
        line(f"{n} links swing, per step", 1e3 * time, "ms", SHORT if n == 1000 else "")
        for n, time in zip(LINKS, times, strict=True)
    ]
    slope = float(np.polyfit(np.log(LINKS), np.log(times), 1)[0])
    lines.append(line("exponent of the time over the links", slope, "-", LINEAR))
    double = per_step(pendulum(2), 5000, 5)
    return [*lines, line("double pendulum, per step", 1e6 * double, "us", QUICK)]


def _fall(balls: int, t_end: float) -> list[Line]:
    model, steps = falling(balls), round(t_end / H)
    start = process_time()
    result = simulate(model, t_end=t_end, h=H, record_every=max(steps // 50, 1))
    spent = (process_time() - start) / steps
    g, rate = violation(result)
    speed = float(np.abs(result.velocity).max())
    left = float(np.abs(result.velocity[-1]).max())
    name = f"{balls} balls fall on a floor"
    return [
        line(f"{name}, per step", 1e3 * spent, "ms", f"{int(result.stats.contacts[-1])} contacts at the end"),
        line(f"{name}, joints open, over the length", g / (SPACING * balls), "-"),
        line(f"{name}, rate over the speed", rate / speed, "-"),
        line(f"{name}, gain of energy", float(np.diff(result.energy()).max()), "J", "none"),
        line(f"{name}, speed at the end", left, "m/s", str(result.status)),
    ]


def bench_chains() -> list[Line]:
    """Chains that swing and that fall on a floor."""
    return [*_swing(), *(each for size in FLOORS for each in _fall(*size))]
