"""Spheres and points. A point is a sphere of radius 0, one of negative radius is hollow and seen from within.

    s = sign(R_A + R_B),   D = |x_A - x_B|,   n = s (x_A - x_B)/D,   overlap = R_A + R_B - s D

in contact with each other if `R_A R_B/(R_A + R_B) >= 0`: both convex, or a sphere in a wider hollow one. The
surfaces meet in a circle of the radius a,

    a^2 = overlap (|R_A + R_B| + D) s (D^2 - (R_A - R_B)^2) / (4 D^2)

up to that of the smaller sphere, which it keeps once the centre of that sphere has passed through.
"""

import math

from elements.geometry.contact import Extent, put
from nsgalpha.compiled import entry, kernel
from nsgalpha.schemes.explicit.triples import dot, plus, row


@kernel
def _circle(overlap, distance, ra, rb, sign):
    """Radius of the circle in which two spheres meet."""
    if overlap <= 0.0:
        return 0.0
    small, large = min(abs(ra), abs(rb)), max(abs(ra), abs(rb))
    if sign * (distance * distance - (large - small) * (large + small)) <= 0.0:
        return small
    square = sign * (distance - ra + rb) * (distance + ra - rb) * (abs(ra + rb) + distance) * overlap
    return math.sqrt(max(square, 0.0)) / (2.0 * distance)


@kernel
def section(r, h):
    """Radius of the circle in which a sphere and a plane meet; `h`: height of its centre, r if below 0."""
    h = max(h, 0.0)
    return math.sqrt((r - h) * (r + h)) if h < r else 0.0


@kernel
def put_spheres(out, c, xa, ra, xb, rb, otherwise):
    """Contact `c` of two spheres; `otherwise` is its normal where the centres coincide."""
    total = ra + rb
    sign = 1.0 if total >= 0.0 else -1.0
    d = plus(xa, -1.0, xb)
    distance = math.sqrt(dot(d, d))
    n = otherwise
    if distance > 0.0:
        f = sign / distance
        n = (f * d[0], f * d[1], f * d[2])
    overlap = total - sign * distance
    product = ra * rb
    none = (product < 0.0 and total >= 0.0) or (ra < 0.0 and rb < 0.0)
    effective = 0.0 if none or product == 0.0 else product / total
    a = 0.0 if none else _circle(overlap, distance, ra, rb, sign)
    point = plus(xa, 0.5 * overlap - ra, n)
    put(out, c, overlap, n, point, Extent(effective, a, math.pi * a * a, 0.0 if none else 1.0), none)
    return none


@entry
def measure_sphere_sphere(first, last, a, b, A, B, out):
    """Contacts `first` to `last` - 1 of the spheres or points `a[c]` of A and `b[c]` of B."""
    for c in range(first, last):
        i, j = a[c], b[c]
        xa, xb = row(A.points, A.corners[i, 0]), row(B.points, B.corners[j, 0])
        put_spheres(out, c, xa, A.radius[i], xb, B.radius[j], (0.0, 0.0, 1.0))
        out.weight_a[c, 0] = out.weight_b[c, 0] = 1.0
