"""Energy restitution and viscous rate of a linear dashpot.

    alpha = -ln e / sqrt(ln^2 e + pi^2),    e^2 = en2 = exp(-2 pi alpha / sqrt(1 - alpha^2))

The document's formula for `en2ContactFromViscRate` has no 2: it gives e, not e^2. Both are of a dashpot that
may pull. A force clamped to f_n >= 0 ends the contact earlier and restores more (Schwager and Poeschel,
Granular Matter 9 (2007) 465):

    e = exp(-alpha/sqrt(1 - alpha^2) (pi - arctan2(2 alpha sqrt(1 - alpha^2), 1 - 2 alpha^2)))
"""

import math

from nsgalpha.checks import number_in


def viscous_rate(en2: float) -> float:
    """Damping ratio for the energy restitution `en2` in [0, 1] of a dashpot that may pull.

        alpha = -ln e / sqrt(ln^2 e + pi^2),    e^2 = en2;    1 for en2 = 0

    Raises ValueError if it is out of range.
    """
    if number_in("en2", en2, 0.0, 1.0, remedy="it is the square of the restitution") == 0.0:
        return 1.0
    logarithm = 0.5 * math.log(en2)
    return -logarithm / math.hypot(logarithm, math.pi)


def energy_restitution(rate: float) -> float:
    """`en2 = exp(-2 pi alpha / sqrt(1 - alpha^2))` of the viscous rate alpha in [0, 1]; the inverse.

    Raises ValueError if it is out of range.
    """
    alpha = number_in("rate", rate, 0.0, 1.0, remedy="1 is critical damping")
    return math.exp(-2.0 * math.pi * alpha / math.sqrt(1.0 - alpha * alpha)) if alpha < 1.0 else 0.0


def rate_of(en2: float | None, rate: float | None) -> float:
    """The viscous rate from one of two parameters; none is elastic, both a ValueError."""
    if en2 is not None and rate is not None:
        raise ValueError("en2 and viscous_rate: give one of them")
    if en2 is not None:
        return viscous_rate(en2)
    return 0.0 if rate is None else number_in("viscous_rate", rate, 0.0, 1.0, remedy="1 is critical")


def clamped_restitution(rate: float) -> float:
    """Restitution e under a linear spring and a dashpot of the viscous rate in [0, 1], f_n >= 0.

    Raises ValueError if it is out of range.
    """
    alpha = number_in("rate", rate, 0.0, 1.0, remedy="1 is critical damping")
    if alpha == 1.0:
        return math.exp(-2.0)
    root = math.sqrt(1.0 - alpha * alpha)
    return math.exp(-alpha / root * (math.pi - math.atan2(2.0 * alpha * root, 1.0 - 2.0 * alpha**2)))
