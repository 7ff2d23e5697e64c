"""Flat polygons (A) against capsules (B): three contacts each, of the two end spheres and of the hull between.

With heights h_0, h_1 of the ends over the plane, the tilt alpha of the axis and u along its projection,
the planes through the ends normal to the axis cut the section of capsule and plane in the parts of

    end 0:  u < h_0 tan(alpha),          a circle of radius a^2 = r^2 - h_0^2,  overlap = r - h_0
    hull:   between,                     half width w^2 = r^2 - (h / cos(alpha))^2,
                                         overlap = r cos(alpha) - h,   h = h_0 + s (h_1 - h_0)
    end 1:  u > L cos(alpha) + h_1 tan(alpha), as end 0

A capsule that lies flat has two half circles and the hull, one that stands has a circle at its lower end; from
one to the other the parts change continuously. For the ends, `fraction` is the part of the whole circle that lies
in their part and in the polygon. For the hull (its submerged section taken as a trapezoid P), with the part P_i in
the polygon, `fraction = |P_i|/|P|`, the overlap is the mean over P_i and the contact point its centroid weighted
with the overlap. Over the polygons of a flat mesh fractions, forces in proportion to the overlap and
their moments sum to those of the plane.

Ends are rejected as spheres are (polygon_sphere.py); the hull if nothing of it is submerged in the polygon. With
`flip_normals` the side is that of the middle of the axis.
"""

import math

import numpy as np

from elements.geometry.capsules import put_weights
from elements.geometry.contact import put
from elements.geometry.cylinders import section
from elements.geometry.planar import below, circle_part, common, moments
from elements.geometry.polygon import axes, corner_count, face, project, put_corner_weights
from nsgalpha.compiled import entry, kernel
from nsgalpha.explicit.triples import combined, cross, dot, plus, row

CONTACTS = 3  # of every pair: end 0, end 1, hull
STEEP = 1e-9  # a projected axis shorter than this part of it has no direction


@kernel
def _course(e0, e1, N, h0, h1):
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
def _circle_beyond(polygon, count, radius, sign, split, part):
    """Part of the circle in the polygon where sign u < split, and its centroid."""
    if split >= radius:
        return circle_part(polygon, count, radius)
    if split <= -radius:
        return 0.0, 0.0, 0.0
    return circle_part(part, below(polygon, count, sign, 0.0, split, part), radius)


@kernel
def _hull(polygon, count, strip, one, two, u0, u1, s0, s1, w0, w1, d0, d1):
    """Fraction, mean overlap, its centroid, area and half width of the hull between u0 < u1 in the polygon."""
    none = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = (u1 - u0) * (w0 + w1)
    if not whole > 0.0:
        return none
    strip[0, 0] = strip[3, 0] = u0
    strip[1, 0] = strip[2, 0] = u1
    strip[0, 1], strip[3, 1] = -w0, w0
    strip[1, 1], strip[2, 1] = -w1, w1
    slope = (d1 - d0) / (u1 - u0)
    corners = common(strip, 4, polygon, count, one, two)
    area, total, mu, mv = moments(one, corners, d0 - slope * u0, slope, 0.0)
    if not (area > 1e-14 * whole and total > 0.0):
        return none
    return min(area / whole, 1.0), total / area, mu / total, mv / total, area, 0.5 * (w0 + w1)


@entry
def measure_polygon_capsule(first, last, a, b, A, B, out, flip_normals=False, reject_large_overlap=False):
    """Contacts 3 c (end 0), 3 c + 1 (end 1) and 3 c + 2 (hull) of the polygons `a[c]` of A and capsules `b[c]` of B.

    For c from `first` to `last` - 1.
    """
    room = A.corners.shape[1] + 6
    polygon, one, two = np.empty((room, 2)), np.empty((room, 2)), np.empty((room, 2))
    strip = np.empty((4, 2))
    for c in range(first, last):
        i, j = a[c], b[c]
        count = corner_count(A, i)
        centre, N, size = face(A, i, count)
        e0, e1, r = row(B.points, B.corners[j, 0]), row(B.points, B.corners[j, 1]), B.radius[j]
        high0, high1 = dot(N, plus(e0, -1.0, centre)), dot(N, plus(e1, -1.0, centre))
        side = -1.0 if flip_normals and high0 + high1 < 0.0 else 1.0
        h0, h1 = side * high0 - A.radius[i], side * high1 - A.radius[i]
        t1, length, sine, cosine = _course(e0, e1, N, h0, h1)
        t2 = cross(N, t1)
        origin = plus(e0, -high0, N)
        n = (-side * N[0], -side * N[1], -side * N[2])
        project(A, i, count, origin, t1, t2, polygon)
        largest = r if reject_large_overlap else 2.0 * r
        split0, split1 = max(h0, 0.0) * sine / cosine, length + max(h1, 0.0) * sine / cosine

        for end in range(2):
            h = h1 if end else h0
            radius = section(r, h)
            start = length if end else 0.0
            for k in range(count):
                two[k, 0], two[k, 1] = polygon[k, 0] - start, polygon[k, 1]
            sign = 1.0 - 2.0 * end
            split = start - split1 if end else split0
            fraction, u, v = _circle_beyond(two, count, radius, sign, split, one)
            overlap = r - h
            none = fraction == 0.0 or r < 0.0 or overlap > largest
            y = combined(1.0, origin, start + u, t1, v, t2)
            point = plus(y, 0.5 * overlap - A.radius[i], n)
            area = fraction * math.pi * radius * radius
            put(out, 3 * c + end, overlap, n, point, r, radius, area, fraction, none)
            put_corner_weights(out.weight_a, 3 * c + end, A, i, count, centre, N, size, y)
            put_weights(out.weight_b, 3 * c + end, float(end))

        d0, d1 = r * cosine - h0, r * cosine - h1
        s0 = 0.0 if d0 >= 0.0 or d1 <= d0 else min(-d0 / (d1 - d0), 1.0)
        s1 = 1.0 if d1 >= 0.0 or d0 <= d1 else min(d0 / (d0 - d1), 1.0)
        s1 = max(s1, s0)
        w0 = section(r, (h0 + s0 * (h1 - h0)) / cosine)
        w1 = section(r, (h0 + s1 * (h1 - h0)) / cosine)
        span = split1 - split0
        u0, u1 = split0 + s0 * span, split0 + s1 * span
        from0, from1 = d0 + s0 * (d1 - d0), d0 + s1 * (d1 - d0)
        fraction, overlap, u, v, area, width = _hull(
            polygon, count, strip, one, two, u0, u1, s0, s1, w0, w1, from0, from1
        )
        if fraction == 0.0:
            overlap, u = max(d0, d1), 0.5 * (u0 + u1)
        y = combined(1.0, origin, u, t1, v, t2)
        point = plus(y, 0.5 * overlap - A.radius[i], n)
        none = fraction == 0.0 or r < 0.0 or overlap > largest
        put(out, 3 * c + 2, overlap, n, point, r, width, area, fraction, none)
        put_corner_weights(out.weight_a, 3 * c + 2, A, i, count, centre, N, size, y)
        put_weights(out.weight_b, 3 * c + 2, min(max((u - split0) / span, 0.0), 1.0) if span > 0.0 else 0.5)
