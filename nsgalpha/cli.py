"""The command line: `nsgalpha --version` and the sub-commands that installed packages offer.

A sub-command is an entry point of the group `nsgalpha.commands`: a class with `help` (one line),
`add_arguments(parser)` and `run(arguments) -> exit code`. So the method needs to know none of them.
"""

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any, NoReturn, Protocol

GROUP = "nsgalpha.commands"


class Command(Protocol):
    """What a sub-command offers."""

    help: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it and return the exit code."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, exit code 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def folder(text: str) -> Path:
    """An argparse type: a folder, made if need be, so that a bad one is refused before anything runs."""
    try:
        Path(text).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot make the folder {text!r}: {error.strerror}") from None
    return Path(text)


def file(text: str) -> Path:
    """An argparse type: a file to write, in a folder that is made if need be."""
    path = folder(str(Path(text).parent)) / Path(text).name
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write {text!r}: permission denied")
    return path


def positive(text: str) -> float:
    """An argparse type: a number > 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: must be positive and finite")
    return value


def write_json(path: Path, content: Any) -> None:
    """`content` as indented JSON; null stands for numbers that are not finite, which JSON does not know."""
    text = json.dumps(_without_nan(content), indent=2, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _without_nan(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_without_nan(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def commands() -> dict[str, Command]:
    """The sub-commands of all installed packages, by name."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: point.load()() for point in points}


def make_parser(found: dict[str, Command]) -> Parser:
    """The parser of `nsgalpha` with the commands `found`."""
    parser = Parser(
        prog="nsgalpha", description="Nonsmooth dynamics of rigid bodies with friction and impacts."
    )
    parser.add_argument("--version", action="version", version=f"nsgalpha {version('nsgalpha')}")
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, command in found.items():
        command.add_arguments(parsers.add_parser(name, help=command.help, description=command.help))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: that of the process) and return the exit code."""
    found = commands()
    arguments = make_parser(found).parse_args(argv)
    return found[arguments.command].run(arguments)


if __name__ == "__main__":
    sys.exit(main())
