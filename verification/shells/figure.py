"""Radii of solids over the pressure."""

from collections.abc import Mapping, Sequence

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure


def draw(parts: Sequence[float], growth: Mapping[str, Floats]) -> Figure:
    """Markers: the equilibria found; line: the closed form, with the branch that is not stable."""
    figure, axis = new_figure()
    q = np.linspace(1e-6, 1.0, 400)
    root = np.sqrt(1.0 - q)
    axis.plot(q, 2.0 * (1.0 - root) / q, color=COLOURS[0], linewidth=1.0, label="closed form")
    upper = 2.0 * (1.0 + root) / q
    axis.plot(q[upper < 2.6], upper[upper < 2.6], "--", color=COLOURS[0], linewidth=1.0, label="not stable")
    for (name, radii), colour, marker in zip(growth.items(), COLOURS[1:], "os^", strict=False):
        axis.plot(parts, radii, marker, color=colour, markersize=7, markerfacecolor="none", label=name)
    label(axis, "pressure over that of bursting [-]", "radius over that at rest [-]")
    axis.legend(loc="upper left", fontsize=8, frameon=False)
    return figure
