"""Newton's cradle on rods: balls that touch, each hung on a `Distance`.

As many balls go out as came in, with the rates of free balls. Those are exact for any step. On rods the pose
of the impact is off by h v, where gravity and rods push. Rates are therefore of second order in h, and
rounding for small ones. A cradle that swings is of first order, as all that follows impacts. Its balls are
off by a fraction of h v from impact to impact. The fraction depends on that of a step in half a period:
errors over h vary between 0.4 and 4 (1 raised, five impacts, h from 0.25 to 1 ms). A sequence of three steps
has shown orders from 0.2 to 2. So they are judged by their bound over h.
"""

from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

import nsgalpha as ns
from elements import Distance, SphereSphere
from nsgalpha.arrays import Floats
from verification.mechanisms.arrivals import PHASES, Judged, judged, late, studied
from verification.mechanisms.rows import violation
from verification.mechanisms.smooth import HELD
from verification.outcome import Row, bound_row
from verification.phases import fitted_order
from verification.run import simulate

G, LENGTH, RADIUS, BALLS = 9.81, 1.0, 0.1, 5  # [m/s^2], [m], [m]
ANGLE = 0.3  # [rad] of raised balls
STEPS = (4e-3, 2e-3, 1e-3)  # [s] of swings
BOUNDS = 2.0, 3.5  # over h [rad/s] of angles, to the second impact and to the third
STRUCK = (1e-2, 1e-3, 1e-4, 1e-6)  # [s] of the impact
LAW, PENDULUM = "equal balls, pair after pair", "pendulum, DOP853 to 1e-12"
FIRST_SWING, END = 1.2, 2.4  # [s] before the second impact, and before the third


def build(raised: int, angle: float = 0.0, speed: float = 0.0, rods: bool = True) -> ns.Model:
    """`raised` of the balls at the `angle` [rad] to the left, or with the `speed` [m/s] to the right."""
    model = ns.Model(gravity=(0, 0, -G if rods else 0.0))
    balls = []
    for k in range(BALLS):
        turn = angle if k < raised else 0.0
        top = (2.0 * RADIUS * k, 0.0, 0.0)
        place = np.array(top) - LENGTH * np.array((np.sin(turn), 0.0, np.cos(turn)))
        v = (speed if k < raised else 0.0, 0.0, 0.0)
        ball = model.add_sphere(radius=RADIUS, mass=1.0, position=place, velocity=v)
        if rods:
            model.add(Distance(None, ball, points=(top, place)))
        balls.append(ball)
    model.add(SphereSphere(balls, e_n=1.0))
    return model


def rates(raised: int, h: float, rods: bool) -> Floats:
    """Speeds (BALLS,) [m/s] to the right, after the step in which `raised` balls arrive with 1 m/s."""
    return np.asarray(simulate(build(raised, speed=1.0, rods=rods), t_end=h, h=h).velocity[-1, :, 0])


def angles(result: ns.Result) -> Floats:
    """Of all balls (n, BALLS) [rad], > 0 to the right."""
    x, z = result.position[..., 0], result.position[..., 2]
    return np.asarray(np.arctan2(x - 2.0 * RADIUS * np.arange(BALLS), -z))


def exact(raised: int, t: Floats) -> Floats:
    """Angles (n, BALLS) at `t`: one pendulum, whose place passes to other balls."""
    found = solve_ivp(
        lambda _, y: (y[1], -G / LENGTH * np.sin(y[0])),
        (0.0, t[-1]),
        (-ANGLE, 0.0),
        "DOP853",
        t,
        rtol=1e-12,
        atol=1e-12,
    )
    turn, out = found.y[0], np.zeros((len(t), BALLS))
    out[:, :raised] = np.minimum(turn, 0.0)[:, None]
    out[:, BALLS - raised :] += np.maximum(turn, 0.0)[:, None]
    return out


def swing_errors(raised: int, h: float, phase: float) -> tuple[float, float]:
    """Largest error of an angle [rad] in the first swing, and in all."""
    model = build(raised, angle=ANGLE)
    run = simulate(model, t_end=END, h=h, state=late(model, phase * h))
    error = np.abs(angles(run) - exact(raised, run.t)).max(axis=1)
    return error[run.t < FIRST_SWING].max(), error.max()


def studies(phases: int = PHASES) -> list[Judged]:
    """Angles of one and two raised balls over the arrival within the step."""
    return [
        (study, bound, PENDULUM, first)
        for raised in (1, 2)
        for study, bound, first in zip(
            studied(
                [
                    f"cradle on rods, {raised} raised: angles, {when}"
                    for when in ("first impact", "two impacts")
                ],
                ["rad", "rad"],
                partial(swing_errors, raised),
                STEPS,
                phases,
            ),
            BOUNDS,
            (True, False),
            strict=True,
        )
    ]


def run_all() -> tuple[list[Row], ns.Result]:
    """Rates after an impact, on rods and free; swings; two balls raised."""
    rows = []
    for raised in (1, 2, 3):
        expected = np.repeat((0.0, 1.0), (BALLS - raised, raised))
        free = np.abs(rates(raised, STRUCK[-1], rods=False) - expected).max()
        errors = [float(np.abs(rates(raised, h, rods=True) - expected).max()) for h in STRUCK]
        what = f"cradle on rods, {raised} in, {raised} out: rates"
        rows += [
            bound_row(f"cradle of free balls, {raised} in, {raised} out: rates", "m/s", free, 1e-14, LAW),
            bound_row(f"{what}, h {STRUCK[-1]:g}", "m/s", errors[-1], 2e-11, LAW),
            Row(f"{what}, order", "-", 2.0, fitted_order(STRUCK[:-1], errors[:-1]), 0.05, LAW),
        ]
    rows += [row for each in studies() for row in judged(*each)]
    run = simulate(build(2, angle=ANGLE), t_end=END, h=STEPS[1])
    (g, rate), speed = violation(run), np.abs(run.velocity).max()
    rows += [
        bound_row("cradle on rods: rods longer or shorter", "m", g, HELD * LENGTH, "rounding"),
        bound_row("cradle on rods: rate over the speed", "-", rate / speed, HELD, "rounding"),
    ]
    return rows, run
