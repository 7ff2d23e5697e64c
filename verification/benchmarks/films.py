"""Benchmark of films: a hundred pictures of a break and of a pile."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import nsgalpha as ns
from nsgalpha import show
from nsgalpha.jit.processors import processors
from verification.benchmarks.line import Line, line
from verification.billiard_break.model import build as rack
from verification.scenes import pile

PICTURES, FPS, SIZE = 100, 30, (640, 360)


def bench_film() -> list[Line]:
    """Processor time of a GIF, and the time that passes on one thread and on several."""
    scenes: dict[str, Callable[[], ns.Model]] = {"break": rack, "pile of 1000": lambda: pile(1000)}
    return [each for name, make in scenes.items() for each in _of(name, make())]


def _of(name: str, model: ns.Model) -> list[Line]:
    """The lines of one scene."""
    result = ns.simulate(model, t_end=(PICTURES - 1) * 2e-3, h=1e-3, record_every=2)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.gif"
        show.still(result, path.with_suffix(".png"), size=SIZE)  # compiles, or loads the kernel
        (took, alone), (_, shared) = (_times(result, path, threads) for threads in (1, None))
    words, size = f"{PICTURES} pictures of a {name}", f"{SIZE[0]} x {SIZE[1]}"
    return [
        line(words, took, "s", size),
        line(f"{words}, time that passes", alone, "s", "one thread"),
        line(f"{words}, time that passes", shared, "s", f"{processors()} processors"),
    ]


def _times(result: ns.Result, path: Path, threads: int | None) -> tuple[float, float]:
    """Processor time and time that passes [s] of a film."""
    begun, clock = process_time(), perf_counter()
    show.film(result, path, speed=2e-3 * FPS, fps=FPS, size=SIZE, threads=threads)
    return process_time() - begun, perf_counter() - clock
