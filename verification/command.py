"""The commands `nsgalpha verify` and `nsgalpha bench` (entry points of the group `nsgalpha.commands`).

Only imports for parsing are at the top: the solver is loaded when a case runs.
"""

import argparse
import importlib
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nsgalpha.commands.command_line import file, folder, write_json
from nsgalpha.shown_text import meant
from verification import case_names, phased_names
from verification.benchmarks import LONGEST, MODULES

if TYPE_CHECKING:
    from verification.run import Verdict


def add_names(
    parser: argparse.ArgumentParser,
    into: str,
    what: str,
    names: Collection[str],
    metavar: str = "",
    usual: str = "all",
) -> None:
    """The argument `into`: some of `names`, each of which is a `what`; others are refused with a list."""
    among = ", ".join(names)

    def check(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(
                f"unknown {what} {text!r}; {meant(text, [*names])}choose from {among}"
            )
        return text

    check.known = tuple(names)  # type: ignore[attr-defined]  # for the completion of shells
    some = f"{usual} by default; one or several of {among}"
    parser.add_argument(into, nargs="*", metavar=metavar or what.upper(), type=check, help=some)


@contextmanager
def interrupted_at(name: str, done: int, of: int, what: str) -> Iterator[None]:
    """Context in which Ctrl-C names the present case or benchmark; finished ones are printed."""
    try:
        yield
    except KeyboardInterrupt as stop:
        remarks = f"in {name!r}, after {done} of {of} {what}", *getattr(stop, "remarks", ())
        stop.remarks = remarks  # type: ignore[attr-defined]
        raise


PHASES = 8


def count(text: str) -> int:
    """An argparse type: a whole number from 1."""
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number, at least 1")
    return int(text)


class Verify:
    """Run published cases and compare them with their references."""

    name = "verify"
    help = "run published cases and compare with their references"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Cases, report folder, JSON file."""
        add_names(parser, "cases", "case", case_names())
        parser.add_argument("--report", metavar="DIR", type=folder, help="write DIR/index.html with figures")
        parser.add_argument("--json", metavar="FILE", type=file, help="write all rows to FILE")
        what = f"errors and their order over N ({PHASES}) arrivals within the step; nothing is judged"
        parser.add_argument("--phases", metavar="N", type=count, nargs="?", const=PHASES, help=what)

    def run(self, arguments: argparse.Namespace) -> int:
        """0 if every row of every case passed, 1 otherwise; with `--phases` 0."""
        return self.judge(arguments) if arguments.phases is None else self.show_phases(arguments)

    def show_phases(self, arguments: argparse.Namespace) -> int:
        """Mean and largest errors over the arrivals, and the order that they fit."""
        from verification.phases import phase_table, studies_of, study_record

        fit = phased_names()
        without = sorted(set(arguments.cases) - set(fit))
        if without or arguments.report:
            what = f"no phases of {', '.join(without)}" if without else "--report shows no phases"
            print(
                f"nsgalpha verify: {what}; --phases [N] [--json FILE] takes {', '.join(fit)}", file=sys.stderr
            )
            return 2
        studies: dict[str, Any] = {}
        for name in dict.fromkeys(arguments.cases or fit):
            with interrupted_at(name, len(studies), len(arguments.cases or fit), "cases"):
                studies[name] = studies_of(name, arguments.phases)
            print(f"\n{name}\n{phase_table(studies[name])}", flush=True)
        if arguments.json:
            write_json(
                arguments.json, {name: list(map(study_record, each)) for name, each in studies.items()}
            )
        return 0

    def judge(self, arguments: argparse.Namespace) -> int:
        """0 if every row of every case passed, 1 otherwise."""
        from nsgalpha.linalg import factorisation
        from verification.run import run_case
        from verification.table import case_table, summary, verdict_record

        verdicts: list[Verdict] = []
        names = list(dict.fromkeys(arguments.cases or case_names()))
        for name in names:
            with interrupted_at(name, len(verdicts), len(names), "cases"):
                verdicts.append(run_case(name))
            print(case_table(verdicts[-1]), flush=True)
        print(f"{factorisation()[0].upper()}{factorisation()[1:]}.")
        print(summary(verdicts))
        passed = all(verdict.passed for verdict in verdicts)
        if arguments.json:
            write_json(arguments.json, {"passed": passed, "cases": list(map(verdict_record, verdicts))})
        if arguments.report:
            from verification.report import write_report

            print(f"report: {write_report(arguments.report, verdicts)}")
        return 0 if passed else 1


class Bench:
    """Measure times; nothing is judged."""

    name = "bench"
    help = "measure times and show them beside published ones"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Benchmarks and JSON file."""
        add_names(parser, "names", "benchmark", MODULES, "NAME", f"all but {', '.join(sorted(LONGEST))}")
        parser.add_argument("--json", metavar="FILE", type=file, help="write all numbers to FILE")

    def run(self, arguments: argparse.Namespace) -> int:
        """Always 0: times are printed, not judged."""
        from nsgalpha.linalg import factorisation
        from nsgalpha.linalg.single_thread import one_thread
        from verification.benchmarks.line import as_text

        print(f"{factorisation()[0].upper()}{factorisation()[1:]}.")
        measured: dict[str, Any] = {}
        names = list(dict.fromkeys(arguments.names or [name for name in MODULES if name not in LONGEST]))
        for name in names:
            with interrupted_at(name, len(measured), len(names), "benchmarks"):
                module = importlib.import_module(f"verification.benchmarks.{MODULES[name]}")
                bench = getattr(module, f"bench_{name}")
                with one_thread():  # as in a run: some take the steps by themselves
                    measured[name] = bench()
            print(as_text(f"{name}: {bench.__doc__.rstrip('.')}", measured[name]), flush=True)
        if arguments.json:
            write_json(arguments.json, measured)
        return 0
