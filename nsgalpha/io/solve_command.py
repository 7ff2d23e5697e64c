"""The command `nsgalpha solve` (entry point of the group `nsgalpha.commands`): contact problems in files.

Only imports for parsing are at the top: the solver is loaded when a problem is there to be solved.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from nsgalpha.commands import command_line as cli
from nsgalpha.stepping.interrupts import interruptible, serve

NAME = "nsgalpha solve"
OF_PROBLEM = "contacts", "rows", "bilateral", "asymmetry", "symmetrised"
OF_SOLUTION = "islands", "residual", "rounding", "method", "newton", "proximal", "sweeps"

LINE = "{:40s} {:>8} {:>4} {:>9} {:18s} {:>10} {:>9}"
HEADER = LINE.format("problem", "contacts", "rows", "residual", "method", "iterations", "time [s]")


class Solve:
    """Solve contact problems recorded in FCLIB files."""

    name = "solve"
    help = "solve contact problems in FCLIB files"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Files, tolerance, treatment of unsymmetric operators, JSON file."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="HDF5 file in the layout of FCLIB")
        what = "scaled natural map of a solution (1e-8)"
        parser.add_argument("--tol", metavar="T", type=cli.positive, default=1e-8, help=what)
        parser.add_argument(
            "--symmetrise",
            action="store_true",
            help="take the symmetric part of operators that are not symmetric, and say by how much",
        )
        parser.add_argument("--json", metavar="FILE", type=cli.file, help="write all results to FILE")

    def run(self, arguments: argparse.Namespace) -> int:
        """0 if all problems were solved, 1 if not, 2 for files that cannot be used, 130 after Ctrl-C."""
        records: list[dict[str, Any]] = []
        cli.say(HEADER)
        try:
            with interruptible(at_once=True):
                for path in arguments.files:
                    records.append(self._solve(path, arguments))
                    serve()
        except KeyboardInterrupt:
            cli.print_error(
                NAME, KeyboardInterrupt(f"interrupted after {len(records)} of {len(arguments.files)} files")
            )
        solved = sum(record["solved"] for record in records)
        cli.say(f"{solved} of {len(records)} solved to {arguments.tol:g}")
        interrupted = len(records) < len(arguments.files)
        content = {"tol": arguments.tol, "problems": records, "interrupted": interrupted}
        written = not arguments.json or _wrote(arguments.json, content)
        if interrupted:
            return cli.INTERRUPTED
        if not written or any("error" in record for record in records):
            return cli.BAD_INPUT
        return 0 if solved == len(records) else 1

    @staticmethod
    def _solve(path: str, arguments: argparse.Namespace) -> dict[str, Any]:
        """Solve one problem, print the outcome, and return it."""
        try:
            record = solve_file(path, arguments.tol, arguments.symmetrise)
        except (OSError, ValueError, MemoryError) as error:
            text = str(error) or f"{path}: is too large for the memory"
            cli.print_error(NAME, ValueError(text))
            return {"file": path, "solved": False, "error": text}
        cli.say(as_line(record))
        return record


def _wrote(path: Path, content: dict[str, Any]) -> bool:
    try:
        cli.write_json(path, content)
    except OSError as error:
        cli.print_error(NAME, OSError(f"{path}: cannot be written ({error.strerror or error})"))
        return False
    return True


def solve_file(path: str, tol: float, symmetrise: bool = False) -> dict[str, Any]:
    """Read and solve the problem in `path`; the outcome, ready for JSON. Errors are those of reading."""
    from nsgalpha.contact import solve
    from nsgalpha.io import fclib

    problem = fclib.read(path, symmetrise=symmetrise)
    start = time.perf_counter()
    solution = solve(problem, tol)
    seconds = time.perf_counter() - start
    return {
        "file": path,
        "solved": solution.status.ok,
        "message": solution.status.message,
        **{name: getattr(problem, name) for name in OF_PROBLEM},
        **{name: getattr(solution, name) for name in OF_SOLUTION},
        "seconds": seconds,
        "impulses": solution.impulses.tolist(),
        "reactions": solution.reactions.tolist(),
    }


def as_line(record: dict[str, Any]) -> str:
    """One line of the table."""
    size = Path(record["file"]).stem, record["contacts"], record["rows"]
    iterations = record["newton"] + record["proximal"] + record["sweeps"]
    found = f"{record['residual']:.1e}", record["method"], iterations, f"{record['seconds']:.3f}"
    line = LINE.format(*size, *found)
    if record["bilateral"]:
        line = f"{line}  and {record['bilateral']} bilateral rows"
    if record["symmetrised"]:
        line = f"{line}  symmetrised by {record['asymmetry']:.1e}"
    if record["solved"]:
        return line
    lost = record["residual"] <= record["rounding"]
    return f"{line}  not solved" + (f": rounding is {record['rounding']:.1e}" if lost else "")
