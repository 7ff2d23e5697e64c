"""Spin after the impact over the angle of incidence."""

from collections.abc import Mapping

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.oblique_impacts import reference


def draw(spin: Mapping[float, float]) -> Figure:
    """`spin`: angle [deg] -> simulated spin [rad/s]."""
    figure, axis = new_figure()
    fine = np.linspace(0.0, 90.0, 361)
    axis.plot(fine, [-reference.spin(a) for a in fine], color=COLOURS[0], label="rigid, closed form")
    angles = np.array(sorted(spin))
    ours = [-spin[a] for a in angles]
    axis.plot(angles, ours, "o", color=COLOURS[1], markersize=5, fillstyle="none", label="simulated")
    measured, spins = list(reference.MEASURED), [-w for w in reference.MEASURED.values()]
    axis.plot(measured, spins, "^", color="black", label="measured, Kharaz et al.")
    axis.axvline(reference.SLIDING_FROM, color="0.6", linewidth=0.8, linestyle=":")
    axis.text(reference.SLIDING_FROM + 1.0, 30.0, "slides throughout →", fontsize=8, color="0.35")
    before = "angle to the normal before the impact [deg]"
    label(axis, before, "spin after the impact [rad/s]", legend="upper right")
    return figure
