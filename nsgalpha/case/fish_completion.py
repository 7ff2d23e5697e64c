"""The completion of the shell fish, which the package shtab does not write.

complete -c nsgalpha -n '__fish_seen_subcommand_from run' -l output -s o -r -F -d 'result file'
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

SEEN = "__fish_seen_subcommand_from"


def fish_script(parsers: Mapping[str, argparse.ArgumentParser], cases: str, files: frozenset[int]) -> str:
    """The script for commands with these parsers.

    cases: the names of shipped cases, with blanks between. files: `id`s of the arguments that are files.
    """
    lines = [
        "# nsgalpha completion fish > ~/.config/fish/completions/nsgalpha.fish",
        "complete -c nsgalpha -f",
    ]
    for name, parser in parsers.items():
        about = _quoted(parser.description or "")
        lines.append(f"complete -c nsgalpha -n __fish_use_subcommand -a {name} -d {about}")
        for action in parser._actions:
            condition = f"complete -c nsgalpha -n {_quoted(f'{SEEN} {name}')}"
            lines.extend(f"{condition} {each}" for each in _arguments(action, cases, files))
    return "\n".join([*lines, ""])


def _arguments(action: argparse.Action, cases: str, files: frozenset[int]) -> Iterator[str]:
    """The options of `complete` for one argument, or none."""
    known = " ".join(map(str, action.choices or ()))
    takes = "" if action.nargs == 0 else " -r"
    if action.metavar == "CASE.toml":
        yield f"-a {_quoted(f'{cases} (__fish_complete_suffix .toml)')} -d case"
        return
    values = f" -a {_quoted(known)}" if known else " -F" if id(action) in files else ""
    if not action.option_strings:
        if values:
            yield values.strip()
        return
    names = "".join(
        f" -l {each[2:]}" if each[:2] == "--" else f" -s {each[1:]}" for each in action.option_strings
    )
    about = "" if action.help in (None, argparse.SUPPRESS) else f" -d {_quoted(_expanded(action))}"
    yield f"{names.strip()}{takes}{values}{about}"


def _expanded(action: argparse.Action) -> str:
    """The help of an argument, `%%` as one sign, in one line."""
    text: Any = action.help
    return " ".join(str(text).replace("%%", "%").split())


def _quoted(text: str) -> str:
    r"""A text in single quotes, in which fish knows only `\\` and `\'`."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
