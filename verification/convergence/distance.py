"""Hausdorff distance of two graphs in the plane."""

import numpy as np
from scipy.spatial import cKDTree


def graph(t: np.ndarray, y: np.ndarray, spacing: float) -> np.ndarray:
    """Points (m, 2), `spacing` apart, along the polyline through (t, y), both (n,): jumps are filled in."""
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(t), np.diff(y)))])
    samples = np.linspace(0.0, length[-1], int(length[-1] / spacing) + 2)
    return np.stack([np.interp(samples, length, t), np.interp(samples, length, y)], axis=1)


def hausdorff(a: np.ndarray, b: np.ndarray) -> float:
    """Largest distance from a point of one set (m, 2), (n, 2) to the other set."""
    return float(max(np.max(cKDTree(to).query(points)[0]) for points, to in ((a, b), (b, a))))
