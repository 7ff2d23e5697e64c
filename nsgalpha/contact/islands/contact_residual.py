"""How well multipliers fulfil the contact conditions, for all islands at once, without forming W."""

import numpy as np

from nsgalpha.constraints.jointed_response import project_velocities
from nsgalpha.contact.islands.islands import scale_sets
from nsgalpha.contact.multiplier_sets import ROUNDING, copy_sets, natural_map, sets_within, weigh
from nsgalpha.contact.rows.contact_kinematics import rows_sets
from nsgalpha.jit.decorators import inlined, kernel

# Tolerances of impulses that are kept, over that of small islands: the goal of large ones,
# and a tenth of it for the loads alone
KEPT, STEADY = 3.0, 0.3


@inlined
def relative_residual(rows, r, u, b, tol, floor):
    """Natural map at multipliers `r` and rates `u` (R,), island by island over the largest |b|, or 0.

    Entries count by weight (contact/multiplier_sets.py). Returns (residual, worst contact as an index into
    `rows.contact`, fulfilled); `floor` (R,) are the rounding errors of the rates, in their units.
    """
    return islands_residual(rows, (0, rows.island.shape[0] - 1), r, u, b, (tol, floor))


@inlined
def islands_residual(rows, between, r, u, b, tolerance):
    """`relative_residual` of the islands from the first of `between` to before the second."""
    first, last = rows.island[between[0]], rows.island[between[1]]
    n, count = rows.row[last] - rows.row[first], rows.sets[last] - rows.sets[first]
    workspace = np.empty((7, n)), np.empty((3, count), np.int64)
    return _residual_within(workspace, rows, between, r, u, b, tolerance)


@kernel
def _residual_within(workspace, rows, between, r, u, b, tolerance):
    (begin, end), (tol, floor), (floats, integers) = between, tolerance, workspace
    first, last = rows.island[begin], rows.island[end]
    r0, s0 = rows.row[first], rows.sets[first]
    n, count = rows.row[last] - r0, rows.sets[last] - s0
    F, scaled_r, scaled_u, scaled_b, scale = floats[2], floats[3], floats[4], floats[5], floats[6]
    sets = sets_within(floats, integers, count)
    copy_sets(rows_sets(rows), s0, r0, sets)
    scale_sets(rows, first, sets, scale)
    for j in range(n):
        scaled_r[j] = r[r0 + j] * scale[j]
        scaled_u[j] = u[r0 + j] / scale[j]
        scaled_b[j] = b[r0 + j] / scale[j]
    natural_map(sets, scaled_r, scaled_u, F)
    residual, worst, fulfilled = 0.0, first, True
    for i in range(begin, end):
        first, last = rows.island[i], rows.island[i + 1]
        weigh(sets, rows.sets[first] - s0, rows.sets[last] - s0, scale, scaled_b)
        size, bottom = 0.0, 0.0
        for j in range(rows.row[first] - r0, rows.row[last] - r0):
            size = max(size, abs(scaled_b[j]))
            bottom = max(bottom, floor[r0 + j] / scale[j], ROUNDING * abs(scaled_r[j]))
        for k in range(first, last):
            for s in range(rows.sets[k] - s0, rows.sets[k + 1] - s0):
                for j in range(sets.row[s], sets.row[s] + sets.size[s]):
                    entry = sets.weight[s] * abs(F[j])
                    if not entry <= max(tol * size, bottom):
                        fulfilled = False
                        worst = k
                    if entry > max(bottom, residual * size):
                        residual = entry / size
                        if fulfilled:
                            worst = k
    return residual, worst, fulfilled


@kernel
def still_solve(rows, bodies, i, r, b, before, tolerance):
    """True if the multipliers `r` (R,), those of the last step, solve `u = W r + b` in island `i`.

    They also have to solve `u = W r + b - before`, ten times as well; `before` (R,) are the rates before the
    loads. Otherwise the errors of single steps, each within the tolerance, would soon add up.

    `tolerance`: (relative, absolute (R,)), as in `solve_islands`.
    """
    first, last, found = rows.island[i], rows.island[i + 1], False
    for k in range(first, last):
        found = found or r[rows.row[k]] != 0.0
    if not found:
        return False
    V, vectors = np.zeros((bodies.mass.shape[0], 6)), np.empty((3, b.shape[0]))
    u, loaded, b_loaded = vectors[0], vectors[1], vectors[2]
    for k in range(first, last):
        for side in range(2):
            for j in range(rows.row[k], rows.row[k + 1]):
                for d in range(6):
                    V[rows.body[k, side], d] += rows.MG[j, side, d] * r[j]
    project_velocities(rows.joints, V)
    for k in range(first, last):
        for j in range(rows.row[k], rows.row[k + 1]):
            u[j], b_loaded[j] = b[j], b[j] - before[j]
            for side in range(2):
                for d in range(6):
                    u[j] += rows.G[j, side, d] * V[rows.body[k, side], d]
            loaded[j] = u[j] - before[j]
    relative, floor = tolerance
    if not islands_residual(rows, (i, i + 1), r, u, b, (KEPT * relative, floor))[2]:
        return False
    return islands_residual(rows, (i, i + 1), r, loaded, b_loaded, (STEADY * relative, floor))[2]
