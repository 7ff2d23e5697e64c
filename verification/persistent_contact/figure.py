"""Errors of the scenes over the step; energies of long runs."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.persistent_contact.model import SCENES, energies
from verification.phases import Study

LONG, STEP = 10_000, 1e-2


def draw_orders(found: Sequence[Sequence[Study]]) -> Figure:
    """Errors of position and velocity; mean over the phases, with the largest as bars."""
    figure, axes = new_figure(1, 2, size=(9.6, 4.6))
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(found))]
    for k, (axis, name) in enumerate(zip(axes, ("position", "velocity"), strict=True)):
        for scene, studies, colour in zip(SCENES, found, colours, strict=True):
            each = studies[k]
            bars = np.array([each.mean - each.errors.min(axis=1), each.largest - each.mean])
            axis.errorbar(
                each.steps,
                each.mean,
                bars,
                fmt="-o",
                color=colour,
                markersize=4,
                linewidth=1.0,
                label=scene.title,
            )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.tick_params(axis="x", which="minor", labelbottom=False)
        ends = np.array((5e-4, 4e-3))
        low = axis.get_ylim()[0]
        for order in (1, 2):
            axis.plot(ends, 2.0 * low * (ends / ends[0]) ** order, color="0.6", linewidth=0.9, linestyle=":")
        label(axis, "step [s]", f"error [{found[0][k].unit}]", f"{name}; dotted: orders 1 and 2")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    return figure


def draw_energies() -> Figure:
    """Change of the energy over the run."""
    figure, axis = new_figure(1, 1, size=(7.2, 3.6))
    for scene, colour in zip([each for each in SCENES if each.kept], COLOURS, strict=False):
        change = energies(scene, STEP, LONG)
        axis.plot(STEP * np.arange(len(change)), change, color=colour, linewidth=0.6, label=scene.title)
    label(axis, "t [s]", "change of the energy [-]", "over that which the motion exchanges")
    axis.legend(fontsize=8)
    return figure
