"""nsgalpha on the cases, against their converged values."""

import math

import numpy as np

from nsgalpha.arrays import Floats
from verification.impact_phases.cases import PhaseCase
from verification.impact_phases.model import build
from verification.impact_phases.record import Reference, amplitudes, home_of
from verification.impact_reference.stepper import follow
from verification.run import simulate

LEAD = 10  # steps before that of the impact, where the scene begins early enough


def error(case: PhaseCase, reference: Reference, path: str, h: float, phase: float) -> float:
    """Largest velocity error of a ball [m/s]; for a cradle, of its speed amplitude.

    The run starts from the state of the scene a few steps before the first impact, which falls at the
    fraction `phase` of its step. A cradle starts after that fraction of a step. It ends with the step after
    that of the impact, or of the time to be compared.
    """
    scene = case.scene()
    v, x, t = last_state(case, reference, path, h, phase)
    if case.swings:
        return float(np.abs(amplitudes(v, x, home_of(scene)) - reference.amplitude).max())
    return float(np.linalg.norm(v - reference.velocity(t), axis=1).max())


def paths_apart(case: PhaseCase, reference: Reference, h: float, phase: float) -> float:
    """Largest difference of velocities [m/s] at the end between the paths of a case; see `error`."""
    v = [last_state(case, reference, path, h, phase)[0] for path in case.paths]
    return float(max(np.abs(each - v[0]).max() for each in v))


def last_state(
    case: PhaseCase, reference: Reference, path: str, h: float, phase: float
) -> tuple[Floats, Floats, float]:
    """Velocities (N, 3) [m/s], positions (N, 3) [m] and time [s] at the end; see `error`."""
    scene = case.scene()
    start, end = phase * h, case.t_end
    if not case.swings:
        start = reference.impact - (phase + min(LEAD, math.floor(reference.impact / h - phase))) * h
        end = reference.impact + case.after + h
    model = build(scene, follow(scene, start).state, path)
    count = math.ceil((end - start) / h)
    result = simulate(model, t_end=(count - 0.5) * h, h=h, record_every=count)
    balls = slice(scene.count)
    return result.velocity[-1, balls], result.position[-1, balls], start + count * h
