"""A ball falls on the floor and bounces with restitution e until it rests.

From the height z0 the first impact is at t_1 = sqrt(2 z0 / g) with the speed g t_1. Each flight after
impact k lasts 2 e^k t_1: t_2 = t_1 (1 + 2 e), t_3 = t_1 (1 + 2 e + 2 e^2), ..., and the ball rests after
infinitely many impacts at t_1 (1 + e) / (1 - e).
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate

GRAVITY = 9.81  # [m/s^2]
HEIGHT = 0.9  # [m] of the lowest point at the start
E_N = 0.5
RADIUS = 0.1  # [m]; no result depends on it
H = 1e-4  # [s]
PROVENANCE = "closed form (analytic/bouncing_ball.py)"


def impact_times(count: int, height: float = HEIGHT, e_n: float = E_N) -> np.ndarray:
    """Times (count,) [s] of the first impacts."""
    first = np.sqrt(2.0 * height / GRAVITY)
    flights = 2.0 * first * e_n ** np.arange(1.0, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


def rest_time(height: float = HEIGHT, e_n: float = E_N) -> float:
    """Time [s] from which the ball rests."""
    return float(np.sqrt(2.0 * height / GRAVITY) * (1.0 + e_n) / (1.0 - e_n))


def exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height (n,) [m] of the lowest point and velocity (n,) [m/s] at the times `t` (n,)."""
    times = impact_times(60)
    k = np.searchsorted(times, t, side="right")  # number of impacts so far
    since = t - np.concatenate([[0.0], times])[k]
    start = np.where(k == 0, 0.0, GRAVITY * times[0] * E_N ** np.maximum(k, 1.0))
    z = np.where(k == 0, HEIGHT, 0.0) + start * since - 0.5 * GRAVITY * since**2
    resting = t >= times[-1]
    return np.where(resting, 0.0, z), np.where(resting, 0.0, start - GRAVITY * since)


def build() -> ns.Model:
    """One ball above a floor."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    ball = model.add_sphere(radius=RADIUS, mass=1.0, position=(0.0, 0.0, RADIUS + HEIGHT), name="ball")
    model.add(SpherePlane(ball, model.add_plane(normal=(0.0, 0.0, 1.0), name="floor"), e_n=E_N))
    return model


def run() -> Outcome:
    """Step 1e-4 s. Impacts are resolved to one step and the error is carried on: first order in h."""
    result = simulate(build(), t_end=1.5, h=H)
    height, velocity = result.position[:, 0, 2] - RADIUS, result.velocity[:, 0, 2]
    jumps = result.t[1:][np.diff(velocity) > 0.1]
    rows = [
        Row(f"bouncing ball: impact {k + 1}", "s", expected, jumps[k], (2 * k + 1) * H, PROVENANCE)
        for k, expected in enumerate(impact_times(3))
    ]
    rests = result.t[np.flatnonzero(np.abs(velocity) > 1e-9)[-1] + 1]
    rows += [
        Row("bouncing ball: begin of rest", "s", rest_time(), rests, 10.0 * H, PROVENANCE),
        bound_row("bouncing ball: gap at rest", "m", height[-1], 1e-12, PROVENANCE),
    ]
    return Outcome(
        rows=rows,
        figures={"Bouncing ball, e_n = 0.5: height and velocity": partial(draw, result)},
        efforts=[effort("bouncing ball", result)],
    )


def draw(result: ns.Result) -> Figure:
    """Height and velocity over time, simulated and exact."""
    figure, axes = new_figure(1, 2, size=(8.4, 3.4))
    z, v = exact(result.t)
    for axis, ours, theirs, name in (
        (axes[0], result.position[:, 0, 2] - RADIUS, z, "height of the lowest point [m]"),
        (axes[1], result.velocity[:, 0, 2], v, "velocity [m/s]"),
    ):
        axis.plot(result.t, theirs, color="0.6", linewidth=3.0, label="exact")
        axis.plot(result.t, ours, color=COLOURS[0], linewidth=1.0, label="simulated")
        label(axis, "t [s]", name, legend="upper right")
    return figure
