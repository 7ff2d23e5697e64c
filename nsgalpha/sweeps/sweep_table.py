"""The table of a sweep: a row for each point, its columns as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import choice, either, instance, refuse, shown
from nsgalpha.checks import path as checked_path
from nsgalpha.model.model_repr import MOST, counted
from nsgalpha.run import result_tables
from nsgalpha.run.dataframes import imported
from nsgalpha.shown_text import as_html, first_rows, number_in_words, table
from nsgalpha.sweeps.sweep_grid import Grid, grid_of
from nsgalpha.sweeps.sweep_points import OUTCOME_COLUMNS, Point
from nsgalpha.sweeps.worker_task import DONE, NOT_RUN, OUTCOMES, TaskOutcome
from nsgalpha.user_files import write_csv

if TYPE_CHECKING:
    from pandas import DataFrame

Column = NDArray[Any]
COLUMN = "an array with a row for each point"
SAME = 1e-9  # part of its size by which a number of `where` may be off


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The table of a sweep, a row for each of its n points in order.

    `table["name"]` is the column of a parameter or of a value: an array (n,), or (n, ...) where the values
    are arrays of one shape. Where a point has no value there is NaN in a column of numbers (which is then
    one of floats) and "" in one of texts. Columns of other things, arrays of different shapes among
    them, are arrays (n,) of objects, with None where there is no value.
    """

    parameters: dict[str, Column]
    values: dict[str, Column]
    outcome: NDArray[np.str_]  # "done", "ended early" (its run did), "failed", "lost" or "not run"
    message: Column  # (n,) sentence, "" where the point is done
    seconds: Floats  # [s] wall time of the point
    tries: Ints  # how often it was begun; more than one where its worker died

    def __post_init__(self) -> None:
        """Raise ValueError unless all columns are arrays with a row for each point."""
        rows = len(np.atleast_1d(instance("outcome", self.outcome, np.ndarray, COLUMN)))
        for name, kinds in (("outcome", "U"), ("message", "UO"), ("seconds", "f"), ("tries", "iu")):
            _check_column(name, getattr(self, name), kinds, rows)
        for row, outcome in enumerate(self.outcome.tolist()):
            choice(f"outcome[{row}]", outcome, OUTCOMES)
        for name in ("parameters", "values"):
            columns = instance(name, getattr(self, name), dict, "a dict of names and columns")
            for key, column in columns.items():
                _check_column(f"{name}[{shown(key)}]", column, "biufcUO", rows)

    def __repr__(self) -> str:
        return f"<Table: {self.status}>"

    def _repr_html_(self) -> str:
        """The first points, as notebooks show them."""
        return table_as_html(self)

    def __len__(self) -> int:
        return len(self.outcome)

    def __getitem__(self, name: str) -> Column:
        columns = self.columns()
        if name not in columns:
            raise KeyError(f"the table has no column {name!r}; it has {', '.join(columns)}")
        return columns[name]

    def columns(self) -> dict[str, Column]:
        """All columns by name: parameters, values, outcome, message, seconds, tries."""
        last = {name: getattr(self, name) for name in OUTCOME_COLUMNS}
        return {**self.parameters, **self.values, **last}

    @property
    def done(self) -> NDArray[np.bool_]:
        """Mask (n,) of the finished points: `table["speed"][table.done]`."""
        return self.outcome == DONE

    @property
    def status(self) -> str:
        """A sentence with the number of finished points and the first other status."""
        counts = Counter(self.outcome.tolist())
        parts = [f"{counts[k]} {k}" for k in OUTCOMES if counts[k]]
        text = f"{len(self)} points: {', '.join(parts)}"
        wrong = next((i for i in range(len(self)) if self.message[i]), None)
        return text if wrong is None else f"{text}; the first says: {self.message[wrong]}"

    def same(self, other: Table) -> bool:
        """True if parameters, values and outcomes agree to the bit; times and tries may differ."""
        instance("other", other, Table, "a Table")
        pairs = ((self.parameters, other.parameters), (self.values, other.values))
        alike = all(a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a) for a, b in pairs)
        return alike and np.array_equal(self.outcome, other.outcome)

    def where(self, **fixed: Any) -> Table:
        """The points at which parameters have the values `fixed`, as a table: `table.where(mu=0.2)`.

        Numbers are equal up to 1e-9 of their size, arrays in all entries; of objects it is the same one.

        Raises ValueError for names that are no parameters, and values that no point has.
        """
        chosen = np.ones(len(self), bool)
        for name, value in fixed.items():
            if name not in self.parameters:
                raise refuse("fixed", name, either(list(self.parameters)))
            equal = _equal(self.parameters[name], value)
            if not equal.any():
                known = shown(self.parameters[name].tolist()[0])
                raise refuse(name, value, "a value of its points", f"such as {known}")
            chosen &= equal
        if not chosen.any():
            raise refuse("fixed", fixed, "values that a point has together")
        return Table(
            {name: column[chosen] for name, column in self.parameters.items()},
            {name: column[chosen] for name, column in self.values.items()},
            *(self.outcome[chosen], self.message[chosen], self.seconds[chosen], self.tries[chosen]),
        )

    def grid(self, *names: str) -> Grid:
        """Columns as arrays with parameter axes, for points of a full grid.

        `table.grid()["velocity"]` has the axes of the parameters that vary, in their order, then those of the
        value itself; `table.grid("mu", "speed")` takes them in this order. Points may come in any order.
        Where a point has no value there is NaN or "", as in the table. `where` takes a part of a sweep over
        more parameters.

        Raises ValueError for points that make no full grid, and parameters that vary but are not named.
        """
        values = {**self.values, **{name: getattr(self, name) for name in OUTCOME_COLUMNS}}
        return grid_of(self.parameters, values, names)

    def to_pandas(self) -> DataFrame:
        """The same columns as a table of pandas: `pip install nsgalpha[tables]`; ImportError without it."""
        return imported("pandas").DataFrame(dict(flat_columns(self)))

    def to_csv(self, path: str | Path) -> None:
        """Write a text file with commas: the names, then a line for each point.

        An array has a column for each entry, `name[0]`, `name[1]`, ...; other things are written as Python
        shows them. Numbers have all their digits. A text that a spreadsheet would run as a formula, such as
        `=A1`, has an apostrophe in front. An existing file is replaced once all is written.
        """
        write_csv(checked_path("path", path), dict(flat_columns(self)))


def _check_column(name: str, column: Any, kinds: str, rows: int) -> None:
    """ValueError unless `column` is an array of so many `rows`, of one of the `kinds` of numpy."""
    instance(name, column, np.ndarray, COLUMN)
    if column.dtype.kind not in kinds or column.shape[:1] != (rows,):
        allowed = f"{COLUMN}, {rows} as in outcome: {' or '.join(kinds)}"
        raise refuse(name, f"{column.dtype} {column.shape}", allowed)


def _equal(column: Column, value: Any) -> NDArray[np.bool_]:
    """Rows of `column` that are `value`: numbers up to rounding."""
    wanted = _array(value)
    kinds = {"number" if each.dtype.kind in "iufc" else each.dtype.kind for each in (column, wanted)}
    if column.dtype == object:
        same = np.array([each is value for each in column])
    elif wanted.shape != column.shape[1:] or len(kinds) > 1:
        same = np.zeros(len(column), bool)
    elif kinds == {"number"}:
        same = np.isclose(column, wanted, rtol=SAME, atol=0.0, equal_nan=True)
    else:
        same = column == wanted
    return np.asarray(same.reshape(len(column), -1).all(axis=1))


def _same(a: Column, b: Column) -> bool:
    """Equal type, shape and bits of numbers (two NaN are the same), equal objects."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype == object:
        return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    return a.tobytes() == b.tobytes()


def flat_columns(table: Table) -> Iterator[tuple[str, list[Any]]]:
    """The names and values of all columns, arrays in a column for each entry."""
    for name, column in result_tables.flat_columns(table.columns()):
        yield name, column.tolist()


def column_of(values: Sequence[Any]) -> Column:
    """One column of values, None where there is none."""
    arrays = [None if each is None else _array(each) for each in values]
    there = [each for each in arrays if each is not None]
    kinds = {"number" if each.dtype.kind in "biufc" else each.dtype.kind for each in there}
    shapes = {each.shape for each in there}
    if len(shapes) != 1 or len(kinds) != 1 or not kinds <= {"number", "U"}:
        column = np.empty(len(values), dtype=object)
        for row, value in enumerate(values):
            column[row] = value
        return column
    holes = [np.float64] if len(there) < len(arrays) and kinds == {"number"} else []
    dtype = np.result_type(*there, *holes)
    nothing = np.full(shapes.pop(), "" if kinds == {"U"} else np.nan if holes else 0).astype(dtype)
    return np.stack([nothing if each is None else each.astype(dtype) for each in arrays])


def _array(value: Any) -> Column:
    """The value as numpy takes it, or as a single object."""
    try:
        return np.asarray(value)
    except Exception:  # rows of different lengths, and any error of objects
        return np.empty((), dtype=object)


def table_of(points: Sequence[Point], outcomes: Sequence[TaskOutcome | None]) -> Table:
    """The table of `points` with their outcomes, None for those that were not run."""
    found = [each or TaskOutcome(NOT_RUN, {}, "", 0.0, 0) for each in outcomes]
    names = dict.fromkeys(name for each in found for name in each.values)
    message = np.empty(len(found), dtype=object)
    message[:] = [each.message for each in found]
    return Table(
        parameters={name: column_of([point[name] for point in points]) for name in points[0]},
        values={name: column_of([each.values.get(name) for each in found]) for name in names},
        outcome=np.array([each.outcome for each in found]),
        message=message,
        seconds=np.array([each.seconds for each in found]),
        tries=np.array([each.tries for each in found]),
    )


def table_as_html(found: Table) -> str:
    """The first points, and how many are done."""
    names = [name for name, column in found.columns().items() if column.ndim == 1]
    columns = [found.columns()[name][:MOST].tolist() for name in names]
    rows = [
        tuple(number_in_words(x) if isinstance(x, int | float) else str(x) for x in row)
        for row in zip(*columns, strict=True)
    ]
    more = counted(len(found) - MOST, "points") if len(found) > MOST else ""
    return f"<b>Table</b>: {as_html(found.status)}{table(names, first_rows(rows, more))}"
