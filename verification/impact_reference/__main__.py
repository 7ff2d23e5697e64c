"""`python -m verification.impact_reference [CASE ...]`: follow the scenes of impact_phases, write its reference.json."""

import argparse
import sys
from time import perf_counter

from verification.impact_phases import record
from verification.impact_phases.cases import CASES


def main() -> int:
    """Make the converged values of some cases or all; those of the others are kept."""
    parser = argparse.ArgumentParser(prog=record.COMMAND, description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"all by default; of {'; '.join(CASES)}")
    chosen = parser.parse_args().cases or list(CASES)
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
