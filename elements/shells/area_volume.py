"""Areas of triangles, areas of whole surfaces, and the volumes that they enclose.

With N = (x_2 - x_1) x (x_3 - x_1), n = N/|N| and e_a the edge opposite to corner a, dN = sum e_a x dx_a:

    A = |N|/2,   dA = (1/2) (n x e_a) . dx_a
    d^2A/dx_a dx_b = (1/(4 A)) [e_a]^T (1 - n n^T) [e_b] -+ (1/2) [n],   - for b after a, + before, 0 for b =
    a V = sum x_1 . (x_2 x x_3)/6,   dV = sum N/6 . (dx_1 + dx_2 + dx_3),
    d^2V/dx_a dx_b = ([e_b] - [e_a])/12

[.] are cross matrices. The derivatives of V are those of closed surfaces: there the gradients
of the usual form, x_b x x_c/6, and of this one have the same sums, and this one has no lever to lose digits
by.
"""

from __future__ import annotations

import math

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.scalar_force_element import Coordinates
from nsgalpha.jit.decorators import kernel


@kernel
def _normal(x, row):
    a, b, c = x[row[0]], x[row[1]], x[row[2]]
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@kernel
def _areas(x, nodes, of, value, gradient):
    """Add areas to `value` (K,); write `gradient` (C, 3, 3)."""
    for c in range(nodes.shape[0]):
        N = _normal(x, nodes[c])
        size = math.sqrt(N[0] * N[0] + N[1] * N[1] + N[2] * N[2])
        value[of[c]] += 0.5 * size
        for a in range(3):
            p, q = x[nodes[c, (a + 1) % 3]], x[nodes[c, (a + 2) % 3]]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                gradient[c, a, i] = 0.5 * (N[j] * (q[k] - p[k]) - N[k] * (q[j] - p[j])) / size


@kernel
def _curve_areas(x, nodes, factor, blocks):
    for c in range(nodes.shape[0]):
        f = factor[c]
        if f == 0.0:
            continue
        N = _normal(x, nodes[c])
        size = math.sqrt(N[0] * N[0] + N[1] * N[1] + N[2] * N[2])
        n = N[0] / size, N[1] / size, N[2] / size
        for a in range(3):
            for b in range(3):
                e = _edge(x, nodes[c], a)
                d = _edge(x, nodes[c], b)
                # [e]^T (1 - n n^T) [d] = (e . d) 1 - d e^T - (e x n) (d x n)^T, signs of both cancel
                dot = e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    en = e[j] * n[k] - e[k] * n[j]
                    for m in range(3):
                        s, t = (m + 1) % 3, (m + 2) % 3
                        dn = d[s] * n[t] - d[t] * n[s]
                        value = -d[i] * e[m] - en * dn
                        if i == m:
                            value += dot
                        blocks[c, a, i, b, m] += f * value / (2.0 * size)
                if a != b:
                    sign = -0.5 if (b - a) % 3 == 1 else 0.5
                    for i in range(3):
                        j, k = (i + 1) % 3, (i + 2) % 3
                        blocks[c, a, i, b, k] += sign * f * n[j]
                        blocks[c, a, i, b, j] -= sign * f * n[k]


@kernel
def _edge(x, row, a):
    """The edge opposite to corner `a`."""
    p, q = x[row[(a + 1) % 3]], x[row[(a + 2) % 3]]
    return q[0] - p[0], q[1] - p[1], q[2] - p[2]


@kernel
def _volumes(x, nodes, of, origin, value, gradient):
    """Add volumes to `value` (K,), seen from the bodies `origin` (K,); write `gradient` (C, 3, 3)."""
    for c in range(nodes.shape[0]):
        N = _normal(x, nodes[c])
        o, p = x[origin[of[c]]], x[nodes[c, 0]]
        for i in range(3):
            value[of[c]] += (p[i] - o[i]) * N[i] / 6.0
            for a in range(3):
                gradient[c, a, i] = N[i] / 6.0


@kernel
def _curve_volumes(x, nodes, factor, blocks):
    for c in range(nodes.shape[0]):
        f = factor[c] / 12.0
        if f == 0.0:
            continue
        for a in range(3):
            for b in range(3):
                if a == b:
                    continue
                e, d = _edge(x, nodes[c], a), _edge(x, nodes[c], b)
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    blocks[c, a, i, b, k] += f * (d[j] - e[j])
                    blocks[c, a, i, b, j] -= f * (d[k] - e[k])


class Areas:
    """Areas [m^2] of the triangles `nodes` (C, 3); of whole surfaces, whose number is `of` (C,), if given."""

    def __init__(self, nodes: Ints, of: Ints | None = None) -> None:
        self.nodes = np.ascontiguousarray(nodes)
        self.of = np.arange(len(nodes)) if of is None else of
        self.count = int(self.of.max()) + 1

    def measure(self, x: Floats) -> Coordinates:
        """See Coordinate."""
        value, gradient = np.zeros(self.count), np.empty((len(self.nodes), 3, 3))
        _areas(x, self.nodes, self.of, value, gradient)
        return Coordinates(value, gradient, gradient)

    def add_curvature(self, x: Floats, factor: Floats, blocks: Floats) -> None:
        """See Coordinate."""
        _curve_areas(x, self.nodes, factor, blocks)


class Volumes:
    """Volumes [m^3] within closed surfaces, number `of` (C,) for each of the triangles `nodes` (C, 3)."""

    def __init__(self, nodes: Ints, of: Ints) -> None:
        self.nodes, self.of = np.ascontiguousarray(nodes), of
        numbers, first = np.unique(of, return_index=True)
        self.count, self._origin = len(numbers), np.ascontiguousarray(self.nodes[first, 0])

    def measure(self, x: Floats) -> Coordinates:
        """See Coordinate."""
        value, gradient = np.zeros(self.count), np.empty((len(self.nodes), 3, 3))
        _volumes(x, self.nodes, self.of, self._origin, value, gradient)
        return Coordinates(value, gradient, gradient)

    def add_curvature(self, x: Floats, factor: Floats, blocks: Floats) -> None:
        """See Coordinate."""
        _curve_volumes(x, self.nodes, factor, blocks)
