"""First runs with an empty cache of kernels, and steps after them."""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import perf_counter

from verification.benchmarks.line import Line, line

PROBE = """
from time import process_time
import nsgalpha
from verification.billiard_break.model import build
model = build()
nsgalpha.simulate(model, t_end=0.01, h=1e-3)
times = []
for _ in range(7):
    start = process_time()
    nsgalpha.simulate(model, t_end=3.0, h=1e-3)
    times.append(process_time() - start)
print(min(times))
"""


def _first_run(mode: str, cores: int) -> tuple[float, float, float]:
    """Processor and wall time [s] of a first run, and of 3000 steps."""
    command = [sys.executable, "-c", PROBE]
    if hasattr(os, "sched_setaffinity"):
        some = sorted(os.sched_getaffinity(0))[:cores]
        command[2] = f"import os; os.sched_setaffinity(0, {some})" + PROBE
    with TemporaryDirectory() as folder:
        given = {**os.environ, "NUMBA_CACHE_DIR": folder, "NSGALPHA_JIT": mode}
        before, start = sum(os.times()[2:4]), perf_counter()
        done = subprocess.run(command, env=given, check=True, capture_output=True, text=True)
        return sum(os.times()[2:4]) - before, perf_counter() - start, float(done.stdout)


def bench_compilation() -> list[Line]:
    """The break: first run with seven runs of 3000 steps after it."""
    found = []
    for mode in ("accelerated", "plain"):
        for cores in (1, 2):
            processor, wall, steps = _first_run(mode, cores)
            where = f"{mode}, {cores} core{'s' if cores > 1 else ''}"
            found += [
                line(f"{where}: processor time", processor, "s"),
                line(f"{where}: wall time", wall, "s"),
                line(f"{where}: 3000 steps, best of 7", steps, "s"),
            ]
    return found
