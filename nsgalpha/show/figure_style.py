"""Figures in one style. matplotlib is imported only when a figure is made: `verify` does not wait for it."""

import io
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nsgalpha.shown_text import printable, shortened

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"

COLOURS = ("#1f4e79", "#c0504d", "#2e8b57", "#b8860b", "#6a4c93", "#555555")


def new_figure(
    rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.4, 4.0), **options: Any
) -> tuple[Figure, Any]:
    """A figure of `size` [inch] with one axes or an array; no display is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from nsgalpha.show.tight_margins import TightFigure

    figure = TightFigure(figsize=size, dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, **options)
    for axis in np.atleast_1d(axes).flat:
        axis.grid(True, color="0.9", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    return figure, axes


def label(axis: Axes, x: str, y: str, title: str = "", legend: Any = None) -> None:
    """Axis labels with units, title, and a legend at `legend` (a place such as "upper left")."""
    axis.set_xlabel(x, fontsize=9)
    axis.set_ylabel(y, fontsize=9)
    if title:
        axis.set_title(title, loc="left", fontsize=9.5)
    if legend is not None:
        axis.legend(loc=legend, fontsize=8, frameon=False)


def shown_name(name: str) -> str:
    """A name from a file for figures: plain text in one line, shortened."""
    text = shortened(printable(name), 40).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # which would leave it out of a legend


def png(figure: Figure, **options: Any) -> bytes:
    """The figure as a PNG file; options of `savefig`."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", **options)
    return buffer.getvalue()
