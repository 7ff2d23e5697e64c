"""Pairs that two elements have: their forces would act twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from nsgalpha.compliant.patch import PatchElement
from nsgalpha.model.element import Pairs, SurfaceElement


def refuse_shared(elements: Sequence[Pairs | SurfaceElement | PatchElement]) -> None:
    """ValueError, by their names, for a pair that two of the `elements` have."""
    for one, two in combinations(elements, 2):
        alike = isinstance(two, type(one)) or isinstance(one, type(two))
        alike = alike and _kernel(one) is _kernel(two)
        pair = one.shared_pair(two) if alike else None
        if pair is not None:
            raise ValueError(
                f"elements: {pair[0]!r} and {pair[1]!r} are a pair of two elements; leave one out"
            )


def _kernel(pairs: Pairs | SurfaceElement | PatchElement) -> object:
    """The kernel that measures the `pairs`; a class in its place for rounded surfaces."""
    return PatchElement if isinstance(pairs, PatchElement) else pairs.geometry.kernel
