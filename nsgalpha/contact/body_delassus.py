"""The Delassus operator through the bodies, never formed: `W = H H^T`, `H = G M^(-1/2)` (n, m N).

A contact touches two bodies, so that a product with W costs as much as the contacts. Gauss-Seidel keeps the
velocities of the bodies up to date. Newton's matrix is factorised with m rows for each body (m = 3 where
nothing turns, else 6) instead of all rows of its contacts (methods/body_newton.py). Its pattern, which bodies
are in contact, stands as long as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.body_rows import BodyRows, gather, own_blocks, scatter
from nsgalpha.contact.delassus_interface import Cones
from nsgalpha.contact.methods.block_factor import BlockFactor, BlockPattern, block_pattern, empty_factor
from nsgalpha.contact.methods.gauss_seidel import Sweeps, make_room, sweep_bodies
from nsgalpha.jit.decorators import kernel

FIXED = -1  # number of a body that nothing moves
BATCH = 5  # sweeps with a bound W_M for a product with W
AWAY = 1e-13  # entries of H, over the largest, that are rounding


class Graph:
    """The pairs of bodies of the contacts.

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
    def elimination(self) -> BlockPattern:
        """The pattern of a factor with a block for each body."""
        return block_pattern(self.body, self.count)

    @cached_property
    def products(self) -> int:
        """Number of bodies, and of products of blocks in a factorisation."""
        return self.count + int((np.diff(self.elimination.start) ** 2).sum())

    @cached_property
    def factor(self) -> BlockFactor:
        """Workspace for it."""
        return empty_factor(self.elimination, self.size)


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


def trim_rotation(H: Floats) -> Floats:
    """`H` (n, 2, 6) without the columns of rotation, where these are rounding."""
    if np.abs(H[:, :, 3:]).max(initial=0.0) <= AWAY * np.abs(H).max(initial=0.0):
        return np.ascontiguousarray(H[:, :, :3])
    return H


class Bounded(ABC):
    """An operator W whose rows are not formed, with an upper `bound` W_M = G M^-1 G^T that has them.

    Stiffness and joints, which add to the mass, make W smaller. Each batch of sweeps of the problem with

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

    direct = False

    def __init__(self, graph: Graph, H: Floats) -> None:
        self.graph, self.H = graph, H
        self._V = np.empty((graph.count, graph.size))

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
        passes = Sweeps(tolerance, relaxation, sweeps)
        marks = np.zeros(self.graph.count, np.int64), np.full(len(self.graph.body), -1)
        return sweep_bodies(self.rows, q, cones, r, self._velocities(r), passes, make_room(), marks)

    @cached_property
    def rows(self) -> BodyRows:
        """The contacts."""
        body, row = self.graph.body, self.graph.row
        return BodyRows(body, row, self.H, own_blocks(body, row, self.H))

    def part(self, rows: Ints) -> BodyOperator:
        """The operator of some rows, those of whole contacts."""
        of_row = np.repeat(np.arange(len(self.graph.body)), np.diff(self.graph.row))
        contacts, counts = np.unique(of_row[rows], return_counts=True)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        H = np.ascontiguousarray(self.H[rows])
        return BodyOperator(Graph(self.graph.body[contacts], offsets, self.graph.size), H)
