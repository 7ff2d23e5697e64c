"""Triangulated plane."""

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in


def triangulated_square(cells: int, size: float, *, bend: float = 0.0, seed: int = 0) -> Floats:
    """Triangles (2 cells^2, 3, 3) of a square around the origin in the plane z = 0, counter-clockwise.

    size [m]. Inner nodes are displaced by up to `bend` cells in both directions, at random.

    Raises ValueError for a `bend` with which triangles may fold over.
    """
    number_in("bend", bend, 0.0, 0.25, open_high=True, remedy="triangles may fold over")
    rng = np.random.default_rng(seed)
    s = np.linspace(-0.5 * size, 0.5 * size, cells + 1)
    x = np.stack([*np.meshgrid(s, s, indexing="ij"), np.zeros((cells + 1, cells + 1))], axis=2)
    x[1:-1, 1:-1, :2] += bend * size / cells * rng.uniform(-1.0, 1.0, (cells - 1, cells - 1, 2))
    a, b, c, d = x[:-1, :-1], x[1:, :-1], x[1:, 1:], x[:-1, 1:]
    return np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])
