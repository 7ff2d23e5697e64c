"""Errors over the stiffness, and over the steps in a contact; doubly logarithmic."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure


def draw_errors(studies: Sequence[Any]) -> Figure:
    """Markers: distances from the rigid result; lines: the expected order, through the stiffest."""
    figure, axis = new_figure()
    for study, colour, marker in zip(studies, COLOURS, "os^v", strict=False):
        k, errors = np.array(study.stiffness), np.array(study.errors)
        axis.loglog(k, errors[-1] * (k / k[-1]) ** study.order, color=colour, linewidth=0.9)
        name = f"{study.label}, slope {study.slope:.3f}"
        axis.loglog(k, errors, marker, color=colour, markersize=7, markerfacecolor="none", label=name)
    units = ", ".join(dict.fromkeys(study.unit for study in studies))
    orders = " and ".join(dict.fromkeys(f"{study.order:g}" for study in studies))
    label(axis, "stiffness k [N/m]", f"distance from the rigid result [{units}]", f"lines: slope {orders}")
    axis.legend(loc="lower left", fontsize=8, frameon=False)
    return figure


def draw_steps(steps: Sequence[float], errors: Sequence[float]) -> Figure:
    """Markers: error of the restitution, worst over the instant of touch; line: slope -3."""
    figure, axis = new_figure()
    n, error = np.array(steps), np.abs(errors)
    axis.loglog(n, 10.0 / n**3, color=COLOURS[1], linewidth=0.9, label="tolerance 10 / n³, n ≥ 10")
    axis.loglog(n, error, "o", color=COLOURS[0], markersize=5, label="worst of four instants of touch")
    label(axis, "steps in a contact n [-]", "error of the restitution [-]", legend="upper right")
    return figure
