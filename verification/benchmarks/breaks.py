"""A sweep of a thousand breaks of four balls, in threads and in processes."""

import resource
from time import perf_counter

import nsgalpha as ns
from verification.benchmarks.line import Line, line
from verification.sweep import scatter
from verification.sweep.model import break_shot

BREAKS = 1000
WAYS: dict[str, dict[str, int]] = {  # by the words for them
    "one thread": {"workers": 1},
    "two threads": {"threads": 2},
    "two processes, with their start": {"workers": 2},
}


def bench_breaks() -> list[Line]:
    """A thousand breaks of four balls, 3 s each, with loaded kernels."""
    points = scatter(BREAKS)
    ns.sweep(break_shot, points[:2], workers=1)
    found, first = [], None
    for way, given in WAYS.items():
        wall, processor = perf_counter(), _processor_time()
        table = ns.sweep(break_shot, points, workers=given.get("workers"), threads=given.get("threads", 1))
        found.append(line(f"{way}: processor time", _processor_time() - processor, "s", table.status))
        found.append(line(f"{way}: wall time", perf_counter() - wall, "s"))
        first = first or table
        found.append(line(f"{way}: the same to the bit", table.same(first), "-"))
    return found


def _processor_time() -> float:
    """Processor time [s] of this process and of its children that have ended."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)
