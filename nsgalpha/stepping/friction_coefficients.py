"""Coefficients of sliding friction that depend on the speed, and axes of anisotropic friction.

    mu(v) = mu + (mu_s - mu) exp(-(v/v_s)^2)                                                        (1)

v is the relative speed of the points of contact, across the normal, where a step begins. A contact that
sticks has mu_s, and one that is about to touch has the coefficient of the speed at which it arrives. In a
step the coefficient is constant: the problem of a step is that of Coulomb friction, and (1) is of first order
in h. A state determines it, so that a continued run has the same.

The axis of anisotropic friction is fixed in the body or frame of its owner, side B unless the law says A. In
a step it is where that begins.
"""

import math

from nsgalpha.arrays import MARKERS
from nsgalpha.contact.rows.running_surfaces import surface_velocity
from nsgalpha.geometry.narrow_phase import measure
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import cross, dot, leg, plus, row
from nsgalpha.jit.decorators import inlined, kernel


@inlined
def _sliding_speed(candidates, laws, motion, c):
    """Relative speed [m/s] of candidate `c` across the normal, against surfaces that run.

    A slot without a contact has that of the centres.
    """
    a, b = candidates.a[c], candidates.b[c]
    v = plus(row(motion.v, a), -1.0, row(motion.v, b))
    v = plus(v, -1.0, surface_velocity(laws.owner, laws.surface, candidates.law[c], motion.q, a, b))
    if candidates.gap[c] < math.inf:
        at_a = cross(row(motion.w, a), leg(candidates.lever, c, 0))
        at_b = cross(row(motion.w, b), leg(candidates.lever, c, 1))
        v, n = plus(plus(v, 1.0, at_a), -1.0, at_b), row(candidates.normal, c)
        v = plus(v, -dot(v, n), n)
    return math.sqrt(dot(v, v))


@kernel
def set_friction(elements, laws, motion, candidates):
    """Set `mu` and `axis` of the candidates of laws that vary, in a step that begins at `motion`.

    The candidates are measured there if there are any.
    """
    found = False
    for law in range(laws.varies.shape[0]):
        found = found or laws.varies[law]
    if not found:
        return
    measure(elements, motion, candidates)
    for c in range(candidates.a.shape[0]):
        law = candidates.law[c]
        if not laws.varies[law] or candidates.plane[c] <= MARKERS:
            continue
        mu, static = laws.mu[law], laws.mu_static[law]
        if static > mu:
            ratio = _sliding_speed(candidates, laws, motion, c) / laws.stribeck_velocity[law]
            if ratio < math.inf:  # bodies with one centre have no normal
                mu += (static - mu) * math.exp(-ratio * ratio)
        candidates.mu[c] = mu
        owner = candidates.b[c] if laws.owner[law] == 1 else candidates.a[c]
        axis = turned(motion.q[owner], row(laws.axis, law))
        for i in range(3):
            candidates.axis[c, i] = axis[i]
