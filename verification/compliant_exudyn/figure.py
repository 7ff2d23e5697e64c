"""Restitution of the impact models; force over overlap of the adhesive one."""

import numpy as np

from elements.laws.exudyn_impact import MODELS, effective_restitution
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure


def draw(
    simulated: dict[str, list[tuple[float, float]]],
    overlap: np.ndarray,
    ours: np.ndarray,
    program: np.ndarray,
) -> Figure:
    """Left: `simulated` pairs (asked for, got) of each model; right: forces [N] over `overlap` [m]."""
    figure, (left, right) = new_figure(1, 2, size=(9.0, 3.9))
    asked = np.linspace(0.01, 1.0, 200)
    left.plot(asked, asked, color="0.75", linewidth=0.9)
    for model, colour in zip(MODELS, COLOURS, strict=False):
        left.plot(asked, [effective_restitution(e, model) for e in asked], color=colour, linewidth=1.0)
        left.plot(*zip(*simulated[model], strict=True), "o", color=colour, markersize=5, label=model)
    label(left, "restitution asked for [-]", "restitution of the impact [-]", "lines: exact", "upper left")
    right.plot(1e3 * overlap, program, color=COLOURS[0], linewidth=2.5, alpha=0.4, label="Exudyn 1.13.6")
    right.plot(1e3 * overlap, ours, color=COLOURS[1], linewidth=0.9, label="law, along the same overlaps")
    label(right, "overlap [mm]", "force [N]", "contactSphereSphereTestEAPM", "upper left")
    return figure
