"""Maugis's equations of the adhesive contact of spheres with a Dugdale zone, without units.

With K = 4 E*/3, A^3 = pi W R^2/K and s_0 = W/h_0 lengths are in A, overlaps in A^2/R, forces in pi W R, and

    lambda = 2 s_0 (R/(pi W K^2))^(1/3).

Contact radius a, radius c of the zone, w = sqrt(c^2 - a^2), theta = acos(a/c):

    (lambda/2) (a w + (w^2 - a^2) theta) + (4 lambda^2/3) (w theta + a - c) = 1                    (1)
    d = a^2 - (4/3) lambda w,    f = a^3 - lambda (a w + c^2 theta)                                (2)

(1) is Griffith's balance at the edge of the zone, whose opening is h_0 there. Its left side grows with w and
falls with a: it gives one w for each a, with

    w' = a k,    k = (lambda (theta - a w/c^2) + (4 lambda^2/3) w^2/(c^2 (c + a)))
                     / (lambda w (a w/c^2 + theta) + (4 lambda^2/3) (theta + a w/c^2 - w/c)),
    d' = a (2 - (4/3) lambda k),    f' = a (3 a - 2 lambda theta - 2 lambda k (a + w theta)).

Stable is d' > 0, so that a contact ends where 2 = (4/3) lambda k, or at a = 0 where there is no such a. With
w from (2), (1) has one stable solution for every d beyond.

Elastic energy less the work of adhesion, from the transform S of the tractions (Maugis: K/2 (t^2 - d) in the
contact, s_0 sqrt(c^2 - t^2) in the zone; their energy is (4/E*) int S^2 dt):

    U = (3/4) (a^5/5 - 2 d a^3/3 + d^2 a) - (4/3) lambda^2 q - c^2
        + (lambda/2) (pi ((c^4 - a^4)/4 - d w^2) - 4 (J_2(c) - J_2(a) - d (J_0(c) - J_0(a)))),
    q = (c - a)^2 (2 c + a)/3,    J_n(r) = int_0^a t^n sqrt(r^2 - t^2) dt,

in pi W A^2. U' = f in these units.

Source: D. Maugis, J. Colloid Interface Sci. 150 (1992) 243; K. L. Johnson, J. A. Greenwood, J. Colloid
Interface Sci. 192 (1997) 326.
"""

import math

from nsgalpha.jit.decorators import kernel

STEPS = 200  # more than any bracket needs
CLOSE = 1e-13  # relative: the step after such a one is below rounding


@kernel
def balance(lam, a, w):
    """Left side of (1) less 1, its derivatives by a over a and by w."""
    c, theta = math.hypot(a, w), math.atan2(w, a)
    sine, cosine = w / c, a / c
    adhesion, zone = 0.5 * lam, 4.0 / 3.0 * lam * lam
    value = adhesion * (a * w + (w * w - a * a) * theta) + zone * (w * theta - w * w / (c + a)) - 1.0
    by_a = -lam * (theta - sine * cosine) - zone * sine * sine / (c + a)
    by_w = lam * w * (sine * cosine + theta) + zone * (theta + sine * cosine - sine)
    return value, by_a, by_w


@kernel
def zone_of(lam, a):
    """The w of contact radius `a`, by Newton's method in a bracket."""
    low, high = 0.0, 1.0
    while balance(lam, a, high)[0] < 0.0:
        low, high = high, 2.0 * high
    w = high
    for _ in range(STEPS):
        value, _, slope = balance(lam, a, w)
        if value > 0.0:
            high = w
        else:
            low = w
        step = value / slope
        if abs(step) <= CLOSE * w:
            return w - step
        w = w - step if low < w - step < high else 0.5 * (low + high)
    return w


@kernel
def steepness(lam, a, w):
    """2 - (4/3) lambda k, of the sign of d'."""
    _, by_a, by_w = balance(lam, a, w)
    return 2.0 + 4.0 / 3.0 * lam * by_a / by_w


@kernel
def last_radius(lam):
    """Contact radius at which a contact ends."""
    if steepness(lam, 0.0, zone_of(lam, 0.0)) >= 0.0:
        return 0.0
    low, high = 0.0, 1.0
    while steepness(lam, high, zone_of(lam, high)) < 0.0:
        low, high = high, 2.0 * high
    for _ in range(STEPS):
        a = 0.5 * (low + high)
        if not low < a < high:
            break
        if steepness(lam, a, zone_of(lam, a)) < 0.0:
            low = a
        else:
            high = a
    return high


@kernel
def overlap_at(lam, a, w):
    """D of (2)."""
    return a * a - 4.0 / 3.0 * lam * w


@kernel
def radius_at(lam, d, least):
    """Contact radius at the overlap `d`, not below `least`, by Newton's method in a bracket."""
    low = max(least, math.sqrt(max(d, 0.0)))
    ease = 0.75 / lam
    high = low + 1.0
    while balance(lam, high, ease * (high * high - d))[0] < 0.0:
        low, high = high, 2.0 * high
    a = high
    for _ in range(STEPS):
        w = ease * (a * a - d)
        value, by_a, by_w = balance(lam, a, w)
        if value > 0.0:
            high = a
        else:
            low = a
        step = value / (a * (by_a + 2.0 * ease * by_w))
        if abs(step) <= CLOSE * a:
            return a - step
        a = a - step if low < a - step < high else 0.5 * (low + high)
    return a


@kernel
def force_at(lam, a, w):
    """F of (2) and its derivative by d."""
    c, theta = math.hypot(a, w), math.atan2(w, a)
    _, by_a, by_w = balance(lam, a, w)
    k = -by_a / by_w
    slope = 3.0 * a - 2.0 * lam * (theta + k * (a + w * theta))
    return a**3 - lam * (a * w + c * c * theta), slope / (2.0 - 4.0 / 3.0 * lam * k)


@kernel
def _moments(a, w, c):
    """J_0(c) - J_0(a), J_2(c) - J_2(a)."""
    arc = 0.5 * math.pi - math.atan2(w, a)
    zeroth = 0.5 * (a * w + c * c * arc) - 0.25 * math.pi * a * a
    second = 0.125 * (c**4 * arc - a * w * (w * w - a * a)) - math.pi / 16.0 * a**4
    return zeroth, second


@kernel
def energy_at(lam, a, w):
    """U of the contact."""
    c, d = math.hypot(a, w), overlap_at(lam, a, w)
    zeroth, second = _moments(a, w, c)
    q = (w * w / (c + a)) ** 2 * (2.0 * c + a) / 3.0
    contact = 0.75 * a * (a**4 / 5.0 - 2.0 / 3.0 * d * a * a + d * d)
    ring = math.pi * (0.25 * w * w * (c * c + a * a) - d * w * w) - 4.0 * (second - d * zeroth)
    return contact - 4.0 / 3.0 * lam * lam * q - c * c + 0.5 * lam * ring
