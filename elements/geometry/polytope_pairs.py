"""Two convex polytopes: features that may touch, and the gap of each pair of them.

Features are numbered: vertices, then edges, then faces. A contact is one of

    vertex of A, face of B     n = n_B                     g = n_B . (x_v - c_B)
    face of A, vertex of B     n = -n_A                    g = n_A . (x_v - c_A)
    edge of A, edge of B       n = +-e_A x e_B/|e_A x e_B|   g = n . (P_A - P_B)

with the normal n from B to A, and the closest points P of both lines. The sign of n is that of its product
with the outward normals at the edge of B, less those at the edge of A. Each gap has its own normal, which is
its gradient. Both sides are alike: none has a face of reference. Both levers end in one point, the vertex, or
the middle between the edges. So polytopes that rotate together do not slide where they have just opened.

**Selection.** The axis of largest separation is sought among the normals of all faces and the products of
edges. The arcs of two such edges on the sphere of normals cross (Gregorius, The separating axis test between
convex polyhedra, GDC 2013). A face has the most opposite one of the other polytope beside it. Contacts are

    vertices of each that are over the polygon of the other, but one of two vertices in one place
    edges of both that cross within both, unless they are nearly parallel

and the pair of edges whose axis separates more than all faces. All of them are kept up to FAR from each
other. So a feature is selected before it touches, and does not end by its push.

A vertex over a polygon and below its face is within the polytope, unless it is deeper than that. So are
edges that cross. Depths are at most DEEP, and DEEPER times that along the axis of least depth. No feature of
polytopes that are apart overlaps. If polytopes overlap, but no contact of these does, the axis of least depth
is one.
"""

import math

import numpy as np

from elements.geometry.polytope_distance import is_over
from elements.geometry.polytopes import put_polytope
from elements.geometry.scene_access import CENTRE, apart, note_image, put_contact, put_midway
from nsgalpha.geometry.geometry_signature import geometry_kernel, put_key
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import cross, dot, plus, row
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.contact_keys import contact_key, key_parts

FAR = 0.05  # of the smaller half width: gaps of features that are selected
DEEP = 0.5  # the same: depths,
DEEPER = 2.0  # and at most so many times that of the axis of least depth
EDGE = 1e-7  # the same: by which a vertex may lie beside a polygon
SAME = 1e-5  # the same: distance of vertices in one place
TIE = 1e-7  # the same: of separations
EQUAL = 1e-9  # difference of the directions of equally opposite faces
SINE = 1e-3  # of the angle between edges that cross
STEEP = 0.5  # least cosine of the angle between the normal of crossing edges and that of a face
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

key_of = inlined(contact_key)
_parts = inlined(key_parts)


@inlined
def shapes_of_pair(candidates, scene, c):
    """Numbers and rows of both shapes, and features of candidate `c`, also of an empty slot."""
    feature, first = candidates.feature[c], scene.shapes.first
    number_a, i, number_b, j = _parts(feature if feature >= 0 else ~feature)
    return number_a, number_b, first[candidates.a[c]] + number_a, first[candidates.b[c]] + number_b, i, j


@inlined
def solids_of_pair(candidates, scene, c):
    """Shape numbers, solids, and features of candidate `c`, also of an empty slot."""
    number_a, number_b, a, b, i, j = shapes_of_pair(candidates, scene, c)
    return number_a, number_b, scene.shapes.solid[a], scene.shapes.solid[b], i, j


@inlined
def feature_counts(solids, k):
    """Numbers of vertices, edges and faces of a solid."""
    return (
        solids.vertex[k + 1] - solids.vertex[k],
        solids.edge[k + 1] - solids.edge[k],
        solids.face[k + 1] - solids.face[k],
    )


@inlined
def _closest(u, v, w):
    """Coordinates of the closest points of two lines along `u` and `v`, times the square of u x v.

    `w`: a point of the second line, seen from one of the first. The square follows, and u.u and v.v.
    """
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    square = dot(cross(u, v), cross(u, v))
    return dot(w, u) * vv - dot(w, v) * uv, dot(w, u) * uv - dot(w, v) * uu, square, uu, vv


@inlined
def closest_on_lines(a0, a1, b0, b1):
    """Coordinates of the closest points of two lines, and their squared sine."""
    s, t, square, uu, vv = _closest(plus(a1, -1.0, a0), plus(b1, -1.0, b0), plus(b0, -1.0, a0))
    if square <= 1e-24 * uu * vv:
        return 0.5, 0.5, 0.0
    return s / square, t / square, square / (uu * vv)


@inlined
def edge_of(scene, body, k, e):
    """Ends of an edge, off the centre of its body, and its normals, added."""
    solids, q = scene.shapes.solids, scene.q[body]
    line = solids.edge[k] + e
    first, face = solids.vertex[k], solids.face[k]
    p0 = turned(q, row(solids.vertices, first + solids.edges[line, 0]))
    p1 = turned(q, row(solids.vertices, first + solids.edges[line, 1]))
    n = plus(
        row(solids.planes, face + solids.edges[line, 2]),
        1.0,
        row(solids.planes, face + solids.edges[line, 3]),
    )
    return p0, p1, turned(q, n)


@inlined
def _on_face(scene, over, k, f, under, v, m, d):
    """Gap, normal and both levers, to the vertex, of a vertex and a face.

    Vertex `v` is that of the solid `m` of the body `over`, face `f` that of the solid `k` of `under`.
    `d`: the centre of `over`, seen from that of `under`.
    """
    solids = scene.shapes.solids
    plane = solids.face[k] + f
    n = turned(scene.q[under], row(solids.planes, plane))
    p = turned(scene.q[over], row(solids.vertices, solids.vertex[m] + v))
    r = plus(d, 1.0, p)
    gap = dot(n, r) - solids.planes[plane, 3]
    return gap, n, p, r


@inlined
def measure_polytope_features(scene, candidates, c):
    """Measure one contact."""
    _, _, ka, kb, i, j = solids_of_pair(candidates, scene, c)
    solids, a, b = scene.shapes.solids, candidates.a[c], candidates.b[c]
    candidates.length[c] = min(solids.size[ka, 1], solids.size[kb, 1])
    d = apart(scene, candidates, c)  # A, seen from B
    vertices_a, edges_a, _ = feature_counts(solids, ka)
    vertices_b, edges_b, _ = feature_counts(solids, kb)
    if i < vertices_a:
        gap, n, pa, pb = _on_face(scene, a, kb, j - vertices_b - edges_b, b, i, ka, d)
        put_contact(candidates, c, gap, n, pa, pb)
    elif j < vertices_b:
        back = -d[0], -d[1], -d[2]
        gap, n, pb, pa = _on_face(scene, b, ka, i - vertices_a - edges_a, a, j, kb, back)
        put_contact(candidates, c, gap, (-n[0], -n[1], -n[2]), pa, pb)
    else:
        a0, a1, out_a = edge_of(scene, a, ka, i - vertices_a)
        b0, b1, out_b = edge_of(scene, b, kb, j - vertices_b)
        a0, a1 = plus(a0, 1.0, d), plus(a1, 1.0, d)  # seen from B
        s, t, square = closest_on_lines(a0, a1, b0, b1)
        if square == 0.0:
            put_contact(candidates, c, math.inf, X, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            return
        n = cross(plus(a1, -1.0, a0), plus(b1, -1.0, b0))
        f = math.copysign(1.0 / math.sqrt(dot(n, n)), dot(n, out_b) - dot(n, out_a))
        n = f * n[0], f * n[1], f * n[2]
        pa, pb = plus(a0, s, plus(a1, -1.0, a0)), plus(b0, t, plus(b1, -1.0, b0))
        put_midway(candidates, c, dot(n, plus(a0, -1.0, b0)), n, plus(pa, -1.0, d), pb)


@kernel
def _lowest(V, P, f, likely, limit):
    """Least height of the vertices over plane `f`, and the number of the first such vertex.

    A height below the `limit` is as good. The vertex that is `likely` the lowest is tried first.
    """
    n, offset = row(P, f), P[f, 3]
    h = dot(n, row(V, likely)) - offset
    if h <= limit:
        return h, likely
    least, lowest = math.inf, 0
    for i in range(V.shape[0]):
        h = dot(n, row(V, i)) - offset
        if h < least:
            least, lowest = h, i
            if h <= limit:
                break
    return least, lowest


@kernel
def _separating_face(V, P, far, tie):
    """The plane over which all vertices are highest: the separation, face and lowest vertex.

    It ends at a separation above `far`. Of two within `tie` the first is taken.
    """
    best, face, vertex = -math.inf, 0, 0
    for f in range(P.shape[0]):
        least, lowest = _lowest(V, P, f, vertex, best + tie)
        if least > best + tie:
            best, face, vertex = least, f, lowest
            if best > far:
                break
    return best, face, vertex


@kernel
def _facing_edges(solid, p, best, chosen):
    """Write to `chosen` the edges whose separation from a polytope with the point `p` may exceed `best`.

    Along a normal n of the edge through a it is at most n . (p - a). The n are between the normals of two
    faces. Where both products are negative, n has none above the larger one. Returns their number.
    """
    count, least, (V, P, E) = 0, min(best, 0.0), solid
    for i in range(E.shape[0]):
        d = plus(p, -1.0, row(V, E[i, 0]))
        bound = max(dot(row(P, E[i, 2]), d), dot(row(P, E[i, 3]), d))
        chosen[count] = i
        count += int(bound > least)
    return count


@kernel
def _separating_edges(A, B, low, best, far, chosen):
    """Largest separation above `best` by a pair of edges, and their numbers.

    `A`, `B`: vertices, planes, edges. `low`: a point of each, near the other one. `chosen`: a workspace.
    """
    (VA, PA, EA), (VB, PB, EB) = A, B
    first, second = -1, -1
    of_a, of_b = chosen[: EA.shape[0]], chosen[EA.shape[0] :]
    count, other = _facing_edges(A, low[1], best, of_a), _facing_edges(B, low[0], best, of_b)
    for i in of_a[:count]:
        a0 = row(VA, EA[i, 0])
        u = plus(row(VA, EA[i, 1]), -1.0, a0)
        n0, n1 = row(PA, EA[i, 2]), row(PA, EA[i, 3])
        uu, out = dot(u, u), plus(n0, 1.0, n1)
        for j in of_b[:other]:
            b0 = row(VB, EB[j, 0])
            w = plus(row(VB, EB[j, 1]), -1.0, b0)
            one, two = dot(u, row(PB, EB[j, 2])), dot(n1, w)
            # the arcs cross if all are negative; a branch each would be guessed wrong by half
            if max(one * dot(u, row(PB, EB[j, 3])), dot(n0, w) * two, one * two) >= 0.0:
                continue
            n = cross(u, w)
            square = dot(n, n)
            if square <= SINE * SINE * uu * dot(w, w):
                continue
            s = dot(n, plus(b0, -1.0, a0)) / math.sqrt(square)
            s = s if dot(n, out) > 0.0 else -s
            if s > best:
                best, first, second = s, i, j
                if best > far:
                    return best, first, second
    return best, first, second


@kernel
def _most_opposite(n, P):
    """The face whose normal is most opposite to `n`, the first of those that are alike."""
    face, least = 0, math.inf
    for f in range(P.shape[0]):
        cosine = dot(n, row(P, f))
        if cosine < least - EQUAL:
            face, least = f, cosine
    return face


@kernel
def add_key(keys, key):
    """Add a `key` that is not there."""
    for k in range(min(keys[keys.shape[0] - 1], keys.shape[0] - 1)):
        if keys[k] == key:
            return
    put_key(keys, key)


@kernel
def _mark_vertices(V, corners, lowest, plane, W, polygon, bounds):
    """Mark `corners`, and the `lowest` vertex, where they may touch a polygon, and return the least gap.

    V: vertices of one side, and their marks; `plane`, W and `polygon`: the face of the other one. lowest: -1
    for none. `bounds`: least and largest gap, and how far a vertex may be beside the polygon.
    """
    n, least = (plane[0], plane[1], plane[2]), math.inf
    for k in range(-1, corners.shape[0]):
        i = lowest if k < 0 else corners[k]
        if i < 0 or V[i, 3] > 0.0:
            continue
        x = row(V, i)
        h = dot(n, x) - plane[3]
        if bounds[0] < h < bounds[1] and is_over(x, n, W, polygon, bounds[2]):
            V[i, 3] = 1.0
            least = min(least, h)
    return least


@kernel
def _is_taken(x, n, V, size):
    """True if one of the marked vertices has the place `x`, seen along `n`."""
    for k in range(V.shape[0]):
        if V[k, 3] > 0.0:
            d = plus(row(V, k), -1.0, x)
            d = plus(d, -dot(d, n), n)
            if dot(d, d) < (SAME * size) ** 2:
                return True
    return False


@kernel
def _select_crossings(A, B, sides, axis, bounds, shapes, keys):
    """Select the edges of two faces that cross, and return the least gap.

    `sides`: their edges; `axis`: the normal of a face, from B to A; `bounds`: those of `_mark_vertices`.
    """
    least = math.inf
    (VA, _, EA), (VB, _, EB) = A, B
    for i in sides[0]:
        a0 = row(VA, EA[i, 0])
        u = plus(row(VA, EA[i, 1]), -1.0, a0)
        for j in sides[1]:
            b0 = row(VB, EB[j, 0])
            gap = _gap_of_crossing(a0, u, b0, plus(row(VB, EB[j, 1]), -1.0, b0), axis, bounds)
            if gap < math.inf:
                add_key(keys, key_of(shapes[0], VA.shape[0] + i, shapes[1], VB.shape[0] + j))
                least = min(least, gap)
    return least


@inlined
def _gap_of_crossing(a0, u, b0, v, axis, bounds):
    """Gap of edges `u` and `v` that cross within both, with a normal near the `axis`; else infinite."""
    w = plus(b0, -1.0, a0)
    s, t, square, uu, vv = _closest(u, v, w)
    if min(s, t, square - s, square - t, square - SINE * SINE * uu * vv) <= 0.0:
        return math.inf
    s, t, beside = s / square, t / square, bounds[2]
    if min(s, 1.0 - s) * math.sqrt(uu) <= beside or min(t, 1.0 - t) * math.sqrt(vv) <= beside:
        return math.inf
    n = cross(u, v)
    f = 1.0 / math.sqrt(square)
    cosine, apart = f * dot(n, axis), -f * dot(n, w)
    gap = apart if cosine > 0.0 else -apart
    return gap if abs(cosine) > STEEP and bounds[0] < gap < bounds[1] else math.inf


@kernel
def _select(solids, a, b, d, workspace, keys):
    """Select features of the solids `a` and `b` (shape number, solid, rotation); `d`: B, seen from A."""
    (number_a, ka, qa), (number_b, kb, qb), (work, chosen) = a, b, workspace
    shapes, size = (number_a, number_b), min(solids.size[ka, 1], solids.size[kb, 1])
    far, (va, ea, fa), (vb, eb, _) = FAR * size, feature_counts(solids, ka), feature_counts(solids, kb)
    VA, VB, PA, PB = work[:va], work[va : va + vb], work[va + vb : va + vb + fa], work[va + vb + fa :]
    put_polytope(solids, ka, ((0.0, 0.0, 0.0), turned(qa, X), turned(qa, Y), turned(qa, Z)), VA, PA)
    put_polytope(solids, kb, (d, turned(qb, X), turned(qb, Y), turned(qb, Z)), VB, PB)
    for i in range(va + vb):
        work[i, 3] = 0.0  # no vertex is marked
    by_a, face_a, lowest_b = _separating_face(VB, PA, far, TIE * size)
    if by_a > far:
        return
    by_b, face_b, lowest_a = _separating_face(VA, PB, far, TIE * size)
    if by_b > far:
        return
    A = VA, PA, solids.edges[solids.edge[ka] : solids.edge[ka + 1]]
    B = VB, PB, solids.edges[solids.edge[kb] : solids.edge[kb + 1]]
    low = row(VA, lowest_a), row(VB, lowest_b)
    by_edges, edge_a, edge_b = _separating_edges(A, B, low, max(by_a, by_b), far, chosen)
    if by_edges > far:
        return
    of_a = by_a + TIE * size >= by_b  # the face that separates is of A
    if of_a:
        face_b = _most_opposite(row(PA, face_a), PB)
    else:
        face_a = _most_opposite(row(PB, face_b), PA)
    here, there = solids.face[ka] + face_a, solids.face[kb] + face_b
    of_face_a = slice(solids.corner[here], solids.corner[here + 1])
    of_face_b = slice(solids.corner[there], solids.corner[there + 1])
    corners_a, corners_b = solids.corners[of_face_a], solids.corners[of_face_b]
    apart = max(max(by_a, by_b), by_edges)
    bounds = max(-DEEP * size, DEEPER * min(apart, 0.0) - EDGE * size), far, EDGE * size
    least = min(
        _mark_vertices(VA, corners_a, -1 if of_a else lowest_a, PB[face_b], VB, corners_b, bounds),
        _mark_vertices(VB, corners_b, lowest_b if of_a else -1, PA[face_a], VA, corners_a, bounds),
    )
    for i in range(va):
        if VA[i, 3] > 0.0:
            put_key(keys, key_of(number_a, i, number_b, vb + eb + face_b))
    for j in range(vb):
        if VB[j, 3] > 0.0 and not _is_taken(row(VB, j), row(PA, face_a), VA, size):
            put_key(keys, key_of(number_a, va + ea + face_a, number_b, j))
    sides = solids.sides[of_face_a], solids.sides[of_face_b]
    axis = (-PA[face_a, 0], -PA[face_a, 1], -PA[face_a, 2]) if of_a else row(PB, face_b)  # from B to A
    least = min(least, _select_crossings(A, B, sides, axis, bounds, shapes, keys))
    unseen = apart < -EDGE * size and least > 0.5 * apart  # much deeper than the features say
    if by_edges > max(by_a, by_b) + TIE * size:
        a0, a1 = row(VA, A[2][edge_a, 0]), row(VA, A[2][edge_a, 1])
        b0, b1 = row(VB, B[2][edge_b, 0]), row(VB, B[2][edge_b, 1])
        s, t, _ = closest_on_lines(a0, a1, b0, b1)
        if unseen or (0.0 < s < 1.0 and 0.0 < t < 1.0):
            add_key(keys, key_of(number_a, va + edge_a, number_b, vb + edge_b))
    elif unseen and of_a:
        add_key(keys, key_of(number_a, va + ea + face_a, number_b, lowest_b))
    elif unseen:
        add_key(keys, key_of(number_a, lowest_a, number_b, vb + eb + face_b))


def select_features(c, candidates, scene, keys):
    """Pairs of features of two polytopes that may touch."""
    solids, a, b = scene.shapes.solids, candidates.a[c], candidates.b[c]
    number_a, number_b, ka, kb, _, _ = solids_of_pair(candidates, scene, c)
    reach = solids.size[ka, 0] + solids.size[kb, 0] + FAR * min(solids.size[ka, 1], solids.size[kb, 1])
    d = plus(CENTRE, -1.0, apart(scene, candidates, c))
    if dot(d, d) > reach * reach:
        return
    (va, ea, fa), (vb, eb, fb) = feature_counts(solids, ka), feature_counts(solids, kb)
    workspace = np.empty((va + vb + fa + fb, 4)), np.empty(ea + eb, np.int64)
    _select(solids, (number_a, ka, scene.q[a]), (number_b, kb, scene.q[b]), d, workspace, keys)


@geometry_kernel(images=True, select=select_features, slots=16)
def measure_polytopes(first, last, candidates, section, scene):
    """Pairs of features of convex polytopes."""
    for c in range(first, last):
        if candidates.feature[c] >= 0:
            measure_polytope_features(scene, candidates, c)
        else:
            note_image(scene, candidates, c)
