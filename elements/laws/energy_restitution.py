"""Restitution and damping ratio of a linear spring and dashpot.

    alpha = -ln e / sqrt(ln^2 e + pi^2),    e^2 = en2 = exp(-2 pi alpha / sqrt(1 - alpha^2))

The document's formula for `en2ContactFromViscRate` has no 2: it gives e, not e^2. Both are of a dashpot that
may pull. A force clamped to f_n >= 0 ends the contact earlier and restores more (Schwager and Poeschel,
Granular Matter 9 (2007) 465):

    e = exp(-2 alpha acos(alpha)/sqrt(1 - alpha^2)),         alpha < 1
        exp(-2 alpha acosh(alpha)/sqrt(alpha^2 - 1)),        alpha > 1

With the dashpot c d^(1/4) d' the same holds for Hertz's force k d^(3/2), where alpha = c/sqrt(5 k m). With
y = d^(5/4) and the time s, ds = d^(1/4) dt, the motion is that of a linear spring:

    (4/5) m y_ss + (4/5) c y_s + k y = 0,    d' = (4/5) y_s

so that e is the same at all speeds (F. Antypov, J. A. Elliott, EPL 94 (2011) 50004).
"""

import math

from scipy.optimize import brentq

from nsgalpha.checks import number_in, truth


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
    """Restitution e under a spring and a dashpot of the damping ratio `rate` >= 0, f_n >= 0.

    Raises ValueError if it is out of range.
    """
    alpha = number_in("rate", rate, 0.0, math.inf, remedy="0 is elastic, 1 is critical damping")
    if alpha == 1.0:
        return math.exp(-2.0)
    angle = math.acos(alpha) if alpha < 1.0 else math.acosh(alpha)
    return math.exp(-2.0 * alpha * angle / math.sqrt(abs(1.0 - alpha * alpha)))


def damping_ratio_of(restitution: float, tension: bool = False) -> float:
    """Damping ratio for the `restitution` in (0, 1] of a force that does not pull, or does with `tension`.

    The inverse of `clamped_restitution`. Raises ValueError if it is out of range.
    """
    e = number_in("restitution", restitution, 0.0, 1.0, open_low=True, remedy="1 is elastic")
    if truth("tension", tension):
        return viscous_rate(e * e)
    high = 1.0
    while clamped_restitution(high) > e:
        high *= 2.0
    found = brentq(lambda alpha: clamped_restitution(alpha) - e, 0.0, high, xtol=1e-16, rtol=1e-15)
    return float(found)
