"""The pass over contacts of primitives, as kernels.

    begin         places at the start of a step
    evaluate      places at its end; candidates that are closed there become contacts, on which the laws act
    measure_end   geometry of all candidates at an end of a step
    react         local motion of the contacts, forces of compiled laws
    finish        forces of whole contacts to those of the primitives, wrenches on the slots

A law in Python acts between `react` and `finish` (surface_contacts.py). Patches are measured in Python, too
(patch_contacts.py). attachments.py has the equations.
"""

from __future__ import annotations

import math

from nsgalpha.arrays import Candidates, Scene, ShapeTable
from nsgalpha.forces.attachments import Before, LocalMotion, local_motion, slot_rows, slot_wrenches
from nsgalpha.forces.law_parts import respond
from nsgalpha.forces.shape_arrays import place_points
from nsgalpha.geometry.geometry_signature import GEOMETRY
from nsgalpha.geometry.nearest_images import push_images, way_of
from nsgalpha.geometry.vector_triples import dot, plus, row, store
from nsgalpha.jit.addresses import caller
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import fill
from nsgalpha.model.compliant_law import Contact, Response
from nsgalpha.system.primitive_measures import Measured

call_geometry = caller(GEOMETRY)

FAR, KNOWN, UNMEASURED = -1, -2, -3


@kernel
def _first(measured, n):
    """The first `n` contacts measured."""
    m = measured
    place = m.overlap[:n], m.normal[:n], m.point[:n], m.weight_a[:n], m.weight_b[:n]
    size = m.effective_radius[:n], m.contact_radius[:n], m.area[:n], m.fraction[:n]
    return Measured(*place, *size, m.rejected[:n], m.mean_square[:n])


@kernel
def _take(end, c, to, k):
    """Candidate `c`, as measured at an `end` of the step, as contact `k` of `to`."""
    extent = end.section.extent
    to.overlap[k], to.rejected[k] = -end.gap[c], extent[4, c] != 0.0
    to.effective_radius[k], to.contact_radius[k] = extent[0, c], extent[1, c]
    to.area[k], to.fraction[k], to.mean_square[k] = extent[2, c], extent[3, c], extent[5, c]
    for i in range(3):
        to.normal[k, i], to.point[k, i] = end.normal[c, i], end.section.point[c, i]
    for i in range(to.weight_a.shape[1]):
        to.weight_a[k, i] = end.section.weight_a[c, i]
    for i in range(to.weight_b.shape[1]):
        to.weight_b[k, i] = end.section.weight_b[c, i]


@kernel
def _place_images(pairs, x):
    """Ways to the images of side B in a cell that moves, at `x` (B, 3)."""
    periods = pairs.images.periods
    for c in range(periods.shape[0]):
        store(way_of(row(periods, c), x), pairs.way, c, 0)


@kernel
def push_cell(table, pairs, workspace, n, wrench):
    """Add forces on images in the `n` active contacts to the cell's frames."""
    if pairs.images.periods.shape[0] == 0:
        return
    split = table.A.slots.shape[1]
    for k in range(n):
        F = (0.0, 0.0, 0.0)
        for s in range(split, workspace.given.slots.shape[1]):
            F = plus(F, 1.0, row(workspace.wrench[k], s))
        push_images(row(pairs.images.periods, pairs.active[k]), 1.0, F, wrench)


@kernel
def _corners(table, pairs, workspace, n, points):
    """The corners of the `n` active contacts, as rows of `points` (P, 3); those of images of B."""
    for side in range(2):
        corners = table.A.corners if side == 0 else table.B.corners
        number, X = (
            (workspace.given.a, workspace.place.XA) if side == 0 else (workspace.given.b, workspace.place.XB)
        )
        for k in range(n):
            for j in range(corners.shape[1]):
                corner = corners[number[k], j]  # -1: the last point, which nobody reads
                for i in range(3):
                    X[k, j, i] = points[corner, i]
                    if side == 1 and pairs.way.shape[0] > 0:
                        X[k, j, i] += pairs.way[pairs.active[k], i]


@kernel
def _centres(pairs, workspace, n, x, split):
    """The centres of the slots of the `n` active contacts, among `x` (B, 3); those of images of B."""
    for k in range(n):
        for s in range(workspace.given.slots.shape[1]):
            for i in range(3):
                workspace.place.centre[k, s, i] = x[workspace.given.slots[k, s], i]
                if s >= split and pairs.way.shape[0] > 0:
                    workspace.place.centre[k, s, i] += pairs.way[pairs.active[k], i]


@kernel
def _gather(table, pairs, workspace, n, ends, moving, memory):
    """The `n` active contacts of the `pairs`, measured at both `ends` of the step, to `workspace`.

    `memory`: tangents and histories (C, k) of the candidates. Where nothing was to be measured at the start,
    all is as at the end, at the same place of A.
    """
    start, end, (tangent, history), active = ends.start, ends.end, memory, pairs.active
    _, _, v, w, increment = moving
    given, place, measured = workspace.given, workspace.place, workspace.measured
    A, B, split = table.A, table.B, table.A.slots.shape[1]
    moves = pairs.images.periods.shape[0] > 0
    _place_images(pairs, start.x)
    for k in range(n):
        c = active[k]
        rate, moved = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if moves:
            periods = row(pairs.images.periods, c)
            rate, moved = way_of(periods, v), way_of(periods, increment)
        a, b = pairs.a[c], pairs.b[c]
        given.a[k], given.b[k], given.part[k] = a, b, pairs.feature[c]
        workspace.sides[k, 0], workspace.sides[k, 1] = A.many[a], A.rigid[a]
        workspace.sides[k, 2], workspace.sides[k, 3] = B.many[b], B.rigid[b]
        for s in range(given.slots.shape[1]):
            body = A.slots[a, s] if s < split else B.slots[b, s - split]
            given.slots[k, s] = body
            for i in range(3):
                given.velocity[k, s, i], given.velocity[k, s, 3 + i] = v[body, i], w[body, i]
            for i in range(6):
                place.moved[k, s, i] = increment[body, i]
            if moves and s >= split:
                for i in range(3):
                    given.velocity[k, s, i] += rate[i]
                    place.moved[k, s, i] += moved[i]
        unknown = start.normal[c, 0] == 0.0 and start.normal[c, 1] == 0.0 and start.normal[c, 2] == 0.0
        _take(end if unknown else start, c, measured, k)
        for i in range(3):
            if unknown:  # at the same place of A
                of_a = A.slots[a, 0]
                measured.point[k, i] -= end.x[of_a, i] - start.x[of_a, i]
            given.n0[k, i], given.known[k, i] = measured.normal[k, i], tangent[c, i]
        for i in range(history.shape[1]):
            given.history[k, i] = history[c, i]
        workspace.seen.a[k], workspace.seen.b[k] = A.carrier[a], B.carrier[b]
        one, two, size = A.piece[a], B.piece[b], table.pieces
        of_primitives = size * size + a * B.number.shape[0] + b
        whole = one >= 0 and two >= 0
        workspace.seen.pair[k] = min(one, two) * size + max(one, two) if whole else of_primitives
    _corners(table, pairs, workspace, n, start.points)
    _centres(pairs, workspace, n, start.x, split)
    begun = _first(measured, n)
    XA, XB = place.XA[:n], place.XB[:n]
    slot_rows(XA, XB, workspace.sides[:n], split, table.nodal, begun, place.centre[:n], given.B0[:n])
    for k in range(n):
        _take(end, active[k], measured, k)
    _place_images(pairs, end.x)
    _corners(table, pairs, workspace, n, end.points)
    _centres(pairs, workspace, n, end.x, split)


@kernel
def _inverse_mass(table, workspace, k):
    """Sum of both sides' inverse masses in the contact point, without that of the spins."""
    total, split = 0.0, table.A.slots.shape[1]
    for side in range(2):
        rigid = workspace.sides[k, 2 * side + 1] == 1
        first, last = (0, split) if side == 0 else (split, workspace.given.slots.shape[1])
        weight = workspace.measured.weight_a if side == 0 else workspace.measured.weight_b
        for s in range(first, last):
            share = weight[k, s - first] ** 2 if not rigid else 1.0 if s == first else 0.0
            if share > 0.0:  # no part of a point without mass is no mass: 0 times infinity
                total += share * table.inverse_mass[workspace.given.slots[k, s]]
    return total


@kernel
def _crossing(workspace, k):
    """(t_A . t_B)(t_A x t_B) . n of the unit axes of segments.

    0 where one has no length, or is touched at an end; and for shapes without an axis.
    """
    m, XA, XB = workspace.measured, workspace.place.XA, workspace.place.XB
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


@kernel
def react(table, workspace, n, h):
    """Local motion of the `n` contacts in `workspace`, as they are measured there, after a step of `h` [s].

    Compiled laws act here, too.
    """
    given, place, seen, split = workspace.given, workspace.place, workspace.seen, table.A.slots.shape[1]
    m = _first(workspace.measured, n)
    E, B = workspace.E[:n], workspace.B[:n]
    slot_rows(place.XA[:n], place.XB[:n], workspace.sides[:n], split, table.nodal, m, place.centre[:n], B)
    before = Before(given.n0[:n], given.known[:n], given.B0[:n])
    local = LocalMotion(E, seen.rate[:n], seen.increment[:n])
    local_motion(before, m.normal, B, split, given.velocity[:n], place.moved[:n], local)
    for k in range(n):
        seen.mass[k] = 1.0 / _inverse_mass(table, workspace, k)
        seen.crossing[k] = _crossing(workspace, k)
        radius, overlap = m.effective_radius[k], m.overlap[k]
        round_one = math.isfinite(radius)
        whole = m.area[k] / m.fraction[k] if m.fraction[k] > 0.0 else 0.0
        seen.area[k] = math.pi * radius * max(overlap, 0.0) if round_one else whole
        ra, rb = table.A.radius[given.a[k]], table.B.radius[given.b[k]]
        flat = radius == rb and (
            rb > 0.0 or workspace.sides[k, 0] > 2
        )  # A is a face: of it and a sphere the radius of the sphere, as at a plane
        seen.radius_a[k], seen.branch[k] = (rb, rb) if flat else (ra, abs(ra + rb))
    if table.parts.law.shape[0] > 0:
        moved = seen.overlap[:n], local.rate, local.increment, seen.normal[:n], seen.history[:n]
        sides = seen.radius[:n], seen.mass[:n], h, seen.branch[:n], seen.pair[:n], seen.radius_a[:n]
        rest = seen.whole[:n], seen.area[:n], seen.a[:n], seen.b[:n], seen.crossing[:n]
        respond(
            table.parts, Contact(*moved, *sides, *rest, m.mean_square), workspace.law, _response(workspace, n)
        )
        finish(table, workspace, n)


@kernel
def _response(workspace, n):
    """The response to the first `n` contacts."""
    known = workspace.response
    by_place = known.force[:n], known.by_overlap[:n], known.by_normal[:n]
    by_motion = known.by_rate[:n], known.by_increment[:n]
    return Response(*by_place, *by_motion, known.energy[:n], known.history[:n])


@kernel
def finish(table, workspace, n):
    """Wrenches on the slots of the `n` contacts in `workspace` by the response of the law."""
    m, response, split = workspace.measured, _response(workspace, n), table.A.slots.shape[1]
    for k in range(n):
        fraction = m.fraction[k]
        response.energy[k] *= fraction * m.mean_square[k]
        for i in range(6):
            response.force[k, i] *= fraction
            response.by_overlap[k, i] *= fraction
            response.by_normal[k, i] *= fraction
            for j in range(6):
                response.by_rate[k, i, j] *= fraction
                response.by_increment[k, i, j] *= fraction
    wrench = workspace.wrench[:n]
    slot_wrenches(workspace.E[:n], response.force, workspace.B[:n], wrench)
    for k in range(n):
        for s in range(wrench.shape[1]):
            for i in range(6):
                wrench[k, s, i] *= table.on[0] if s < split else table.on[1]


@kernel
def _locate(table, end, x, q):
    """Points and centres of the frames at an `end` of the step."""
    place_points(table.owner, table.places, x, q, end.points)
    for b in range(end.x.shape[0]):
        for i in range(3):
            end.x[b, i] = x[b, i]


@kernel
def _far(pairs, end):
    """True if there may be other candidates, as points or images have moved."""
    images, way, k = pairs.images, 0.0, end.x.shape[0] - 3
    for j in range(images.vectors.shape[0]):
        square = 0.0
        for i in range(3):
            square += (end.x[k + j, i] - images.vectors[j, i]) ** 2
        way += images.most[j] * math.sqrt(square)
    if not way <= images.slack:
        return True
    for p in range(end.points.shape[0]):
        square = 0.0
        for i in range(3):
            square += (end.points[p, i] - pairs.anchor[p, i]) ** 2
        if not square <= pairs.limit:
            return True
    return False


@kernel
def measure_end(table, pairs, end, n):
    """Measure the first `n` of the `pairs` at an `end` of the step."""
    _place_images(pairs, end.x)
    shapes, section = pairs.shapes, end.section
    single = shapes.corners.shape[1] == 1
    for k in range(shapes.corners.shape[0]):
        sphere = single or shapes.corners[k, 1] < 0
        for i in range(3):
            pairs.x[k, i] = end.points[shapes.corners[k, 0], i] if sphere else 0.0
    fill(section.weight_a, 0.0)
    fill(section.weight_b, 0.0)
    sides = pairs.a, pairs.other, pairs.plane, pairs.feature, pairs.feature
    lengths, way = (end.length, end.length), pairs.way
    candidates = Candidates(*sides, end.gap, end.normal, end.lever, *lengths, way, end.length, end.normal)
    first = shapes.corners, shapes.thickness, shapes.solid, table.solids, shapes.meshes
    all_shapes = ShapeTable(shapes.radius, shapes.first, end.points, *first)
    scene = Scene(all_shapes, table.planes, table.options, pairs.x, table.q, pairs.x[:0])
    call_geometry(table.geometry, (0, n, candidates, section, scene))


@kernel
def react_displaced(table, workspace, n, h):
    """As `react`, for contacts that are measured with their own corners."""
    for k in range(n):
        _take(workspace.at, k, workspace.measured, k)
    react(table, workspace, n, h)


@kernel
def begin(table, pairs, ends, x, q):
    """Places at the start of a step.

    Returns FAR if new candidates have to be found, KNOWN for the places of the last end of a step, which is
    measured, and UNMEASURED for others.
    """
    start, end = ends.start, ends.end
    _locate(table, start, x, q)
    if _far(pairs, start):
        return FAR
    for p in range(start.points.shape[0]):
        for i in range(3):
            if start.points[p, i] != end.points[p, i]:
                return UNMEASURED
    return KNOWN


@kernel
def _closed(table, end, c):
    extent = end.section.extent
    return extent[4, c] == 0.0 and extent[3, c] > 0.0 and -end.gap[c] > -table.reach


@kernel
def evaluate(table, pairs, workspace, ends, moving, memory, h, flags):
    """The contacts at the end of a step of `h` [s], `moving` (x, q, v, w, increment): their number.

    Returns FAR if new candidates have to be found, UNMEASURED if Python has to measure them, and without
    evaluation a number above the size of `workspace`. `flags`: whether those that were open at the start have
    no force; whether the candidates are measured.
    """
    start, end, (waits, measured) = ends.start, ends.end, flags
    if not measured:
        _locate(table, end, moving[0], moving[1])
        if _far(pairs, end):
            return FAR
        if table.geometry == 0:
            return UNMEASURED
        measure_end(table, pairs, end, end.gap.shape[0])
    n = 0
    for c in range(end.gap.shape[0]):
        if _closed(table, end, c) and (not waits or _closed(table, start, c)):
            pairs.active[n] = c
            n += 1
    if n <= workspace.E.shape[0]:
        _gather(table, pairs, workspace, n, ends, moving, memory)
        react(table, workspace, n, h)
    return n
