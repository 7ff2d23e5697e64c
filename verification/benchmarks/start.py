"""Start of a fresh process: times of the import and of a first run."""

import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import E_BALLS, MU_BALLS, MU_CLOTH, add_ball, add_cloth, billiard_model
from verification.benchmarks.line import Line, line
from verification.billiard_break.model import build as build_break

H = 1e-4  # [s]
REPEATS = 50

PROBE = """
from time import perf_counter, process_time
start = perf_counter()
import nsgalpha
imported = perf_counter()
from verification.billiard_break.model import build
nsgalpha.simulate(build(), t_end=0.01, h=1e-3)
print(imported - start, perf_counter() - imported)
"""


def bench_import() -> list[Line]:
    """Start of a fresh process with a warm cache: import, then the first run."""

    def once() -> tuple[float, float, float]:
        start = perf_counter()
        done = subprocess.run([sys.executable, "-c", PROBE], check=True, capture_output=True, text=True)
        imported, first = map(float, done.stdout.split())
        return imported, first, perf_counter() - start

    once()
    imported, first, process = (median(values) for values in zip(*(once() for _ in range(3)), strict=True))
    return [
        line("import nsgalpha, median of 3", imported, "s"),
        line("first run: model and ten steps", first, "s"),
        line("whole process", process, "s"),
    ]


def bench_start() -> list[Line]:
    """Runs of one step with loaded kernels: processor time until it begins, and of all."""

    def once(model: ns.Model) -> tuple[float, float]:
        clock = ns.Sensor("clock", lambda now: process_time(), every=1)
        start = process_time()
        begun = ns.simulate(model, t_end=H, h=H, watch=[clock]).sensors["clock"].value[0] - start
        start = process_time()
        ns.simulate(model, t_end=H, h=H)
        return 1e3 * begun, 1e3 * (process_time() - start)

    found = []
    models: dict[str, Callable[[], ns.Model]] = {
        "three balls on a table": _three_balls,
        "the break, four cushions": build_break,
    }
    for quantity, build in models.items():
        model = build()
        once(model)
        first, whole = (median(times) for times in zip(*(once(model) for _ in range(REPEATS)), strict=True))
        found.append(line(f"{quantity}, until the first step", first, "ms", f"median of {REPEATS}"))
        found.append(line("    run of one step", whole, "ms"))
    return found


def _three_balls() -> ns.Model:
    """A ball that rolls towards two others."""
    model = billiard_model()
    add_ball(model, (-0.5, 0.0), velocity=(2.0, 0.0, 0.0))
    add_ball(model, (0.0, 0.02))
    add_ball(model, (0.1, 0.1))
    cloth = add_cloth(model)
    model.add(SphereSphere(among=model.spheres, mu=MU_BALLS, e_n=E_BALLS))
    model.add(SpherePlane(model.spheres, cloth, mu=MU_CLOTH))
    return model
