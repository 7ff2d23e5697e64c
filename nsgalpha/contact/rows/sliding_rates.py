"""Velocities of sliding, rolling and drilling at contacts, which friction brings to zero."""

import math

from nsgalpha.arrays import FRICTION, TURNING_FRICTION
from nsgalpha.contact.rows.marker_rows import wanted_rate
from nsgalpha.contact.rows.running_surfaces import surface_velocity
from nsgalpha.geometry.nearest_images import image_way
from nsgalpha.geometry.vector_triples import cross, dot, leg, plus, row
from nsgalpha.jit.decorators import inlined, kernel

ZERO = (0.0, 0.0, 0.0)


@kernel
def sliding_velocities(candidates, laws, joints, t, motion, lever, c):
    """Sliding, rolling and drilling of candidate `c` [m/s], angular ones times `lever`; 0 without friction.

    Sliding and rolling are vectors. Drilling and rates of joints are the first of three numbers. Rates of
    motors are differences from the wanted rate at `t` [s], the time of `motion`.
    """
    kind, law = candidates.plane[c], candidates.law[c]
    a, b, n = candidates.a[c], candidates.b[c], row(candidates.normal, c)
    spin_a, spin_b = row(motion.w, a), row(motion.w, b)
    spin, wanted = plus(spin_a, -1.0, spin_b), 0.0
    if joints is not None:  # noqa: SIM102, numba drops branches of None as they stand here
        if kind <= FRICTION:
            wanted = wanted_rate(joints, law, t, motion)
    turning = dot(n, spin)
    if kind == TURNING_FRICTION:
        return (lever * (turning - wanted), 0.0, 0.0), ZERO, ZERO
    at_a = plus(row(motion.v, a), 1.0, cross(spin_a, leg(candidates.lever, c, 0)))
    at_b = plus(row(motion.v, b), 1.0, cross(spin_b, leg(candidates.lever, c, 1)))
    slip = plus(plus(at_a, -1.0, at_b), -1.0, image_way(candidates.image, c, motion.v))
    opening = dot(n, slip)
    if kind <= FRICTION:
        return (opening - wanted, 0.0, 0.0), ZERO, ZERO
    slip = plus(slip, -1.0, surface_velocity(laws.owner, laws.surface, law, motion.q, a, b))
    sliding = plus(slip, -dot(n, slip), n) if laws.mu[law] > 0.0 else ZERO
    rolling = plus(ZERO, lever, plus(spin, -turning, n)) if laws.rolling_radius[law] > 0.0 else ZERO
    drilling = (lever * turning, 0.0, 0.0) if laws.drilling_radius[law] > 0.0 else ZERO
    return sliding, rolling, drilling


@kernel
def may_slide(candidates, flight, c):
    """True if candidate `c` is joint friction or held, and not in a crowd."""
    if candidates.plane[c] <= FRICTION:
        return not flight.crowded[c]
    held = not flight.flying[c] and not flight.crowded[c] and candidates.gap[c] < math.inf
    return held and candidates.feature[c] == flight.feature[c]


@kernel
def all_sliding_velocities(candidates, laws, joints, instant, flight, lever, least, velocities):
    """`sliding_velocities` of contacts that `may_slide` to `velocities` (C, 3, 3); 0 up to `least` [m/s].

    instant: the time [s] and the motion.
    """
    velocities[:] = 0.0
    t, motion = instant
    for c in range(velocities.shape[0]):
        if may_slide(candidates, flight, c):
            found = sliding_velocities(candidates, laws, joints, t, motion, lever, c)
            for j in range(3):
                if _slides(found[j], least):
                    for i in range(3):
                        velocities[c, j, i] = found[j][i]


@kernel
def stops_sliding(candidates, laws, joints, flight, lever, least, begin, end):
    """True if a contact that slides sticks or turns back in a step.

    `begin`, `end`: the times [s] and motions. It slides if it does so faster than `least` [m/s].
    """
    for c in range(flight.flying.shape[0]):
        if not may_slide(candidates, flight, c):
            continue
        before = sliding_velocities(candidates, laws, joints, begin[0], begin[1], lever, c)
        if not (_slides(before[0], least) or _slides(before[1], least) or _slides(before[2], least)):
            continue
        after = sliding_velocities(candidates, laws, joints, end[0], end[1], lever, c)
        if (
            _stops(before[0], after[0], least)
            or _stops(before[1], after[1], least)
            or _stops(before[2], after[2], least)
        ):
            return True
    return False


@inlined
def _slides(velocity, least):
    return dot(velocity, velocity) > least * least


@inlined
def _stops(before, after, least):
    """True if a velocity above `least` falls to it, or turns back."""
    return _slides(before, least) and not (_slides(after, least) and dot(before, after) > 0.0)
