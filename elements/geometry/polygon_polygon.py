"""Flat polygons against flat polygons that face them.

    n = (N_B - N_A)/|N_B - N_A|,    k = |N_B - N_A|/2,
    overlap(x) = (N_A . (c_A - x) + N_B . (c_B - x))/k + (t_A + t_B)/k

The contact plane is normal to n and halves the angle between the polygons. Along n, the surface of B lies
`overlap(x)` above that of A over every point x of it, also if the polygons are parallel. In terms of half the
angle between their planes, alpha, and the line in which they meet (point s, direction l) this is `2
tan(alpha) (x - s) . (n x l)`. Both polygons are projected along n; where their projections have an area P in
common and the overlap is positive, they are in contact:

    area = |P|,   overlap = mean over P,   contact point: centroid of P, weighted with the overlap

so that area times overlap is the common volume. Where nothing overlaps, the overlap is the largest one in the
common part of the projections, and negative. Polygons are rejected if their projections have nothing in
common, or if their normals have no obtuse angle (they do not face each other). They are also rejected for an
overlap beyond `largest_overlap` somewhere, as on far sides of two bodies.

The overlap grows with 2 tan(alpha/2) from the line in which planes at the angle alpha meet, as their distance
does. The documentation of mpacts has 2 tan(alpha) in the same words: the option `printed`, which is 2 for
parallel planes.
"""

import math

import numpy as np

from elements.geometry.flat_polygons import axes, project, put_corner_weights, take_corners, take_polygon
from elements.geometry.planar_polygons import below, common, moments
from elements.geometry.scene_access import Extent, numbers, put
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import combined, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel


@kernel
def _facing(P, Q):
    """Normal, overlap in the middle of the centres, its gradient, the middle and k; k = 0: not facing."""
    cA, NA, cB, NB = P.centre, P.normal, Q.centre, Q.normal
    d = plus(NB, -1.0, NA)
    length = math.sqrt(dot(d, d))
    o = mean(cA, cB)
    if dot(NA, NB) >= 0.0:
        return NA, 0.0, NA, o, 0.0
    k = 0.5 * length
    n = (d[0] / length, d[1] / length, d[2] / length)
    value = (dot(NA, plus(cA, -1.0, o)) + dot(NB, plus(cB, -1.0, o)) + P.height + Q.height) / k
    gradient = (-(NA[0] + NB[0]) / k, -(NA[1] + NB[1]) / k, -(NA[2] + NB[2]) / k)
    return n, value, gradient, o, k


@kernel
def _patch(P, Q, corners, frame, overlap, workspace):
    """Write the shared part of the projections and its overlaps; return corners and largest overlap.

    `corners` are those of P and Q. In the `frame` (o, t1, t2) the `overlap` is (value, slope along t1, along
    t2).
    """
    o, t1, t2 = frame
    value, fx, fy = overlap
    one, two, three, four = workspace[0], workspace[1], workspace[2], workspace[3]
    project(corners[0], P, o, t1, t2, three)
    for k in range(P.corners // 2):  # seen from behind
        m = P.corners - 1 - k
        x, y = three[k, 0], three[k, 1]
        three[k, 0], three[k, 1] = three[m, 0], three[m, 1]
        three[m, 0], three[m, 1] = x, y
    project(corners[1], Q, o, t1, t2, four)
    corners = common(three, P.corners, four, Q.corners, one, two)
    largest = -math.inf
    for k in range(corners):
        largest = max(largest, value + fx * one[k, 0] + fy * one[k, 1])
    return corners, below(one, corners, -fx, -fy, value, two), largest


@kernel
def _room(corners):
    """Scratch for the corners of two polygons, and for four of both in a plane."""
    return np.empty((2, corners, 3)), np.empty((4, 2 * corners + 1, 2))


@geometry_kernel(options=(math.inf, 0.0))
def measure_polygon_polygon(first, last, candidates, section, scene):
    """Polygons that face each other. Options: largest_overlap [m], printed."""
    corners, workspace = _room(scene.shapes.corners.shape[1])
    for c in range(first, last):
        number_a, _, number_b, _ = numbers(candidates, c)
        P = take_corners(scene, candidates.a[c], number_a, corners[0])
        Q = take_corners(scene, candidates.b[c], number_b, corners[1])
        n, value, gradient, o, k = _facing(P, Q)
        overlap, u, v, area, largest = -math.inf, 0.0, 0.0, 0.0, -math.inf
        t1, t2 = axes(n)
        if k > 0.0:
            fx, fy = dot(gradient, t1), dot(gradient, t2)
            if scene.options[1] != 0.0:
                twice = 2.0 / (1.0 - 0.25 * (fx * fx + fy * fy))  # tan(alpha)/tan(alpha/2)
                value, fx, fy = twice * value, twice * fx, twice * fy
            _, patch, largest = _patch(P, Q, corners, (o, t1, t2), (value, fx, fy), workspace)
            overlap = largest
            area, total, mu, mv = moments(workspace[1], patch, value, fx, fy)
            if area > 0.0 and total > 0.0:
                overlap, u, v = total / area, mu / total, mv / total
            else:
                area = 0.0
        none = largest == -math.inf or largest > scene.options[0]
        x = combined(1.0, o, u, t1, v, t2)
        # the surfaces along n over x
        up_a = (dot(P.normal, plus(P.centre, -1.0, x)) + P.height) / -k if k > 0.0 else 0.0
        up_b = (dot(Q.normal, plus(Q.centre, -1.0, x)) + Q.height) / k if k > 0.0 else 0.0
        y = plus(x, 0.5 * (up_a + up_b), n)
        extent = Extent(math.inf, math.sqrt(area / math.pi), area, 0.0 if none else 1.0)
        candidates.length[c] = math.sqrt(min(P.area, Q.area))
        put(c, (overlap, n, y), extent, none, candidates, section, scene.x)
        put_corner_weights(section.weight_a, c, corners[0], P, plus(x, up_a, n))
        put_corner_weights(section.weight_b, c, corners[1], Q, plus(x, up_b, n))


@kernel
def polygon_patches(first, last, a, b, A, B, corners, count):
    """Where `measure_polygon_polygon` finds an overlap: `count[c]` rows of `corners` (C, N_A + N_B + 1, 3).

    They go counter-clockwise round the normal from B to A, in the plane through the middle of the centres.
    """
    X, workspace = _room(max(A.corners.shape[1], B.corners.shape[1]))
    for c in range(first, last):
        P, Q = take_polygon(A, a[c], X[0]), take_polygon(B, b[c], X[1])
        n, value, gradient, o, k = _facing(P, Q)
        count[c] = 0
        if k == 0.0:
            continue
        t1, t2 = axes(n)
        values = value, dot(gradient, t1), dot(gradient, t2)
        _, count[c], _ = _patch(P, Q, X, (o, t1, t2), values, workspace)
        for k in range(count[c]):
            y = combined(1.0, o, workspace[1, k, 0], t1, workspace[1, k, 1], t2)
            corners[c, k, 0], corners[c, k, 1], corners[c, k, 2] = y


@kernel
def overlap_at_position(first, last, a, b, A, B, x, overlap):
    """`overlap` (C,) of the polygons `a[c]`, `b[c]` along their contact normal in the positions `x` (C, 3).

    -inf if they do not face each other; whether x lies in both is not asked.
    """
    X, _ = _room(max(A.corners.shape[1], B.corners.shape[1]))
    for c in range(first, last):
        P, Q = take_polygon(A, a[c], X[0]), take_polygon(B, b[c], X[1])
        _, value, gradient, o, k = _facing(P, Q)
        overlap[c] = value + dot(gradient, plus(row(x, c), -1.0, o)) if k > 0.0 else -math.inf
