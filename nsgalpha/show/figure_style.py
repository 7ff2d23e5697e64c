"""Figures in one style. matplotlib is imported only when a figure is made: `verify` does not wait for it."""

import re
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nsgalpha.show.png_bytes import png as png
from nsgalpha.shown_text import printable, shortened

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"

PREFIXES = {name: 10.0 ** (9 - 3 * k) for k, name in enumerate(("G", "M", "k", "", "m", "µ", "n", "p"))}
READABLE = 1e-3, 1e4  # numbers that need no prefix
SCALED = re.compile(r"\[(m/s|m|s|N s|N|J|W|Pa)\]$")  # units that take one
NOISE = 1e-9  # part of the largest tick below which one is zero

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
    """Axis labels with units, title, and a legend at `legend` (a place such as "upper left").

    Units of very small or large numbers get a prefix, `gap [µm]`, and ticks are in that unit.
    """
    axis.set_xlabel(_with_prefix(axis.xaxis, x, axis.get_xlim()), fontsize=9)
    axis.set_ylabel(_with_prefix(axis.yaxis, y, axis.get_ylim()), fontsize=9)
    if title:
        axis.set_title(title, loc="left", fontsize=9.5)
    if legend is not None:
        axis.legend(loc=legend, fontsize=8, frameon=False)


def shown_name(name: str) -> str:
    """A name from a file for figures: plain text in one line, shortened."""
    text = shortened(printable(name), 40).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # which would leave it out of a legend


def in_unit(value: float, unit: str) -> str:
    """A number with its unit and a prefix: `5.08 µN` for 0.00000508 N."""
    size, prefix = _prefix(abs(value))
    return f"{value / size:.3g} {prefix}{unit}"


def _prefix(largest: float) -> tuple[float, str]:
    """Size and name of the prefix for numbers up to `largest`."""
    fitting = ((size, name) for name, size in PREFIXES.items() if largest >= size)
    return (1.0, "") if READABLE[0] <= largest < READABLE[1] else next(fitting, (1.0, ""))


def _with_prefix(which: Any, text: str, limits: tuple[float, float]) -> str:
    """The `text` of an axis between `limits`, whose unit gets a prefix, with ticks in this unit."""
    unit, largest = SCALED.search(text), max(map(abs, limits))
    size, prefix = _prefix(largest)
    if unit is None or not prefix or which.get_scale() != "linear":
        return text
    least = NOISE * largest
    which.set_major_formatter(lambda value, _: f"{value / size if abs(value) > least else 0.0:.6g}")
    return f"{text[: unit.start()]}[{prefix}{unit[1]}]"
