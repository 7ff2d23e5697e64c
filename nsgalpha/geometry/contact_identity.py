"""Identity of a contact: both sides, and the key of their features (contact_keys.py)."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.contact_keys import SIDE_BITS

LOW = (1 << SIDE_BITS) - 1  # side B of a key


class ContactTable(Protocol):
    """Contacts, each a row (C,): candidates, or the contacts of a state."""

    @property
    def a(self) -> Ints:
        """Bodies A."""

    @property
    def b(self) -> Ints:
        """Bodies B; any number where side B is a plane."""

    @property
    def plane(self) -> Ints:
        """Planes; -1 where side B is a body."""

    @property
    def feature(self) -> Ints:
        """Keys of their features."""


@inlined
def _is_same(one, i, two, j):
    """True if row `i` of one table names the same contact as row `j` of `two`."""
    same = one[0][i] == two[0][j] and one[2][i] == two[2][j] and one[3][i] == two[3][j]
    return same and (one[2][i] != -1 or one[1][i] == two[1][j])


@inlined
def _place_of(table, i, size):
    """First place of row `i` of a table in a list of `size`, a power of two."""
    a, b, plane, key = table[0][i], table[1][i], table[2][i], table[3][i]
    side = b if plane == -1 else -2 - plane
    number = (a * 73856093) ^ (side * 19349663) ^ ((key & LOW) * 83492791) ^ ((key >> SIDE_BITS) * 49979693)
    return (number ^ (number >> 17)) & (size - 1)


@kernel
def find_rows(old, new, row):
    """Write the rows of the contacts `new` in the table `old` to `row` (C,), -1 for those it lacks.

    Each table is (a, b, plane, feature). Rows that stay in their places are seen at once. The others are
    looked up in a list by a hash of their numbers.
    """
    count, ahead = old[0].shape[0], 0
    while ahead < min(count, row.shape[0]) and _is_same(old, ahead, new, ahead):
        row[ahead] = ahead
        ahead += 1
    if ahead == row.shape[0]:
        return
    size = 2
    while size < 2 * count:
        size *= 2
    first = np.full(size, -1)
    for i in range(count):
        place = _place_of(old, i, size)
        while first[place] >= 0:
            place = (place + 1) & (size - 1)
        first[place] = i
    for c in range(ahead, row.shape[0]):
        place = _place_of(new, c, size)
        while first[place] >= 0 and not _is_same(old, first[place], new, c):
            place = (place + 1) & (size - 1)
        row[c] = first[place]


def rows_in(table: ContactTable, of: ContactTable) -> Ints:
    """Rows (C,) of the contacts `of` one table in another `table`; -1 for those it lacks."""
    row = np.full(len(of.a), -1)
    if len(table.a) and len(row):
        find_rows(columns(table), columns(of), row)
    return row


def columns(table: ContactTable) -> tuple[Ints, ...]:
    """The numbers of the contacts of a table, for kernels."""
    names = "a", "b", "plane", "feature"
    return tuple(np.require(getattr(table, name), np.int64, ["C", "W"]) for name in names)


def carried(before: ContactTable, after: ContactTable, values: Floats, out: Floats | None = None) -> Floats:
    """The rows of `values` (before, k) in the order of the table `after`; 0 for contacts that are new.

    `out` (after, k) takes them if it is given.
    """
    row = rows_in(before, after)
    if out is None:
        out = np.empty((len(row), values.shape[1]))
    if not len(values):
        out[:] = 0.0
        return out
    np.take(values, row, axis=0, out=out, mode="clip")
    out[row < 0] = 0.0
    return out


def missing(of: ContactTable, table: ContactTable) -> Flags:
    """Flags (C,) of the contacts `of` a table that another `table` lacks."""
    return rows_in(table, of) < 0


def occurrences(a: Ints, b: Ints, plane: Ints) -> Ints:
    """How many times (C,) the pair of each candidate stands before it in the table."""
    pair = _pairs(a, b, plane)
    order = np.argsort(pair, kind="stable")
    begins = np.ones(len(pair), np.bool_)
    begins[1:] = np.diff(pair[order]) != 0
    place = np.arange(len(pair))
    out = np.empty(len(pair), np.int64)
    out[order] = place - np.maximum.accumulate(np.where(begins, place, 0))
    return out


def _pairs(a: Ints, b: Ints, plane: Ints) -> Ints:
    """A number for every pair, the same in all tables of a run."""
    return (a << 32) + np.where(plane == -1, 2 * b, 2 * plane + 1)
