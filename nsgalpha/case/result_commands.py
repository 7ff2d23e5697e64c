"""The commands `nsgalpha info`, `nsgalpha resume` and `nsgalpha report` for result files.

Exit codes are those of command_line.py.
"""

import argparse
import sys
from pathlib import Path

import nsgalpha as ns
from nsgalpha import case as cases
from nsgalpha.case.case_commands import THREADS, going_on
from nsgalpha.commands.command_line import Reporting, as_json, folder, positive, say


class Info(Reporting):
    """Report the content of a result file."""

    name = "info"
    help = "say what is in a result file: model, scheme, versions, times, contacts, status"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The file and the form."""
        parser.add_argument("result", metavar="FILE.h5")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument(
            "--repair",
            metavar="NEW.h5",
            help="write the whole parts before the first damaged one to a new file, to resume from",
        )

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 for a sound file, 1 for damage or a failed run, 2 for bad input.

        The run may be unfinished.
        """
        if arguments.repair is not None:
            states = cases.file_summary.repair(arguments.result, arguments.repair)
            say(f"{arguments.repair}: {states} states, whole")
            return 0
        found = cases.file_summary.file_summary(arguments.result)
        if arguments.json:
            sys.stdout.write(as_json(found))
        else:
            say(*(f"{key:12s} {value}" for key, value in cases.file_summary.in_words(found)))
        status = found["status"]
        return 0 if (status["ok"] or status["unfinished"]) and not found["file"]["damage"] else 1


class Resume(Reporting):
    """Continue a run."""

    name = "resume"
    help = "continue the run in a result file, finished or killed"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The file and the new end."""
        parser.add_argument("result", metavar="FILE.h5")
        parser.add_argument("--t-end", metavar="T", type=positive, required=True, help="new end [s]")
        parser.add_argument("--threads", metavar="N", type=int, default=1, help=THREADS)
        parser.add_argument("--quiet", action="store_true", help="no progress bar")

    def _run(self, arguments: argparse.Namespace) -> int:
        """Exit code: 0 at the end, 1 for a failing status, 2 for bad input."""
        with going_on(Path(arguments.result), arguments.t_end):
            result = ns.resume(
                arguments.result,
                t_end=arguments.t_end,
                progress=not arguments.quiet,
                threads=arguments.threads,
            )
        say(*cases.run_summary.ended(result))
        return 0 if result.status.ok else 1


class Report(Reporting):
    """Write a report."""

    name = "report"
    help = "write a page on a result file: status, tables, figures, viewer"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The file and the folder."""
        parser.add_argument("result", metavar="FILE.h5")
        parser.add_argument(
            "-o", "--output", metavar="DIR", type=folder, required=True, help="made if it does not exist"
        )

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 if it is written, 2 for bad input."""
        say(f"report: {cases.html_report.write_report(arguments.result, arguments.output)}")
        return 0
