"""Block Gauss-Seidel: each contact in turn is solved exactly, the others held.

Slow to converge but hard to stop: it brings Newton's method near the right active set.
"""

import numpy as np

from nsgalpha.compiled import kernel
from nsgalpha.contact.newton import newton
from nsgalpha.contact.sets import take


@kernel
def project(W, b, sets, r, sweeps):
    """Fixed-point steps `r <- P(r - u)`, row set by row set: the last resort for one contact."""
    for _ in range(sweeps):
        for k in range(sets.row.shape[0]):
            i, size, parent = sets.row[k], sets.size[k], sets.parent[k]
            norm = 0.0
            for p in range(i, i + size):
                u = b[p]
                for j in range(b.shape[0]):
                    u += W[p, j] * r[j]
                r[p] -= u / W[p, p] if parent < 0 else u
                norm += r[p] * r[p]
            if parent < 0:
                r[i] = max(r[i], 0.0)
                continue
            norm = np.sqrt(norm)
            bound = sets.radius[k] * r[parent]
            if norm > bound:
                for p in range(i, i + size):
                    r[p] *= bound / norm


@kernel
def gauss_seidel(W, b, sets, block, r, tolerance, sweeps):
    """`sweeps` passes over the contacts; `block` (K + 1,) are the offsets of their sets."""
    n = b.shape[0]
    for _ in range(sweeps):
        for k in range(block.shape[0] - 1):
            s0, s1 = block[k], block[k + 1]
            i0 = sets.row[s0]
            i1 = sets.row[s1 - 1] + sets.size[s1 - 1]
            part = take(sets, s0, s1, i0)
            local_W = W[i0:i1, i0:i1].copy()
            local_b = np.empty(i1 - i0)
            for i in range(i0, i1):
                total = b[i]
                for j in range(n):
                    if j < i0 or j >= i1:
                        total += W[i, j] * r[j]
                local_b[i - i0] = total
            local_r = r[i0:i1].copy()
            _, residual = newton(local_W, local_b, part, local_r, 0.1 * tolerance, 12, True)
            if residual > tolerance:
                project(local_W, local_b, part, local_r, 20)
            for i in range(i0, i1):
                r[i] = local_r[i - i0]
