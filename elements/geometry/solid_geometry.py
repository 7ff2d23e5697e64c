"""Contact of solids: polytopes, cylinders, half-spaces, and balls and capsules with them.

**Two solids** touch as beds of springs do: four contacts, from moments of their faces (spring_bed.py).

**Balls and capsules** (radius r around a point or a segment) have the overlap r - d of their distance d from
a solid or another segment. d(s) is a convex function along a segment: two contacts are in the points of Gauss
of the part where it overlaps, each for a half.

Overlaps, areas and normals are continuous as long as no solid is within another one. There S is zero, and V/S
would be larger than the smaller one. Such solids, and those that another one pierces, have no contact.

Sides that lie in one plane belong to both solids and cancel in S. The normal of two equal boxes on each other
is therefore that of the faces between them, in spite of rounding.
"""

import math

import numpy as np

from elements.geometry.polytope_distance import from_polytope
from elements.geometry.polytopes import (
    ROUND,
    add_moments,
    are_apart,
    area_vector,
    cut_faces,
    from_cylinder,
    pose,
    put_solid,
)
from elements.geometry.scene_access import CENTRE, Extent, arm, has_one_corner, numbers, put
from elements.geometry.spring_bed import bed_of, frame_across
from nsgalpha.arrays import CYLINDER, HALF_SPACE
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import combined, dot, plus, row, store
from nsgalpha.jit.decorators import kernel

PARTS = 4  # contacts of a pair
GAUSS = 0.5 / math.sqrt(3.0)
HALVINGS = 60
FLAT = 1e-9  # height over size, below which a face lies in a plane of the other solid
CORNERS = 48  # of pieces, over the number of faces
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


@kernel
def _minus(a):
    return -a[0], -a[1], -a[2]


@kernel
def is_same_frame(one, two):
    """True if two frames are equal."""
    equal = True
    for i in range(4):
        for j in range(3):
            equal &= one[i][j] == two[i][j]
    return equal


@kernel
def _solid(scene, body, number):
    """Row of the shape, and number of the solid (-1 for balls and capsules)."""
    s = scene.shapes.first[body] + number
    return s, scene.shapes.solid[s]


@kernel
def _core(scene, body, number, s, origin):
    """Both ends of a capsule, or twice the centre of a ball, relative to `origin`."""
    shift = plus(row(scene.x, body), -1.0, origin)
    single = has_one_corner(scene.shapes, s)
    if single and scene.q.shape[0] == 0:  # a primitive with one corner is a body around it
        return shift, shift
    a = plus(shift, 1.0, arm(scene, body, number, 0))
    return a, (a if single else plus(shift, 1.0, arm(scene, body, number, 1)))


@kernel
def _distance(solids, k, frame, core, V, P, x):
    """Signed distance of `x` from solid `k`, or from the segment `core` for k = -1, and its gradient."""
    if k < 0:
        d, p = plus(core[1], -1.0, core[0]), plus(x, -1.0, core[0])
        square = dot(d, d)
        t = min(max(dot(p, d) / square, 0.0), 1.0) if square > 0.0 else 0.0
        p = plus(p, -t, d)
        size = math.sqrt(dot(p, p))
        return size, (p[0] / size, p[1] / size, p[2] / size) if size > 0.0 else (0.0, 0.0, 1.0)
    if solids.kind[k] == HALF_SPACE:
        return dot(frame[3], plus(x, -1.0, frame[0])), frame[3]
    if solids.kind[k] == CYLINDER:
        return from_cylinder(solids, k, frame, x)
    return from_polytope(solids, k, V, P, x)


@kernel
def _overlapping(solids, k, frame, core, V, P, ends, r):
    """Coordinates of the part of the segment `ends` that is nearer than `r` [m]; (1, 0) if there is none."""
    a, d = ends[0], plus(ends[1], -1.0, ends[0])
    at_0 = _distance(solids, k, frame, core, V, P, a)[0] < r
    at_1 = _distance(solids, k, frame, core, V, P, ends[1])[0] < r
    if at_0 and at_1:
        return 0.0, 1.0
    within = 0.0 if at_0 else 1.0
    if not at_0 and not at_1:
        low, high = 0.0, 1.0
        s, t = 1.0 - GOLDEN, GOLDEN
        fs = _distance(solids, k, frame, core, V, P, plus(a, s, d))[0]
        ft = _distance(solids, k, frame, core, V, P, plus(a, t, d))[0]
        for _ in range(HALVINGS):
            if min(fs, ft) < r:
                break
            if fs < ft:
                high, t, ft = t, s, fs
                s = high - GOLDEN * (high - low)
                fs = _distance(solids, k, frame, core, V, P, plus(a, s, d))[0]
            else:
                low, s, fs = s, t, ft
                t = low + GOLDEN * (high - low)
                ft = _distance(solids, k, frame, core, V, P, plus(a, t, d))[0]
        if min(fs, ft) >= r:
            return 1.0, 0.0
        within = s if fs < ft else t
    first, last = within, within
    for end in range(2):
        if (end == 0 and at_0) or (end == 1 and at_1):
            first, last = (0.0, last) if end == 0 else (first, 1.0)
            continue
        inside, outside = within, float(end)
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            if _distance(solids, k, frame, core, V, P, plus(a, middle, d))[0] < r:
                inside = middle
            else:
                outside = middle
        first, last = (inside, last) if end == 0 else (first, inside)
    return first, last


@kernel
def _round(part, A, B, solids, workspace):
    """Contact `part` of a ball or capsule `A` (ends, r) with `B` (solid, frame, core, r).

    Overlap, normal to A, and point; its measures; and whether it counts.
    """
    V, P = workspace
    (ends, r), (k, frame, core, rb) = A, B
    axis = plus(ends[1], -1.0, ends[0])
    long = dot(axis, axis) > 0.0
    first, last = 0.0, 0.0
    if long:
        first, last = _overlapping(solids, k, frame, core, V, P, ends, r + rb)
    there = part < (2 if long else 1) and first <= last
    s = 0.5 * (first + last) + (2.0 * part - 1.0) * GAUSS * (last - first) if long and there else 0.0
    x = plus(ends[0], s, axis)
    d, n = _distance(solids, k, frame, core, V, P, x)
    overlap = r + rb - d
    share = 0.5 if long else 1.0
    effective = r * rb / (r + rb) if k < 0 else r
    circle = math.sqrt(max(overlap * (2.0 * effective - overlap), 0.0))
    counts = there and d > -r
    extent = Extent(effective, circle, share * math.pi * circle * circle, share if counts else 0.0)
    return (overlap, n, plus(x, 0.5 * overlap - r, n)), extent, counts


@kernel
def _meet(a, b, scene, workspaces, found):
    """Fill `found` with the contacts of two solids (number, frame); returns its `bed_of` and frame."""
    (ka, fa), (kb, fb) = a, b
    solids = scene.shapes.solids
    VA, PA, VB, PB, workspace, points, ends = workspaces
    half_space = solids.kind[kb] == HALF_SPACE
    planes_a, planes_b = solids.face[ka + 1] - solids.face[ka], solids.face[kb + 1] - solids.face[kb]
    many_a, many_b = solids.vertex[ka + 1] - solids.vertex[ka], solids.vertex[kb + 1] - solids.vertex[kb]
    round_a, round_b = solids.kind[ka] == CYLINDER, solids.kind[kb] == CYLINDER
    smaller = solids.size[ka, 0] if half_space else min(solids.size[ka, 0], solids.size[kb, 0])
    flat = 0.0 if half_space else FLAT * smaller
    none = ((0.0, 1.0), (CENTRE, CENTRE, CENTRE, CENTRE))
    n = fb[3] if half_space else plus(fa[0], -1.0, fb[0])
    origin = fb[0]
    filled = np.zeros(2, np.int64)
    pieces = (points, ends, filled)
    of_a = 0
    for again in range(2):
        first = again == 0
        if not first and half_space:
            break
        if not first and not round_a and not round_b:
            break
        around = first and not half_space
        put_solid(solids, ka, fa, _minus(n), around, VA, PA)
        if half_space:
            store(fb[3], PB, 0, 0)
            PB[0, 3] = dot(fb[3], fb[0])
        else:
            put_solid(solids, kb, fb, n, around, VB, PB)
            if are_apart(VA, many_a, PB, planes_b) or are_apart(VB, many_b, PA, planes_a):
                return none
        filled[0] = filled[1] = 0
        cut_faces(solids, ka, VA, PB, planes_b, flat, workspace, pieces)
        of_a = filled[1]
        if of_a > 0:
            origin = row(points, 0)
        if half_space:
            continue
        cut_faces(solids, kb, VB, PA, planes_a, flat, workspace, pieces)
        S = plus(area_vector(pieces, of_a, filled[1]), -1.0, area_vector(pieces, 0, of_a))
        size = math.sqrt(dot(S, S))
        if size == 0.0:
            return none
        n = (S[0] / size, S[1] / size, S[2] / size)
    if filled[1] == 0:
        return none
    if half_space:
        origin = plus(origin, -dot(n, plus(origin, -1.0, fb[0])), n)
    size_b = math.inf if half_space else solids.size[kb, 0]
    frame = frame_across(n, (solids.size[ka, 0], fa), (size_b, fb), origin)
    moments = np.zeros((2, 10))
    add_moments(pieces, 0, of_a, frame, moments[0])
    add_moments(pieces, of_a, filled[1], frame, moments[1])
    if half_space:  # it is flat, at the height 0 of the frame
        for i in range(6):
            moments[1, i] = 0.0
    return bed_of(moments[0], moments[1], half_space, 2.0 * smaller, found), frame


@kernel
def _of_bed(part, area, frame, found):
    """Contact `part` of two solids, as _round has one."""
    o, t1, t2, n = frame
    counts = area > 0.0
    p = combined(found[part, 0], t1, found[part, 1], t2, found[part, 3], n) if counts else CENTRE
    extent = Extent(math.inf, math.sqrt(area / math.pi), 0.25 * area, 0.25 if counts else 0.0)
    return (found[part, 2] if counts else -1.0, n, plus(o, 1.0, p)), extent, counts


@kernel
def put_solid_weights(weight, c, frame, size, x):
    """Weights of the point `x` on the four corners of a solid, whose axes are `size` [m] long."""
    if weight.shape[0] > 0:
        d = plus(x, -1.0, frame[0])
        for i in range(weight.shape[1]):
            weight[c, i] = 0.0
        if weight.shape[1] > 3:
            total = 0.0
            for i in range(3):
                weight[c, 1 + i] = dot(d, frame[1 + i]) / size
                total += weight[c, 1 + i]
            weight[c, 0] = 1.0 - total


@kernel
def _put_core_weights(weight, c, core, x):
    """Weights of the point of a segment that is nearest to `x`, at its ends."""
    if weight.shape[0] > 0:
        for i in range(weight.shape[1]):
            weight[c, i] = 0.0
        d = plus(core[1], -1.0, core[0])
        square = dot(d, d)
        s = min(max(dot(plus(x, -1.0, core[0]), d) / square, 0.0), 1.0) if square > 0.0 else 0.0
        weight[c, 0] = 1.0 - s
        if weight.shape[1] > 1:
            weight[c, 1] = s


@kernel
def _rooms(solids):
    """Workspace for the vertices and planes of two of the `solids`, and for their intersection."""
    corners, faces, around = 2 * ROUND, ROUND + 2, ROUND
    for k in range(solids.kind.shape[0]):
        corners = max(corners, solids.vertex[k + 1] - solids.vertex[k])
        faces = max(faces, solids.face[k + 1] - solids.face[k])
        for f in range(solids.face[k], solids.face[k + 1]):
            around = max(around, solids.corner[f + 1] - solids.corner[f])
    around += faces
    VA, VB = np.empty((corners, 3)), np.empty((corners, 3))
    PA, PB = np.empty((faces, 4)), np.empty((faces, 4))
    workspace = np.empty((2, around, 3))
    # F faces of a convex solid have 6 F corners at most; coplanar ones count twice, cuts through corners too
    points, ends = np.empty((CORNERS * (faces + around), 3)), np.empty(2 * faces, np.int64)
    return VA, PA, VB, PB, workspace, points, ends


@geometry_kernel(images=True)
def measure_solids(first, last, candidates, section, scene):
    """Solids, balls and capsules; contacts 0 to 3."""
    solids = scene.shapes.solids
    workspaces = _rooms(solids)
    VA, PA, VB, PB = workspaces[:4]
    found = np.zeros((4, 4))
    bed, frame = (0.0, 1.0), (CENTRE, CENTRE, CENTRE, CENTRE)
    known_a, known_b = (CENTRE, CENTRE, CENTRE, CENTRE), (CENTRE, CENTRE, CENTRE, CENTRE)
    ka = kb = -2
    for c in range(first, last):
        a, b = candidates.a[c], candidates.b[c]
        number_a, _, number_b, part = numbers(candidates, c)
        sa, la = _solid(scene, a, number_a)
        sb, lb = _solid(scene, b, number_b)
        origin = row(scene.x, b)
        if lb >= 0:
            origin = plus(origin, 1.0, arm(scene, b, number_b, 0))
        image = origin  # of the same point, nearest to A
        if candidates.image.shape[0] > 0:
            image = plus(origin, 1.0, row(candidates.image, c))
        fa = fb = (CENTRE, CENTRE, CENTRE, CENTRE)
        core_a = core_b = (CENTRE, CENTRE)
        if la >= 0:
            fa = pose(scene, a, number_a, image, solids.size[la, 0])
        else:
            core_a = _core(scene, a, number_a, sa, image)
        if lb >= 0:
            fb = pose(scene, b, number_b, origin, solids.size[lb, 0])
        else:
            core_b = _core(scene, b, number_b, sb, origin)
        if la >= 0 and lb >= 0:
            if (
                la != ka or lb != kb or not (is_same_frame(fa, known_a) and is_same_frame(fb, known_b))
            ):  # those of a pair follow one another
                bed, frame = (0.0, 1.0), (CENTRE, CENTRE, CENTRE, CENTRE)
                d = plus(fa[0], -1.0, fb[0])
                size, both = solids.size[la, 0], solids.size[la, 0] + solids.size[lb, 0]
                near = dot(d, fb[3]) < size if solids.kind[lb] == HALF_SPACE else dot(d, d) < both * both
                if near:
                    bed, frame = _meet((la, fa), (lb, fb), scene, workspaces, found)
                ka, kb, known_a, known_b = la, lb, fa, fb
            length = solids.size[la, 0]
            contact, extent, counts = _of_bed(part, bed[0], frame, found)
        elif lb >= 0 or la < 0:
            kb = -2
            rb = 0.0
            if lb >= 0:
                if solids.kind[lb] != HALF_SPACE and solids.kind[lb] != CYLINDER:
                    put_solid(solids, lb, fb, CENTRE, False, VB, PB)
            else:
                rb = scene.shapes.thickness[sb]
            length = scene.shapes.thickness[sa]
            contact, extent, counts = _round(part, (core_a, length), (lb, fb, core_b, rb), solids, (VB, PB))
        else:
            kb = -2
            if solids.kind[la] != CYLINDER:
                put_solid(solids, la, fa, CENTRE, False, VA, PA)
            length = scene.shapes.thickness[sb]
            contact, extent, counts = _round(part, (core_b, length), (la, fa, core_a, 0.0), solids, (VA, PA))
            contact = contact[0], _minus(contact[1]), contact[2]
        candidates.length[c] = length
        contact = contact[0], contact[1], plus(contact[2], 1.0, image)
        put(c, contact, extent, not counts, candidates, section, scene.x)
        if section.point.shape[0] > 0:
            if la >= 0 and lb >= 0:
                section.extent[5, c] = bed[1]
            x = plus(row(section.point, c), -1.0, image)
            if la >= 0:
                put_solid_weights(section.weight_a, c, fa, solids.size[la, 0], x)
            else:
                _put_core_weights(section.weight_a, c, core_a, x)
            if lb >= 0:
                put_solid_weights(section.weight_b, c, fb, solids.size[lb, 0], x)
            else:
                _put_core_weights(section.weight_b, c, core_b, x)
