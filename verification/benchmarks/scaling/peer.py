"""Piles here and in Siconos, in one run, and the ratio of the times.

It needs an interpreter with Siconos, see verification/benchmarks/peers. The pile there is solved to 1e-4,
ours to 1e-8, and penetrates; see the table of the scaling study.
"""

import argparse
import sys

import numpy as np

from nsgalpha.commands.command_line import Parser
from verification.benchmarks.peers import ask, balls_of
from verification.benchmarks.scaling.measure import SCENES, measure
from verification.scenes import GRAVITY, pile
from verification.table import aligned

HEADERS = ("bodies", "ours [ms]", "95 %", "end", "Siconos [ms]", "95 %", "end", "Siconos / ours", "end")


def siconos(count: int, steps: int, tolerance: float) -> np.ndarray:
    """Times [ms] of the steps of the pile of `count` spheres."""
    h = SCENES["pile"][3]
    rest = {"law": {"mu": 0.5, "e": 0.0}, "h": h, "times": [steps * h], "tolerance": tolerance}
    answer = ask("siconos", "balls", balls_of(pile(count), GRAVITY, **rest))
    if isinstance(answer, str):
        sys.exit(answer)
    return 1e3 * np.array(answer["steps"])


def main() -> int:
    """Print the table."""
    parser = Parser(prog="python -m verification.benchmarks.scaling.peer", description=__doc__)
    parser.add_argument("--bodies", type=int, nargs="+", default=[27, 100], metavar="N")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of Siconos (1e-4)")
    arguments: argparse.Namespace = parser.parse_args()
    lines: list[tuple[str, ...]] = [HEADERS]
    for count in arguments.bodies:
        times = siconos(count, SCENES["pile"][2], arguments.tolerance)
        theirs = np.median(times), np.percentile(times, 95), np.median(times[-len(times) // 10 :])
        line = measure("pile", count)
        ours = line.median, line.slow, line.rest
        ratios = theirs[0] / ours[0], theirs[2] / ours[2]
        lines.append((str(count), *(f"{time:.2f}" for time in (*ours, *theirs, *ratios))))
    print(aligned(lines, range(len(HEADERS))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
