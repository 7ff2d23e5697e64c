"""The names of what a model holds: each is used once."""

from __future__ import annotations

from itertools import count

from nsgalpha.checks import refuse, text

LONGEST = 200  # characters of a name


class Names:
    """The names in use."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def free(self, name: str | None, kind: str, number: int) -> str:
        """`name`, or a new one for thing `number` of its kind if it is None; ValueError if it is in use."""
        if name is None:
            return next(free for k in count(number) if (free := f"{kind} {k}") not in self._used)
        if not 0 < len(text("name", name)) <= LONGEST:
            raise refuse("name", name, f"a text of 1 to {LONGEST} characters", "or leave it out")
        if name in self._used:
            raise refuse("name", name, "used once in a model", "choose another name")
        return name

    def take(self, name: str) -> None:
        """From now on `name` is in use."""
        self._used.add(name)
