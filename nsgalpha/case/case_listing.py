"""The command `nsgalpha cases`: a list of shipped case files, or a page with pictures."""

from __future__ import annotations

import argparse
import sys

from nsgalpha import case as cases
from nsgalpha.case.case_commands import listing, shipped, title_of
from nsgalpha.case.name_suggestions import unknown_name
from nsgalpha.commands.command_line import Reporting, as_json, folder, say


class Cases(Reporting):
    """List the shipped cases."""

    name = "cases"
    help = "list the shipped cases, or write a page with a picture of each"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Choice of cases, and place of the page."""
        parser.add_argument("names", metavar="NAME", nargs="*", help="all by default")
        parser.add_argument(
            "-o", "--output", metavar="DIR", type=folder, help="write DIR/index.html with pictures of them"
        )
        parser.add_argument("--json", action="store_true", help="names, titles and files as JSON")

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 if they are listed, 2 for a name that is unknown."""
        known = shipped()
        for name in arguments.names:
            if name not in known:
                raise ValueError(unknown_name(name, sorted(known)))
        chosen = {name: known[name] for name in arguments.names or sorted(known)}
        if arguments.json:
            rows = [
                {"name": name, "title": title_of(path), "file": str(path)} for name, path in chosen.items()
            ]
            sys.stdout.write(as_json(rows))
        elif arguments.output is None:
            say(*listing(chosen))
        if arguments.output is not None:
            page = cases.case_page.write_page(chosen, arguments.output)
            if not arguments.json:
                say(f"cases: {page}")
        return 0
