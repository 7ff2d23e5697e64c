"""The contact problem of bodies that compliant contacts couple, for few rows: dense and compiled."""

import numpy as np

from nsgalpha.contact.islands.islands import island_sets
from nsgalpha.contact.islands.small_islands import solve_impulses
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.multiplier_sets import scale_problem, weigh
from nsgalpha.jit.decorators import kernel


@kernel
def dense_rows(rows, out):
    """The `rows` as a matrix `out` (n, 6 N), without columns for frames."""
    for k in range(rows.body.shape[0]):
        for side in range(2):
            first = 6 * rows.body[k, side]
            if first < out.shape[1]:
                for r in range(rows.row[k], rows.row[k + 1]):
                    for i in range(6):
                        out[r, first + i] += rows.G[r, side, i]


@kernel
def solve_dense(rows, W, b, r, tol, floor):
    """Solve `u = W r + b` for `r` (n,) from its start; unchanged if unsolved.

    `tol` is relative to the largest entry of the scaled `b`, `floor` (n,) the rounding errors of `b`.
    Returns (iterations, relative residual, solved).
    """
    n = b.shape[0]
    sets, _ = island_sets(rows, 0, rows.contact.shape[0])
    scale, scaled_b, scaled_r = np.empty(n), np.empty(n), np.empty(n)
    scaled_W = W.copy()
    scale_problem(scaled_W, sets, scale)
    bottom = 0.0
    for j in range(n):
        scaled_b[j], scaled_r[j] = b[j] / scale[j], r[j] * scale[j]
        bottom = max(bottom, floor[j] / scale[j])
    weigh(sets, 0, sets.row.shape[0], scale, scaled_b)
    tolerance = tol, bottom
    iterations, residual, solved = solve_impulses(scaled_W, scaled_b, sets, tolerance, scaled_r, PROXIMAL)
    if solved:
        for j in range(n):
            r[j] = scaled_r[j] / scale[j]
    return iterations, residual, solved
