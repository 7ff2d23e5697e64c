"""The Delassus operator through the bodies, never formed: `W = H H^T`, `H = G M^(-1/2)` (n, m N).

A contact touches two bodies, so a product with W costs as much as the contacts, and Gauss-Seidel keeps the
velocities of the bodies up to date. Newton's matrix is factorised with m rows for each body (m = 3 where
nothing turns, else 6) instead of all rows of its contacts:

    (I + T W T)^-1 = I - T H B^-1 H^T T,    B = I + H^T T^2 H

The pattern of B, which bodies are in contact, stands as long as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Analysis, Cones, Inverse
from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.contact.methods.gauss_seidel import Sweeps, make_room, sweep_bodies
from nsgalpha.jit.decorators import kernel

FIXED = -1  # number of a body that nothing moves
DENSE = 200  # rows up to which Newton's matrix is dense: then faster than 6 rows a body, sparse, and GMRES
BATCH = 5  # sweeps with a bound W_M for a product with W
AWAY = 1e-13  # entries of H, over the largest, that are rounding


class BodyPattern(NamedTuple):
    """The pattern of B, in compressed columns."""

    indptr: Ints  # (m N + 1,)
    indices: Ints
    place: Ints  # (K, 2, 2) where the block of a body begins in the columns of another


class Graph:
    """Which contacts act between which bodies.

    Attributes:
        body: (K, 2) bodies of the contacts, numbered from zero; FIXED.
        row: (K + 1,) offsets of the contacts' rows.
        count: number of bodies N.
        size: m.
    """

    def __init__(self, body: Ints, row: Ints, size: int) -> None:
        self.row, self.size = row, size
        self.body = np.empty_like(body)
        self.count = _renumber(body, np.full(body.max(initial=0) + 1, FIXED), self.body)

    @cached_property
    def pattern(self) -> BodyPattern:
        """The pattern of B."""
        both = self.body[(self.body >= 0).all(axis=1)]
        i, j = (np.concatenate([both[:, s], both[:, 1 - s], np.arange(self.count)]) for s in (0, 1))
        adjacency = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(self.count,) * 2).tocsr()
        adjacency.sum_duplicates()
        start, neighbour = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)
        width = np.repeat(self.size * np.diff(start), self.size)
        indptr = np.concatenate([[0], np.cumsum(width)])
        indices, place = _expand(self.body, start, neighbour, self.size, indptr)
        return BodyPattern(indptr.astype(np.int32), indices, place)


@kernel
def _renumber(body, number, out):
    """Write the bodies of the contacts, numbered as they come, to `out` (K, 2); returns how many."""
    count = 0
    for k in range(body.shape[0]):
        for side in range(2):
            b = body[k, side]
            if b >= 0 and number[b] < 0:
                number[b] = count
                count += 1
            out[k, side] = number[b] if b >= 0 else b
    return count


@kernel
def _expand(body, start, neighbour, size, indptr):
    """Row indices of B, and the places of its blocks; see BodyPattern."""
    indices = np.empty(indptr[-1], np.int32)
    for b in range(start.shape[0] - 1):
        for c in range(size):
            z = indptr[b * size + c]
            for p in range(start[b], start[b + 1]):
                for i in range(size):
                    indices[z] = neighbour[p] * size + i
                    z += 1
    place = np.zeros((body.shape[0], 2, 2), np.int64)
    for k in range(body.shape[0]):
        for i in range(2):
            for j in range(2):
                a, b = body[k, i], body[k, j]
                if a >= 0 and b >= 0:
                    p = start[b]
                    while neighbour[p] != a:
                        p += 1
                    place[k, i, j] = (p - start[b]) * size
    return indices, place


@kernel
def scatter(body, row, H, r, V):
    """`V = H^T r`, (N, m) from (n,)."""
    V[:] = 0.0
    for k in range(body.shape[0]):
        for side in range(2):
            b = body[k, side]
            if b >= 0:
                for i in range(row[k], row[k + 1]):
                    for d in range(V.shape[1]):
                        V[b, d] += H[i, side, d] * r[i]


@kernel
def gather(body, row, H, V, u):
    """`u = H V`, (n,) from (N, m)."""
    for k in range(body.shape[0]):
        for i in range(row[k], row[k + 1]):
            u[i] = 0.0
            for side in range(2):
                b = body[k, side]
                if b >= 0:
                    for d in range(V.shape[1]):
                        u[i] += H[i, side, d] * V[b, d]


@kernel
def fill_normal(body, row, H, T, indptr, place, values):
    """Values of `H^T T^2 H`, see BodyPattern."""
    size = H.shape[2]
    for z in range(values.shape[0]):
        values[z] = 0.0
    TH = np.empty((2, MOST_ROWS, size))
    for k in range(body.shape[0]):
        rows = row[k + 1] - row[k]
        for side in range(2):
            for i in range(rows):
                for d in range(size):
                    total = 0.0
                    for j in range(rows):
                        total += T[k, i, j] * H[row[k] + j, side, d]
                    TH[side, i, d] = total
        for si in range(2):
            for sj in range(2):
                b = body[k, sj]
                if body[k, si] < 0 or b < 0:
                    continue
                for c in range(size):
                    z = indptr[b * size + c] + place[k, si, sj]
                    for d in range(size):
                        total = 0.0
                        for i in range(rows):
                            total += TH[si, i, d] * TH[sj, i, c]
                        values[z + d] += total


@kernel
def _add_identity(indptr, indices, values):
    for column in range(indptr.shape[0] - 1):
        for z in range(indptr[column], indptr[column + 1]):
            if indices[z] == column:
                values[z] += 1.0


@kernel
def _own_blocks(body, row, H, blocks):
    """The blocks (K, 6, 6) of W on its diagonal."""
    for k in range(body.shape[0]):
        for i in range(row[k], row[k + 1]):
            for j in range(row[k], row[k + 1]):
                total = 0.0
                for side in range(2):
                    if body[k, side] >= 0:
                        for d in range(H.shape[2]):
                            total += H[i, side, d] * H[j, side, d]
                blocks[k, i - row[k], j - row[k]] = total


def trim_rotation(H: Floats) -> Floats:
    """`H` (n, 2, 6) without the columns of rotation, where these are rounding."""
    if np.abs(H[:, :, 3:]).max(initial=0.0) <= AWAY * np.abs(H).max(initial=0.0):
        return np.ascontiguousarray(H[:, :, :3])
    return H


class Bounded(ABC):
    """An operator W whose rows are not formed, with an upper `bound` W_M = G M^-1 G^T that has them.

    What adds to the mass, stiffness or joints, makes W smaller. Each batch of sweeps of the problem with

        W_M  and  q + (W - W_M) r_0,

    r_0 being its start, descends in the one with W: both agree at r_0, and the first is above the second.
    """

    bound: BodyOperator

    @abstractmethod
    def __matmul__(self, r: Floats) -> Floats:
        """`W r` (n,)."""

    def sweep(
        self, q: Floats, cones: Cones, r: Floats, tolerance: float, relaxation: float, sweeps: int
    ) -> int:
        """At most so many sweeps of Gauss-Seidel, `r` (n,) in place; their number."""
        done = 0
        while done < sweeps:
            load = q + self @ r - self.bound @ r
            batch = self.bound.sweep(load, cones, r, tolerance, relaxation, BATCH)
            done += batch
            if batch == 1:  # nothing to do
                break
        return done


class BodyOperator:
    """`W = H H^T` (n, n) with the rows `H` (n, 2, m) of the contacts of `graph`, scaled."""

    unsymmetric = None
    direct = False

    def __init__(self, graph: Graph, H: Floats) -> None:
        self.graph, self.H = graph, H
        self._V = np.empty((graph.count, graph.size))

    @cached_property
    def dense(self) -> Floats | None:
        """W (n, n) as an array, where Newton's matrix had better be dense."""
        n = len(self.H)
        if n > DENSE:
            return None
        count, size = self._V.shape
        wide = np.zeros((n, count + 1, size))  # the last one takes what acts on fixed bodies
        of_row = np.repeat(self.graph.body, np.diff(self.graph.row), axis=0)
        for side in range(2):
            wide[np.arange(n), of_row[:, side]] += self.H[:, side]
        moving = wide[:, :count].reshape(n, -1)
        return moving @ moving.T

    def __matmul__(self, r: Floats) -> Floats:
        return self._rates(self._velocities(r))

    def _velocities(self, r: Floats) -> Floats:
        """`H^T r` (N, m), in an array that the next call overwrites."""
        scatter(self.graph.body, self.graph.row, self.H, r, self._V)
        return self._V

    def _rates(self, V: Floats) -> Floats:
        u = np.empty(len(self.H))
        gather(self.graph.body, self.graph.row, self.H, V, u)
        return u

    def sweep(
        self, q: Floats, cones: Cones, r: Floats, tolerance: float, relaxation: float, sweeps: int
    ) -> int:
        """At most so many sweeps of Gauss-Seidel, `r` (n,) in place; their number."""
        body, row = self.graph.body, self.graph.row
        operator = body, row, self.H, self._blocks
        passes = Sweeps(tolerance, relaxation, sweeps)
        marks = np.zeros(self.graph.count, np.int64), np.full(len(body), -1)
        return sweep_bodies(operator, q, cones, r, self._velocities(r), passes, make_room(), marks)

    def coupled(self, rows: Flags) -> Flags:
        """Rows (n,) of the contacts that touch a body of the contacts of `rows` (n,)."""
        body, row = self.graph.body, self.graph.row
        near = np.zeros(self.graph.count + 1, bool)
        near[body[np.logical_or.reduceat(rows, row[:-1])]] = True
        near[FIXED] = False
        return np.repeat(near[body].any(axis=1), np.diff(row))

    @cached_property
    def _blocks(self) -> Floats:
        blocks = np.empty((len(self.graph.body), MOST_ROWS, MOST_ROWS))
        _own_blocks(self.graph.body, self.graph.row, self.H, blocks)
        return blocks

    def inverse(self, T: Floats, cones: Cones, analysis: Analysis) -> Inverse:
        """`z -> (I + T W T)^-1 z`; raises linalg.SingularMatrixError."""
        indptr, indices, place = self.graph.pattern
        values = np.empty(len(indices))
        fill_normal(self.graph.body, self.graph.row, self.H, T, indptr, place, values)
        _add_identity(indptr, indices, values)
        n = len(indptr) - 1
        B = analysis.factorise(sparse.csc_array((values, indices, indptr), shape=(n, n)))

        def apply(z: Floats) -> Floats:
            Tz, Tu = np.empty_like(z), np.empty_like(z)
            friction_cone.apply_blocks(*cones, T, z, Tz)
            V = B.approximate(self._velocities(Tz).ravel())
            friction_cone.apply_blocks(*cones, T, self._rates(V.reshape(self._V.shape)), Tu)
            return z - Tu

        return apply

    def part(self, rows: Ints) -> BodyOperator:
        """The operator of some rows, those of whole contacts."""
        of_row = np.repeat(np.arange(len(self.graph.body)), np.diff(self.graph.row))
        contacts, counts = np.unique(of_row[rows], return_counts=True)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        H = np.ascontiguousarray(self.H[rows])
        return BodyOperator(Graph(self.graph.body[contacts], offsets, self.graph.size), H)
