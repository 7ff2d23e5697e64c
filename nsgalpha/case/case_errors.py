"""Errors of a case file, all at once, with file, line and key path."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nsgalpha.case.toml_lines import Path, line_numbers
from nsgalpha.shown_text import printable, shortened

MOST_TOLD = 50  # problems of a case
BARE = re.compile(r"[\w-]+")


class Problem(NamedTuple):
    """A sentence about the key at `path`."""

    path: Path
    message: str


class CaseError(ValueError):
    """A case cannot be used; the message has a line for each problem, up to 50."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))


@dataclass(frozen=True)
class Source:
    """Source of a case: the name of a file, and its text, "" for data."""

    name: str
    text: str = ""

    @cached_property
    def lines(self) -> Mapping[Path, int]:
        """The lines of its keys."""
        return line_numbers(self.text)

    def line(self, path: Path) -> int | None:
        """The line of the innermost table around `path` that has one."""
        inner = (path[:size] for size in range(len(path), 0, -1))
        return next((self.lines[part] for part in inner if part in self.lines), None)

    def order(self, path: Path) -> int:
        """Key for sorting by line; problems without a line come last."""
        return self.line(path) or len(self.text) + 1

    def place(self, path: Path) -> str:
        """`break.toml, line 7, elements[0].mu`; the line is that of the innermost table that has one."""
        line = self.line(path)
        parts = [self.name, *([] if line is None else [f"line {line}"]), *([key_path(path)] if path else [])]
        return ", ".join(parts)

    def error(self, problems: Sequence[Problem], more: int = 0) -> CaseError:
        """The error to raise, in the file's order; `more` counts the further problems."""
        listed = list(dict.fromkeys(sorted(problems, key=lambda each: self.order(each.path))))
        more += len(listed[MOST_TOLD:])
        lines = [f"{self.place(each.path)}: {_short(each)}" for each in listed[:MOST_TOLD]]
        return CaseError([*lines, *([f"{self.name}: and {more} more problems"] if more else [])])


def _short(problem: Problem) -> str:
    """The message without the key that it begins with, where the path ends with that."""
    message = problem.message
    key = str(problem.path[-1]) if problem.path else ""
    if key and message.startswith(f"{key}: "):
        return message.removeprefix(f"{key}: ")
    return message.removeprefix(f"{key} = ") if key and ": must" in message else message


def key_path(path: Path) -> str:
    """`elements[0].normal.modulus`; keys with other characters are in quotes."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{_key(part)}" for part in path)
    return text.removeprefix(".")


def _key(key: str) -> str:
    """A key as it may stand in a TOML file, in one line."""
    key = shortened(key)
    return key if BARE.fullmatch(key) else printable(json.dumps(key, ensure_ascii=False))
