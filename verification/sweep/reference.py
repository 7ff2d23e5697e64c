"""The break without the solver: a sliding cue ball, then impacts by hand.

The geometry is exact, so this is the limit h -> 0 of the velocities after the break, for each offset of the
cue ball.
"""

import math

import numpy as np

from verification.balls import E_BALLS, GRAVITY, MU_BALLS, MU_CLOTH, RADIUS, UP
from verification.billiard_break.model import INERTIA, MASS, ROLLING_RADIUS
from verification.rigid_impact import Touch, impact_sequence
from verification.sweep.model import APEX, SPEED, path_to_impact, rack, time_of_impact


def velocities(distance: float, offset: float) -> np.ndarray:
    """Velocities (4, 2) [m/s] after the impacts of the rack, the cue ball's first."""
    path = path_to_impact(offset, distance)
    t = time_of_impact(path)
    v, w = np.zeros((4, 3)), np.zeros((4, 3))
    v[0, 0] = SPEED - MU_CLOTH * GRAVITY * t
    w[0, 1] = (MU_CLOTH * RADIUS - ROLLING_RADIUS) * MASS * GRAVITY * t / INERTIA
    centres = np.array([(APEX - distance + path, offset), *rack()])
    v, _ = impact_sequence(_touches(centres), v, w, (RADIUS, MASS, INERTIA))
    return v[:, :2]


def _touches(centres: np.ndarray) -> list[Touch]:
    """Contacts of all balls that touch, and of each with the cloth."""
    found = [Touch(i, None, tuple(UP), MU_CLOTH, 0.0, ROLLING_RADIUS) for i in range(len(centres))]
    for a in range(len(centres)):
        for b in range(a + 1, len(centres)):
            x, y = centres[a] - centres[b]
            length = math.hypot(x, y)
            if length < 2.0 * RADIUS * (1.0 + 1e-9):
                found.append(Touch(a, b, (x / length, y / length, 0.0), MU_BALLS, E_BALLS))
    return found
