"""Block Gauss-Seidel: each contact, joint or interval in turn is solved exactly.

Slow to converge but hard to stop: it brings Newton's method near the right active set.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.contact.methods.dense_newton import PROXIMAL, NewtonSteps, newton_within
from nsgalpha.contact.methods.sliding_newton import solve_sliding
from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE, Sets, empty_sets, take_into
from nsgalpha.jit.decorators import kernel

CONTACT_ITERATIONS = 12  # of Newton's method for one contact
PROJECTIONS = 20  # fixed-point steps for a contact on which Newton's method fails
SLIDING, SEPARATE = 1, 2  # kinds of contacts
UNIT = 1e-12  # difference of a block of W from the unit matrix that is rounding


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
            if parent == HALF_LINE:
                r[i] = max(r[i], 0.0)
                continue
            if parent == FREE:
                continue
            norm = np.sqrt(norm)
            bound = sets.radius[k]
            if parent >= 0:
                bound *= r[parent]
            if norm > bound:
                for p in range(i, i + size):
                    r[p] *= bound / norm


class Workspace(NamedTuple):
    """Arrays of one contact, taken once: inside the loops they would cost most."""

    vectors: Floats  # of Newton's method, flat, as are
    J: Floats
    copy: Floats  # and one of W, without gaps between its rows
    W: Floats
    b: Floats  # rates without the contact's own multipliers
    r: Floats
    sets: Sets


@kernel
def make_room():
    """Workspace for a contact of MOST_ROWS rows."""
    n = MOST_ROWS
    vectors, J, copy, W = np.empty(5 * n), np.empty(n * n), np.empty(n * n), np.empty((n, n))
    return Workspace(vectors, J, copy, W, np.empty(n), np.empty(n), empty_sets(n))


@kernel
def solve_contact(workspace, n, sets, s0, s1, tolerance):
    """Solve the block of `n` rows in `workspace`, with the sets `s0` to `s1` - 1, for `workspace.r`."""
    if n == 1 and sets.parent[s0] == HALF_LINE and workspace.W[0, 0] > 0.0:
        r, u = workspace.r[0], workspace.W[0, 0] * workspace.r[0] + workspace.b[0]
        if sets.weight[s0] * abs(r - max(r - u, 0.0)) > tolerance:
            workspace.r[0] = max(r - u / workspace.W[0, 0], 0.0)
        return
    local = take_into(workspace.sets, sets, s0, s1, sets.row[s0])
    W, J = workspace.copy[: n * n].reshape(n, n), workspace.J[: n * n].reshape(n, n)
    for i in range(n):
        for j in range(n):
            W[i, j] = workspace.W[i, j]
    vectors, b, r = workspace.vectors[: 5 * n].reshape(5, n), workspace.b[:n], workspace.r[:n]
    steps = NewtonSteps(CONTACT_ITERATIONS, True, PROXIMAL)
    _, residual = newton_within(vectors, J, W, b, local, r, 0.1 * tolerance, steps)
    if not residual <= tolerance:
        project(W, b, local, r, PROJECTIONS)


@kernel
def relax(sets, s0, s1, first, r, new, relaxation):
    """Take the change from `r` to `new`, the multipliers of one block, `relaxation` times, and project it.

    The block's sets are `s0` to `s1` - 1, its rows begin at `first` in `r`.
    """
    for s in range(s0, s1):
        i, parent = sets.row[s] - first, sets.parent[s]
        square = 0.0
        for j in range(i, i + sets.size[s]):
            new[j] = r[first + j] + relaxation * (new[j] - r[first + j])
            square += new[j] * new[j]
        if parent == HALF_LINE:
            new[i] = max(new[i], 0.0)
            continue
        if parent == FREE:
            continue
        bound = sets.radius[s]
        if parent >= 0:
            bound *= new[parent - first]
        if square > bound * bound:
            factor = bound / math.sqrt(square)
            for j in range(i, i + sets.size[s]):
                new[j] *= factor


class Sweeps(NamedTuple):
    """Passes over the contacts: number, tolerance, relaxation, and residual of a single contact."""

    tolerance: float
    relaxation: float  # times that the change of a contact is taken, within its cone
    most: int


@kernel
def sweep_matrix(matrix, b, cones, r, passes):
    """`Sweeps` over the contacts of the scaled problem; W (n, n) in compressed rows.

    `matrix` is (indptr, indices, values); `cones` are the sets, and their offsets (K + 1,) by contact.
    Improves `r` (n,) in place; ends when every contact by itself is solved. Returns the number of passes.
    """
    indptr, indices, values = matrix
    sets, block = cones
    tolerance, relaxation, sweeps = passes
    workspace = make_room()
    for done in range(sweeps):
        moved = False
        for k in range(block.shape[0] - 1):
            s0, s1 = block[k], block[k + 1]
            i0 = sets.row[s0]
            n = sets.row[s1 - 1] + sets.size[s1 - 1] - i0
            for i in range(n):
                total = b[i0 + i]
                for j in range(n):
                    workspace.W[i, j] = 0.0  # where the matrix has no entry
                for z in range(indptr[i0 + i], indptr[i0 + i + 1]):
                    j = indices[z] - i0
                    if 0 <= j < n:
                        workspace.W[i, j] = values[z]
                    else:
                        total += values[z] * r[indices[z]]
                workspace.b[i] = total
                workspace.r[i] = r[i0 + i]
            sliding = n == 3 and s1 - s0 == 2 and sets.parent[s0 + 1] >= 0
            own = tolerance / sets.weight[s0]
            slid = sliding and solve_sliding(workspace.W, workspace.b, sets.radius[s0 + 1], workspace.r, own)
            if not slid:
                solve_contact(workspace, n, sets, s0, s1, tolerance)
            relax(sets, s0, s1, i0, r, workspace.r, relaxation)
            for i in range(n):
                moved |= r[i0 + i] != workspace.r[i]
                r[i0 + i] = workspace.r[i]
        if not moved:
            return done + 1
    return sweeps


@kernel
def _stands(a, b, changed, solved):
    """True if neither body has changed since the visit in which their contact was `solved`."""
    return solved >= 0 and (a < 0 or changed[a] <= solved) and (b < 0 or changed[b] <= solved)


@kernel
def _rate(H, row, side, V, body):
    """Row of `H V` from the body on this side; six columns are unrolled."""
    i, s, a = np.uintp(row), np.uintp(side), np.uintp(body)  # not negative
    rate = H[i, s, 0] * V[a, 0] + H[i, s, 1] * V[a, 1] + H[i, s, 2] * V[a, 2]
    if V.shape[1] == 6:
        rate += H[i, s, 3] * V[a, 3] + H[i, s, 4] * V[a, 4] + H[i, s, 5] * V[a, 5]
    return rate


@kernel
def _push(H, row, side, V, body, change):
    """Add the effect of the `change` of a multiplier on the body on this side."""
    i, s, a = np.uintp(row), np.uintp(side), np.uintp(body)
    V[a, 0] += H[i, s, 0] * change
    V[a, 1] += H[i, s, 1] * change
    V[a, 2] += H[i, s, 2] * change
    if V.shape[1] == 6:
        V[a, 3] += H[i, s, 3] * change
        V[a, 4] += H[i, s, 4] * change
        V[a, 5] += H[i, s, 5] * change


@kernel
def _kinds(blocks, sets, block):
    """Kinds (K,) of contacts: SEPARATE rows of friction that slides, other SLIDING ones, or 0.

    Rows are separate, as those of two balls, where their block of W is the unit matrix.
    """
    kinds = np.zeros(block.shape[0] - 1, np.int64)
    for k in range(kinds.shape[0]):
        s = block[k]
        if block[k + 1] != s + 2 or sets.size[s + 1] != 2 or sets.parent[s + 1] < 0:
            continue
        off = 0.0
        for i in range(3):
            for j in range(3):
                off = max(off, abs(blocks[k, i, j] - (1.0 if i == j else 0.0)))
        kinds[k] = SEPARATE if off <= UNIT else SLIDING
    return kinds


@kernel
def _projected(mu, x, y, z):
    """(x, y, z) with x in the half line, and y, z in its disc."""
    x = max(x, 0.0)
    square, bound = y * y + z * z, mu * x
    factor = bound / math.sqrt(square) if square > bound * bound else 1.0
    return x, factor * y, factor * z


@kernel
def _solve_separate(mu, tolerance, relaxation, u, r):
    """Solve and relax a contact of separate rows, by its rates `u` (3,), for `r` (3,)."""
    x, y, z = r[0], r[1], r[2]
    X, Y, Z = _projected(mu, x - u[0], y - u[1], z - u[2])
    X, Y, Z = X - x, Y - y, Z - z
    if max(abs(X), abs(Y), abs(Z)) > tolerance:
        r[0], r[1], r[2] = _projected(mu, x + relaxation * X, y + relaxation * Y, z + relaxation * Z)


@kernel
def sweep_bodies(operator, b, cones, r, V, passes, workspace, marks):
    """`sweep_matrix` for the `operator` `W = H H^T`, (body, row, H) of body_delassus.py and its diagonal (K,
    6, 6).

    `V = H^T r` (N, m) is kept up to date. A solved contact is passed over until one of its bodies changes. In
    a pile at rest but for some of its bodies, most contacts are. `marks` are the visit (N,), zeros, in which
    a body did so last, and that (K,), -1, in which a contact was found to be so.
    """
    body, row, H, blocks = operator
    sets, block = cones
    tolerance, relaxation, sweeps = passes
    changed, solved = marks
    kinds = _kinds(blocks, sets, block)
    visit = 0
    for done in range(sweeps):
        moved = False
        for k in range(block.shape[0] - 1):
            visit += 1
            if _stands(body[k, 0], body[k, 1], changed, solved[k]):
                continue
            i0, s0 = row[k], block[k]
            n = row[k + 1] - i0
            own = tolerance / sets.weight[s0]
            for i in range(n):
                total = b[i0 + i]
                for side in range(2):
                    a = body[k, side]
                    if a >= 0:
                        total += _rate(H, i0 + i, side, V, a)
                workspace.b[i] = total
                workspace.r[i] = r[i0 + i]
            if kinds[k] == SEPARATE:
                _solve_separate(sets.radius[s0 + 1], own, relaxation, workspace.b, workspace.r)
            else:
                for i in range(n):
                    for j in range(n):
                        workspace.W[i, j] = blocks[k, i, j]
                        workspace.b[i] -= blocks[k, i, j] * r[i0 + j]
                W, q, new = workspace.W, workspace.b, workspace.r
                if not (kinds[k] == SLIDING and solve_sliding(W, q, sets.radius[s0 + 1], new, own)):
                    solve_contact(workspace, n, sets, s0, block[k + 1], tolerance)
                relax(sets, s0, block[k + 1], i0, r, workspace.r, relaxation)
            solved[k] = visit
            for i in range(n):
                change = workspace.r[i] - r[i0 + i]
                r[i0 + i] += change
                if change == 0.0:
                    continue
                solved[k] = -1
                moved = True
                for side in range(2):
                    a = body[k, side]
                    if a >= 0:
                        changed[a] = visit
                        _push(H, i0 + i, side, V, a, change)
        if not moved:
            return done + 1
    return sweeps
