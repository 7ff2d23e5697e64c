"""Impacts within a step: the flying contacts that close, and when they do so first.

In a step contacts that fly pass through each other. Gaps and their rates at both ends give a cubic. So do
centres of spheres and their velocities, and the distance of two spheres gives a polynomial of degree 6:

    |x_A(s) - x_B(s)|^2 = (r_A + r_B)^2,      s = (t - t_n)/h in (0, 1]

Its first fall is found however far the spheres move, where a gap at the end alone would show nothing. The
cubics are exact where accelerations are linear in time. Else they are a first guess, from which steps to the
impact follow. A contact that has just rebounded is at zero where the step begins: that root is divided out.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import FRICTION, TORQUE, Flags, Floats, Ints, Motion
from nsgalpha.geometry.narrow_phase import TOUCH
from nsgalpha.geometry.nearest_images import image_way, less_periods, nearest_image, periods_between, way_of
from nsgalpha.geometry.vector_triples import cross, dot, leg, plus, row
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.polynomial_falls import WORK, add_square, first_fall, hermite_cubic

SAME = 1e-9  # difference of a gap and that of two spheres, over the sum of their radii
LOWEST = 1e-10  # [m] height of a rebound
FAR = 4.0  # ways of a step, beyond which rates are not asked for
OTHERS, SPHERES, APART = 0, 1, 2  # kinds of a candidate in a step
UNKNOWN = 0.5  # guess where a contact was not there, or its rate not known, at the start


class Flight(NamedTuple):
    """Flying contacts where a step begins."""

    flying: Flags  # (C,)
    rebounding: Flags  # (C,) of these, contacts that touch and open
    crowded: Flags  # (C,) of those that do not fly, contacts of a crowd, see crowds.py
    feature: Ints  # (C,) keys, see contact_slots.py
    gap: Floats  # (C,) [m], [rad]
    rate: Floats  # (C,) [m/s], [rad/s]; NaN: not known
    motion: Motion  # poses and velocities
    way: Floats  # (B,) [m] bounds of the ways of the bodies in the step, set by `first_hits`


@kernel
def opening_rate(candidates, motion, c):
    """Rate of the gap of candidate `c`, measured at the pose of `motion`."""
    a, b, n = candidates.a[c], candidates.b[c], row(candidates.normal, c)
    spin_a, spin_b = row(motion.w, a), row(motion.w, b)
    if candidates.plane[c] == TORQUE:
        return dot(n, plus(spin_a, -1.0, spin_b))
    at_a = plus(row(motion.v, a), 1.0, cross(spin_a, leg(candidates.lever, c, 0)))
    at_b = plus(row(motion.v, b), 1.0, cross(spin_b, leg(candidates.lever, c, 1)))
    return dot(n, plus(plus(at_a, -1.0, at_b), -1.0, image_way(candidates.image, c, motion.v)))


@kernel
def near_rate(candidates, flight, touched, c):
    """`opening_rate` of candidate `c` at `flight.motion`, which is measured there; 0 without a contact.

    NaN: it has not `touched`, and is FAR by the ways of the last step.
    """
    gap = candidates.gap[c]
    if not touched and is_far(candidates, flight, c, gap, FAR):
        return math.nan
    return opening_rate(candidates, flight.motion, c) if gap < math.inf else 0.0


@kernel
def opening_rates(candidates, motion, rate):
    """`opening_rate` of all candidates to `rate` (C,); 0 where there is no contact."""
    for c in range(rate.shape[0]):
        rate[c] = opening_rate(candidates, motion, c) if candidates.gap[c] < math.inf else 0.0


@kernel
def _spheres(candidates, bodies, flight, c, d):
    """Sum of the radii of two spheres whose centres are `d` apart; 0 for other candidates."""
    radius_a, radius_b = bodies.radius[candidates.a[c]], bodies.radius[candidates.b[c]]
    total = radius_a + radius_b
    if candidates.plane[c] != -1 or not radius_a > 0.0 or not radius_b > 0.0:
        return 0.0
    return total if abs(math.sqrt(dot(d, d)) - total - flight.gap[c]) <= SAME * total else 0.0


@kernel
def _apart(candidates, bodies, flight, motion, c):
    """Differences of places and velocities of candidate `c`, A less B, at both ends; the same image."""
    a, b, old = candidates.a[c], candidates.b[c], flight.motion
    d = plus(row(old.x, a), -1.0, row(old.x, b))
    way_a = plus(row(motion.x, a), -1.0, row(old.x, a))
    way_b = plus(row(motion.x, b), -1.0, row(old.x, b))
    u, v = plus(row(old.v, a), -1.0, row(old.v, b)), plus(row(motion.v, a), -1.0, row(motion.v, b))
    if bodies.cell.shape[0] > 2:
        n = periods_between(d, bodies.cell, old.x)
        d = less_periods(d, n, old.x)
        way_b = plus(way_b, 1.0, plus(way_of(n, motion.x), -1.0, way_of(n, old.x)))
        u, v = plus(u, -1.0, way_of(n, old.v)), plus(v, -1.0, way_of(n, motion.v))
    elif bodies.cell.shape[0] > 0:
        d = nearest_image(d, bodies.cell, old.x)
    return d, plus(d, 1.0, plus(way_a, -1.0, way_b)), u, v


@kernel
def _of_spheres(candidates, bodies, flight, motion, c, h, p, cubics):
    """Put the polynomial of two spheres to `p` (7,), or return another outcome than SPHERES.

    `cubics` (3, 4) is workspace. The control points of a curve enclose it: spheres whose gap is wider than
    the way to the furthest of them stay APART.
    """
    first, last, before, after = _apart(candidates, bodies, flight, motion, c)
    total = _spheres(candidates, bodies, flight, c, first)
    if total == 0.0:
        return OTHERS
    gap = flight.gap[c]
    one = two = three = 0.0  # squares of the ways to the control points
    for i in range(3):
        cubic = cubics[i]
        hermite_cubic(first[i], last[i], h * before[i], h * after[i], cubic)
        one += (cubic[1] / 3.0) ** 2
        two += ((2.0 * cubic[1] + cubic[2]) / 3.0) ** 2
        three += (cubic[1] + cubic[2] + cubic[3]) ** 2
    if gap > 0.0 and gap * gap > max(one, two, three):
        return APART
    for i in range(7):
        p[i] = 0.0
    for i in range(3):
        add_square(cubics[i], p)
    p[0] = gap * (gap + 2.0 * total)  # |d|^2 - total^2 without its rounding
    return SPHERES


@kernel
def _ways(bodies, flight, motion, h):
    """Bounds of the ways of all points of the bodies in the step, to `flight.way`.

    They are those of the control points of the curves, and of rotations. Planes have points at any distance.
    Returns True if none exceeds FAR of the last step: contacts without a rate stay open.
    """
    old, way, known = flight.motion, flight.way, True
    for b in range(way.shape[0]):
        one = two = three = before = after = 0.0
        for i in range(3):
            last = motion.x[b, i] - old.x[b, i]
            one += (h * old.v[b, i] / 3.0) ** 2
            two += (last - h * motion.v[b, i] / 3.0) ** 2
            three += last * last
            before += old.w[b, i] ** 2
            after += motion.w[b, i] ** 2
        found = math.sqrt(max(one, two, three))
        if before > 0.0 or after > 0.0:
            turn = h * (math.sqrt(before) + math.sqrt(after))
            found += bodies.extent[b] * turn if bodies.extent[b] > 0.0 else math.inf
        known = known and found <= FAR * way[b]
        way[b] = found
    return known


@kernel
def is_far(candidates, flight, c, gap, ways):
    """True if the `gap` of candidate `c` exceeds so many `ways` of both sides."""
    plane, of_a, of_b = candidates.plane[c], flight.way[candidates.a[c]], flight.way[candidates.b[c]]
    if candidates.image.shape[0] > 0:
        for i in range(3):
            of_b += abs(candidates.image[c, i]) * flight.way[flight.way.shape[0] - 3 + i]
    return gap > ways * (of_a + of_b) and (plane == -1 or (plane >= 0 and of_b == 0.0))


@kernel
def _stays_open(candidates, flight, motion, c, h):
    """A quick True for most candidates that do not close: bounds of `first_fall`, without a polynomial."""
    gap, end = flight.gap[c], candidates.gap[c]
    if is_far(candidates, flight, c, gap, 1.0):
        return True
    if candidates.plane[c] == -1 or flight.rebounding[c] or not gap > 0.0 or not end > 0.0:
        return False
    one, two = gap + h * flight.rate[c] / 3.0, end - h * opening_rate(candidates, motion, c) / 3.0
    return one > 0.0 and two > 0.0


@kernel
def _arrives(candidates, flight, motion, c, h):
    """True if candidate `c` closes at the end of the step, and would rebound above LOWEST."""
    if not candidates.gap[c] <= TOUCH * candidates.length[c]:
        return False
    rate = opening_rate(candidates, motion, c)
    before = flight.rate[c] if is_known(candidates, flight, c) else 0.0
    return rate < 0.0 and not 0.5 * rate * rate * h <= LOWEST * abs(rate - before)


@kernel
def _fraction(candidates, bodies, flight, motion, c, h):
    """The part of the step of `h` to `motion` after which candidate `c` closes first, else inf."""
    skipped = 1 if flight.rebounding[c] else 0
    work, cubics, p = np.empty((2, WORK)), np.empty((3, 4)), np.empty(7)
    kind = _of_spheres(candidates, bodies, flight, motion, c, h, p, cubics)
    if kind == SPHERES:
        return first_fall(p[skipped:], work)
    if kind == APART:
        return math.inf
    if math.isnan(flight.rate[c]):
        return UNKNOWN
    gap, last = 0.0 if skipped == 1 else flight.gap[c], h * opening_rate(candidates, motion, c)
    hermite_cubic(gap, candidates.gap[c], h * flight.rate[c], last, cubics[0])
    return first_fall(cubics[0, skipped:], work)


@inlined
def is_known(candidates, flight, c):
    """True if slot `c` has the features that it had where the step began."""
    return candidates.feature[c] == flight.feature[c]


@kernel
def _since(candidates, motion, c, h):
    """The part of the step of `h` after which a new contact overlaps; else inf."""
    gap = candidates.gap[c]
    if not gap < -TOUCH * candidates.length[c]:
        return math.inf
    way = h * opening_rate(candidates, motion, c)
    return 1.0 - gap / way if way < gap else UNKNOWN


@kernel
def first_hits(candidates, bodies, flight, motion, h, fraction):
    """The flying contact that closes first in the step of `h` to `motion`, -1 if none does.

    `candidates` are measured at the pose of `motion`. `fraction` (C,) takes the part of the step after which
    each contact closes first, inf for those that do not.
    """
    first, least = -1, math.inf
    far = _ways(bodies, flight, motion, h)
    for c in range(fraction.shape[0]):
        fraction[c] = math.inf
        if far and math.isnan(flight.rate[c]) and is_known(candidates, flight, c):
            continue
        if not flight.flying[c] or candidates.plane[c] <= FRICTION or not candidates.gap[c] < math.inf:
            continue
        if not flight.gap[c] < math.inf or not is_known(candidates, flight, c):
            fraction[c] = _since(candidates, motion, c, h)
        elif not _stays_open(candidates, flight, motion, c, h):
            fraction[c] = _fraction(candidates, bodies, flight, motion, c, h)
        if fraction[c] == math.inf and _arrives(candidates, flight, motion, c, h):
            fraction[c] = 1.0
        if fraction[c] < least:
            first, least = c, fraction[c]
    return first


@kernel
def first_dip(candidates, flight, motion, h):
    """The part of the step of `h` at which a held contact that opens overlaps most.

    `motion` is that at its end. It is inf if none overlaps on the way. Such a contact has no force at the end
    of the step, and its halves need not see the overlap.
    """
    first, cubic = math.inf, np.empty(4)
    for c in range(candidates.gap.shape[0]):
        touching = TOUCH * candidates.length[c]
        held = not flight.flying[c] and candidates.plane[c] > FRICTION and flight.gap[c] < math.inf
        held = held and is_known(candidates, flight, c)
        if not held or not touching < candidates.gap[c] < math.inf:
            continue
        last = h * opening_rate(candidates, motion, c)
        hermite_cubic(flight.gap[c], candidates.gap[c], h * flight.rate[c], last, cubic)
        # the lowest point: 3 c_3 s^2 + 2 c_2 s + c_1 = 0 with a rising slope
        root = cubic[2] ** 2 - 3.0 * cubic[3] * cubic[1]
        if root > 0.0:
            slope = cubic[2] + math.sqrt(root)
            s = -cubic[1] / slope if slope != 0.0 else math.inf
            if 0.0 < s < 1.0 and cubic[0] + s * (cubic[1] + s * (cubic[2] + s * cubic[3])) < -touching:
                first = min(first, s)
    return first
