"""The Coulomb cone of a contact, its projection and the derivative of that.

The rows of a contact live in `K = { r : |r_i| <= rho_i r_N, i = sliding, rolling, drilling }`, an
intersection of second-order cones that share the normal row. With De Saxce's shift

    s = sum_i rho_i |u_i|,    K* contains u + s e_N,    orthogonal to  r in K

the contact conditions are one cone complementarity (De Saxce and Feng 1998, extended to several balls),
whose natural map with the augmentation `a` is

    F = r - P(y),    y = r - a (u + s e_N)

The projection: with the balls A that `y` is outside of at the height `r_N`,

    r_N = max(0, (y_N + sum_A rho_i |y_i|) / (1 + sum_A rho_i^2)),     r_i = min(1, rho_i r_N / |y_i|) y_i

Its derivative D is symmetric with eigenvalues in [0, 1], one block a contact: with tau_i = y_i/|y_i|,

    D = e e^T / |e|^2 + sum_A (rho_i r_N/|y_i|) (I - tau_i tau_i^T) + sum_{not A} I
    e = e_N + sum_A rho_i tau_i

and 0 where r_N = 0. The terms act on orthogonal subspaces: their factors are the eigenvalues.

Free rows, `P = y`, and intervals, balls of a fixed radius, have no shift. Their D is I, and that of a ball
without e. A block, the unit of all functions here, is a contact or any number of these sets.
"""

import math

import numpy as np

from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE
from nsgalpha.jit.decorators import kernel

MOST_ROWS = 6  # of a block
DERIVATIVE, ROOT, LOAD, RANGE = range(4)  # functions of D


@kernel
def _length(y, i, size):
    total = 0.0
    for j in range(i, i + size):
        total += y[j] * y[j]
    return math.sqrt(total)


@kernel
def height(sets, first, last, y):
    """`r_N` of the projection of one block, whose sets are `first` to `last` - 1; 0 if it is no contact."""
    if sets.parent[first] != HALF_LINE:
        return 0.0
    top = y[sets.row[first]]
    h = max(top, 0.0)
    for _ in range(first, last):
        # h grows from step to step, balls only leave A: at most as many steps as balls
        total, weight = top, 1.0
        for k in range(first + 1, last):
            rho = sets.radius[k]
            length = _length(y, sets.row[k], sets.size[k])
            if length > rho * h:
                total += rho * length
                weight += rho * rho
        h = max(total / weight, 0.0)
    return h


@kernel
def _bound(sets, k, h):
    """Radius of a ball at the normal multiplier `h`, or of an interval."""
    return sets.radius[k] * h if sets.parent[k] >= 0 else sets.radius[k]


@kernel
def project(sets, block, y, P):
    """Write the projection of `y` (n,) on the cones to `P`; `block` (K + 1,) as in multiplier_sets.py."""
    for c in range(block.shape[0] - 1):
        h = height(sets, block[c], block[c + 1], y)
        for k in range(block[c], block[c + 1]):
            i, size, parent = sets.row[k], sets.size[k], sets.parent[k]
            if parent == HALF_LINE:
                P[i] = h
                continue
            factor = 1.0
            if parent != FREE:
                length, bound = _length(y, i, size), _bound(sets, k, h)
                if length > bound:
                    factor = bound / length
            for j in range(i, i + size):
                P[j] = factor * y[j]


@kernel
def shift(sets, block, u, out):
    """Write `u + s e_N` to `out` (n,)."""
    for j in range(u.shape[0]):
        out[j] = u[j]
    for k in range(block[-1]):
        if sets.parent[k] >= 0:
            out[sets.parent[k]] += sets.radius[k] * _length(u, sets.row[k], sets.size[k])


@kernel
def _weight(eigenvalue, which, a, c):
    if which == ROOT:
        return math.sqrt(a * eigenvalue / (1.0 - c * eigenvalue))
    if which == LOAD:
        return 1.0 / math.sqrt(a * eigenvalue * (1.0 - c * eigenvalue))
    return eigenvalue if which == DERIVATIVE else 1.0


@kernel
def spectral(sets, block, y, which, a, c, out):
    """Write to `out` (K, 6, 6) the blocks of a function of D at `y` (n,), 0 where D has no range.

    `which`: DERIVATIVE, D itself; RANGE, the projection on its range; ROOT, T = (a D / (I - c D))^(1/2);
    LOAD, T^-1 (I - c D)^-1 on the range.
    """
    e = np.empty(MOST_ROWS)
    one = _weight(1.0, which, a, c)
    for contact in range(block.shape[0] - 1):
        first, last = block[contact], block[contact + 1]
        n0 = sets.row[first]
        matrix = out[contact]
        unilateral = sets.parent[first] == HALF_LINE
        for i in range(MOST_ROWS):
            e[i] = 0.0
            for j in range(MOST_ROWS):
                matrix[i, j] = 0.0
        h = height(sets, first, last, y)
        if unilateral and h <= 0.0:
            continue
        e[0], squared = 1.0, 1.0
        for k in range(first + unilateral, last):
            i0, size, rho = sets.row[k], sets.size[k], sets.radius[k]
            length, bound = _length(y, i0, size), _bound(sets, k, h)
            outside = sets.parent[k] != FREE and length > bound
            factor = one
            if outside:
                factor = _weight(bound / length, which, a, c) if rho > 0.0 else 0.0
                squared += rho * rho
            for i in range(i0, i0 + size):
                matrix[i - n0, i - n0] += factor
                if outside:
                    e[i - n0] = rho * y[i] / length
                    for j in range(i0, i0 + size):
                        matrix[i - n0, j - n0] -= factor * y[i] * y[j] / (length * length)
        if not unilateral:
            continue
        for i in range(MOST_ROWS):
            for j in range(MOST_ROWS):
                matrix[i, j] += one * e[i] * e[j] / squared


@kernel
def shift_derivative(sets, block, D, u, a, out):
    """Write `a D e_N ds/du` to `out` (K, 6, 6)."""
    for contact in range(block.shape[0] - 1):
        first, last = block[contact], block[contact + 1]
        n0 = sets.row[first]
        for i in range(MOST_ROWS):
            for j in range(MOST_ROWS):
                out[contact, i, j] = 0.0
        for k in range(first, last):
            i0, size = sets.row[k], sets.size[k]
            length = _length(u, i0, size)
            if sets.parent[k] < 0 or length == 0.0:
                continue
            for j in range(i0, i0 + size):
                slope = a * sets.radius[k] * u[j] / length
                for i in range(MOST_ROWS):
                    out[contact, i, j - n0] = D[contact, i, 0] * slope


@kernel
def symmetrise(sets, block, D, a, c, C, E, F):
    """Free the contacts that stick, D = I, of the shift in `a (I + e_N ds/du) W`.

    Multiplied by `I - e_N ds/du`, the inverse of the factor of W, their rows of the Newton equation have
    `F - e_N ds/du F` (written to `F`), no `C`, and `E = -(1 - c) e_N ds/du` (K, 6, 6) beside W.
    """
    for contact in range(block.shape[0] - 1):
        r0 = sets.row[block[contact]]
        for i in range(MOST_ROWS):
            for j in range(MOST_ROWS):
                E[contact, i, j] = 0.0
        if sets.parent[block[contact]] != HALF_LINE or D[contact, 0, 0] != 1.0:
            continue
        last = block[contact + 1] - 1
        for j in range(1, sets.row[last] + sets.size[last] - r0):
            slope = C[contact, 0, j] / a
            E[contact, 0, j] = -(1.0 - c) * slope
            F[r0] -= slope * F[r0 + j]
            C[contact, 0, j] = 0.0


@kernel
def apply_blocks(sets, block, D, x, out):
    """`out = D x`, both (n,)."""
    for contact in range(block.shape[0] - 1):
        r0 = sets.row[block[contact]]
        last = block[contact + 1] - 1
        n = sets.row[last] + sets.size[last] - r0
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += D[contact, i, j] * x[r0 + j]
            out[r0 + i] = total


@kernel
def fill_jacobian(sets, block, D, C, a, c, W, out):
    """Write `I - c D + (a D + C) W` to `out` (n, n), for W (n, n)."""
    n = W.shape[0]
    factor = np.empty((MOST_ROWS, MOST_ROWS))
    for contact in range(block.shape[0] - 1):
        r0 = sets.row[block[contact]]
        last = block[contact + 1] - 1
        rows = sets.row[last] + sets.size[last] - r0
        for i in range(rows):
            for j in range(rows):
                factor[i, j] = a * D[contact, i, j] + C[contact, i, j]
        for i in range(rows):
            for m in range(n):
                out[r0 + i, m] = 0.0
            for j in range(rows):
                f = factor[i, j]
                if f != 0.0:
                    for m in range(n):
                        out[r0 + i, m] += f * W[r0 + j, m]
            out[r0 + i, r0 + i] += 1.0
            for j in range(rows):
                out[r0 + i, r0 + j] -= c * D[contact, i, j]


@kernel
def _contact_of_rows(sets, block, contact):
    for c in range(block.shape[0] - 1):
        last = block[c + 1] - 1
        for j in range(sets.row[block[c]], sets.row[last] + sets.size[last]):
            contact[j] = c


@kernel
def fill_congruence(indptr, indices, values, sets, block, T, out):
    """Values of `I + T W T` on the pattern of W, which is made of full blocks."""
    n = indptr.shape[0] - 1
    contact = np.empty(n, np.int64)
    _contact_of_rows(sets, block, contact)
    half = np.empty((MOST_ROWS, MOST_ROWS))
    for c in range(block.shape[0] - 1):
        r0 = sets.row[block[c]]
        last = block[c + 1] - 1
        rows = sets.row[last] + sets.size[last] - r0
        z0, width = indptr[r0], indptr[r0 + 1] - indptr[r0]
        at = 0
        while at < width:
            m = contact[indices[z0 + at]]
            columns = 1
            while at + columns < width and contact[indices[z0 + at + columns]] == m:
                columns += 1
            for i in range(rows):
                for j in range(columns):
                    total = 0.0
                    for p in range(columns):
                        total += values[indptr[r0 + i] + at + p] * T[m, p, j]
                    half[i, j] = total
            for i in range(rows):
                for j in range(columns):
                    total = 0.0
                    for p in range(rows):
                        total += T[c, i, p] * half[p, j]
                    out[indptr[r0 + i] + at + j] = total
                if m == c:
                    out[indptr[r0 + i] + at + i] += 1.0
            at += columns
