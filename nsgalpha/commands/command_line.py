"""The command line: `nsgalpha --version` and the sub-commands that installed packages offer.

A sub-command is an entry point of the group `nsgalpha.commands`: a class with `help` (one line),
`add_arguments(parser)` and `run(arguments) -> exit code`. So the method needs to know none of them.

Commands print with `say`, so that nothing that stands in a file reaches the terminal as a control sequence.
Exit codes: 0 for success; 1 for a run with a failing status or a failed check. 2 means bad input, with one
line for each problem. 130 follows Ctrl-C; 141 means that nobody reads the output. Files are written to
folders that exist; of a folder that is named itself the last part is made, when something is written to it.
"""

import argparse
import json
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint, version
from pathlib import Path
from typing import Any, NoReturn, Protocol, TextIO

from nsgalpha.commands.plugin_entries import Unusable, load, offered, package_of, unusable
from nsgalpha.shown_text import printable, shortened
from nsgalpha.user_files import write_text

GROUP = "nsgalpha.commands"
BAD_INPUT, INTERRUPTED, NO_READER = 2, 130, 141


class Command(Protocol):
    """The interface of a sub-command."""

    help: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it and return the exit code."""


class Reporting(ABC):
    """A command that reports errors of bad input, OSError and those of `bad`."""

    name: str
    bad: type[Exception] = ValueError

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it and return the exit code."""
        return run_reporting(f"nsgalpha {self.name}", lambda: self._run(arguments), self.bad)

    @abstractmethod
    def _run(self, arguments: argparse.Namespace) -> int:
        """`run` without reports of errors."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write a help or an error; argparse would not tell that nobody reads it."""
        if message and file is not None:
            file.write(message)

    def error(self, message: str) -> NoReturn:
        """Print the error and where help is, exit code 2."""
        self.exit(BAD_INPUT, printable(f"{self.prog}: {message} (see {self.prog} --help)") + "\n")


class _Version(argparse.Action):
    """Show the version, and the library for large systems, which is only then looked up."""

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> None:
        from nsgalpha.linalg import factorisation

        parser._print_message(f"nsgalpha {version('nsgalpha')}; {factorisation()}\n", sys.stdout)
        parser.exit()


class UnusableCommand:
    """A command of an unusable package: it is listed, and gives the reason when called."""

    def __init__(self, trouble: Unusable) -> None:
        self._trouble = trouble
        self.help = shortened(str(trouble), 120).replace("%", "%%")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Accept any arguments."""
        parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)

    def run(self, arguments: argparse.Namespace) -> int:
        """The reason, as of bad input."""
        print_error(f"nsgalpha {arguments.command}", self._trouble)
        return BAD_INPUT


def say(*lines: str, stream: TextIO | None = None) -> None:
    """Print each of `lines` as one line, with control characters made visible."""
    stream = stream or sys.stdout
    if stream is None:  # closed before Python began
        return
    encoding = stream.encoding or "utf-8"
    for line in lines:  # characters that the terminal lacks are escaped, too
        print(printable(line).encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)


def print_error(name: str, error: BaseException) -> None:
    """Print a command's refusal on stderr, line by line, if anybody reads it."""
    with suppress(OSError):
        for line in str(error).split("\n"):
            say(f"{name}: {line or type(error).__name__}", stream=sys.stderr)


def run_reporting(name: str, do: Callable[[], int], *bad: type[Exception]) -> int:
    """Exit code of `do`, or that of bad input (OSError, `bad`) after its messages."""
    errors: tuple[type[Exception], ...] = (OSError, *bad)
    try:
        return do()
    except BrokenPipeError:  # the reader of the output has had enough
        return NO_READER
    except MemoryError as error:
        print_error(name, MemoryError(f"not enough memory: {error}" if str(error) else "not enough memory"))
        return BAD_INPUT
    except errors as error:
        print_error(name, error)
        return BAD_INPUT
    except KeyboardInterrupt as stop:
        result = getattr(stop, "result", None)  # how far the run has come that was interrupted
        text = str(result.status) if result else str(stop) or "interrupted"
        print_error(name, KeyboardInterrupt("; ".join([text, *getattr(stop, "remarks", ())])))
        return INTERRUPTED


def _still_read() -> bool:
    """False if the output found no reader; Python then stays silent at its end."""
    read = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            read = read and stream is not sys.stdout
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return read


def folder(text: str) -> Path:
    """Argparse type of an output folder, which exists or can be made.

    Its writer makes it, after all else has been checked.
    """
    path = Path(text)
    try:
        there, taken = path.is_dir(), os.path.lexists(path)
    except (OSError, ValueError) as error:  # a null character
        raise argparse.ArgumentTypeError(f"cannot make the folder {text!r}: {error}") from None
    if taken and not there:
        raise argparse.ArgumentTypeError(f"cannot make the folder {text!r}: there is a file of this name")
    if not there and not path.parent.is_dir():
        missing = str(path.parent)
        raise argparse.ArgumentTypeError(f"cannot make the folder {text!r}: there is no folder {missing!r}")
    if not os.access(path if there else path.parent, os.W_OK | os.X_OK):
        raise argparse.ArgumentTypeError(f"cannot write to the folder {text!r}")
    return path


def file(text: str) -> Path:
    """An argparse type: a file to write, in a folder that exists."""
    try:
        there = Path(text).parent.is_dir()
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r}: is no name of a file ({error})") from None
    if not there:
        missing = str(Path(text).parent)
        raise argparse.ArgumentTypeError(
            f"{text!r}: there is no folder {missing!r}; make it, or name another"
        )
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


def as_json(content: Any, indent: int = 2) -> str:
    """`content` as JSON in ASCII, which a terminal may show; null stands for numbers that are not finite."""
    text = json.dumps(_without_nan(content), indent=indent, allow_nan=False)
    return text.replace("\x7f", "\\u007f") + "\n"


def _without_nan(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_without_nan(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def write_json(path: Path, content: Any) -> None:
    """`content` as indented JSON."""
    write_text(path, as_json(content))


def commands() -> dict[str, Command]:
    """The sub-commands of all installed packages, by name, including unusable ones."""
    found: dict[str, Command] = {}
    for point in offered(GROUP):
        try:
            command = _command(point)
            if point.name in found:
                raise unusable(point, "another package has a command of this name")
        except Unusable as trouble:
            name = f"{point.name} of {package_of(point)}" if point.name in found else point.name
            found[name] = UnusableCommand(trouble)
        else:
            found[point.name] = command
    return dict(sorted(found.items()))


def _command(point: EntryPoint) -> Command:
    """The command of an entry point, whose arguments can be declared; Unusable for any other."""
    try:
        command: Command = load(point)()
        command.add_arguments(Parser())
        if not (isinstance(command.help, str) and callable(command.run)):
            raise TypeError("its `help` must be a text, and its `run` a function")
    except Unusable:
        raise
    except (Exception, SystemExit) as error:
        raise unusable(point, f"{type(error).__name__}: {error}") from error
    return command


def make_parser(found: dict[str, Command]) -> Parser:
    """The parser of `nsgalpha` with the commands `found`."""
    title = "Nonsmooth dynamics of rigid bodies with friction and impacts."
    parser, raw = Parser(prog="nsgalpha", description=title), {"add_help": False, "prefix_chars": "\0"}
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and what factorises")
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, command in found.items():
        anything: dict[str, Any] = raw if isinstance(command, UnusableCommand) else {}
        own = parsers.add_parser(name, help=command.help, description=command.help, **anything)
        command.add_arguments(own)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: that of the process) and return the exit code."""

    def run() -> int:
        found = commands()
        arguments = make_parser(found).parse_args(argv)
        command = found[arguments.command]
        return run_reporting(f"nsgalpha {arguments.command}", lambda: command.run(arguments))

    ended: SystemExit | None = None
    try:
        code = run_reporting("nsgalpha", run)
    except SystemExit as end:  # of --help and wrong arguments
        code, ended = end.code if isinstance(end.code, int) else 0, end
    if not _still_read() and code == 0:
        return NO_READER
    if ended is not None:
        raise ended
    return code


if __name__ == "__main__":
    sys.exit(main())
