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
from nsgalpha.geometry.twists import more, more_rate, rate, set_twist, twist
from nsgalpha.jit.decorators import inlined, kernel

DEPENDENT = 1e-10  # relative pivot up to which a row depends on others
ROUNDING = 1e-15  # residual relative to the largest multiplier, both of scaled rows, that is not refined
REFINEMENTS = 4
HINGE = 5  # rows of the usual joint; with a number of rows that is known, loops over them are unrolled
index = np.uintp  # of numbers that are not negative: no test whether they count from the end


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
    answers: Floats  # (3, R, 4) workspace for four right-hand sides, see jointed_delassus.py,
    twists: Floats  # (B + 1, 6, 4) the velocities of bodies by them, zero in the last place,
    wide: Floats  # (m, 4) and the unknowns of one column


def empty_factor(pattern: Pattern, bodies: int) -> Factor:
    """An empty `Factor` for joints of the `pattern`; `bodies` is the number of all bodies and frames."""
    rows, m = int(pattern.size.sum()), int(pattern.size.max(initial=0))
    mechanisms, never = len(pattern.mechanism) - 1, np.iinfo(np.int64).max
    diagonal, pivot = np.zeros((2, rows))
    blocks = np.zeros((len(pattern.block_row), m, m)), diagonal, pivot
    states = np.zeros(mechanisms, np.int64), np.full(mechanisms, never), np.ones(1)
    work = np.zeros((m, m)), np.zeros(rows), np.zeros((bodies, 6)), np.zeros((5, rows))
    four = np.zeros((3, rows, 4)), np.zeros((bodies + 1, 6, 4)), np.zeros((m, 4))
    values = *blocks, *states, np.zeros(len(pattern.joint), np.int64), *work, *four
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
    if size[k] == HINGE:
        _add_terms(pattern, G, MG, factor, k, HINGE)
    elif size[k] == 1:
        _add_terms(pattern, G, MG, factor, k, 1)
    else:
        _add_terms(pattern, G, MG, factor, k, size[k])
    for i in range(size[k]):
        blocks[pattern.column[k], i, i] += factor.compliance[row[k] + i]
        factor.diagonal[row[k] + i] = blocks[pattern.column[k], i, i]


@inlined
def _add_terms(pattern, G, MG, factor, k, n):
    """Add all terms of column `k`, of `n` rows, to its blocks."""
    row, size = pattern.row, pattern.size
    for t in range(pattern.term[k], pattern.term[k + 1]):
        block, i = factor.blocks[pattern.term_block[t]], pattern.block_row[pattern.term_block[t]]
        side, other = index(pattern.term_side[t, 0]), index(pattern.term_side[t, 1])
        for a in range(size[i]):
            A = twist(G[index(row[i] + a), side])
            for b in range(n):
                block[a, b] += more_rate(0.0, A, MG[index(row[k] + b), other])


@kernel
def _reduce(pattern, factor, k):
    """Subtract the columns before from column `k`; the blocks left of its diagonal become those of T."""
    place = factor.place
    for e in range(pattern.column[k], pattern.column[k + 1]):
        place[pattern.block_row[e]] = e
    for u in range(pattern.left[k], pattern.left[k + 1]):
        own, j = pattern.left_block[u], pattern.left_column[u]
        n = pattern.size[j]
        if n == HINGE:
            _subtract_column(pattern, factor, k, own, j, HINGE)
        elif n == 1:
            _subtract_column(pattern, factor, k, own, j, 1)
        else:
            _subtract_column(pattern, factor, k, own, j, n)


@inlined
def _subtract_column(pattern, factor, k, own, j, n):
    """Subtract column `j`, of `n` rows, from column `k`, whose block left of the diagonal is `own`."""
    blocks, T, block_row = factor.blocks, factor.small, pattern.block_row
    left, inverse, m = blocks[own], blocks[pattern.column[j]], pattern.size[k]
    for a in range(m):
        for b in range(n):
            total = 0.0
            for c in range(n):
                total += left[a, c] * inverse[c, b]
            T[a, b] = total
    for e in range(own, pattern.column[j + 1]):
        below, target = blocks[e], blocks[factor.place[block_row[e]]]
        for a in range(pattern.size[block_row[e]]):
            for b in range(a + 1 if e == own else m):
                total = 0.0
                for c in range(n):
                    total += below[a, c] * T[b, c]
                target[a, b] -= total
    for a in range(m):
        for b in range(n):
            left[a, b] = T[a, b]


@kernel
def _invert(pattern, factor, k):
    """Invert the diagonal block of column `k` row by row; rows that depend get zeros."""
    n = pattern.size[k]
    if n == HINGE:
        _invert_block(pattern, factor, k, HINGE)
    elif n == 1:
        _invert_block(pattern, factor, k, 1)
    else:
        _invert_block(pattern, factor, k, n)


@inlined
def _invert_block(pattern, factor, k, n):
    """`_invert` of `n` rows."""
    A, row = factor.blocks[pattern.column[k]], pattern.row[k]
    diagonal, pivot = factor.diagonal[row : row + n], factor.pivot[row : row + n]
    for i in range(n):
        pivot[i] = 0.0
        for j in range(i):
            A[j, i] = A[i, j]
    for _ in range(n):
        p, largest = -1, DEPENDENT
        for i in range(n):
            if pivot[i] == 0.0 and A[i, i] > largest * diagonal[i]:
                p, largest = i, A[i, i] / diagonal[i]
        if p < 0:
            break
        pivot[p] = largest
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
        if pivot[i] == 0.0:
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
        if is_rounding(size, largest, before):
            break
        before = size
        substitute(pattern, factor, m, residual)
        for r in rows:
            x[r] += residual[r]


@inlined
def is_rounding(size, largest, before):
    """True if a squared residual `size`, `before` the last refinement another, is not worth one."""
    return not (size > ROUNDING * ROUNDING * largest and 4.0 * size < before)


@kernel
def substitute(pattern, factor, m, x):
    """Replace `x`, in the rows of mechanism `m`, by `(1 + T)^-T D^-1 (1 + T)^-1 x`."""
    first, last = pattern.mechanism[m], pattern.mechanism[m + 1]
    for k in range(first, last):
        n = pattern.size[k]
        if n == HINGE:
            _forward(pattern, factor, k, x, HINGE)
        elif n == 1:
            _forward(pattern, factor, k, x, 1)
        else:
            _forward(pattern, factor, k, x, n)
    for k in range(last - 1, first - 1, -1):
        n = pattern.size[k]
        if n == HINGE:
            _backward(pattern, factor, k, x, HINGE)
        elif n == 1:
            _backward(pattern, factor, k, x, 1)
        else:
            _backward(pattern, factor, k, x, n)


@inlined
def _forward(pattern, factor, k, x, n):
    """Subtract the part of the `n` rows of column `k` from the rows below."""
    blocks, row, size, r = factor.blocks, pattern.row, pattern.size, pattern.row[k]
    for e in range(pattern.column[k] + 1, pattern.column[k + 1]):
        i = pattern.block_row[e]
        block, first = blocks[e], row[i]
        for a in range(size[i]):
            total = 0.0
            for b in range(n):
                total += block[a, b] * x[index(r + b)]
            x[index(first + a)] -= total


@inlined
def _backward(pattern, factor, k, x, n):
    """The `n` unknowns of column `k`, from those of the rows below."""
    blocks, z, row, size, r = factor.blocks, factor.small[0], pattern.row, pattern.size, pattern.row[k]
    inverse = blocks[pattern.column[k]]
    for a in range(n):
        total = 0.0
        for b in range(n):
            total += inverse[a, b] * x[index(r + b)]
        z[a] = total
    for e in range(pattern.column[k] + 1, pattern.column[k + 1]):
        i = pattern.block_row[e]
        block, first = blocks[e], row[i]
        for b in range(size[i]):
            known = x[index(first + b)]
            for a in range(n):
                z[a] -= block[b, a] * known
    for a in range(n):
        x[index(r + a)] = z[a]


@kernel
def subtract(pattern, G, MG, factor, m, x, out):
    """`out -= S x` in the rows of mechanism `m`, through the velocities of the bodies."""
    velocity, body, row, size = factor.velocity, pattern.body, pattern.row, pattern.size
    first, last = pattern.mechanism[m], pattern.mechanism[m + 1]
    sides = body.shape[1]
    for k in range(first, last):
        for side in range(sides):
            V = velocity[body[k, side]]
            for d in range(6):
                V[d] = 0.0
    for k in range(first, last):
        for side in range(sides):
            V = velocity[body[k, side]]
            moved = twist(V)
            for r in range(row[k], row[k] + size[k]):
                moved = more(moved, x[index(r)], MG[index(r), side])
            set_twist(V, moved)
    for k in range(first, last):
        A, B = velocity[body[k, 0]], velocity[body[k, 1]]
        for r in range(row[k], row[k] + size[k]):
            total = rate(G[index(r)], A, B)
            for side in range(2, sides):
                total = more_rate(total, G[index(r), side], velocity[body[k, side]])
            out[index(r)] -= total + factor.compliance[index(r)] * x[index(r)]
