"""Convex hulls of points."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import refuse


def hull_of(name: str, x: Floats) -> tuple[Floats, Ints]:
    """Vertices (V, 3) and triangles (T, 3), counter-clockwise from outside, of the hull of points (n, 3).

    Raises ValueError for the source `name` if all are in one plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(x)
    except (QhullError, ValueError):
        raise refuse("source", name, "at least four points that are not in one plane") from None
    kept, triangles = np.unique(found.simplices, return_inverse=True)
    triangles = triangles.reshape(-1, 3)
    x = x[kept]
    a, b, c = (x[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return x, triangles
