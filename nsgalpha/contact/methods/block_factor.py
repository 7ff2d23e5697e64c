"""Sparse LU of a matrix of blocks, one for each body, whose pattern is symmetric.

    B = I + sum_k H_k^T A_k H_k,     H_k the rows of contact k on its two bodies

A contact that slips makes A_k and B unsymmetric. Blocks of m rows (6 where bodies turn) are eliminated whole:
rows are exchanged within a pivot, not between bodies. The order is that of minimum degree, from SuperLU for
the graph of the bodies, and stands as long as the contacts do.

Open contacts, A_k = 0, leave blocks of zeros, which the factorisation passes over.

Arrays hold the blocks transposed, so that a product with a vector is a sum of their rows. Columns of zeros
follow, so that a row fills a vector of the processor (linalg/short_rows.py).
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.jit.decorators import fused, inlined, kernel
from nsgalpha.linalg.short_rows import FILLED, subtract_six, subtract_three

SINGULAR = 1e-290  # pivot


class BlockPattern(NamedTuple):
    """Blocks of the factor, by columns; *places* number the bodies in the order of elimination."""

    place: Ints  # (N,) of each body
    start: Ints  # (N + 1,) offsets of the columns into the blocks below the diagonal
    row: Ints  # (Z,) place of the row of each of these, ascending in a column
    link: Ints  # (K,) block of the pair of bodies of each contact, -1 of a single body


class BlockFactor(NamedTuple):
    """Values of B, then of its factor, and workspace; `w` is 4 for m = 3, 8 for m = 6."""

    pivot: Floats  # (N, m, w) blocks on the diagonal, then their inverses
    lower: Floats  # (Z, m, w) blocks below it
    upper: Floats  # (Z, m, w) blocks above it, at the place of the transposed ones
    filled: Flags  # (Z,) blocks that are not zero
    where: Ints  # (N,) block of each row of a column
    small: Floats  # (2, m, w)
    x: Floats  # (N, w)


def block_pattern(body: Ints, count: int) -> BlockPattern:
    """Pattern for contacts of the bodies `body` (K, 2), numbered from 0 to `count` - 1, negative if fixed."""
    paired = (body >= 0).all(axis=1) & (body[:, 0] != body[:, 1])
    i, j = body[paired].T
    ends = np.concatenate([np.arange(count), i, j]), np.concatenate([np.arange(count), j, i])
    keys, which = np.unique(ends[1] * count + ends[0], return_inverse=True)
    degree = np.bincount(np.r_[i, j], minlength=count)
    # diagonally dominant, so that no fill cancels and no rows are exchanged
    values = np.bincount(which, np.r_[degree + 1.0, np.full(2 * len(i), -1.0)])
    graph = sparse.csc_matrix((values, *_columns(keys, count)), shape=(count, count))
    factor = splu(graph, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    L, place = factor.L, factor.perm_c.astype(np.int64)
    column = np.repeat(np.arange(count), np.diff(L.indptr))
    keys = np.sort((column * count + L.indices)[L.indices > column])
    row, start = _columns(keys, count)
    link = np.full(len(body), -1)
    first, second = np.sort(np.stack([place[i], place[j]]), axis=0)
    link[paired] = np.searchsorted(keys, first * count + second)
    return BlockPattern(place, start, row, link)


def _columns(keys: Ints, count: int) -> tuple[Ints, Ints]:
    """Rows, and offsets of the columns, of the ascending `keys`: column times `count` plus row."""
    return keys % count, np.searchsorted(keys, np.arange(count + 1) * count)


def empty_factor(pattern: BlockPattern, size: int) -> BlockFactor:
    """An empty `BlockFactor` of blocks with `size` rows."""
    count, blocks = len(pattern.place), len(pattern.row)
    shape = size, FILLED[size]
    values = np.empty((count, *shape)), np.empty((blocks, *shape)), np.empty((blocks, *shape))
    work = np.empty(blocks, np.bool_), np.empty(count, np.int64), np.empty((2, *shape))
    return BlockFactor(*values, *work, np.zeros((count, shape[1])))


@kernel
def velocities(factor):
    """Workspace for velocities (N, m) of the bodies."""
    return np.empty(factor.pivot.shape[:2])


@fused
def assemble(rows, pattern, A, factor):
    """Write B for the blocks `A` (K, 6, 6) of the contacts of `rows` (body_rows.py) to `factor`."""
    m = rows.H.shape[2]
    factor.pivot[:] = 0.0
    factor.lower[:] = 0.0
    factor.upper[:] = 0.0
    factor.filled[:] = False
    for b in range(factor.pivot.shape[0]):
        for d in range(m):
            factor.pivot[b, d, d] = 1.0
    AH = np.empty((MOST_ROWS, m))
    for k in range(rows.body.shape[0]):
        if m == 6:
            _add_contact(rows, pattern, A, factor, k, AH, 6)
        else:
            _add_contact(rows, pattern, A, factor, k, AH, 3)


@inlined
def _add_contact(rows, pattern, A, factor, k, AH, m):
    """Add `H_k^T A_k H_k` of contact `k`; the compiler knows the number `m` of its columns."""
    body, H, first, n = rows.body[k], rows.H, rows.row[k], rows.row[k + 1] - rows.row[k]
    for other in range(0 if _is_zero(A[k], n) else 2):
        if body[other] < 0:
            continue
        column = pattern.place[body[other]]
        for i in range(n):
            for d in range(m):
                AH[i, d] = 0.0
            for j in range(n):
                a = A[k, i, j]
                for d in range(m):
                    AH[i, d] += a * H[first + j, other, d]
        for side in range(2):
            if body[side] < 0:
                continue
            place = pattern.place[body[side]]
            blocks, z = factor.pivot, place
            if place > column:
                factor.filled[pattern.link[k]] = True
                blocks, z = factor.lower, pattern.link[k]
            elif place < column:
                blocks, z = factor.upper, pattern.link[k]
            for i in range(n):
                for d in range(m):
                    a = AH[i, d]
                    for c in range(m):
                        blocks[z, d, c] += a * H[first + i, side, c]


@fused
def _is_zero(A, n):
    """True if the first `n` diagonal entries of `A` are 0."""
    found = True
    for i in range(n):
        found = found and A[i, i] == 0.0
    return found


@fused
def _subtract_product(C, A, B):
    """`C -= A B` of blocks, or of rows (w,) in the place of C and A."""
    if B.shape[0] == 6:
        subtract_six(C, A, B)
    else:
        subtract_three(C, A, B)


@kernel
def _invert(A, work):
    """Replace the block `A` by its inverse, with pivoting; False if it is singular."""
    m = A.shape[0]
    for i in range(m):
        for j in range(m):
            work[i, j] = A[i, j]
            A[i, j] = 1.0 if i == j else 0.0
    for k in range(m):
        pivot = k
        for i in range(k + 1, m):
            if abs(work[i, k]) > abs(work[pivot, k]):
                pivot = i
        if not abs(work[pivot, k]) > SINGULAR:
            return False
        if pivot != k:
            for j in range(m):
                work[k, j], work[pivot, j] = work[pivot, j], work[k, j]
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
        inverse = 1.0 / work[k, k]
        for j in range(m):
            work[k, j] *= inverse
            A[k, j] *= inverse
        for i in range(m):
            f = work[i, k]
            if i != k and f != 0.0:
                for j in range(m):
                    work[i, j] -= f * work[k, j]
                    A[i, j] -= f * A[k, j]
    return True


@fused
def factorise(pattern, factor):
    """Factorise B in place: `lower` becomes L, with ones on its diagonal; False if a pivot is singular."""
    start, row = pattern.start, pattern.row
    pivot, lower, upper, filled = factor.pivot, factor.lower, factor.upper, factor.filled
    product = factor.small[0]
    for j in range(pivot.shape[0]):
        if not _invert(pivot[j], factor.small[1]):
            return False
        for x in range(start[j], start[j + 1]):
            if not filled[x]:
                continue
            product[:] = 0.0
            _subtract_product(product, pivot[j], lower[x])
            for c in range(product.shape[0]):
                for d in range(product.shape[1]):
                    lower[x, c, d] = -product[c, d]
        for x in range(start[j], start[j + 1]):
            if not filled[x]:
                continue
            i = row[x]
            _subtract_product(pivot[i], upper[x], lower[x])
            for z in range(start[i], start[i + 1]):
                factor.where[row[z]] = z
            for y in range(x + 1, start[j + 1]):
                if filled[y]:
                    z = factor.where[row[y]]
                    filled[z] = True
                    _subtract_product(lower[z], upper[x], lower[y])
                    _subtract_product(upper[z], upper[y], lower[x])
    return True


@fused
def substitute(pattern, factor, V):
    """Replace `V` (N, m), by bodies, by `B^-1 V`."""
    start, row, x, y = pattern.start, pattern.row, factor.x, factor.small[0, 0]
    count, m = V.shape
    for b in range(count):
        for d in range(m):
            x[pattern.place[b], d] = V[b, d]
    for j in range(count):
        for p in range(start[j], start[j + 1]):
            if factor.filled[p]:
                _subtract_product(x[row[p]], x[j], factor.lower[p])
    for j in range(count - 1, -1, -1):
        for p in range(start[j], start[j + 1]):
            if factor.filled[p]:
                _subtract_product(x[j], x[row[p]], factor.upper[p])
        y[:] = 0.0
        _subtract_product(y, x[j], factor.pivot[j])
        for d in range(m):
            x[j, d] = -y[d]
    for b in range(count):
        for d in range(m):
            V[b, d] = x[pattern.place[b], d]
