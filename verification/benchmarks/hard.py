"""Runs of hard balls after compilation, the break of the paper beside other codes."""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

import nsgalpha as ns
from elements import Drag, SpherePlane, SphereSphere, Spring
from verification.balls import RADIUS, add_ball, billiard_model
from verification.benchmarks.line import Line, line
from verification.billiard_break.model import build as build_break
from verification.run import simulate
from verification.scenes import add_walls

STEPS = 3000
H = 1e-3  # [s]
REPEATS = 7

#: Seconds for the 3000 steps of the break by other codes.
BREAK_ELSEWHERE = (
    ("the paper's code", 40.0, "paper, section 5.3"),
    ("penalty method", 25_000.0, "Gismeros et al., quoted in the paper, section 5.3"),
    ("cardillo", 17.0, "measured; 5.5 to 22 ms per step"),
    ("Exudyn, penalty contact", 0.85, "measured; 0.8 mm position error"),
    ("Siconos", 0.19, "measured; penetrates by 15 % of a radius, asymmetric"),
    ("pooltool", 0.01, "measured, 5 to 15 ms; event-driven, pairwise impacts, asymmetric"),
)


def seconds(build: Callable[[], ns.Model]) -> list[float]:
    """Times [s] of REPEATS runs of 3000 steps, after one that compiles or loads the kernels."""

    def once() -> float:
        model = build()
        start = perf_counter()
        simulate(model, t_end=STEPS * H, h=H)
        return perf_counter() - start

    once()
    return sorted(once() for _ in range(REPEATS))


def run_lines(times: list[float]) -> list[Line]:
    """Median, spread and time per step."""
    return [
        line(f"{STEPS} steps, median of {REPEATS}", median(times), "s"),
        line("fastest", times[0], "s"),
        line("slowest", times[-1], "s"),
        line("per step", 1e6 * median(times) / STEPS, "us"),
    ]


def bench_break() -> list[Line]:
    """The billiard break of the paper, 3 s."""
    times = seconds(build_break)
    ours = median(times)
    elsewhere = [
        entry
        for name, value, source in BREAK_ELSEWHERE
        for entry in (line(name, value, "s", source), line(f"{name} / ours", value / ours, "-"))
    ]
    return run_lines(times) + elsewhere


def build_cradle(count: int = 20) -> ns.Model:
    """Touching balls in a row between two walls, all elastic; the first moves."""
    model = billiard_model(gravity=0.0)
    for i in range(count):
        add_ball(model, (2.0 * RADIUS * i, 0.0), velocity=(1.0 if i == 0 else 0.0, 0.0, 0.0))
    walls = add_walls(model, 0, -2.0 * RADIUS, 2.0 * RADIUS * (count + 1))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    model.add(SpherePlane(model.spheres, walls, e_n=1.0))
    return model


def bench_cradle() -> list[Line]:
    """A row of 20 elastic balls between walls: up to 19 impacts in a step."""
    return run_lines(seconds(build_cradle))


def build_three(*, loads: bool) -> ns.Model:
    """Three balls on a table, two with a spring between, with drag or without `loads`."""
    model = billiard_model(gravity=9.81)
    balls = [add_ball(model, (0.1 * i, 0.0), velocity=(0.3 * (i == 0), 0.05 * i, 0.0)) for i in range(3)]
    model.add(SphereSphere(among=balls, mu=0.1, e_n=0.9))
    model.add(SpherePlane(balls, model.add_plane(normal=(0, 0, 1)), mu=0.2, e_n=0.5))
    if loads:
        model.add(Spring([(balls[0], balls[1])], stiffness=10.0, damping=0.1))
        model.add_load(Drag(balls, translational=0.05))
    return model


def bench_loads() -> list[Line]:
    """Time of three balls on a table with spring and drag, over that without."""
    without, under = (median(seconds(partial(build_three, loads=loads))) for loads in (False, True))
    return [
        line("per step without loads", 1e6 * without / STEPS, "us"),
        line("per step with loads", 1e6 * under / STEPS, "us"),
        line("with / without", under / without, "-"),
    ]
