"""Features of round bodies (A) and meshes (B) that may touch: those of round_mesh.py.

Each pair of features is selected by itself, as those of polytopes are (polytope_mesh.py), where the normal is
among those of both. A point of the core may be behind a triangle. Then the line to it from the middle of the
core has to pass the mesh from the front. An end of a capsule belongs to the triangle that its axis pierces,
too. A vertex of the mesh has the nearest feature of A alone. One of several contacts with the same normal in
one place is enough.
"""

import math

import numpy as np

from elements.geometry.bounding_capsules import are_far, is_off_circle, put_capsules
from elements.geometry.feature_distances import is_on_feature, is_on_line, point_to_line
from elements.geometry.mesh_features import (
    BEHIND,
    CREASE,
    DEEP,
    LEAN,
    NEARER,
    SHALLOW,
    following,
    is_beyond,
    is_low,
    is_over_triangle,
    is_peak,
    is_seen,
    is_to_back,
    item_at,
    leans,
    mesh_counts,
    next_leaf,
    pierces,
)
from elements.geometry.polytope_pairs import EDGE, FAR, SAME, add_key, key_of
from elements.geometry.revolved_pairs import ALIKE, EVERY
from elements.geometry.rim_circle import STEEP, deepest_of
from elements.geometry.round_mesh import (
    at_edge,
    at_vertex,
    first_of,
    mesh_edge,
    opposite,
    over_patch,
    round_line,
    round_point,
    sides_on_mesh,
)
from elements.geometry.solid_features import (
    CIRCLE,
    DEEPEST,
    LINE,
    PLANE,
    POINT,
    circle_of,
    is_over_face,
    is_vertex,
    line_of,
    plane_of,
)
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.rotations import turned, turned_back
from nsgalpha.geometry.vector_triples import dot, plus, row, store
from nsgalpha.jit.decorators import kernel

MOST = 96  # contacts of one pair
CUT = 1e-3  # of the half width of A: depth of an edge of the mesh in A from which it is deeper than BEHIND


@kernel
def _is_lowest(scene, A, one, n, x):
    """True if `x`, a point or deepest point of A, may be lowest along `n`."""
    (kind, i), solids, (k, q, _) = one, scene.shapes.solids, A[1]
    if k < 0:
        return True
    if kind == DEEPEST:
        return is_on_feature(scene, A[0], A[1], (CIRCLE, 2 * i), opposite(n), (x, x), 0.0)
    if solids.kind[k] == POLYTOPE:
        V = solids.vertices[solids.vertex[k] : solids.vertex[k + 1]]
        return is_low(V, solids.edges[solids.edge[k] : solids.edge[k + 1]], i, turned_back(q, n))
    if is_vertex(solids, k, i):  # the apex
        side = line_of(scene, A[0], A[1], 0)
        return -dot(n, side.axis) > side.slant - LEAN
    if i % EVERY != 0:
        return False
    rim = solids.corner[solids.face[k] + 1] - solids.corner[solids.face[k]]
    circle = circle_of(solids, A[1], i // rim)
    return dot(circle.axis, n) < 0.0 and deepest_of(circle.centre, circle.axis, circle.radius, n)[1] <= STEEP


@kernel
def _add(i, j, names, contact, same, found):
    """Add a pair of features unless one with its normal has its place; `contact`: normal and foot."""
    (n, y), ((table, count), keys) = contact, found
    for k in range(count[0]):
        d = plus(y, -1.0, row(table, k))
        if dot(d, d) < same * same and dot(row(table[:, 3:], k), n) > ALIKE:
            return
    if count[0] < table.shape[0]:
        store(y, table, count[0], 0)
        store(n, table, count[0], 3)
        count[0] += 1
    add_key(keys, key_of(names[0], i, names[1], j))


@kernel
def _middle_of(scene, A):
    """Middle of A: the mean of its vertices, ends, or centres of circles and apex."""
    solids, k, many, total = scene.shapes.solids, A[1][0], 0, (0.0, 0.0, 0.0)
    for i in range(first_of(scene, A, DEEPEST)[1]):
        total, many = plus(total, 1.0, circle_of(solids, A[1], i).centre), many + 1
    for i in range(first_of(scene, A, POINT)[1]):
        if k < 0 or is_vertex(solids, k, i):
            total, many = plus(total, 1.0, round_point(scene, A, i)), many + 1
    return total[0] / many, total[1] / many, total[2] / many


@kernel
def _is_on_side(scene, A, B, at, point, size):
    """True if a `point` of A belongs to a triangle before the middle of A.

    at: number of the triangle, and middle. point: place, gap, and whether it is over the triangle.
    """
    m, meshes, (x, gap, is_over) = B[0], scene.shapes.meshes, point
    (t, middle), beside = at, EDGE * size
    if A[1][0] >= 0 or (is_over and gap <= -SHALLOW * size):
        return is_seen(middle, (meshes, m, t), (x, gap), (size, beside))
    if not is_over:
        return pierces(meshes, t, (middle, x), beside)
    # an end of a capsule may be in front with the middle behind: beyond a ridge, or through the mesh
    is_before = dot(row(meshes.planes, t), middle) > meshes.planes[t, 3]
    return is_before or not is_beyond(meshes, m, (x, middle), beside)


@kernel
def _is_cut(scene, A, line, depth):
    """True if the edge `line` is `depth` [m] in the core of A, where nearest to its middle."""
    solids, (k, _, _), middle = scene.shapes.solids, A[1], _middle_of(scene, A)
    if k < 0:
        return False
    t = dot(plus(middle, -1.0, line.point), line.axis)
    x = plus(line.point, min(max(t, line.low), line.high), line.axis)
    for i in range(first_of(scene, A, PLANE)[1]):
        n, offset = plane_of(solids, A[1], i)
        if dot(n, x) - offset > -depth:
            return False
    if solids.kind[k] == POLYTOPE:
        return True
    gap = point_to_line(x, round_line(scene, A, 0))[0]
    return gap <= -depth or gap == math.inf  # on the axis


@kernel
def _is_deep(scene, A, B, contact, size):
    """True if an edge of the mesh cuts A, or its point is beyond.

    contact: edge, gap and point of A.
    """
    line, gap, x = contact
    if gap > -DEEP * size and _is_cut(scene, A, line, CUT * size):
        return True
    ends = turned_back(B[1], _middle_of(scene, A)), turned_back(B[1], x)
    return gap > -BEHIND * size and is_beyond(scene.shapes.meshes, B[0], ends, EDGE * size)


@kernel
def _select_points(scene, A, B, at, limits, names, found):
    """Select points of A over a triangle of the mesh; `at`: its number, and the middle of A in its frame."""
    meshes, (size, far, rounding) = scene.shapes.meshes, limits
    t, middle = at
    triangle = meshes.first[B[0], 2] + t
    vertices, edges = mesh_counts(meshes, B[0])
    for kind in (POINT, DEEPEST):
        first, many = first_of(scene, A, kind)
        for i in range(many):
            gap, n, x, y = over_patch(scene, A, B, (kind, i), t)
            if not gap - rounding < far:
                continue
            place = turned_back(B[1], x)
            is_over = is_over_triangle(meshes, triangle, place, gap, EDGE * size, CREASE * size)
            if not (is_over or (A[1][0] < 0 and gap <= -SHALLOW * size)):
                continue
            if not _is_lowest(scene, A, (kind, i), n, x):
                continue
            if _is_on_side(scene, A, B, (triangle, middle), (place, gap, is_over), size):
                patch = vertices + edges + meshes.patch[triangle]
                _add(first + i, patch, names, (n, y), SAME * size, found)


@kernel
def _select_at_edge(scene, A, B, e, limits, names, found, around):
    """Select points, circles and lines of A at edge `e` of the mesh; `around`: capsules, see put_capsules."""
    (size, far, rounding), beside = limits, EDGE * limits[0]
    line, one, two = mesh_edge(scene, B, e)
    edge, reach = np.zeros((1, 7)), far + rounding
    store(line.point, edge, 0, 0)
    store(plus(line.point, line.high, line.axis), edge, 0, 3)
    vertices = mesh_counts(scene.shapes.meshes, B[0])[0]
    circles = first_of(scene, A, CIRCLE)[1]
    for kind in (POINT, CIRCLE, LINE):
        first, many = first_of(scene, A, kind)
        for i in range(many):
            if kind == POINT and not rounding > 0.0:
                break
            if kind != POINT:
                row_of = i if kind == CIRCLE else circles + i
                if are_far(around[row_of], edge[0], reach):
                    continue
                if kind == CIRCLE and is_off_circle(around[row_of], edge[0], reach):
                    continue
            gap, n, x, y = at_edge(scene, A, (kind, i), line)
            if not gap - rounding < far or leans(n, one, two, LEAN):
                continue
            if gap <= -SHALLOW * size and not _is_deep(scene, A, B, (line, gap, x), size):
                continue  # cores that are apart have this distance at any depth
            apart = beside if kind == LINE else -beside
            if not is_on_line(line, n, (y, x), apart):
                continue
            if kind == LINE and not is_on_line(round_line(scene, A, i), opposite(n), (x, y), beside):
                continue
            if kind == CIRCLE and not is_on_feature(scene, A[0], A[1], (kind, i), opposite(n), (x, y), 0.0):
                continue
            _add(first + i, vertices + e, names, (n, y), SAME * size, found)


@kernel
def _select_at_vertex(scene, A, B, w, limits, names, found):
    """Select the nearest feature of A that vertex `w` of the mesh may touch."""
    (m, q), meshes, (size, far, rounding) = B, scene.shapes.meshes, limits
    y = turned(q, row(meshes.vertices, meshes.first[m, 0] + w))
    best, beside, top, is_back = -DEEP * size, EDGE * size, -math.inf, False
    for again in range(2):
        for kind in (POINT, LINE, PLANE):
            first, many = first_of(scene, A, kind)
            for i in range(many):
                if kind == POINT and not (rounding > 0.0 and _is_corner(scene, A, i)):
                    continue
                gap, n, x, _ = at_vertex(scene, A, (kind, i), y)
                gap -= rounding
                if not best < gap < far:
                    continue
                if kind == PLANE and not is_over_face(scene.shapes.solids, A[1], i, y, beside):
                    continue
                if kind == LINE and not is_on_line(round_line(scene, A, i), opposite(n), (x, y), -beside):
                    continue
                if kind == POINT and A[1][0] < 0 and _is_beside(scene, A, i, y):
                    continue
                n_mesh = turned_back(q, n)
                if gap > top:
                    top, is_back = gap, is_to_back(meshes, m, w, n_mesh)
                if not is_peak(meshes, m, w, n_mesh, LEAN):
                    continue
                if again:
                    _add(first + i, w, names, (n, y), SAME * size, found)
                else:
                    best = gap
        if top <= beside and is_back:  # within A, which is behind
            return
        best = max(best - beside, -DEEP * size)


@kernel
def _is_beside(scene, A, i, y):
    """True if `y` is beside the axis of a capsule, not beyond its end `i`."""
    if first_of(scene, A, LINE)[1] == 0:
        return False
    e0, e1 = A[2]
    end, other = (e0, e1) if i == 0 else (e1, e0)
    return dot(plus(y, -1.0, end), plus(end, -1.0, other)) < 0.0


@kernel
def _is_corner(scene, A, i):
    """True if point `i` of A is an end, a vertex or the apex."""
    return A[1][0] < 0 or is_vertex(scene.shapes.solids, A[1][0], i)


@kernel
def _around(box, x, half):
    """The `box`, lowest and highest corners, grown by one around `x`."""
    low, high = box
    low = min(low[0], x[0] - half[0]), min(low[1], x[1] - half[1]), min(low[2], x[2] - half[2])
    high = max(high[0], x[0] + half[0]), max(high[1], x[1] + half[1]), max(high[2], x[2] + half[2])
    return low, high


@kernel
def _box_around(scene, A, q, reach):
    """Box around A, grown by `reach` [m], in the frame of the mesh, whose rotation is `q`."""
    box, solids = ((math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)), scene.shapes.solids
    for i in range(first_of(scene, A, POINT)[1]):
        box = _around(box, turned_back(q, round_point(scene, A, i)), (reach, reach, reach))
    for i in range(first_of(scene, A, DEEPEST)[1]):
        circle = circle_of(solids, A[1], i)
        a, R = turned_back(q, circle.axis), circle.radius
        half = (
            reach + R * math.sqrt(max(1.0 - a[0] * a[0], 0.0)),
            reach + R * math.sqrt(max(1.0 - a[1] * a[1], 0.0)),
            reach + R * math.sqrt(max(1.0 - a[2] * a[2], 0.0)),
        )
        box = _around(box, turned_back(q, circle.centre), half)
    return box


@kernel
def _put_around(scene, A):
    """Capsules around circles and lines of A."""
    lines = first_of(scene, A, LINE)[1]
    table = np.zeros((first_of(scene, A, CIRCLE)[1] + lines, 10))
    if A[1][0] >= 0:
        put_capsules(scene, A[0], A[1], table)
    elif lines > 0:
        store(A[2][0], table, 0, 0)
        store(A[2][1], table, 0, 3)
    return table


@kernel
def _select_near(scene, A, B, limits, names, keys, around):
    """Select all pairs of features with gaps below the second one of the `limits`."""
    (m, q), meshes, (_, far, rounding) = B, scene.shapes.meshes, limits
    low, high = _box_around(scene, A, q, far + rounding)
    vertices, edges = mesh_counts(meshes, m)
    found, middle = ((np.empty((MOST, 6)), np.zeros(1, np.int64)), keys), turned_back(q, _middle_of(scene, A))
    keys[keys.shape[0] - 1] = 0
    for again in range(2):  # points of A first
        leaf = next_leaf(meshes, m, 1, low, high)
        while leaf > 0:
            item = item_at(meshes, m, leaf)
            if again and item < vertices:
                _select_at_vertex(scene, A, B, item, limits, names, found)
            elif again and item < vertices + edges:
                _select_at_edge(scene, A, B, item - vertices, limits, names, found, around)
            elif not again and item >= vertices + edges:
                _select_points(scene, A, B, (item - vertices - edges, middle), limits, names, found)
            leaf = next_leaf(meshes, m, following(leaf), low, high)


@kernel
def select_on_mesh(scene, candidates, c, keys):
    """Pairs of features of a body and a mesh that may touch."""
    A, B, (number_a, number_b, _, _), (rounding, size) = sides_on_mesh(scene, candidates, c)
    last, around = keys.shape[0] - 1, _put_around(scene, A)
    for part in (1.0, NEARER, NEARER * NEARER):
        limits = size, part * FAR * size, rounding
        _select_near(scene, A, B, limits, (number_a, number_b), keys, around)
        if keys[last] <= last:
            break
