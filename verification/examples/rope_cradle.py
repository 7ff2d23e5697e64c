r"""Newton's cradle of touching balls

Five steel balls that touch, each on two ropes without a mass that do not stretch. As many balls as are let
fall on one side swing out on the other, and come back. In an instant the impacts of a chain are resolved one
after another, each between two balls. A ball passes on all of its speed to the next, and the last takes it
away. Energy and momentum alone would leave other outcomes.

A `Rope` is a contact of one side: it pulls and never pushes, and takes part in impacts. Here all of them are
taut from the start on and stay so. Between impacts the balls are pendulums of length $l$, whose half period
for the angle $\theta_0$ is $\pi \sqrt{l/g} \, / \, \mathrm{agm}(1, \cos\frac{\theta_0}2)$.

To look at: as many out as in, four times one after another, while those in the middle hang still.
"""

import math

import numpy as np

import nsgalpha as ns
from elements import Rope, SphereSphere
from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main
from verification.examples.cradle import ANGLE, DROP, GRAVITY, MASS, RADIUS, SPREAD, half_period
from verification.outcome import Row, bound_row
from verification.run import simulate

H, SWINGS = 1e-3, 4  # [s], of half a period each


def build(raised: int = 2, balls: int = 5, angle: float = ANGLE, e_n: float = 1.0) -> ns.Model:
    """`raised` of the `balls` hang at the `angle` [deg] to the left; all touch."""
    model, theta = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), math.radians(angle)
    for i in range(balls):
        x, turn = 2.0 * RADIUS * i, theta if i < raised else 0.0
        centre = (x - DROP * math.sin(turn), 0.0, -DROP * math.cos(turn))
        ball = model.add_sphere(radius=RADIUS, mass=MASS, position=centre)
        for y in (-SPREAD, SPREAD):
            model.add(Rope(None, ball, points=((x, y, 0.0), centre)))
    model.add(SphereSphere(among=model.spheres, e_n=e_n))
    return model


def run(raised: tuple[int, ...] = (1, 2, 3), balls: int = 5) -> list[ns.Result]:
    """One run for each number of raised balls."""
    t_end = (SWINGS + 0.3) * half_period(ANGLE)
    return [simulate(build(number, balls), t_end=t_end, h=H) for number in raised]


def angles(result: ns.Result) -> Floats:
    """Of all balls (n, N) [deg], > 0 to the right."""
    x, z = result.position[..., 0], result.position[..., 2]
    return np.asarray(np.degrees(np.arctan2(x - 2.0 * RADIUS * np.arange(x.shape[1]), -z)))


def stretch(result: ns.Result) -> float:
    """Largest difference [m] between a ball's distance from its axis and the cradle's height."""
    x, z = result.position[..., 0], result.position[..., 2]
    return float(np.abs(np.hypot(x - 2.0 * RADIUS * np.arange(x.shape[1]), z) - DROP).max())


def check(results: list[ns.Result]) -> list[Row]:
    """Highest places of all swings: number, height, half periods; ropes."""
    rows, half = [], half_period(ANGLE)
    for result in results:
        angle = angles(result)
        raised = int((angle[0] < -1.0).sum())
        for swing in range(1, SWINGS + 1):
            side = 1 if swing % 2 else -1
            near = np.abs(result.t - swing * half) < 0.25 * half
            top = int(np.argmax(np.where(near, side * angle[:, -1 if side > 0 else 0], -np.inf)))
            ordered = side * angle[top][::side]
            out, others = ordered[-raised:], ordered[:-raised]
            title = f"{raised} raised, swing {swing}"
            rows.append(Row(f"{title}: lowest of {raised} balls", "deg", ANGLE, out.min(), 0.01))
            rows.append(
                bound_row(f"{title}: all others are off by", "deg", np.abs(others).max(), 0.01, "law")
            )
            rows.append(Row(f"{title}: time", "s", swing * half, result.t[top], H))
        rows.append(bound_row(f"{raised} raised: slack of a rope", "m", stretch(result), 1e-12, "rounding"))
    return rows


def figure(results: list[ns.Result]) -> Figure:
    """The cradles at the start and at the first swing's top; angles over time."""
    drawn, axes = new_figure(2, len(results), size=(9.6, 4.8), height_ratios=(3, 2), squeeze=False)
    for above, below, result in zip(*axes, results, strict=True):
        angle = angles(result)
        paint_balls(above, result, 0, alpha=0.25)
        paint_balls(above, result, int(np.argmin(np.abs(result.t - half_period(ANGLE)))))
        for i, one in enumerate(angle.T):
            below.plot(result.t, one, color=COLOURS[i % len(COLOURS)])
        label(below, "t [s]", "angle [deg]")
    return drawn


def paint_balls(axis: Axes, result: ns.Result, record: int, alpha: float = 1.0) -> None:
    """The balls of a state seen along y, with their ropes."""
    from matplotlib.patches import Circle

    for i, (x, _, z) in enumerate(result.position[record]):
        axis.plot((2.0 * RADIUS * i, x), (0.0, z), color="0.3", linewidth=0.7, alpha=alpha)
        colour = COLOURS[i % len(COLOURS)]
        axis.add_patch(Circle((x, z), RADIUS, facecolor=colour, edgecolor="0.2", alpha=alpha))
    axis.set_aspect("equal")
    axis.set_axis_off()


if __name__ == "__main__":
    main(__file__)
