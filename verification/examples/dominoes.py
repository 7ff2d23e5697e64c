r"""Dominoes of balls on sticks

Balls stand on light sticks that are hinged at the floor. None of them would fall by itself. Pushed by the one
before, each falls against the next, and a wave runs down the row. Its speed does not depend on the first
push: weight drives it, impacts brake it.

Between impacts a ball is a pendulum that stands on its head. It starts with a part $\kappa$ of the speed of
the ball that struck it. The square of its speed gains $2 g L (1 - \cos\theta)$ until it strikes the next at
the angle $\theta_c$, hence in the long run

$$v^2 = \frac{2 g L (1 - \cos\theta_c)}{1 - \kappa^2}, \qquad
\kappa = \frac{(1 + e)\, a b}{a^2 + b^2},$$

with the cosines $a$, $b$ of the paths of both balls and the line of their centres. The time from impact to
impact is that of this fall. The estimate leaves out that balls which were left behind come and push again.

To look at: the wave that was pushed hard slows down to the speed of the other, and they run on side by side.
"""

import math
from itertools import pairwise

import numpy as np

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, Spring, SpringDashpot
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main
from verification.outcome import Row
from verification.run import simulate

RADIUS, MASS, GRAVITY = 0.015, 0.05, 9.81  # [m], [kg], [m/s^2]
LENGTH, PITCH, BALLS = 0.1, 0.05, 30  # [m] of the sticks, from ball to ball
STICK, STIFFNESS, RESTITUTION = 1e5, 4e5, 0.8  # [N/m]
PUSHES = (0.4, 2.0)  # [m/s] of the first ball
H, T_END = 2e-5, 1.7  # [s]


def build(push: float = PUSHES[0], count: int = BALLS) -> ns.Model:
    """`count` balls in a row; sticks are springs, shortened by the weight that they carry."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    feet = [(PITCH * i, 0.0, 0.0) for i in range(count)]
    for x, _, _ in feet:
        velocity = (push if x == 0.0 else 0.0, 0.0, 0.0)
        model.add_sphere(radius=RADIUS, mass=MASS, position=(x, 0.0, LENGTH), velocity=velocity)
    balls = model.spheres
    sticks = list(zip(balls, feet, strict=True))
    model.add(Spring(sticks, stiffness=STICK, length=LENGTH + MASS * GRAVITY / STICK))
    decay = -math.log(RESTITUTION) / math.hypot(math.pi, math.log(RESTITUTION))
    law = SpringDashpot(
        stiffness=STIFFNESS, damping=2.0 * decay * math.sqrt(0.5 * STIFFNESS * MASS), tension=True
    )
    model.add(CompliantSphereSphere(pairs=list(pairwise(balls)), normal=law))
    floor = model.add_plane(normal=(0.0, 0.0, 1.0))
    model.add(CompliantSpherePlane(balls, floor, normal=SpringDashpot(stiffness=1e4, damping=20.0)))
    return model


def run(pushes: tuple[float, ...] = PUSHES) -> list[ns.Result]:
    """One run for each first push."""
    scheme = ns.VelocityVerlet()
    return [simulate(build(push), t_end=T_END, h=H, scheme=scheme, record_every=25) for push in pushes]


def struck(result: ns.Result) -> np.ndarray:
    """Times (BALLS - 1,) [s] at which the balls behind the first are struck."""
    moved = np.asarray(result.velocity[:, 1:, 0]) > 0.02
    if not moved.any(axis=0).all():
        raise ValueError("the wave has not arrived at the last ball; run longer")
    return np.asarray(result.t)[np.argmax(moved, axis=0)]


def estimate() -> float:
    """Speed of the wave [m/s] by the formula of the docstring."""
    theta = np.linspace(0.0, 0.5 * math.pi, 100001)
    x, z = PITCH - LENGTH * np.sin(theta), LENGTH * (1.0 - np.cos(theta))  # from the striking to the next
    at = int(np.argmax(np.hypot(x, z) <= 2.0 * RADIUS))
    b = x[at] / (2.0 * RADIUS)
    a = (x[at] * math.cos(theta[at]) - z[at] * math.sin(theta[at])) / (2.0 * RADIUS)
    part = (1.0 + RESTITUTION) * a * b / (a * a + b * b)
    square = 2.0 * GRAVITY * z[at] / (1.0 - part**2)  # of the speed at which it strikes
    speed = np.sqrt(part**2 * square + 2.0 * GRAVITY * z[: at + 1])
    return float(PITCH / np.trapezoid(LENGTH / speed, theta[: at + 1]))


def check(results: list[ns.Result]) -> list[Row]:
    """Speeds over the last third of the row."""
    rows, third = [], BALLS // 3
    speeds = [third * PITCH / (struck(result)[-1] - struck(result)[-1 - third]) for result in results]
    for push, speed in zip(PUSHES, speeds, strict=True):
        rows.append(Row(f"push {push:g} m/s: wave", "m/s", estimate(), speed, 0.15 * estimate(), "estimate"))
    rows.append(Row("the same after both pushes", "-", 1.0, speeds[1] / speeds[0], 0.03))
    return rows


def figure(results: list[ns.Result]) -> Figure:
    """The row at three times, and when the balls are struck."""
    drawn, axes = new_figure(4, 1, size=(8.4, 7.2), height_ratios=(1, 1, 1, 3))
    for axis, t in zip(axes, (0.1, 0.5, 0.9), strict=False):
        side_view(axis, results[0], t)
    for k, (result, push) in enumerate(zip(results, PUSHES, strict=True)):
        name, places = f"push {push:g} m/s", PITCH * np.arange(1, BALLS)
        axes[-1].plot(struck(result), places, "o-", color=COLOURS[k], label=name)
    times = struck(results[0])
    estimated = PITCH + estimate() * (times - times[0])
    axes[-1].plot(times, estimated, color="0.5", linestyle=":", label="estimate")
    label(axes[-1], "t [s]", "place of the wave [m]", legend="lower right")
    return drawn


def side_view(axis: Axes, result: ns.Result, t: float) -> None:
    """Balls and sticks at the time `t` [s]."""
    from matplotlib.patches import Circle

    at = int(np.argmin(np.abs(result.t - t)))
    for i, (x, _, z) in enumerate(result.position[at]):
        axis.plot([PITCH * i, x], [0.0, z], color="0.5", linewidth=1.2)
        axis.add_patch(Circle((x, z), RADIUS, color=COLOURS[0], alpha=0.8, linewidth=0))
    axis.axhline(0.0, color="0.3", linewidth=1.5)
    axis.set_aspect("equal")
    axis.set_xlim(-0.03, PITCH * BALLS + LENGTH)
    axis.set_ylim(-0.01, LENGTH + 2.0 * RADIUS)
    label(axis, "", "", f"t = {t:g} s")


if __name__ == "__main__":
    main(__file__)
