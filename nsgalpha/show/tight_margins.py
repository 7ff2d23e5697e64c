"""Figures of matplotlib that are saved without empty margins, and show themselves in notebooks."""

from typing import Any

from matplotlib.figure import Figure

from nsgalpha.show.png_bytes import png

MARGIN = 0.04  # [inch]


class TightFigure(Figure):
    """A figure whose files end where the drawing does, unless `bbox_inches` says otherwise."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure as its suffix says: .png, .svg, .pdf, ..."""
        super().savefig(fname, **{"bbox_inches": "tight", "pad_inches": MARGIN, **options})

    def _repr_png_(self) -> bytes:
        """The picture, as notebooks show it at the end of a cell."""
        return png(self)
