"""First entry of moving points into a region.

In a step of h each point moves on a cubic of Hermite. It is no longer than its control polygon, and outside
of a region -depth is at most the distance. Between points of the depths d_0, d_1 < 0 a curve can enter if

    length >= -(d_0 + d_1)

Such parts, and those that end within, are halved: the first of these at last is the entry.
"""

from collections.abc import Callable

import numpy as np

from nsgalpha.arrays import Floats

HALVINGS = 44  # of a step
MOST = 256  # parts of all curves, beyond which those are left out that only pass close by


def control_points(x0: Floats, v0: Floats, x1: Floats, v1: Floats, h: float) -> Floats:
    """Control points (K, 4, 3) of the cubics between two states (K, 3), `h` [s] apart."""
    return np.stack([x0, x0 + h / 3.0 * v0, x1 - h / 3.0 * v1, x1], axis=1)


def lengths(curves: Floats) -> Floats:
    """Lengths (K,) of the control polygons of `curves` (K, 4, 3)."""
    return np.asarray(np.linalg.norm(np.diff(curves, axis=1), axis=2).sum(axis=1))


def first_entry(depth: Callable[[Floats], Floats], curves: Floats) -> float:
    """Part in (0, 1] of `curves` (K, 4, 3) at which the first enters a region.

    It is inf if none comes in from outside. depth: see Region.
    """
    low, width, first = np.zeros(len(curves)), 1.0, np.inf
    d0, d1 = depth(curves[:, 0]), depth(curves[:, 3])
    may = d0 < 0.0
    for _ in range(HALVINGS):
        enters = may & (d1 >= 0.0)
        first = min(first, float((low[enters] + width).min(initial=np.inf)))
        may &= (enters | (lengths(curves) >= -(d0 + d1))) & (low < first)
        if np.count_nonzero(may) > MOST:
            may &= enters
        if not may.any():
            break
        curves, low, d0, d1 = curves[may], low[may], d0[may], d1[may]
        curves, middle, width = _halves(curves), depth(_middle(curves)), 0.5 * width
        low, d0, d1 = np.r_[low, low + width], np.r_[d0, middle], np.r_[middle, d1]
        may = d0 < 0.0
    return first


def _middle(curves: Floats) -> Floats:
    return (curves[:, 0] + 3.0 * (curves[:, 1] + curves[:, 2]) + curves[:, 3]) / 8.0


def _halves(curves: Floats) -> Floats:
    """Control points (2 K, 4, 3) of all first halves, then all second ones, by de Casteljau."""
    points = [curves]
    for _ in range(3):
        points.append(0.5 * (points[-1][:, :-1] + points[-1][:, 1:]))
    first = np.stack([each[:, 0] for each in points], axis=1)
    second = np.stack([each[:, -1] for each in reversed(points)], axis=1)
    return np.concatenate([first, second])
