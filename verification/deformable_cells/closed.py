"""Closed forms of drops: lengths over R_0, forces over gamma R_0.

c is the cosine of the half angle between two cells, or minus that of the angle of contact on a plane.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar


class Cap(NamedTuple):
    """A ball cut by a plane: radii of ball and cut, height over it."""

    radius: float
    cut: float
    height: float


def cap(c: float) -> Cap:
    """A cap of unit ball volume, cut at c radii from the centre."""
    radius = (4.0 / (2.0 + 3.0 * c - c**3)) ** (1.0 / 3.0)
    return Cap(radius, radius * np.sqrt(1.0 - c * c), radius * (1.0 + c))


class Pressed(NamedTuple):
    """A drop between plates: its height over that of the ball, and the force."""

    height: float
    force: float


def pressed(ratio: float) -> Pressed:
    """A drop between plates without friction whose contact has the radius `ratio` times its equator.

    Pressure times area is tension times circumference at the equator, r sin psi = (p/2 gamma)(r^2 - a^2).
    """
    a = ratio
    p = 2.0 / (1.0 - a * a)

    def slope(u: float) -> tuple[float, float]:  # r = 1 - (1 - a) u^2, which has no pole at the equator
        r = 1.0 - (1.0 - a) * u * u
        y = 0.5 * p * (r * r - a * a) / r
        return r, 2.0 * (1.0 - a) * u * y / np.sqrt((1.0 - y) * (1.0 + y)) if u > 0.0 else 0.0

    height = 2.0 * quad(lambda u: slope(u)[1], 1e-9, 1.0, epsabs=1e-12)[0]
    volume = 2.0 * np.pi * quad(lambda u: slope(u)[0] ** 2 * slope(u)[1], 1e-9, 1.0, epsabs=1e-12)[0]
    ball = (3.0 * volume / (4.0 * np.pi)) ** (1.0 / 3.0)
    return Pressed(0.5 * height / ball, p * np.pi * a * a / ball)


def force_at(height: float) -> float:
    """The force on a drop pressed to `height` times its diameter."""
    ratio = brentq(lambda a: pressed(a).height - height, 1e-3, 0.95)
    return pressed(ratio).force


def suction(length: float, radius: float, lip: float, outer: float) -> float:
    """Pressure over gamma for a tongue of `length` in a pipette with rounded lip.

    The tongue is a ball that touches the lip, from the pipette's own `radius` on one with a shank; `outer` is
    the radius of the outer part.
    """
    tongue = ((radius + lip) ** 2 + length**2) / (2.0 * length) - lip if length < radius + lip else radius
    return 2.0 / tongue - 2.0 / outer


def outer_radius(length: float, radius: float) -> float:
    """Radius outside of a sharp-edged pipette with a tongue of `length` inside."""
    cap_height = min(length, radius)
    tongue = np.pi * cap_height * (3.0 * radius**2 + cap_height**2) / 6.0
    tongue += np.pi * radius**2 * (length - cap_height)

    def missing(R: float) -> float:
        h = R - np.sqrt(R * R - radius * radius)
        return float(4.0 / 3.0 * np.pi * (R**3 - 1.0) - np.pi * h * h * (3.0 * R - h) / 3.0 + tongue)

    return float(brentq(missing, radius, 1.1))


class Ring(NamedTuple):
    """Two balls that a ring holds together: its tension and its radius."""

    tension: float
    radius: float


def ring(s: float) -> Ring:
    """A drop whose caps have centres s radii from the ring: Gamma = 2 gamma s r."""
    radius = cap(s).cut / 2.0 ** (1.0 / 3.0)
    return Ring(2.0 * s * radius, radius)


def largest_ring() -> Ring:
    """The largest tension of a ring that does not cleave the drop."""
    return ring(minimize_scalar(lambda s: -ring(s).tension, bounds=(0.0, 1.0), options={"xatol": 1e-9}).x)


def held(tension: float) -> Ring:
    """The wider of the two rings with the `tension`."""
    return ring(brentq(lambda s: ring(s).tension - tension, 0.0, 0.6888))
