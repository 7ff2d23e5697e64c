"""Spheres at a cylinder: its hull, and the disks that close it. Cylinder and disk are two points on the axis
and a radius, negative for a hollow cylinder that is seen from within.

The hull touches spheres whose centre lies between the two end planes, as a sphere around the nearest point of
the axis. The disk stands at the first of its two points; its normal N points away from the second, for a
hollow cylinder towards it. It touches spheres whose centre lies on the side of N, with

    h = N . (x - c),   p = (x - c) - h N,    y = c + p min(1, R/|p|),    overlap = r - |x - y|

so that around the rim of a solid cylinder the disk takes over from the hull with the same overlap and normal.
A hollow cylinder has no rim: there centres outside its bore are rejected. Without the option `rim` those
beside a solid one are, too, as printed in the documentation of mpacts.
"""

import math

from elements.geometry.capsule_geometry import along
from elements.geometry.scene_access import CENTRE, Extent, apart, numbers, put, put_weights, segment
from elements.geometry.sphere_geometry import cut, touch
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.decorators import kernel


@kernel
def unit(a):
    """`a/|a|`; a vector along z if it has no length."""
    length = math.sqrt(dot(a, a))
    return (a[0] / length, a[1] / length, a[2] / length) if length > 0.0 else (0.0, 0.0, 1.0)


@geometry_kernel
def measure_cylinder_sphere(first, last, candidates, section, scene):
    """Hulls and spheres or points."""
    for c in range(first, last):
        number, _, _, _ = numbers(candidates, c)
        e0, e1, R = segment(scene, candidates.a[c], number)
        r = scene.shapes.radius[candidates.b[c]]
        s = along(plus(CENTRE, -1.0, apart(scene, candidates, c)), e0, e1)
        axis = plus(e1, -1.0, e0)
        A, B = (plus(e0, s, axis), R), (CENTRE, r)
        candidates.length[c] = min(abs(R), r)
        touch(c, A, B, (axis, axis), 0.0 <= s <= 1.0, candidates, section, scene)
        put_weights(section.weight_a, c, s)
        put_weights(section.weight_b, c, 0.0)


@geometry_kernel(options=(1.0,))
def measure_disk_sphere(first, last, candidates, section, scene):
    """Disks and spheres or points. Option: rim, 1 or 0."""
    rim = scene.options[0] != 0.0
    for c in range(first, last):
        number, _, _, _ = numbers(candidates, c)
        e0, e1, R = segment(scene, candidates.a[c], number)
        x, r = row(scene.x, candidates.b[c]), scene.shapes.radius[candidates.b[c]]
        N = unit(plus(e0, -1.0, e1) if R > 0.0 else plus(e1, -1.0, e0))
        centre = plus(row(scene.x, candidates.a[c]), 1.0, e0)
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
        none = h < 0.0 or r < 0.0 or (rho > abs(R) and (R < 0.0 or not rim))
        radius = 0.0 if none else cut(r, distance)
        extent = Extent(r, radius, math.pi * radius * radius, 0.0 if none else 1.0)
        overlap = r - distance
        candidates.length[c] = min(abs(R), r)
        put(c, (overlap, n, plus(y, 0.5 * overlap, n)), extent, none, candidates, section, scene.x)
        put_weights(section.weight_a, c, 0.0)
        put_weights(section.weight_b, c, 0.0)
