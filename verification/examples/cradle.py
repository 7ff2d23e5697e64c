r"""Newton's cradle

Five steel balls, each on two strings. As many balls as are let fall on one side swing out on the other. The
impacts of a chain are resolved one after another. Momentum and energy alone would allow other outcomes: two
balls could also send out one with more speed and carry on themselves. Strings are springs, stiff enough to
stretch by micrometres, and act beside the hard contact of the balls. Between impacts the balls are pendulums
of length $l$, whose half period for the angle $\theta_0$ is $\pi \sqrt{l/g} \, / \, \mathrm{agm}(1,
\cos\frac{\theta_0}2)$.

To look at: those in the middle stay where they are. They are two millimetres apart here. Where balls touch,
as on a desk, the loads of the moment decide which contact is struck first, and after some swings all balls
move.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import SphereSphere, Spring
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

RADIUS, MASS, GRAVITY = 0.02, 0.26, 9.81  # [m], [kg], [m/s^2]
DROP, SPREAD = 0.3, 0.12  # [m] of the strings, downwards and to each side
STIFFNESS = 1e6  # [N/m] of a string
GAP, H = 2e-3, 2e-3  # [m], [s]: in a step a ball moves less than the gap, and impacts come one by one
PITCH = 2.0 * RADIUS + GAP
ANGLE = 25.0  # [deg]


def build(
    raised: int = 2,
    balls: int = 5,
    angle: float = ANGLE,
    e_n: float = 1.0,
    contact: Callable[[list[ns.Body]], Any] | None = None,
) -> ns.Model:
    """`raised` of the `balls` hang at the `angle` [deg] to the left; `contact`: another than the hard one."""
    model, theta = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), math.radians(angle)
    string = math.hypot(DROP, SPREAD)
    stretch = 0.5 * MASS * GRAVITY * string / DROP / STIFFNESS  # by the weight of a ball at rest
    strings = []
    for i in range(balls):
        x, turn = PITCH * i, theta if i < raised else 0.0
        at = (x - DROP * math.sin(turn), 0.0, -DROP * math.cos(turn))
        ball = model.add_sphere(radius=RADIUS, mass=MASS, position=at)
        strings += [(ball, (x, side * SPREAD, 0.0)) for side in (-1, 1)]
    model.add(Spring(strings, stiffness=STIFFNESS, length=string - stretch))
    model.add(SphereSphere(among=model.spheres, e_n=e_n) if contact is None else contact(model.spheres))
    return model


def run(raised: tuple[int, ...] = (1, 2, 3), balls: int = 5) -> list[ns.Result]:
    """One run for each number of raised balls, there and back."""
    return [simulate(build(number, balls), t_end=1.2, h=H) for number in raised]


def agm(a: float, b: float) -> float:
    """Arithmetic-geometric mean."""
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def half_period(angle: float) -> float:
    """Of a pendulum of the cradle [s] at the amplitude `angle` [deg]."""
    return math.pi * math.sqrt(DROP / GRAVITY) / agm(1.0, math.cos(0.5 * math.radians(angle)))


def angles(result: ns.Result) -> np.ndarray:
    """Of all balls (n, N) [deg], > 0 to the right."""
    x, z = result.position[..., 0], result.position[..., 2]
    return np.degrees(np.arctan2(x - PITCH * np.arange(x.shape[1]), -z))


def check(results: list[ns.Result]) -> list[Row]:
    """Highest places there and back: number, height and half period as raised."""
    rows, half = [], half_period(ANGLE)
    for result in results:
        angle = angles(result)
        raised = int((angle[0] < -1.0).sum())
        for swing, side in ((1, 1.0), (2, -1.0)):
            near = np.abs(result.t - swing * half) < 0.25 * half
            top = int(np.argmax(np.where(near, side * angle[:, -1 if side > 0.0 else 0], -np.inf)))
            ordered = side * angle[top][:: int(side)]
            out, others = ordered[-raised:], ordered[:-raised]
            title = f"{raised} raised, {'there' if swing == 1 else 'back'}"
            rows.append(Row(f"{title}: lowest of {raised} balls", "deg", ANGLE, out.min(), 0.4))
            rows.append(Row(f"{title}: all others are off by", "deg", 0.0, np.abs(others).max(), 0.4))
            rows.append(Row(f"{title}: time", "s", swing * half, result.t[top], 0.04))
    return rows


def figure(results: list[ns.Result]) -> Figure:
    """The cradles as the last ball is highest, and the angles over time."""
    drawn, axes = new_figure(2, len(results), size=(9.6, 5.2), height_ratios=(3, 2))
    for above, below, result in zip(*axes, results, strict=True):
        angle = angles(result)
        paint_cradle(above, result, int(np.argmax(angle[:, -1])))
        for i, one in enumerate(angle.T):
            below.plot(result.t, one, color=COLOURS[i % len(COLOURS)])
        label(below, "t [s]", "angle [deg]")
    return drawn


def paint_cradle(axis: Axes, result: ns.Result, record: int) -> None:
    """The balls of a state, with their strings."""
    camera, size = Camera((0.45, -0.95, -0.05), (0.09, 0.0, -0.17)), (720, 640)
    paint(axis, result, camera, t=result.t[record], size=size)
    scale = 0.5 * size[1] / math.tan(math.radians(0.5 * camera.angle))
    for i, ball in enumerate(result.position[record]):
        for side in (-SPREAD, SPREAD):
            right, down, ahead = camera.coordinates(np.array([ball, (PITCH * i, side, 0.0)])).T
            along = 0.5 * size[0] + scale * right / ahead, 0.5 * size[1] + scale * down / ahead
            axis.plot(*along, color="0.3", linewidth=0.6)
    axis.set_xlim(0, size[0])
    axis.set_ylim(size[1], 0)


if __name__ == "__main__":
    main(__file__)
