"""`python -m verification.impact_reference [CASE ...]`: scenes of impact_phases into its reference.json."""

import sys
from time import perf_counter

from nsgalpha.commands.command_line import Parser
from verification.command import add_names
from verification.impact_phases import record
from verification.impact_phases.cases import CASES
from verification.impact_reference.thetas import theta_table


def main() -> int:
    """Make the converged values of some cases or all; those of the others are kept."""
    parser = Parser(prog=record.COMMAND, description=__doc__)
    add_names(parser, "cases", "case", CASES)
    parser.add_argument("--thetas", action="store_true", help="make nothing; show what hangs on theta")
    arguments = parser.parse_args()
    chosen = arguments.cases or list(CASES)
    if arguments.thetas:
        kept = record.load()["cases"]
        print(theta_table({name: kept[name] for name in chosen}, record.THETAS))
        return 0
    entries = record.load()["cases"] if record.FILE.exists() else {}
    for name in chosen:
        start = perf_counter()
        entries[name] = record.make(CASES[name])
        pieces = len(entries[name]["pieces"])
        print(f"{name}: {pieces} pieces, {perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    record.write({name: entries[name] for name in CASES if name in entries})
    return 0


if __name__ == "__main__":
    sys.exit(main())
