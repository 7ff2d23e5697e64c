"""Two convex solids, at least one of them a cylinder, a cone, or rounded.

Contacts are pairs of features of their cores (solid_features.py), with the gap of these less both roundings,

    point or deepest point, plane    g = n . x - d
    line, line; line, vertex         feature_distances.py, sides of cylinders and cones among lines
    circle, line; circle, circle     the same
    vertex, whole                    of rounded solids: the distance of a point from a convex body

Each gap that is negative with feet within both features means a common point. So all such pairs are
constraints that hold, and none needs a face of reference.

**Selection.** The axis of largest separation is sought among the normals of faces and disks, and those of
pairs of features that both solids support. Pairs count whose normal is less than 60 degrees off it, with feet
within both, up to FAR from each other. The face of each solid that is nearest to the axis has the points of
the other one that are over it.
"""

import math

import numpy as np

from elements.geometry.bounding_capsules import are_far, is_off_circle, put_capsules
from elements.geometry.convex_separation import are_apart
from elements.geometry.feature_distances import (
    circle_to_circle,
    circle_to_line,
    is_on_feature,
    line_to_line,
    point_to_line,
)
from elements.geometry.polytope_pairs import (
    DEEP,
    EDGE,
    EQUAL,
    FAR,
    SAME,
    TIE,
    X,
    add_key,
    key_of,
    solids_of_pair,
)
from elements.geometry.polytope_pairs import STEEP as COSINE
from elements.geometry.revolved_distance import from_core
from elements.geometry.rim_circle import LEVEL, STEEP, deepest_of
from elements.geometry.scene_access import apart, put_contact
from elements.geometry.solid_features import (
    CIRCLE,
    DEEPEST,
    LINE,
    NOWHERE,
    PLANE,
    POINT,
    WHOLE,
    circle_of,
    first_of_kind,
    is_over_face,
    is_vertex,
    kind_of_feature,
    line_of,
    lowest_along,
    plane_of,
    point_of,
)
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.rotations import turned, turned_back
from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.decorators import kernel

EVERY = 4  # of the fixed points of a rim one is a feature over a polygon; over a disk all are
ALIKE = 1.0 - 1e-6  # cosine between normals that are the same
MOST = 96  # pairs of features that are near each other


@kernel
def _sides_of(scene, candidates, c):
    """Both bodies and solids with their rotations, seen from B, and the sum of the roundings."""
    number_a, number_b, ka, kb, i, j = solids_of_pair(candidates, scene, c)
    a, b, shapes = candidates.a[c], candidates.b[c], scene.shapes
    d = apart(scene, candidates, c)
    t, u = shapes.thickness[shapes.first[a] + number_a], shapes.thickness[shapes.first[b] + number_b]
    return (a, (ka, scene.q[a], d)), (b, (kb, scene.q[b], NOWHERE)), (number_a, number_b, i, j), (t, u)


@kernel
def _from_whole(solids, side, x):
    """Signed distance of a point from the core of a solid, gradient and foot."""
    k, q, shift = side
    h, n = from_core(solids, k, turned_back(q, plus(x, -1.0, shift)))
    n = turned(q, n)
    return h, n, plus(x, -h, n)


@kernel
def _measure_ordered(scene, A, B, one, two):
    """Gap, normal, feet of features (kind, number), whose kinds are in ascending order."""
    solids, (a, side_a), (b, side_b) = scene.shapes.solids, A, B
    (kind, i), (other, j) = one, two
    if kind == POINT:
        x = point_of(solids, side_a, i)
        if other == PLANE:
            n, offset = plane_of(solids, side_b, j)
            gap = dot(n, x) - offset
            return gap, n, x, plus(x, -gap, n)
        if other == LINE:
            gap, n, y = point_to_line(x, line_of(scene, b, side_b, j))
        else:
            gap, n, y = _from_whole(solids, side_b, x)
        return gap, n, x, y
    if kind == DEEPEST:
        n, offset = plane_of(solids, side_b, j)
        circle = circle_of(solids, side_a, i)
        x, tilt = deepest_of(circle.centre, circle.axis, circle.radius, n)
        gap = dot(n, x) - offset if tilt > LEVEL else math.inf
        return gap, n, x, plus(x, -gap if tilt > LEVEL else 0.0, n)
    if kind == CIRCLE:
        circle = circle_of(solids, side_a, i // 2)
        if other == LINE:
            return circle_to_line(circle, line_of(scene, b, side_b, j), i % 2)
        if a < b:  # in one order
            return circle_to_circle(circle, circle_of(solids, side_b, j // 2), j % 2)
        gap, n, y, x = circle_to_circle(circle_of(solids, side_b, j // 2), circle, j % 2)
        return gap, (-n[0], -n[1], -n[2]), x, y
    return line_to_line(line_of(scene, a, side_a, i), line_of(scene, b, side_b, j))


@kernel
def _measure_pair(scene, A, B, i, j):
    """Gap, normal from B to A, feet on the cores, of features `i` and `j`."""
    solids = scene.shapes.solids
    one, two = kind_of_feature(solids, A[1][0], i), kind_of_feature(solids, B[1][0], j)
    if one[0] <= two[0]:
        return _measure_ordered(scene, A, B, one, two)
    gap, n, y, x = _measure_ordered(scene, B, A, two, one)
    return gap, (-n[0], -n[1], -n[2]), x, y


@kernel
def measure_revolved(scene, candidates, c):
    """Measure one contact."""
    A, B, (_, _, i, j), (t, u) = _sides_of(scene, candidates, c)
    solids, d = scene.shapes.solids, A[1][2]
    candidates.length[c] = min(solids.size[A[1][0], 1] + t, solids.size[B[1][0], 1] + u)
    gap, n, x, y = _measure_pair(scene, A, B, i, j)
    if gap == math.inf:
        put_contact(candidates, c, gap, X, NOWHERE, NOWHERE)
        return
    put_contact(candidates, c, gap - t - u, n, plus(plus(x, -1.0, d), -t, n), plus(y, u, n))


@kernel
def _put_touching(scene, A, B, i, j, limits, found):
    """Add a pair of features (A, B) to `found` if its feet are within both; see `_put_all_touching`.

    One of several in a place with the same normal is enough.
    """
    solids, (beside, far, rounding, same) = scene.shapes.solids, limits
    gap, n, x, y = _measure_pair(scene, A, B, i, j)
    if not gap - rounding < far:
        return
    one, two = kind_of_feature(solids, A[1][0], i), kind_of_feature(solids, B[1][0], j)
    back = (-n[0], -n[1], -n[2])
    if not is_on_feature(scene, A[0], A[1], one, back, (x, y), beside if two[0] == LINE else -beside):
        return
    if not is_on_feature(scene, B[0], B[1], two, n, (y, x), beside if one[0] == LINE else -beside):
        return
    table, count = found
    for k in range(count[0]):
        d, m = plus(y, -1.0, row(table[:, 6:], k)), row(table[:, 3:], k)
        if dot(d, d) < same * same and dot(m, n) > ALIKE:
            return
    if count[0] < table.shape[0]:
        table[count[0], 0], table[count[0], 1], table[count[0], 2] = i, j, gap - rounding
        table[count[0], 3], table[count[0], 4], table[count[0], 5] = n
        table[count[0], 6], table[count[0], 7], table[count[0], 8] = y
        count[0] += 1


@kernel
def _put_all_touching(scene, A, B, limits, found):
    """Write pairs of circles, lines and vertices that may touch to `found`.

    found: table (n, 9) of both features, gap, normal, foot on B, and their number (1,). limits: way by which
    feet are within features, gap, rounding, and distance of feet in one place [m].
    """
    solids, ka, kb = scene.shapes.solids, A[1][0], B[1][0]
    reach, is_rounded = limits[1] + limits[2], limits[2] > 0.0
    first_a, first_b = first_of_kind(solids, ka, CIRCLE)[0], first_of_kind(solids, kb, CIRCLE)[0]
    last_a, last_b = first_of_kind(solids, ka, PLANE)[0], first_of_kind(solids, kb, PLANE)[0]
    around_a, around_b = np.empty((last_a - first_a, 10)), np.empty((last_b - first_b, 10))
    put_capsules(scene, A[0], A[1], around_a)
    put_capsules(scene, B[0], B[1], around_b)
    circles_a, circles_b = first_of_kind(solids, ka, CIRCLE)[1], first_of_kind(solids, kb, CIRCLE)[1]
    for i in range(last_a - first_a):
        for j in range(last_b - first_b):
            if i < circles_a and j < circles_b and i % 2 != j % 2:  # branches of two circles are the same
                continue
            if i < circles_a and is_off_circle(around_a[i], around_b[j], reach):
                continue
            if j < circles_b and is_off_circle(around_b[j], around_a[i], reach):
                continue
            if not are_far(around_a[i], around_b[j], reach):
                _put_touching(scene, A, B, first_a + i, first_b + j, limits, found)
    whole_a, whole_b = first_of_kind(solids, ka, WHOLE)[0], first_of_kind(solids, kb, WHOLE)[0]
    if is_rounded or solids.kind[kb] != POLYTOPE:
        for i in range(first_of_kind(solids, ka, POINT)[1]):
            if is_vertex(solids, ka, i):
                _put_touching(scene, A, B, i, whole_b if is_rounded else last_b - 1, limits, found)
    if is_rounded or solids.kind[ka] != POLYTOPE:
        for j in range(first_of_kind(solids, kb, POINT)[1]):
            if is_vertex(solids, kb, j):
                _put_touching(scene, A, B, whole_a if is_rounded else last_a - 1, j, limits, found)


@kernel
def _separating_plane(solids, over, under, best, tie):
    """Plane of the solid `under` that separates by more than `best`: value, plane or -1, lowest feature."""
    plane, feature = -1, 0
    for f in range(first_of_kind(solids, under[0], PLANE)[1]):
        n, offset = plane_of(solids, under, f)
        h, lowest = lowest_along(solids, over, n)
        if h - offset > best + tie:
            best, plane, feature = h - offset, f, lowest
    return best, plane, feature


@kernel
def _separation(solids, side_a, side_b, n):
    """Separation of A from B along `n`."""
    back = (-n[0], -n[1], -n[2])
    return lowest_along(solids, side_a, n)[0] + lowest_along(solids, side_b, back)[0]


@kernel
def _facing_plane(solids, side, n):
    """The plane of a solid whose normal is nearest to `n`, -1 if none is within 60 degrees."""
    best, plane = COSINE, -1
    for f in range(first_of_kind(solids, side[0], PLANE)[1]):
        cosine = dot(plane_of(solids, side, f)[0], n)
        if cosine > best + EQUAL:
            best, plane = cosine, f
    return plane


@kernel
def _is_taken(x, n, taken, count, same):
    """True if one of the `taken` points has the place `x`, seen along `n`."""
    for k in range(count):
        d = plus(row(taken, k), -1.0, x)
        d = plus(d, -dot(d, n), n)
        if dot(d, d) < same * same:
            return True
    return False


@kernel
def _select_points(solids, over, under, f, limits, seen, names, keys):
    """Select points of a solid over plane `f` of the other; returns their least gap.

    limits: as above, and the depth. seen: points that are taken (n, 3), and their number (1,). Of two rims in
    one place that of A has the points.
    """
    ((beside, far, rounding, same), deep), (taken, count), least = limits, seen, math.inf
    if f < 0:
        return least
    n, offset = plane_of(solids, under, f)
    on_plane = first_of_kind(solids, under[0], PLANE)[0] + f
    circles, vertices = first_of_kind(solids, over[0], DEEPEST)[1], first_of_kind(solids, over[0], POINT)[1]
    for e in range(circles):
        circle = circle_of(solids, over, e)
        x, tilt = deepest_of(circle.centre, circle.axis, circle.radius, n)
        h = dot(n, x) - offset - rounding
        if tilt > LEVEL and -deep < h < far and is_over_face(solids, under, f, x, beside):
            _add_pair(keys, names, vertices + e, on_plane)
            least = min(least, h)
    rim = vertices // circles if circles > 0 else 1
    every = EVERY if solids.kind[under[0]] == POLYTOPE else 1
    within = -same if solids.kind[under[0]] != POLYTOPE and not names[0] else beside
    for i in range(vertices):
        free = is_vertex(solids, over[0], i)
        if (not free and i % every != 0) or (free and rounding > 0.0):
            continue
        if not free:
            circle = circle_of(solids, over, i // rim)
            if (
                dot(circle.axis, n) > 0.0
                or deepest_of(circle.centre, circle.axis, circle.radius, n)[1] > STEEP
            ):
                continue
        x = point_of(solids, over, i)
        h = dot(n, x) - offset - rounding
        if not -deep < h < far or not is_over_face(solids, under, f, x, beside if free else within):
            continue
        least = min(least, h)
        if not _is_taken(x, n, taken, count[0], same):
            _add_pair(keys, names, i, on_plane)
            if count[0] < taken.shape[0]:
                taken[count[0], 0], taken[count[0], 1], taken[count[0], 2] = x
                count[0] += 1
    return least


@kernel
def _add_pair(keys, names, i, j):
    """Add the key of features of the solid over a plane, and that under it."""
    a_is, number_a, number_b = names
    add_key(keys, key_of(number_a, i, number_b, j) if a_is else key_of(number_a, j, number_b, i))


@kernel
def select_revolved(scene, candidates, c, keys):
    """Pairs of features of two solids that may touch."""
    solids = scene.shapes.solids
    A, B, (number_a, number_b, _, _), (t, u) = _sides_of(scene, candidates, c)
    side_a, side_b = A[1], B[1]
    ka, kb, d, rounding = side_a[0], side_b[0], side_a[2], t + u
    size = min(solids.size[ka, 1] + t, solids.size[kb, 1] + u)
    far, beside, tie = FAR * size, EDGE * size, TIE * size
    reach = solids.size[ka, 0] + solids.size[kb, 0] + far + rounding
    if dot(d, d) > reach * reach:
        return
    by_b, face_b, lowest_a = _separating_plane(solids, side_a, side_b, -math.inf, tie)
    by_a, face_a, lowest_b = _separating_plane(solids, side_b, side_a, by_b, tie)
    of_a, best = face_a >= 0, by_a - rounding
    if best > far:
        return
    n = plane_of(solids, side_a, face_a)[0] if of_a else plane_of(solids, side_b, face_b)[0]
    n = (-n[0], -n[1], -n[2]) if of_a else n
    limits = beside, far, rounding, SAME * size
    table, count = np.empty((MOST, 9)), np.zeros(1, np.int64)
    _put_all_touching(scene, A, B, limits, (table, count))
    single, axis = -math.inf, n
    for k in range(count[0]):
        m = row(table[:, 3:], k)
        gap = table[k, 2]
        if gap > max(single, best + tie) and _separation(solids, side_a, side_b, m) - rounding > gap - beside:
            single, axis = gap, m
    best = max(best, single)
    overlap = best < -beside and not are_apart(solids, side_a, side_b, beside, rounding)
    least, deep = math.inf, DEEP * size - best if overlap else beside  # apart there are no depths
    for k in range(count[0]):
        if table[k, 2] > -deep and dot(row(table[:, 3:], k), axis) > COSINE:
            add_key(keys, key_of(number_a, int(table[k, 0]), number_b, int(table[k, 1])))
            least = min(least, table[k, 2])
    seen = np.empty((MOST, 3)), np.zeros(1, np.int64)
    f, g = _facing_plane(solids, side_b, axis), _facing_plane(solids, side_a, (-axis[0], -axis[1], -axis[2]))
    one, two = (True, number_a, number_b), (False, number_a, number_b)
    least = min(least, _select_points(solids, side_a, side_b, f, (limits, deep), seen, one, keys))
    least = min(least, _select_points(solids, side_b, side_a, g, (limits, deep), seen, two, keys))
    if least <= 0.5 * best or not overlap:  # else it is much deeper than the features say
        return
    if of_a:
        on_plane = first_of_kind(solids, ka, PLANE)[0] + face_a
        add_key(keys, key_of(number_a, on_plane, number_b, lowest_b))
    else:
        on_plane = first_of_kind(solids, kb, PLANE)[0] + face_b
        add_key(keys, key_of(number_a, lowest_a, number_b, on_plane))
