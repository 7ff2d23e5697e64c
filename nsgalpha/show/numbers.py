"""Numbers as people read them: few digits, and no noise where a number is zero but for rounding."""

from __future__ import annotations

import math
from collections.abc import Iterable

from nsgalpha.arrays import Floats

ROUNDING = 1e-9  # part of the largest of its kind below which a number is taken for zero


def number_in_words(value: float, floor: float = 0.0) -> str:
    """Four digits; 0 for what is not above the `floor`."""
    if not math.isfinite(value):
        return str(value)
    return "0" if abs(value) <= floor else f"{value:.4g}"


def triple(values: Iterable[float], floor: float = 0.0) -> str:
    """Three numbers."""
    return ", ".join(number_in_words(float(value), floor) for value in values)


def floor_of(values: Floats) -> float:
    """The size below which one of the `values` is noise beside the largest."""
    largest = abs(values[abs(values) < math.inf]).max(initial=0.0)
    return ROUNDING * float(largest)
