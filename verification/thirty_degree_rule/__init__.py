"""The 30-degree rule of a rolling cue ball.

The paper's section 5.1 and its figure 2. Three curves separate its effects. Its setting (e_n = 0.93, mu =
0.06 between the balls) agrees with its eq. (17), derived for e_n = 1 and mu = 0. Restitution lowers the
deflection about as much as friction between the balls raises it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import nsgalpha as ns
from verification.balls import E_BALLS, MU_BALLS, slip
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate
from verification.thirty_degree_rule import reference
from verification.thirty_degree_rule.figure import draw
from verification.thirty_degree_rule.model import SPEED, build

H = 1e-3  # [s]
ROLLING_SPEED = 5.0 / 7.0 * SPEED  # [m/s] at the impact


@dataclass(frozen=True, slots=True)
class Setting:
    """One curve: friction and restitution between the balls, and the curve it is compared with."""

    label: str
    mu: float
    e_n: float
    reference: Callable[[float], float]
    curve: str
    provenance: str


ELASTIC, LOSSY = (partial(reference.frictionless, e_n=e_n) for e_n in (1.0, E_BALLS))
CLOSED = "closed form for frictionless balls (thirty_degree_rule/reference.py)"
BY_HAND = "rigid impact by hand (rigid_impact.py); the paper's setting"
ROUGH = MU_BALLS, E_BALLS, reference.with_friction
SETTINGS = (
    Setting("e_n 1, mu 0", 0.0, 1.0, ELASTIC, "eq. (17)", "paper, eq. (17)"),
    Setting("e_n 0.93, mu 0", 0.0, E_BALLS, LOSSY, "closed form with e_n", CLOSED),
    Setting("e_n 0.93, mu 0.06", *ROUGH, "rigid impact by hand", BY_HAND),
)


def deflection(velocity: np.ndarray) -> float:
    """Angle [deg] of the velocity (3,) to the first direction x."""
    return float(np.degrees(np.arctan2(velocity[1], velocity[0])))


def shoot(setting: Setting, fraction: float, h: float) -> tuple[Row, ns.Result]:
    """One shot of 1.2 s in steps of `h` [s]: by then the cue ball rolls again."""
    model, cue = build(fraction, setting.mu, setting.e_n)
    result = simulate(model, t_end=1.2, h=h, record_every=100)
    name = f"deflection, {setting.label}, f {fraction:g}, h {h:g}"
    expected, ours = setting.reference(fraction), deflection(result.velocity[-1, cue])
    bound = reference.first_order_bound(fraction, setting.e_n, ROLLING_SPEED, h)
    return Row(name, "deg", expected, ours, bound, setting.provenance), result


def run() -> Outcome:
    """Nine fractions for each setting, three again with a tenth of the step."""
    shots = [[shoot(setting, fraction, H) for fraction in reference.FRACTIONS] for setting in SETTINGS]
    fine = [shoot(SETTINGS[-1], fraction, 0.1 * H) for fraction in reference.FRACTIONS[2:8:2]]
    angles = [[row.ours for row, _ in curve] for curve in shots]
    curves = list(zip(SETTINGS, angles, strict=True))
    results = [result for curve in shots for _, result in curve]
    skid = max(np.abs(slip(r.velocity[-1, 0], r.angular_velocity[-1, 0])).max() for r in results)
    rolling = bound_row("slip of the cue ball at the reading", "m/s", skid, 1e-12, "the ball rolls again")
    return Outcome(
        rows=[*(row for curve in shots for row, _ in curve), *(row for row, _ in fine), rolling],
        figures={"Deflection of the cue ball: three settings and their references": partial(draw, curves)},
        efforts=[effort("27 shots, h 1e-3", *results)],
        notes="The paper reports at most 1, 4 and 2 iterations per step and 1 on average.",
    )
