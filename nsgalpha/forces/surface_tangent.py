"""Tangents of contacts of primitives: differences of surface_pass.py.

One-sided ones: to Newton's method their error, of the size of the displacement over the overlap, is none, and
central ones take twice as long. A displacement of all slots together changes nothing. If all of them move,
the columns of the last one are therefore minus the sum of the others.
"""

from __future__ import annotations

import math

from nsgalpha.arrays import HALF_SPACE
from nsgalpha.forces.surface_pass import measure_end, react_displaced
from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.decorators import kernel

DIFFERENCE = 2e-8  # of a position, over the size of the primitives; of an angle [rad]
HERE = -1  # in the place of a slot: nothing is displaced


@kernel
def _shape_own(table, workspace, n):
    """The shapes of `n` contacts in `workspace` as separate primitives."""
    own, given = workspace.own.shapes, workspace.given
    M, N_A, N_B = own.radius.shape[0] // 2, table.A.corners.shape[1], table.B.corners.shape[1]
    for k in range(n):
        a, b = given.a[k], given.b[k]
        own.radius[k], own.radius[M + k] = table.A.radius[a], table.B.radius[b]
        own.solid[k], own.solid[M + k] = table.A.solid[a], table.B.solid[b]
        for j in range(N_A):
            own.corners[k, j] = k * N_A + j if table.A.corners[a, j] >= 0 else -1
        for j in range(N_B):
            own.corners[M + k, j] = M * N_A + k * N_B + j if table.B.corners[b, j] >= 0 else -1


@kernel
def _displace(table, workspace, rows, slot, j, by):
    """Displace one slot of the contacts `rows` along (from 3 on: about) an axis, with corners."""
    place, split = workspace.place, table.A.slots.shape[1]
    side, first = (0, 0) if slot < split else (1, split)
    X = place.XA if side == 0 else place.XB
    c, s = math.cos(by) - 1.0, math.sin(by)
    p, m = (j + 1) % 3, (j + 2) % 3
    for k in range(rows[0], rows[1]):
        rigid = workspace.sides[k, 2 * side + 1] == 1
        place.moved[k, slot, j] += by
        if j < 3:
            place.centre[k, slot, j] += by
            if not rigid:
                X[k, slot - first, j] += by
            elif slot == first:
                for v in range(X.shape[1]):
                    X[k, v, j] += by
        elif rigid and slot == first:
            for v in range(X.shape[1]):
                along, across = X[k, v, p] - place.centre[k, slot, p], X[k, v, m] - place.centre[k, slot, m]
                X[k, v, p] += c * along - s * across
                X[k, v, m] += s * along + c * across


@kernel
def _moves(table, workspace, n, slot, j):
    """True if displacement `j` of a slot moves a contact, and a body."""
    split = table.A.slots.shape[1]
    side, first = (0, 0) if slot < split else (1, split)
    for k in range(n):
        rigid = workspace.sides[k, 2 * side + 1] == 1
        own = rigid if j >= 3 else not rigid
        if workspace.given.slots[k, slot] < table.bodies and (own if slot != first or j >= 3 else True):
            return True
    return False


@kernel
def _far_along(table, given, place, k, origin):
    """Distance along the plane from `origin` to that of a half-space B; 0 for others."""
    solid = table.B.solid[given.b[k]]
    if solid < 0 or table.solids.kind[solid] != HALF_SPACE:
        return 0.0, 0.0, 0.0
    first = row(place.XB[k], 0)
    n, far = plus(row(place.XB[k], 3), -1.0, first), plus(first, -1.0, origin)
    return plus(far, -dot(n, far) / dot(n, n), n)


@kernel
def _copy_place(table, base, n, to, first):
    """The `n` places of the workspace `base` relative to their first corners, to those from `first` on.

    Far from the origin places have few digits. That of a half-space may be anywhere in its plane.
    """
    place = base.place
    for k in range(n):
        along = _far_along(table, base.given, place, k, row(place.XA[k], 0))
        c = first + k
        for i in range(3):
            origin = place.XA[k, 0, i]
            for v in range(place.XA.shape[1]):
                to.XA[c, v, i] = place.XA[k, v, i] - origin
            for v in range(place.XB.shape[1]):
                to.XB[c, v, i] = place.XB[k, v, i] - origin - along[i]
            for s in range(place.centre.shape[1]):
                to.centre[c, s, i] = place.centre[k, s, i] - origin
                to.moved[c, s, i], to.moved[c, s, 3 + i] = place.moved[k, s, i], place.moved[k, s, 3 + i]


@kernel
def _copy_given(base, n, workspace, copies):
    """Copy the constants of the `n` contacts of the workspace `base`, `copies` times.

    Each copy has pairs of bodies with separate numbers, for laws that see all contacts of a pair.
    """
    given, to, seen, shown, span = base.given, workspace.given, base.seen, workspace.seen, 0
    for k in range(n):
        span = max(span, seen.pair[k] + 1)
    for copy in range(copies):
        for k in range(n):
            c = copy * n + k
            to.a[c], to.b[c], to.part[c] = given.a[k], given.b[k], given.part[k]
            shown.branch[c], shown.radius_a[c] = seen.branch[k], seen.radius_a[k]
            shown.pair[c], shown.a[c], shown.b[c] = seen.pair[k] + copy * span, seen.a[k], seen.b[k]
            for i in range(4):
                workspace.sides[c, i] = base.sides[k, i]
            for i in range(3):
                to.n0[c, i], to.known[c, i] = given.n0[k, i], given.known[k, i]
            for i in range(given.history.shape[1]):
                to.history[c, i] = given.history[k, i]
            for s in range(given.slots.shape[1]):
                to.slots[c, s] = given.slots[k, s]
                for i in range(6):
                    to.velocity[c, s, i] = given.velocity[k, s, i]
                    for j in range(6):
                        to.B0[c, s, i, j] = given.B0[k, s, i, j]


@kernel
def list_displacements(table, base, n, trials):
    """Write slot and direction of the displacements to `trials` (6 S + 1, 2), first none; their number.

    The direction of none is 1 if the translations of the last slot are left out, else 0.
    """
    S, count, others = base.given.slots.shape[1], 1, True
    for slot in range(S):
        others = others and _moves(table, base, n, slot, 0)
    trials[0, 0], trials[0, 1] = HERE, 1 if others else 0
    for slot in range(S):
        for j in range(6):
            follows = others and j < 3 and slot == S - 1
            if _moves(table, base, n, slot, j) and not follows:
                trials[count, 0], trials[count, 1] = slot, j
                count += 1
    return count


@kernel
def copy_contacts(table, base, n, workspace, copies):
    """Copy the constants of the `n` contacts of the workspace `base`, `copies` times."""
    _copy_given(base, n, workspace, copies)
    _shape_own(table, workspace, copies * n)


@kernel
def displace(table, base, n, workspace, trials, size, h):
    """Displace copies of the `n` contacts of `base`, one for each of `trials` (T, 2), `size` [m] far.

    They are evaluated in `workspace` as far as that is done in kernels.
    """
    for d in range(trials.shape[0]):
        slot, j = trials[d, 0], trials[d, 1]
        _copy_place(table, base, n, workspace.place, d * n)
        if slot != HERE:
            _displace(table, workspace, (d * n, (d + 1) * n), slot, j, DIFFERENCE if j >= 3 else size)
    if table.geometry != 0:
        measure_end(table, workspace.own, workspace.at, trials.shape[0] * n)
        react_displaced(table, workspace, trials.shape[0] * n, h)


@kernel
def add_columns(workspace, trials, size, factor, others, here, blocks):
    """Add `factor` times minus the derivatives of the wrenches by the displacements `trials` to `blocks`.

    `blocks` (C, S, S, 6, 6) [row slot, column slot]; `here` (C, S, 6) keeps the wrenches without
    displacement. `others`: 1 if the translations of the last slot are left out.
    """
    n, S = here.shape[0], here.shape[1]
    for d in range(trials.shape[0]):
        slot, j = trials[d, 0], trials[d, 1]
        part = factor / (DIFFERENCE if j >= 3 else size)
        for k in range(n):
            for r in range(S):
                for i in range(6):
                    wrench = workspace.wrench[d * n + k, r, i]
                    if slot == HERE:
                        here[k, r, i] = wrench
                        continue
                    column = part * (here[k, r, i] - wrench)
                    blocks[k, r, slot, i, j] += column
                    if others == 1 and j < 3:
                        blocks[k, r, S - 1, i, j] -= column
