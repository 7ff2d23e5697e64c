"""The commands `nsgalpha run`, `nsgalpha new` and `nsgalpha schema` (entry points of `nsgalpha.commands`).

Parsing needs little: names of `nsgalpha` and `nsgalpha.case` are imported when they are first used. Exit
codes are those of command_line.py.
"""

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nsgalpha as ns
from nsgalpha import case as cases
from nsgalpha.case.name_suggestions import unknown_name
from nsgalpha.commands.command_line import Reporting, as_json, file, positive, print_error, say
from nsgalpha.commands.plugin_entries import Unusable, folder, offered
from nsgalpha.shown_text import meant, shortened
from nsgalpha.user_files import replacing, write_text

THREADS = "that share the work of compiled steps, by default 1; the result is the same for any number"
CASES = "nsgalpha.cases"  # entry points "package:folder" of case files


def picture(text: str) -> Path:
    """An argparse type: an image file to write."""
    path = file(text)
    if path.suffix.lower() not in (".png", ".svg", ".pdf", ".jpg", ".jpeg"):
        raise argparse.ArgumentTypeError(f"{text!r}: must end with .png, .svg, .pdf or .jpg")
    return path


def limit(text: str) -> tuple[str, int]:
    """An argparse type: `bodies=1000000`, a limit of case files."""
    name, _, number = text.partition("=")
    try:
        cases.Limits(**{name: int(number)})
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r}: must be NAME=NUMBER, as bodies=1000000; {error}"
        ) from None
    return name, int(number)


class Run(Reporting):
    """Run a case file."""

    name = "run"
    help = "run a case file (TOML), in memory or into a result file"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The case, the place of the result, and changes of the case."""
        parser.add_argument("case", metavar="CASE.toml", help="a file, or the name of a shipped case")
        parser.add_argument(
            "-o", "--output", metavar="FILE.h5", type=file, help="result file; else in memory"
        )
        parser.add_argument("--overwrite", action="store_true", help="replace the result file if it exists")
        parser.add_argument("--t-end", metavar="T", type=positive, help="end [s], instead of the case's")
        parser.add_argument("--h", metavar="H", type=positive, help="step [s], instead of the case's")
        about = "relative error at the end, from which steps are found"
        parser.add_argument("--accuracy", metavar="A", type=positive, help=about)
        parser.add_argument(
            "--picture",
            metavar="FILE.png",
            type=picture,
            help="draw the paths of balls, start and end of other shapes, as .png, .svg, .pdf or .jpg",
        )
        asked: dict[str, Any] = {"type": limit, "action": "append", "default": []}
        about = "how much the case may ask for: bodies=1000000"
        parser.add_argument("--limit", metavar="NAME=N", **asked, help=about)
        parser.add_argument("--threads", metavar="N", type=int, default=1, help=THREADS)
        parser.add_argument("--quiet", action="store_true", help="no progress bar")
        watched = "a page in the browser that follows the run and can hold and stop it"
        parser.add_argument("--view", action="store_true", help=watched)

    def _run(self, arguments: argparse.Namespace) -> int:
        """Exit code: 0 at the end, 1 for a failing status, 2 for bad input."""
        path, output = found_case(arguments.case), arguments.output
        if output is not None and output.exists() and not arguments.overwrite:
            raise FileExistsError(f"{output} exists; --overwrite replaces it")
        case = cases.load_case(path, limits=cases.Limits(**dict(arguments.limit)))
        say(cases.run_summary.stated(case))
        end = arguments.t_end or case.settings["t_end"]
        with going_on(output, end):
            result = case.run(
                output,
                t_end=arguments.t_end,
                h=arguments.h,
                accuracy=arguments.accuracy,
                progress=not arguments.quiet,
                overwrite=arguments.overwrite,
                view=live if arguments.view else False,
                threads=arguments.threads,
            )
        say(*cases.run_summary.ended(result))
        if output is not None:
            say(f"result: {output}")
        if arguments.picture:
            with replacing(arguments.picture) as draft:
                ns.show.overview(result).savefig(draft, dpi=150)
            say(f"picture: {arguments.picture}")
        return 0 if result.status.ok else 1


def live(address: str) -> None:
    """Open the page of a live view, and say where it is."""
    say(f"live view: {address}")
    ns.show.live_view.opened(address)


def found_case(name: str) -> Path:
    """The file of that name, or the shipped case: no ending and no folders.

    Raises FileNotFoundError if there is neither, with the shipped case that may be meant.
    """
    path = Path(name)
    with suppress(OSError, ValueError):  # which `load_case` tells
        if path.exists():
            return path
    missing = f"{path}: there is no such file"
    if path.name != name:
        raise FileNotFoundError(missing)
    known = shipped()
    if not path.suffix and name in known:
        return known[name]
    near = (
        f"did you mean the shipped case {path.stem!r}? " if path.stem in known else meant(path.stem, [*known])
    )
    listed = "`nsgalpha cases` lists what is shipped"
    if path.suffix and not near:
        raise FileNotFoundError(missing)
    raise FileNotFoundError(f"{missing}, and no shipped case; {near}{listed}")


@contextmanager
def going_on(file: Path | None, end: float) -> Iterator[None]:
    """Context in which Ctrl-C reports the `file` of the run, and its continuation to `end` [s]."""
    try:
        yield
    except KeyboardInterrupt as stop:
        result = getattr(stop, "result", None)
        if file is None:
            words = "nothing is kept of it; with -o FILE.h5 a run can go on"
        elif result is None or not file.exists():
            words = f"{file} was not written"
        else:
            holds = f"{len(result.t)} states up to t = {float(result.t[-1]):g} s"
            again = f"nsgalpha resume {shlex.quote(str(file))} --t-end {end:g}"
            words = f"{file} holds {holds}, and goes on by: {again}"
        stop.remarks = (words,)  # type: ignore[attr-defined]
        raise


def shipped() -> dict[str, Path]:
    """The case files that installed packages bring, by name; of two of one name ours."""
    found: dict[str, Path] = {}
    for point in offered(CASES):
        try:
            cases = folder(point)
        except Unusable as trouble:
            print_error("nsgalpha", trouble)
            continue
        found = {path.stem: path for path in sorted(cases.glob("*.toml"))} | found
    return found


class New(Reporting):
    """Write a case file to begin with."""

    name = "new"
    help = "write a case file to begin with, a copy of one that is shipped"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The file, and the case to copy."""
        parser.add_argument("file", metavar="FILE.toml", type=file, nargs="?", help="the file to write")
        parser.add_argument("--like", metavar="NAME", help="which one; by default that of the file's name")
        parser.add_argument("--overwrite", action="store_true", help="replace the file if it exists")

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 if it is written or listed; 2 for bad input."""
        known = shipped()
        if arguments.file is None:
            say(*listing(known))
            return 0
        name = arguments.like or (arguments.file.stem if arguments.file.stem in known else "break")
        if name not in known:
            raise ValueError(unknown_name(name, list(known)))
        if arguments.file.exists() and not arguments.overwrite:
            raise FileExistsError(f"{arguments.file} exists; --overwrite replaces it")
        write_text(arguments.file, known[name].read_text(encoding="utf-8"))
        say(f"{arguments.file}: {title_of(known[name])}; next: nsgalpha run {arguments.file}")
        return 0


def listing(cases: dict[str, Path]) -> list[str]:
    """A line for each case: its name and its title."""
    return [f"{name:28s} {title_of(path)}" for name, path in sorted(cases.items())]


def title_of(path: Path) -> str:
    """The title of a case file."""
    import tomllib

    return shortened(str(tomllib.loads(path.read_text(encoding="utf-8")).get("title", "")), 200)


class WriteSchema(Reporting):
    """Write the JSON schema of case files."""

    name = "schema"
    help = "write the JSON schema of case files, for editors"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Where to."""
        parser.add_argument(
            "-o", "--output", metavar="FILE", type=file, help="a file instead of the terminal"
        )

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 if it is written."""
        text = as_json(cases.json_schema(), indent=1)
        if arguments.output is None:
            sys.stdout.write(text)
            return 0
        write_text(arguments.output, text)
        say(f"{arguments.output}: say '#:schema {arguments.output}' on the first line of a case file")
        return 0
