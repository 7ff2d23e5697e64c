"""Error of the throw angle over the arrival within the step."""

from functools import partial

from verification.balls import RADIUS
from verification.phases import AHEAD, Study, placed, study
from verification.run import simulate
from verification.throw_angle import reference
from verification.throw_angle.model import GAP, SPEED, build, throw_angle

STEPS = (1e-3, 1e-4, 1e-5)  # [s]


def error(spin: float, mu: float, h: float, phase: float) -> float:
    """Of the throw angle [deg] with e_n = 1, for an impact at the fraction `phase` of its step."""
    model, target = build(spin, mu, 1.0)
    cue = model.bodies[0]
    x = GAP - (AHEAD + phase) * h * SPEED
    state = placed(model, cue, (x, 0.0, RADIUS), (SPEED, 0.0, 0.0), (0.0, 0.0, spin))
    result = simulate(model, t_end=(2 * AHEAD - 0.5) * h, h=h, state=state)
    return abs(throw_angle(result.velocity[-1, target]) - reference.throw_angle(spin, mu, 1.0))


def studies(phases: int) -> list[Study]:
    """The five shots."""
    return [
        study(f"throw, spin {spin:g} rad/s, mu {mu:g}", "deg", partial(error, spin, mu), STEPS, phases)
        for spin, mu in reference.SHOTS
    ]
