r"""Pendulum wave

Balls hang on hinges in a row. Their lengths are such that in the time $T$ the first makes 9 swings, the next
10, and so on, at an amplitude $\alpha$ that is not small:

$$\tau = 4\sqrt{\frac{l}{g}}\,K\!\left(\sin^2\frac{\alpha}{2}\right), \qquad l = L + \frac{2 r^2}{5 L}$$

where $K$ is the complete elliptic integral and $l$ the length of a point mass that swings like a ball of
radius $r$ at distance $L$. A hinge carries most at the bottom, $m g + 2 m g (1 - \cos\alpha) L / l$.

To look at: the row leaves its line, runs through waves, falls into two halves at $T/2$, and is back at $T$.
"""

import numpy as np
from scipy.special import ellipk

import nsgalpha as ns
from elements import Revolute
from nsgalpha.show.colours import body_colours
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main
from verification.outcome import Row
from verification.run import simulate

T, G, R, M = 12.0, 9.81, 0.02, 0.1  # [s, m/s^2, m, kg]
SWINGS = np.arange(9, 18)  # in T


def build(angle: float = 25.0) -> ns.Model:
    """Pendulums in a row along y, raised by `angle` [deg]."""
    model, a = ns.Model(gravity=(0, 0, -G)), np.radians(angle)
    lengths = G * (T / SWINGS / 4.0 / ellipk(np.sin(a / 2.0) ** 2)) ** 2
    for k, length in enumerate(0.5 * (lengths + np.sqrt(lengths**2 - 1.6 * R**2))):
        place = (length * np.sin(a), 3.0 * R * k, -length * np.cos(a))
        ball = model.add_sphere(radius=R, mass=M, position=place)
        model.add(Revolute(None, ball, point=(0, 3.0 * R * k, 0), axis=(0, 1, 0), name=f"hinge {k}"))
    return model


def run(angle: float = 25.0) -> ns.Result:
    """Until all have come back."""
    return simulate(build(angle), t_end=T, h=2e-3)


def angles(result: ns.Result) -> np.ndarray:
    """Angles (n, pendulums) from the vertical [deg]."""
    return np.degrees(np.arctan2(result.position[:, :, 0], -result.position[:, :, 2]))


def check(result: ns.Result) -> list[Row]:
    """All are back at their places, and the longest hinge carries its load."""
    a, n = angles(result), len(result.t)
    long = np.linalg.norm(result.position[0, 0, [0, 2]])
    rise = (1.0 - np.cos(np.radians(a[0, 0]))) * long / (long + 0.4 * R**2 / long)
    force = np.linalg.norm(result.reaction("hinge 0").force, axis=1).max()
    return [
        Row(
            "farthest from the two rows at T/2",
            "deg",
            0.0,
            abs(a[n // 2] - (-1) ** SWINGS * a[0]).max(),
            2e-3,
        ),
        Row("farthest from the start at T", "deg", 0.0, abs(a[-1] - a[0]).max(), 2e-3),
        Row("largest force of the longest", "N", M * G * (1.0 + 2.0 * rise), force, 3e-5),
    ]


def figure(result: ns.Result) -> Figure:
    """Angles of all over time."""
    drawn, axis = new_figure(size=(8.4, 4.4))
    for k, colour in enumerate(body_colours(len(SWINGS))):
        axis.plot(result.t, angles(result)[:, k] + 60.0 * k, color=colour, linewidth=1.0)
    axis.set_yticks(60.0 * np.arange(len(SWINGS)), [str(n) for n in SWINGS])
    label(axis, "t [s]", "swings", "angles")
    return drawn


if __name__ == "__main__":
    main(__file__)
