"""Figure 2 of the paper, with separate effects of restitution and friction."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.thirty_degree_rule import reference


def draw(curves: Sequence[tuple[Any, Sequence[float]]]) -> Figure:
    """Lines: references over the fraction; markers: simulated, `curves` = [(setting, angles)]."""
    figure, axis = new_figure(size=(6.8, 4.4))
    fine = np.linspace(0.0, 1.0, 201)
    for (setting, ours), colour, marker in zip(curves, COLOURS, "os^", strict=False):
        line = [setting.reference(f) for f in fine]
        axis.plot(fine, line, color=colour, linewidth=1.1, label=f"{setting.curve} ({setting.label})")
        name = f"simulated, {setting.label}"
        axis.plot(reference.FRACTIONS, ours, marker, color=colour, markersize=6, label=name, clip_on=False)
    axis.axhline(30.0, color="0.6", linewidth=0.8, linestyle=":")
    label(axis, "ball-hit fraction f [-]", "deflection of the cue ball [deg]", legend="lower center")
    axis.set_ylim(0.0, 36.0)
    return figure
