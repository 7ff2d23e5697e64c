"""Messages about unknown names: similar names, available names. Nothing else is imported for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nsgalpha.shown_text import meant, printable, shortened

LISTED = 40  # names of a message


def unknown_name(name: str, known: Sequence[str]) -> str:
    """`'SphereSpere' is unknown; did you mean 'SphereSphere'? ...`."""
    listed = known if len(known) <= LISTED else [*known[:LISTED], "..."]
    return f"{shown(name)} is unknown; {meant(name, known)}it can be {printable(', '.join(listed))}"


def shown(value: Any) -> str:
    """A value in a message, not too long."""
    try:
        return shortened(repr(value))
    except ValueError:  # of integers with thousands of digits Python shows none
        return "an integer of too many digits"
