"""Convex polytopes (A) on meshes of triangles (B): features that may touch, and their gaps.

The mesh has one outward side, and need not be convex. In the frame of its body, with n from B to A:

    vertex of A, patch of B    n = n_B                     g = n_B . x_v - d_B
    face of A, vertex of B     n = -n_A                    g = n_A . (x_w - c_A)
    edge of A, edge of B       n = +-e_A x e_B/|e_A x e_B|   g = n . (P_A - P_B)

as of two polytopes (polytope_pairs.py). No axis separates a body from a mesh that is not convex. So each pair
is selected by itself, where the normal n leans by less than LEAN out of the normals of both features:

    vertex of A over a triangle, or behind it and nearest to it: is_over_triangle
    vertex of B over a face of A, or within A and nearest to this face of those that it may touch
    edges that cross within both; of B the convex ones and the border; those deeper than BEHIND within A

A vertex of A is behind the mesh if the line to it from the middle of A passes a triangle from the front.
Others are behind planes of triangles, too, beside a border or around a fold.

Each of these gaps is negative only where the bodies overlap. A corner of A beside a concave edge has both
faces: with one alone it is pushed to the other side, and back. Flat edges are none, so a body slides over
them as on a plane.

Features up to FAR from each other are selected, less far ones if there are too many. Edges and vertices of B
that are deeper than DEEP are on the wrong side. So is a mesh if the middle of A is behind it.
"""

import math

import numpy as np

from elements.geometry.mesh_features import (
    BEHIND,
    CREASE,
    DEEP,
    LEAN,
    NEARER,
    SHALLOW,
    edge_vectors,
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
)
from elements.geometry.polytope_distance import is_over
from elements.geometry.polytope_pairs import (
    EDGE,
    FAR,
    SAME,
    SINE,
    X,
    Y,
    Z,
    add_key,
    closest_on_lines,
    edge_of,
    feature_counts,
    key_of,
    shapes_of_pair,
)
from elements.geometry.polytopes import put_polytope
from elements.geometry.scene_access import apart, put_contact, put_midway
from nsgalpha.geometry.rotations import turned, turned_back
from nsgalpha.geometry.vector_triples import cross, dot, plus, row
from nsgalpha.jit.decorators import inlined, kernel


@inlined
def _minus(a):
    return -a[0], -a[1], -a[2]


@inlined
def measure_mesh_features(scene, candidates, c):
    """Measure one contact."""
    _, _, shape, other, i, j = shapes_of_pair(candidates, scene, c)
    solids, meshes, k = scene.shapes.solids, scene.shapes.meshes, scene.shapes.solid[shape]
    m = meshes.of[other]
    a, b = candidates.a[c], candidates.b[c]
    qa, qb = scene.q[a], scene.q[b]
    candidates.length[c] = solids.size[k, 1]
    d = apart(scene, candidates, c)  # A, seen from B
    vertices_a, edges_a, _ = feature_counts(solids, k)
    vertices_b, edges_b = mesh_counts(meshes, m)
    if i < vertices_a:
        plane = meshes.first[m, 2] + j - vertices_b - edges_b
        n = turned(qb, row(meshes.planes, plane))
        p = turned(qa, row(solids.vertices, solids.vertex[k] + i))
        r = plus(d, 1.0, p)
        gap = dot(n, r) - meshes.planes[plane, 3]
        put_contact(candidates, c, gap, n, p, r)
    elif j < vertices_b:
        plane = solids.face[k] + i - vertices_a - edges_a
        n = turned(qa, row(solids.planes, plane))
        p = turned(qb, row(meshes.vertices, meshes.first[m, 0] + j))
        r = plus(p, -1.0, d)
        gap = dot(n, r) - solids.planes[plane, 3]
        put_contact(candidates, c, gap, _minus(n), r, p)
    else:
        a0, a1, out_a = edge_of(scene, a, k, i - vertices_a)
        b0, b1, _, _, out_b = edge_vectors(meshes, m, j - vertices_b)
        b0, b1, out_b = turned(qb, b0), turned(qb, b1), turned(qb, out_b)
        a0, a1 = plus(a0, 1.0, d), plus(a1, 1.0, d)  # seen from B
        s, t, square = closest_on_lines(a0, a1, b0, b1)
        if square == 0.0:
            put_contact(candidates, c, math.inf, X, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            return
        n = _normal_of_crossing(plus(a1, -1.0, a0), plus(b1, -1.0, b0), out_a, out_b)
        pa, pb = plus(a0, s, plus(a1, -1.0, a0)), plus(b0, t, plus(b1, -1.0, b0))
        put_midway(candidates, c, dot(n, plus(a0, -1.0, b0)), n, plus(pa, -1.0, d), pb)


@inlined
def _normal_of_crossing(u, w, out_a, out_b):
    """The normal from B to A of two edges; `out_a`, `out_b` point out of both bodies."""
    n = cross(u, w)
    f = math.copysign(1.0 / math.sqrt(dot(n, n)), dot(n, out_b) - dot(n, out_a))
    return f * n[0], f * n[1], f * n[2]


@kernel
def _middle(V):
    """Mean of vertices (n, 3)."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(V.shape[0]):
        x, y, z = x + V[i, 0], y + V[i, 1], z + V[i, 2]
    return x / V.shape[0], y / V.shape[0], z / V.shape[0]


@kernel
def _select_vertices(A, mesh, limits, shapes, touching, keys):
    """Select vertices of A over triangle `t` of the mesh, and mark them as `touching`."""
    (V, _, E), (meshes, m, t) = A, mesh
    size, far = limits
    triangle = meshes.first[m, 2] + t
    n, offset = row(meshes.planes, triangle), meshes.planes[triangle, 3]
    vertices, edges = mesh_counts(meshes, m)
    for i in range(V.shape[0]):
        x = row(V, i)
        h = dot(n, x) - offset
        if (
            h < far
            and is_over_triangle(meshes, triangle, x, h, EDGE * size, CREASE * size)
            and is_low(V, E, i, n)
            and is_seen(_middle(V), (meshes, m, triangle), (x, h), (size, EDGE * size))
        ):
            touching[i] = True
            add_key(keys, key_of(shapes[0], i, shapes[1], vertices + edges + meshes.patch[triangle]))


@kernel
def _highest(P, x):
    """Height of `x` over the plane of `P` that it is highest over, and its number."""
    h, first = -math.inf, 0
    for f in range(P.shape[0]):
        g = dot(row(P, f), x) - P[f, 3]
        if g > h:
            h, first = g, f
    return h, first


@kernel
def _select_faces(A, faces, mesh, limits, shapes, touching, keys):
    """Select the face of A nearest to vertex `w`, unless a vertex of A touches there."""
    (V, P, E), (corner, corners), (meshes, m, w) = A, faces, mesh
    size, far = limits
    x = row(meshes.vertices, meshes.first[m, 0] + w)
    for i in range(V.shape[0]):
        if touching[i]:
            d = plus(row(V, i), -1.0, x)
            if dot(d, d) < (SAME * size) ** 2:
                return
    highest, nearest = _highest(P, x)
    if highest >= far or (highest <= EDGE * size and is_to_back(meshes, m, w, _minus(row(P, nearest)))):
        return
    best = -DEEP * size
    for again in range(2):
        for f in range(P.shape[0]):
            n = row(P, f)
            h = dot(n, x) - P[f, 3]
            if h > best and is_peak(meshes, m, w, _minus(n), LEAN):
                if not again:
                    best = h
                elif is_over(x, n, V, corners[corner[f] : corner[f + 1]], EDGE * size):
                    add_key(keys, key_of(shapes[0], V.shape[0] + E.shape[0] + f, shapes[1], w))
        if best < 0.0 and highest > EDGE * size:  # outside, and behind the plane of a face
            return
        best = max(best - EDGE * size, -DEEP * size)


@kernel
def _select_crossings(A, mesh, limits, shapes, keys):
    """Select edges of A that cross edge `e` of the mesh within both."""
    (V, P, E), (meshes, m, e) = A, mesh
    size, far = limits
    b0, b1, one, two, out_b = edge_vectors(meshes, m, e)
    w = plus(b1, -1.0, b0)
    for f in range(P.shape[0]):
        n = row(P, f)
        if min(dot(n, b0), dot(n, b1)) - P[f, 3] > far:
            return
    ww, beside, vertices = math.sqrt(dot(w, w)), EDGE * size, mesh_counts(meshes, m)[0]
    for i in range(E.shape[0]):
        a0, a1 = row(V, E[i, 0]), row(V, E[i, 1])
        u = plus(a1, -1.0, a0)
        s, t, square = closest_on_lines(a0, a1, b0, b1)
        uu = math.sqrt(dot(u, u))
        if square <= SINE * SINE or min(s, 1.0 - s) * uu <= beside or min(t, 1.0 - t) * ww <= beside:
            continue
        n0, n1 = row(P, E[i, 2]), row(P, E[i, 3])
        n = _normal_of_crossing(u, w, plus(n0, 1.0, n1), out_b)
        gap = dot(n, plus(a0, -1.0, b0))
        if not -DEEP * size < gap < far:
            continue
        lean = LEAN
        if gap < 0.0 and _highest(P, plus(b0, t, w))[0] > beside:  # an acute edge, or lines behind a corner
            if gap < -BEHIND * size:
                continue
            if gap < -SHALLOW * size and not is_beyond(meshes, m, (_middle(V), plus(a0, s, u)), beside):
                continue
            lean = SINE
        along = u[0] / uu, u[1] / uu, u[2] / uu
        if not (leans(n, one, two, lean) or leans(_minus(n), cross(along, n0), cross(n1, along), lean)):
            add_key(keys, key_of(shapes[0], V.shape[0] + i, shapes[1], vertices + e))


@kernel
def _select_near(A, faces, mesh, limits, shapes, keys):
    """Select all pairs of features with gaps below the second one of the `limits`."""
    V, (meshes, m), far = A[0], mesh, limits[1]
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for i in range(V.shape[0]):
        low = min(low[0], V[i, 0]), min(low[1], V[i, 1]), min(low[2], V[i, 2])
        high = max(high[0], V[i, 0]), max(high[1], V[i, 1]), max(high[2], V[i, 2])
    low, high = (low[0] - far, low[1] - far, low[2] - far), (high[0] + far, high[1] + far, high[2] + far)
    touching = np.zeros(V.shape[0], np.bool_)
    vertices, edges = mesh_counts(meshes, m)
    keys[keys.shape[0] - 1] = 0
    for again in range(2):  # vertices of A first
        leaf = next_leaf(meshes, m, 1, low, high)
        while leaf > 0:
            item = item_at(meshes, m, leaf)
            if again and item < vertices:
                _select_faces(A, faces, (meshes, m, item), limits, shapes, touching, keys)
            elif again and item < vertices + edges:
                _select_crossings(A, (meshes, m, item - vertices), limits, shapes, keys)
            elif not again and item >= vertices + edges:
                _select_vertices(A, (meshes, m, item - vertices - edges), limits, shapes, touching, keys)
            leaf = next_leaf(meshes, m, following(leaf), low, high)


def select_mesh_features(c, candidates, scene, keys):
    """Pairs of features of a polytope and a mesh that may touch."""
    solids, meshes, a, b = scene.shapes.solids, scene.shapes.meshes, candidates.a[c], candidates.b[c]
    number_a, number_b, shape, other, _, _ = shapes_of_pair(candidates, scene, c)
    k, m = scene.shapes.solid[shape], scene.shapes.meshes.of[other]
    vertices, _, count = feature_counts(solids, k)
    V, P = np.empty((vertices, 3)), np.empty((count, 4))
    qa, qb = scene.q[a], scene.q[b]
    d = turned_back(qb, apart(scene, candidates, c))
    axes = turned_back(qb, turned(qa, X)), turned_back(qb, turned(qa, Y)), turned_back(qb, turned(qa, Z))
    put_polytope(solids, k, (d, axes[0], axes[1], axes[2]), V, P)
    A = V, P, solids.edges[solids.edge[k] : solids.edge[k + 1]]
    faces = solids.corner[solids.face[k] : solids.face[k + 1] + 1], solids.corners
    size = solids.size[k, 1]
    last = keys.shape[0] - 1
    for far in (FAR, NEARER * FAR, NEARER * NEARER * FAR):
        _select_near(A, faces, (meshes, m), (size, far * size), (number_a, number_b), keys)
        if keys[last] <= last:
            break
