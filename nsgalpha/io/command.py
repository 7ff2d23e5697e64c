"""The command `nsgalpha solve` (entry point of the group `nsgalpha.commands`): contact problems in files.

Only what parsing needs is imported at the top: the solver is loaded when a problem is there to be solved.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from nsgalpha.cli import file, positive, write_json

LINE = "{name:40s} {contacts:>8} {rows:>4} {residual:>9} {method:18s} {iterations:>10} {seconds:>9}"
HEADER = LINE.format(
    name="problem",
    contacts="contacts",
    rows="rows",
    residual="residual",
    method="method",
    iterations="iterations",
    seconds="time [s]",
)


class Solve:
    """Solve contact problems recorded in FCLIB files."""

    name = "solve"
    help = "solve contact problems in FCLIB files"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Files, tolerance, JSON file."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="HDF5 file in the layout of FCLIB")
        parser.add_argument(
            "--tol",
            metavar="T",
            type=positive,
            default=1e-8,
            help="scaled natural map of a solution (1e-8)",
        )
        parser.add_argument("--json", metavar="FILE", type=file, help="write all results to FILE")

    def run(self, arguments: argparse.Namespace) -> int:
        """0 if every problem was read and solved, 1 otherwise."""
        records = []
        print(HEADER, flush=True)
        for path in arguments.files:
            try:
                records.append(solve_file(path, arguments.tol))
            except (OSError, ValueError) as error:
                print(f"nsgalpha solve: {error}", file=sys.stderr, flush=True)
                records.append({"file": path, "solved": False, "error": str(error)})
                continue
            print(as_line(records[-1]), flush=True)
        solved = sum(record["solved"] for record in records)
        print(f"{solved} of {len(records)} solved to {arguments.tol:g}")
        if arguments.json:
            write_json(arguments.json, {"tol": arguments.tol, "problems": records})
        return 0 if solved == len(records) else 1


def solve_file(path: str, tol: float) -> dict[str, Any]:
    """Read and solve the problem in `path`; what came out, ready for JSON. Errors are those of reading."""
    from nsgalpha.contact import solve
    from nsgalpha.io import fclib

    problem = fclib.read(path)
    start = time.perf_counter()
    solution = solve(problem, tol)
    seconds = time.perf_counter() - start
    return {
        "file": path,
        "solved": solution.status.ok,
        "message": solution.status.message,
        "contacts": problem.contacts,
        "rows": problem.rows,
        "islands": solution.islands,
        "residual": solution.residual,
        "method": solution.method,
        "newton": solution.newton,
        "proximal": solution.proximal,
        "sweeps": solution.sweeps,
        "seconds": seconds,
        "impulses": solution.impulses.tolist(),
    }


def as_line(record: dict[str, Any]) -> str:
    """One line of the table."""
    line = LINE.format(
        name=Path(record["file"]).stem,
        contacts=record["contacts"],
        rows=record["rows"],
        residual=f"{record['residual']:.1e}",
        method=record["method"],
        iterations=record["newton"] + record["proximal"] + record["sweeps"],
        seconds=f"{record['seconds']:.3f}",
    )
    return line if record["solved"] else f"{line}  not solved"
