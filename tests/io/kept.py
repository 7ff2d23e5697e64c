"""Comparison of stored results: they keep the integrator's memory partly, or are of earlier methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.run.run_records import FORGOTTEN

MEMORY = ("acceleration", "auxiliary")


def kept(array: Any) -> np.ndarray:
    """True for the states (n,) of which a memory (n, N, 6) was kept."""
    lost = np.asarray(array).view(np.uint64) == np.float64(FORGOTTEN).view(np.uint64)
    whole = ~lost.all(axis=(1, 2))
    assert not lost[whole].any()
    return whole


def agree(found: Any, whole: Any, name: str, count: int | None = None) -> bool:
    """True if the first `count` states agree to the bit, as far as kept."""
    a, b = (np.asarray(getattr(result, name)) for result in (found, whole))
    if name in MEMORY and len(a) and a.size:
        assert kept(a)[-1]  # a run continues from there
    a, b = a[:count], b[:count]
    if name not in MEMORY or not a.size or a.shape != b.shape:
        return np.array_equal(a, b)
    both = kept(a) & kept(b)
    return np.array_equal(a[both], b[both])


def are_near(found: Any, whole: Any, finer: Any, share: float = 0.05) -> bool:
    """True if two runs always differ by less than a `share` of the error in h.

    found: of a file, which an earlier method began, on another machine. finer: with smaller steps.
    """
    apart, error = (
        np.abs(one.position[:] - two.position[:]).max(axis=(1, 2))
        for one, two in ((found, whole), (whole, finer))
    )
    return bool((apart <= share * error + 1e-12).all())
