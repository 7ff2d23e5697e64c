"""Benchmark of films: a hundred pictures of a break and of a pile."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import nsgalpha as ns
from nsgalpha import show
from verification.benchmarks.line import Line, line
from verification.billiard_break.model import build as rack
from verification.scenes import pile

PICTURES, FPS, SIZE = 100, 30, (640, 360)


def bench_film() -> list[Line]:
    """Processor time of a GIF; pictures are painted in one process."""
    scenes: dict[str, Callable[[], ns.Model]] = {"break": rack, "pile of 1000": lambda: pile(1000)}
    return [_of(name, make()) for name, make in scenes.items()]


def _of(name: str, model: ns.Model) -> Line:
    """The line of one scene."""
    result = ns.simulate(model, t_end=(PICTURES - 1) * 2e-3, h=1e-3, record_every=2)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.gif"
        show.still(result, path.with_suffix(".png"), size=SIZE)  # compiles, or loads the kernel
        begun = process_time()
        show.film(result, path, speed=2e-3 * FPS, fps=FPS, size=SIZE)
        took = process_time() - begun
    return line(f"{PICTURES} pictures of a {name}", took, "s", f"{SIZE[0]} x {SIZE[1]}")
