"""Maps of a sweep over two parameters: a number as the colour of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, floats, instance, listed, named, number_in, refuse
from nsgalpha.show.figure_style import Figure, label, new_figure, shown_name
from nsgalpha.shown_text import ROUNDING
from nsgalpha.sweeps.sweep_points import OUTCOME_COLUMNS
from nsgalpha.sweeps.sweep_table import Table, flat_columns

ONE_WAY, TWO_WAYS, NOTHING = "viridis", "RdBu_r", "0.8"


@named
def heat_map(
    table: Table,
    value: str | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    centre: float | None = None,
    lines: Sequence[float] = (),
) -> Figure:
    """A `value` of a sweep as colours over two parameters, whose points make a full grid.

    value: name of a column of numbers, or of an entry of an array column as `to_csv` writes it, "place[0]".
    By default it is the only value. x, y: the parameters along the axes, by default those that vary, in their
    order. centre: the number in the middle of a scale of two colours, which goes as far to both sides.
    lines: numbers at which contour lines are drawn. Cells without a number are grey. Of a sweep over more
    parameters `table.where(mu=0.2)` is a part.

    Raises ValueError for names that the table does not have, values that are no numbers, and points that make
    no full grid.

    >>> from nsgalpha import show
    >>> throw = lambda cut, spin: {"throw": cut * spin}
    >>> table = ns.sweep(throw, {"cut": [0.0, 0.5], "spin": [1.0, 2.0, 3.0]}, workers=1)
    >>> figure = show.heat_map(table, "throw", x="cut", y="spin")
    """
    instance("table", table, Table, "a Table", "such as sweep returns")
    middle = None if centre is None else number_in("centre", centre, -1e300, 1e300)
    levels = floats("lines", listed("lines", lines, "a list of numbers"), "a list of numbers")
    if levels.ndim != 1 or not np.isfinite(levels).all():
        raise refuse("lines", lines, "a list of finite numbers")
    named, column = _chosen_value(table, value)
    across, up = _chosen_axes(table, x, y)
    grid = replace(table, values={named: column}).grid(across, up)
    figure, axis = new_figure(size=(6.4, 4.6))
    ticks = [_places(name, grid[name]) for name in (across, up)]
    (columns, at_x, _), (rows, at_y, _) = ticks
    shown = np.ma.masked_invalid(grid[named].T[np.ix_(rows, columns)].astype(float))
    mesh = axis.pcolormesh(_edges(at_x), _edges(at_y), shown, **_scale(shown, middle))
    if len(levels) and min(shown.shape) > 1:
        axis.contour(at_x, at_y, shown, levels=np.unique(levels), colors="black", linewidths=1.0)
    axis.set_facecolor(NOTHING)
    axis.grid(False)
    for (_, at, words), which in zip(ticks, (axis.xaxis, axis.yaxis), strict=True):
        if words is not None:
            which.set_ticks(at, words)
    bar = figure.colorbar(mesh, ax=axis)
    bar.ax.tick_params(labelsize=8)
    label(bar.ax, "", shown_name(named))
    label(axis, shown_name(across), shown_name(up))
    return figure


def _chosen_value(table: Table, value: str | None) -> tuple[str, Any]:
    """Name and column of the value that is shown."""
    flat = {name: np.array(each) for name, each in flat_columns(table) if name not in table.parameters}
    numbers = {name: each for name, each in flat.items() if each.dtype.kind in "biuf"}
    if value is None:
        found = [name for name in numbers if name not in OUTCOME_COLUMNS]
        if len(found) != 1:
            raise refuse("value", value, f"given where there are {len(found)}: {', '.join(found) or 'none'}")
        return found[0], numbers[found[0]]
    return choice("value", value, list(numbers)), numbers[value]


def _chosen_axes(table: Table, x: str | None, y: str | None) -> tuple[str, str]:
    """Names of the parameters along the axes."""
    known = list(table.parameters)
    for name, given in (("x", x), ("y", y)):
        if given is not None:
            choice(name, given, known)
    if x is not None and x == y:
        raise refuse("y", y, "another parameter than x")
    varying = [name for name in known if (table.parameters[name] != table.parameters[name][:1]).any()]
    free = [name for name in [*varying, *known] if name not in (x, y)]
    if len(known) < 2:
        raise refuse("table", table, "a sweep over two parameters", f"this one has {', '.join(known)}")
    across = free[0] if x is None else x
    return across, next(name for name in free if name != across) if y is None else y


def _places(name: str, places: Any) -> tuple[Any, Floats, list[str] | None]:
    """Order of the `places` along an axis, their positions, and words for non-numbers."""
    if places.ndim == 1 and places.dtype.kind in "iuf":
        at = places.astype(float)
        if not np.isfinite(at).all():
            raise refuse(name, at.tolist(), "finite numbers, along an axis")
        order = np.argsort(at)
        return order, at[order], None
    order = np.arange(len(places))
    return order, order.astype(float), [shown_name(str(place)) for place in places]


def _edges(at: Floats) -> Floats:
    """Edges of cells around increasing places: halfway between neighbours."""
    if len(at) == 1:
        return at[0] + np.array([-0.5, 0.5])
    between = 0.5 * at[1:] + 0.5 * at[:-1]
    return np.concatenate([[1.5 * at[0] - 0.5 * at[1]], between, [1.5 * at[-1] - 0.5 * at[-2]]])


def _scale(shown: Any, middle: float | None) -> dict[str, Any]:
    """Colours for `shown` numbers, and the ends of the scale."""
    low, high = (0.0, 1.0) if shown.count() == 0 else (float(shown.min()), float(shown.max()))
    if high - low <= ROUNDING * max(abs(low), abs(high)):  # one number, but for rounding: one colour
        wide = 0.1 * abs(high) or 1.0
        low, high = low - wide, high + wide
    if middle is None:
        return {"cmap": ONE_WAY, "vmin": low, "vmax": high}
    reach = max(high - middle, middle - low) or 1.0
    return {"cmap": TWO_WAYS, "vmin": middle - reach, "vmax": middle + reach}
