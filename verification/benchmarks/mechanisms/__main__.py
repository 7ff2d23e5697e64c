"""Chains of rods here and in other codes: the table. See __init__.py."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from nsgalpha.commands.command_line import Parser
from verification.benchmarks.mechanisms.chain import centres, measure
from verification.table import aligned

CODES = ("Exudyn", "MuJoCo", "MuJoCo RK4")
HEADERS = ("links", "code", "h [s]", "us a step", "error [m]", "time over ours")
END = {2: 2.0, 10: 1.0, 100: 0.5}  # [s] of the runs, before chaos separates correct ones
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def peer(python: str, code: str, scenes: list[tuple[int, float, float, int]]) -> dict[str, Any] | None:
    """Version, and time and places of all scenes; None where the code is not installed."""
    command = [python, str(Path(__file__).with_name("peer.py")), code, json.dumps(scenes)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, **ONE_THREAD}
        )
    except OSError as error:
        print(f"{code} is left out: {error}")
        return None
    if done.returncode:
        print(f"{code} is left out: {(done.stderr.strip().splitlines() or ['it ended'])[-1]}")
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """All lengths and steps, code by code."""
    parser = Parser(prog="python -m verification.benchmarks.mechanisms", description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=list(END), metavar="N")
    parser.add_argument("--steps", type=float, nargs="+", default=[1e-3, 2.5e-4], metavar="H")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the other codes")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the fastest counts (3)")
    arguments: argparse.Namespace = parser.parse_args()
    scenes = [(n, h, END.get(n, 1.0), arguments.repeats) for n in arguments.links for h in arguments.steps]
    found: dict[str, dict[str, Any]] = {"nsgalpha": {"runs": [measure(*scene) for scene in scenes]}}
    for code in CODES:
        answer = peer(arguments.python, code, scenes)
        if answer is not None:
            found[code] = answer
            print(f"{code} {answer['version']}")
    lines: list[tuple[str, ...]] = [HEADERS]
    for k, (links, h, t, _) in enumerate(scenes):
        ours = found["nsgalpha"]["runs"][k][0]
        for code, answer in found.items():
            time, places = answer["runs"][k]
            error = np.abs(np.asarray(places) - centres(links, t)).max()
            step = f"{1e6 * time * h / t:.1f}"
            lines.append((str(links), code, f"{h:g}", step, f"{error:.1e}", f"{time / ours:.2f}"))
    print(aligned(lines, range(2, len(HEADERS))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
