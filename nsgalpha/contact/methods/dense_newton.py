"""Dense semismooth Newton for the natural map of one (scaled) contact problem.

    F(r) = r - P(s) = 0,    s = r - u,    u = W r + b
    dF = I - D + D W,       D = dP/ds, block diagonal (Alart and Curnier 1991):

    open        D = 0
    closed      D = I                  normal rows with s_N > 0, friction rows that stick
    slip        D = mu tau e_N^T  +  mu s_N/|s_T| (I - tau tau^T),      tau = s_T/|s_T|
    free        D = I                  rows of joints
    bounded     D = I where |s| <= bound, else  bound/|s| (I - tau tau^T),      tau = s/|s|

Stick rows of hyperstatic problems and rows of overconstrained joints are redundant, so that W is singular
there. A `proximal` term is added to the diagonal of W in the Jacobian, never in F: each step is the proximal
one `W r+ + b + proximal (r+ - r) = 0`, whose fixed points are the solutions of the problem itself, and among
the many multipliers it stays near the start. PROXIMAL is so light that convergence stays quadratic,
but steps in the null space of W are as long as rounding makes them, over PROXIMAL: much lighter, and rounding
decides which of several solutions is found. Many hyperstatic problems are not solved. With HEAVY most of them
are, each step taking that part of the residual.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.contact.multiplier_sets import HALF_LINE, INTERVAL, copy_into, natural_map, rates, squares
from nsgalpha.jit.decorators import kernel

PROXIMAL = 1e-8  # relative to the unit diagonal of the scaled W
HEAVY = 3e-4


@kernel
def projection_derivative(sets, k, r, u):
    """The rows of D of set `k`, a half line or a ball of one or two rows i, i + 1 and its parent N.

    Returns (D_ii, D_ij, D_jj, D_iN, D_jN); D is symmetric within the set, and zero elsewhere.
    """
    i, parent = sets.row[k], sets.parent[k]
    normal = i if parent < 0 else parent
    s_n = r[normal] - u[normal]
    if s_n <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    if parent < 0:
        return 1.0, 0.0, 1.0, 0.0, 0.0
    two = sets.size[k] == 2
    x = r[i] - u[i]
    y = r[i + 1] - u[i + 1] if two else 0.0
    norm = math.sqrt(x * x + y * y)
    mu = sets.radius[k]
    if norm < mu * s_n:
        return 1.0, 0.0, 1.0, 0.0, 0.0
    x, y = x / norm, y / norm
    ratio = mu * s_n / norm
    return ratio * y * y, -ratio * x * y, ratio * x * x, mu * x, mu * y


@kernel
def jacobian(W, sets, r, u, proximal, J):
    """Write the generalized Jacobian (n, n) of the natural map at `r`, `u`, `W` with a proximal term."""
    n = r.shape[0]
    for k in range(sets.row.shape[0]):
        i, parent, size = sets.row[k], sets.parent[k], sets.size[k]
        if parent < HALF_LINE:
            _fixed_set(W, sets, k, r, u, proximal, J)
            continue
        dii, dij, djj, din, djn = projection_derivative(sets, k, r, u)
        j = i + 1 if size == 2 else i
        normal = parent if parent >= 0 else i
        for c in range(n):
            J[i, c] = dii * W[i, c] + dij * W[j, c] + din * W[normal, c]
        _diagonal_part(J, i, (i, j, normal), (dii, dij, din), proximal)
        if size == 2:
            for c in range(n):
                J[j, c] = dij * W[i, c] + djj * W[j, c] + djn * W[normal, c]
            _diagonal_part(J, j, (j, i, normal), (djj, dij, djn), proximal)


@kernel
def _fixed_set(W, sets, k, r, u, proximal, J):
    """The rows of the Jacobian of set `k`, free or an interval: `D = ratio (I - tau tau^T)`, or I."""
    first, last = sets.row[k], sets.row[k] + sets.size[k]
    square = 0.0
    for i in range(first, last):
        square += (r[i] - u[i]) ** 2
    slips = sets.parent[k] == INTERVAL and math.sqrt(square) > sets.radius[k]
    ratio = sets.radius[k] / math.sqrt(square) if slips else 1.0
    for c in range(r.shape[0]):
        along = 0.0
        if slips:
            for i in range(first, last):
                along += (r[i] - u[i]) * W[i, c] / square
        for i in range(first, last):
            J[i, c] = ratio * (W[i, c] - (r[i] - u[i]) * along)
    for i in range(first, last):
        J[i, i] += 1.0
        for j in range(first, last):
            d = 1.0 if i == j else 0.0
            if slips:
                d -= (r[i] - u[i]) * (r[j] - u[j]) / square
            J[i, j] -= (1.0 - proximal) * ratio * d


@kernel
def _diagonal_part(J, p, columns, D, proximal):
    """Add row `p` of `I - D + proximal D`: its own column, that of the other row and of the normal one."""
    J[p, columns[0]] += 1.0 - (1.0 - proximal) * D[0]
    J[p, columns[1]] -= (1.0 - proximal) * D[1]
    J[p, columns[2]] -= (1.0 - proximal) * D[2]


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


class NewtonSteps(NamedTuple):
    """The steps of Newton's method: how many, whether they are halved, and their proximal term."""

    limit: int
    search: bool
    proximal: float


@kernel
def newton(W, b, sets, r, tolerance, steps):
    """`newton_within`, with arrays of its own."""
    n = b.shape[0]
    return newton_within(np.empty((5, n)), np.empty((n, n)), W, b, sets, r, tolerance, steps)


@kernel
def newton_within(vectors, J, W, b, sets, r, tolerance, steps):
    """Improve `r` (n,) until the natural map is <= `tolerance`; returns (iterations, residual).

    With `steps.search` a step is halved until |F| decreases (and the smallest one is taken if it does
    not); without, full steps are taken. On failure `r` is the best point met. `vectors` (5, n) and `J`
    (n, n) are room to work in.
    """
    limit, search, proximal = steps
    n = b.shape[0]
    u, F, best, start, delta = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    rates(W, b, r, u)
    residual = natural_map(sets, r, u, F)
    if residual <= tolerance:
        return 0, residual
    lowest = residual
    copy_into(best, r)
    for iteration in range(limit):
        jacobian(W, sets, r, u, proximal, J)
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
