"""Capsules: all points within a radius of a segment. They touch as spheres around their closest points do,

    x_A(s) = x_A0 + s (x_A1 - x_A0),   s in [0, 1];   n, overlap, ... of spheres in x_A(s), x_B(t)

The closest points of nearly parallel capsules jump from end to end when they roll over each other. The lever
of the force jumps with them. Between two capsules the hulls are therefore crowned, as those of rollers are,

    r(s) = r (1 - crown (2 s - 1)^2),       overlap = max over s, t of r_A(s) + r_B(t) - |x_A(s) - x_B(t)|

The maximum is unique, hence continuous, and by the envelope theorem its gradient with respect to the end
points is still the normal times (1 - s, s). `crown = 0` gives exact capsules; of those that are parallel the
closest points are those nearest to their middles.

A crowned capsule rests in one point. Set-valued contact takes exact ones, with a contact for every part that
may touch, each with its gap at every pose,

    capsule and plane      both ends of the capsule
    capsule and sphere     the nearest point of the axis
    two capsules           each of the four ends with the other axis, and the axes where they cross

Parallel capsules rest on those ends that lie within the other one, crossed ones on the crossing. An end of B
whose nearest point is an end of A is the same contact as that of A. Axes that do not cross within both have
no contact: such contacts are rejected.

The smaller the angle of nearly parallel axes, the faster the point of crossing runs along them. A capsule on
it rocks faster than steps resolve, and never rests. The crossing counts only where the part along which both
run has an end that lies BESIDE radii off the other axis, seen along the normal. Else both ends of it carry,
and between them the capsules overlap by up to BESIDE^2/4 = 6e-4 radii.

A ball that a body carries is a capsule whose ends are one point. Of it and a plane end 0 counts, of it and
an axis end 0 with that axis.
"""

import math

from elements.geometry.scene_access import CENTRE, apart, numbers, put_nothing, put_weights, segment
from elements.geometry.sphere_geometry import touch, touch_plane
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import combined, cross, dot, mean, plus
from nsgalpha.jit.decorators import kernel

AXIS = 2  # feature of a capsule, beside its ends 0 and 1
CROWN = 1e-3  # part of its radius by which a capsule is thinner at the ends
TIE = 1e-10  # weight, against squared lengths, of the distance from the middles
ITERATIONS = 30
BESIDE = 0.05  # radii by which an end lies beside the other axis where axes cross


@kernel
def along(x, x0, x1):
    """Coordinate of the foot of `x` on the line from `x0` (0) to `x1` (1); 1/2 if there is no line."""
    d = plus(x1, -1.0, x0)
    square = dot(d, d)
    return dot(plus(x, -1.0, x0), d) / square if square > 0.0 else 0.5


@kernel
def _half(x):
    """`x` clipped to [-1/2, 1/2]."""
    return min(max(x, -0.5), 0.5)


@kernel
def _lowest(A, B, C, g, h):
    """Where `A u^2/2 + C u v + B v^2/2 + g u + h v` is least in |u|, |v| <= 1/2, for A, B, AB - C^2 > 0."""
    det = A * B - C * C
    u, v = (C * h - B * g) / det, (C * g - A * h) / det
    if abs(u) <= 0.5 and abs(v) <= 0.5:
        return u, _half(-(h + C * u) / B)  # exactly opposite each other, also where det is small
    best, u, v = math.inf, 0.0, 0.0
    for k in range(4):
        fixed = 0.5 - (k % 2)
        x, y = (fixed, _half(-(h + C * fixed) / B)) if k < 2 else (_half(-(g + C * fixed) / A), fixed)
        value = (0.5 * A * x + C * y + g) * x + (0.5 * B * y + h) * y
        if value < best:
            best, u, v = value, x, y
    return u, v


@kernel
def closest(a0, a1, b0, b1, drop_a, drop_b):
    """Coordinates s, t of the closest points of crowned capsules, `drop` [m] thinner at the ends."""
    da, db = plus(a1, -1.0, a0), plus(b1, -1.0, b0)
    m = plus(mean(a0, a1), -1.0, mean(b0, b1))
    A, B, C = dot(da, da), dot(db, db), -dot(da, db)
    g, h = dot(m, da), -dot(m, db)
    if A + B == 0.0:
        return 0.5, 0.5
    tie = TIE * (A + B)
    A, B = A + tie, B + tie
    u, v = _lowest(A, B, C, g, h)
    if drop_a == 0.0 and drop_b == 0.0:
        return 0.5 + u, 0.5 + v
    # |r| is replaced by (|r|^2/D + D)/2, above it and equal at D = |r|: the minimum never increases
    for _ in range(ITERATIONS):
        r = combined(1.0, m, u, da, -v, db)
        D = math.sqrt(dot(r, r))
        u0, v0 = u, v
        u, v = _lowest(A + 8.0 * drop_a * D, B + 8.0 * drop_b * D, C, g, h)
        if abs(u - u0) + abs(v - v0) < 1e-15:
            break
    return 0.5 + u, 0.5 + v


@kernel
def _between(e0, e1, s):
    """The point with the coordinate `s` on the axis from `e0` to `e1`."""
    return combined(1.0 - s, e0, s, e1, 0.0, e0)


@kernel
def _nearest(x, e0, e1):
    """Coordinate of the point of the axis from `e0` to `e1` that is nearest to `x`."""
    return min(max(along(x, e0, e1), 0.0), 1.0)


@kernel
def farther_end(A, B, cosine):
    """Way from a crossing to the farther end of the common part of both lines.

    A, B: ways on each line back and ahead to its ends. cosine: its sign says if both have one direction.
    """
    return max(min(A[0], B[0]), min(A[1], B[1])) if cosine >= 0.0 else max(min(A[0], B[1]), min(A[1], B[0]))


@kernel
def _crossing(a0, a1, b0, b1, beside):
    """Coordinates of the points in which two axes cross, an end by `beside` [m] off it; else (-1, -1)."""
    da, db, m = plus(a1, -1.0, a0), plus(b1, -1.0, b0), plus(a0, -1.0, b0)
    A, B, C = dot(da, da), dot(db, db), dot(da, db)
    both = cross(da, db)
    square = dot(both, both)
    if square == 0.0:
        return -1.0, -1.0
    s = (C * dot(m, db) - B * dot(m, da)) / square
    t = (dot(m, db) + s * C) / B  # exactly opposite, also where the axes are nearly parallel
    if not (0.0 < s < 1.0 and 0.0 < t < 1.0):
        return -1.0, -1.0
    one, two = math.sqrt(A), math.sqrt(B)
    end = farther_end((s * one, (1.0 - s) * one), (t * two, (1.0 - t) * two), C)
    return (s, t) if end * math.sqrt(square / (A * B)) > beside else (-1.0, -1.0)


@geometry_kernel(images=False, features=((0, 0), (1, 0)))
def measure_capsule_plane(first, last, candidates, section, scene):
    """Ends of capsules and planes."""
    for c in range(first, last):
        number, end, _, _ = numbers(candidates, c)
        e0, e1, r = segment(scene, candidates.a[c], number)
        candidates.length[c] = r
        if end == 1 and e0 == e1:
            put_nothing(candidates, c)
            continue
        touch_plane(c, e1 if end == 1 else e0, r, candidates, scene.planes, scene.x, scene.q)


@geometry_kernel(images=True, features=((AXIS, 0),))
def measure_capsule_sphere(first, last, candidates, section, scene):
    """Capsules and spheres or points."""
    for c in range(first, last):
        number, _, _, _ = numbers(candidates, c)
        e0, e1, r = segment(scene, candidates.a[c], number)
        B = (CENTRE, scene.shapes.radius[candidates.b[c]])
        s = _nearest(plus(CENTRE, -1.0, apart(scene, candidates, c)), e0, e1)
        axis = plus(e1, -1.0, e0)
        candidates.length[c] = min(r, B[1])
        touch(c, (_between(e0, e1, s), r), B, (axis, axis), True, candidates, section, scene)
        put_weights(section.weight_a, c, s)
        put_weights(section.weight_b, c, 0.0)


@geometry_kernel(images=True, options=(CROWN,))
def measure_capsule_capsule(first, last, candidates, section, scene):
    """Capsules that are both crowned, in one point. Option: the crown [-]."""
    crown = scene.options[0]
    for c in range(first, last):
        number_a, _, number_b, _ = numbers(candidates, c)
        a0, a1, ra = segment(scene, candidates.a[c], number_a)
        b0, b1, rb = segment(scene, candidates.b[c], number_b)
        d = apart(scene, candidates, c)
        s, t = closest(plus(d, 1.0, a0), plus(d, 1.0, a1), b0, b1, crown * ra, crown * rb)
        da, db = plus(a1, -1.0, a0), plus(b1, -1.0, b0)
        candidates.length[c] = min(ra, rb)
        ra *= 1.0 - crown * (2.0 * s - 1.0) ** 2
        rb *= 1.0 - crown * (2.0 * t - 1.0) ** 2
        A, B = (plus(a0, s, da), ra), (plus(b0, t, db), rb)
        touch(c, A, B, (da, db), True, candidates, section, scene)
        put_weights(section.weight_a, c, s)
        put_weights(section.weight_b, c, t)


@geometry_kernel(images=True, features=((0, AXIS), (1, AXIS), (AXIS, 0), (AXIS, 1), (AXIS, AXIS)))
def measure_capsule_parts(first, last, candidates, section, scene):
    """Contacts 0, 1: ends of capsules A and axes of B; 2, 3: axes of A and ends of B; 4: crossing axes."""
    for c in range(first, last):
        number_a, part_a, number_b, part_b = numbers(candidates, c)
        a0, a1, ra = segment(scene, candidates.a[c], number_a)
        b0, b1, rb = segment(scene, candidates.b[c], number_b)
        d = apart(scene, candidates, c)
        ball_a, ball_b = a0 == a1, b0 == b1
        if part_a != AXIS:
            s = float(part_a)
            t = _nearest(plus(d, 1.0, a1 if part_a == 1 else a0), b0, b1)
            counts = part_a == 0 if ball_a else not ball_b
        elif part_b != AXIS:
            t = float(part_b)
            s = _nearest(plus(b1 if part_b == 1 else b0, -1.0, d), a0, a1)
            counts = not ball_a and (part_b == 0 if ball_b else 0.0 < s < 1.0)
        else:
            s, t = _crossing(plus(d, 1.0, a0), plus(d, 1.0, a1), b0, b1, BESIDE * min(ra, rb))
            counts = s >= 0.0
            s, t = max(s, 0.0), max(t, 0.0)
        candidates.length[c] = min(ra, rb)
        axes = plus(a1, -1.0, a0), plus(b1, -1.0, b0)
        A, B = (_between(a0, a1, s), ra), (_between(b0, b1, t), rb)
        touch(c, A, B, axes, counts, candidates, section, scene)
        put_weights(section.weight_a, c, s)
        put_weights(section.weight_b, c, t)
