"""`python -m verification.contact_problems`: how robust the contact solver is, and how fast."""

import argparse
import sys

from nsgalpha.commands.command_line import Parser, folder
from verification.command import add_names
from verification.contact_problems.families import FAMILIES
from verification.contact_problems.study import run_study


def main() -> int:
    """Run the study; 0 if every problem was solved."""
    parser = Parser(prog="python -m verification.contact_problems", description=__doc__)
    add_names(parser, "families", "family", FAMILIES)
    parser.add_argument("--each", type=int, default=30, metavar="N", help="problems of a family (30)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (0)")
    parser.add_argument("--contacts", type=int, metavar="K", help="about; 10 to 500 at random by default")
    parser.add_argument("--keep", type=folder, metavar="DIR", help="FCLIB files of slow and unsolved ones")
    arguments: argparse.Namespace = parser.parse_args()
    results = run_study(
        arguments.families, arguments.each, arguments.first, arguments.contacts, arguments.keep
    )
    return 0 if all(each.solved for found in results.values() for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
