"""Solids (A) on patches of meshes (B): beds of springs in the cells behind triangles.

A patch is a region of a plane with the normal n. Behind each of its triangles is a cell, which halves the
angles to the neighbouring faces (nsgalpha/model/mesh_patches.py). Where A is within the cells of a patch,

    P = A in the cells,    V = |P|,    S = projected area of P

the bed of spring_bed.py has the lengths of P along n as overlaps. S counts the faces of A, with signs as at a
plane, and the walls that point behind. Where less than half of the shadow of P is cut by the plane, a part of
the rest is added. The part of the contact of A with the whole plane is the `fraction`, S over the
section of A by the plane. So all patches in one plane together act as the plane,

    f = k V/S_plane (SpringDashpot),    K V (LinearPressure)

The depth behind a face is the distance from the nearest face of the mesh: cells of two faces meet where both
are equally deep. So forces are continuous over edges. The forces of LinearPressure are minus the gradient
of K times the integral of the depth over the volume of A behind the mesh. Below vertices cones make the cells
fit together (nsgalpha/model/mesh_cones.py). This is exact while overlaps are small against the triangles. At
a border the wall is upright and has no force.

A patch does not act on solids whose centre is behind its plane. They may be in front of a neighbour beyond an
edge. As a wall halves the angle, the mirror image of the centre then is in front of the patch.
"""

import math

import numpy as np

from elements.geometry.flat_polygons import axes
from elements.geometry.polytopes import (
    ROUND,
    add_moments,
    cut_faces,
    cut_polygon,
    pose,
    put_solid,
    turned_by,
)
from elements.geometry.scene_access import CENTRE, Extent, arm, numbers, put
from elements.geometry.solid_geometry import CORNERS, is_same_frame, put_solid_weights
from elements.geometry.spring_bed import bed_of, frame_across
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import combined, dot, plus, row, store
from nsgalpha.jit.decorators import kernel

SIDES = 3  # walls of a cell
SMALL = 1e-12  # least area of a part that counts, over the section by the plane


@kernel
def _is_behind(solids, k, p):
    """True if the patch `k` does not act on a solid with the centre `p`."""
    if p[2] >= 0.0:
        return False
    for f in range(solids.face[k], solids.face[k + 1], SIDES + 1):
        if solids.planes[f + SIDES, 1] == 0.0:  # a cone
            continue
        for wall in range(f, f + SIDES):
            h = dot(row(solids.planes, wall), p) - solids.planes[wall, 3]
            if h > 0.0 and p[2] - 2.0 * h * solids.planes[wall, 2] > 0.0:
                return False
    return True


@kernel
def _is_away(solids, f, p, size):
    """True if the ball of the radius `size` [m] around `p` is outside of the cell."""
    for wall in range(f, f + SIDES):
        if dot(row(solids.planes, wall), p) - solids.planes[wall, 3] >= size:
            return True
    return False


@kernel
def _is_outside(solids, k, p, size):
    """True if that ball is outside of all cells of the patch `k`."""
    outside, f = True, solids.face[k]
    while outside and f < solids.face[k + 1]:
        outside = _is_away(solids, f, p, size)
        f += SIDES + 1
    return outside


@kernel
def _part_below(X, count, P, planes, but, Y):
    """The part of the polygon `X` below all of `planes` of `P`, in one of `X` and `Y`.

    `but`: number of a plane to leave out, and whether a polygon that is in one of the planes is left out.
    Returns its array, the other one, and its number of corners.
    """
    skip, strict = but
    for g in range(planes):
        if g == skip:
            continue
        lowest, highest = math.inf, -math.inf
        for i in range(count):
            h = dot(row(P, g), row(X, i)) - P[g, 3]
            lowest, highest = min(lowest, h), max(highest, h)
        if strict and lowest >= 0.0:
            return X, Y, 0
        if highest > 0.0:
            count = cut_polygon(X, count, P, g, Y)
            X, Y = Y, X
            if count == 0:
                break
    return X, Y, count


@kernel
def _add_part(X, count, of_solid, sign, frame, sums, total):
    """Add the moments of a polygon to the first row of `total`.

    Moments of the area count if it points behind, or is a face of the solid. The second row has those faces
    of the solid that point to the front. Cells with the `sign` -1 have no area.
    """
    ends, own = sums
    if count < 3:
        return
    ends[0] = count
    for i in range(10):
        own[i] = 0.0
    add_moments((X, ends, ends), 0, 1, frame, own)
    for i in range(6, 10):
        total[0, i] += sign * own[i]
    if sign < 0.0 or (own[0] > 0.0 and not of_solid):
        return
    for i in range(6):
        total[0, i] += own[i]
    if own[0] > 0.0:
        for i in range(6):
            total[1, i] += own[i]


@kernel
def _fill_shadow(total):
    """Add part of the area under faces that point to the front."""
    area = -total[0, 0]
    shadow = area + total[1, 0]
    part = max(1.0 - 2.0 * area / shadow, 0.0) if shadow > 0.0 else 0.0
    for i in range(6):
        total[0, i] -= part * total[1, i]


@kernel
def _put_square(P, f, centre, size, X):
    """Write the square of plane `f` around the foot of `centre`, counter-clockwise around the normal."""
    n = row(P, f)
    t, u = axes(n)
    foot = plus(centre, P[f, 3] - dot(n, centre), n)
    store(combined(1.0, foot, -size, t, -size, u), X, 0, 0)
    store(combined(1.0, foot, size, t, -size, u), X, 1, 0)
    store(combined(1.0, foot, size, t, size, u), X, 2, 0)
    store(combined(1.0, foot, -size, t, size, u), X, 3, 0)


@kernel
def _add_cell(A, B, frame, workspace, sums, total):
    """Add the moments of the part of A in one cell to `total`.

    `A`: planes, their number, centre, size, pieces behind the plane, their number. `B`: the plane, then the
    walls, (4, 4), which of these are upright, and the sign.
    """
    cell, upright, sign = B
    planes, many, centre, size, (points, ends, _), pieces = A
    for k in range(pieces):
        start, X = ends[k - 1] if k > 0 else 0, workspace[0]
        for i in range(start, ends[k]):
            store(row(points, i), X, i - start, 0)
        X, _, count = _part_below(X, ends[k] - start, cell, SIDES + 1, (0, False), workspace[1])
        _add_part(X, count, True, sign, frame, sums, total)
    for wall in range(1, SIDES + 1):
        if upright[wall - 1]:
            continue
        _put_square(cell, wall, centre, size, workspace[0])
        X, Y, count = _part_below(workspace[0], 4, cell, SIDES + 1, (wall, False), workspace[1])
        if count > 2:
            X, Y, count = _part_below(X, count, planes, many, (-1, True), Y)
        _add_part(X, count, False, sign, frame, sums, total)


@kernel
def _meet(a, b, solids, workspaces, found):
    """Fill `found` with the contacts of a solid and a patch (number, frame).

    Returns its `bed_of`, the section of the solid by the plane [m^2], and the frame.
    """
    (ka, fa), (kb, fb) = a, b
    V, P, (cell, upright), workspace, pieces, sums, total = workspaces
    points, _, filled = pieces
    n, size = fb[3], solids.size[ka, 0]
    none, d = ((0.0, 1.0), 1.0, (CENTRE, CENTRE, CENTRE, CENTRE)), plus(fa[0], -1.0, fb[0])
    p = dot(d, fb[1]), dot(d, fb[2]), dot(d, n)
    if p[2] >= size or _is_outside(solids, kb, p, size) or _is_behind(solids, kb, p):
        return none
    put_solid(solids, ka, fa, (-n[0], -n[1], -n[2]), False, V, P)
    store(n, cell, 0, 0)
    cell[0, 3] = dot(n, fb[0])
    filled[0] = filled[1] = 0
    cut_faces(solids, ka, V, cell, 1, 0.0, workspace, pieces)
    if filled[1] == 0:
        return none
    origin = row(points, 0)
    origin = plus(origin, -dot(n, plus(origin, -1.0, fb[0])), n)
    frame = frame_across(n, (size, fa), (math.inf, fb), origin)
    for k in range(4):
        for i in range(10):
            total[k, i] = 0.0
    add_moments(pieces, 0, filled[1], frame, total[2])
    section = -total[2, 0]
    if not section > 0.0:
        return none
    many = solids.face[ka + 1] - solids.face[ka]
    A = P, many, fa[0], size, pieces, filled[1]
    for f in range(solids.face[kb], solids.face[kb + 1], SIDES + 1):
        sign = solids.planes[f + SIDES, 0]
        if _is_away(solids, f, p, size):
            continue
        for wall in range(SIDES):
            w = turned_by(fb, row(solids.planes, f + wall))
            upright[wall] = solids.planes[f + wall, 2] == 0.0
            store(w, cell, 1 + wall, 0)
            cell[1 + wall, 3] = solids.planes[f + wall, 3] + dot(w, fb[0])
        _add_cell(A, (cell, upright, sign), frame, workspace, sums, total)
    _fill_shadow(total)
    bed = bed_of(total[0], total[3], True, 2.0 * size, found)
    if not bed[0] > SMALL * section:
        return none
    return (bed[0], _spread(found, bed[1])), section, frame


@kernel
def _spread(found, mean_square):
    """Move the four contacts apart until none has an overlap below 0; returns the `mean_square` over theirs.

    The part of a solid in a cell may be deep in one place alone. Force and moment stay.
    """
    u = v = depth = before = after = 0.0
    for k in range(4):
        u, v, depth = u + 0.25 * found[k, 0], v + 0.25 * found[k, 1], depth + 0.25 * found[k, 2]
    wider = 1.0
    for k in range(4):
        if found[k, 2] < 0.0 < depth:
            wider = max(wider, (depth - found[k, 2]) / depth)
    if wider == 1.0:
        return mean_square
    for k in range(4):
        before += found[k, 2] ** 2
        found[k, 0], found[k, 1] = u + wider * (found[k, 0] - u), v + wider * (found[k, 1] - v)
        found[k, 2] = depth + (found[k, 2] - depth) / wider
        found[k, 3] = -0.5 * found[k, 2]
        after += found[k, 2] ** 2
    return mean_square * before / after


@kernel
def _rooms(first, last, candidates, scene):
    """Workspace for the solids A among the candidates."""
    solids, corners, faces, around = scene.shapes.solids, 2 * ROUND, ROUND + 2, ROUND
    known = -1
    for c in range(first, last):
        s = scene.shapes.first[candidates.a[c]] + numbers(candidates, c)[0]
        k = scene.shapes.solid[s]
        if k == known:
            continue
        known = k
        corners = max(corners, solids.vertex[k + 1] - solids.vertex[k])
        faces = max(faces, solids.face[k + 1] - solids.face[k])
        for f in range(solids.face[k], solids.face[k + 1]):
            around = max(around, solids.corner[f + 1] - solids.corner[f])
    around += faces + SIDES + 4
    points, ends = np.empty((CORNERS * (faces + around), 3)), np.empty(2 * faces, np.int64)
    pieces, sums = (points, ends, np.zeros(2, np.int64)), (np.zeros(1, np.int64), np.zeros(10))
    cell, total = (np.empty((SIDES + 1, 4)), np.empty(SIDES, np.bool_)), np.zeros((4, 10))
    V, P = np.empty((corners, 3)), np.empty((faces, 4))
    return V, P, cell, np.empty((2, around, 3)), pieces, sums, total


@geometry_kernel(images=True)
def measure_solid_patches(first, last, candidates, section, scene):
    """Solids and patches of meshes; contacts 0 to 3."""
    solids = scene.shapes.solids
    workspaces = _rooms(first, last, candidates, scene)
    found = np.zeros((4, 4))
    nowhere = (CENTRE, CENTRE, CENTRE, CENTRE)
    bed, whole, frame = (0.0, 1.0), 1.0, nowhere
    ka = kb = -2
    known_a = known_b = nowhere
    for c in range(first, last):
        a, b = candidates.a[c], candidates.b[c]
        number_a, _, number_b, part = numbers(candidates, c)
        la = scene.shapes.solid[scene.shapes.first[a] + number_a]
        lb = scene.shapes.solid[scene.shapes.first[b] + number_b]
        origin = plus(row(scene.x, b), 1.0, arm(scene, b, number_b, 0))
        image = origin  # of the same point, nearest to A
        if candidates.image.shape[0] > 0:
            image = plus(origin, 1.0, row(candidates.image, c))
        fa = pose(scene, a, number_a, image, solids.size[la, 0])
        fb = pose(scene, b, number_b, origin, solids.size[lb, 0])
        if la != ka or lb != kb or not (is_same_frame(fa, known_a) and is_same_frame(fb, known_b)):
            bed, whole, frame = _meet((la, fa), (lb, fb), solids, workspaces, found)
            ka, kb, known_a, known_b = la, lb, fa, fb
        area, (o, t, u, n) = bed[0], frame
        counts = area > 0.0
        share = 0.25 * area / whole if counts else 0.0
        extent = Extent(math.inf, math.sqrt(area / math.pi), 0.25 * area, share)
        p = combined(found[part, 0], t, found[part, 1], u, found[part, 3], n) if counts else CENTRE
        candidates.length[c] = solids.size[la, 0]
        contact = (found[part, 2] if counts else -1.0), n, plus(plus(o, 1.0, p), 1.0, image)
        put(c, contact, extent, not counts, candidates, section, scene.x)
        if section.point.shape[0] > 0:
            section.extent[5, c] = bed[1]
            x = plus(row(section.point, c), -1.0, image)
            put_solid_weights(section.weight_a, c, fa, solids.size[la, 0], x)
            put_solid_weights(section.weight_b, c, fb, solids.size[lb, 0], x)
