"""Safe text: control characters of names, titles and statuses from files are made visible."""

from __future__ import annotations

import unicodedata

CONTROL = ("Cc", "Cs", "Zl", "Zp")  # controls, halves of surrogate pairs, ends of lines and paragraphs


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
