"""Places of many bodies at once: grids, racks, columns, hexagonal layers, random packings. Lengths in metres.

How many there are is checked before (size_limits.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

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


MOST_TRIES = 2000  # places drawn for a sphere


@named
def uniform_sizes(*, count: int, least: float, largest: float, seed: int = 0) -> Floats:
    """Radii (count,) [m] drawn evenly from `least` > 0 to `largest`; the same for the same seed.

    Raises ValueError if a value is out of its range.

    >>> ns.layouts.uniform_sizes(count=3, least=0.01, largest=0.02).round(4).tolist()
    [0.0164, 0.0127, 0.0104]
    """
    (n,), low, high = _counts("count", [count], 1), *_span(least, largest)
    return low + (high - low) * _drawn(seed, n)


@named
def lognormal_sizes(
    *,
    count: int,
    median: float,
    deviation: float,
    least: float = 0.0,
    largest: float = math.inf,
    seed: int = 0,
) -> Floats:
    """Radii (count,) [m] whose logarithms are normal, with the standard `deviation` >= 0 about log(median).

    Only radii from `least` to `largest` [m] are drawn: those outside are cut off. By number, not by mass.

    Raises ValueError if a value is out of its range.
    """
    (n,), middle = _counts("count", [count], 1), positive("median", median)
    width = number_in("deviation", deviation, 0.0, 10.0, remedy="it is that of log(radius)")
    low = number_in("least", least, 0.0, middle, remedy="it is at most the median")
    high = math.inf
    if not (isinstance(largest, float) and largest == high):
        high = number_in("largest", largest, middle, math.inf, remedy="it is at least the median")
    if width == 0.0:
        return np.full(n, middle)
    ends = [
        0.0 if low == 0.0 else float(ndtr(math.log(low / middle) / width)),
        1.0 if high == math.inf else float(ndtr(math.log(high / middle) / width)),
    ]
    drawn = ndtri(ends[0] + (ends[1] - ends[0]) * _drawn(seed, n))
    return np.clip(middle * np.exp(width * drawn), low, high)


@named
def sieved_sizes(*, count: int, openings: ArrayLike, passing: ArrayLike, seed: int = 0) -> Floats:
    """Radii (count,) [m] of grains by a grading curve, parts of the mass that pass sieves.

    openings (k,) [m]: of the sieves, increasing: diameters. passing (k,): parts of the mass, not decreasing,
    from 0 to 1. Between two sieves the mass is even in the logarithm of the diameter d. The number of grains
    then goes with d^-3 there, and by number most are small.

    Raises ValueError if a value is out of its range.
    """
    (n,) = _counts("count", [count], 1)
    d = finite("openings", openings, "two diameters or more")
    if d.ndim != 1 or len(d) < 2 or not (d[0] > 0.0 and (np.diff(d) > 0.0).all()):
        raise refuse("openings", openings, "two diameters [m] or more, above 0 and increasing")
    part = finite("passing", passing, "a part of the mass for each sieve")
    if part.shape != d.shape or part[0] != 0.0 or part[-1] != 1.0 or (np.diff(part) < 0.0).any():
        raise refuse(
            "passing", passing, f"{len(d)} parts, not decreasing, from 0 to 1", "add a sieve at each end"
        )
    cubes = (d / d[-1]) ** -3.0
    weights = np.diff(part) * (cubes[:-1] - cubes[1:]) / np.diff(np.log(d))  # of numbers, over a constant
    ends = np.concatenate([[0.0], np.cumsum(weights)]) / weights.sum()
    drawn = _drawn(seed, n)
    k = np.clip(np.searchsorted(ends, drawn, side="right") - 1, 0, len(weights) - 1)
    k = np.flatnonzero(weights > 0.0)[np.searchsorted(np.flatnonzero(weights > 0.0), k)]
    along = np.clip((drawn - ends[k]) / (ends[k + 1] - ends[k]), 0.0, 1.0)
    return 0.5 * d[-1] * (cubes[k] + along * (cubes[k + 1] - cubes[k])) ** (-1.0 / 3.0)


@named
def random_packing(
    *, radius: ArrayLike, low: ArrayLike, high: ArrayLike, solid_fraction: float | None = None, seed: int = 0
) -> Floats:
    """Rows (m, 4) of x, y, z and radius [m]: spheres at random places in a box, without overlap.

    radius (n,) [m]: of the spheres. low, high (3,) [m]: corners of the box, which holds all spheres whole.
    solid_fraction: their volume over that of the box; as many of the radii are taken, in their order, as come
    nearest to it; by default all. Large spheres are placed first. Beyond a fraction of about 0.35 no place
    is found for equal ones: let a looser packing settle.

    Raises ValueError if a value is out of its range, there are too few radii or no place is found.

    >>> rows = ns.layouts.random_packing(
    ...     radius=np.full(1000, 0.05), low=(0, 0, 0), high=(1, 1, 1), solid_fraction=0.25
    ... )
    >>> len(rows), round(len(rows) * 4 / 3 * np.pi * 0.05**3, 3)
    (477, 0.25)
    """
    r = finite("radius", radius, "radii of spheres")
    if r.ndim != 1 or not len(r) or not (r > 0.0).all():
        raise refuse("radius", radius, "one radius [m] or more, all above 0")
    a, b = vector("low", low), vector("high", high)
    if not (a < b).all():
        raise refuse("high", high, f"above low = {a.tolist()} in every direction")
    if solid_fraction is not None:
        wanted = number_in("solid_fraction", solid_fraction, 0.0, 0.74) * float(np.prod(b - a))
        volume = np.cumsum(4.0 / 3.0 * np.pi * r**3)
        if volume[-1] < wanted:
            most = volume[-1] / float(np.prod(b - a))
            raise refuse(
                "solid_fraction", solid_fraction, f"up to {most:.3g}, that of all radii", "give more"
            )
        r = r[: int(abs(volume - wanted).argmin()) + 1]
    if 2.0 * r.max() > (b - a).min():
        raise refuse("radius", float(r.max()), f"at most half of the box, {0.5 * (b - a).min():g}")
    rng = np.random.default_rng(integer("seed", seed, 0, 2**63))
    order = np.argsort(-r, kind="stable")
    places = np.empty((len(r), 3))
    for k, place in zip(order.tolist(), _apart(r[order], a, b, rng), strict=True):
        places[k] = place
    return np.column_stack([places, r])


LAYOUTS = {maker.__name__: maker for maker in (grid, rack, diamond, column, hexagonal, random_packing)}
SIZES: dict[str, Callable[..., Floats]] = {
    "uniform": uniform_sizes,
    "lognormal": lognormal_sizes,
    "sieved": sieved_sizes,
}


def _apart(r: Floats, low: Floats, high: Floats, rng: np.random.Generator) -> list[Floats]:
    """Places of spheres with falling radii `r` in a box, drawn until nothing overlaps."""
    width = 2.0 * r[0]  # of cells: neighbours are in the 27 around a sphere
    cells: dict[tuple[int, int, int], list[int]] = {}
    places = np.empty((len(r), 3))
    for k, own in enumerate(r.tolist()):
        for place in low + own + (high - low - 2.0 * own) * rng.random((MOST_TRIES, 3)):
            x, y, z = ((place - low) // width).astype(int).tolist()
            around = itertools.product((x - 1, x, x + 1), (y - 1, y, y + 1), (z - 1, z, z + 1))
            near = [each for cell in around for each in cells.get(cell, ())]
            if (np.linalg.norm(places[near] - place, axis=1) >= own + r[near]).all():
                break
        else:
            full = 4.0 / 3.0 * math.pi * float((r[:k] ** 3).sum()) / float(np.prod(high - low))
            remedy = "take a larger box and let the packing settle"
            raise refuse("radius", f"{len(r)} spheres", f"{k}, which fill {full:.3f} of the box", remedy)
        places[k] = place
        cells.setdefault((x, y, z), []).append(k)
    return list(places)


def _drawn(seed: int, n: int) -> Floats:
    """`n` numbers, evenly from 0 to 1."""
    return np.random.default_rng(integer("seed", seed, 0, 2**63)).random(n)


def _span(least: float, largest: float) -> tuple[float, float]:
    """Two radii, the larger one second."""
    low = positive("least", least)
    return low, number_in("largest", largest, low, math.inf, remedy="it is at least the least")


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
