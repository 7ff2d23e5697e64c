"""The motion after the first contact of the break, without the solver.

The cue ball slides on the cloth for the length `path` and takes up spin; both are closed forms:
v^2 = v0^2 - 2 mu g path, I w = mu m g R t. Then `rigid_impact` follows the impacts at the geometry of
the rack: cue on apex, apex on the two behind it, apex and cue once more. It is an independent
calculation of the limit h -> 0, not a measurement.
"""

import math

import numpy as np

from verification.balls import E_BALLS, GRAVITY, MU_BALLS, MU_CLOTH, RADIUS, UP
from verification.billiard_break.model import APEX, BEHIND, INERTIA, MASS, SPEED, START
from verification.rigid_impact import Touch, impact_sequence


def at_impact(rolling_radius: float) -> tuple[float, float, float]:
    """Time [s], speed [m/s] and spin [rad/s] of the cue ball when it meets the rack, still sliding."""
    path = APEX[0] - START[0] - 2.0 * RADIUS
    deceleration = MU_CLOTH * GRAVITY
    speed = math.sqrt(SPEED**2 - 2.0 * deceleration * path)
    t = (SPEED - speed) / deceleration
    spin = (MU_CLOTH * RADIUS - rolling_radius) * MASS * GRAVITY * t / INERTIA
    return t, speed, max(spin, 0.0)


def touches(rolling_radius: float) -> list[Touch]:
    """All contacts of the rack and the cloth, whose rolling friction acts on impulses too."""
    c, s = BEHIND / (2.0 * RADIUS), 0.5
    pairs = (
        (0, 1, (-1.0, 0.0, 0.0)),
        (1, 2, (-c, -s, 0.0)),
        (1, 3, (-c, s, 0.0)),
        (2, 3, (0.0, 1.0, 0.0)),
    )
    between = [Touch(a, b, normal, MU_BALLS, E_BALLS) for a, b, normal in pairs]
    cloth = [Touch(i, None, tuple(UP), MU_CLOTH, 0.0, rolling_radius) for i in range(4)]
    return between + cloth


def after_break(rolling_radius: float) -> np.ndarray:
    """Velocities (4, 3) [m/s] of cue, apex, left, right ball after the impacts of the rack."""
    _, speed, spin = at_impact(rolling_radius)
    v = np.zeros((4, 3))
    w = np.zeros((4, 3))
    v[0, 0], w[0, 1] = speed, spin
    v, _ = impact_sequence(touches(rolling_radius), v, w, (RADIUS, MASS, INERTIA))
    return v
