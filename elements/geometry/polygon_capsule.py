"""Flat polygons (A) against capsules (B), three contacts each: the two end spheres and the hull between.

The ends have the heights h_0, h_1 above the plane, alpha is the tilt of the axis and u runs along its
projection. The planes through the ends normal to the axis cut the section of capsule and plane into

    end 0:  u < h_0 tan(alpha),       part of a circle with a^2 = r^2 - h_0^2,   overlap = r - h_0
    hull:   between,                  half width w^2 = r^2 - (h / cos(alpha))^2,
                                      overlap = r cos(alpha) - h,   h = h_0 + s (h_1 - h_0)
    end 1:  beyond L cos(alpha) + h_1 tan(alpha), as end 0

A capsule that lies flat has two half circles and the hull, one that stands has a circle at its lower end. The
parts change continuously in between. For the ends, `fraction` is the part of the whole circle that lies in
their part and in the polygon. The submerged section of the hull is taken as a trapezoid P with the part P_i
in the polygon. Then `fraction = |P_i|/|P|`, the overlap is the mean over P_i, and the contact point its
centroid weighted with the overlap. Over the polygons of a flat mesh fractions, forces in proportion to the
overlap and their moments sum to those of the plane.

Ends are rejected as spheres are (polygon_sphere.py), the hull if nothing of it is submerged in the polygon.
With `flip_normals` the side is that of the middle of the axis.
"""

import math

import numpy as np

from elements.geometry.flat_polygons import axes, project, put_corner_weights, take_corners
from elements.geometry.planar_polygons import below, circle_part, common, moments
from elements.geometry.scene_access import Extent, numbers, put, put_weights, segment
from elements.geometry.sphere_geometry import cut
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import combined, cross, dot, plus, row
from nsgalpha.jit.decorators import kernel

STEEP = 1e-9  # a projected axis shorter than this part of it has no direction


@kernel
def _projected_axis(e0, e1, N, h0, h1):
    """Direction of the projected axis, its length, sine and cosine of the tilt."""
    d = plus(e1, -1.0, e0)
    L = math.sqrt(dot(d, d))
    flat = plus(d, -dot(d, N), N)
    length = math.sqrt(dot(flat, flat))
    if length <= STEEP * L:
        t1, _ = axes(N)
        return t1, 0.0, (0.0 if L == 0.0 else (h1 - h0) / L), (1.0 if L == 0.0 else STEEP)
    return (flat[0] / length, flat[1] / length, flat[2] / length), length, (h1 - h0) / L, length / L


@kernel
def _pose(e0, e1, P, flip_normals):
    """Axes in the plane and their origin, under end 0; normal; parameters of the section.

    That is: heights of the ends, cosine of the tilt, length of the projection, splits between ends and hull.
    """
    N = P.normal
    high0, high1 = dot(N, plus(e0, -1.0, P.centre)), dot(N, plus(e1, -1.0, P.centre))
    side = -1.0 if flip_normals and high0 + high1 < 0.0 else 1.0
    h0, h1 = side * high0 - P.height, side * high1 - P.height
    t1, length, sine, cosine = _projected_axis(e0, e1, N, h0, h1)
    frame = plus(e0, -high0, N), t1, cross(N, t1), (-side * N[0], -side * N[1], -side * N[2])
    split0, split1 = max(h0, 0.0) * sine / cosine, length + max(h1, 0.0) * sine / cosine
    return frame, (h0, h1, cosine, length, split0, split1)


@kernel
def _end(polygon, count, r, end, shifted, part):
    """Centroid (u, v), overlap, extent of the circle under an end, clipped by hull and polygon.

    `end`: its height, sign of the direction to the hull, where that begins, place of the end along u.
    """
    h, sign, split, start = end
    radius = cut(r, h)
    for k in range(count):
        shifted[k, 0], shifted[k, 1] = polygon[k, 0] - start, polygon[k, 1]
    beyond = sign * (split - start)
    if beyond <= -radius:
        return (start, 0.0), r - h, Extent(r, radius, 0.0, 0.0)
    if beyond < radius:
        count = below(shifted, count, sign, 0.0, beyond, part)
        fraction, u, v = circle_part(part, count, radius)
    else:
        fraction, u, v = circle_part(shifted, count, radius)
    return (start + u, v), r - h, Extent(r, radius, fraction * math.pi * radius * radius, fraction)


@kernel
def _hull(polygon, count, r, section_of, strip, one, two):
    """Centroid (u, v), mean overlap, extent of the submerged hull in the polygon.

    The contact radius is the mean half width. Without a submerged part: the largest overlap, which is
    negative, in the middle of it.
    """
    h0, h1, cosine, _, split0, split1 = section_of
    d0, d1 = r * cosine - h0, r * cosine - h1
    s0 = 0.0 if d0 >= 0.0 or d1 <= d0 else min(-d0 / (d1 - d0), 1.0)
    s1 = 1.0 if d1 >= 0.0 or d0 <= d1 else min(d0 / (d0 - d1), 1.0)
    u0, u1 = split0 + s0 * (split1 - split0), split0 + s1 * (split1 - split0)
    w0, w1 = cut(r, (h0 + s0 * (h1 - h0)) / cosine), cut(r, (h0 + s1 * (h1 - h0)) / cosine)
    width = 0.5 * (w0 + w1)
    none = (0.5 * (u0 + u1), 0.0), max(d0, d1), Extent(r, width, 0.0, 0.0)
    whole = (u1 - u0) * (w0 + w1)
    if not (whole > 0.0 and max(d0, d1) > 0.0):
        return none
    strip[0, 0] = strip[3, 0] = u0
    strip[1, 0] = strip[2, 0] = u1
    strip[0, 1], strip[1, 1], strip[2, 1], strip[3, 1] = -w0, -w1, w1, w0
    slope = (s1 - s0) * (d1 - d0) / (u1 - u0)
    corners = common(strip, 4, polygon, count, one, two)
    area, total, mu, mv = moments(one, corners, d0 + s0 * (d1 - d0) - slope * u0, slope, 0.0)
    if not (area > 1e-14 * whole and total > 0.0):
        return none
    return (mu / total, mv / total), total / area, Extent(r, width, area, min(area / whole, 1.0))


@geometry_kernel(options=(0.0, 0.0))
def measure_polygon_capsule(first, last, candidates, section, scene):
    """Contacts 0, 1: polygons and ends of capsules; 2: and their hulls. Options as those of spheres."""
    flip_normals, reject_large_overlap = scene.options[0] != 0.0, scene.options[1] != 0.0
    workspace = scene.shapes.corners.shape[1] + 4
    X, polygon = np.empty((workspace, 3)), np.empty((workspace, 2))
    one, two, strip = np.empty((workspace, 2)), np.empty((workspace, 2)), np.empty((4, 2))
    known = -1, -1, -1, -1
    for c in range(first, last):
        i, j = candidates.a[c], candidates.b[c]
        number_a, _, number_b, which = numbers(candidates, c)
        if known != (i, j, number_a, number_b):  # else another contact of the same two
            known = i, j, number_a, number_b
            P = take_corners(scene, i, number_a, X)
            e0, e1, r = segment(scene, j, number_b)
            x = row(scene.x, j)
            (origin, t1, t2, n), section_of = _pose(plus(x, 1.0, e0), plus(x, 1.0, e1), P, flip_normals)
            h0, h1, _, length, split0, split1 = section_of
            project(X, P, origin, t1, t2, polygon)
        if which < 2:
            split = (h1, -1.0, split1, length) if which == 1 else (h0, 1.0, split0, 0.0)
            (u, v), overlap, extent = _end(polygon, P.corners, r, split, two, one)
            s = float(which)
        else:
            (u, v), overlap, extent = _hull(polygon, P.corners, r, section_of, strip, one, two)
            span = split1 - split0
            s = min(max((u - split0) / span, 0.0), 1.0) if span > 0.0 else 0.5
        y = combined(1.0, origin, u, t1, v, t2)
        none = extent.fraction == 0.0 or r < 0.0 or overlap > (r if reject_large_overlap else 2.0 * r)
        candidates.length[c] = r
        contact = overlap, n, plus(y, 0.5 * overlap - P.height, n)
        put(c, contact, extent, none, candidates, section, scene.x)
        put_corner_weights(section.weight_a, c, X, P, y)
        put_weights(section.weight_b, c, s)
