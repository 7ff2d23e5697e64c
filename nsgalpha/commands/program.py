"""The program `nsgalpha`: the command line, without a traceback where Ctrl-C comes while that is imported."""

import os
import sys


def main() -> int:
    """Run the command line of the process and return the exit code."""
    try:
        from nsgalpha.commands import command_line

        return command_line.main()
    except KeyboardInterrupt:  # before cli.main could tell it, or after
        os.write(2, b"nsgalpha: interrupted\n")
        return 130  # cli.INTERRUPTED, which may not be there yet


if __name__ == "__main__":
    sys.exit(main())
