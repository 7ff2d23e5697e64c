"""`python -m verification.impact_phases [CASE ...]`: all cases, paths and steps over the phases; minutes."""

import argparse
import sys
from pathlib import Path

from nsgalpha.commands.command_line import Parser, file, write_json
from nsgalpha.show.figure_style import png
from verification.command import PHASES, add_names, count
from verification.impact_phases.cases import CASES
from verification.impact_phases.figure import draw
from verification.impact_phases.model import PATHS
from verification.impact_phases.phases import case_studies
from verification.phases import Study, phase_table, study_record
from verification.run import RunFailedError


def main() -> int:
    """Measure and print; 0 if all runs came to their end."""
    parser = Parser(prog="python -m verification.impact_phases", description=__doc__)
    add_names(parser, "cases", "case", CASES)
    parser.add_argument(
        "--phases", type=count, default=PHASES, metavar="N", help=f"arrivals, {PHASES} by default"
    )
    parser.add_argument("--paths", nargs="+", choices=PATHS, default=PATHS, help="all by default")
    parser.add_argument(
        "--steps", nargs="+", type=float, metavar="H", help="[s], those of the case by default"
    )
    parser.add_argument("--json", type=file, metavar="FILE", help="write all errors to FILE")
    parser.add_argument("--figure", type=file, metavar="FILE", help="write the figure, a PNG, to FILE")
    arguments: argparse.Namespace = parser.parse_args()
    done: list[Study] = []
    failed = []
    for name in arguments.cases or CASES:
        for path in CASES[name].paths:
            if path not in arguments.paths:
                continue
            try:
                found = case_studies(name, arguments.phases, [path], arguments.steps)
            except RunFailedError as error:
                failed.append(f"{name}, {path}: {error}")
                print(failed[-1], flush=True)
                continue
            print(phase_table(found).split("\n", 1)[1] if done else phase_table(found), flush=True)
            done += found
    if arguments.json:
        write_json(arguments.json, list(map(study_record, done)))
    if arguments.figure:
        Path(arguments.figure).write_bytes(png(draw(done)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
