"""Where the balls of many breaks end, and the deflection of the cue ball."""

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.billiard_break.model import LENGTH, WIDTH


def draw(table: ns.Table, slope: float) -> Figure:
    """Top view of all breaks after 3 s; v_y over offset of the cue ball."""
    figure, (top, after) = new_figure(1, 2, size=(11.0, 4.2), width_ratios=(1.9, 1.0))
    x, y = LENGTH / 2.0, WIDTH / 2.0
    top.plot([-x, x, x, -x, -x], [-y, -y, y, y, -y], color="0.25", linewidth=1.5)
    place = table["position"][table.done]
    dots = {"markersize": float(np.clip(60.0 / len(table) ** 0.5, 2.5, 5.0)), "linewidth": 0, "alpha": 0.5}
    for balls, colour, name in ((place[:, 1:], COLOURS[0], "rack"), (place[:, 0], COLOURS[1], "cue")):
        flat = balls.reshape(-1, 2)
        top.plot(flat[:, 0], flat[:, 1], ".", color=colour, label=name, markeredgewidth=0, **dots)
    top.set_aspect("equal")
    top.grid(False)
    label(top, "x [m]", "y [m]", f"{len(place)} breaks after 3 s")
    top.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False, ncols=2, markerscale=2.0
    )
    offset = table["offset"][table.done]
    after.plot(1e3 * offset, table["velocity"][table.done, 0, 1], ".", color=COLOURS[1], **dots)
    ends = np.array([offset.min(), offset.max()])
    after.plot(1e3 * ends, slope * ends, color="0.25", linewidth=0.9, label="by hand, small offsets")
    label(after, "offset [mm]", "v_y [m/s]", "cue ball after the break", legend="upper left")
    return figure
