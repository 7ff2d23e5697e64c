"""Hard contact of shapes that bodies carry: spheres around the closest points of axes and planes.

    P_A = x_A + s_A,   n = (P_A - P_B)/|P_A - P_B|,   g = |P_A - P_B| - (r_A + r_B),
    p_A = s_A - r_A n,   p_B = s_B + r_B n

and with a plane `N . X = d` of the frame (x_B, R)

    n = R N,   g = n . (P_A - x_B) - d - r_A,   p_B = x_A + p_A - g n - x_B

n is the gradient of g as long as the axes are apart: the distance of convex sets is smooth. A pair of shapes
has as many contacts as it has parts that may touch, each with a gap of its own at every pose,

    spheres and planes     one
    capsule and plane      both ends of the capsule
    capsule and sphere     the nearest point of the axis
    two capsules           each of the four ends with the other axis, and the axes where they cross

Parallel capsules rest on those ends that lie within the other one, crossed ones on the crossing. An end of B
whose nearest point is an end of A is the same contact as that of A, and axes that do not cross within both
have none: the gap of such a contact is the distance of the axes, it does not close.

The point in which nearly parallel axes cross runs along them the faster the smaller their angle is: a capsule
on it rocks faster than steps resolve, and never rests. The crossing counts only where the ends lie BESIDE
radii off the other axis, seen along the normal. Else the ends carry, and in the middle the capsules overlap
by up to BESIDE^2/4 = 6e-4 radii.

The `feature` of a candidate says which shapes of its bodies they are (nsgalpha/model/capsules.py), and which
contact of theirs.
"""

import math

import numpy as np

from elements.geometry.capsules import along
from nsgalpha.compiled import leaf
from nsgalpha.model.geometry import geometry_kernel
from nsgalpha.schemes.explicit.triples import combined, cross, dot, leg, plus, row
from nsgalpha.stepping.rotation import to_inertial, turned

SHAPES = 256  # of a body at most
CONTACTS = 8  # of two shapes at most
BESIDE = 0.05  # radii by which the ends lie beside the other axis where axes cross
CENTRE = (0.0, 0.0, 0.0)


@leaf
def touch(c, arm_a, r_a, arm_b, r_b, candidates, x):
    """Candidate `c` of spheres around the points `arm_a` and `arm_b` off the centres of its bodies."""
    i, j = np.uintp(candidates.a[c]), np.uintp(candidates.b[c])  # not negative
    d = plus(row(x, i), -1.0, row(x, j))
    d = combined(1.0, d, 1.0, arm_a, -1.0, arm_b)
    distance = math.sqrt(dot(d, d))
    candidates.gap[c] = distance - (r_a + r_b)
    scale = 1.0 / distance
    for k in range(3):
        n = d[k] * scale
        candidates.normal[c, k] = n
        candidates.lever[c, 0, k] = arm_a[k] - r_a * n
        candidates.lever[c, 1, k] = arm_b[k] + r_b * n


@leaf
def touch_plane(c, arm, r, candidates, planes, x, q):
    """Candidate `c` of a sphere around the point `arm` off the centre of its body, and a plane."""
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


@leaf
def _capsule(body, number, shapes, q):
    """Both ends, off the centre of the `body`, and the radius of the capsule that is its shape `number`."""
    k, ends = shapes.first[body] + number, shapes.ends
    return turned(q[body], leg(ends, k, 0)), turned(q[body], leg(ends, k, 1)), shapes.thickness[k]


@leaf
def _between(e0, e1, s):
    """The point with the coordinate `s` on the axis from `e0` to `e1`."""
    return combined(1.0 - s, e0, s, e1, 0.0, e0)


@leaf
def _nearest(x, e0, e1):
    """Coordinate of the point of the axis from `e0` to `e1` that is nearest to `x`."""
    return min(max(along(x, e0, e1), 0.0), 1.0)


@leaf
def _crossing(a0, a1, b0, b1, beside):
    """Coordinates of the points in which two axes cross, all ends by `beside` [m] off it; else (-1, -1)."""
    da, db, m = plus(a1, -1.0, a0), plus(b1, -1.0, b0), plus(a0, -1.0, b0)
    A, B, C = dot(da, da), dot(db, db), dot(da, db)
    both = cross(da, db)
    square = dot(both, both)
    if square == 0.0:
        return -1.0, -1.0
    s = (C * dot(m, db) - B * dot(m, da)) / square
    t = (dot(m, db) + s * C) / B  # exactly opposite, also where the axes are nearly parallel
    nearest = min(min(s, 1.0 - s) * math.sqrt(A), min(t, 1.0 - t) * math.sqrt(B))  # of the ends, along
    return (s, t) if nearest * math.sqrt(square / (A * B)) > beside else (-1.0, -1.0)


@geometry_kernel
def measure_sphere_sphere(first, last, candidates, shapes, planes, x, q):
    """Pairs of spheres."""
    for c in range(first, last):
        i, j = np.uintp(candidates.a[c]), np.uintp(candidates.b[c])  # not negative
        touch(c, CENTRE, shapes.radius[i], CENTRE, shapes.radius[j], candidates, x)


@geometry_kernel
def measure_sphere_plane(first, last, candidates, shapes, planes, x, q):
    """Spheres and planes."""
    for c in range(first, last):
        touch_plane(c, CENTRE, shapes.radius[candidates.a[c]], candidates, planes, x, q)


@geometry_kernel
def measure_capsule_plane(first, last, candidates, shapes, planes, x, q):
    """Ends of capsules and planes."""
    for c in range(first, last):
        pair, end = divmod(candidates.feature[c], CONTACTS)
        e0, e1, r = _capsule(candidates.a[c], pair // SHAPES, shapes, q)
        candidates.length[c] = r
        touch_plane(c, e1 if end == 1 else e0, r, candidates, planes, x, q)


@geometry_kernel
def measure_capsule_sphere(first, last, candidates, shapes, planes, x, q):
    """Capsules and spheres."""
    for c in range(first, last):
        i, j = candidates.a[c], candidates.b[c]
        e0, e1, r = _capsule(i, candidates.feature[c] // CONTACTS // SHAPES, shapes, q)
        centre = plus(row(x, j), -1.0, row(x, i))
        candidates.length[c] = min(r, shapes.radius[j])
        touch(c, _between(e0, e1, _nearest(centre, e0, e1)), r, CENTRE, shapes.radius[j], candidates, x)


@geometry_kernel
def measure_capsule_capsule(first, last, candidates, shapes, planes, x, q):
    """Ends of capsules and other capsules, and where two cross."""
    for c in range(first, last):
        i, j = candidates.a[c], candidates.b[c]
        pair, which = divmod(candidates.feature[c], CONTACTS)
        a0, a1, r_a = _capsule(i, pair // SHAPES, shapes, q)
        b0, b1, r_b = _capsule(j, pair % SHAPES, shapes, q)
        d = plus(row(x, i), -1.0, row(x, j))
        counts = True
        if which < 2:  # end of A
            s = float(which)
            t = _nearest(plus(d, 1.0, a1 if which == 1 else a0), b0, b1)
        elif which < 4:  # end of B
            t = which - 2.0
            s = _nearest(plus(b1 if which == 3 else b0, -1.0, d), a0, a1)
            counts = 0.0 < s < 1.0
        else:
            s, t = _crossing(plus(d, 1.0, a0), plus(d, 1.0, a1), b0, b1, BESIDE * min(r_a, r_b))
            counts = s >= 0.0
            s, t = max(s, 0.0), max(t, 0.0)
        candidates.length[c] = min(r_a, r_b)
        touch(c, _between(a0, a1, s), r_a, _between(b0, b1, t), r_b, candidates, x)
        if not counts:
            candidates.gap[c] += r_a + r_b
