"""Mean and largest errors over the step, doubly logarithmic."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.phases import Study


def draw(studies: Sequence[Study]) -> Figure:
    """Markers: means over the phases; bars up to the largest; a line of slope 1."""
    figure, axis = new_figure(size=(6.4, 4.4))
    shown = [each for each in studies if len(each.steps) > 1 and each.mean.min() > each.rounding]
    for i, each in enumerate(shown):
        upwards = np.stack([np.zeros(len(each.steps)), each.largest - each.mean])
        name = f"{each.label}: order {each.order:.2f}"
        colour, marker = COLOURS[i % len(COLOURS)], "os^vD"[i % 5]
        style = {"fmt": f"{marker}:", "color": colour, "markersize": 5, "linewidth": 0.9}
        axis.errorbar(each.steps, each.mean, upwards, label=name, **style)
    if shown:
        h = np.array(shown[0].steps)
        axis.plot(h, shown[0].mean[0] * h / h[0], color="0.6", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_yscale("log")
    legend = "lower right" if len(shown) <= len(COLOURS) else None
    label(axis, "step h [s]", "error over the phases, mean and largest", "line: slope 1", legend)
    return figure
