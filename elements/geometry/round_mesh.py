"""Spheres, capsules, cylinders, cones and rounded polytopes (A) on meshes of triangles (B).

Contacts are pairs of features of the core of A and of the mesh. A has those of solid_features.py, a capsule
both ends and the axis. With the rounding r of A, and n from B to A:

    point, deepest point   patch         g = n . x - d - r
    point                  edge          distances as in feature_distances.py, less r
    circle, line           edge          the same
    face                   vertex        g = n_A . (y - c_A) - r,    n = -n_A
    point, line            vertex        distances, less r

Points of rims count while their circle is level, the deepest point of a circle if it is not (rim_circle.py).
Sharp bodies have no points at edges and vertices.
"""

import math

from elements.geometry.feature_distances import circle_to_line, line_to_line, point_to_line
from elements.geometry.mesh_features import edge_vectors, mesh_counts
from elements.geometry.polytope_pairs import shapes_of_pair
from elements.geometry.rim_circle import LEVEL, deepest_of
from elements.geometry.scene_access import CENTRE, apart, put_contact, put_nothing, segment
from elements.geometry.solid_features import (
    CIRCLE,
    DEEPEST,
    LINE,
    NOWHERE,
    PLANE,
    POINT,
    Line,
    circle_of,
    first_of_kind,
    kind_of_feature,
    line_of,
    plane_of,
    point_of,
)
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.decorators import kernel


@kernel
def is_sphere(scene, body, number):
    """True if the shape `number` of a body is the sphere around its centre."""
    return number == 0 and scene.shapes.radius[body] > 0.0


@kernel
def sides_on_mesh(scene, candidates, c):
    """A as (body, side, ends), B as (mesh, rotation), numbers, rounding and size of A.

    numbers: of shapes, and of features. All of A is seen from B. The solid of a capsule, ball or sphere is
    -1. Other shapes have no ends.
    """
    number_a, number_b, shape, other, i, j = shapes_of_pair(candidates, scene, c)
    a, b, shapes = candidates.a[c], candidates.b[c], scene.shapes
    d = apart(scene, candidates, c)
    k, ends, rounding, size = -1, (CENTRE, CENTRE), shapes.radius[a], shapes.radius[a]
    if not is_sphere(scene, a, number_a):
        k, rounding = shapes.solid[shape], shapes.thickness[shape]
        size = rounding + (shapes.solids.size[k, 1] if k >= 0 else 0.0)
        if k < 0:
            e0, e1, _ = segment(scene, a, number_a)
            ends = e0, e1
    ends = plus(d, 1.0, ends[0]), plus(d, 1.0, ends[1])
    A, B = (a, (k, scene.q[a], d), ends), (shapes.meshes.of[other], scene.q[b])
    return A, B, (number_a, number_b, i, j), (rounding, size)


@kernel
def first_of(scene, A, kind):
    """Number of the first feature of a `kind`, and how many A has."""
    k, (e0, e1) = A[1][0], A[2]
    if k >= 0:
        return first_of_kind(scene.shapes.solids, k, kind)
    many = 0 if e0 == e1 else 1
    return (0, 1 + many) if kind == POINT else (2, many if kind == LINE else 0)


@kernel
def _kind_of(scene, A, i):
    """Kind of the feature `i` of A, and its number among those of the kind."""
    if A[1][0] >= 0:
        return kind_of_feature(scene.shapes.solids, A[1][0], i)
    return (POINT, i) if i < 2 else (LINE, 0)


@kernel
def round_point(scene, A, i):
    """Point `i` of A."""
    if A[1][0] >= 0:
        return point_of(scene.shapes.solids, A[1], i)
    return A[2][0] if i == 0 else A[2][1]


@kernel
def _line_between(x, y, out):
    """The line from `x` to `y`, with the normal `out` of an edge."""
    axis = plus(y, -1.0, x)
    length = math.sqrt(dot(axis, axis))
    axis = (axis[0] / length, axis[1] / length, axis[2] / length)
    return Line(x, axis, 0.0, 0.0, 0.0, length, out)


@kernel
def round_line(scene, A, i):
    """Line `i` of A."""
    if A[1][0] >= 0:
        return line_of(scene, A[0], A[1], i)
    return _line_between(A[2][0], A[2][1], NOWHERE)


@kernel
def mesh_edge(scene, B, e):
    """Edge `e` of the mesh, and the vectors of both faces across it."""
    (m, q) = B
    b0, b1, one, two, out = edge_vectors(scene.shapes.meshes, m, e)
    return _line_between(turned(q, b0), turned(q, b1), turned(q, out)), turned(q, one), turned(q, two)


@kernel
def opposite(n):
    """The opposite of a vector."""
    return (-n[0], -n[1], -n[2])


@kernel
def over_patch(scene, A, B, one, t):
    """Gap, normal, feet of a point or a deepest point, and the plane of triangle `t`."""
    (kind, i), (m, q), meshes = one, B, scene.shapes.meshes
    n, offset = (
        turned(q, row(meshes.planes, meshes.first[m, 2] + t)),
        meshes.planes[meshes.first[m, 2] + t, 3],
    )
    if kind == DEEPEST:
        circle = circle_of(scene.shapes.solids, A[1], i)
        x, tilt = deepest_of(circle.centre, circle.axis, circle.radius, n)
        if tilt <= LEVEL:
            return math.inf, n, x, x
    else:
        x = round_point(scene, A, i)
    gap = dot(n, x) - offset
    return gap, n, x, plus(x, -gap, n)


@kernel
def at_edge(scene, A, one, line):
    """Gap, normal, feet of a point, circle or line, and an edge of the mesh."""
    kind, i = one
    if kind == POINT:
        x = round_point(scene, A, i)
        gap, n, y = point_to_line(x, line)
        return gap, n, x, y
    if kind == CIRCLE:
        return circle_to_line(circle_of(scene.shapes.solids, A[1], i // 2), line, i % 2)
    return line_to_line(round_line(scene, A, i), line)


@kernel
def at_vertex(scene, A, one, y):
    """Gap, normal, feet of a face, line or point, and the vertex `y`."""
    kind, i = one
    if kind == PLANE:
        n, offset = plane_of(scene.shapes.solids, A[1], i)
        gap = dot(n, y) - offset
        return gap, opposite(n), plus(y, -gap, n), y
    if kind == LINE:
        gap, n, x = point_to_line(y, round_line(scene, A, i))
        return gap, opposite(n), x, y
    x = round_point(scene, A, i)
    d = plus(x, -1.0, y)
    gap = math.sqrt(dot(d, d))
    if gap == 0.0:
        return math.inf, d, x, y
    return gap, (d[0] / gap, d[1] / gap, d[2] / gap), x, y


@kernel
def measure_on_mesh(scene, candidates, c):
    """Measure one contact."""
    A, B, (_, _, i, j), (rounding, size) = sides_on_mesh(scene, candidates, c)
    one, meshes = _kind_of(scene, A, i), scene.shapes.meshes
    vertices, edges = mesh_counts(meshes, B[0])
    candidates.length[c] = size
    if j < vertices:
        y = turned(B[1], row(meshes.vertices, meshes.first[B[0], 0] + j))
        gap, n, x, y = at_vertex(scene, A, one, y)
    elif j < vertices + edges:
        line, _, _ = mesh_edge(scene, B, j - vertices)
        gap, n, x, y = at_edge(scene, A, one, line)
    else:
        gap, n, x, y = over_patch(scene, A, B, one, j - vertices - edges)
    if gap == math.inf:
        put_nothing(candidates, c)
    else:
        put_contact(candidates, c, gap - rounding, n, plus(plus(x, -1.0, A[1][2]), -rounding, n), y)
