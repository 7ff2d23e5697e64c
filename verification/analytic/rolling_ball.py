"""A ball slides on a rough cloth, begins to roll, and stops by rolling resistance.

Sliding, the cloth slows the centre by mu g and turns the ball; the rolling resistance rho m g (rho the
rolling radius) acts against the turning:

    v = v0 - mu g t,    R w = 5/2 (mu - rho/R) g t.

They meet at t_roll = v0 / (g (7/2 mu - 5/2 rho/R)); for rho = 0: v = 5/7 v0, x = 12 v0^2 / (49 mu g). Then
the ball rolls, v = R w, slowed by the resistance alone: 7/5 m dv/dt = -rho m g / R, and rests after the
time v / (5/7 g rho/R).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.balls import GRAVITY, MU_CLOTH, RADIUS, add_ball, add_cloth, billiard_model, slip
from verification.outcome import Outcome, Row
from verification.run import effort, simulate

SPEED = 2.0  # [m/s]
ROLLING_RADIUS = 0.005  # [m]
H = 1e-3  # [s]
PROVENANCE = "closed form (analytic/rolling_ball.py)"


@dataclass(frozen=True, slots=True)
class Motion:
    """Closed form: time [s], place [m], speed [m/s] where rolling begins; time and place of rest."""

    t_roll: float
    x_roll: float
    v_roll: float
    t_stop: float
    x_stop: float


def motion(speed: float, mu: float, rolling_radius: float) -> Motion:
    """The closed form of the docstring; without rolling resistance the rest is at infinity."""
    rho = rolling_radius / RADIUS
    t = speed / (GRAVITY * (3.5 * mu - 2.5 * rho))
    x = speed * t - 0.5 * mu * GRAVITY * t * t
    v = speed - mu * GRAVITY * t
    slowing = 5.0 / 7.0 * GRAVITY * rho
    if slowing == 0.0:
        return Motion(t, x, v, np.inf, np.inf)
    return Motion(t, x, v, t + v / slowing, x + 0.5 * v * v / slowing)


def build(rolling_radius: float) -> ns.Model:
    """One ball that slides without spin."""
    model = billiard_model()
    add_ball(model, (0.0, 0.0), velocity=(SPEED, 0.0, 0.0))
    model.add(SpherePlane(model.spheres, add_cloth(model), mu=MU_CLOTH, rolling_radius=rolling_radius))
    return model


def zero_of(t: np.ndarray, values: np.ndarray) -> float:
    """Where `values` (n,), linear in t until they vanish, would vanish: from the last two that have not."""
    last = np.flatnonzero(values > 1e-9)[-1]
    a, b = last - 2, last - 1  # the step to `last` may contain the event
    return float(t[b] + values[b] * (t[b] - t[a]) / (values[a] - values[b]))


def run() -> Outcome:
    """Step 1e-3 s. Sliding and rolling are integrated exactly, the step of the event to second order in h."""
    free = simulate(build(0.0), t_end=0.5, h=H)
    resisted = simulate(build(ROLLING_RADIUS), t_end=1.5, h=H)
    exact, stopped = motion(SPEED, MU_CLOTH, 0.0), motion(SPEED, MU_CLOTH, ROLLING_RADIUS)
    v_end = free.velocity[-1, 0, 0]
    t_roll = zero_of(free.t, slip(free.velocity, free.angular_velocity)[:, 0, 0])
    t_stop = zero_of(resisted.t, resisted.velocity[:, 0, 0])
    x_roll = free.position[-1, 0, 0] - v_end * (free.t[-1] - t_roll)
    event = 0.5 * MU_CLOTH * GRAVITY * H**2  # [m] largest error of one step with the wrong acceleration
    x_stop = resisted.position[-1, 0, 0]
    rows = [
        Row("sliding to rolling: time", "s", exact.t_roll, t_roll, 1e-10, PROVENANCE),
        Row("sliding to rolling: speed", "m/s", exact.v_roll, v_end, 1e-13, PROVENANCE),
        Row("sliding to rolling: place", "m", exact.x_roll, x_roll, event, PROVENANCE),
        Row("rolling resistance: time of rest", "s", stopped.t_stop, t_stop, 1e-9, PROVENANCE),
        Row("rolling resistance: place of rest", "m", stopped.x_stop, x_stop, event, PROVENANCE),
    ]
    return Outcome(
        rows=rows,
        figures={"Sliding, rolling and rest of a ball on the cloth": partial(draw, free, resisted)},
        efforts=[effort("rolling ball", free, resisted)],
    )


def draw(free: ns.Result, resisted: ns.Result) -> Figure:
    """Speed of the centre and of the surface, without and with rolling resistance."""
    figure, axes = new_figure(1, 2, size=(8.4, 3.4), sharey=True)
    titles = ("no rolling resistance", "rolling radius 5 mm")
    for axis, result, title in zip(axes, (free, resisted), titles, strict=True):
        surface = RADIUS * result.angular_velocity[:, 0, 1]
        axis.plot(result.t, result.velocity[:, 0, 0], color=COLOURS[0], label="speed of the centre v")
        axis.plot(result.t, surface, color=COLOURS[1], linestyle="--", label="surface speed R ω")
        label(axis, "t [s]", "speed [m/s]" if axis is axes[0] else "", title, legend="upper right")
    return figure
