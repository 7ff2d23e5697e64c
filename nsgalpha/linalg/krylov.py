"""GMRES without restarts (Saad and Schultz 1986), for operators that cost little.

SciPy's orthogonalises vector by vector in Python, which takes as long as the operators of a contact problem
themselves. Here the basis is one array, and a new vector is made orthogonal to it by two products, twice.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from nsgalpha.arrays import Floats

EXHAUSTED = 1e-14  # part of a new vector outside of the basis that is rounding


def gmres(product: Callable[[Floats], Floats], b: Floats, rtol: float, limit: int) -> Floats:
    """`x` (n,) with `|A x - b| <= rtol |b|` for `product(x) = A x`, or the best after `limit` products."""
    size = float(np.linalg.norm(b))
    if not 0.0 < size < math.inf:
        return np.zeros_like(b)
    V = np.empty((limit + 1, len(b)))  # orthonormal basis, A V_k = V_{k+1} H
    R = np.zeros((limit, limit))  # Q H, Q the rotations
    load = np.zeros(limit + 1)  # Q |b| e_1
    V[0], load[0] = b / size, size
    rotations: list[tuple[float, float]] = []
    k = 0
    while k < limit and abs(load[k]) > rtol * size:
        w, basis = product(V[k]), V[: k + 1]
        before, h = np.linalg.norm(w), np.zeros(k + 1)
        for _ in range(2):
            part = basis @ w
            w = w - part @ basis
            h += part
        beta = float(np.linalg.norm(w))
        column = [*h.tolist(), beta]
        for i, (c, s) in enumerate(rotations):
            column[i], column[i + 1] = c * column[i] + s * column[i + 1], c * column[i + 1] - s * column[i]
        r = math.hypot(column[k], beta)
        if r == 0.0:  # A V_k is in the range of A V_{k-1}: singular
            break
        c, s = column[k] / r, beta / r
        rotations.append((c, s))
        column[k] = r
        R[: k + 1, k] = column[: k + 1]
        load[k], load[k + 1] = c * load[k], -s * load[k]
        k += 1
        if beta <= EXHAUSTED * before:
            break
        V[k] = w / beta
    if k == 0:
        return np.zeros_like(b)
    return solve_triangular(R[:k, :k], load[:k]) @ V[:k]
