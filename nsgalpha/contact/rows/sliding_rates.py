"""Rates of sliding, rolling and drilling at contacts, which friction brings to zero."""

import math

from nsgalpha.arrays import FRICTION, TURNING_FRICTION
from nsgalpha.contact.rows.marker_rows import wanted_rate
from nsgalpha.geometry.vector_triples import cross, dot, leg, plus, row
from nsgalpha.jit.decorators import kernel


@kernel
def sliding_rates(candidates, laws, joints, t, motion, held, lever, rates):
    """Sliding, rolling and drilling of all candidates to `rates` (C, 3) [m/s], angular ones times `lever`.

    Rates of motors are differences from the wanted rate at `t` [s], the time of `motion`. Zero without that
    friction, and where a contact is not `held` (C,).
    """
    for c in range(rates.shape[0]):
        rates[c] = 0.0
        kind, law = candidates.plane[c], candidates.law[c]
        if kind > FRICTION and not (held[c] and candidates.gap[c] < math.inf):
            continue
        a, b, n = candidates.a[c], candidates.b[c], row(candidates.normal, c)
        spin_a, spin_b = row(motion.w, a), row(motion.w, b)
        spin, wanted = plus(spin_a, -1.0, spin_b), 0.0
        if joints is not None:  # noqa: SIM102, numba drops branches of None as they stand here
            if kind <= FRICTION:
                wanted = wanted_rate(joints, law, t, motion)
        turning = dot(n, spin)
        if kind == TURNING_FRICTION:
            rates[c, 0] = lever * abs(turning - wanted)
            continue
        at_a = plus(row(motion.v, a), 1.0, cross(spin_a, leg(candidates.lever, c, 0)))
        at_b = plus(row(motion.v, b), 1.0, cross(spin_b, leg(candidates.lever, c, 1)))
        slip = plus(at_a, -1.0, at_b)
        opening = dot(n, slip)
        if kind <= FRICTION:
            rates[c, 0] = abs(opening - wanted)
            continue
        if laws.mu[law] > 0.0:
            rates[c, 0] = math.sqrt(max(dot(slip, slip) - opening * opening, 0.0))
        if laws.rolling_radius[law] > 0.0:
            rates[c, 1] = lever * math.sqrt(max(dot(spin, spin) - turning * turning, 0.0))
        if laws.drilling_radius[law] > 0.0:
            rates[c, 2] = lever * abs(turning)
