"""Capsules: all points within a radius of a segment. They touch as spheres around their closest points do,

    x_A(s) = x_A0 + s (x_A1 - x_A0),   s in [0, 1];   n, overlap, ... of spheres in x_A(s), x_B(t)

The closest points of nearly parallel capsules jump from end to end when they roll over each other, and with
them the lever of the force. Between two capsules the hulls are therefore crowned, as those of rollers are,

    r(s) = r (1 - crown (2 s - 1)^2),       overlap = max over s, t of r_A(s) + r_B(t) - |x_A(s) - x_B(t)|

The maximum is unique, hence continuous, and by the envelope theorem its gradient with respect to the end
points is still the normal times (1 - s, s). `crown = 0` gives exact capsules; of those that are parallel the
closest points are those nearest to their middles.
"""

import math

from elements.geometry.spheres import put_spheres
from nsgalpha.compiled import entry, kernel
from nsgalpha.schemes.explicit.triples import combined, cross, dot, mean, plus, row

CROWN = 1e-3  # part of its radius by which a capsule is thinner at the ends
TIE = 1e-10  # weight, against squared lengths, of the distance from the middles
ITERATIONS = 30


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
def put_weights(weight, c, s):
    """Weights of the point with coordinate `s` of a segment."""
    weight[c, 0], weight[c, 1] = 1.0 - s, s


@entry
def measure_capsule_capsule(first, last, a, b, A, B, out, crown=CROWN):
    """Contacts `first` to `last` - 1 of the capsules `a[c]` of A and `b[c]` of B, both with `crown` [-]."""
    for c in range(first, last):
        i, j = a[c], b[c]
        a0, a1 = row(A.points, A.corners[i, 0]), row(A.points, A.corners[i, 1])
        b0, b1 = row(B.points, B.corners[j, 0]), row(B.points, B.corners[j, 1])
        ra, rb = A.radius[i], B.radius[j]
        s, t = closest(a0, a1, b0, b1, crown * ra, crown * rb)
        da, db = plus(a1, -1.0, a0), plus(b1, -1.0, b0)
        ra *= 1.0 - crown * (2.0 * s - 1.0) ** 2
        rb *= 1.0 - crown * (2.0 * t - 1.0) ** 2
        put_spheres(out, c, plus(a0, s, da), ra, plus(b0, t, db), rb, _across(da, db))
        put_weights(out.weight_a, c, s)
        put_weights(out.weight_b, c, t)


@entry
def measure_capsule_sphere(first, last, a, b, A, B, out):
    """Contacts `first` to `last` - 1 of the capsules `a[c]` of A and the spheres or points `b[c]` of B."""
    for c in range(first, last):
        i, j = a[c], b[c]
        a0, a1 = row(A.points, A.corners[i, 0]), row(A.points, A.corners[i, 1])
        x = row(B.points, B.corners[j, 0])
        s = min(max(along(x, a0, a1), 0.0), 1.0)
        da = plus(a1, -1.0, a0)
        put_spheres(out, c, plus(a0, s, da), A.radius[i], x, B.radius[j], _across(da, da))
        put_weights(out.weight_a, c, s)
        out.weight_b[c, 0] = 1.0
