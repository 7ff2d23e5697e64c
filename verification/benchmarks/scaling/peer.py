"""Piles here and in Siconos, in one run, and the ratio of the times.

Needs an interpreter for which Siconos is installed (Debian: python3-siconos, python3-scipy, python3-h5py).
Its pile is solved to a residual of 1e-4, ours to 1e-8, and penetrates; see the table of the scaling study.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from nsgalpha.commands.command_line import Parser
from verification.benchmarks.scaling.measure import SCENES, measure
from verification.scenes import GRAVITY, pile
from verification.table import aligned

HEADERS = ("bodies", "ours [ms]", "95 %", "end", "Siconos [ms]", "95 %", "end", "Siconos / ours", "end")


def siconos(python: str, count: int, steps: int, tolerance: float) -> np.ndarray:
    """Times [ms] of the steps of the pile of `count` spheres."""
    model = pile(count)
    scene = {
        "radius": [body.radius for body in model.bodies],
        "mass": [body.mass for body in model.bodies],
        "position": [body.position.tolist() for body in model.bodies],
        "planes": [(plane.normal.tolist(), plane.offset) for plane in model.planes],
        "mu": 0.5,
        "gravity": GRAVITY,
        "h": SCENES["pile"][3],
        "steps": steps,
        "tolerance": tolerance,
        "sweeps": 1000,
    }
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "scene.json", Path(folder) / "answer.json"
        files[0].write_text(json.dumps(scene))
        command = [python, str(Path(__file__).with_name("siconos_pile.py")), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not files[1].exists():
            sys.exit(f"{python} did not run the scene: {done.stderr.strip().splitlines()[-1]}")
        return np.array(json.loads(files[1].read_text())["milliseconds"])


def main() -> int:
    """Print the table."""
    parser = Parser(prog="python -m verification.benchmarks.scaling.peer", description=__doc__)
    parser.add_argument("--bodies", type=int, nargs="+", default=[27, 100], metavar="N")
    parser.add_argument("--python", default="/usr/bin/python3", help="interpreter that has Siconos")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of Siconos (1e-4)")
    arguments: argparse.Namespace = parser.parse_args()
    lines: list[tuple[str, ...]] = [HEADERS]
    for count in arguments.bodies:
        times = siconos(arguments.python, count, SCENES["pile"][2], arguments.tolerance)
        theirs = np.median(times), np.percentile(times, 95), np.median(times[-len(times) // 10 :])
        line = measure("pile", count)
        ours = line.median, line.slow, line.rest
        ratios = theirs[0] / ours[0], theirs[2] / ours[2]
        lines.append((str(count), *(f"{time:.2f}" for time in (*ours, *theirs, *ratios))))
    print(aligned(lines, range(len(HEADERS))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
