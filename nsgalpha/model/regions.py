"""Regions of space, in which outlets take bodies away and feeders put them.

Each has the `depth` (N,) [m] of points x (N, 3) within it, > 0 inside. Outside it is at least minus the
distance. All but half-spaces `draw` uniformly distributed points.
"""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import direction, field_in, finite, parameter_set, positive_field, refuse, vector


@runtime_checkable
class Region(Protocol):
    """A part of space."""

    def depth(self, x: Floats) -> Floats:
        """How deep (N,) [m] the points `x` (N, 3) are within it, < 0 outside."""


@runtime_checkable
class Bounded(Region, Protocol):
    """A region of finite extent."""

    def draw(self, random: np.random.Generator) -> Floats:
        """A point (3,) within, each equally likely."""


def _keep(self: object, name: str, value: ArrayLike) -> None:
    """Keep three numbers as a tuple, so that equal statements are equal."""
    object.__setattr__(self, name, tuple(vector(name, value).tolist()))


@parameter_set
class Ball:
    """All within a `radius` [m] > 0 of the `centre` (3,) [m].

    Raises ValueError if a value is out of its range.
    """

    centre: ArrayLike
    radius: float = positive_field()

    def __post_init__(self) -> None:
        _keep(self, "centre", self.centre)

    @property
    def volume(self) -> float:
        """Volume [m^3]."""
        return 4.0 / 3.0 * math.pi * self.radius**3

    def depth(self, x: Floats) -> Floats:
        """See Region."""
        return self.radius - np.linalg.norm(x - np.asarray(self.centre), axis=1)

    def draw(self, random: np.random.Generator) -> Floats:
        """See Bounded."""
        arrow = random.normal(size=3)
        length = self.radius * random.random() ** (1.0 / 3.0)
        return np.asarray(self.centre) + length * arrow / np.linalg.norm(arrow)


@parameter_set
class Box:
    """All between the corners `low` and `high` (3,) [m], along the axes.

    Raises ValueError unless both are finite and low <= high.
    """

    low: ArrayLike
    high: ArrayLike

    def __post_init__(self) -> None:
        _keep(self, "low", self.low)
        _keep(self, "high", self.high)
        if not (np.asarray(self.low) <= np.asarray(self.high)).all():
            raise refuse("high", self.high, f"nowhere below low = {self.low}", "exchange them")

    @property
    def volume(self) -> float:
        """Volume [m^3]."""
        return float(np.prod(np.subtract(self.high, self.low)))

    def depth(self, x: Floats) -> Floats:
        """See Region."""
        return np.minimum(x - np.asarray(self.low), np.asarray(self.high) - x).min(axis=1)

    def draw(self, random: np.random.Generator) -> Floats:
        """See Bounded."""
        return random.uniform(np.asarray(self.low), np.asarray(self.high))


@parameter_set
class Cylinder:
    """All within a `radius` [m] > 0 of the axis between two `ends` (2, 3) [m].

    Raises ValueError if a value is out of its range, or the ends are one.
    """

    ends: ArrayLike
    radius: float = positive_field()

    def __post_init__(self) -> None:
        ends = finite("ends", self.ends, "two points [m]")
        if ends.shape != (2, 3) or (ends[0] == ends[1]).all():
            raise refuse("ends", self.ends, "two points (2, 3) [m] that differ")
        object.__setattr__(self, "ends", tuple(map(tuple, ends.tolist())))

    @property
    def volume(self) -> float:
        """Volume [m^3]."""
        return math.pi * self.radius**2 * self._axis()[2]

    def _axis(self) -> tuple[Floats, Floats, float]:
        """One end, the unit vector to the other, and how far away that is."""
        a, b = np.asarray(self.ends)
        length = float(np.linalg.norm(b - a))
        return a, (b - a) / length, length

    def depth(self, x: Floats) -> Floats:
        """See Region."""
        a, along, length = self._axis()
        s = (x - a) @ along
        across = np.linalg.norm(x - a - s[:, None] * along, axis=1)
        return np.minimum(np.minimum(s, length - s), self.radius - across)

    def draw(self, random: np.random.Generator) -> Floats:
        """See Bounded."""
        a, along, length = self._axis()
        first = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
        first /= np.linalg.norm(first)
        angle, r = 2.0 * math.pi * random.random(), self.radius * math.sqrt(random.random())
        across = math.cos(angle) * first + math.sin(angle) * np.cross(along, first)
        return a + length * random.random() * along + r * across


@parameter_set
class HalfSpace:
    """The half-space `normal . x < offset`; with the normal (0, 0, 1) it is z < offset [m].

    Raises ValueError if the normal (3,) is zero or a value is not finite.
    """

    normal: ArrayLike
    offset: float = field_in(-math.inf, math.inf, default=0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", tuple(direction("normal", self.normal).tolist()))

    def depth(self, x: Floats) -> Floats:
        """See Region."""
        return self.offset - x @ np.asarray(self.normal)
