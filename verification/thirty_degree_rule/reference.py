"""Deflection of a rolling cue ball, three ways.

The cue ball rolls with v along x; n = (c, -s), c = cos(cut), s = sin(cut), points from it to the object ball.
Without friction between the balls the impact takes (1 + e)/2 of the normal velocity and leaves the spin:

    v' = v [ 1 - (1+e)/2 c^2,  (1+e)/2 s c ].

It then rolls with 5/7 v' + 2/7 v (see `balls.rolling_velocity`), which gives

    tan = ((1+e)/2 s c) / (s^2 + (1-e)/2 c^2 + 2/5).

e = 1 is the paper's eq. (17). With friction between the balls the impact has no such short form;
`with_friction` computes it by `rigid_impact`, which shares no code with the solver.
"""

import math

import numpy as np

from verification.balls import (
    E_BALLS,
    GRAVITY,
    INERTIA,
    MASS,
    MU_BALLS,
    MU_CLOTH,
    RADIUS,
    UP,
    rolling_velocity,
)
from verification.rigid_impact import Touch, impact_sequence

#: Hit fractions of the paper, section 5.1.
FRACTIONS = tuple(k / 8.0 for k in range(9))


def frictionless(fraction: float, e_n: float) -> float:
    """Deflection [deg] with frictionless balls."""
    s = 1.0 - fraction
    c = math.sqrt(1.0 - s * s)
    return math.degrees(math.atan((1.0 + e_n) / 2.0 * s * c / (s * s + (1.0 - e_n) / 2.0 * c * c + 0.4)))


def with_friction(fraction: float, mu: float = MU_BALLS, e_n: float = E_BALLS) -> float:
    """Deflection [deg] with friction, which lifts the cue ball and presses the other one down."""
    s = 1.0 - fraction
    if s == 1.0:
        return 0.0  # a graze transfers nothing
    c = math.sqrt(1.0 - s * s)
    v = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # the deflection does not depend on the speed
    w = np.cross(UP, v) / RADIUS
    touches = (
        Touch(0, 1, (-c, s, 0.0), mu, e_n),
        Touch(0, None, tuple(UP), MU_CLOTH, 1.0),
        Touch(1, None, tuple(UP), MU_CLOTH, 1.0),
    )
    v, w = impact_sequence(touches, v, w, (RADIUS, MASS, INERTIA))
    end = rolling_velocity(v[0], w[0])
    return math.degrees(math.atan2(end[1], end[0]))


def first_order_bound(fraction: float, e_n: float, speed: float, h: float) -> float:
    """Bound [deg] of the error of a step `h` [s], `speed` [m/s] at the impact.

    Within the step of the impact the balls overlap by up to h v, and the line of centres turns by up to
    h v s / (2 R). The friction of the cloth acts for the whole of that step after the impact, instead of for
    a part of it: mu_cloth g h, relative to v c. Both are carried on to the deflection by its derivatives.
    """
    s = 1.0 - fraction
    c = math.sqrt(1.0 - s * s)
    if s * c == 0.0:
        return 1e-9  # by symmetry nothing bends the path
    d = 1e-6
    by_cut = (frictionless(fraction - d * c, e_n) - frictionless(fraction + d * c, e_n)) / (2.0 * d)
    by_impulse = (1.0 + e_n) * (frictionless(fraction, e_n) - frictionless(fraction, e_n - d)) / d
    turn = h * speed * s / (2.0 * RADIUS)
    return abs(by_cut) * turn + abs(by_impulse) * MU_CLOTH * GRAVITY * h / (speed * c)
