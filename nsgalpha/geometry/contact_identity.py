"""Identity of a contact: side A, side B, and its number in the pair."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints

FEATURES = 1 << 20  # at most, of a pair


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
        """Numbers among those of the pair."""


def carried(before: ContactTable, after: ContactTable, values: Floats, out: Floats | None = None) -> Floats:
    """The rows of `values` (before, k) in the order of the table `after`; 0 for contacts that are new.

    `out` (after, k) takes them if it is given.
    """
    old, new = _keys(before, after)
    if out is None:
        out = np.empty((len(new), values.shape[1]))
    if not len(old):
        out[:] = 0.0
        return out
    order = np.argsort(old)
    place = order[np.minimum(np.searchsorted(old, new, sorter=order), len(old) - 1)]
    np.take(values, place, axis=0, out=out, mode="clip")
    out[old[place] != new] = 0.0
    return out


def missing(of: ContactTable, table: ContactTable) -> Flags:
    """Flags (C,) of the contacts `of` a table that another `table` lacks."""
    ours, theirs = _keys(of, table)
    return ~np.isin(ours, theirs)


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


def _keys(*tables: ContactTable) -> list[Ints]:
    """Numbers of the contacts of each table, the same for the same contact."""
    pairs = [_pairs(table.a, table.b, table.plane) for table in tables]
    features = [table.feature for table in tables]
    if not any(feature.any() for feature in features):
        return pairs
    _, number = np.unique(np.concatenate(pairs), return_inverse=True)
    all_features = np.concatenate(features)
    low = all_features.min()
    key = number * (all_features.max() - low + 1) + all_features - low
    return np.split(key, np.cumsum([len(pair) for pair in pairs])[:-1])
