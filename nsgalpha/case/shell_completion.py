"""The command `nsgalpha completion`: shell completion of commands, options, files and cases.

The script is written once and read by the shell: nothing of Python runs when the tab key is pressed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from nsgalpha.case.case_commands import shipped
from nsgalpha.case.fish_completion import fish_script
from nsgalpha.commands.command_line import Reporting, commands, file, folder, make_parser

SHELLS = ("bash", "zsh", "tcsh", "fish")
WHERE = "bash: nsgalpha completion bash > ~/.local/share/bash-completion/completions/nsgalpha"
FILES = ("FILE", "CASE.toml")  # how the names of arguments begin that are files to read
BASH = """_nsgalpha_case() {{
  compgen -f -X '!*.toml' -- "$1"
  compgen -d -S / -- "$1"
  compgen -W "{names}" -- "$1"
}}
"""


class Completion(Reporting):
    """Write the completion of a shell."""

    name, bad = "completion", ImportError
    help = "write what a shell needs to complete commands, options, files and cases"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The shell."""
        parser.add_argument("shell", choices=SHELLS, help=WHERE)

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 if it is written, 2 without the package shtab."""
        sys.stdout.write(script(arguments.shell))
        return 0


def script(shell: str) -> str:
    """The script for `shell`; ImportError without shtab."""
    import shtab

    parser = make_parser(commands())
    names, files = " ".join(sorted(shipped())), set()
    for action in _actions(parser):
        name = action.metavar if isinstance(action.metavar, str) else ""
        if name == "CASE.toml":
            words = names.replace(" ", "\\n")
            action.complete = {  # type: ignore[attr-defined]
                "bash": "_nsgalpha_case",
                "zsh": f"{{_alternative 'cases:case:({names})' 'files:file:_files -g \"*.toml\"'}}",
                "tcsh": f"`printf '{words}'`",
            }
        elif action.type is folder:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            files.add(id(action))
        elif action.type is file or name.startswith(FILES) or name.startswith("NEW."):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
            files.add(id(action))
        elif known := getattr(action.type, "known", None) or (sorted(shipped()) if name == "NAME" else ()):
            action.choices = list(known)
    if shell == "fish":
        (found,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
        return fish_script(found.choices, names, frozenset(files))
    preamble: Any = {"bash": BASH.format(names=names)}
    return str(shtab.complete(parser, shell=shell, preamble=preamble))


def _actions(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    """The arguments of a parser and of those of its commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in action.choices.values():
                yield from _actions(own)
        else:
            yield action
