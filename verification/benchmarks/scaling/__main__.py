"""Time per step, iterations, residual and penetration as scenes grow."""

import argparse
import dataclasses
import multiprocessing
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nsgalpha.commands.command_line import Parser, file, write_json
from nsgalpha.show.figure_style import COLOURS, label, new_figure, png
from verification.benchmarks.scaling.measure import LIMIT, SCENES, Line, measure
from verification.command import add_names
from verification.table import aligned

HEADERS = (
    *("scene", "bodies", "steps", "contacts", "ms/step", "95 %", "rest", "iterations", "residual"),
    "at rest",
    *("depth / R", "E / mgR", "relaxed", "MiB", "ending"),
)


def cells(line: Line) -> tuple[str, ...]:
    """Cells in the order of HEADERS."""
    return (
        *(line.scene, str(line.bodies), str(line.steps), str(line.contacts)),
        *(f"{line.median:.2f}", f"{line.slow:.2f}", f"{line.rest:.2f}", f"{line.iterations:.1f}"),
        *(f"{value:.1e}" for value in (line.residual, line.settled, line.penetration, line.kinetic)),
        *(str(line.relaxed), f"{line.memory:.0f}", line.ending),
    )


def slopes(lines: Sequence[Line]) -> list[str]:
    """Exponents of the median time, also at rest, over the number of bodies."""
    found = []
    for scene in dict.fromkeys(line.scene for line in lines):
        points = [
            (line.bodies, line.median, line.rest) for line in lines if line.scene == scene and line.steps
        ]
        if len(points) > 1:
            bodies, median, rest = np.log(np.array(points)).T
            slope, at_rest = (np.polyfit(bodies, times, 1)[0] for times in (median, rest))
            found.append(f"{scene}: time per step ~ bodies^{slope:.2f}, at its end ~ bodies^{at_rest:.2f}")
    return found


def draw(lines: Sequence[Line]) -> bytes:
    """Median, 95th percentile and end of the step time over the bodies, as PNG."""
    figure, axis = new_figure()
    for colour, scene in zip(COLOURS, dict.fromkeys(line.scene for line in lines), strict=False):
        chosen = [line for line in lines if line.scene == scene]
        bodies = [line.bodies for line in chosen]
        axis.loglog(bodies, [line.median for line in chosen], "o-", color=colour, label=scene)
        axis.loglog(bodies, [line.slow for line in chosen], ":", color=colour)
        axis.loglog(bodies, [line.rest for line in chosen], "--", color=colour)
    title = "median (dotted: 95th percentile, dashed: at the end)"
    label(axis, "bodies [-]", "time per step [ms]", title, "upper left")
    return png(figure)


def main() -> int:
    """Measure; 0 if no step failed."""
    parser = Parser(prog="python -m verification.benchmarks.scaling", description=__doc__)
    add_names(parser, "scenes", "scene", SCENES)
    parser.add_argument("--bodies", type=int, nargs="+", metavar="N", help="numbers of bodies")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="S", help="seconds for a run (3600)")
    parser.add_argument("--json", type=file, metavar="FILE", help="write the table to FILE")
    parser.add_argument("--figure", type=file, metavar="FILE", help="write the figure, a PNG, to FILE")
    arguments: argparse.Namespace = parser.parse_args()
    lines: list[Line] = []
    for scene in arguments.scenes or SCENES:
        for count in arguments.bodies or SCENES[scene][1]:
            # a separate process, for the peak of memory
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                lines.append(pool.apply(measure, (scene, count, arguments.limit)))
            print(f"{scene} of {count}: {lines[-1].median:.2f} ms/step, {lines[-1].ending}", file=sys.stderr)
    print(aligned([HEADERS, *map(cells, lines)], range(1, len(HEADERS) - 1)))
    print(*slopes(lines), sep="\n")
    if arguments.json:
        write_json(arguments.json, [dataclasses.asdict(line) for line in lines])
    if arguments.figure:
        Path(arguments.figure).write_bytes(draw(lines))
    return 0 if all(line.ending.startswith(("finished", "ended")) for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
