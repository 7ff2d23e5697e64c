"""Ratio of shear to normal force over the way, and the rise of the lid."""

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.direct_shear.reference import Flow, Shear

SMOOTH = 9  # recorded states in a mean of the curve


def draw(runs: dict[str, Shear], flow: Flow) -> Figure:
    """Boxes of several preparations beside simple shear."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    window = np.ones(SMOOTH) / SMOOTH
    for k, (name, run) in enumerate(runs.items()):
        moves = run.way > 0.0
        way, *forces = (
            np.convolve(each[moves], window, "valid")
            for each in (run.way, run.shear, run.normal, run.zone_shear, run.zone_normal)
        )
        left.plot(way, forces[0] / forces[1], color=COLOURS[k], linestyle="--", linewidth=0.8)
        left.plot(way, forces[2] / forces[3], color=COLOURS[k], label=name)
        right.plot(run.way[moves], run.rise[moves], color=COLOURS[k], label=name)
    left.axhspan(flow.friction - flow.scatter, flow.friction + flow.scatter, color="0.8")
    left.set_ylim(0.0, 0.9)
    words = "dashed: whole box, grey: simple shear"
    label(left, "way [diameters]", "shear over normal stress", words, legend="upper right")
    label(right, "way [diameters]", "rise of the lid [diameters]", "dilation", legend="upper left")
    return figure
