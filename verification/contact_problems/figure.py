"""Time over the number of contacts."""

from collections.abc import Sequence
from typing import Any

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure


def draw_times(results: Sequence[Any]) -> Figure:
    """One marker for each problem, one colour for each family."""
    figure, axis = new_figure()
    families = list(dict.fromkeys(each.family for each in results))
    for k, family in enumerate(families):
        points = [(each.contacts, each.seconds) for each in results if each.family == family]
        colour, marker = COLOURS[k % len(COLOURS)], "os^vDP*X"[k % 8]
        axis.loglog(*zip(*points, strict=True), marker, color=colour, markersize=4, label=family)
    label(axis, "contacts [-]", "time [s]", "one problem each", legend="upper left")
    return figure
