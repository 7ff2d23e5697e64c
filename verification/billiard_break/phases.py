"""Error of the velocities after the break over the arrival within the step."""

from functools import partial

import numpy as np

from verification.balls import GRAVITY, MU_CLOTH, RADIUS
from verification.billiard_break import CASES, reference
from verification.billiard_break.model import APEX, INERTIA, MASS, build
from verification.phases import AHEAD, Study, placed, study
from verification.run import simulate

STEPS = (1e-3, 1e-4, 1e-5)  # [s]


def error(rolling_radius: float, h: float, phase: float) -> float:
    """Largest velocity error of a ball [m/s], for an impact at `phase` of its step.

    The cue ball starts a few steps before, where it has been by the closed forms of reference.py.
    """
    model = build(rolling_radius)
    _, speed, spin = reference.at_impact(rolling_radius)
    time, slowing = (AHEAD + phase) * h, MU_CLOTH * GRAVITY
    turning = (MU_CLOTH * RADIUS - rolling_radius) * MASS * GRAVITY / INERTIA
    x = APEX[0] - 2.0 * RADIUS - speed * time - 0.5 * slowing * time**2
    v, w = (speed + slowing * time, 0.0, 0.0), (0.0, max(spin - turning * time, 0.0), 0.0)
    state = placed(model, model.spheres[0], (x, 0.0, RADIUS), v, w)
    result = simulate(model, t_end=(AHEAD + 0.5) * h, h=h, state=state)
    apart = result.velocity[-1] - reference.after_break(rolling_radius)
    return float(np.linalg.norm(apart, axis=1).max())


def studies(phases: int) -> list[Study]:
    """Without and with rolling resistance of the cloth."""
    return [
        study(f"break, {label}", "m/s", partial(error, radius), steps=STEPS, phases=phases)
        for label, radius in CASES
    ]
