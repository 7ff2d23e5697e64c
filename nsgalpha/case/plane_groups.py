"""Several planes at once: boxes and rings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, count, direction, listed, named, positive, refuse, vector

#: Axis and sign of the normal that points inwards.
SIDES = {
    "west": (0, 1.0),
    "east": (0, -1.0),
    "south": (1, 1.0),
    "north": (1, -1.0),
    "floor": (2, 1.0),
    "ceiling": (2, -1.0),
}


class Wall(NamedTuple):
    """A plane `normal . x = offset` and its name."""

    name: str
    normal: Floats
    offset: float


@named
def box(*, low: ArrayLike, high: ArrayLike, without: Sequence[str] = ()) -> list[Wall]:
    """The walls of a box from the corner `low` to the corner `high` [m], seen from within.

    They are west, east (x), south, north (y), floor and ceiling (z); `without` are left out.

    Raises ValueError if the corners are not in order, or a side has no such name.
    """
    first, last = vector("low", low), vector("high", high)
    if not (first < last).all():
        raise refuse("high", high, f"above low = {first.tolist()} in every direction")
    left_out = listed("without", without, "a list of names of sides")
    for name in left_out:
        choice("without", name, tuple(SIDES))
    walls = []
    for name, (axis, sign) in SIDES.items():
        if name not in left_out:
            place = first[axis] if sign > 0.0 else last[axis]
            walls.append(Wall(name, sign * np.eye(3)[axis], float(sign * place)))
    return walls


@named
def ring(*, sides: int, radius: float, axis: ArrayLike, centre: ArrayLike = (0.0, 0.0, 0.0)) -> list[Wall]:
    """The hull of a drum: `sides` planes around `axis`, at the distance `radius` [m] from it.

    centre [m]: a point of the axis; with a motion both are in the moving frame.

    Raises ValueError if a value is out of its range.
    """
    n = count("sides", sides)
    if not 3 <= n <= 10_000:
        raise refuse("sides", sides, "from 3 to 10000")
    r, along = positive("radius", radius), direction("axis", axis)
    point = vector("centre", centre)
    one = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    one /= np.linalg.norm(one)
    two = np.cross(along, one)
    walls = []
    for k in range(n):
        a = 2.0 * math.pi * k / n
        normal = -(math.cos(a) * one + math.sin(a) * two)
        walls.append(Wall(str(k), normal, float(normal @ point) - r))
    return walls


WALLS = {maker.__name__: maker for maker in (box, ring)}
