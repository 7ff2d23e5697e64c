"""The layer at rest, and its speed over the slope."""

import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.show import look
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.angle_of_repose import model
from verification.example import paint


def draw(result: ns.Result, slopes: Floats, speeds: Floats) -> Figure:
    """A picture of the end; mean speeds, with a line for that of rest."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    paint(left, result, look(result, azimuth=-80.0, elevation=12.0), size=(800, 720))
    right.semilogy(slopes, abs(speeds) + 1e-8, "o-", color=COLOURS[0], label="layer")
    right.axhline(model.REST, color="0.5", linestyle=":", label="rest")
    label(right, "slope [deg]", "mean speed [sqrt(g d)]", "a slope that falls", legend="lower right")
    return figure
