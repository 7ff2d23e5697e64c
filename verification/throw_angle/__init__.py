"""Throw angle of a ball struck with side spin.

The paper's section 5.2 and its figure 4: five pairs of spin and friction, full hits at 1.341 m/s.

Tolerance: rounding. In a full hit the line of centres does not turn while the balls overlap, and friction
between them acts on velocities alone.
"""

from functools import partial

from verification.outcome import Outcome, Row
from verification.run import effort, simulate
from verification.throw_angle import reference
from verification.throw_angle.figure import draw
from verification.throw_angle.model import build, throw_angle

RESTITUTIONS = (1.0, 0.93)
H = 1e-4  # [s]
ROUNDING = 1e-12  # [deg]
PROVENANCE = "closed form for slip and stick (throw_angle/reference.py); shots: paper, section 5.2"


def run() -> Outcome:
    """Simulate the five shots with e_n = 1 and 0.93, h = 1e-4 s, 0.5 s as in the paper."""
    rows, results = [], []
    for e_n in RESTITUTIONS:
        for spin, mu in reference.SHOTS:
            model, target = build(spin, mu, e_n)
            result = simulate(model, t_end=0.5, h=H, record_every=100)
            results.append(result)
            name = f"throw angle, spin {spin:g} rad/s, mu {mu:g}, e_n {e_n:g}"
            expected, ours = reference.throw_angle(spin, mu, e_n), throw_angle(result.velocity[-1, target])
            rows.append(Row(name, "deg", expected, ours, ROUNDING, PROVENANCE))
    return Outcome(
        rows=rows,
        figures={"Throw angle against the spin ratio, the paper's five shots": partial(draw, rows)},
        efforts=[effort("ten shots", *results)],
        notes="The paper reports at most 1, 3 and 3 iterations per step and 1 on average.",
    )
