"""Islands that are large, or on which plain Newton fails: sparse, and several methods in turn.

Semismooth Newton with a line search on the sparse generalized Jacobian `I - D + D W`; when it does not
settle, block Gauss-Seidel from the best point and Newton again, with twice the sweeps each time; then
the proximal point method, whose problems have a unique solution:

    find r_{k+1} with  u = W r + b + c (r - r_k),   c -> 0 while that is solved, c up when it is not

At its fixed point, r_{k+1} = r_k, the term is gone, whatever c is.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import entry
from nsgalpha.contact.gauss_seidel import gauss_seidel
from nsgalpha.contact.newton import PROXIMAL, projection_derivative
from nsgalpha.contact.sets import Sets, natural_map

NEWTON_ITERATIONS = 30
HALVINGS = 8
FIRST_SWEEPS = 20
ROUNDS = 4
FIRST_PROXIMAL = 1e-2  # c, relative to the unit diagonal of the scaled W
LEAST_PROXIMAL = 1e-9
PROXIMAL_STEPS = 80


class SparseProblem(NamedTuple):
    """A contact problem scaled to a unit diagonal, W in compressed rows."""

    W: sparse.csr_array  # (n, n)
    sets: Sets
    block: Ints  # (K + 1,) offsets of the contacts' sets


@entry
def _natural_map(sets, r, u, F):
    return natural_map(sets, r, u, F)


@entry
def _jacobian_values(indptr, indices, W, sets, r, u, J):
    """Values of `I - D + D (W + PROXIMAL I)` on the pattern of W; a contact's rows have equal patterns."""
    for k in range(sets.row.shape[0]):
        i, parent, size = sets.row[k], sets.parent[k], sets.size[k]
        dii, dij, djj, din, djn = projection_derivative(sets, k, r, u)
        j = i + 1 if size == 2 else i
        normal = parent if parent >= 0 else i
        for z in range(indptr[i + 1] - indptr[i]):
            wi, wj, wn = W[indptr[i] + z], W[indptr[j] + z], W[indptr[normal] + z]
            column = indices[indptr[i] + z]
            one_i, one_j, one_n = column == i, column == j, column == normal
            inner = dii * one_i + dij * one_j + din * one_n
            J[indptr[i] + z] = one_i - (1.0 - PROXIMAL) * inner + dii * wi + dij * wj + din * wn
            if size == 2:
                inner = dij * one_i + djj * one_j + djn * one_n
                J[indptr[j] + z] = one_j - (1.0 - PROXIMAL) * inner + dij * wi + djj * wj + djn * wn


def newton(
    problem: SparseProblem, b: Floats, r: Floats, tolerance: float, iterations: int
) -> tuple[int, float]:
    """Improve `r` (n,) by semismooth Newton with a line search; returns (iterations, residual)."""
    W, sets = problem.W, problem.sets
    F = np.empty_like(b)
    J = np.empty_like(W.data)
    # the transpose of J in compressed columns is J in compressed rows: keep the map once
    columns = sparse.csr_array((np.arange(len(J)), W.indices, W.indptr), shape=W.shape).tocsc()
    place = columns.data
    solver = None
    u = W @ r + b
    residual = _natural_map(sets, r, u, F)
    best, lowest = r.copy(), residual
    for iteration in range(iterations):
        if residual <= tolerance:
            return iteration, residual
        _jacobian_values(W.indptr, W.indices, W.data, sets, r, u, J)
        A = sparse.csc_array((J[place], columns.indices, columns.indptr), shape=W.shape)
        try:
            solver = solver or linalg.analyse(A, kind="general")
            delta = solver.factorise(A).solve(F)
        except linalg.SingularMatrixError:
            break
        start, merit, step = r.copy(), F @ F, 1.0
        for _ in range(HALVINGS):
            r[:] = start - step * delta
            u = W @ r + b
            residual = _natural_map(sets, r, u, F)
            if merit * (1.0 - 1e-4 * step) > F @ F:
                break
            step *= 0.5
        if residual < lowest:
            best, lowest = r.copy(), residual
    if residual > tolerance:
        r[:] = best
    return iterations, min(residual, lowest)


def proximal_point(problem: SparseProblem, b: Floats, r: Floats, tolerance: float) -> tuple[int, float]:
    """Improve `r` (n,) by the proximal point method; returns (iterations, residual)."""
    W, sets, block = problem
    F = np.empty_like(b)
    # on the pattern of W, whose explicit zeros a sparse sum would drop
    rows = np.repeat(np.arange(len(b)), np.diff(W.indptr))
    diagonal = np.flatnonzero(rows == W.indices)
    residual = _natural_map(sets, r, W @ r + b, F)
    total, c = 0, FIRST_PROXIMAL
    for _ in range(PROXIMAL_STEPS):
        if residual <= tolerance:
            break
        shifted = W.copy()
        shifted.data[diagonal] += c
        goal = max(tolerance, 1e-3 * residual)
        point = r.copy()
        iterations, reached = newton(
            SparseProblem(shifted, sets, block), b - c * r, point, goal, NEWTON_ITERATIONS
        )
        total += iterations
        r[:] = point
        residual = _natural_map(sets, r, W @ r + b, F)
        c = max(0.3 * c, LEAST_PROXIMAL) if reached <= goal else min(10.0 * c, 1.0)
    return total, residual


def solve(problem: SparseProblem, b: Floats, r: Floats, tolerance: float) -> tuple[int, float]:
    """Solve `u = W r + b` for `r` (n,), the start on entry; returns (iterations, residual).

    Solved if the residual, the largest entry of the natural map, is at most `tolerance`.
    """
    W, sets, block = problem
    total, residual = newton(problem, b, r, tolerance, NEWTON_ITERATIONS)
    sweeps = FIRST_SWEEPS
    for _ in range(ROUNDS):
        if residual <= tolerance:
            break
        gauss_seidel(W.indptr, W.indices, W.data, b, sets, block, r, tolerance, sweeps)
        iterations, residual = newton(problem, b, r, tolerance, NEWTON_ITERATIONS)
        total += iterations + sweeps
        sweeps *= 2
    if residual > tolerance:
        iterations, residual = proximal_point(problem, b, r, tolerance)
        total += iterations
    return total, residual
