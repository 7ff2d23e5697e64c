"""A cylinder and a convex polytope: features that may touch, and their gaps.

A cylinder of radius R has fixed points of its rims, deepest points of its circles, two branches of each
circle, the side, and both disks. With the normal n from the polytope to the cylinder

    rim point, or deepest point, and face    n = n_f                g = n . (x - c_f)
    disk, vertex                             n = -a                 g = a . (x_v - c)
    side, vertex                             n from x_v to its foot on the axis, g = |.| - R
    side, edge                               n = +-a x e            g = n . (P_A - P_B) - R
    circle, edge                             n = +-t x e            g = n . (P_A - P_B)

with the axis a, the tangent t of the rim and closest points P. The distance of a circle and a line has up to
two minima. Each is a branch, found among points of the rim and by Newton's method. All gaps are distances of
closest points, and so the normals are their gradients.
"""

import math

import numpy as np

from elements.geometry.polytope_distance import is_over
from elements.geometry.polytope_pairs import (
    DEEP,
    EDGE,
    EQUAL,
    FAR,
    SINE,
    TIE,
    X,
    Y,
    Z,
    add_key,
    closest_on_lines,
    edge_of,
    feature_counts,
    key_of,
    solids_of_pair,
)
from elements.geometry.polytope_pairs import STEEP as COSINE
from elements.geometry.polytopes import put_polytope
from elements.geometry.rim_circle import ASIDE, LEVEL, STEEP, deepest_of, nearest_to_line
from elements.geometry.scene_access import put_contact
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import cross, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel

EVERY = 4  # of the fixed points of a rim one is a feature here
ITERATIONS = 300  # towards a plane between both
SLANTED = 0.1  # least product of a normal and the sum of those of both faces at an edge
WIDE = 0.05  # sine of the angle by which the normal of a rim may be off its cone


@kernel
def ends_of(solids, k, q):
    """Centres of both circles off that of the body, and unit axis to the first."""
    face, half = solids.face[k], (solids.corner[solids.face[k] + 1] - solids.corner[solids.face[k]]) // 2
    first = solids.vertex[k]
    c0 = turned(q, mean(row(solids.vertices, first), row(solids.vertices, first + half)))
    c1 = turned(q, mean(row(solids.vertices, first + 2 * half), row(solids.vertices, first + 3 * half)))
    return c0, c1, turned(q, row(solids.planes, face))


@kernel
def pair_of_lines(x, t, e0, edge, out, R):
    """Gap and normal, to the side of `out`, of lines along unit `t` and `edge`."""
    n = cross(t, edge)
    sine = math.sqrt(dot(n, n))
    if sine <= SINE:
        return math.inf, out
    f = 1.0 / sine if dot(n, out) > 0.0 else -1.0 / sine
    n = (f * n[0], f * n[1], f * n[2])
    return dot(n, plus(x, -1.0, e0)) - R, n


@kernel
def measure_features(scene, pair, i, j):
    """Gap, normal, lever on the cylinder, and lever on the polytope.

    Of feature `i` of the cylinder and `j` of the polytope; the normal is to the cylinder. pair: body and
    solid of the cylinder, those of the polytope, centre of the first body off that of the second.
    """
    C, k, P, m, d = pair
    solids, q, Q = scene.shapes.solids, scene.q[C], scene.q[P]
    R, points = solids.size[k, 2], solids.vertex[k + 1] - solids.vertex[k]
    vertices, edges, _ = feature_counts(solids, m)
    c0, c1, a = ends_of(solids, k, q)
    none = (0.0, 0.0, 0.0)
    if j >= vertices + edges:  # a face
        plane = solids.face[m] + j - vertices - edges
        n = turned(Q, row(solids.planes, plane))
        if i < points:
            p = turned(q, row(solids.vertices, solids.vertex[k] + i))
        else:
            p, tilt = deepest_of(c0 if i == points else c1, a, R, n)
            if tilt <= LEVEL:
                return math.inf, X, none, none
        r = plus(d, 1.0, p)
        gap = dot(n, r) - solids.planes[plane, 3]
        return gap, n, p, plus(r, -gap, n)
    if j < vertices:
        x = turned(Q, row(solids.vertices, solids.vertex[m] + j))
        s = plus(x, -1.0, d)  # seen from C
        if i > points + 6:  # a disk
            e = i - points - 7
            out, c = (a, c0) if e == 0 else ((-a[0], -a[1], -a[2]), c1)
            gap = dot(out, plus(s, -1.0, c))
            return gap, (-out[0], -out[1], -out[2]), plus(s, -gap, out), x
        foot = plus(c1, dot(plus(s, -1.0, c1), a), a)
        n = plus(foot, -1.0, s)
        size = math.sqrt(dot(n, n))
        if size == 0.0:
            return math.inf, X, none, none
        n = (n[0] / size, n[1] / size, n[2] / size)
        return size - R, n, plus(foot, -R, n), x
    e0, e1, out = edge_of(scene, P, m, j - vertices)
    edge = plus(e1, -1.0, e0)
    f = 1.0 / math.sqrt(dot(edge, edge))
    edge, e = (f * edge[0], f * edge[1], f * edge[2]), plus(e0, -1.0, d)
    if i == points + 6:  # the side
        gap, n = pair_of_lines(c1, a, e, edge, out, R)
        if gap == math.inf:
            return math.inf, X, none, none
        s, t, _ = closest_on_lines(c1, plus(c1, 1.0, a), e, plus(e, 1.0, edge))
        return gap, n, plus(plus(c1, s, a), -R, n), plus(e0, t, edge)
    circle, branch = (i - points - 2) // 2, (i - points - 2) % 2
    c = c0 if circle == 0 else c1
    f = 1.0 / R
    start = plus(turned(q, row(solids.vertices, solids.vertex[k])), -1.0, c0)
    start = (f * start[0], f * start[1], f * start[2])
    p, t, found = nearest_to_line(c, a, R, start, e, edge, branch)
    if not found:
        return math.inf, X, none, none
    gap, n = pair_of_lines(p, t, e, edge, out, 0.0)
    if gap == math.inf:
        return math.inf, X, none, none
    return gap, n, p, plus(e0, dot(plus(p, -1.0, e), edge), edge)


@kernel
def measure_cylinder(scene, candidates, c):
    """Measure one contact of a cylinder and a polytope."""
    _, _, ka, kb, i, j = solids_of_pair(candidates, scene, c)
    solids, a, b = scene.shapes.solids, candidates.a[c], candidates.b[c]
    candidates.length[c] = min(solids.size[ka, 1], solids.size[kb, 1])
    d = plus(row(scene.x, a), -1.0, row(scene.x, b))
    if solids.kind[ka] != POLYTOPE:
        gap, n, pa, pb = measure_features(scene, (a, ka, b, kb, d), i, j)
    else:
        gap, n, pb, pa = measure_features(scene, (b, kb, a, ka, (-d[0], -d[1], -d[2])), j, i)
        n = (-n[0], -n[1], -n[2])
    put_contact(candidates, c, gap, n, pa, pb)


@kernel
def _vertex_of(solids, m, j, vertices):
    """The vertex `j`, or one of the edge `j`."""
    return solids.edges[solids.edge[m] + j - vertices, 0] if j >= vertices else j


@kernel
def _is_highest(n, V, vertex, tolerance):
    """True if no vertex is further along `n` than `vertex`."""
    x = row(V, vertex)
    highest = -math.inf
    for k in range(V.shape[0]):
        highest = max(highest, dot(n, plus(row(V, k), -1.0, x)))
    return highest <= tolerance


@kernel
def _touch(scene, pair, i, j, shape, V, size, deep):
    """Gap and normal of features with closest points within both; see below.

    Else the gap is infinite. The third number is the sine by which the normal is off the cone of normals of a
    rim. shape: lower end, axis, length, radius and points of the cylinder.
    """
    (c1, a, length, R, points), d = shape, pair[4]
    if points + 2 <= i < points + 6:  # lines far from a circle are the most
        e0, e1, _ = edge_of(scene, pair[2], pair[3], j - V.shape[0])
        away, edge = plus(plus(c1, length if i < points + 4 else 0.0, a), -1.0, e0), plus(e1, -1.0, e0)
        moment = cross(away, edge)
        if dot(moment, moment) > (R + FAR * size) ** 2 * dot(edge, edge):
            return math.inf, edge, 0.0
    gap, n, pc, pp = measure_features(scene, pair, i, j)
    if not -deep < gap < math.inf:
        return math.inf, n, 0.0
    pc = plus(plus(pc, 1.0, d), -1.0, c1)
    s, beside = dot(pc, a), EDGE * size
    if j >= V.shape[0]:
        e0, e1, out = edge_of(scene, pair[2], pair[3], j - V.shape[0])
        edge = plus(e1, -1.0, e0)
        many = math.sqrt(dot(edge, edge))
        t = dot(plus(pp, -1.0, e0), edge) / many
        if not beside < t < many - beside or dot(n, out) < SLANTED:
            return math.inf, n, 0.0
        if i < points + 6:
            lower = i >= points + 4
            u = plus(pc, -s, a)
            if (dot(u, edge) > ASIDE * R * many) != ((i - points) % 2 == 1):
                return math.inf, n, 0.0
            off = max(-dot(n, a) if lower else dot(n, a), dot(n, u) / R)
            return gap, n, off
        if not beside < s < length - beside:
            return math.inf, n, 0.0
    elif i == points + 6:
        if not 0.0 < s < length:
            return math.inf, n, 0.0
    else:
        u = plus(pc, -s, a)
        if dot(u, u) > (R + beside) ** 2:
            return math.inf, n, 0.0
    return gap, n, 0.0


@kernel
def _of_face(solids, m, corners, j, vertices, face):
    """True if vertex, or edge, `j` is one of a face."""
    if j >= vertices:
        line = solids.edge[m] + j - vertices
        return solids.edges[line, 2] == face or solids.edges[line, 3] == face
    found = False
    for i in corners:
        found = found or i == j
    return found


@kernel
def _least_depth(F, V, c0, c1, a, R, tie):
    """Largest separation by a face or disk: value, face, disk or -1, lowest vertex."""
    best, face, disk, vertex = -math.inf, 0, -1, 0
    for f in range(F.shape[0]):
        n = row(F, f)
        axial = dot(n, a)
        h = min(dot(n, c0), dot(n, c1)) - R * math.sqrt(max(1.0 - axial * axial, 0.0)) - F[f, 3]
        if h > best + tie:
            best, face = h, f
    for e in range(2):
        sign, centre = (1.0, c0) if e == 0 else (-1.0, c1)
        h, lowest = math.inf, 0
        for i in range(V.shape[0]):
            x = sign * dot(a, plus(row(V, i), -1.0, centre))
            if x < h:
                h, lowest = x, i
        if h > best + tie:
            best, disk, vertex = h, e, lowest
    if disk >= 0:
        least = math.inf
        for f in range(F.shape[0]):
            cosine = dot(row(F, f), a) * (1.0 if disk == 0 else -1.0)
            if cosine < least - EQUAL:
                least, face = cosine, f
    return best, face, disk, vertex


@kernel
def _are_apart(V, c0, c1, a, R):
    """True if a plane between a cylinder and vertices is found (Gilbert, SIAM J. Control 4 (1966) 61)."""
    v = plus(mean(c0, c1), -1.0, row(V, 0))
    for _ in range(ITERATIONS):
        size = math.sqrt(dot(v, v))
        if size <= EDGE * R:
            return False
        n = (v[0] / size, v[1] / size, v[2] / size)
        point, _ = deepest_of(c0 if dot(n, a) < 0.0 else c1, a, R, n)
        highest = 0
        for i in range(V.shape[0]):
            if dot(n, row(V, i)) > dot(n, row(V, highest)):
                highest = i
        w = plus(point, -1.0, row(V, highest))
        if dot(n, w) > EDGE * R:
            return True
        step = plus(w, -1.0, v)
        square = dot(step, step)
        if square == 0.0:
            return False
        v = plus(v, min(max(-dot(v, step) / square, 0.0), 1.0), step)
    return False


@kernel
def _select_rims(scene, pair, shape, face, limits, names, keys):
    """Select points of the rims over a face, and return their least height.

    shape: as in `_touch`, and the upper end. face: plane, corners, vertices of the polytope, number among its
    features, and the circle that faces it flat, else -1. limits: beside, deep and far [m].
    """
    (c1, a, _, R, points), c0 = shape
    (plane, corners, V, on_face, facing), (beside, deep, far) = face, limits
    solids, q, first = scene.shapes.solids, scene.q[pair[0]], scene.shapes.solids.vertex[pair[1]]
    n, offset, least = (plane[0], plane[1], plane[2]), plane[3], math.inf
    for e in range(2):
        if facing >= 0 and e != facing:
            continue
        x, tilt = deepest_of(c0 if e == 0 else c1, a, R, n)
        h = dot(n, x) - offset
        if tilt > LEVEL and -deep < h < far and is_over(x, n, V, corners, beside):
            _add_pair(keys, names, points + e, on_face)
            least = min(least, h)
        if facing < 0 or tilt > STEEP:
            continue
        for i in range(e * points // 2, (e + 1) * points // 2, EVERY):
            x = plus(turned(q, row(solids.vertices, first + i)), 1.0, pair[4])
            h = dot(n, x) - offset
            if -deep < h < far and is_over(x, n, V, corners, beside):
                _add_pair(keys, names, i, on_face)
                least = min(least, h)
    return least


@kernel
def _select_touching(scene, pair, shape, face, V, sizes, names, keys):
    """Select vertices and edges that touch near the normal of a face.

    face: normal, corners, number, and the circle that faces it flat, else -1. sizes: lengths are relative to
    the first, and depths are up to the second. Returns their least gap, and the pair that separates most:
    its gap and both features.
    """
    (n, corners, number, facing), (size, deep), points = face, sizes, shape[4]
    solids, m, vertices, flat = scene.shapes.solids, pair[3], V.shape[0], face[3] >= 0
    far, beside, edges = FAR * size, EDGE * size, solids.edge[m + 1] - solids.edge[m]
    least, single, first, second = math.inf, -math.inf, 0, 0
    for j in range(vertices + edges):
        of_face = _of_face(solids, m, corners, j, vertices, number)
        start = points + 2 if j >= vertices else points + 6
        for i in range(start, points + 7 if j >= vertices else points + 9):
            if i > points + 6 and not (of_face and flat and i == points + 7 + facing):
                continue
            gap, normal, off = _touch(scene, pair, i, j, shape, V, size, deep)
            if gap == math.inf:
                continue
            suits = of_face and off < WIDE and dot(normal, n) > COSINE and (flat or i <= points + 6)
            if suits and gap < far and not (flat and i == points + 6 and j < vertices):
                _add_pair(keys, names, i, j)
                least = min(least, gap)
            if i > points + 6 or off > EQUAL or gap <= single:
                continue
            if _is_highest(normal, V, _vertex_of(solids, m, j, vertices), beside):
                single, first, second = gap, i, j
    return least, single, first, second


@kernel
def _select_singles(scene, pair, shape, V, sizes, single, names, keys):
    """Select all pairs that separate as much as the best one, by `single`."""
    (size, deep), points, m = sizes, shape[4], pair[3]
    solids, vertices = scene.shapes.solids, V.shape[0]
    far, beside, edges = FAR * size, EDGE * size, solids.edge[m + 1] - solids.edge[m]
    for j in range(vertices + edges):
        for i in range(points + 2 if j >= vertices else points + 6, points + 7):
            gap, normal, off = _touch(scene, pair, i, j, shape, V, size, deep)
            if not single - beside <= gap < far or off > WIDE:
                continue
            if _is_highest(normal, V, _vertex_of(solids, m, j, vertices), beside):
                _add_pair(keys, names, i, j)


@kernel
def select_cylinder(scene, candidates, c, keys):
    """Pairs of features of a cylinder and a polytope that may touch."""
    solids = scene.shapes.solids
    number_a, number_b, ka, kb, _, _ = solids_of_pair(candidates, scene, c)
    a_is = solids.kind[ka] != POLYTOPE
    names = a_is, number_a, number_b
    C, P = (candidates.a[c], candidates.b[c]) if a_is else (candidates.b[c], candidates.a[c])
    k, m = (ka, kb) if a_is else (kb, ka)
    size = min(solids.size[ka, 1], solids.size[kb, 1])
    far, beside = FAR * size, EDGE * size
    d = plus(row(scene.x, C), -1.0, row(scene.x, P))
    reach = solids.size[ka, 0] + solids.size[kb, 0] + far
    if dot(d, d) > reach * reach:
        return
    vertices, edges, faces = feature_counts(solids, m)
    V, F, Q = np.empty((vertices, 3)), np.empty((faces, 4)), scene.q[P]
    put_polytope(solids, m, ((0.0, 0.0, 0.0), turned(Q, X), turned(Q, Y), turned(Q, Z)), V, F)
    R, points = solids.size[k, 2], solids.vertex[k + 1] - solids.vertex[k]
    c0, c1, a = ends_of(solids, k, scene.q[C])
    c0, c1 = plus(c0, 1.0, d), plus(c1, 1.0, d)
    pair, shape = (C, k, P, m, d), (c1, a, dot(plus(c0, -1.0, c1), a), R, points)
    best, face, disk, lowest = _least_depth(F, V, c0, c1, a, R, TIE * size)
    if best > far:
        return
    deep = DEEP * size - min(best, 0.0)
    n = row(F, face)
    corners = solids.corners[solids.corner[solids.face[m] + face] : solids.corner[solids.face[m] + face + 1]]
    facing = (0 if dot(n, a) < 0.0 else 1) if abs(dot(n, a)) > COSINE else -1
    on_face = vertices + edges + face
    outline = F[face], corners, V, on_face, facing
    least = _select_rims(scene, pair, (shape, c0), outline, (beside, deep, far), names, keys)
    found, single, first, second = _select_touching(
        scene, pair, shape, (n, corners, face, facing), V, (size, deep), names, keys
    )
    least = min(least, found)
    unseen = max(best, single) < -beside and least >= 0.0
    if single > best + TIE * size:
        if single <= far:
            _add_pair(keys, names, first, second)
            _select_singles(scene, pair, shape, V, (size, deep), single, names, keys)
    elif unseen and _are_apart(V, c0, c1, a, R):  # a corner beside a rim
        return
    elif unseen and disk >= 0:
        _add_pair(keys, names, points + 7 + disk, lowest)
    elif unseen:
        e = 0 if dot(n, c0) < dot(n, c1) else 1
        tilt = deepest_of(c0 if e == 0 else c1, a, R, n)[1]
        _add_pair(keys, names, points + e if tilt > LEVEL else e * points // 2, on_face)


@kernel
def _add_pair(keys, names, i, j):
    """Add the key of feature `i` of the cylinder and `j` of the polytope."""
    a_is, number_a, number_b = names
    add_key(keys, key_of(number_a, i, number_b, j) if a_is else key_of(number_a, j, number_b, i))
