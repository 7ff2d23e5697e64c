"""Geometries of contact as elements name them: a compiled function and its options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from nsgalpha.checks import refuse


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
    """

    kernel: Compiled
    options: tuple[float, ...] = ()
    images: bool | None = None

    def with_options(self, *options: float) -> Geometry:
        """The same geometry with other numbers. Raises ValueError for another count of them."""
        if len(options) != len(self.options):
            raise refuse("options", options, f"{len(self.options)} numbers")
        return replace(self, options=tuple(map(float, options)))
