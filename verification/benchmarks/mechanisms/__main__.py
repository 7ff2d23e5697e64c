"""Chains of rods here and in other codes: the table. See __init__.py."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from nsgalpha.commands.command_line import Parser
from verification.benchmarks.mechanisms.chain import SLENDER, G, centres, measure
from verification.benchmarks.peers import ask
from verification.table import aligned

#: Code of each name, and further entries of its scenes.
CODES: dict[str, tuple[str, dict[str, str]]] = {
    "Exudyn": ("exudyn", {}),
    "MuJoCo": ("mujoco", {"integrator": "Euler"}),
    "MuJoCo RK4": ("mujoco", {"integrator": "RK4"}),
}
HEADERS = ("links", "code", "h [s]", "us a step", "error [m]", "time over ours")
END = {2: 2.0, 10: 1.0, 100: 0.5}  # [s] of the runs, before chaos separates correct ones


def peer(code: str, scenes: list[tuple[int, float, float, int]]) -> dict[str, Any] | None:
    """Version, and time and places of all scenes; None where the code is not installed."""
    name, rest = CODES[code]
    runs, known = [], ""
    for links, h, t, repeats in scenes:
        scene = {"links": links, "h": h, "t": t, "repeats": repeats, "inertia": SLENDER, "gravity": G, **rest}
        found = ask(name, "chain", scene)
        if isinstance(found, str):
            print(f"{code} is left out: {found}")
            return None
        runs.append((found["seconds"], found["places"]))
        known = found["version"]
    return {"version": known, "runs": runs}


def main() -> int:
    """All lengths and steps, code by code."""
    parser = Parser(prog="python -m verification.benchmarks.mechanisms", description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=list(END), metavar="N")
    parser.add_argument("--steps", type=float, nargs="+", default=[1e-3, 2.5e-4], metavar="H")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the fastest counts (3)")
    arguments: argparse.Namespace = parser.parse_args()
    scenes = [(n, h, END.get(n, 1.0), arguments.repeats) for n in arguments.links for h in arguments.steps]
    found: dict[str, dict[str, Any]] = {"nsgalpha": {"runs": [measure(*scene) for scene in scenes]}}
    for code in CODES:
        answer = peer(code, scenes)
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
