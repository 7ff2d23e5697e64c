"""Block Gauss-Seidel on a sparse W: each contact in turn is solved exactly, the others held.

Slow to converge but hard to stop: it brings Newton's method near the right active set.
"""

import numpy as np

from nsgalpha.compiled import entry, kernel
from nsgalpha.contact.cone import MOST_ROWS
from nsgalpha.contact.methods.dense_newton import newton_within
from nsgalpha.contact.sets import empty_sets, take_into

PROJECTIONS = 20  # fixed-point steps for a contact on which Newton's method fails


@kernel
def project(W, b, sets, r, steps):
    """Fixed-point steps `r <- P(r - u)`, set by set: the last resort for one contact."""
    for _ in range(steps):
        for k in range(sets.row.shape[0]):
            i, size, parent = sets.row[k], sets.size[k], sets.parent[k]
            norm = 0.0
            for p in range(i, i + size):
                u = b[p]
                for j in range(b.shape[0]):
                    u += W[p, j] * r[j]
                r[p] -= u
                norm += r[p] * r[p]
            if parent < 0:
                r[i] = max(r[i], 0.0)
                continue
            norm = np.sqrt(norm)
            bound = sets.radius[k] * r[parent]
            if norm > bound:
                for p in range(i, i + size):
                    r[p] *= bound / norm


@entry
def gauss_seidel(indptr, indices, values, b, sets, block, r, tolerance, sweeps):
    """`sweeps` passes over the contacts of the scaled problem; W (n, n) in compressed rows.

    `block` (K + 1,) are the offsets of the contacts' sets. Improves `r` (n,) in place.
    """
    room = np.empty((2 * MOST_ROWS + 7, MOST_ROWS))  # taken once: inside the loops it costs most
    part = empty_sets(MOST_ROWS)
    for _ in range(sweeps):
        for k in range(block.shape[0] - 1):
            s0, s1 = block[k], block[k + 1]
            i0 = sets.row[s0]
            i1 = sets.row[s1 - 1] + sets.size[s1 - 1]
            n = i1 - i0
            local_W, J = room[:n, :n], room[MOST_ROWS : MOST_ROWS + n, :n]
            vectors = room[2 * MOST_ROWS :, :n]
            local_b, local_r = vectors[5], vectors[6]
            for i in range(i0, i1):
                total = b[i]
                for z in range(indptr[i], indptr[i + 1]):
                    j = indices[z]
                    if i0 <= j < i1:
                        local_W[i - i0, j - i0] = values[z]
                    else:
                        total += values[z] * r[j]
                local_b[i - i0] = total
                local_r[i - i0] = r[i]
            local = take_into(part, sets, s0, s1, i0)
            _, residual = newton_within(
                vectors[:5], J, local_W, local_b, local, local_r, 0.1 * tolerance, 12, True
            )
            if not residual <= tolerance:
                project(local_W, local_b, local, local_r, PROJECTIONS)
            for i in range(n):
                r[i0 + i] = local_r[i]
