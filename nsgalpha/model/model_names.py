"""The names of the parts of a model: each is used once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Protocol, TypeVar

from nsgalpha.checks import refuse, text
from nsgalpha.shown_text import meant

LONGEST = 200  # characters of a name


class Named(Protocol):
    """A handle."""

    @property
    def name(self) -> str:
        """Used once in a model."""


_Named = TypeVar("_Named", bound=Named)


def find_named(kind: str, name: str, things: Sequence[_Named], argument: str = "name") -> _Named:
    """The one of `things` with the `name`; ValueError, with the nearest name, if there is none."""
    for each in things:
        if isinstance(name, str) and each.name == name:
            return each
    known = [each.name for each in things]
    near = meant(name, known).rstrip() if isinstance(name, str) else ""
    remedy = near or f"names are {', '.join(map(repr, known[:12])) or 'none'}"
    raise refuse(argument, name, f"that of a {kind}", remedy)


def checked_name(name: Any) -> str:
    """`name`, if it is allowed. Raises ValueError with the rule."""
    if not 0 < len(text("name", name)) <= LONGEST:
        raise refuse("name", name, f"a text of 1 to {LONGEST} characters", "or leave it out")
    return str(name)


class Names:
    """The names in use."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def free(self, name: str | None, kind: str, number: int) -> str:
        """`name`, or a new one for thing `number` if None. Raises ValueError if in use."""
        if name is None:
            return next(free for k in count(number) if (free := f"{kind} {k}") not in self._used)
        if checked_name(name) in self._used:
            raise refuse("name", name, "used once in a model", "choose another name")
        return name

    def take(self, name: str) -> None:
        """From now on `name` is in use."""
        self._used.add(name)
