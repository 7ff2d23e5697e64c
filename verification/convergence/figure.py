"""Error over the step, doubly logarithmic."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.phases import Study


def draw(studies: Sequence[tuple[Study, float, float]]) -> Figure:
    """Markers: errors; lines: the expected order through their middle."""
    figure, axis = new_figure()
    for (study, order, _), colour, marker in zip(studies, COLOURS, "os^", strict=False):
        h, error = np.array(study.steps), study.mean
        middle = np.exp(np.mean(np.log(error / h**order)))
        axis.loglog(h, middle * h**order, color=colour, linewidth=0.9)
        name = f"{study.label}: slope {study.order:.3f}"
        axis.loglog(h, error, marker, color=colour, markersize=5, label=name)
    what = "error [rad/s] or scaled distance [-]"
    label(axis, "step h [s]", what, "lines: slopes 2 and 1", legend="lower right")
    return figure
