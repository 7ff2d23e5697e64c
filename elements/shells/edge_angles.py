"""Angles between two triangles at their common edge.

With c1, c2 the ends of the edge, l1, l2 the levers, triangles (l1, c1, c2) and (l2, c2, c1), e = (c2 - c1)/L:

    theta = atan2((n_1 x n_2) . e, n_1 . n_2) in (-pi, pi], > 0 where convex
    h_i = |N_i|/L,  a_i = (l_i - c1) . e/L,  w_i = n_i/h_i
    dtheta:  l1: -w_1   l2: -w_2   c1: (1 - a_1) w_1 + (1 - a_2) w_2   c2: a_1 w_1 + a_2 w_2

Each triangle adds a term of its three corners alone. Of the triangle (l, c1, c2) with the weights k = (-1, 1
- a, a), d = c2 - c1, and E_a the edge opposite to corner a, dN = sum E_a x dx_a,

    dw = (1 - 2 n n^T) dN L/|N|^2 + w dL/L,
    da = (e/L) . dl + (h m - a d)/L^2 . dc2 - (h m + (1 - a) d)/L^2 . dc1,   h m = l - c1 - a d

and the second derivative is the symmetric part of k_a dw/dx_b + w (dk_a/dx_b)^T, since the skew parts of the
two triangles cancel. The function atan2 is as exact for flat pairs as for others.

`printed`: the force of a moment M acts as M w_i on the levers and as half of the opposite of their sum on
each end of the edge. It has no energy, and a moment on general triangles.

Source: D. A. Fedosov, Multiscale modeling of blood flow and soft matter (2010), p. 221-223; the derivatives
are ours. R. Tamstorf and E. Grinspun, Graph. Models 75 (2013) 362 have another form of the second.
"""

from __future__ import annotations

import math

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import truth
from nsgalpha.forces.scalar_force_element import Coordinates
from nsgalpha.jit.decorators import kernel


@kernel
def _normal(l, p, q):  # noqa: E741
    """(p - l) x (q - l)."""
    ax, ay, az = p[0] - l[0], p[1] - l[1], p[2] - l[2]
    bx, by, bz = q[0] - l[0], q[1] - l[1], q[2] - l[2]
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _measure(x, nodes, printed, value, gradient, direction):
    for c in range(nodes.shape[0]):
        c1, c2, l1, l2 = x[nodes[c, 0]], x[nodes[c, 1]], x[nodes[c, 2]], x[nodes[c, 3]]
        dx, dy, dz = c2[0] - c1[0], c2[1] - c1[1], c2[2] - c1[2]
        px, py, pz = _normal(l1, c1, c2)
        qx, qy, qz = _normal(l2, c2, c1)
        square = dx * dx + dy * dy + dz * dz
        L = math.sqrt(square)
        sine = ((py * qz - pz * qy) * dx + (pz * qx - px * qz) * dy + (px * qy - py * qx) * dz) / L
        value[c] = math.atan2(sine, px * qx + py * qy + pz * qz)
        s1 = L / (px * px + py * py + pz * pz)
        s2 = L / (qx * qx + qy * qy + qz * qz)
        a1 = ((l1[0] - c1[0]) * dx + (l1[1] - c1[1]) * dy + (l1[2] - c1[2]) * dz) / square
        a2 = ((l2[0] - c1[0]) * dx + (l2[1] - c1[1]) * dy + (l2[2] - c1[2]) * dz) / square
        w1 = s1 * px, s1 * py, s1 * pz
        w2 = s2 * qx, s2 * qy, s2 * qz
        g = gradient[c]
        for i in range(3):
            g[0, i] = (1.0 - a1) * w1[i] + (1.0 - a2) * w2[i]
            g[1, i] = a1 * w1[i] + a2 * w2[i]
            g[2, i] = -w1[i]
            g[3, i] = -w2[i]
        if printed:
            for i in range(3):
                direction[c, 0, i] = direction[c, 1, i] = 0.5 * (w1[i] + w2[i])
                direction[c, 2, i] = -w1[i]
                direction[c, 3, i] = -w2[i]


@kernel
def _cross_entry(E, i, j):
    """Entry of the matrix of `E x`."""
    if i == j:
        return 0.0
    k = 3 - i - j
    return E[k] if (j - i) % 3 == 2 else -E[k]


@kernel
def _add_triangle(x, nodes, swapped, factor, printed, block):
    """Add the part of one triangle; `swapped` is the second, whose edge goes the other way."""
    first, last, own = (1, 0, 3) if swapped else (0, 1, 2)
    p, q, l = x[nodes[first]], x[nodes[last]], x[nodes[own]]  # noqa: E741
    nx, ny, nz = _normal(l, p, q)
    N = nx, ny, nz
    d = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    L = math.sqrt(square)
    size = nx * nx + ny * ny + nz * nz
    s = L / size
    a = ((l[0] - p[0]) * d[0] + (l[1] - p[1]) * d[1] + (l[2] - p[2]) * d[2]) / square
    corners = own, first, last
    opposite = (d, (l[0] - q[0], l[1] - q[1], l[2] - q[2]), (p[0] - l[0], p[1] - l[1], p[2] - l[2]))
    weights = (-1.0, 0.5, 0.5) if printed else (-1.0, 1.0 - a, a)
    stretch = 0.0, -1.0 / square, 1.0 / square  # dL/L over d
    for v in range(3):
        E = opposite[v]
        NE = ny * E[2] - nz * E[1], nz * E[0] - nx * E[2], nx * E[1] - ny * E[0]
        for i in range(3):
            for j in range(3):
                # dw_i/dx_vj
                turn = _cross_entry(E, i, j) - 2.0 * N[i] * NE[j] / size
                change = factor * s * (turn + N[i] * stretch[v] * d[j])
                # da/dx_vj
                part = 0.0
                if not printed:
                    height = l[j] - p[j] - a * d[j]
                    if v == 0:
                        part = d[j] / square
                    elif v == 1:
                        part = -(height + (1.0 - a) * d[j]) / square
                    else:
                        part = (height - a * d[j]) / square
                    part *= factor * s * N[i]
                for u in range(3):
                    value = weights[u] * change
                    if u == 1:
                        value -= part
                    elif u == 2:
                        value += part
                    if printed:
                        block[corners[u], i, corners[v], j] += value
                    else:
                        block[corners[u], i, corners[v], j] += 0.5 * value
                        block[corners[v], j, corners[u], i] += 0.5 * value


@kernel
def _curve(x, nodes, factor, printed, blocks):
    for c in range(nodes.shape[0]):
        if factor[c] != 0.0:
            _add_triangle(x, nodes[c], False, factor[c], printed, blocks[c])
            _add_triangle(x, nodes[c], True, factor[c], printed, blocks[c])


class Angles:
    """Angles [rad] at the edges `nodes` (C, 4), bodies c1, c2, l1, l2."""

    def __init__(self, nodes: Ints, printed: bool = False) -> None:
        self.nodes = np.ascontiguousarray(nodes)
        self.count = len(nodes)
        self.of = np.arange(self.count)
        self.printed = truth("printed", printed)

    def measure(self, x: Floats) -> Coordinates:
        """See Coordinate."""
        value, gradient = np.empty(self.count), np.empty((self.count, 4, 3))
        direction = np.empty_like(gradient) if self.printed else gradient
        _measure(x, self.nodes, self.printed, value, gradient, direction)
        return Coordinates(value, gradient, direction)

    def add_curvature(self, x: Floats, factor: Floats, blocks: Floats) -> None:
        """See Coordinate."""
        _curve(x, self.nodes, factor, self.printed, blocks)
