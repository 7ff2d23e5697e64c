"""Flat polygons (A) against spheres (B): contact with the plane, by the fraction in the polygon.

    h = N . (x - c) - t,    overlap = r - h,    n = -N,    a^2 = r^2 - h^2

with the half thickness t. The plane cuts the sphere in a circle of radius a (r once its centre is behind the
plane). `fraction` is the part of this circle that lies in the polygon, the contact point the centroid of this
part. Neighbours in a flat mesh see the same overlap, their fractions sum to one and their centroids to the
centre of the circle. The force therefore does not feel inner edges, and its moment neither.

A contact is rejected if no part of the circle is in the polygon, or the sphere has passed through the plane
(overlap > 2 r). With `reject_large_overlap` it is once its centre has (overlap > r): so a sphere on one side
of a thin body does not feel the opposite one. With `flip_normals` the polygon has two sides, and pushes a
sphere to the side of its centre. With `flip_submerged` it does so only where the centre is behind by more
than r (h < -r), as the documentation of mpacts may be read.

Points and open spheres have the fraction of a very small circle: 1, 1/2 on an edge, the angle over 2 pi on a
corner. A point may be at any depth behind the plane.
"""

import math

import numpy as np

from elements.geometry.flat_polygons import axes, project, put_corner_weights, take_corners
from elements.geometry.planar_polygons import circle_part
from elements.geometry.scene_access import Extent, numbers, put, put_weights
from elements.geometry.sphere_geometry import cut
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import combined, dot, plus, row

SMALL = 1e-9  # radius, over the size of the polygon, of the circle around a point


@geometry_kernel(options=(0.0, 0.0))
def measure_polygon_sphere(first, last, candidates, section, scene):
    """Polygons and spheres or points. Options: flip_normals (2: flip_submerged), reject_large_overlap."""
    submerged = scene.options[0] == 2.0
    flip_normals, reject_large_overlap = scene.options[0] != 0.0, scene.options[1] != 0.0
    workspace = scene.shapes.corners.shape[1]
    X, polygon = np.empty((workspace, 3)), np.empty((workspace, 2))
    for c in range(first, last):
        number, _, _, _ = numbers(candidates, c)
        P = take_corners(scene, candidates.a[c], number, X)
        N = P.normal
        x, r = row(scene.x, candidates.b[c]), scene.shapes.radius[candidates.b[c]]
        height = dot(N, plus(x, -1.0, P.centre))
        side = -1.0 if flip_normals and height < (-r if submerged else 0.0) else 1.0
        h = side * height - P.height
        overlap = r - h
        radius = cut(r, h)
        foot = plus(x, -height, N)
        t1, t2 = axes(N)
        project(X, P, foot, t1, t2, polygon)
        fraction, u, v = circle_part(
            polygon, P.corners, radius if radius > 0.0 else SMALL * math.sqrt(P.area)
        )
        through = r > 0.0 and overlap > (r if reject_large_overlap else 2.0 * r)
        none = fraction == 0.0 or r < 0.0 or through
        y = combined(1.0, foot, u, t1, v, t2)
        n = (-side * N[0], -side * N[1], -side * N[2])
        point = plus(y, 0.5 * overlap - P.height, n)
        extent = Extent(r, radius, fraction * math.pi * radius * radius, fraction)
        candidates.length[c] = r
        put(c, (overlap, n, point), extent, none, candidates, section, scene.x)
        put_corner_weights(section.weight_a, c, X, P, y)
        put_weights(section.weight_b, c, 0.0)
