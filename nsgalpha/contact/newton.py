"""Dense semismooth Newton for the natural map of one (scaled) contact problem.

    F(r) = 0,  generalized Jacobian with u = W r + b, s = r - u  (Alart and Curnier 1991):

    open        F = r                        dF = I
    closed      F = u                        dF = W
    slip        F = r - mu s_N s/|s|         dF = I - mu s/|s| (e_N - W_N)
                                                  - mu s_N/|s| (I - s s^T/|s|^2) (I - W)

Stick rows of hyperstatic problems are redundant, so that W is singular there. `PROXIMAL` is added to
the diagonal of the Jacobian's W rows, never to F: each step is the proximal one
`W r+ + b + PROXIMAL (r+ - r) = 0`, whose fixed points are the solutions of the problem itself, and
among the many multipliers it stays near the start.
"""

import math

import numpy as np

from nsgalpha.compiled import kernel
from nsgalpha.contact.sets import copy_into, natural_map, rates, squares

PROXIMAL = 1e-10  # relative to the unit diagonal of the scaled W


@kernel
def jacobian(W, sets, r, u, J):
    """Write the generalized Jacobian (n, n) of the natural map at `r`, `u`."""
    n = r.shape[0]
    for k in range(sets.row.shape[0]):
        i, parent, size = sets.row[k], sets.parent[k], sets.size[k]
        normal = i if parent < 0 else parent
        s_n = r[normal] - u[normal]
        norm = 0.0
        if parent >= 0:
            for j in range(i, i + size):
                norm += (r[j] - u[j]) ** 2
            norm = math.sqrt(norm)
        bound = sets.radius[k] * s_n
        for p in range(i, i + size):
            if s_n <= 0.0:
                for c in range(n):
                    J[p, c] = 0.0
                J[p, p] = 1.0
            elif parent < 0 or norm < bound:
                for c in range(n):
                    J[p, c] = W[p, c]
                J[p, p] += PROXIMAL
            else:
                _slip_row(W, r, u, i, size, p, normal, sets.radius[k], bound, norm, J)


@kernel
def _slip_row(W, r, u, i, size, p, normal, mu, bound, norm, J):
    n = r.shape[0]
    tau_p = (r[p] - u[p]) / norm
    ratio = bound / norm
    for c in range(n):
        along = 0.0  # tau . (I - W)_c
        for q in range(i, i + size):
            along += (r[q] - u[q]) / norm * ((1.0 if q == c else 0.0) - W[q, c])
        across = ((1.0 if p == c else 0.0) - W[p, c]) - tau_p * along
        J[p, c] = (
            (1.0 if p == c else 0.0)
            - mu * tau_p * ((1.0 if c == normal else 0.0) - W[normal, c])
            - ratio * across
        )


@kernel
def eliminate(A, x):
    """Solve `A x = x` in place by Gaussian elimination with row pivoting; False if singular."""
    n = x.shape[0]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 1e-14:
            return False
        if pivot != k:
            for j in range(k, n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            factor = A[i, k] * inverse
            if factor == 0.0:
                continue
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, n):
            total -= A[k, j] * x[j]
        x[k] = total / A[k, k]
    return True


@kernel
def newton(W, b, sets, r, tolerance, limit, search):
    """Improve `r` (n,) until the natural map is <= `tolerance`; returns (iterations, residual).

    With `search` a step is halved until |F| decreases (and the smallest one is taken if it does
    not); without, full steps are taken. On failure `r` is the best point met.
    """
    n = b.shape[0]
    vectors = np.empty((5, n))
    u, F, best, start, delta = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    rates(W, b, r, u)
    residual = natural_map(sets, r, u, F)
    if residual <= tolerance:
        return 0, residual
    lowest = residual
    copy_into(best, r)
    J = np.empty((n, n))
    for iteration in range(limit):
        jacobian(W, sets, r, u, J)
        merit = squares(F)
        if not eliminate(J, F):
            break
        step = 1.0
        copy_into(start, r)
        copy_into(delta, F)
        for _halving in range(8):
            for i in range(n):
                r[i] = start[i] - step * delta[i]
            rates(W, b, r, u)
            residual = natural_map(sets, r, u, F)
            if not search or squares(F) < merit * (1.0 - 1e-4 * step):
                break
            step *= 0.5
        if residual <= tolerance:
            return iteration + 1, residual
        if residual < lowest:
            lowest = residual
            copy_into(best, r)
    copy_into(r, best)
    return limit, lowest
