"""Growable arrays: recorded data are in memory once, also when it is handed out.

`ndarray.resize` asks the allocator to enlarge a block, which Linux does for large ones by moving pages, not
bytes. Views of an array would point to freed memory. A module with a growing array hands out copies until the
array has reached its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SHARE = 4  # one row more for so many
FEW = 8  # rows, which are doubled


def enlarge(arrays: Sequence[NDArray[Any]], rows: int) -> None:
    """Give `arrays` of equal length at least `rows`, and a fourth more than they have.

    The first is enlarged last: its length is space that all of them have, also if memory ends in between.
    """
    known = len(arrays[0])
    workspace = max(rows, known + min(known, max(known // SHARE, FEW)))
    for array in reversed(arrays):
        array.resize((workspace, *array.shape[1:]), refcheck=False)


def fit(arrays: Sequence[NDArray[Any]], rows: int) -> None:
    """Cut `arrays` to their first `rows`, and free the memory behind them."""
    for array in arrays:
        array.resize((rows, *array.shape[1:]), refcheck=False)


class GrowableArray:
    """Arrays (n, ...) to which rows are appended together; `empty` ones state their types and widths."""

    def __init__(self, *empty: NDArray[Any]) -> None:
        self._arrays = empty
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, *rows: ArrayLike) -> None:
        """Append one row to every array."""
        self.extend(*(np.asarray(row)[None] for row in rows))

    def extend(self, *rows: NDArray[Any]) -> None:
        """Append rows (k, ...) to every array; they count once all of them are there."""
        self.make_room(len(rows[0]))
        count = self._count + len(rows[0])
        for array, new in zip(self._arrays, rows, strict=True):
            array[self._count : count] = new
        self._count = count

    def make_room(self, rows: int) -> None:
        """See to it that so many `rows` can be appended without further memory."""
        if self._count + rows > len(self._arrays[0]):
            enlarge(self._arrays, self._count + rows)

    def cut(self, count: int) -> None:
        """Forget all but the first `count` rows."""
        self._count = min(self._count, count)

    def copies(self) -> list[NDArray[Any]]:
        """Copies of the rows, for those who keep them while more are appended."""
        return [array[: self._count].copy() for array in self._arrays]

    def copy(self, column: int) -> NDArray[Any]:
        """A copy of the rows of one array."""
        return self._arrays[column][: self._count].copy()

    def fitted(self) -> tuple[NDArray[Any], ...]:
        """The arrays themselves, without further space: nothing is appended any more."""
        fit(self._arrays, self._count)
        return self._arrays
