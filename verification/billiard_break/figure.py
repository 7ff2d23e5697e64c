"""Figure 5 of the paper: configuration, speeds over time for both cases, paths on the table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.balls import RADIUS
from verification.billiard_break.model import LENGTH, NAMES, WIDTH


def draw_table(axis: Any, result: ns.Result) -> None:
    """Top view: table, balls at the start (filled) and end (open), paths."""
    x, y = LENGTH / 2.0, WIDTH / 2.0
    axis.plot([-x, x, x, -x, -x], [-y, -y, y, y, -y], color="0.25", linewidth=1.5)
    angle = np.linspace(0.0, 2.0 * np.pi, 40)
    circle = RADIUS * np.stack([np.cos(angle), np.sin(angle)])
    for i, colour in enumerate(COLOURS[: len(NAMES)]):
        path = result.position[:, i]
        axis.plot(path[:, 0], path[:, 1], color=colour, linewidth=0.9)
        axis.fill(*(path[0, :2, None] + circle), color=colour, alpha=0.5, linewidth=0)
        axis.plot(*(path[-1, :2, None] + circle), color=colour, linewidth=1.2)
    axis.set_aspect("equal")
    axis.grid(False)


def draw(results: "Sequence[tuple[str, ns.Result]]") -> Figure:
    """One row per case: speeds on the left, top view on the right."""
    figure, axes = new_figure(len(results), 2, size=(11.0, 6.6), width_ratios=(1.0, 1.35))
    for (speeds, table), (title, result) in zip(axes, results, strict=True):
        for i, (name, colour) in enumerate(zip(NAMES, COLOURS, strict=False)):
            speed = np.linalg.norm(result.velocity[:, i], axis=-1)
            # left and right ball are mirror images: dash the second to show both
            dash = "--" if name == "right" else "-"
            speeds.plot(result.t, speed, color=colour, linewidth=1.3, linestyle=dash, label=name)
        label(speeds, "t [s]", "speed [m/s]", title, legend="upper right")
        draw_table(table, result)
        label(table, "x [m]", "y [m]", "filled: start, open: end")
    return figure
