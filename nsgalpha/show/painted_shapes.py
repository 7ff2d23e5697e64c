"""Shapes for the painter, and its picture."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import Flags, Floats

Picture = NDArray[np.uint8]


class Rounds(NamedTuple):
    """K balls and rods: all points within `radius` of the line from `a` to `b`."""

    a: Floats  # (K, 3) [m]
    b: Floats  # (K, 3), equal to `a` for a ball
    radius: Floats  # (K,)
    hollow: Flags  # (K,) a ball that is seen from within
    colour: Floats  # (K, 3) in [0, 1]
    rotation: Floats  # (K, 4) of the marks, which show how a ball turns
    opacity: Floats | None = None  # (K,) in [0, 1]; None: 1

    def split(self) -> tuple[Rounds, Rounds]:
        """Solid and translucent ones."""
        solid = np.ones(len(self.radius), bool) if self.opacity is None else self.opacity >= 1.0
        return self.at(solid), self.at(~solid)

    def at(self, which: Flags) -> Rounds:
        """The chosen hits (K,)."""
        columns: Any = (column[which] for column in self if column is not None)
        return Rounds(*columns)


class Faces(NamedTuple):
    """F flat convex faces."""

    corners: list[Floats]  # (n, 3) [m] each, counter-clockwise around the outward normal
    colour: Floats  # (F, 3)
    opacity: Floats  # (F,) in [0, 1]
    cell: Floats  # (F,) [m] of its squares, 0: none
