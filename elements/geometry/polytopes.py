"""Solids in space: corners, planes, clipped faces, and distances.

A solid is a shape with four corners, its centre and the ends of its three axes. It has a row of a library
(nsgalpha/arrays.py, Solids). Coordinates here are relative to an origin near the contact.

A cylinder has a hull of planes, which is as fine as needed where it touches: its corners are at the angles

    0, +-a/64, +-a/32, ..., +-a/2, +-a, +-2 a, +-3 a, ...,   a = 2 pi/24

from the direction of the contact, and opposite
to it, so that nothing depends on how it has turned about its axis.

Faces are cut as Sutherland and Hodgman do (Comm. ACM 17 (1974) 32).
"""

import math

import numpy as np

from elements.geometry.polytope_distance import height
from elements.geometry.revolved_distance import of_cylinder
from elements.geometry.scene_access import arm
from nsgalpha.arrays import CYLINDER
from nsgalpha.geometry.vector_triples import combined, cross, dot, plus, row, store
from nsgalpha.jit.decorators import kernel

SECTOR = 2.0 * math.pi / 24.0
FINE = tuple(2.0**-k for k in range(1, 7))
ROUND = 48  # corners of the ends of a cylinder
_HALF = [0.0, *FINE[::-1], *range(1, 12), *(12.0 - f for f in FINE)]
#: Angles (ROUND,) of the corners from the direction of the contact.
ANGLES = SECTOR * np.array([*_HALF, *(12.0 + angle for angle in _HALF)])
#: Planes of a prism around it, for any rotation.
EVEN = 2.0 * math.pi / ROUND * np.arange(ROUND)
AROUND = 1.0 / math.cos(math.pi / ROUND)


@kernel
def pose(scene, body, number, origin, size):
    """Centre, relative to `origin`, and unit axes of the solid shape `number` of a body."""
    shift = plus(row(scene.x, body), -1.0, origin)
    o = arm(scene, body, number, 0)
    f = 1.0 / size
    e = plus(arm(scene, body, number, 1), -1.0, o)
    u = plus(arm(scene, body, number, 2), -1.0, o)
    w = plus(arm(scene, body, number, 3), -1.0, o)
    axes = (f * e[0], f * e[1], f * e[2]), (f * u[0], f * u[1], f * u[2]), (f * w[0], f * w[1], f * w[2])
    return plus(o, 1.0, shift), axes[0], axes[1], axes[2]


@kernel
def place(frame, p):
    """The point with the coordinates `p` in a frame (centre, axes)."""
    return plus(frame[0], 1.0, combined(p[0], frame[1], p[1], frame[2], p[2], frame[3]))


@kernel
def turned_by(frame, p):
    """The vector with the coordinates `p` in a frame (centre, axes)."""
    return combined(p[0], frame[1], p[1], frame[2], p[2], frame[3])


@kernel
def put_polytope(solids, k, frame, V, P):
    """Corners `V` and planes `P` (normal, offset) of the solid `k` of the library."""
    first, last = solids.vertex[k], solids.vertex[k + 1]
    for i in range(first, last):
        store(place(frame, row(solids.vertices, i)), V, i - first, 0)
    first, last = solids.face[k], solids.face[k + 1]
    for f in range(first, last):
        n = turned_by(frame, (solids.planes[f, 0], solids.planes[f, 1], solids.planes[f, 2]))
        store(n, P, f - first, 0)
        P[f - first, 3] = solids.planes[f, 3] + dot(n, frame[0])


@kernel
def put_cylinder(solids, k, frame, towards, around, V, P):
    """The same of a cylinder, fine `towards` a direction; `around`: a prism around it that is even."""
    r, half = solids.size[k, 1], solids.size[k, 2]
    x, y = dot(towards, frame[1]), dot(towards, frame[2])
    start = math.atan2(y, x) if x * x + y * y > 1e-24 else 0.0
    if around:
        r *= AROUND
    for i in range(ROUND):
        angle = EVEN[i] if around else start + ANGLES[i]
        x, y = r * math.cos(angle), r * math.sin(angle)
        store(place(frame, (x, y, half)), V, i, 0)
        store(place(frame, (x, y, -half)), V, ROUND + i, 0)
    for i in range(ROUND):
        after = i + 1 if i + 1 < ROUND else 0
        edge = plus(row(V, after), -1.0, row(V, i))
        n = cross(edge, frame[3])
        f = 1.0 / math.sqrt(dot(n, n))
        n = (f * n[0], f * n[1], f * n[2])
        store(n, P, 2 + i, 0)
        P[2 + i, 3] = dot(n, row(V, i))
    for end in range(2):
        n = turned_by(frame, (0.0, 0.0, 1.0 - 2.0 * end))
        store(n, P, end, 0)
        P[end, 3] = dot(n, frame[0]) + half


@kernel
def put_solid(solids, k, frame, towards, around, V, P):
    """Corners `V` and planes `P` of a solid."""
    if solids.kind[k] == CYLINDER:
        put_cylinder(solids, k, frame, towards, around, V, P)
    else:
        put_polytope(solids, k, frame, V, P)


@kernel
def are_apart(V, count, P, planes):
    """True if all corners are above one of the planes."""
    for f in range(planes):
        lowest = math.inf
        for i in range(count):
            lowest = min(lowest, height(P, f, row(V, i)))
            if lowest < 0.0:
                break
        if lowest >= 0.0:
            return True
    return False


@kernel
def cut_polygon(X, count, P, f, Y):
    """`Y`: the part of the polygon `X` below plane `f`. Returns its number of corners."""
    many = 0
    last = row(X, count - 1)
    before = height(P, f, last)
    for i in range(count):
        here = row(X, i)
        h = height(P, f, here)
        if (h < 0.0 < before) or (before < 0.0 < h):
            t = before / (before - h)
            store(plus(last, t, plus(here, -1.0, last)), Y, many, 0)
            many += 1
        if h <= 0.0:
            store(here, Y, many, 0)
            many += 1
        last, before = here, h
    return many if many > 2 else 0


@kernel
def cut_faces(solids, k, V, P, planes, flat, workspace, pieces):
    """Write the parts of the faces of solid `k`, with corners `V`, below all of `planes` of `P` to `pieces`.

    A face in such a plane, to within `flat` [m], is below it. `workspace` (2, n, 3),
    `pieces` (points (n, 3), ends (m,), filled (2,)).
    """
    points, ends, filled = pieces
    for f in range(solids.face[k], solids.face[k + 1]):
        first, count = solids.corner[f], solids.corner[f + 1] - solids.corner[f]
        X, Y = workspace[0], workspace[1]
        for i in range(count):
            store(row(V, solids.corners[first + i]), X, i, 0)
        for g in range(planes):
            lowest, highest = math.inf, -math.inf
            for i in range(count):
                h = height(P, g, row(X, i))
                lowest, highest = min(lowest, h), max(highest, h)
            if highest > 0.0 and (highest > flat or lowest < -flat):
                count = cut_polygon(X, count, P, g, Y)
                X, Y = Y, X
                if count == 0:
                    break
        if count > 2:
            start = filled[0]
            for i in range(count):
                store(row(X, i), points, start + i, 0)
            filled[0] = start + count
            ends[filled[1]] = filled[0]
            filled[1] += 1


@kernel
def area_vector(pieces, first, last):
    """Sum of the area vectors of the pieces `first` to `last` - 1."""
    points, ends, _ = pieces
    total = (0.0, 0.0, 0.0)
    for k in range(first, last):
        start = ends[k - 1] if k > 0 else 0
        x0 = row(points, start)
        for i in range(start + 1, ends[k] - 1):
            a, b = plus(row(points, i), -1.0, x0), plus(row(points, i + 1), -1.0, x0)
            total = plus(total, 0.5, cross(a, b))
    return total


@kernel
def add_moments(pieces, first, last, frame, total):
    """Add to `total` (10,) the moments of pieces over the plane of `frame` (origin, two tangents, normal).

    With the projected area w > 0 along the normal: w, w u, w v, w uu, w uv, w vv, w z, w z u, w z v, w zz,
    exact by the middles of the edges of triangles.
    """
    points, ends, _ = pieces
    o, t1, t2, n = frame
    for k in range(first, last):
        start = ends[k - 1] if k > 0 else 0
        x0 = plus(row(points, start), -1.0, o)
        for i in range(start + 1, ends[k] - 1):
            x1, x2 = plus(row(points, i), -1.0, o), plus(row(points, i + 1), -1.0, o)
            w = dot(n, cross(plus(x1, -1.0, x0), plus(x2, -1.0, x0))) / 6.0
            for edge in range(3):
                a, b = (x0, x1) if edge == 0 else (x1, x2) if edge == 1 else (x2, x0)
                y = combined(0.5, a, 0.5, b, 0.0, a)
                u, v, z = dot(t1, y), dot(t2, y), dot(n, y)
                total[0] += w
                total[1] += w * u
                total[2] += w * v
                total[3] += w * u * u
                total[4] += w * u * v
                total[5] += w * v * v
                total[6] += w * z
                total[7] += w * z * u
                total[8] += w * z * v
                total[9] += w * z * z


@kernel
def from_cylinder(solids, k, frame, x):
    """Signed distance of `x` from a cylinder, and its gradient."""
    d = plus(x, -1.0, frame[0])
    z = dot(d, frame[3])
    radial = plus(d, -z, frame[3])
    rho = math.sqrt(dot(radial, radial))
    out = (radial[0] / rho, radial[1] / rho, radial[2] / rho) if rho > 0.0 else frame[1]
    h, along, up = of_cylinder(rho, z, solids.size[k, 1], solids.size[k, 2])
    return h, combined(along, out, up, frame[3], 0.0, out)
