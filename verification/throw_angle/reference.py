"""Throw angle of a full hit with side spin, from the impulses.

Normal impulse: P = m (1 + e) v_n / 2. The contact points slide on each other with v_t = R w at the speed
v_rel. As long as they slide, the friction impulse is mu P along the sliding, and the object ball leaves with

    tan = mu |v_t| / v_rel.

If friction stops the sliding it has to change the relative velocity by v_t. The effective mass of two equal
homogeneous balls in the tangential direction is m/7 (1/m + 5/(2 m) = 7/(2 m) each), so the impulse is m v_t /
7 and

    tan = 2 v_t / (7 (1 + e) v_n).

The smaller of the two holds. The paper's eq. (18) has 1/7 for the second, which is e = 1.
"""

import math

from verification.balls import RADIUS
from verification.throw_angle.model import SPEED

#: (spin [rad/s], mu) of the five shots of the paper, section 5.2.
SHOTS = ((-58.59, 0.039), (-46.89, 0.048), (-35.17, 0.059), (-23.44, 0.074), (-11.72, 0.093))


def throw_angle(spin: float, mu: float, e_n: float) -> float:
    """Throw angle [deg] of a full hit; v_rel = |v_t| since the cue ball has side spin only."""
    stick = 2.0 * RADIUS * abs(spin) / (7.0 * (1.0 + e_n) * SPEED)
    return math.degrees(math.atan(min(mu, stick)))
