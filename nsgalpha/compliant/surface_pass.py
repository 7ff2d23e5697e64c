"""A pass over contacts of primitives whose laws are compiled, and its differences, in kernels.

gather      the active ones among the candidates: where their sides are, and how they stood at the start
react       rows of the slots, frames, local motion, laws, wrenches on the slots
stiffness   derivatives of the wrenches by displacements of the slots, by central differences of `react`

surfaces.py does the same for laws of any kind; slots.py has the equations.
"""

from __future__ import annotations

import math

import numpy as np

from nsgalpha.arrays import Candidates, Scene, Section, ShapeTable
from nsgalpha.compiled import entry, kernel
from nsgalpha.compliant.law import Contact, Response
from nsgalpha.compliant.law_parts import respond
from nsgalpha.compliant.slots import Before, LocalMotion, local_motion, slot_rows, slot_wrenches
from nsgalpha.model.geometry import GEOMETRY
from nsgalpha.model.primitives import Measured
from nsgalpha.pointers import caller
from nsgalpha.stepping.triples import dot, row

call_geometry = caller(GEOMETRY)

ANGLE = 1e-6  # of the differences [rad]


@kernel
def _first(measured, n):
    """The first `n` contacts measured."""
    return Measured(
        measured.overlap[:n],
        measured.normal[:n],
        measured.point[:n],
        measured.weight_a[:n],
        measured.weight_b[:n],
        measured.effective_radius[:n],
        measured.contact_radius[:n],
        measured.area[:n],
        measured.fraction[:n],
        measured.rejected[:n],
    )


@kernel
def _take(measured, c, to, k):
    """Contact `c` of `measured` as contact `k` of `to`."""
    to.overlap[k], to.effective_radius[k] = measured.overlap[c], measured.effective_radius[c]
    to.contact_radius[k], to.area[k] = measured.contact_radius[c], measured.area[c]
    to.fraction[k], to.rejected[k] = measured.fraction[c], measured.rejected[c]
    for i in range(3):
        to.normal[k, i], to.point[k, i] = measured.normal[c, i], measured.point[c, i]
    for i in range(measured.weight_a.shape[1]):
        to.weight_a[k, i] = measured.weight_a[c, i]
    for i in range(measured.weight_b.shape[1]):
        to.weight_b[k, i] = measured.weight_b[c, i]


@kernel
def _corners(table, room, n, points):
    """The corners of `n` contacts, as rows of `points` (P, 3)."""
    for side in range(2):
        corners = table.A.corners if side == 0 else table.B.corners
        number, X = (room.given.a, room.place.XA) if side == 0 else (room.given.b, room.place.XB)
        for k in range(n):
            for j in range(corners.shape[1]):
                corner = corners[number[k], j]  # -1: the last point, which nobody reads
                for i in range(3):
                    X[k, j, i] = points[corner, i]


@kernel
def _centres(room, n, x):
    """The centres of the slots of `n` contacts, among `x` (B, 3)."""
    for k in range(n):
        for s in range(room.given.slots.shape[1]):
            for i in range(3):
                room.place.centre[k, s, i] = x[room.given.slots[k, s], i]


@entry
def gather(table, room, active, candidates, start, end, before, after, motion, increment, tangent, history):
    """The `active` contacts (C,) of the `candidates` to `room`.

    They are measured at the `start` and `end` of the step; `before`, `after`: all points then, and (B, 3) of
    the slots. Where nothing was to be measured at the start, all is as at the end.
    """
    given, place, measured, n = room.given, room.place, room.measured, active.shape[0]
    A, B, split = table.A, table.B, table.A.slots.shape[1]
    for k in range(n):
        c = active[k]
        a, b = candidates.a[c], candidates.b[c]
        given.a[k], given.b[k], given.part[k] = a, b, candidates.feature[c]
        room.sides[k, 0], room.sides[k, 1] = A.many[a], A.rigid[a]
        room.sides[k, 2], room.sides[k, 3] = B.many[b], B.rigid[b]
        for s in range(given.slots.shape[1]):
            body = A.slots[a, s] if s < split else B.slots[b, s - split]
            given.slots[k, s] = body
            for i in range(3):
                given.velocity[k, s, i], given.velocity[k, s, 3 + i] = motion.v[body, i], motion.w[body, i]
            for i in range(6):
                place.moved[k, s, i] = increment[body, i]
        unknown = start.normal[c, 0] == 0.0 and start.normal[c, 1] == 0.0 and start.normal[c, 2] == 0.0
        _take(end if unknown else start, c, measured, k)
        for i in range(3):
            given.n0[k, i], given.known[k, i] = measured.normal[k, i], tangent[c, i]
        for i in range(history.shape[1]):
            given.history[k, i] = history[c, i]
        room.seen.a[k], room.seen.b[k] = A.carrier[a], B.carrier[b]
        room.seen.radius_a[k] = A.radius[a]
        room.seen.branch[k] = abs(A.radius[a] + B.radius[b])
        one, two, size = A.carrier[a], B.carrier[b], table.inverse_mass.shape[0]
        rigid = one >= 0 and two >= 0
        of_primitives = size * size + a * B.number.shape[0] + b
        room.seen.pair[k] = min(one, two) * size + max(one, two) if rigid else of_primitives
    _corners(table, room, n, before[0])
    _centres(room, n, before[1])
    begun = _first(measured, n)
    XA, XB = place.XA[:n], place.XB[:n]
    slot_rows(XA, XB, room.sides[:n], split, table.torque, begun, place.centre[:n], given.B0[:n])
    for k in range(n):
        _take(end, active[k], measured, k)
    _corners(table, room, n, after[0])
    _centres(room, n, after[1])


@kernel
def _inverse_mass(table, room, k):
    """Sum of the inverse masses of both sides in the contact point; that of the spins is left out."""
    total, split = 0.0, table.A.slots.shape[1]
    for side in range(2):
        rigid = room.sides[k, 2 * side + 1] == 1
        first, last = (0, split) if side == 0 else (split, room.given.slots.shape[1])
        weight = room.measured.weight_a if side == 0 else room.measured.weight_b
        for s in range(first, last):
            share = weight[k, s - first] ** 2 if not rigid else 1.0 if s == first else 0.0
            if share > 0.0:  # no part of a point without mass is no mass: 0 times infinity
                total += share * table.inverse_mass[room.given.slots[k, s]]
    return total


@kernel
def _crossing(room, k):
    """(t_A . t_B)(t_A x t_B) . n of the axes of segments, see sides.crossings."""
    m, XA, XB = room.measured, room.place.XA, room.place.XB
    if XA.shape[1] != 2 or XB.shape[1] != 2:
        return 0.0
    for i in range(2):
        if not (m.weight_a[k, i] > 0.0 and m.weight_b[k, i] > 0.0):
            return 0.0
    a = XA[k, 1, 0] - XA[k, 0, 0], XA[k, 1, 1] - XA[k, 0, 1], XA[k, 1, 2] - XA[k, 0, 2]
    b = XB[k, 1, 0] - XB[k, 0, 0], XB[k, 1, 1] - XB[k, 0, 1], XB[k, 1, 2] - XB[k, 0, 2]
    squares = dot(a, a) * dot(b, b)
    if not squares > 0.0:
        return 0.0
    across = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return dot(a, b) * dot(across, row(m.normal, k)) / squares


@entry
def react(table, room, n, h):
    """Forces of the `n` contacts in `room`, as they are measured there, after a step of `h` [s]."""
    given, place, seen, split = room.given, room.place, room.seen, table.A.slots.shape[1]
    m = _first(room.measured, n)
    E, B, wrench = room.E[:n], room.B[:n], room.wrench[:n]
    slot_rows(place.XA[:n], place.XB[:n], room.sides[:n], split, table.torque, m, place.centre[:n], B)
    before = Before(given.n0[:n], given.known[:n], given.B0[:n])
    local = LocalMotion(E, seen.rate[:n], seen.increment[:n])
    local_motion(before, m.normal, B, split, given.velocity[:n], place.moved[:n], local)
    for k in range(n):
        seen.mass[k] = 1.0 / _inverse_mass(table, room, k)
        seen.crossing[k] = _crossing(room, k)
        radius, overlap = m.effective_radius[k], m.overlap[k]
        round_one = math.isfinite(radius)
        whole = m.area[k] / m.fraction[k] if m.fraction[k] > 0.0 else 0.0
        seen.area[k] = math.pi * radius * max(overlap, 0.0) if round_one else whole
    contact = Contact(
        m.overlap,
        local.rate,
        local.increment,
        seen.zero[:n],
        given.history[:n],
        m.effective_radius,
        seen.mass[:n],
        h,
        seen.branch[:n],
        seen.pair[:n],
        seen.radius_a[:n],
        seen.one[:n],
        seen.area[:n],
        seen.a[:n],
        seen.b[:n],
        seen.crossing[:n],
    )
    known = room.response
    response = Response(
        known.force[:n],
        known.by_overlap[:n],
        known.by_normal[:n],
        known.by_rate[:n],
        known.by_increment[:n],
        known.energy[:n],
        known.history[:n],
    )
    respond(table.parts, contact, room.law, response)
    for k in range(n):
        fraction = m.fraction[k]
        response.energy[k] *= fraction
        for i in range(6):
            response.force[k, i] *= fraction
            response.by_overlap[k, i] *= fraction
            response.by_normal[k, i] *= fraction
            for j in range(6):
                response.by_rate[k, i, j] *= fraction
                response.by_increment[k, i, j] *= fraction
    slot_wrenches(E, response.force, B, wrench)
    for k in range(n):
        for s in range(wrench.shape[1]):
            for i in range(6):
                wrench[k, s, i] *= table.on[0] if s < split else table.on[1]


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
    candidates = Candidates(*sides, own.gap, m.normal, own.lever, own.gap)
    shapes = ShapeTable(own.radius, own.first, own.points, own.corners, own.radius, own.solid, table.solids)
    scene = Scene(shapes, table.planes, table.options, own.x, table.q)
    call_geometry(table.geometry, (0, n, candidates, section, scene))
    for k in range(n):
        m.overlap[k] = -own.gap[k]
        m.effective_radius[k], m.contact_radius[k] = extent[0, k], extent[1, k]
        m.area[k], m.fraction[k], m.rejected[k] = extent[2, k], extent[3, k], extent[4, k] != 0.0


@kernel
def _displace(table, room, n, slot, j, by):
    """Displace one slot of `n` contacts along, or from 3 on about, an axis; corners go with it."""
    place, split = room.place, table.A.slots.shape[1]
    side, first = (0, 0) if slot < split else (1, split)
    X = place.XA if side == 0 else place.XB
    c, s = math.cos(by) - 1.0, math.sin(by)
    p, m = (j + 1) % 3, (j + 2) % 3
    for k in range(n):
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
def _copy_place(place, n, to):
    for k in range(n):
        for i in range(3):
            for v in range(place.XA.shape[1]):
                to.XA[k, v, i] = place.XA[k, v, i]
            for v in range(place.XB.shape[1]):
                to.XB[k, v, i] = place.XB[k, v, i]
            for s in range(place.centre.shape[1]):
                to.centre[k, s, i] = place.centre[k, s, i]
                to.moved[k, s, i], to.moved[k, s, 3 + i] = place.moved[k, s, i], place.moved[k, s, 3 + i]


@entry
def stiffness(table, place, room, n, h, factor, size, blocks):
    """Add `factor` times minus the derivatives of the wrenches by displacements of the slots to `blocks`.

    `blocks` (C, S, S, 6, 6) [row slot, column slot]; `place`, where the contacts of `room` are; `size` of a
    displacement. Where all slots together are displaced nothing changes: if all of them move, the columns
    of the last one are minus the sum of the others.
    """
    S, others = blocks.shape[1], True
    for slot in range(S):
        others = others and _moves(table, room, n, slot, 0)
    _shape_own(table, room, n)
    for slot in range(S):
        for j in range(6):
            follows = others and j < 3
            if not _moves(table, room, n, slot, j) or (follows and slot == S - 1):
                continue
            step = ANGLE if j >= 3 else size
            for sign in (1.0, -1.0):
                _copy_place(place, n, room.place)
                _displace(table, room, n, slot, j, sign * step)
                _measure_own(table, room, n)
                react(table, room, n, h)
                part = -sign * factor / (2.0 * step)
                for k in range(n):
                    for r in range(S):
                        for i in range(6):
                            blocks[k, r, slot, i, j] += part * room.wrench[k, r, i]
                            if follows:
                                blocks[k, r, S - 1, i, j] -= part * room.wrench[k, r, i]


@entry
def add_rates(E, B, by_rate, factor, blocks):
    """Add `factor G^T by_rate G`, G the rows of the local rates, to `blocks` (C, S, S, 6, 6)."""
    S = B.shape[1]
    G = np.empty((6, 6 * S))
    T = np.empty((6, 6 * S))
    for k in range(B.shape[0]):
        for s in range(S):
            for j in range(6):
                for axis in range(3):
                    force, couple = 0.0, 0.0
                    for i in range(3):
                        force += E[k, axis, i] * B[k, s, i, j]
                        couple += E[k, axis, i] * B[k, s, 3 + i, j]
                    G[axis, 6 * s + j], G[3 + (axis + 2) % 3, 6 * s + j] = force, couple
        for r in range(6):
            for column in range(6 * S):
                T[r, column] = 0.0
            for q in range(6):
                if by_rate[k, r, q] != 0.0:
                    for column in range(6 * S):
                        T[r, column] += factor * by_rate[k, r, q] * G[q, column]
        for r in range(6):
            for s in range(S):
                for i in range(6):
                    g = G[r, 6 * s + i]
                    if g != 0.0:
                        for t in range(S):
                            for j in range(6):
                                blocks[k, s, t, i, j] += g * T[r, 6 * t + j]
