"""Figures of matplotlib that are saved without empty margins."""

from typing import Any

from matplotlib.figure import Figure

MARGIN = 0.04  # [inch]


class TightFigure(Figure):
    """A figure whose files end where the drawing does, unless `bbox_inches` says otherwise."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure as its suffix says: .png, .svg, .pdf, ..."""
        super().savefig(fname, **{"bbox_inches": "tight", "pad_inches": MARGIN, **options})
