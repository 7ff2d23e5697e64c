"""Suggestions for unknown names: similar names, available names. Nothing else is imported for them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from nsgalpha.shown_text import printable, shortened

LISTED = 40  # names of a message
COMPARED = 1000  # names among which the one that was meant is looked for


def unknown_name(name: str, known: Sequence[str]) -> str:
    """`'SphereSpere' is unknown; did you mean 'SphereSphere'? ...`."""
    listed = known if len(known) <= LISTED else [*known[:LISTED], "..."]
    return f"{shown(name)} is unknown; {meant(name, known)}it can be {printable(', '.join(listed))}"


def meant(name: str, known: Sequence[str]) -> str:
    """`did you mean 'mu'? `, or nothing if no name is near."""
    lower = {each.lower(): each for each in reversed(known[:COMPARED])}
    near = get_close_matches(shortened(name).lower(), lower, n=1)
    return f"did you mean {lower[near[0]]!r}? " if near else ""


def shown(value: Any) -> str:
    """A value in a message, not too long."""
    try:
        return shortened(repr(value))
    except ValueError:  # of integers with thousands of digits Python shows none
        return "an integer of too many digits"
