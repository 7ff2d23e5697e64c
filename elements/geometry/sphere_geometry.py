"""Spheres and points. A point is a sphere of radius 0, one of negative radius is hollow and seen from within.

    s = sign(R_A + R_B),   D = |x_A - x_B|,   n = s (x_A - x_B)/D,   overlap = R_A + R_B - s D

in contact with each other if `R_A R_B/(R_A + R_B) >= 0`: both convex, or a sphere in a wider hollow one. The
surfaces meet in a circle of the radius a,

    a^2 = overlap (|R_A + R_B| + D) s (D^2 - (R_A - R_B)^2) / (4 D^2)

up to that of the smaller sphere, which it keeps once the centre of that sphere has passed through.

Set-valued contact has the gap g = -overlap, and with the arms s_A, s_B of the centres the levers

    p_A = s_A - R_A n,    p_B = s_B + R_B n

A sphere and a plane `N . X = d` of the frame (x_B, R) have

    n = R N,    g = n . (x_A + s_A - x_B) - d - R_A,    p_B = x_A + p_A - g n - x_B
"""

import math

import numpy as np

from elements.geometry.scene_access import CENTRE, Extent, apart, put_section, put_weights, to_image
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.rotations import to_inertial
from nsgalpha.geometry.vector_triples import combined, cross, dot, plus, row, store
from nsgalpha.jit.decorators import inlined, kernel


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
def cut(r, h):
    """Radius of the circle in which a sphere and a plane meet; `h`: height of its centre, r if below 0."""
    h = max(h, 0.0)
    return math.sqrt((r - h) * (r + h)) if h < r else 0.0


@kernel
def _across(da, db):
    """Unit vector that is orthogonal to two axes, or to one of them."""
    n = cross(da, db)
    if dot(n, n) == 0.0:
        n = cross(da, (0.0, 0.0, 1.0))
    if dot(n, n) == 0.0:
        n = (1.0, 0.0, 0.0)
    f = 1.0 / math.sqrt(dot(n, n))
    return f * n[0], f * n[1], f * n[2]


@kernel
def _put_circle(c, A, rb, measured, axes, counts, candidates, section):
    """The section of contact `c` of spheres, `A` (centre, radius), `measured` (gap, distance, normal)."""
    (xa, ra), (gap, distance, n) = A, measured
    if distance == 0.0:
        n = _across(axes[0], axes[1])
        store(n, candidates.normal, c, 0)
    total, product = ra + rb, ra * rb
    none = (product < 0.0 and total >= 0.0) or (ra < 0.0 and rb < 0.0)
    effective = 0.0 if none or product == 0.0 else product / total
    a = 0.0 if none else _circle(-gap, distance, ra, rb, 1.0 if total >= 0.0 else -1.0)
    fraction = 0.0 if none or not counts else 1.0
    extent = Extent(effective, a, fraction * math.pi * a * a, fraction)
    put_section(c, plus(xa, -0.5 * gap - ra, n), extent, none or not counts, section)


@inlined
def _along(c, d, A, B, candidates):
    """Normal and levers of contact `c` of spheres `(arm, radius)`; returns gap, distance, normal.

    `d`: the difference of the centres of both spheres.
    """
    (arm_a, ra), (arm_b, rb) = A, B
    distance = math.sqrt(dot(d, d))
    total = ra + rb
    sign = 1.0 if total >= 0.0 else -1.0
    scale = sign / distance
    n = (scale * d[0], scale * d[1], scale * d[2])
    for k in range(3):
        candidates.normal[c, k] = n[k]
        candidates.lever[c, 0, k] = arm_a[k] - ra * n[k]
        candidates.lever[c, 1, k] = arm_b[k] + rb * n[k]
    return sign * distance - total, distance, n


@inlined
def touch(c, A, B, axes, counts, candidates, section, scene):
    """Contact `c`, but for its weights, of two spheres `(arm, radius)`; unless it `counts` it is rejected.

    Where the centres coincide set-valued contact has no normal, but NaN; with a section it is orthogonal to
    the two `axes`.
    """
    d = combined(1.0, apart(scene, candidates, c), 1.0, A[0], -1.0, B[0])
    found = _along(c, d, A, B, candidates)
    wanted = section.point.shape[0] > 0
    candidates.gap[c] = found[0] if wanted or counts else math.inf
    if wanted:
        centre = plus(row(scene.x, np.uintp(candidates.a[c])), 1.0, A[0])
        _put_circle(c, (centre, A[1]), B[1], found, axes, counts, candidates, section)


@kernel
def touch_plane(c, arm, r, candidates, planes, x, q):
    """Candidate `c` of a plane and a sphere, whose centre is `arm` off that of its body."""
    i, j, p = candidates.a[c], candidates.b[c], candidates.plane[c]
    n, lever = candidates.normal[c], candidates.lever
    to_inertial(q[j], planes.normal[p], n)
    height = -planes.offset[p] - r
    for k in range(3):
        height += n[k] * (x[i, k] - x[j, k] + arm[k])
    candidates.gap[c] = height
    for k in range(3):
        lever[c, 0, k] = arm[k] - r * n[k]
        lever[c, 1, k] = x[i, k] - x[j, k] + arm[k] - (r + height) * n[k]


@geometry_kernel(images=True)
def measure_sphere_sphere(first, last, candidates, section, scene):
    """Spheres or points, in a periodic cell the nearest images."""
    radius = scene.shapes.radius
    if scene.cell.shape[0] > 0:
        for c in range(first, last):
            i, j = np.uintp(candidates.a[c]), np.uintp(candidates.b[c])
            d = to_image(plus(row(scene.x, i), -1.0, row(scene.x, j)), scene, candidates, c)
            A, B = (CENTRE, radius[i]), (CENTRE, radius[j])
            candidates.gap[c] = _along(c, d, A, B, candidates)[0]
        return
    if section.point.shape[0] == 0:  # a loop without the branches of the other is faster
        for c in range(first, last):
            i, j = np.uintp(candidates.a[c]), np.uintp(candidates.b[c])  # not negative
            A, B = (CENTRE, radius[i]), (CENTRE, radius[j])
            d = combined(1.0, plus(row(scene.x, i), -1.0, row(scene.x, j)), 1.0, A[0], -1.0, B[0])
            candidates.gap[c] = _along(c, d, A, B, candidates)[0]
        return
    for c in range(first, last):
        i, j = np.uintp(candidates.a[c]), np.uintp(candidates.b[c])
        A, B = (CENTRE, radius[i]), (CENTRE, radius[j])
        touch(c, A, B, (CENTRE, CENTRE), True, candidates, section, scene)
        put_weights(section.weight_a, c, 0.0)
        put_weights(section.weight_b, c, 0.0)


@geometry_kernel(images=False)
def measure_sphere_plane(first, last, candidates, section, scene):
    """Spheres and planes."""
    for c in range(first, last):
        r = scene.shapes.radius[candidates.a[c]]
        touch_plane(c, CENTRE, r, candidates, scene.planes, scene.x, scene.q)
