"""Lines of the keys of a TOML text, which `tomllib` does not report.

A scan for strings, comments and brackets is enough where the text has been parsed before, so that it is
valid.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

LONGEST = 20_000  # characters of a string; the scan is right where all are shorter
#: No part backtracks, and strings may lack their end. Time is therefore linear and memory bounded in any
#: text. No such part is within another: Python before 3.11.5 loses the text behind it.
TOKEN = re.compile(
    rf"""(?P<string>\"\"\"(?:\\.|(?!\"\"\")[^\\]){{0,{LONGEST}}}+\"{{0,5}}|'''(?:(?!''').){{0,{LONGEST}}}+'{{0,5}}
                  |"(?:\\.|[^"\\\n]){{0,{LONGEST}}}+"?|'[^'\n]{{0,{LONGEST}}}+'?)
      | (?P<comment>\#[^\n]*+) | (?P<newline>\n\s*+) | (?P<mark>[\[\]{{}},=.])
      | (?P<bare>[^\s\[\]{{}},=.\#"']++)""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
SHORT = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def line_numbers(text: str) -> dict[Path, int]:
    """Line of every key, table and array element of a valid TOML `text`, by path, from 1.

    The path ("elements", 0, "mu") is that of `mu` in the first table [[elements]].
    """
    scan = _Scan(list(tokens(text)))
    while scan.kind() != "end":
        if scan.kind() == "newline":
            scan.at += 1
        elif scan.word() == "[":
            scan.header()
        else:
            scan.statement(scan.table)
    return scan.lines


def tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and line of all tokens but blanks and comments; newlines are joined."""
    line, last = 1, ""
    for found in TOKEN.finditer(text):
        kind = str(found.lastgroup)
        if kind != "comment":
            if not kind == last == "newline":
                yield kind, found[0], line
            last = kind
        line += found[0].count("\n")
    yield "end", "", line


def _key(kind: str, word: str) -> str:
    """A key without its quotes and escapes."""
    if kind != "string":
        return word
    if word[0] == "'":
        return word[1:-1]

    def plain(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else SHORT.get(code, code)

    return ESCAPE.sub(plain, word[1:-1])


@dataclass
class _Scan:
    """A place in the tokens, the open table, and the findings."""

    tokens: list[tuple[str, str, int]]
    at: int = 0
    table: Path = ()
    lines: dict[Path, int] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)  # elements of arrays of tables

    def kind(self) -> str:
        return self.tokens[self.at][0]

    def word(self) -> str:
        kind, word, _ = self.tokens[self.at]
        return word if kind == "mark" else ""

    def line(self) -> int:
        return self.tokens[self.at][2]

    def blanks(self) -> None:
        while self.kind() == "newline":
            self.at += 1

    def dotted(self) -> list[str]:
        """A dotted key, with `.` between its parts."""
        parts = []
        while True:
            kind, word, _ = self.tokens[self.at]
            parts.append(_key(kind, word))
            self.at += 1
            if self.word() != ".":
                return parts
            self.at += 1

    def note(self, path: Path, line: int) -> None:
        """Keep the line of `path`, and of the tables around it that have no header."""
        for size in range(1, len(path) + 1):
            self.lines.setdefault(path[:size], line)

    def header(self) -> None:
        """`[table]` or `[[table]]`: its path, with the number of the last element of arrays in between."""
        line, several = self.line(), self.tokens[self.at + 1][1] == "["
        self.at += 2 if several else 1
        parts = self.dotted()
        self.at += 2 if several else 1
        path: Path = ()
        for part in parts[:-1]:
            path = (*path, part)
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
        path = (*path, parts[-1])
        if several:
            self.counts[path] = number = self.counts.get(path, 0) + 1
            self.note(path, line)
            path = (*path, number - 1)
        self.note(path, line)
        self.table = path

    def statement(self, table: Path) -> None:
        """`key = value` in `table`."""
        line = self.line()
        path = (*table, *self.dotted())
        self.note(path, line)
        self.at += 1  # the sign of equality
        self.value(path)

    def value(self, path: Path) -> None:
        """A value; arrays and inline tables have paths within."""
        if self.word() == "{":
            self.at += 1
            self.blanks()
            while self.word() != "}":
                self.statement(path)
                self.blanks()
                if self.word() == ",":
                    self.at += 1
                self.blanks()
            self.at += 1
        elif self.word() == "[":
            self.array(path)
        else:  # numbers and dates have points and blanks
            while self.kind() not in ("newline", "end") and self.word() not in (",", "]", "}"):
                self.at += 1

    def array(self, path: Path) -> None:
        """The elements of an array, over any number of lines."""
        number = 0
        self.at += 1
        self.blanks()
        while self.word() != "]":
            self.note((*path, number), self.line())
            self.value((*path, number))
            number += 1
            self.blanks()
            if self.word() == ",":
                self.at += 1
            self.blanks()
        self.at += 1
