"""Distances of points and segments from a convex polytope.

Corners V and planes P are in one frame.

    point      h = max_f (n_f . x - d_f)      inside, or where the foot lies in that face
               h = |x - y|                    of the nearest point y of the edges
    segment    d = |x(s) - y(t)|, s, t in [0, 1]    of an edge y(t)

The foot of an outer point lies in a face only if the point is highest over this one. Outside h is smooth, and
so is d. Their gradients are the directions from the polytope.

A segment is nearest to a polytope at an end, at an edge, or all along a face. The face beneath it is one of
both at the nearest edge, the one that faces it more. So the edges of one face have all closest points but
those of the ends. Where the segment lies on a face and beyond it, it crosses two of them.
"""

import math

from nsgalpha.geometry.vector_triples import combined, cross, dot, plus, row
from nsgalpha.jit.decorators import inlined, kernel

EQUAL = 1e-9  # part by which the nearest edge, its end, and the face beneath must win
BESIDE = 0.05  # reaches by which a segment that crosses an edge passes beside its ends
ALONG = 1e-4  # the same, over a face


@kernel
def height(P, f, x):
    """Height of a point over plane `f`."""
    return P[f, 0] * x[0] + P[f, 1] * x[1] + P[f, 2] * x[2] - P[f, 3]


@kernel
def is_over(x, n, V, corners, tolerance):
    """True if `x` is over a polygon with the normal `n`, to a `tolerance` [m]."""
    before = row(V, corners[corners.shape[0] - 1])
    for k in range(corners.shape[0]):
        here = row(V, corners[k])
        side = plus(here, -1.0, before)
        within = dot(cross(n, side), plus(x, -1.0, before))
        if within < 0.0 and within < -tolerance * math.sqrt(dot(side, side)):
            return False
        before = here
    return True


@kernel
def _foot(x, a, b):
    """Coordinate of the point of the segment `a`, `b` that is nearest to `x`."""
    d = plus(b, -1.0, a)
    square = dot(d, d)
    return min(max(dot(plus(x, -1.0, a), d) / square, 0.0), 1.0) if square > 0.0 else 0.0


@kernel
def between(a, b, s):
    """The point with the coordinate `s` of the segment `a`, `b`."""
    return combined(1.0 - s, a, s, b, 0.0, a)


@kernel
def closest_on_segments(a0, a1, b0, b1):
    """Coordinates of the closest points of two segments."""
    u, v, w = plus(a1, -1.0, a0), plus(b1, -1.0, b0), plus(b0, -1.0, a0)
    normal = cross(u, v)
    square, s = dot(normal, normal), 0.0
    if square > 0.0:
        s = min(max(dot(cross(w, v), normal) / square, 0.0), 1.0)
    t = _foot(between(a0, a1, s), b0, b1)
    return _foot(between(b0, b1, t), a0, a1), t


@inlined
def _square(d, t):
    """Square of the distance `d` from a point `t` of an edge; its ends count more.

    The nearest point of a polygon is often an end of an edge, and within the next edge, to rounding. The
    latter has the direction to all digits.
    """
    return dot(d, d) * (1.0 if 0.0 < t < 1.0 else 1.0 + EQUAL)


@kernel
def from_polytope(solids, k, V, P, x):
    """Signed distance of `x` from the convex polytope `k`, and its gradient."""
    best, highest = 0, -math.inf
    face, planes = solids.face[k], solids.face[k + 1] - solids.face[k]
    for f in range(planes):
        h = height(P, f, x)
        if h > highest:
            best, highest = f, h
    outline = solids.corners[solids.corner[face + best] : solids.corner[face + best + 1]]
    if highest <= 0.0 or is_over(x, row(P, best), V, outline, 0.0):
        return highest, row(P, best)
    least, apart = math.inf, (0.0, 0.0, 0.0)
    for f in range(planes):
        if height(P, f, x) <= 0.0:
            continue
        first, last = solids.corner[face + f], solids.corner[face + f + 1]
        before = row(V, solids.corners[last - 1])
        for i in range(first, last):
            here = row(V, solids.corners[i])
            if dot(cross(row(P, f), plus(here, -1.0, before)), plus(x, -1.0, before)) < 0.0:  # else no foot
                t = _foot(x, before, here)
                d = plus(x, -1.0, between(before, here, t))
                if _square(d, t) < least:
                    least, apart = _square(d, t), d
            before = here
    size = math.sqrt(dot(apart, apart))
    if size == 0.0:  # over the edge of a face, to rounding
        return highest, row(P, best)
    return size, (apart[0] / size, apart[1] / size, apart[2] / size)


@kernel
def _pierced(P, x0, x1):
    """The face of least depth of a segment that enters a polytope; else -1."""
    low, high, best, face = 0.0, 1.0, -math.inf, -1
    for f in range(P.shape[0]):
        h0, h1 = height(P, f, x0), height(P, f, x1)
        if min(h0, h1) > best:
            best, face = min(h0, h1), f
        if h0 > 0.0 and h1 > 0.0:
            return -1
        if h0 > 0.0:
            low = max(low, h0 / (h0 - h1))
        elif h1 > 0.0:
            high = min(high, h0 / (h0 - h1))
    return face if low < high else -1


@kernel
def face_beneath(solids, k, V, P, x0, x1):
    """The face of polytope `k` beneath a segment, and whether that enters it.

    Then it is the face of least depth. The face is -1 if there is none.
    """
    least, face = math.inf, _pierced(P, x0, x1)
    if face >= 0:
        return face, True
    for e in range(solids.edge[k], solids.edge[k + 1]):
        one, two = solids.edges[e, 2], solids.edges[e, 3]
        if max(height(P, one, x0), height(P, one, x1), height(P, two, x0), height(P, two, x1)) <= 0.0:
            continue
        b0, b1 = row(V, solids.edges[e, 0]), row(V, solids.edges[e, 1])
        s, t = closest_on_segments(x0, x1, b0, b1)
        d = plus(between(x0, x1, s), -1.0, between(b0, b1, t))
        square = dot(d, d)
        if square < least * (1.0 - EQUAL):
            least = square
            face = two if dot(d, row(P, two)) > dot(d, row(P, one)) + EQUAL * math.sqrt(square) else one
    return face, False


@kernel
def _cross(V, corners, i, n, x0, x1, reach):
    """Closest points of a segment and side `i` of a face: s, t, y.

    `n`: the normal of the face. The side begins at corner `i`, which stands for it if both run alike.
    """
    b0, b1 = row(V, corners[i]), row(V, corners[i + 1 if i + 1 < corners.shape[0] else 0])
    s, t = closest_on_segments(x0, x1, b0, b1)
    y = between(b0, b1, t)
    d, u, v = plus(between(x0, x1, s), -1.0, y), plus(x1, -1.0, x0), plus(b1, -1.0, b0)
    across, lean, square = cross(u, v), cross(d, n), dot(d, d)  # lean: |d| times the sine to the normal
    beside = min(BESIDE * BESIDE * square, max(ALONG * ALONG * square, dot(lean, lean)))
    if dot(across, across) * square > reach * reach * beside * max(dot(u, u), dot(v, v)):
        return s, t, y
    return _foot(b0, x0, x1), 0.0, b0


@kernel
def crossing(solids, k, face, colour, V, n, ends, reach):
    """Closest points of a segment and the edge of a `colour`: s, y, and if it is spare.

    `n`: the normal of the face. An edge is spare if its end is closest, and the segment crosses the next one.
    It has the closest points of the latter, up to a `reach` [m] from the corner. s is -1 for none.
    """
    (x0, x1), f = ends, solids.face[k] + face
    first, last = solids.corner[f], solids.corner[f + 1]
    corners, sides = solids.corners[first:last], solids.sides[first:last]
    for i in range(sides.shape[0]):
        if solids.edges[solids.edge[k] + sides[i], 4] == colour:
            s, t, y = _cross(V, corners, i, n, x0, x1, reach)
            if 0.0 < t < 1.0:
                return s, y, False
            beside = i - 1 if t == 0.0 else i + 1 if i + 1 < sides.shape[0] else 0
            other, t, z = _cross(V, corners, beside, n, x0, x1, reach)
            if not 0.0 < t < 1.0:
                return s, y, False
            way = plus(z, -1.0, y)
            return (other if dot(way, way) < reach * reach else -1.0), z, True
    return -1.0, (0.0, 0.0, 0.0), False
