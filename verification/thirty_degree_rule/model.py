"""A rolling cue ball meets a resting ball; its path bends until it rolls."""

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import MU_CLOTH, RADIUS, add_ball, add_cloth, billiard_model

SPEED = 2.0  # [m/s] of the cue ball at the start, without spin
PATH = 0.55  # [m] to the impact; it rolls after 0.49979 m


def build(fraction: float, mu: float, e_n: float) -> tuple[ns.Model, ns.Body]:
    """The model and its cue ball; fraction f = 1 is a full hit, f = 0 a graze; sin(cut) = 1 - f."""
    model = billiard_model()
    cue = add_ball(model, (0.0, 0.0), velocity=(SPEED, 0.0, 0.0), name="cue")
    offset = 2.0 * RADIUS * (1.0 - fraction)
    along = 2.0 * RADIUS * np.sqrt(1.0 - (1.0 - fraction) ** 2)
    target = add_ball(model, (PATH + along, -offset), name="object")
    model.add(SphereSphere(pairs=[(cue, target)], mu=mu, e_n=e_n))
    model.add(SpherePlane(model.spheres, add_cloth(model), mu=MU_CLOTH, e_n=1.0))
    return model, cue
