r"""Ten pins

A bowling ball strikes ten pins. A pin is one body of eight primitives: four feet on which it stands, and the
spheres of belly, waist, neck and head. They touch each other, the ball and the lane. The ball rolls with
set-valued contact.

Energy is lost in every impact and by friction, and pins that were not struck stand still on their feet.

To look at: the ball strikes the head pin almost in the middle; pins strike pins that it does not reach.
"""

import numpy as np

import nsgalpha as ns
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, new_figure
from verification.benchmarks.pins import CENTRE, build
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

T_END, H = 0.6, 5e-4  # [s]
BALL = 10  # number of the ball, behind the pins


def run() -> ns.Result:
    """Until the ball has passed."""
    return simulate(build(), t_end=T_END, h=H, record_every=10)


def fallen(result: ns.Result) -> np.ndarray:
    """Pins (n,) that lie, or lean, at each recorded time."""
    return np.count_nonzero(np.asarray(result.position)[:, :BALL, 2] < 0.75 * CENTRE, axis=1)


def check(result: ns.Result) -> list[Row]:
    """Energy is lost, pins fall, and those that nothing strikes stay where they are."""
    energy, place = np.asarray(result.energy()), np.asarray(result.position)
    stand = np.abs(place[-1, :BALL] - place[0, :BALL]).max(axis=1) < 0.05
    return [
        Row("largest rise of the energy, over the first", "-", 0.0, np.diff(energy).max() / energy[0], 1e-3),
        Row("pins that lie", "-", 8, fallen(result)[-1], 2, "our own run"),
        Row("way of the pins that stand", "m", 0.0, np.abs(place[-1] - place[0])[:BALL][stand].max(), 1e-4),
    ]


def figure(result: ns.Result) -> Figure:
    """Three times."""
    drawn, axes = new_figure(3, 1, size=(6.4, 8.4))
    for axis, t in zip(axes, (0.0, 0.12, 0.3), strict=True):
        paint(axis, result, Camera((-1.3, -1.1, 1.0), (0.5, 0.0, 0.1)), t=t, size=(960, 420))
        axis.set_title(
            f"t = {t:g} s, {fallen(result)[np.searchsorted(result.t, t)]} pins lie or lean", fontsize=9
        )
    return drawn


if __name__ == "__main__":
    main(__file__)
