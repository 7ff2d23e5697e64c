"""Lengths of edges.

L = |x_2 - x_1|,   n = (x_2 - x_1)/L,   dL = n . (dx_2 - dx_1),   d^2L = (1 - n n^T)/L
"""

from __future__ import annotations

import math

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.scalar_force_element import Coordinates
from nsgalpha.jit.decorators import kernel


@kernel
def _measure(x, nodes, value, gradient):
    for c in range(nodes.shape[0]):
        a, b = x[nodes[c, 0]], x[nodes[c, 1]]
        dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        L = math.sqrt(dx * dx + dy * dy + dz * dz)
        g = gradient[c]
        value[c] = L
        g[1, 0], g[1, 1], g[1, 2] = dx / L, dy / L, dz / L
        g[0, 0], g[0, 1], g[0, 2] = -g[1, 0], -g[1, 1], -g[1, 2]


@kernel
def _curve(x, nodes, factor, blocks):
    for c in range(nodes.shape[0]):
        a, b = x[nodes[c, 0]], x[nodes[c, 1]]
        dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        square = dx * dx + dy * dy + dz * dz
        f = factor[c] / math.sqrt(square)
        for i in range(3):
            for j in range(3):
                both = (b[i] - a[i]) * (b[j] - a[j]) / square
                h = f * ((1.0 if i == j else 0.0) - both)
                blocks[c, 0, i, 0, j] += h
                blocks[c, 1, i, 1, j] += h
                blocks[c, 0, i, 1, j] -= h
                blocks[c, 1, i, 0, j] -= h


class Lengths:
    """Lengths [m] between the bodies `nodes` (C, 2)."""

    def __init__(self, nodes: Ints) -> None:
        self.nodes = np.ascontiguousarray(nodes)
        self.count = len(nodes)
        self.of = np.arange(self.count)

    def measure(self, x: Floats) -> Coordinates:
        """See Coordinate."""
        value, gradient = np.empty(self.count), np.empty((self.count, 2, 3))
        _measure(x, self.nodes, value, gradient)
        return Coordinates(value, gradient, gradient)

    def add_curvature(self, x: Floats, factor: Floats, blocks: Floats) -> None:
        """See Coordinate."""
        _curve(x, self.nodes, factor, blocks)
