"""The step of an impact, in closed form.

Two equal balls without friction meet; the time s of the step is left when they touch. The smooth motion takes
them on by v s along the path, and the line of centres there is the normal of the impact. With

    tau = v s / 2R,    phi the angle between path and line of centres at the instant of the impact,

the centres are 2R (cos(phi) - tau, sin(phi)) apart, and the position correction, along the same line, does
not turn it again. Exact results are those for tau = 0. Where cos(phi) <= tau the balls are past each other's
middle and separate: the impact is missed.
"""

import numpy as np

Floats = np.ndarray


def turned(phi: Floats, tau: Floats) -> Floats:
    """Angle [rad] by which the line of centres turns; about tau sin(phi)."""
    return np.arctan2(np.sin(phi), np.cos(phi) - tau) - phi


def missed(phi: Floats, tau: Floats) -> Floats:
    """True where the balls separate at the end of the step."""
    return np.cos(phi) <= tau


def transfer(phi: Floats, tau: Floats) -> Floats:
    """Transferred part of the momentum in an elastic impact: cos(phi)^2 of the line."""
    return np.where(missed(phi, tau), 0.0, np.cos(phi + turned(phi, tau)) ** 2)


def spin_up(phi: Floats, tau: Floats) -> Floats:
    """Change of the angular momentum about the common centre of mass, relative."""
    return np.where(missed(phi, tau), 0.0, np.sin(phi + turned(phi, tau)) / np.sin(phi) - 1.0)


def lost_on_floor(speed: float, left: Floats, h: float, gravity: float) -> Floats:
    """Energy over the mass [J/kg] that a ball loses at an elastic floor.

    It is put on the floor with the velocity of the start of the step reversed, and loses g times its height
    at that time. speed: at the instant of the impact. left: of the step `h` [s], after the impact [s].
    """
    before = h - left
    return gravity * before * (speed - 0.5 * gravity * before)


def gained_at_ceiling(speed: float, left: Floats, h: float, gravity: float) -> Floats:
    """Energy over the mass [J/kg] that a ball gains at an elastic ceiling, see `lost_on_floor`.

    It is put at the ceiling with the velocity of the start reversed, and falls for the whole step.
    """
    before = h - left
    start = speed + gravity * before
    return 0.5 * (start + gravity * h) ** 2 - 0.5 * speed**2
