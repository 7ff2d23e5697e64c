"""What is wrong with a case file: all of it at once, each with file, line and key path."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nsgalpha.case.lines import Path


class Problem(NamedTuple):
    """A sentence about the key at `path`."""

    path: Path
    message: str


class CaseError(ValueError):
    """A case cannot be used; the message has one line for each problem."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a case comes from: the name of a file, and the lines of its keys."""

    name: str
    lines: Mapping[Path, int]

    def place(self, path: Path) -> str:
        """`break.toml, line 7, elements[0].mu`; the line is that of the innermost table that has one."""
        inner = (path[:size] for size in range(len(path), 0, -1))
        line = next((self.lines[part] for part in inner if part in self.lines), None)
        parts = [self.name, *([] if line is None else [f"line {line}"]), *([key_path(path)] if path else [])]
        return ", ".join(parts)

    def error(self, problems: Sequence[Problem]) -> CaseError:
        """The error to raise, in the order of the file."""
        last = max(self.lines.values(), default=0) + 1

        def line(problem: Problem) -> int:
            inner = (problem.path[:size] for size in range(len(problem.path), 0, -1))
            return next((self.lines[part] for part in inner if part in self.lines), last)

        listed = dict.fromkeys(sorted(problems, key=line))
        return CaseError([f"{self.place(each.path)}: {_short(each)}" for each in listed])


def _short(problem: Problem) -> str:
    """The message without the key that it begins with, where the path ends with that."""
    key = str(problem.path[-1]) if problem.path else ""
    return re.sub(rf"^{re.escape(key)}(: | = (?=.*: must))", "", problem.message) if key else problem.message


def key_path(path: Path) -> str:
    """`elements[0].normal.modulus`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")
