"""Spin after the impact of a sphere on a plate: rigid, elastic, measured."""

from collections.abc import Mapping

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.oblique_impacts import reference


def draw(spin: Mapping[float, float]) -> Figure:
    """`spin`: angle [deg] -> simulated spin [rad/s]."""
    figure, axis = new_figure()
    fine = np.linspace(0.0, 90.0, 361)
    rigid = [-reference.spin(angle) for angle in fine]
    axis.plot(fine, rigid, color=COLOURS[0], label="rigid, closed form")
    angles = np.array(sorted(spin))
    elastic = [-spin[angle] for angle in angles]
    axis.plot(angles, elastic, "o-", color=COLOURS[1], markersize=4, label="Hertz and Mindlin")
    measured = [-w for w in reference.MEASURED.values()]
    axis.plot(list(reference.MEASURED), measured, "^", color="black", label="measured, Kharaz et al.")
    before = "angle to the normal before the impact [deg]"
    label(axis, before, "spin after the impact [rad/s]", legend="upper right")
    return figure
