"""`python -m nsgalpha` is the program `nsgalpha`."""

import sys

from nsgalpha.commands.program import main

if __name__ == "__main__":
    sys.exit(main())
