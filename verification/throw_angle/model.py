"""Cue ball with side spin hits an object ball full on; the cloth is frictionless."""

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import RADIUS, add_ball, add_cloth, billiard_model

SPEED = 1.341  # [m/s]
GAP = 0.01  # [m] before the impact


def build(spin: float, mu: float, e_n: float) -> tuple[ns.Model, ns.Body]:
    """The model and its object ball; spin [rad/s] about the vertical."""
    model = billiard_model()
    cue = add_ball(
        model, (0.0, 0.0), velocity=(SPEED, 0.0, 0.0), angular_velocity=(0.0, 0.0, spin), name="cue"
    )
    target = add_ball(model, (2.0 * RADIUS + GAP, 0.0), name="object")
    model.add(SphereSphere(pairs=[(cue, target)], mu=mu, e_n=e_n))
    model.add(SpherePlane(model.spheres, add_cloth(model)))
    return model, target


def throw_angle(velocity: np.ndarray) -> float:
    """Angle [deg] of the object ball's velocity (3,) to the line of centres."""
    return float(np.degrees(np.arctan2(abs(velocity[1]), velocity[0])))
