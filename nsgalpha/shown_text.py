"""Text for messages and pages: control characters are visible, numbers have four digits, tables are HTML."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice

from nsgalpha.arrays import Floats

CONTROL = ("Cc", "Cs", "Zl", "Zp")  # controls, halves of surrogate pairs, ends of lines and paragraphs
NUMBERS = re.compile(r"[-+.,e\d /]*\d")
OUTCOMES = ("ok", "noted", "FAILED", "shown")
COLOURS = {"ok": "#20713a", "noted": "#8a5a00", "FAILED": "#b00020", "shown": "#777"}
COMPARED = 1000  # names among which the one that was meant is looked for
ROUNDING = 1e-9  # part of the largest of its kind below which a number is taken for zero


def printable(text: str) -> str:
    r"""`text` with all that is not shown, or changes how the rest is, escaped as `repr` does: `\x1b[2J`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def has_controls(text: str) -> bool:
    """True if a control character or the end of a line is in `text`."""
    return not text.isprintable() and any(unicodedata.category(c) in CONTROL for c in text)


def shortened(text: str, most: int = 60) -> str:
    """`text` in at most `most` characters, the last three of them dots where something is left out."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def meant(name: str, known: Collection[str]) -> str:
    """`did you mean 'mu'? `, or nothing if none of the `known` names is near."""
    lower = {each.lower(): each for each in reversed(list(islice(known, COMPARED)))}
    near = get_close_matches(shortened(name).lower(), lower, n=1)
    return f"did you mean {lower[near[0]]!r}? " if near else ""


def as_html(text: str) -> str:
    """`text` as it may stand in an element or an attribute, with control characters made visible."""
    return html.escape(printable(text))


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table; cells that are numbers to the right, those of OUTCOMES in their colour."""

    def cell(text: str) -> str:
        kind = "number" if NUMBERS.fullmatch(text) else text if text in OUTCOMES else ""
        return f"<td{f' class={kind}' if kind else ''}>{as_html(text)}</td>"

    names = "".join(f"<th>{as_html(text)}</th>" for text in headers)
    body = "\n".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def number_in_words(value: float, floor: float = 0.0) -> str:
    """Four digits; 0 for values up to the `floor`."""
    if not math.isfinite(value):
        return str(value)
    return "0" if abs(value) <= floor else f"{value:.4g}"


def triple(values: Iterable[float], floor: float = 0.0) -> str:
    """Three numbers."""
    return ", ".join(number_in_words(float(value), floor) for value in values)


def floor_of(values: Floats) -> float:
    """The size below which `values` without a run are noise beside the largest."""
    return ROUNDING * float(abs(values[abs(values) < math.inf]).max(initial=0.0))


def first_rows(rows: Sequence[tuple[str, ...]], more: str) -> Iterable[tuple[str, ...]]:
    """The `rows`, and a last one that says how many `more` there are, if any."""
    return [*rows, (f"... and {more} more",)] if more else rows
