"""Switched elements: forces that act at some times only.

    spring.active = False                      from now on, between steps or between runs
    spring.active = lambda t: t < 0.5          at the times t [s] for which it returns True

An inactive element has no force and no energy, and loses its history, as open contacts do. A function is
asked for the time at which forces are evaluated, the end of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nsgalpha.checks import refuse

When = bool | Callable[[float], bool]
ALLOWED = "True, False, or a function of time that returns one of them"


class Switched:
    """An element that acts while it is `active`."""

    _active: When = True

    @property
    def active(self) -> When:
        """True or False, or a function of the time [s] that says so."""
        return self._active

    @active.setter
    def active(self, value: When) -> None:
        if not isinstance(value, bool) and (isinstance(value, type) or not callable(value)):
            raise refuse("active", value, ALLOWED)
        self._active = value

    @property
    def timed(self) -> bool:
        """True if a function says when it acts."""
        return not isinstance(self._active, bool)

    def acts(self, t: float) -> bool:
        """True if it acts at the time `t` [s]; ValueError if its function returns another thing."""
        if isinstance(self._active, bool):
            return self._active
        found: Any = self._active(t)
        if found is not True and found is not False:
            raise refuse(f"active({t:g})", found, "True or False")
        return bool(found)


def acts_at(element: Any, t: float) -> bool:
    """True if an element, of any kind, acts at the time `t` [s]."""
    return element.acts(t) if isinstance(element, Switched) else True


def timed(element: Any) -> bool:
    """True if a function says when an element of any kind acts."""
    return isinstance(element, Switched) and element.timed
