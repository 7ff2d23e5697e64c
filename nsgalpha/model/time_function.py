"""Time functions: a number, a table, or a function of the user.

    0.5                                    constant
    [[0, 0], [1, 2], [3, 0.5]]             times [s] and values: a cubic spline through them
    [[0, 0, 0], [1, 2, 1]]                 times, values and rates: cubic Hermite polynomials
    f(t) -> value, or (value, rate)        a rate that is not given is found by differences

A spline (not-a-knot) has continuous accelerations, so that the force that follows it is continuous. Rates of
polynomials are exact; those by differences are of sixth order with steps of 1e-4 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, floats_or_none, function, number, refuse, shown
from nsgalpha.model.constructor_record import Missing

STEP = 1e-4  # of differences [s]
STENCIL = ((1, 45.0), (2, -9.0), (3, 1.0))  # of sixth order, over 60 steps, odd
ROUNDING = 1e-9  # of the length of a table, by which a time may lie outside
TABLE = "a number, a table of rows (time, value) or (time, value, rate), or a function f(t)"

Given = float | ArrayLike | Callable[[float], Any]


class TimeFunction(Protocol):
    """A value and its rate as functions of time."""

    def at(self, t: float) -> tuple[float, float]:
        """Value and rate at the time `t` [s]; ValueError if there is none."""

    def through(self, t: Floats) -> tuple[Floats, str]:
        """Values and rates (n, 2) at `t` (n,) up to the first invalid one; a text says why."""


class Linear:
    """A constant, or a value of constant rate from the time `t0` [s] on."""

    def __init__(self, value: float, rate: float = 0.0, t0: float = 0.0) -> None:
        self.value, self.rate, self.t0 = value, rate, t0

    def at(self, t: float) -> tuple[float, float]:
        """See TimeFunction."""
        return self.value + self.rate * (t - self.t0), self.rate

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See TimeFunction."""
        return np.column_stack([self.value + self.rate * (t - self.t0), np.full(len(t), self.rate)]), ""


class Table:
    """Values at given times; between them polynomials."""

    def __init__(self, name: str, rows: Floats, *, straight: bool = False) -> None:
        from scipy.interpolate import CubicHermiteSpline, CubicSpline, PPoly

        self.name, self.rows = name, rows
        t, value = rows[:, 0], rows[:, 1]
        self.corners = t if straight and rows.shape[1] == 2 else t[:0]  # times [s]
        if rows.shape[1] == 3:
            self._spline: Any = CubicHermiteSpline(t, value, rows[:, 2])
        elif straight:
            self._spline = PPoly(np.array([np.diff(value) / np.diff(t), value[:-1]]), t)
        else:
            self._spline = CubicSpline(t, value)
        self._rate = self._spline.derivative()

    def at(self, t: float) -> tuple[float, float]:
        """See TimeFunction; outside, the first and the last polynomial continue."""
        return float(self._spline(t)), float(self._rate(t))

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See TimeFunction; there is no value outside of the table."""
        first, last = float(self.rows[0, 0]), float(self.rows[-1, 0])
        slack = ROUNDING * (last - first)
        outside = np.flatnonzero(~((t >= first - slack) & (t <= last + slack)))
        text, count = "", len(t)
        if len(outside):
            count = int(outside[0])
            span = f"is from {first:g} s to {last:g} s"
            text = f"{self.name}: its table {span}, and has no value at t = {t[count]:g} s; make it longer"
        return np.column_stack([self._spline(t[:count]), self._rate(t[:count])]), text


class Function:
    """A function of the user."""

    def __init__(self, name: str, function: Callable[[float], Any]) -> None:
        self.name, self.function = name, function

    def at(self, t: float) -> tuple[float, float]:
        """See TimeFunction."""
        given = self._called(t)
        if len(given) == 2:
            return given[0], given[1]
        rate = sum(w * (self._called(t + k * STEP)[0] - self._called(t - k * STEP)[0]) for k, w in STENCIL)
        return given[0], rate / (60.0 * STEP)

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See TimeFunction."""
        found = np.empty((len(t), 2))
        for k, each in enumerate(t.tolist()):
            try:
                found[k] = self.at(each)
            except ValueError as error:
                return found[:k], str(error)
        return found, ""

    def _called(self, t: float) -> tuple[float, ...]:
        given = self.function(t)
        parts = given if isinstance(given, tuple | list) else (given,)
        try:
            arrays = [floats_or_none(part) for part in parts]
        except (TypeError, ValueError):
            arrays = []
        found = tuple(each.item() for each in arrays if each is not None and each.ndim == 0)
        if len(found) != len(parts) or len(found) not in (1, 2) or not np.isfinite(found).all():
            raise ValueError(
                f"{self.name} returned {shown(given)} at t = {t:g}: must be a finite value, or (value, rate)"
            )
        return found


def time_function(name: str, given: Any, *, straight: bool = False) -> TimeFunction:
    """Time function of the argument `name`, a number, table or function. `straight`: linear interpolation.

    Raises ValueError if a table is not finite, does not increase in time or has other rows.
    """
    if isinstance(given, Missing):
        return Function(name, given)
    if callable(given):
        return Function(name, function(name, given, "a function f(t)"))
    if isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim > 0):
        rows = finite(name, given, TABLE)
        if rows.ndim != 2 or len(rows) < 2 or rows.shape[1] not in (2, 3):
            raise refuse(name, f"array {rows.shape}", TABLE, "a table has two rows at least")
        wrong = np.flatnonzero(~(np.diff(rows[:, 0]) > 0.0))
        if len(wrong):
            k = int(wrong[0])
            raise ValueError(
                f"{name}: the time {rows[k + 1, 0]:g} s of row {k + 1} follows {rows[k, 0]:g} s: times of a "
                "table must increase; sort the rows, and leave out those given twice"
            )
        return Table(name, rows, straight=straight)
    value = number(name, given)
    if not np.isfinite(value):
        raise refuse(name, given, "finite")
    return Linear(value)
