"""Spheres (A) and flat convex polygons with a thickness (B), all points within t of a polygon.

They touch as the sphere and a ball of radius t around the nearest point y of the polygon do,

    y = x - h N,  h = N . (x - c)       where that lies in the polygon,      a face
    y = x_k + s (x_(k+1) - x_k)         of the nearest edge, s in [0, 1]     an edge, or a corner

    n = (x - y)/|x - y|,    g = |x - y| - r - t

A polygon has two sides. A sphere that rolls over an edge turns about it: g stays smooth, n turns with it.
"""

import math

import numpy as np

from elements.geometry.flat_polygons import take_corners
from elements.geometry.scene_access import CENTRE, apart, numbers
from elements.geometry.sphere_geometry import touch
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import cross, dot, plus, row
from nsgalpha.jit.decorators import kernel


@kernel
def nearest_point(x, X, P):
    """The point of the face P, with the corners `X`, that is nearest to `x`."""
    best, found, inside = math.inf, P.centre, True
    for k in range(P.corners):
        start = row(X, k)
        edge = plus(row(X, k + 1 if k + 1 < P.corners else 0), -1.0, start)
        d = plus(x, -1.0, start)
        inside = inside and dot(cross(P.normal, edge), d) >= 0.0
        s = min(max(dot(d, edge) / dot(edge, edge), 0.0), 1.0)
        y = plus(start, s, edge)
        away = plus(x, -1.0, y)
        if dot(away, away) < best:
            best, found = dot(away, away), y
    if inside:
        return plus(x, -dot(P.normal, plus(x, -1.0, P.centre)), P.normal)
    return found


@geometry_kernel(images=True)
def measure_sphere_polygon(first, last, candidates, section, scene):
    """Spheres and polygons, faces, edges and corners."""
    X = np.empty((scene.shapes.corners.shape[1], 3))
    for c in range(first, last):
        _, _, number, _ = numbers(candidates, c)
        a, b = candidates.a[c], candidates.b[c]
        P = take_corners(scene, b, number, X)
        x = row(scene.x, a)
        if scene.cell.shape[0] > 0:  # as B sees it
            x = plus(row(scene.x, b), 1.0, apart(scene, candidates, c))
        y = nearest_point(x, X, P)
        A, B = (CENTRE, scene.shapes.radius[a]), (plus(y, -1.0, row(scene.x, b)), P.height)
        candidates.length[c] = A[1]
        touch(c, A, B, (P.normal, P.normal), True, candidates, section, scene)
