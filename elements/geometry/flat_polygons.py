"""Flat convex polygons in space, counter-clockwise seen from the side of their normal N.

    2 |P| N = sum over k of x_k x x_(k+1),    c = mean of the corners

A contact force in y, p = y - c, goes to the corners with the weights

    w_k = 1/n - N . ((x_(k+1) - x_(k-1)) x p) / (2 |P|)

These are the derivatives of the height `N . (y - c)`, d height / d x_k = -w_k N, so that sum w_k = 1 and
sum w_k x_k = y: force and moment are conserved. For a triangle they are the barycentric coordinates; for
n > 3 they may be negative near a corner. The radius of a polygon is half its thickness, by which its surface
stands above it.
"""

import math
from typing import NamedTuple

from elements.geometry.scene_access import arm
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.stepping.contact_kinematics import tangents
from nsgalpha.stepping.vector_triples import cross, dot, plus, row, store


class Face(NamedTuple):
    """One polygon, with its corners in an array."""

    corners: int  # of them
    centre: tuple[float, float, float]  # c
    normal: tuple[float, float, float]  # N
    area: float  # |P| [m^2]
    height: float  # of its surface over the corners: half the thickness [m]


@inlined
def take_corners(scene, body, number, X):
    """`X`: the corners of the shape `number` of a body, inertial. Returns that shape as a Face."""
    shapes = scene.shapes
    s, count = shapes.first[body] + number, 0
    while count < shapes.corners.shape[1] and shapes.corners[s, count] >= 0:
        store(plus(row(scene.x, body), 1.0, arm(scene, body, number, count)), X, count, 0)
        count += 1
    return face(X, count, shapes.thickness[s])


@inlined
def take_polygon(A, i, X):
    """`X`: the corners of polygon `i` of the `Primitives` A. Returns it as a Face."""
    count = 0
    while count < A.corners.shape[1] and A.corners[i, count] >= 0:
        store(row(A.points, A.corners[i, count]), X, count, 0)
        count += 1
    return face(X, count, A.radius[i])


@kernel
def face(X, count, height):
    """The polygon with the first `count` rows of `X` as corners."""
    x0 = row(X, 0)
    c = (0.0, 0.0, 0.0)
    twice = (0.0, 0.0, 0.0)
    before = (0.0, 0.0, 0.0)
    for k in range(1, count):
        d = plus(row(X, k), -1.0, x0)
        c = plus(c, 1.0 / count, d)
        twice = plus(twice, 1.0, cross(before, d))
        before = d
    size = math.sqrt(dot(twice, twice))
    N = (twice[0] / size, twice[1] / size, twice[2] / size)
    return Face(count, plus(x0, 1.0, c), N, 0.5 * size, height)


@kernel
def put_corner_weights(weight, c, X, P, y):
    """Weights of the point `y` on the corners of the face P, if there is room for them."""
    if weight.shape[0] == 0:
        return
    p = plus(y, -1.0, P.centre)
    for k in range(P.corners):
        after, before = k + 1 if k + 1 < P.corners else 0, k - 1 if k > 0 else P.corners - 1
        d = plus(row(X, after), -1.0, row(X, before))
        weight[c, k] = 1.0 / P.corners - dot(P.normal, cross(d, p)) / (2.0 * P.area)


@kernel
def project(X, P, origin, t1, t2, out):
    """`out` (M, 2): coordinates of the corners of the face P along the unit vectors t1, t2 from `origin`."""
    for k in range(P.corners):
        d = plus(row(X, k), -1.0, origin)
        out[k, 0], out[k, 1] = dot(d, t1), dot(d, t2)


@kernel
def axes(N):
    """Two unit vectors that complete `N` to a right-handed frame."""
    x, y, z, u, v, w = tangents(N[0], N[1], N[2])
    return (x, y, z), (u, v, w)
