"""The network of contact forces of a recorded state, seen along an axis."""

from __future__ import annotations

import numpy as np

from nsgalpha.checks import named
from nsgalpha.run.result import Result
from nsgalpha.show.contact_appearance import colour_numbers, owners_of, shown_lines, stated_colours
from nsgalpha.show.contact_forces import contact_lines
from nsgalpha.show.figure_style import COLOURS, Figure, in_unit, new_figure
from nsgalpha.show.periodic_images import shown_places
from nsgalpha.show.plots import draw_edges, finish_view
from nsgalpha.show.user_choices import axes_of, record_at, result_of

WIDEST = 6.0  # points


@named
def network(result: Result, t: float | None = None, *, plane: str = "xz") -> Figure:
    """Contacts of the recorded state nearest to `t` [s] (None: the last) as lines between the centres.

    The width of a line is in proportion to the normal force, red where it pushes and blue where it pulls.
    Lines have the colour with which their element was added; those of elements with `show=False` are left
    out. The force of set-valued contacts is the mean over the step that led to the state, the impulse over
    the step. While bodies hit each other it depends on the step. plane: the two axes of the picture.

    Raises ValueError for times that are not recorded, or another `plane`.
    """
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.patches import Circle

    i, j = axes_of(plane)
    record = record_at(result_of(result), t)
    model = result.model
    lines = shown_lines(contact_lines(result, record, owners_of(model)), model)
    x = shown_places(model, np.asarray(result.position[record]), float(result.t[record]))[:, [i, j]]
    figure, axis = new_figure(size=(6.4, 5.4))
    circles = [Circle(tuple(at), body.radius) for at, body in zip(x, model.bodies, strict=True)]
    axis.add_collection(PatchCollection(circles, facecolor="0.95", edgecolor="0.75", linewidth=0.5))
    largest = np.abs(lines.pressure).max(initial=0.0)
    if largest > 0.0:
        ends = np.stack([lines.start[:, [i, j]], lines.end[:, [i, j]]], axis=1)
        widths = WIDEST * np.abs(lines.pressure) / largest
        numbers, stated = colour_numbers(lines, model), stated_colours(model)
        usual = (COLOURS[1] if p > 0.0 else COLOURS[0] for p in lines.pressure)
        colours = [stated[k] if k >= 0 else each for k, each in zip(numbers.tolist(), usual, strict=True)]
        axis.add_collection(LineCollection(list(ends), linewidths=widths, colors=colours, capstyle="round"))
    draw_edges(axis, result, i, j)
    title = f"t = {result.t[record]:.6g} s, {len(lines.gap)} contacts, widest {in_unit(largest, 'N')}"
    finish_view(axis, i, j, title)
    return figure
