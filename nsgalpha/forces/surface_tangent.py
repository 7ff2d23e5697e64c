"""Tangents of contacts of primitives whose laws are compiled: differences of surface_pass.py.

One-sided ones: to Newton's method their error, of the size of the displacement over the overlap, is none, and
central ones take twice as long.
"""

from __future__ import annotations

import math

import numpy as np

from nsgalpha.arrays import HALF_SPACE, Candidates, Scene, Section, ShapeTable
from nsgalpha.forces.surface_pass import call_geometry, react
from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.vector_triples import dot, plus, row

ANGLE = 2e-8  # of the differences [rad]
HERE = -1  # in the place of a slot: nothing is displaced


@kernel
def _shape_own(table, room, n):
    """The shapes of `n` contacts in `room` as primitives of their own."""
    own, given = room.own, room.given
    M, N_A, N_B = own.a.shape[0], table.A.corners.shape[1], table.B.corners.shape[1]
    for k in range(n):
        a, b = given.a[k], given.b[k]
        own.radius[k], own.radius[M + k] = table.A.radius[a], table.B.radius[b]
        own.solid[k], own.solid[M + k] = table.A.solid[a], table.B.solid[b]
        for j in range(N_A):
            own.corners[k, j] = k * N_A + j if table.A.corners[a, j] >= 0 else -1
        for j in range(N_B):
            own.corners[M + k, j] = M * N_A + k * N_B + j if table.B.corners[b, j] >= 0 else -1


@kernel
def _measure_own(table, room, n):
    """Measure `n` contacts in `room` with the corners that they have there."""
    own, m, place, part = room.own, room.measured, room.place, room.given.part[:n]
    M, N, extent = own.a.shape[0], own.corners.shape[1], own.extent
    for k in range(n):
        for i in range(3):
            own.x[k, i] = place.XA[k, 0, i] if N == 1 or own.corners[k, 1] < 0 else 0.0
            own.x[M + k, i] = place.XB[k, 0, i] if N == 1 or own.corners[M + k, 1] < 0 else 0.0
        for i in range(m.weight_a.shape[1]):
            m.weight_a[k, i] = 0.0
        for i in range(m.weight_b.shape[1]):
            m.weight_b[k, i] = 0.0
    section = Section(m.point, m.weight_a, m.weight_b, extent)
    sides = own.a[:n], own.b[:n], own.plane[:n], part, part
    candidates = Candidates(*sides, own.gap, m.normal, own.lever, own.gap, own.gap)
    shapes = ShapeTable(own.radius, own.first, own.points, own.corners, own.radius, own.solid, table.solids)
    scene = Scene(shapes, table.planes, table.options, own.x, table.q, own.x[:0])
    call_geometry(table.geometry, (0, n, candidates, section, scene))
    for k in range(n):
        m.overlap[k] = -own.gap[k]
        m.effective_radius[k], m.contact_radius[k] = extent[0, k], extent[1, k]
        m.area[k], m.fraction[k], m.rejected[k] = extent[2, k], extent[3, k], extent[4, k] != 0.0


@kernel
def _displace(table, room, rows, slot, j, by):
    """Displace one slot of the contacts `rows` along, or from 3 on about, an axis; corners go with it."""
    place, split = room.place, table.A.slots.shape[1]
    side, first = (0, 0) if slot < split else (1, split)
    X = place.XA if side == 0 else place.XB
    c, s = math.cos(by) - 1.0, math.sin(by)
    p, m = (j + 1) % 3, (j + 2) % 3
    for k in range(rows[0], rows[1]):
        rigid = room.sides[k, 2 * side + 1] == 1
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
def _moves(table, room, n, slot, j):
    """True if displacement `j` of a slot moves a contact, and a body."""
    split = table.A.slots.shape[1]
    side, first = (0, 0) if slot < split else (1, split)
    for k in range(n):
        rigid = room.sides[k, 2 * side + 1] == 1
        own = rigid if j >= 3 else not rigid
        if room.given.slots[k, slot] < table.bodies and (own if slot != first or j >= 3 else True):
            return True
    return False


@kernel
def _far_along(table, given, place, k, origin):
    """How far along its plane the origin of a half-space B is from `origin`; none of other sides."""
    solid = table.B.solid[given.b[k]]
    if solid < 0 or table.solids.kind[solid] != HALF_SPACE:
        return 0.0, 0.0, 0.0
    first = row(place.XB[k], 0)
    n, far = plus(row(place.XB[k], 3), -1.0, first), plus(first, -1.0, origin)
    return plus(far, -dot(n, far) / dot(n, n), n)


@kernel
def _copy_place(table, base, n, to, first):
    """The `n` places of the room `base` relative to their first corners, to those from `first` on.

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
def _copy_given(base, n, room, copies):
    """All that does not depend on where the `n` contacts of the room `base` are, `copies` times.

    Each copy has pairs of bodies with numbers of their own, for laws that see all contacts of a pair.
    """
    given, to, seen, shown, span = base.given, room.given, base.seen, room.seen, 0
    for k in range(n):
        span = max(span, seen.pair[k] + 1)
    for copy in range(copies):
        for k in range(n):
            c = copy * n + k
            to.a[c], to.b[c], to.part[c] = given.a[k], given.b[k], given.part[k]
            shown.branch[c], shown.radius_a[c] = seen.branch[k], seen.radius_a[k]
            shown.pair[c], shown.a[c], shown.b[c] = seen.pair[k] + copy * span, seen.a[k], seen.b[k]
            for i in range(4):
                room.sides[c, i] = base.sides[k, i]
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
def _displacements(table, base, n, others, found):
    """Write slot and direction of what is tried to `found` (6 S + 1, 2), first none; their number."""
    S, count = base.given.slots.shape[1], 1
    found[0, 0], found[0, 1] = HERE, 0
    for slot in range(S):
        for j in range(6):
            follows = others and j < 3 and slot == S - 1
            if _moves(table, base, n, slot, j) and not follows:
                found[count, 0], found[count, 1] = slot, j
                count += 1
    return count


@kernel
def stiffness(table, base, room, n, h, factor, size, blocks):
    """Add `factor` times minus the derivatives of the wrenches by displacements of the slots to `blocks`.

    `blocks` (C, S, S, 6, 6) [row slot, column slot]; `base` has the `n` contacts, evaluated, `room` is for
    copies of them that are displaced, as many at once as it holds; `size` of a displacement. Where all slots
    together are displaced nothing changes: if all of them move, the columns of the last one are minus the sum
    of the others.
    """
    S, others = blocks.shape[1], True
    for slot in range(S):
        others = others and _moves(table, base, n, slot, 0)
    found, here = np.empty((6 * S + 1, 2), np.int64), np.empty((n, S, 6))
    count = _displacements(table, base, n, others, found)
    several = min(count, room.E.shape[0] // n)
    _copy_given(base, n, room, several)
    _shape_own(table, room, several * n)
    for first in range(0, count, several):
        last = min(first + several, count)
        for d in range(first, last):
            slot, j, at = found[d, 0], found[d, 1], (d - first) * n
            _copy_place(table, base, n, room.place, at)
            if slot != HERE:
                _displace(table, room, (at, at + n), slot, j, ANGLE if j >= 3 else size)
        _measure_own(table, room, (last - first) * n)
        react(table, room, (last - first) * n, h)
        for d in range(first, last):
            slot, j, at = found[d, 0], found[d, 1], (d - first) * n
            part = factor / (ANGLE if j >= 3 else size)
            for k in range(n):
                for r in range(S):
                    for i in range(6):
                        if slot == HERE:
                            here[k, r, i] = room.wrench[at + k, r, i]
                            continue
                        column = part * (here[k, r, i] - room.wrench[at + k, r, i])
                        blocks[k, r, slot, i, j] += column
                        if others and j < 3:
                            blocks[k, r, S - 1, i, j] -= column
