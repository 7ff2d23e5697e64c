"""Places of many bodies at once: grids, racks of games, columns, hexagonal layers. Lengths in metres.

How many there are is checked before (size_limits.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import (
    count,
    direction,
    finite,
    integer,
    listed,
    named,
    number_in,
    positive,
    refuse,
    vector,
)


@named
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


@named
def rack(
    *,
    rows: int,
    radius: float,
    gap: float = 0.0,
    apex: ArrayLike,
    angle: float = 0.0,
    seed: int | None = None,
) -> Floats:
    """A triangular rack of balls behind its `apex` [m]: `rows` rows along x, turned by `angle` [deg] about z.

    Five rows are fifteen balls, of eight-ball and snooker, four the ten of ten-ball. radius [m] of the balls,
    gap [m] >= 0 between them. With a `seed` (an integer >= 0) each ball is somewhere within half the gap of
    its place, in the plane of the rack. No two overlap, and every seed is another break. Row by row, from the
    right to the left as seen from the apex.

    Raises ValueError if a value is out of its range, or there is a seed without a gap.

    >>> ns.layouts.rack(rows=2, radius=0.5, apex=(0, 0, 0)).round(3).tolist()
    [[0.0, 0.0, 0.0], [0.866, -0.5, 0.0], [0.866, 0.5, 0.0]]
    """
    n = count("rows", rows)
    cells = [(i, 2 * j - i) for i in range(n) for j in range(i + 1)]
    return _racked(cells, radius, gap, apex, angle, seed)


@named
def diamond(
    *,
    radius: float,
    gap: float = 0.0,
    apex: ArrayLike,
    angle: float = 0.0,
    seed: int | None = None,
    side: int = 3,
) -> Floats:
    """A rack in the shape of a diamond, `side` balls along each side (default: nine-ball).

    Its rows have 1, 2, ..., `side`, ..., 2, 1 balls: of nine, the fifth is in the middle. The other
    arguments, the order and the errors are those of `rack`.

    >>> ns.layouts.diamond(radius=0.5, apex=(0, 0, 0))[4].round(3).tolist()
    [1.732, 0.0, 0.0]
    """
    n = count("side", side)
    rows = [min(i, 2 * n - 2 - i) for i in range(2 * n - 1)]
    cells = [(i, 2 * j - more) for i, more in enumerate(rows) for j in range(more + 1)]
    return _racked(cells, radius, gap, apex, angle, seed)


@named
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


@named
def hexagonal(
    *, count: Sequence[int], radius: float, gap: float = 0.0, origin: ArrayLike = (0.0, 0.0, 0.0)
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


LAYOUTS = {maker.__name__: maker for maker in (grid, rack, diamond, column, hexagonal)}


def _racked(
    cells: Sequence[tuple[int, int]],
    radius: float,
    gap: float,
    apex: ArrayLike,
    angle: float,
    seed: int | None,
) -> Floats:
    """Places of the balls of a rack; `cells` are rows and half places."""
    space = number_in("gap", gap, 0.0, math.inf)
    half = positive("radius", radius) + 0.5 * space
    turn = math.radians(number_in("angle", angle, -360.0, 360.0))
    x, y = np.array(cells, float).T * np.array([[math.sqrt(3.0)], [1.0]]) * half
    c, s = (1.0, 0.0) if turn == 0.0 else (math.cos(turn), math.sin(turn))
    places = vector("apex", apex) + np.stack([c * x - s * y, s * x + c * y, np.zeros(len(x))], axis=1)
    if seed is None:
        return places
    rng = np.random.default_rng(integer("seed", seed, 0, 2**63, "another seed is another scatter"))
    if space == 0.0:
        raise refuse("gap", gap, "positive where there is a seed", "balls are scattered within half the gap")
    distance = 0.5 * space * np.sqrt(rng.random(len(x)))  # uniform over a disk
    way = 2.0 * math.pi * rng.random(len(x))
    places[:, 0] += distance * np.cos(way)
    places[:, 1] += distance * np.sin(way)
    return places


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
