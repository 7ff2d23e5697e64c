"""Order of convergence with the step.

Smooth motion converges with h^2: the free top, and sliding whose direction turns (turning.py). Constant
forces are integrated exactly (a sliding ball). An impact costs h v (the bouncing ball): order 1. Trajectories
with jumps are compared by the Hausdorff distance of their graphs, jumps filled in. A jump that comes a little
late is a small error.
"""

from functools import partial

import numpy as np

from verification.analytic import bouncing_ball, rolling_ball, top
from verification.balls import GRAVITY, MU_CLOTH, RADIUS
from verification.convergence import turning
from verification.convergence.distance import graph, hausdorff
from verification.convergence.figure import draw
from verification.outcome import Outcome, Row, bound_row
from verification.phases import study
from verification.run import simulate

SMOOTH_STEPS = (8e-3, 4e-3, 2e-3, 1e-3)  # [s]
IMPACT_STEPS = tuple(np.geomspace(1e-2, 2e-4, 30))  # [s] many: an impact falls anywhere in a step
TURNING_PHASES = 3
TURNING_BOUND = 7e-6, 3e-6  # errors of position [m] and velocity [m/s] at the smallest step: four times ours
TURNING = "generalized-alpha with friction against the mean rates of a step"
BOUNCES = 1.2  # [s] three impacts, before they accumulate


def top_error(h: float, _: float = 0.0) -> float:
    """Largest error of the free top's angular velocity [rad/s] over 1 s."""
    return top.rate_error(simulate(top.build(), t_end=1.0, h=h))


def bouncing_error(kind: str, h: float, _: float = 0.0) -> float:
    """Hausdorff distance of the simulated and the exact graph over 1.2 s; axes scaled by t_1, z_0, g t_1."""
    result = simulate(bouncing_ball.build(), t_end=BOUNCES, h=h)
    first = bouncing_ball.impact_times(1)[0]
    times = exact_times()
    z, v = bouncing_ball.exact(times)
    if kind == "height":
        ours, theirs, scale = result.position[:, 0, 2] - bouncing_ball.RADIUS, z, bouncing_ball.HEIGHT
    else:
        ours, theirs, scale = result.velocity[:, 0, 2], v, bouncing_ball.GRAVITY * first
    spacing = 0.1 * h / first  # well below the distance to be measured
    return hausdorff(
        graph(result.t / first, ours / scale, spacing), graph(times / first, theirs / scale, spacing)
    )


def exact_times() -> np.ndarray:
    """Sampling times of the exact solution, with both sides of each impact."""
    impacts = bouncing_ball.impact_times(3)
    return np.sort(np.concatenate([np.linspace(0.0, BOUNCES, 4001), impacts, np.nextafter(impacts, 0.0)]))


def sliding_error(h: float) -> float:
    """Largest error of v, R w [m/s] and x [m] of a ball sliding from 2 m/s, up to 0.28 s."""
    result = simulate(rolling_ball.build(0.0), t_end=0.28, h=h)
    t, v = result.t, rolling_ball.SPEED
    slowing = MU_CLOTH * GRAVITY
    return max(
        np.abs(result.velocity[:, 0, 0] - (v - slowing * t)).max(),
        np.abs(RADIUS * result.angular_velocity[:, 0, 1] - 2.5 * slowing * t).max(),
        np.abs(result.position[:, 0, 0] - (v * t - 0.5 * slowing * t**2)).max(),
    )


def turning_rows() -> list[Row]:
    """Orders, and errors with the smallest step, of sliding whose direction turns, over three phases."""
    rows = []
    for slide in turning.SLIDES:
        for quantity, (name, unit) in enumerate((("position", "m"), ("velocity", "m/s"))):
            error = partial(turning.error, slide, quantity)
            found = study(f"{slide.title}: {name}", unit, error, turning.STEPS, TURNING_PHASES)
            rows.append(Row(f"order of convergence: {found.label}", "-", 2.0, found.order, 0.1, TURNING))
            label = f"{found.label}, h {turning.STEPS[-1]:g}"
            rows.append(bound_row(label, unit, found.largest[-1], TURNING_BOUND[quantity], "DOP853 to 1e-12"))
    return rows


def run() -> Outcome:
    """Slopes fitted over a decade and more of steps."""
    studies = [(study("free top, angular velocity", "rad/s", top_error, SMOOTH_STEPS), 2.0, 0.005)]
    for kind in ("height", "velocity"):
        error = partial(bouncing_error, kind)
        studies.append((study(f"bouncing ball, {kind}", "-", error, IMPACT_STEPS), 1.0, 0.06))
    source = "generalized-alpha: 2 in smooth motion; an impact costs h v: 1"
    rows = [
        Row(f"order of convergence: {each.label}", "-", order, each.order, tolerance, source)
        for each, order, tolerance in studies
    ]
    rows += [
        bound_row(f"sliding ball: error, h {h:g}", "m/s, m", sliding_error(h), 1e-9, "exact for every h")
        for h in (1e-2, 1e-3, 1e-4)
    ]
    rows += turning_rows()
    return Outcome(rows=rows, figures={"Error over the step, with the fitted slopes": partial(draw, studies)})
