"""Error of the deflection over the arrival within the step."""

from functools import partial

from verification.balls import E_BALLS, MU_BALLS, RADIUS
from verification.phases import AHEAD, Study, placed, study
from verification.run import simulate
from verification.thirty_degree_rule import ROLLING_SPEED, deflection, reference
from verification.thirty_degree_rule.model import PATH, build

STEPS = (1e-3, 1e-4)  # [s]
FRACTIONS = (0.25, 0.5, 0.75)
T_END = 0.7  # [s] by then the cue ball rolls again


def error(fraction: float, h: float, phase: float) -> float:
    """Deflection error [deg] in the paper's setting, for an impact at `phase` of its step."""
    model, cue = build(fraction, MU_BALLS, E_BALLS)
    v, x = ROLLING_SPEED, PATH - (AHEAD + phase) * h * ROLLING_SPEED
    state = placed(model, cue, (x, 0.0, RADIUS), (v, 0.0, 0.0), (0.0, v / RADIUS, 0.0))
    result = simulate(model, t_end=T_END, h=h, record_every=10**6, state=state)
    return abs(deflection(result.velocity[-1, cue]) - reference.with_friction(fraction))


def studies(phases: int) -> list[Study]:
    """Three hit fractions."""
    return [
        study(f"deflection, f {fraction:g}", "deg", partial(error, fraction), steps=STEPS, phases=phases)
        for fraction in FRACTIONS
    ]
