"""Error of single impacts over the arrival within the step."""

from functools import partial

import numpy as np

from verification.phases import Study, study
from verification.step_error import BOUNCE, SHOTS
from verification.step_error.model import collide, energy_after_bounce

STEPS = (1e-3, 1e-4, 1e-5)  # [s]


def direction(speed: float, cut: float, h: float, phase: float) -> float:
    """Direction error of the struck ball [deg], for an impact at `phase` of its step."""
    v = collide(speed, h, np.radians([cut]), np.array([1.0 - phase])).velocity[0, 1]
    return float(abs(np.degrees(np.arctan2(v[1], v[0])) - cut))


def bounce(ceiling: bool, h: float, phase: float) -> float:
    """Of the energy [J/kg] of an elastic bounce."""
    return float(abs(energy_after_bounce(BOUNCE, h, np.array([1.0 - phase]), ceiling=ceiling)[0]))


def studies(phases: int) -> list[Study]:
    """Direction after oblique impacts, energy of elastic bounces."""
    shots = [
        study(f"direction, {speed:g} m/s, {cut:g} deg", "deg", partial(direction, speed, cut), STEPS, phases)
        for speed, cut in SHOTS
    ]
    bounces = [
        study(f"elastic bounce, {name}", "J/kg", partial(bounce, ceiling), steps=STEPS, phases=phases)
        for name, ceiling in (("floor", False), ("ceiling", True))
    ]
    return shots + bounces
