"""Multipliers of joints: `S x = b`, `S = G M^-1 G^T`, by a block factor `S = (1 + T) D (1 + T)^T`.

Rows may depend on others (a door on two hinges, a planar four-bar in space). S is then singular: the effect
of the multipliers, `M^-1 G^T x`, is unique, but not the multipliers. The pivot of a row relative to its entry
of S is the squared sine of the angle between it and the rows before it. Rows up to DEPENDENT are left out:
their multipliers are 0. Within a joint the row with the largest pivot goes first. joint_redundancy.py finds
the smallest multipliers that do the same.

No proximal term is added to S. A long chain would not stand it: that of n hinges with parallel axes has a
smallest eigenvalue of order n^-4, but no small pivot.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.constraints.joint_pattern import Pattern
from nsgalpha.jit.decorators import kernel

DEPENDENT = 1e-10  # relative pivot up to which a row depends on others
ROUNDING = 1e-15  # residual relative to the largest multiplier, both of scaled rows, that is not refined
REFINEMENTS = 4


class Factor(NamedTuple):
    """Values of a factor, and workspace."""

    blocks: Floats  # (E, m, m) of D^-1 (first of a column) and of T; m is the largest number of rows
    diagonal: Floats  # (R,) of S
    pivot: Floats  # (R,) relative to the diagonal; 0: the row depends on others
    missing: Ints  # (M,) number of rows of each mechanism that depend on others
    usual: Ints  # (M,) the smallest of these numbers at the ends of the steps so far
    nearest: Floats  # (1,) smallest pivot at the end of the last step
    place: Ints  # (J,) workspace for the block of each row in one column
    small: Floats  # (m, m) workspace for one block
    compliance: Floats  # (R,) added to the diagonal of S: of soft rows, see joint_coordinates.py
    velocity: Floats  # (B, 6) workspace for M^-1 G^T x
    work: Floats  # (5, R)


def empty_factor(pattern: Pattern, bodies: int) -> Factor:
    """An empty `Factor` for joints of the `pattern`; `bodies` is the number of all bodies and frames."""
    rows, m = int(pattern.size.sum()), int(pattern.size.max(initial=0))
    mechanisms, never = len(pattern.mechanism) - 1, np.iinfo(np.int64).max
    diagonal, pivot = np.zeros((2, rows))
    blocks = np.zeros((len(pattern.block_row), m, m)), diagonal, pivot
    states = np.zeros(mechanisms, np.int64), np.full(mechanisms, never), np.ones(1)
    work = np.zeros((m, m)), np.zeros(rows), np.zeros((bodies, 6)), np.zeros((5, rows))
    values = *blocks, *states, np.zeros(len(pattern.joint), np.int64), *work
    return Factor(*values)


@kernel
def factorise(pattern, G, MG, factor):
    """Factorise S of the rows G (R, K, 6) and MG = M^-1 G^T; MG is zero on bodies that cannot move."""
    for k in range(pattern.joint.shape[0]):
        _assemble(pattern, G, MG, factor, k)
        _reduce(pattern, factor, k)
        _invert(pattern, factor, k)
    for m in range(factor.missing.shape[0]):
        factor.missing[m] = 0
        for r in pattern.rows[pattern.mechanism_rows[m] : pattern.mechanism_rows[m + 1]]:
            factor.missing[m] += factor.pivot[r] == 0.0


@kernel
def least_pivot(factor):
    """Smallest pivot of the rows that are kept."""
    least = 1.0
    for r in range(factor.pivot.shape[0]):
        if 0.0 < factor.pivot[r] < least:
            least = factor.pivot[r]
    return least


@kernel
def lacks_rank(factor):
    """True if a mechanism has more dependent rows than after an earlier step."""
    found = False
    for m in range(factor.missing.shape[0]):
        if factor.missing[m] > factor.usual[m]:
            found = True
        factor.usual[m] = min(factor.usual[m], factor.missing[m])
    return found


@kernel
def _assemble(pattern, G, MG, factor, k):
    """The blocks of column `k` of S, on and below the diagonal."""
    blocks, row, size = factor.blocks, pattern.row, pattern.size
    for e in range(pattern.column[k], pattern.column[k + 1]):
        for i in range(size[pattern.block_row[e]]):
            for j in range(size[k]):
                blocks[e, i, j] = 0.0
    for t in range(pattern.term[k], pattern.term[k + 1]):
        e = pattern.term_block[t]
        side, other = pattern.term_side[t, 0], pattern.term_side[t, 1]
        first = row[pattern.block_row[e]]
        for i in range(size[pattern.block_row[e]]):
            for j in range(i + 1 if e == pattern.column[k] else size[k]):
                total = 0.0
                for d in range(6):
                    total += G[first + i, side, d] * MG[row[k] + j, other, d]
                blocks[e, i, j] += total
    for i in range(size[k]):
        blocks[pattern.column[k], i, i] += factor.compliance[row[k] + i]
        factor.diagonal[row[k] + i] = blocks[pattern.column[k], i, i]


@kernel
def _reduce(pattern, factor, k):
    """Subtract the columns before from column `k`; the blocks left of its diagonal become those of T."""
    blocks, size, place, T = factor.blocks, pattern.size, factor.place, factor.small
    for e in range(pattern.column[k], pattern.column[k + 1]):
        place[pattern.block_row[e]] = e
    for u in range(pattern.left[k], pattern.left[k + 1]):
        own, j = pattern.left_block[u], pattern.left_column[u]
        inverse = pattern.column[j]
        for a in range(size[k]):
            for b in range(size[j]):
                total = 0.0
                for c in range(size[j]):
                    total += blocks[own, a, c] * blocks[inverse, c, b]
                T[a, b] = total
        for e in range(own, pattern.column[j + 1]):
            target = place[pattern.block_row[e]]
            for a in range(size[pattern.block_row[e]]):
                for b in range(a + 1 if e == own else size[k]):
                    total = 0.0
                    for c in range(size[j]):
                        total += blocks[e, a, c] * T[b, c]
                    blocks[target, a, b] -= total
        for a in range(size[k]):
            for b in range(size[j]):
                blocks[own, a, b] = T[a, b]


@kernel
def _invert(pattern, factor, k):
    """Invert the diagonal block of column `k` row by row; rows that depend get zeros."""
    A, row, n = factor.blocks[pattern.column[k]], pattern.row[k], pattern.size[k]
    diagonal, pivot = factor.diagonal, factor.pivot
    for i in range(n):
        pivot[row + i] = 0.0
        for j in range(i):
            A[j, i] = A[i, j]
    for _ in range(n):
        p, largest = -1, DEPENDENT
        for i in range(n):
            if pivot[row + i] == 0.0 and A[i, i] > largest * diagonal[row + i]:
                p, largest = i, A[i, i] / diagonal[row + i]
        if p < 0:
            break
        pivot[row + p] = largest
        inverse = 1.0 / A[p, p]
        A[p, p] = 1.0
        for j in range(n):
            A[p, j] *= inverse
        for i in range(n):
            if i != p:
                below = A[i, p]
                A[i, p] = 0.0
                for j in range(n):
                    A[i, j] -= below * A[p, j]
    for i in range(n):
        if pivot[row + i] == 0.0:
            for j in range(n):
                A[i, j] = A[j, i] = 0.0


@kernel
def solve(pattern, G, MG, factor, x):
    """Replace right-hand sides `x` (R,) by multipliers, refined while that halves the residual.

    All rows that are kept hold; those that depend on them hold where `x` is in the range of S.
    """
    for m in range(pattern.mechanism_rows.shape[0] - 1):
        solve_mechanism(pattern, G, MG, factor, m, x)


@kernel
def solve_mechanism(pattern, G, MG, factor, m, x):
    """`solve`, in the rows of mechanism `m` alone."""
    b, residual, start = factor.work[0], factor.work[1], pattern.mechanism_rows
    rows = pattern.rows[start[m] : start[m + 1]]
    for r in rows:
        b[r] = x[r]
    substitute(pattern, factor, m, x)
    before = np.inf
    for _ in range(REFINEMENTS):
        for r in rows:
            residual[r] = b[r]
        subtract(pattern, G, MG, factor, m, x, residual)
        size, largest = 0.0, 0.0
        for r in rows:
            if factor.pivot[r] > 0.0:
                size = max(size, residual[r] * residual[r] / factor.diagonal[r])
                largest = max(largest, x[r] * x[r] * factor.diagonal[r])
        if not (size > ROUNDING * ROUNDING * largest and 4.0 * size < before):
            break
        before = size
        substitute(pattern, factor, m, residual)
        for r in rows:
            x[r] += residual[r]


@kernel
def substitute(pattern, factor, m, x):
    """Replace `x`, in the rows of mechanism `m`, by `(1 + T)^-T D^-1 (1 + T)^-1 x`."""
    blocks, z = factor.blocks, factor.small[0]
    column, row, size = pattern.column, pattern.row, pattern.size
    first, last = pattern.mechanism[m], pattern.mechanism[m + 1]
    for k in range(first, last):
        for e in range(column[k] + 1, column[k + 1]):
            i = pattern.block_row[e]
            for a in range(size[i]):
                total = 0.0
                for b in range(size[k]):
                    total += blocks[e, a, b] * x[row[k] + b]
                x[row[i] + a] -= total
    for k in range(last - 1, first - 1, -1):
        for a in range(size[k]):
            z[a] = 0.0
            for b in range(size[k]):
                z[a] += blocks[column[k], a, b] * x[row[k] + b]
        for e in range(column[k] + 1, column[k + 1]):
            i = pattern.block_row[e]
            for b in range(size[i]):
                for a in range(size[k]):
                    z[a] -= blocks[e, b, a] * x[row[i] + b]
        for a in range(size[k]):
            x[row[k] + a] = z[a]


@kernel
def subtract(pattern, G, MG, factor, m, x, out):
    """`out -= S x` in the rows of mechanism `m`, through the velocities of the bodies."""
    velocity, body, row, size = factor.velocity, pattern.body, pattern.row, pattern.size
    first, last = pattern.mechanism[m], pattern.mechanism[m + 1]
    sides = body.shape[1]
    for k in range(first, last):
        for side in range(sides):
            for d in range(6):
                velocity[body[k, side], d] = 0.0
    for k in range(first, last):
        for side in range(sides):
            b = body[k, side]
            for r in range(row[k], row[k] + size[k]):
                for d in range(6):
                    velocity[b, d] += MG[r, side, d] * x[r]
    for k in range(first, last):
        a, b = body[k, 0], body[k, 1]
        for r in range(row[k], row[k] + size[k]):
            total = 0.0
            for d in range(6):
                total += G[r, 0, d] * velocity[a, d] + G[r, 1, d] * velocity[b, d]
            for side in range(2, sides):
                for d in range(6):
                    total += G[r, side, d] * velocity[body[k, side], d]
            out[r] -= total + factor.compliance[r] * x[r]
