"""Spheres at a cylinder: its hull, and the disks that close it. Cylinder and disk are two points on the axis
and a radius, negative for a hollow cylinder that is seen from within.

The hull touches spheres whose centre lies between the two end planes, as a sphere around the nearest point of
the axis. The disk stands at the first of its two points; its normal N points away from the second, for a
hollow cylinder towards it. It touches spheres whose centre lies on the side of N, with

    h = N . (x - c),   p = (x - c) - h N,    y = c + p min(1, R/|p|),    overlap = r - |x - y|

so that around the rim of a solid cylinder the disk takes over from the hull with the same overlap and normal.
A hollow cylinder has no rim: there centres outside its bore are rejected.
"""

import math

from elements.geometry.capsules import along, put_weights
from elements.geometry.contact import Extent, put
from elements.geometry.spheres import put_spheres, section
from nsgalpha.compiled import entry, kernel
from nsgalpha.schemes.explicit.triples import dot, plus, row
from nsgalpha.stepping.kinematics import tangents


@kernel
def unit(a):
    """`a/|a|`; a vector along z if it has no length."""
    length = math.sqrt(dot(a, a))
    return (a[0] / length, a[1] / length, a[2] / length) if length > 0.0 else (0.0, 0.0, 1.0)


@entry
def measure_cylinder_sphere(first, last, a, b, A, B, out):
    """Contacts `first` to `last` - 1 of the hulls `a[c]` of A and the spheres or points `b[c]` of B."""
    for c in range(first, last):
        i, j = a[c], b[c]
        a0, a1 = row(A.points, A.corners[i, 0]), row(A.points, A.corners[i, 1])
        x = row(B.points, B.corners[j, 0])
        s = along(x, a0, a1)
        axis = plus(a1, -1.0, a0)
        t = unit(axis)
        t1 = tangents(t[0], t[1], t[2])
        none = put_spheres(out, c, plus(a0, s, axis), A.radius[i], x, B.radius[j], (t1[0], t1[1], t1[2]))
        out.rejected[c] = none or not 0.0 <= s <= 1.0
        if out.rejected[c]:
            out.fraction[c] = out.area[c] = 0.0
        put_weights(out.weight_a, c, s)
        out.weight_b[c, 0] = 1.0


@entry
def measure_disk_sphere(first, last, a, b, A, B, out):
    """Contacts `first` to `last` - 1 of the disks `a[c]` of A and the spheres or points `b[c]` of B."""
    for c in range(first, last):
        i, j = a[c], b[c]
        centre, other = row(A.points, A.corners[i, 0]), row(A.points, A.corners[i, 1])
        R, r, x = A.radius[i], B.radius[j], row(B.points, B.corners[j, 0])
        N = unit(plus(centre, -1.0, other) if R > 0.0 else plus(other, -1.0, centre))
        d = plus(x, -1.0, centre)
        h = dot(N, d)
        p = plus(d, -h, N)
        rho = math.sqrt(dot(p, p))
        y = plus(centre, min(1.0, abs(R) / rho) if rho > 0.0 else 0.0, p)
        d = plus(y, -1.0, x)
        distance = math.sqrt(dot(d, d))
        n = (-N[0], -N[1], -N[2])
        if distance > 0.0:
            n = (d[0] / distance, d[1] / distance, d[2] / distance)
        none = h < 0.0 or r < 0.0 or (R < 0.0 and rho > -R)
        radius = 0.0 if none else section(r, distance)
        extent = Extent(r, radius, math.pi * radius * radius, 0.0 if none else 1.0)
        overlap = r - distance
        put(out, c, overlap, n, plus(y, 0.5 * overlap, n), extent, none)
        put_weights(out.weight_a, c, 0.0)
        out.weight_b[c, 0] = 1.0
