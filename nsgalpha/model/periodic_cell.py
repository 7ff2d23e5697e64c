"""The periodic cell of a model: its content repeats after every period.

    Model(periodic=(0.2, 0.1, None))        periods of 0.2 m along x and 0.1 m along y; z has none

Bodies meet the nearest image of one another (nsgalpha/geometry/nearest_images.py). That is the only one that
they can touch if a period is at least three times the largest distance of two touching centres. Nor does
another image replace it within a step: a body would have to move further than its radius.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, no_cell, turned
from nsgalpha.checks import listed, positive, refuse

ALONG = 1e-12  # component of a unit normal that is none
ALLOWED = "three periods [m], each positive or None, such as (0.2, 0.1, None)"

Periods = tuple[float | None, float | None, float | None]


def stated_periods(value: Any) -> Periods | None:
    """The argument `periodic` as three periods [m], None where absent; None without any.

    Raises ValueError for other values.
    """
    if value is None:
        return None
    given = listed("periodic", value, ALLOWED)
    if len(given) != 3:
        raise refuse("periodic", value, ALLOWED)
    x, y, z = (_period(f"periodic[{i}]", each) for i, each in enumerate(given))
    return None if x is None and y is None and z is None else (x, y, z)


def _period(name: str, value: Any) -> float | None:
    """One period [m]; an infinite one is none."""
    if value is None or (isinstance(value, float) and value == np.inf):
        return None
    return positive(name, value, "give the period in metres, or None for a direction without one")


def cell_of(periods: Periods | None) -> Floats:
    """The `periods` and their inverses (2, 3) for the kernels, 0 without; (0, 3) if there are none."""
    if periods is None:
        return no_cell()
    length = np.array([each or 0.0 for each in periods])
    with np.errstate(divide="ignore"):
        return np.array([length, np.where(length > 0.0, 1.0 / length, 0.0)])


def nearest_images(d: Floats, cell: Floats) -> Floats:
    """Differences `d` (..., 3) of places to the nearest images; as they are without a cell."""
    return d - cell[0] * np.rint(d * cell[1]) if len(cell) else d


def wrapped(x: Floats, periods: Periods | None) -> Floats:
    """Places `x` (..., 3) [m] in the cell: in [0, L) along periodic directions."""
    x = np.array(x, float)
    for i, period in enumerate(periods or ()):
        if period is not None:
            at = x[..., i] - period * np.floor(x[..., i] / period)
            x[..., i] = np.where((at >= 0.0) & (at < period), at, 0.0)
    return x


def same_in_all_periods(periods: Periods | None, name: str, normal: Floats, rows: Floats) -> tuple[int, str]:
    """Rows of a plane's motion (n, 13) up to the first that differs between periods.

    `normal` is in its frame. A plane may move along a period, but not turn: far points would move faster. A
    text says why, if it does.
    """
    if periods is None:
        return len(rows), ""
    along = [each is not None for each in periods]
    across = (np.abs(turned(rows[:, 3:7], normal)[:, along]) > ALONG).any(axis=1)
    wrong = np.flatnonzero(across | rows[:, 10:].any(axis=1))
    if not len(wrong):
        return len(rows), ""
    return int(wrong[0]), (
        f"periodic: the motion of {name!r} turns it: must keep its normal across the periodic directions, "
        "without angular velocity; move it without turning, or leave the cell out"
    )
