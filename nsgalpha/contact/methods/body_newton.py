"""Semismooth Newton for contacts of free bodies, in the space of the bodies.

    (I - c D + D (I + e_N ds/du) H H^T) d = -F,     c = 1 - proximal term

is the step of cone_newton.py for `W = H H^T`, with D of friction_cone.py. The velocities `V = H^T d` of the
bodies fulfil

    (I + H^T A H) V = H^T g,     A = (I - c D)^-1 D (I + e_N ds/du),     g = -(I - c D)^-1 F

with `d = g - A H V`, so that a step takes one factorisation with a block for each body (block_factor.py)
for any contacts that slip. The proximal term and the line search are those of cone_newton.py.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.body_rows import BodyRows, gather, scatter
from nsgalpha.contact.friction_cone import DERIVATIVE, MOST_ROWS, project, shift, shift_derivative, spectral
from nsgalpha.contact.methods.block_factor import assemble, factorise, substitute, velocities
from nsgalpha.contact.methods.conjugate_gradients import solve_gradients
from nsgalpha.contact.multiplier_sets import Sets, natural_map, squares
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill, largest

WEIGHT = 10.0  # of the proximal term at the start: times the residual over the data
PROXIMAL = 1e-8, 1e-2  # least and most, over the unit diagonal of W
LIGHTER = 0.3  # factor of the weight after a step that takes the residual
FALLEN = 0.3  # below this part of that before
HALVINGS = 10
DECREASE = 1e-4  # of |F|, over the step
MEMORY = 5  # steps whose largest |F|,
GROWTH = 3.0  # so many times, a step may come to
AIM, FAST = 0.1, 0.1  # see cone_newton.py, as
HOPE = 0.5
INEXACT = 1e-2  # residual of conjugate gradients, over that before, where at least so many products
FEWEST = 40  # cost less than a factorisation


class BodySteps(NamedTuple):
    """Steps of Newton's method."""

    limit: int
    patience: int  # steps after which it ends at a residual above HOPE times the first
    heavier: float  # factor of the weight after a step that raises the residual


class BodyProblem(NamedTuple):
    """`u = H H^T r + q` with the sets of the multipliers, scaled to a unit diagonal."""

    rows: BodyRows
    q: Floats  # (n,)
    sets: Sets
    block: Ints  # (K + 1,) offsets of the contacts' sets


@kernel
def rates_of(problem, r, V, u):
    """`u = H H^T r + q` (n,); `V` (N, m) takes `H^T r`."""
    rows, q = problem.rows, problem.q
    scatter(rows.body, rows.row, rows.H, r, V)
    gather(rows.body, rows.row, rows.H, V, u)
    for i in range(u.shape[0]):
        u[i] += q[i]


@kernel
def _map_of_cones(problem, r, u, y, F):
    """Write the projected point to `y`, the natural map of the cones to `F` (n,); its norm squared."""
    shift(problem.sets, problem.block, u, y)
    for i in range(r.shape[0]):
        y[i] = r[i] - y[i]
    project(problem.sets, problem.block, y, F)
    for i in range(r.shape[0]):
        F[i] = r[i] - F[i]
    return squares(F)


@kernel
def _condense(row, c, D, A, F, g):
    """Write `A = (I - c D)^-1 (D + A)` (K, 6, 6) and `g = -(I - c D)^-1 F` (n,); overwrites D."""
    for k in range(D.shape[0]):
        first, n = row[k], row[k + 1] - row[k]
        M, X = D[k], A[k]
        for i in range(n):
            g[first + i] = -F[first + i]
            for j in range(n):
                X[i, j] += M[i, j]
                M[i, j] = (1.0 if i == j else 0.0) - c * M[i, j]
        for p in range(n):  # positive definite: no exchange of rows
            inverse = 1.0 / M[p, p]
            for j in range(n):
                M[p, j] *= inverse
                X[p, j] *= inverse
            g[first + p] *= inverse
            for i in range(n):
                f = M[i, p]
                if i == p or f == 0.0:
                    continue
                for j in range(n):
                    M[i, j] -= f * M[p, j]
                    X[i, j] -= f * X[p, j]
                g[first + i] -= f * g[first + p]


@kernel
def solve_condensed(rows, pattern, A, g, factor, V, du, d):
    """Solve `d = g - A H V`, `V = H^T d` (N, m), for `d` and its rates `du = H V` (n,)."""
    body, row, H = rows.body, rows.row, rows.H
    scatter(body, row, H, g, V)
    substitute(pattern, factor, V)
    gather(body, row, H, V, du)
    for k in range(body.shape[0]):
        for i in range(row[k], row[k + 1]):
            d[i] = g[i]
            for j in range(row[k], row[k + 1]):
                d[i] -= A[k, i - row[k], j - row[k]] * du[j]


@kernel
def _worth(rows, pattern):
    """Number of products with `H H^T` that cost about as much as a factorisation."""
    blocks = 0
    for j in range(pattern.place.shape[0]):
        blocks += (pattern.start[j + 1] - pattern.start[j]) ** 2
    return blocks // rows.body.shape[0]


@kernel
def newton_bodies(problem, pattern, factor, r, goal, steps):
    """`BodySteps` from `r` (n,) until the residual is <= `goal`, and on while it falls fast.

    Returns (steps, residual); `r` is the best point met.
    """
    rows, sets, block = problem.rows, problem.sets, problem.block
    n, K = r.shape[0], rows.body.shape[0]
    vectors, matrices = np.empty((9, n)), np.empty((2, K, MOST_ROWS, MOST_ROWS))
    x, u, y, F, g = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    d, du, start, other = vectors[5], vectors[6], vectors[7], vectors[8]
    D, A = matrices[0], matrices[1]
    V, sizes = velocities(factor), np.empty(MEMORY)
    products, most = np.empty((3, n)), _worth(rows, pattern) if n == block.shape[0] - 1 else 0
    copy_into(x, r)
    rates_of(problem, x, V, u)
    residual = before = lowest = first = natural_map(sets, x, u, other)
    fill(sizes, _map_of_cones(problem, x, u, y, F))
    scale, weight = largest(problem.q), WEIGHT
    for iteration in range(steps.limit):
        if lowest <= AIM * goal or (lowest <= goal and residual > FAST * before):
            return iteration, lowest
        if iteration >= steps.patience and lowest > HOPE * first:
            return iteration, lowest
        proximal = min(max(weight * residual / scale, PROXIMAL[0]), PROXIMAL[1])
        spectral(sets, block, y, DERIVATIVE, 1.0, 0.0, D)
        shift_derivative(sets, block, D, u, 1.0, A)
        _condense(rows.row, 1.0 - proximal, D, A, F, g)
        found = most >= FEWEST and solve_gradients(rows, A, g, INEXACT, most, products, V, d)
        if not found:
            most = 0
            assemble(rows, pattern, A, factor)
            if not factorise(pattern, factor):
                return iteration, lowest
            solve_condensed(rows, pattern, A, g, factor, V, du, d)
        t, allowed = 1.0, GROWTH * GROWTH * largest(sizes)
        copy_into(start, x)
        for _halving in range(HALVINGS):
            for i in range(n):
                x[i] = start[i] + t * d[i]
            rates_of(problem, x, V, u)
            size = _map_of_cones(problem, x, u, y, F)
            sizes[iteration % MEMORY] = size
            if size <= (1.0 - DECREASE * t) ** 2 * allowed:
                break
            t *= 0.5
        if not np.isfinite(size):  # comparisons with NaN would make it a solution
            return iteration, lowest
        before, residual = residual, natural_map(sets, x, u, other)
        if residual < FALLEN * before:
            weight *= LIGHTER
        elif residual > before:
            weight *= steps.heavier
        if residual < lowest:
            lowest = residual
            copy_into(r, x)
    return steps.limit, lowest
