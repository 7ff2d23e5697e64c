"""The sparse system of the smooth motion: one block (6, 6) for every body and every pair in contact.

The pattern is found once and stands as long as the same pairs, or fewer, are in contact; values are
filled in place, the symbolic factorisation is kept with it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg import Factor, Solver, analyse
from nsgalpha.linalg.low_rank import LowRank, updated


@kernel
def _add_diagonal(blocks, own, size, indptr, values):
    """Add `size` rows and columns of the `blocks` (N, 6, 6) of bodies, which have the places `own` (N,)."""
    for b in range(blocks.shape[0]):
        for j in range(size):
            first = indptr[size * b + j] + size * own[b]
            for i in range(size):
                values[first + i] += blocks[b, i, j]


@kernel
def _arrange(body, start, size, indices):
    """Row of every entry, for blocks of `size` in rows `body` (K,), `start` by column."""
    place = 0
    for b in range(start.shape[0] - 1):
        for _ in range(size):
            for k in range(start[b], start[b + 1]):
                for i in range(size):
                    indices[place] = size * body[k] + i
                    place += 1


@kernel
def _locate(start, size, column, block, row):
    """Column, block, and row in it, of every entry of blocks of `size`."""
    place = 0
    for b in range(start.shape[0] - 1):
        for j in range(size):
            for k in range(start[b], start[b + 1]):
                for i in range(size):
                    column[place] = size * b + j
                    block[place] = k
                    row[place] = i
                    place += 1


class Pattern:
    """Blocks of `count` bodies coupled by the `pairs` (K, 2); numbers from `count` on are fixed frames.

    Blocks have six rows and columns, or those of translation alone: `size` is 6 or 3.
    """

    def __init__(self, count: int, pairs: Ints, size: int = 6) -> None:
        self.count, self.size = count, size
        bodies = np.arange(count)
        moving = pairs[(pairs < count).all(axis=1)]
        column = np.concatenate([bodies, moving[:, 0], moving[:, 1]])
        row = np.concatenate([bodies, moving[:, 1], moving[:, 0]])
        self._codes = np.unique(column * count + row)
        self._start = np.searchsorted(self._codes, np.arange(count + 1) * count)
        self.own = self.places(bodies, bodies)
        width = size * np.diff(self._start)
        self.indptr = np.concatenate([[0], np.cumsum(np.repeat(width, size))]).astype(np.int32)
        self.indices = np.empty(self.indptr[-1], np.int32)
        _arrange(self._codes % count, self._start, size, self.indices)
        self._matrix = sparse.csc_array(
            (self.zeros(), self.indices, self.indptr), shape=(size * count, size * count)
        )
        self._solver: Solver | None = None

    @cached_property
    def _located(self) -> np.ndarray:
        """Column, block, and row in it, of every entry: as much as the matrix itself, for those who ask."""
        column, block, row = located = np.empty((3, len(self.indices)), np.int32)
        _locate(self._start, self.size, column, block, row)
        return located

    def places(self, row: Ints, column: Ints) -> Ints:
        """Place of the blocks among those of their column; -1 where a side is a frame or there is none."""
        moving = (row < self.count) & (column < self.count)
        code = np.where(moving, column * self.count + row, 0)
        place = np.minimum(np.searchsorted(self._codes, code), len(self._codes) - 1)
        there = moving & (self._codes[place] == code)
        return np.where(there, place - self._start[np.where(moving, column, 0)], -1)

    def of_contacts(self, body: Ints) -> Ints | None:
        """Places (C, S, S) [row side, column side] of contacts `body` (C, S); None if one is not in it."""
        places = self.places(body[:, :, None], body[:, None, :])
        moving = body < self.count
        if (places[moving[:, :, None] & moving[:, None, :]] < 0).any():
            return None
        return places

    def of_rotations(self, body: Flags) -> Flags:
        """Which entries are in rows or columns of rotations of the bodies (N,)."""
        turning = np.zeros((self.count, 6), bool)
        turning[body, 3:] = True
        return turning.ravel()[self.indices] | turning.ravel()[self._located[0]]

    def of_bodies(self, body: Flags) -> Flags:
        """Which entries are in rows or columns of the bodies (N,)."""
        return body[self.indices // self.size] | body[self._located[0] // self.size]

    def joined(self, pairs: Ints) -> Pattern:
        """The pattern of these pairs and `pairs` (K, 2)."""
        row, column = self._codes % self.count, self._codes // self.count
        return Pattern(self.count, np.concatenate([np.column_stack([row, column]), pairs]), self.size)

    def of_pattern(self, other: Pattern) -> Ints:
        """Places of the entries of `other`, all of whose pairs are among these."""
        block = self.places(other._codes % other.count, other._codes // other.count)
        column, number, row = other._located
        return self.indptr[column] + self.size * block[number] + row

    def matrix(self, values: Floats) -> sparse.csc_array:
        """The matrix (6 N, 6 N), or (3 N, 3 N), with these values, until the next call."""
        self._matrix.data = values
        return self._matrix

    def zeros(self) -> Floats:
        """Values of an empty matrix."""
        return np.zeros(len(self.indices))

    def assemble(self, blocks: Floats, values: Floats) -> sparse.csc_array:
        """The matrix of `blocks` (N, 6, 6) of the bodies plus `values`, to which they are added."""
        _add_diagonal(blocks, self.own, self.size, self.indptr, values)
        return self.matrix(values)

    def factorise(self, blocks: Floats, values: Floats, low: LowRank | None = None) -> Factor:
        """Factorise `blocks` (N, 6, 6) of the bodies plus `values`, to which they are added, plus `low`.

        Raises linalg.SingularMatrixError.
        """
        A = self.assemble(blocks, values)
        if self._solver is None:
            self._solver = analyse(A, kind="general")
        return updated(self._solver.factorise(A), low)
