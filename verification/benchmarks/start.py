"""Start of a fresh process: what it takes to import, and to run a model for the first time."""

import subprocess
import sys
from statistics import median
from time import perf_counter

from verification.benchmarks.line import Line, line

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
