"""Dual active-set method for contacts without friction, dense, whose normals may be redundant.

    r >= 0,   u = W r + b >= 0,   r . u = 0

are the conditions of the least r . W r/2 + b . r, a convex problem. Semismooth Newton steps may cycle among
the active sets where W is singular. Here the active contacts A always have independent normals and r_A >= 0,
and their rates vanish (D. Goldfarb and A. Idnani, Math. Program. 27 (1983) 1-33). The contact p that closes
fastest joins them. While r_p grows by t,

    r_A -= t d,    u_p += t z,    d = W_AA^-1 W_Ap,    z = W_pp - W_Ap . d

until u_p = 0, or the multiplier of an active contact vanishes, which then leaves. z = 0 if the normal of p
depends on those of A. Each step with t > 0 increases the energy that the contacts take, so that it ends.
"""

import math

import numpy as np

from nsgalpha.contact.multiplier_sets import HALF_LINE, rates
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill

DEPENDENT = 1e-10  # z, over the diagonal of W, of a normal that depends on the active ones
MOST = 10  # contacts that are added, for each row


@kernel
def are_half_lines(sets):
    """True if no set is that of friction, a joint or an interval."""
    return np.all(sets.parent == HALF_LINE)


@kernel
def solve_half_lines(W, b, r, tolerance):
    """Solve `u = W r + b` for `r` (n,) in half lines to u >= -`tolerance`; on entry the start.

    Returns (contacts added, solved). On failure `r` is the start.
    """
    n = b.shape[0]
    factor, u, d, start = np.empty((n, n)), np.empty(n), np.empty(n), r.copy()
    active, is_active = np.empty(n, np.int64), np.zeros(n, np.bool_)
    count = _start(W, b, r, (factor, d, active, is_active))
    for added in range(MOST * n):
        rates(W, b, r, u)
        p, lowest = -1, -tolerance
        for i in range(n):
            if not is_active[i] and u[i] < lowest:
                p, lowest = i, u[i]
        if p < 0:
            return added, True
        while True:
            z = _direction(W, factor, active, count, p, d)
            independent = z > DEPENDENT * W[p, p]
            step, leaving = -u[p] / z if independent else math.inf, -1
            for k in range(count):
                if d[k] > 0.0 and r[active[k]] < step * d[k]:
                    step, leaving = r[active[k]] / d[k], k
            if step == math.inf:
                copy_into(r, start)
                return added, False
            for k in range(count):
                r[active[k]] -= step * d[k]
            r[p] += step
            u[p] += step * max(z, 0.0)
            if leaving < 0:
                break
            r[active[leaving]], is_active[active[leaving]] = 0.0, False
            for k in range(leaving, count - 1):
                active[k] = active[k + 1]
            count -= 1
            _factorise(W, factor, active, leaving, count)
        count = _append(W, factor, active, count, p)
        is_active[p] = True
        _solve_active(b, factor, active, count, d)
        for k in range(count):  # to rounding
            r[active[k]] = max(d[k], 0.0)
    copy_into(r, start)
    return MOST * n, False


@kernel
def _start(W, b, r, workspace):
    """Begin with the contacts that push and whose normals are independent; returns how many."""
    factor, d, active, is_active = workspace
    count = 0
    for i in range(b.shape[0]):
        if r[i] > 0.0 and _direction(W, factor, active, count, i, d) > DEPENDENT * W[i, i]:
            count = _append(W, factor, active, count, i)
    least = -1.0
    while count > 0 and least < 0.0:
        _solve_active(b, factor, active, count, d)
        least, lowest = 0.0, -1
        for k in range(count):
            if d[k] < least:
                least, lowest = d[k], k
        if lowest >= 0:
            for k in range(lowest, count - 1):
                active[k] = active[k + 1]
            count -= 1
            _factorise(W, factor, active, lowest, count)
    fill(r, 0.0)
    for k in range(count):
        r[active[k]] = d[k]
        is_active[active[k]] = True
    return count


@kernel
def _append(W, factor, active, count, p):
    """Add contact `p` to the active ones; returns how many there are."""
    active[count] = p
    _factorise(W, factor, active, count, count + 1)
    return count + 1


@kernel
def _factorise(W, factor, active, first, count):
    """Write the rows from `first` to `count` - 1 of the lower factor of `W_AA`."""
    for k in range(first, count):
        for m in range(k + 1):
            total = W[active[k], active[m]]
            for j in range(m):
                total -= factor[k, j] * factor[m, j]
            factor[k, m] = math.sqrt(max(total, 1e-300)) if m == k else total / factor[m, m]


@kernel
def _direction(W, factor, active, count, p, d):
    """Write `W_AA^-1 W_Ap` to `d`; returns z."""
    z = W[p, p]
    for k in range(count):
        total = W[active[k], p]
        for j in range(k):
            total -= factor[k, j] * d[j]
        d[k] = total / factor[k, k]
        z -= d[k] * d[k]
    _solve_transposed(factor, count, d)
    return z


@kernel
def _solve_active(b, factor, active, count, d):
    """Write `-W_AA^-1 b_A` to `d`."""
    for k in range(count):
        total = -b[active[k]]
        for j in range(k):
            total -= factor[k, j] * d[j]
        d[k] = total / factor[k, k]
    _solve_transposed(factor, count, d)


@kernel
def _solve_transposed(factor, count, d):
    """Solve with the transposed factor in place."""
    for k in range(count - 1, -1, -1):
        total = d[k]
        for j in range(k + 1, count):
            total -= factor[j, k] * d[j]
        d[k] = total / factor[k, k]
