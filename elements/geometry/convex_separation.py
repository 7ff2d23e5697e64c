"""Separation of two convex bodies by the nearest point of their difference.

The least point v of the difference is sought in simplices of its points. Each new point w is the lowest along
v; a plane across v separates the bodies if v . w > 0. P. Wolfe, Math. Program. 11 (1976) 128; E. G. Gilbert,
D. W. Johnson, S. S. Keerthi, IEEE J. Robot. Autom. 4 (1988) 193.
"""

import math

import numpy as np

from elements.geometry.solid_features import support_point
from nsgalpha.geometry.vector_triples import dot, plus, row, store
from nsgalpha.jit.decorators import kernel

ITERATIONS = 100
FLAT = 1e-12  # part of its volume below which a simplex is flat


@kernel
def _put_affine(P, count, M, weight):
    """Write the weights of the least point of a plane through points `P`; False if flat.

    M (4, 5): workspace for the equations of the edges, with the products of all as last column.
    """
    n, first = count - 1, row(P, 0)
    for i in range(n):
        e = plus(row(P, i + 1), -1.0, first)
        for j in range(n):
            M[i, j] = dot(e, plus(row(P, j + 1), -1.0, first))
        M[i, n] = -dot(e, first)
    for i in range(n):  # positive definite: no pivots
        largest = max(dot(row(P, i + 1), row(P, i + 1)), dot(first, first))
        if M[i, i] <= FLAT * largest:
            return False
        for k in range(n):
            if k != i:
                f = M[k, i] / M[i, i]
                for j in range(i, n + 1):
                    M[k, j] -= f * M[i, j]
    weight[0] = 1.0
    for i in range(n):
        weight[i + 1] = M[i, n] / M[i, i]
        weight[0] -= weight[i + 1]
    return True


@kernel
def _reduce_simplex(P, weight, count, M, affine):
    """Reduce `count` points of `P`, the last one new, to those of the least point.

    Writes their weights. Returns their number, 0 if they are flat.
    """
    while count > 1:
        if not _put_affine(P, count, M, affine):
            return 0
        step = 1.0
        for i in range(count):
            if affine[i] <= 0.0:
                step = min(step, weight[i] / (weight[i] - affine[i]) if weight[i] > 0.0 else 0.0)
        kept = 0
        for i in range(count):
            w = weight[i] + step * (affine[i] - weight[i])
            if affine[i] > 0.0 or w > FLAT:
                store(row(P, i), P, kept, 0)
                weight[kept] = w
                kept += 1
        if kept == count:
            return count
        count = kept
    weight[0] = 1.0
    return 1


@kernel
def are_apart(solids, side_a, side_b, small, rounding):
    """True if a plane leaves more than `small` and the `rounding` [m] between two solids."""
    P, weight, M, affine = np.empty((5, 3)), np.zeros(5), np.empty((4, 5)), np.empty(5)
    n, count = (1.0, 0.0, 0.0), 0
    for _ in range(ITERATIONS):
        back = (-n[0], -n[1], -n[2])
        w = plus(support_point(solids, side_a, n), -1.0, support_point(solids, side_b, back))
        if count > 0 and dot(n, w) > small + rounding:
            return True
        store(w, P, count, 0)
        weight[count] = 0.0 if count > 0 else 1.0
        count = _reduce_simplex(P, weight, count + 1, M, affine)
        if count in (0, 4):  # flat: no nearer point, or the origin is within
            return False
        v = (0.0, 0.0, 0.0)
        for i in range(count):
            v = plus(v, weight[i], row(P, i))
        size = math.sqrt(dot(v, v))
        if size <= small:
            return False
        n = (v[0] / size, v[1] / size, v[2] / size)
    return False
