"""Geometries of contact as elements name them: a compiled function and its options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from nsgalpha.arrays import Ints
from nsgalpha.checks import refuse
from nsgalpha.model.contact_keys import MOST_FEATURES, contact_key


class Compiled(Protocol):
    """A function that is compiled when its address is needed (nsgalpha/jit/addresses.py)."""

    @property
    def address(self) -> int:
        """Its address."""


@dataclass(frozen=True)
class Geometry:
    """A compiled geometry with its options, which it finds in `scene.options`.

    images: True if it measures two bodies to the nearest image in `scene.cell`. False if both sides stand
    where they are placed, for any cell. None if it knows no cells, and models with one refuse it.
    features: those of A and B of each contact of a pair, see contact_keys.py. Without them a pair has the
    contacts that its element lists. select: compiled selection of the features that may touch, of at most
    `slots` contacts of a pair, see nsgalpha/stepping/contact_slots.py.
    """

    kernel: Compiled
    options: tuple[float, ...] = ()
    images: bool | None = None
    features: tuple[tuple[int, int], ...] = ()
    select: Compiled | None = None
    slots: int = 0

    @property
    def most(self) -> int:
        """The contacts that a pair has at most."""
        return self.slots or len(self.features) or MOST_FEATURES

    def keys(self, number: Ints) -> Ints:
        """Keys of the contacts with a `number` in their pairs, of the first shapes of bodies."""
        if self.slots:
            remedy = "it selects them for set-valued contact alone"
            raise refuse("geometry", self, "one that states its features", remedy)
        if not self.features:
            return number
        a, b = np.array(self.features, np.int64).T
        return np.asarray(contact_key(0, a[number], 0, b[number]))

    def with_options(self, *options: float) -> Geometry:
        """The same geometry with other numbers. Raises ValueError for another count of them."""
        if len(options) != len(self.options):
            raise refuse("options", options, f"{len(self.options)} numbers")
        return replace(self, options=tuple(map(float, options)))
