"""`python -m verification.persistent_contact [PHASES]`: orders over the step, by scene, as a table."""

import sys

from verification.persistent_contact import PHASES
from verification.persistent_contact.phases import studies
from verification.phases import phase_table


def main() -> int:
    """Print errors and fitted orders over so many phases."""
    phases = int(sys.argv[1]) if len(sys.argv) > 1 else PHASES
    print(phase_table(studies(phases)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
