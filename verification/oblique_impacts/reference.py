"""Closed form and published numbers of the oblique impact of a sphere on a plate.

With v_n = v cos(angle), v_t = v sin(angle) and no spin before, the friction impulse is mu m (1+e) v_n
while the contact slides, and 2/7 m v_t if it comes to stick. With I = 2/5 m R^2:

    slide   R w = 5/2 mu (1 + e) v_n            stick   R w = 5/7 v_t

The smaller one holds; they meet at tan(angle) = 7/2 mu (1 + e). The sphere moves towards +x above the
plate y = 0 and so turns about -z.
"""

import math

RADIUS = 2.5e-3  # [m]
SPEED = 3.9  # [m/s]
E_N = 0.98
MU = 0.092

#: angle [deg] -> spin after the impact [rad/s]
PUBLISHED = {
    35.0: -581.95,
    40.0: -544.22,
    50.0: -456.65,
    60.0: -355.21,
    70.0: -242.98,
    80.0: -123.36,
    85.0: -61.92,
}

#: angle [deg] -> measured spin [rad/s]
MEASURED = {
    6.0025: -135.5703,
    10.9840: -264.5493,
    21.1931: -577.0096,
    31.0947: -612.6481,
    39.0283: -595.4843,
    50.2214: -452.9444,
    60.2460: -381.3185,
}

SLIDING_FROM = math.degrees(math.atan(3.5 * MU * (1.0 + E_N)))  # [deg]


def spin(angle: float) -> float:
    """Spin [rad/s] about z after the impact at `angle` [deg]."""
    slope = math.radians(angle)
    slide = 2.5 * MU * (1.0 + E_N) * SPEED * math.cos(slope)
    stick = 5.0 / 7.0 * SPEED * math.sin(slope)
    return -min(slide, stick) / RADIUS
