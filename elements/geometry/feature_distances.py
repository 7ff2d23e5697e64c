"""Distances of lines, circles and points of two solids, with the normal from B to A.

Lines have outward normals n . a = s (solid_features.py). Two of them touch along one of both,

    n . a_B = s_B,   -n . a_A = s_A,   g = n . (p_A - p_B) - r_A - r_B

It has a part in the plane of both axes, and one of two signs across. A line and a point, or a point of a
circle, x have

    n = c u + s a,    g = n . (x - p) - r = c rho + s z - r

with rho off the axis, z along it. Along a circle g is least by Newton's method. So is the distance of a
circle from another one,

    |x - y|^2 = |x - c|^2 + R^2 - 2 R rho

whose normal is orthogonal to both tangents. Each gap is stationary over all that was chosen, and so its
gradient is the normal, at both contact points.

A circle may come near to a line, or to another circle, in two points. These are two branches, to one side
each of a direction that goes along.
"""

import math

from elements.geometry.polytope_pairs import SINE, closest_on_lines
from elements.geometry.rim_circle import ASIDE, least_on_circle
from elements.geometry.solid_features import CIRCLE, LINE, NOWHERE, circle_of, line_of
from nsgalpha.geometry.vector_triples import combined, cross, dot, plus
from nsgalpha.jit.decorators import kernel

SLANTED = 0.1  # least product of a normal and the sum of those of both faces at an edge
WIDE = 0.05  # sine of the angle by which the normal of a rim may be off its cone


@kernel
def ruling_of(line, n):
    """Unit ruling of a line where its outward normal is `n`."""
    f = 1.0 / math.sqrt(1.0 - line.slant * line.slant)
    return combined(f, line.axis, -f * line.slant, n, 0.0, n)


@kernel
def is_on_line(line, n, feet, beside):
    """True if a line ends `beside` [m] or more from its foot for the outward normal `n`.

    feet: on the line, and on the other feature. That is not beyond the axis of a side, or the base of a cone,
    nor on the inner side of an edge.
    """
    if line.out != NOWHERE and dot(n, line.out) < SLANTED:
        return False
    t = dot(plus(feet[0], -1.0, line.point), ruling_of(line, n))
    if line.out == NOWHERE:
        d = plus(feet[1], -1.0, line.point)
        height = dot(d, line.axis)
        if line.slant > 0.0 and height < line.low * math.sqrt(1.0 - line.slant * line.slant) - abs(beside):
            return False
        if dot(n, d) < height * line.slant:
            return False
    return line.low + beside < t < line.high - beside


@kernel
def line_to_line(A, B):
    """Gap, normal, foot on A, foot on B of two lines; infinite for parallel rulings."""
    c = dot(A.axis, B.axis)
    w = cross(A.axis, B.axis)
    square = dot(w, w)
    if square <= SINE * SINE:
        return math.inf, A.axis, NOWHERE, NOWHERE
    alpha, beta = -(A.slant + c * B.slant) / square, (B.slant + c * A.slant) / square
    across = (1.0 - (alpha * alpha + beta * beta + 2.0 * alpha * beta * c)) / square
    if across <= 0.0:
        return math.inf, A.axis, NOWHERE, NOWHERE
    across = math.sqrt(across)
    n = combined(alpha, A.axis, beta, B.axis, across, w)
    m = plus(n, -2.0 * across, w)
    apart, out = plus(A.point, -1.0, B.point), plus(B.out, -1.0, A.out)
    one, two = dot(n, out) > 0.0, dot(m, out) > 0.0
    if two if one != two else dot(m, apart) > dot(n, apart):
        n = m
    f = 1.0 / math.sqrt(dot(n, n))  # to rounding
    n = (f * n[0], f * n[1], f * n[2])
    g, h = ruling_of(A, (-n[0], -n[1], -n[2])), ruling_of(B, n)
    a, b = plus(A.point, -A.radius, n), plus(B.point, B.radius, n)
    _, t, square = closest_on_lines(a, plus(a, 1.0, g), b, plus(b, 1.0, h))
    if square <= SINE * SINE:
        return math.inf, n, NOWHERE, NOWHERE
    b = plus(b, t, h)
    gap = dot(n, plus(a, -1.0, b))
    return gap, n, plus(b, gap, n), b


@kernel
def point_to_line(x, line):
    """Gap, normal, and foot on a line of the point `x`."""
    d = plus(x, -1.0, line.point)
    u = plus(d, -dot(d, line.axis), line.axis)
    u = plus(u, -dot(u, line.axis), line.axis)  # once more, near the axis
    rho = math.sqrt(dot(u, u))
    if rho == 0.0:
        return math.inf, line.axis, NOWHERE
    f = math.sqrt(1.0 - line.slant * line.slant) / rho
    n = combined(f, u, line.slant, line.axis, 0.0, u)
    gap = dot(n, d) - line.radius
    return gap, n, plus(x, -gap, n)


@kernel
def signed_pair(p, t, q, e, out):
    """Gap and normal, towards `out`, of curves with the points `p` and `q`, and the tangents `t` and `e`."""
    n = cross(t, e)
    sine = math.sqrt(dot(n, n))
    if sine <= SINE:
        return math.inf, out
    f = 1.0 / sine if dot(n, out) > 0.0 else -1.0 / sine
    n = (f * n[0], f * n[1], f * n[2])
    return dot(n, plus(p, -1.0, q)), n


@kernel
def circle_to_line(circle, line, branch):
    """Gap, normal, foot on the circle (A), foot on the line (B)."""
    (c, axis, R, start, _), w = circle, plus(circle.centre, -1.0, line.point)
    weights = 0.0, 1.0, 0.0, 0.0
    if line.slant != 0.0:
        weights = 0.0, 0.0, R * math.sqrt(1.0 - line.slant * line.slant), R * line.slant
    u, t, found = least_on_circle((R, axis, start), w, line.axis, weights, (line.axis, ASIDE), branch)
    if not found:
        return math.inf, t, NOWHERE, NOWHERE
    x = plus(c, R, u)
    if line.radius > 0.0 or line.slant != 0.0:
        gap, n, foot = point_to_line(x, line)
        return gap, n, x, foot
    gap, n = signed_pair(x, t, line.point, line.axis, line.out)
    if gap == math.inf:
        return math.inf, t, NOWHERE, NOWHERE
    return gap, n, x, plus(x, -gap, n)


@kernel
def _out_of_rim(circle, u):
    """Sum of the normals of disk and side where `u` goes to the rim."""
    s = circle.slant
    return combined(math.sqrt(1.0 - s * s), u, 1.0 - s, circle.axis, 0.0, u)


@kernel
def circle_to_circle(A, B, branch):
    """Gap, normal, foot on A, foot on B of two circles.

    A branch is to one side of the plane with both centres, and with the difference of the axes.
    """
    apart = plus(A.centre, -1.0, B.centre)
    side = cross(plus(A.axis, -1.0, B.axis), apart)
    R, S, a = A.radius, B.radius, B.axis
    weights = 1.0, 0.0, -S, 0.0
    u, _, found = least_on_circle((R, A.axis, A.start), apart, a, weights, (side, 0.0), branch)
    if not found:
        return math.inf, u, NOWHERE, NOWHERE
    x = plus(apart, R, u)
    q = plus(x, -dot(x, a), a)
    f = 1.0 / math.sqrt(dot(q, q))
    q = (f * q[0], f * q[1], f * q[2])
    out = plus(_out_of_rim(B, q), -1.0, _out_of_rim(A, u))
    y = plus(B.centre, S, q)
    x = plus(A.centre, R, u)
    gap, n = signed_pair(x, cross(A.axis, u), y, cross(a, q), out)
    if gap == math.inf:
        return math.inf, u, NOWHERE, NOWHERE
    return gap, n, x, plus(x, -gap, n)


@kernel
def is_on_feature(scene, body, side, feature, n, feet, beside):
    """True if a circle or line has the normal `n` at a foot within it.

    feet: this and the other one. beside [m]: way from the ends of lines, negative for vertices and rims, as
    solids may end at one place.
    """
    kind, i = feature
    if kind == CIRCLE:
        circle = circle_of(scene.shapes.solids, side, i // 2)
        radial, s = dot(n, plus(feet[0], -1.0, circle.centre)) / circle.radius, circle.slant
        return radial > -WIDE and s * radial + math.sqrt(1.0 - s * s) * dot(n, circle.axis) > -WIDE
    if kind == LINE:
        return is_on_line(line_of(scene, body, side, i), n, feet, beside)
    return True
