"""Start of a fresh process: times of the import and of a first run."""

import subprocess
import sys
from statistics import median
from time import perf_counter

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import E_BALLS, MU_BALLS, MU_CLOTH, add_ball, add_cloth, billiard_model
from verification.benchmarks.line import Line, line
from verification.billiard_break.model import build as build_break

H = 1e-4  # [s]
REPEATS = 50

PROBE = """
from time import perf_counter
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
    """Runs of one step with loaded kernels: the overhead of a run."""

    def once(model: ns.Model) -> float:
        start = perf_counter()
        ns.simulate(model, t_end=H, h=H)
        return 1e3 * (perf_counter() - start)

    found = []
    for quantity, build in (("two balls on a table", _two_balls), ("the break, four cushions", build_break)):
        model = build()
        once(model)
        times = [once(model) for _ in range(REPEATS)]
        found.append(line(f"{quantity}, median of {REPEATS}", median(times), "ms"))
    return found


def _two_balls() -> ns.Model:
    """The model of the first ten lines of the README."""
    model = billiard_model()
    add_ball(model, (-0.5, 0.0), velocity=(2.0, 0.0, 0.0))
    add_ball(model, (0.0, 0.02))
    cloth = add_cloth(model)
    model.add(SphereSphere(among=model.spheres, mu=MU_BALLS, e_n=E_BALLS))
    model.add(SpherePlane(model.spheres, cloth, mu=MU_CLOTH))
    return model
