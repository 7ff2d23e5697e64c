"""The table of a sweep over a grid, as arrays with parameter axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsgalpha.checks import either, instance, refuse, shown

Column = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The columns of a table as arrays, with an axis for each parameter that varies.

    `grid["name"]` is the array (n_1, n_2, ..., ...) of a value, or the places (n_k,) of a parameter along its
    axis, in the order of the points. Made by `Table.grid`.
    """

    axes: dict[str, Column]
    values: dict[str, Column]

    def __post_init__(self) -> None:
        """Raise ValueError unless all values have the axes."""
        for name in ("axes", "values"):
            columns = instance(name, getattr(self, name), dict, "a dict of names and arrays")
            for key, column in columns.items():
                instance(f"{name}[{shown(key)}]", column, np.ndarray, "an array")
        for key, value in self.values.items():
            if value.shape[: len(self.shape)] != self.shape:
                raise refuse(f"values[{shown(key)}]", value.shape, f"of the shape of the axes, {self.shape}")

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(len(places) for places in self.axes.values())

    def __getitem__(self, name: str) -> Column:
        found = {**self.values, **self.axes}
        if name not in found:
            raise KeyError(f"the grid has no array {name!r}; it has {', '.join(found)}")
        return found[name]

    def __repr__(self) -> str:
        sizes = " x ".join(f"{len(places)} {name}" for name, places in self.axes.items())
        return f"<Grid: {sizes}; {', '.join(self.values)}>"


def grid_of(parameters: Mapping[str, Column], values: Mapping[str, Column], names: Sequence[str]) -> Grid:
    """The columns on the axes `names`, or on all parameters that vary; see `Table.grid`."""
    numbers = {name: _numbered(name, column) for name, column in parameters.items()}
    varying = [name for name, (places, _) in numbers.items() if len(places) > 1]
    axes = list(names) or varying
    for k, name in enumerate(axes):
        if not isinstance(name, str) or name not in parameters or name in axes[:k]:
            raise refuse("names", name, f"{either(list(parameters))}, each once")
    other = next((name for name in varying if name not in axes), None)
    if other is not None:
        remedy = f"or take a part: table.where({other}=...)"
        raise refuse("names", axes, f"all that vary, {other} too", remedy)
    shape = tuple(len(numbers[name][0]) for name in axes)
    points = len(next(iter(parameters.values())))
    full = math.prod(shape) == points
    cell = (
        np.ravel_multi_index([numbers[name][1] for name in axes], shape)
        if full and axes
        else np.zeros(1, int)
    )
    if not full or len(np.unique(cell)) < points:
        raise ValueError(
            f"the {points} points are no full grid of {' x '.join(map(str, shape)) or 1} "
            f"({', '.join(axes) or 'nothing varies'}): each must be there once; "
            "give sweep names with their values, {name: values, ...}"
        )
    row = np.argsort(cell)
    return Grid(
        {name: numbers[name][0] for name in axes},
        {name: column[row].reshape(shape + column.shape[1:]) for name, column in values.items()},
    )


def _numbered(name: str, column: Column) -> tuple[Column, NDArray[np.intp]]:
    """The distinct values of a parameter in order, and the number for each point."""
    if column.dtype == object:
        raise refuse(name, column.tolist(), "of one kind, numbers or texts, in a grid")
    axis = None if column.ndim == 1 else 0
    _, first, number = np.unique(column, axis=axis, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return column[first[order]], place[number.ravel()]
