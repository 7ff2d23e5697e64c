"""The box of the first view: the bodies, not their whole paths.

It is that of the bodies at the start, and of their paths as far as these do not make them tiny.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats

AROUND = 0.6  # of the size at the start, by which paths may extend the view to each side
SIZES = 40.0  # radii of the largest body, by which they may in any case
BESIDE = 0.7  # of the size of the view, by which walls and meshes extend it to each side
MARGIN = 0.02
APART = 100.0  # median distances or largest radii from the middle: bodies beyond are not framed


def framed(x: Floats, reach: Floats, needed: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Box (3,), (3,) [m] of the view.

    x (S, N, 3): positions at S times; reach (N,): how far bodies extend from them; needed (P, 3): fixed
    points that belong to the bodies, such as joints; beside (Q, 3): those of walls and meshes.
    """
    if len(reach):
        x, reach = _together(x, reach)
    r = reach[:, None]
    low = np.minimum((x[0] - r).min(axis=0, initial=np.inf), needed.min(axis=0, initial=np.inf))
    high = np.maximum((x[0] + r).max(axis=0, initial=-np.inf), needed.max(axis=0, initial=-np.inf))
    if not np.isfinite(high - low).all():
        low, high = beside.min(axis=0), beside.max(axis=0)
    if len(reach):
        workspace = max(AROUND * float((high - low).max()), SIZES * float(reach.max()))
        workspace = workspace if workspace > 0.0 else np.inf
        low = np.minimum(low, np.maximum((x - r).min(axis=(0, 1)), low - workspace))
        high = np.maximum(high, np.minimum((x + r).max(axis=(0, 1)), high + workspace))
    if len(beside):
        workspace = BESIDE * (float((high - low).max()) or np.inf)
        low = np.minimum(low, np.maximum(beside.min(axis=0), low - workspace))
        high = np.maximum(high, np.minimum(beside.max(axis=0), high + workspace))
    margin = MARGIN * float((high - low).max()) or 1.0
    return low - margin, high + margin


def _together(x: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """`x` and `reach` of the bodies that are not far from all others at the start."""
    away = np.abs(x[0] - np.median(x[0], axis=0)).max(axis=1)
    near = away <= APART * max(float(np.median(away)), float(reach.max()))
    return (x[:, near], reach[near]) if near.any() else (x, reach)
