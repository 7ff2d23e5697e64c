"""Features of convex solids: points, circles, lines and planes, as set-valued contact reads them.

A solid has, in this order,

    polytope           its vertices, edges, faces
    cylinder, cone     points of its rims and the apex; of every circle the deepest point;
                       two branches of every circle; the side; the disks

and behind all of them the WHOLE, from which the vertices of rounded solids have a distance. Edges and sides
are lines. A line is all that has outward normals n with a slant s and an axis a,

    n . a = s,    n = c u + s a,    c^2 + s^2 = 1,    u unit and normal to a
    points    p + r n + t g,    g = (a - s n)/c

with r = s = 0 for an edge, r = R for a cylinder, and for a cone of the height H the apex p and s = R/S,
c = H/S, S^2 = R^2 + H^2. The ruling g is a unit vector in the surface, and t goes from `low` to `high`.
"""

import math
from typing import NamedTuple

from elements.geometry.polytope_distance import is_over
from elements.geometry.polytope_pairs import edge_of
from elements.geometry.rim_circle import LEVEL
from nsgalpha.arrays import CYLINDER, POLYTOPE
from nsgalpha.geometry.rotations import turned, turned_back
from nsgalpha.geometry.vector_triples import cross, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel

POINT, DEEPEST, CIRCLE, LINE, PLANE, WHOLE = range(6)  # kinds of features
NOWHERE = (0.0, 0.0, 0.0)


class Line(NamedTuple):
    """An edge, or the side of a cylinder or cone; see above."""

    point: tuple[float, float, float]  # p [m]
    axis: tuple[float, float, float]  # a, unit
    slant: float  # s
    radius: float  # r [m]
    low: float  # [m]
    high: float  # [m]
    out: tuple[float, float, float]  # normals of both faces of an edge, added; 0 of a side


class Circle(NamedTuple):
    """A rim of a cylinder or cone."""

    centre: tuple[float, float, float]  # [m]
    axis: tuple[float, float, float]  # outward, unit
    radius: float  # [m]
    start: tuple[float, float, float]  # from the centre to a point of the rim, unit
    slant: float  # s of the side that ends there: with u to the rim its normal is c u - s a


@kernel
def kind_of_feature(solids, k, i):
    """Kind of the feature `i` of a solid, and its number among those of the kind."""
    vertices, faces = solids.vertex[k + 1] - solids.vertex[k], solids.face[k + 1] - solids.face[k]
    if i < vertices:
        return POINT, i
    i -= vertices
    lines = 1
    if solids.kind[k] != POLYTOPE:
        if i < faces:
            return DEEPEST, i
        if i < 3 * faces:
            return CIRCLE, i - faces
        i -= 3 * faces
    else:
        lines = solids.edge[k + 1] - solids.edge[k]
    if i < lines:
        return LINE, i
    return (PLANE, i - lines) if i < lines + faces else (WHOLE, 0)


@kernel
def first_of_kind(solids, k, kind):
    """Number of the first feature of a `kind` of a solid, and how many there are."""
    vertices, faces = solids.vertex[k + 1] - solids.vertex[k], solids.face[k + 1] - solids.face[k]
    is_round = solids.kind[k] != POLYTOPE
    circles, lines = (faces, 1) if is_round else (0, solids.edge[k + 1] - solids.edge[k])
    if kind == POINT:
        return 0, vertices
    if kind == DEEPEST:
        return vertices, circles
    if kind == CIRCLE:
        return vertices + circles, 2 * circles
    if kind == LINE:
        return vertices + 3 * circles, lines
    if kind == PLANE:
        return vertices + 3 * circles + lines, faces
    return vertices + 3 * circles + lines + faces, 1


@kernel
def is_vertex(solids, k, i):
    """True if point `i` is a vertex or the apex, and no point of a rim."""
    if solids.kind[k] == POLYTOPE:
        return True
    rim = solids.corner[solids.face[k] + 1] - solids.corner[solids.face[k]]
    return i >= rim * (solids.face[k + 1] - solids.face[k])


@kernel
def point_of(solids, side, i):
    """Point `i` of a solid."""
    k, q, shift = side
    return plus(turned(q, row(solids.vertices, solids.vertex[k] + i)), 1.0, shift)


@kernel
def middle_of_circle(solids, k, e):
    """Centre and a point of circle `e` of a solid, in the frame of the body."""
    face = solids.face[k] + e
    first, many = solids.corner[face], solids.corner[face + 1] - solids.corner[face]
    start = row(solids.vertices, solids.vertex[k] + solids.corners[first])
    opposite = row(solids.vertices, solids.vertex[k] + solids.corners[first + many // 2])
    return mean(start, opposite), start


@kernel
def slant_of(solids, k):
    """Slant of the side of a cylinder or cone."""
    if solids.kind[k] == CYLINDER:
        return 0.0
    base, _ = middle_of_circle(solids, k, 0)
    apex, R = row(solids.vertices, solids.vertex[k + 1] - 1), solids.size[k, 2]
    height = dot(row(solids.planes, solids.face[k]), plus(base, -1.0, apex))
    return R / math.sqrt(height * height + R * R)


@kernel
def circle_of(solids, side, e):
    """Circle `e` of a cylinder or cone."""
    k, q, shift = side
    centre, start = middle_of_circle(solids, k, e)
    R = solids.size[k, 2]
    u = plus(start, -1.0, centre)
    u = turned(q, (u[0] / R, u[1] / R, u[2] / R))
    axis = turned(q, row(solids.planes, solids.face[k] + e))
    return Circle(plus(turned(q, centre), 1.0, shift), axis, R, u, slant_of(solids, k))


@kernel
def line_of(scene, body, side, number):
    """An edge of a polytope, or the side of a cylinder or cone."""
    solids, (k, q, shift) = scene.shapes.solids, side
    if solids.kind[k] == POLYTOPE:
        e0, e1, out = edge_of(scene, body, k, number)
        edge = plus(e1, -1.0, e0)
        size = math.sqrt(dot(edge, edge))
        edge = (edge[0] / size, edge[1] / size, edge[2] / size)
        return Line(plus(e0, 1.0, shift), edge, 0.0, 0.0, 0.0, size, out)
    base, _ = middle_of_circle(solids, k, 0)
    n, R = row(solids.planes, solids.face[k]), solids.size[k, 2]
    if solids.kind[k] == CYLINDER:
        other, _ = middle_of_circle(solids, k, 1)
        length = dot(n, plus(base, -1.0, other))
        return Line(plus(turned(q, other), 1.0, shift), turned(q, n), 0.0, R, 0.0, length, NOWHERE)
    apex = row(solids.vertices, solids.vertex[k + 1] - 1)
    axis, s = turned(q, (-n[0], -n[1], -n[2])), slant_of(solids, k)
    return Line(plus(turned(q, apex), 1.0, shift), axis, s, 0.0, -R / s, 0.0, NOWHERE)


@kernel
def plane_of(solids, side, f):
    """Outward unit normal and offset of plane `f` of a solid."""
    k, q, shift = side
    plane = solids.face[k] + f
    n = turned(q, row(solids.planes, plane))
    return n, solids.planes[plane, 3] + dot(n, shift)


@kernel
def is_over_face(solids, side, f, x, tolerance):
    """True if `x` is over a polygon or a disk, to a `tolerance` [m]."""
    k, q, shift = side
    face = solids.face[k] + f
    x = turned_back(q, plus(x, -1.0, shift))
    n = row(solids.planes, face)
    if solids.kind[k] == POLYTOPE:
        corners = solids.corners[solids.corner[face] : solids.corner[face + 1]]
        return is_over(x, n, solids.vertices[solids.vertex[k] : solids.vertex[k + 1]], corners, tolerance)
    centre, _ = middle_of_circle(solids, k, f)
    x = plus(x, -1.0, centre)
    across = cross(n, x)
    return dot(across, across) <= (solids.size[k, 2] + tolerance) ** 2


@kernel
def lowest_along(solids, side, n):
    """Least height of a solid along `n`, and the point or deepest point that has it."""
    k, q, shift = side
    m = turned_back(q, n)
    first, last = solids.vertex[k], solids.vertex[k + 1]
    least, lowest = math.inf, 0
    if solids.kind[k] == POLYTOPE:
        for i in range(first, last):
            h = dot(m, row(solids.vertices, i))
            if h < least:
                least, lowest = h, i - first
        return least + dot(n, shift), lowest
    circles = solids.face[k + 1] - solids.face[k]
    if solids.kind[k] != CYLINDER:
        least, lowest = dot(m, row(solids.vertices, last - 1)), last - 1 - first
    for e in range(circles):
        centre, _ = middle_of_circle(solids, k, e)
        tilt = cross(m, row(solids.planes, solids.face[k] + e))
        sine = math.sqrt(dot(tilt, tilt))
        h = dot(m, centre) - solids.size[k, 2] * sine
        if h < least:
            corner = solids.corners[solids.corner[solids.face[k] + e]]
            least, lowest = h, last - first + e if sine > LEVEL else corner
    return least + dot(n, shift), lowest


@kernel
def support_point(solids, side, n):
    """Point of a solid that is lowest along `n`."""
    k = side[0]
    _, i = lowest_along(solids, side, n)
    points = solids.vertex[k + 1] - solids.vertex[k]
    if i < points:
        return point_of(solids, side, i)
    circle = circle_of(solids, side, i - points)
    across = cross(n, circle.axis)
    down = cross(across, circle.axis)
    return plus(circle.centre, circle.radius / math.sqrt(dot(down, down)), down)
