"""Errors of single impacts over v h / 2R: runs (dots) and closed forms (lines)."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.balls import RADIUS
from verification.phases import fractions
from verification.step_error import reference
from verification.step_error.model import collide

CUTS = (15.0, 30.0, 45.0, 60.0)  # [deg]
COUNT = 12


def draw(ratios: Sequence[float]) -> Figure:
    """Direction of the struck ball over the arrival within the step, one panel for each v h / 2R."""
    figure, axes = new_figure(1, len(ratios), size=(8.4, 3.6))
    fine, dots, h = np.linspace(0.0, 1.0, 101), fractions(COUNT), 1e-3
    for axis, ratio in zip(axes, ratios, strict=True):
        for cut, colour in zip(CUTS, COLOURS, strict=False):
            phi = np.radians(cut)
            axis.plot(
                fine, np.degrees(reference.turned(phi, ratio * (1.0 - fine))), color=colour, linewidth=1.0
            )
            angles = np.full(COUNT, phi)
            v = collide(ratio * 2.0 * RADIUS / h, h, angles, 1.0 - dots).velocity[:, 1]
            ours = np.degrees(np.arctan2(v[:, 1], v[:, 0]) - angles)
            axis.plot(dots, ours, "o", color=colour, markersize=4, label=f"{cut:g} deg")
        label(axis, "arrival within the step [-]", "turn of the direction [deg]", f"v h / 2R = {ratio:g}")
    axes[0].legend(title="cut", fontsize=8, title_fontsize=8)
    return figure
