"""The rigid results, and by how much compliant contact is off them in first order.

**Throw angle.** The closed form of `throw_angle`, with the restitution of a linear spring and a dashpot that
does not pull. While the balls are in contact, for pi/w with w^2 = 2 k/m, they slide past each other and turn
the line of centres. With e = 1 and sliding throughout, the normal force is F = (m v w/2) sin(wt). The
friction mu F gives the centres the relative speed mu v (1 - cos wt), and the line of centres rotates by

    theta = (mu v/(2 R)) (t - sin(wt)/w)

The impulse, and with it the velocity of the object ball, is turned by the mean of theta over F,

    integral F theta dt / (m v) = (pi/8) mu d/R,    d = v/w the largest overlap

which is of the order k^(-1/2).

**Stack.** The rigid one rests from the start. The other sinks by the weights over the stiffness, the upper
ball by 3 m g/k. This holds on a soft floor under three balls, between soft balls under one and two. It gets
there in modes of the frequencies w_j, damped critically in the slowest (c w_1 = 2 k, D_j = w_j/w_1), with the
speeds

    g sum_j G_j phi_j f_j(t),    f_1 = t exp(-w_1 t),    f_j = exp(-D_j w_j t) sinh(s_j t)/s_j,
    s_j = w_j sqrt(D_j^2 - 1)

phi_j being the shapes and G_j their participation. The largest speed is of the order k^(-1/2).
"""

import math

import numpy as np

from verification.balls import GRAVITY, MASS, RADIUS
from verification.stiffness_limit.model import COUNT, SOFTEST, frequency
from verification.throw_angle.model import SPEED


def overlap(stiffness: float) -> float:
    """Largest overlap [m] of an undamped impact of two balls."""
    return SPEED * math.sqrt(0.5 * MASS / stiffness)


def turned(mu: float, stiffness: float) -> float:
    """First-order error [deg] of the throw angle with e = 1 and sliding throughout."""
    return math.degrees(math.pi / 8.0 * mu * overlap(stiffness) / RADIUS)


def largest_turn(mu: float, stiffness: float) -> float:
    """Rotation [deg] of the line of centres during a sliding impact with e = 1."""
    return 4.0 * turned(mu, stiffness)


def compression(stiffness: float) -> float:
    """How far the upper ball of a stack sinks [m]."""
    return COUNT * MASS * GRAVITY / stiffness


def largest_speed(soft: str, stiffness: float) -> float:
    """Largest speed [m/s] in a settling."""
    w = frequency(soft, stiffness)
    if soft == "floor":
        return GRAVITY / (math.e * w)
    ratio = (1.0 / SOFTEST) ** 2  # w_2/w_1: the eigenvalues of [[2, -1], [-1, 1]] are SOFTEST^2, SOFTEST^-2
    t = np.linspace(0.0, 10.0 / w, 20001)
    root = ratio * w * math.sqrt(ratio**2 - 1.0)
    speed = np.zeros((2, len(t)))
    decays = t * np.exp(-w * t), np.exp(-(ratio**2) * w * t) * np.sinh(root * t) / root
    for value, decay in zip((SOFTEST**2, SOFTEST**-2), decays, strict=True):
        shape = np.array([1.0, 2.0 - value])
        shape /= np.linalg.norm(shape)
        speed += np.outer(shape * shape.sum(), decay)
    return float(GRAVITY * speed.max())
