"""Places of many bodies at once: grids, triangular racks, columns, hexagonal layers. Lengths in metres.

How many there are is checked before (limits.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import count, direction, finite, integer, listed, number_in, positive, refuse, vector


def grid(
    *,
    count: Sequence[int],
    spacing: ArrayLike,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    offset: ArrayLike = (0.0, 0.0, 0.0),
    number: int | None = None,
) -> Floats:
    """A grid of `count` = [nx, ny, nz] places `origin + spacing (cell + offset)`, x counts fastest.

    spacing [m]: a number or three; origin [m]; offset: in spacings, 0.5 puts bodies into the middle of their
    cells. number: only the first so many.

    Raises ValueError if a value is out of its range.
    """
    cells = _counts("count", count, 3)
    step = np.broadcast_to(_each("spacing", spacing), 3)
    shift = np.broadcast_to(_each("offset", offset), 3)
    if not (step > 0.0).all():
        raise refuse("spacing", spacing, "positive", "it is the distance of neighbours in metres")
    total = math.prod(cells)
    if number is not None:
        total = integer("number", number, 1, total, "it is a part of the grid")
    found = np.array(np.unravel_index(np.arange(total), cells, order="F"), float).T
    return vector("origin", origin) + step * (found + shift)


def rack(*, rows: int, radius: float, gap: float = 0.0, apex: ArrayLike, angle: float = 0.0) -> Floats:
    """A triangular rack of balls behind its `apex` [m]: `rows` rows along x, turned by `angle` [deg] about z.

    radius [m] of the balls, gap [m] >= 0 between them. Row by row, from the right to the left as seen from
    the apex.

    Raises ValueError if a value is out of its range.
    """
    n = count("rows", rows)
    half = positive("radius", radius) + 0.5 * number_in("gap", gap, 0.0, math.inf)
    turn = math.radians(number_in("angle", angle, -360.0, 360.0))
    c, s = (1.0, 0.0) if turn == 0.0 else (math.cos(turn), math.sin(turn))
    along = [(i * math.sqrt(3.0) * half, (2 * j - i) * half) for i in range(n) for j in range(i + 1)]
    x, y = np.array(along).T
    return vector("apex", apex) + np.stack([c * x - s * y, s * x + c * y, np.zeros(len(x))], axis=1)


def column(
    *,
    count: int,
    radius: float,
    gap: float = 0.0,
    foot: ArrayLike = (0.0, 0.0, 0.0),
    axis: ArrayLike = (0.0, 0.0, 1.0),
) -> Floats:
    """`count` balls of the `radius` [m] on each other, from the `foot` [m], which the first touches, on.

    gap [m] >= 0 between them, axis: direction of the column.

    Raises ValueError if a value is out of its range.
    """
    (n,) = _counts("count", [count], 1)
    r, space = positive("radius", radius), number_in("gap", gap, 0.0, math.inf)
    height = (2 * np.arange(n) + 1) * r + np.arange(n) * space
    return vector("foot", foot) + height[:, None] * direction("axis", axis)


def hexagonal(
    *,
    count: Sequence[int],
    radius: float,
    gap: float = 0.0,
    origin: ArrayLike = (0.0, 0.0, 0.0),
) -> Floats:
    """Close-packed balls, `count` = [along x, rows along y, layers along z], the first at `origin` [m].

    Every second row and layer lies in the hollows of the one before. radius [m], gap [m] >= 0 between balls.

    Raises ValueError if a value is out of its range.
    """
    cells = _counts("count", count, 3)
    d = 2.0 * positive("radius", radius) + number_in("gap", gap, 0.0, math.inf)
    i, j, k = np.unravel_index(np.arange(math.prod(cells)), cells, order="F")
    x = i + 0.5 * ((j + k) % 2)
    y = math.sqrt(0.75) * (j + (k % 2) / 3.0)
    return vector("origin", origin) + d * np.stack([x, y, math.sqrt(2.0 / 3.0) * k], axis=1)


LAYOUTS = {maker.__name__: maker for maker in (grid, rack, column, hexagonal)}


def _counts(name: str, value: Sequence[int], length: int) -> list[int]:
    """`length` integers >= 1."""
    found = listed(name, value, f"{length} integers >= 1")
    if len(found) != length:
        raise refuse(name, value, f"{length} integers >= 1")
    return [count(name, each) for each in found]


def _each(name: str, value: ArrayLike) -> Floats:
    """A number or three."""
    array = finite(name, value, "a number or three")
    if array.shape not in ((), (3,)):
        raise refuse(name, value, "a number or three")
    return array
