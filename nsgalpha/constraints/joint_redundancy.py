"""Redundant joints: which rows depend on others, and the smallest multipliers that do the same.

joint_factor.py keeps some rows (k) and leaves out those that depend on them (d). The null space of S then has
the basis

    N = [-S_kk^-1 S_kd; 1],        N^T y = (y - S x)_d   with x = S_kk^-1 y_k.

The multipliers `x - N z` do what x does, for all z. The smallest of them minimise  sum_r S_rr x_r^2,  which
does not depend on the units of the rows; conjugate gradients in z, scaled by S_dd, find them. A vanishing
proximal term would give the same.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.constraints.joint_factor import empty_factor, factorise, substitute, subtract
from nsgalpha.constraints.joint_pattern import Pattern
from nsgalpha.jit.decorators import kernel

SPREAD = 1e-9  # gradient, relative to the multipliers, of those that count as the smallest
DIRECTIONS = 30  # of conjugate gradients; as many as rows that depend suffice
GROWN = 100.0  # square of the gradient over the smallest, from which on rounding alone leads it
INVOLVED = 1e-6  # entry of a null vector of scaled rows from which on a row takes part in it


class Redundancy(NamedTuple):
    """Dependencies among the rows of joints."""

    joints: Ints  # with rows that depend on others
    missing: int  # number of rows less the rank


def redundant(
    pattern: Pattern, G: Floats, MG: Floats, bodies: int, soft: Ints | Sequence[int] = ()
) -> Redundancy:
    """The `Redundancy` of the rows G, MG (R, K, 6) of joints; `bodies` counts all bodies and frames.

    Rows that give way, `soft`, depend on no others.
    """
    factor = empty_factor(pattern, bodies)
    for row in soft:
        factor.compliance[row] = np.sum(G[row] * MG[row])
    null = np.random.default_rng(0).uniform(1.0, 2.0, len(G))
    null_vector(pattern, G, MG, factor, null)
    involved = (np.abs(null) > INVOLVED) | (factor.diagonal == 0.0)
    joints = [
        joint
        for joint, row, size in zip(pattern.joint, pattern.row, pattern.size, strict=True)
        if involved[row : row + size].any()
    ]
    return Redundancy(np.sort(np.array(joints, np.int64)), int(factor.missing.sum()))


@kernel
def spread(pattern, G, MG, factor, x):
    """Replace multipliers `x` (R,) by the smallest that do the same, for the rows G that were factorised."""
    before, step, change, slope = factor.work[0], factor.work[1], factor.work[2], factor.work[3]
    start = pattern.mechanism_rows
    for m in range(factor.missing.shape[0]):
        if factor.missing[m] == 0:
            continue
        rows = pattern.rows[start[m] : start[m + 1]]
        for r in rows:
            before[r], step[r] = x[r], 0.0
        last, smallest = np.inf, np.inf
        for _ in range(DIRECTIONS):
            # slope = N^T (S_rr x), of the rows that depend
            size = 0.0
            for r in rows:
                change[r] = slope[r] = factor.diagonal[r] * x[r]
                size += slope[r] * x[r]
            substitute(pattern, factor, m, change)
            subtract(pattern, G, MG, factor, m, change, slope)
            square = 0.0
            for r in rows:
                if depends(factor, r):
                    square += slope[r] * slope[r] / factor.diagonal[r]
            if not SPREAD * SPREAD * size < square <= GROWN * smallest:
                break
            smallest = min(smallest, square)
            for r in rows:
                if depends(factor, r):
                    step[r] = slope[r] / factor.diagonal[r] + square / last * step[r]
            last = square
            for r in rows:
                change[r] = step[r]
            complete_null(pattern, G, MG, factor, m, change)
            curvature = 0.0
            for r in rows:
                curvature += factor.diagonal[r] * change[r] * change[r]
            for r in rows:
                x[r] -= square / curvature * change[r]
        for r in rows:  # what rounding has changed of their effect
            before[r] -= x[r]
            change[r] = 0.0
        subtract(pattern, G, MG, factor, m, before, change)
        substitute(pattern, factor, m, change)
        for r in rows:
            x[r] -= change[r]


@kernel
def null_vector(pattern, G, MG, factor, x):
    """Factorise; complete the values `x` (R,) of rows that depend to a null vector, both of scaled rows."""
    factorise(pattern, G, MG, factor)
    start = pattern.mechanism_rows
    for m in range(start.shape[0] - 1):
        rows = pattern.rows[start[m] : start[m + 1]]
        for r in rows:
            x[r] = x[r] / math.sqrt(factor.diagonal[r]) if depends(factor, r) else 0.0
        complete_null(pattern, G, MG, factor, m, x)
        for r in rows:
            x[r] *= math.sqrt(factor.diagonal[r])


@kernel
def depends(factor, r):
    """True if row `r` depends on others, and is not empty."""
    return factor.pivot[r] == 0.0 and factor.diagonal[r] > 0.0


@kernel
def complete_null(pattern, G, MG, factor, m, x):
    """Complete `x`, zero in the rows of mechanism `m` that are kept, to a vector `N x` with `S N x = 0`."""
    change, start = factor.work[4], pattern.mechanism_rows
    rows = pattern.rows[start[m] : start[m + 1]]
    for r in rows:
        change[r] = 0.0
    subtract(pattern, G, MG, factor, m, x, change)
    substitute(pattern, factor, m, change)
    for r in rows:
        x[r] += change[r]
