"""Rows of joints beside the tangents of other forces: a saddle point, sparse.

    [A     G^T] [ z]   [b]
    [G    -c  ] [-l] = [0]

A (6 N, 6 N) is the mass with tangents of forces, and G are the independent rows of joints. Their compliances
are c, 0 except for soft rows (joint_coordinates.py). With P_A the operator `b -> z`, joints of bodies that
compliant contacts couple answer as those of free bodies do by P (jointed_response.py). The matrix is scaled:
A to a unit diagonal, the rows then to length 1.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nsgalpha import linalg
from nsgalpha.arrays import Bodies, Flags, Floats, Ints, LowRank
from nsgalpha.constraints.jointed_response import Joints
from nsgalpha.linalg import Factor
from nsgalpha.linalg.low_rank import updated


def owners(joints: Joints) -> Ints:
    """Bodies and frames (R, K) of the rows."""
    table = joints.table
    return table.body[np.repeat(np.arange(len(table.body)), np.diff(table.row))]


def sparse_rows(owner: Ints, G: Floats, bodies: int) -> sparse.csr_array:
    """Rows `G` (R, K, 6) of the bodies `owner` (R, K) as a matrix (R, 6 `bodies`), without other columns."""
    column = np.broadcast_to(6 * owner[:, :, None] + np.arange(6), G.shape)
    row = np.broadcast_to(np.arange(len(G))[:, None, None], G.shape)
    moving = column < 6 * bodies
    of = G[moving], (row[moving], column[moving])
    return sparse.coo_array(of, shape=(len(G), 6 * bodies)).tocsr()


def compliances(joints: Joints, factor_q: float, factor_v: float) -> Floats:
    """Compliances c (R,): a force changes positions and velocities, times the mass, by these factors."""
    relations, c = joints.relations, np.zeros(len(joints.c))
    first = len(c) - len(relations.soft)
    stiff = factor_q * relations.stiffness + factor_v * relations.damping
    c[first:][relations.soft] = 1.0 / stiff[relations.soft]
    return c


def movable(bodies: Bodies) -> Floats:
    """1 or 0 (B, 6): velocities and angular velocities that forces can change; fixed bodies have none."""
    moves = np.zeros((len(bodies.mass), 6))
    moves[:, :3] = (bodies.inverse_mass > 0.0)[:, None]
    moves[:, 3:] = np.einsum("bii->bi", bodies.inverse_inertia) > 0.0
    return moves


class SaddlePattern:
    """The pattern of the saddle points of an `A` (6 N, 6 N) with the rows of `joints` that are `kept` (R,).

    Of these the `soft` ones (R,) have a compliance. Ordering and symbolic factorisation stay with it.
    """

    def __init__(self, joints: Joints, A: sparse.csc_array, kept: Flags, soft: Flags) -> None:
        self._of = A.indptr, A.indices, kept, soft
        n = A.shape[0]
        self._owner = owners(joints)[kept]
        column = 6 * self._owner[:, :, None] + np.arange(6)
        self._moves = column < n
        row = np.broadcast_to(np.arange(len(column))[:, None, None], column.shape)
        # a relation may name a body on several of its sides
        code, self._merged = np.unique((row * n + column)[self._moves], return_inverse=True)
        self.row, self.column = code // n, code % n  # of the entries of G
        self.A_row, self.A_column = A.indices, np.repeat(np.arange(n), np.diff(A.indptr))
        self.corner = np.flatnonzero(soft[kept])
        i = np.concatenate([self.A_row, self.column, n + self.row, n + self.corner])
        j = np.concatenate([self.A_column, n + self.row, self.column, n + self.corner])
        self._place = np.lexsort((i, j))
        size = n + len(column)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(j, minlength=size))])
        values = np.zeros(len(i)), i[self._place].astype(np.int32), indptr.astype(np.int32)
        self._matrix = sparse.csc_array(values, shape=(size, size))
        self._solver = linalg.analyse(self._matrix, kind="general")

    def serves(self, A: sparse.csc_array, kept: Flags, soft: Flags) -> bool:
        """True if it is the pattern of these."""
        return all(map(np.array_equal, self._of, (A.indptr, A.indices, kept, soft)))

    def entries(self, G: Floats, moves: Floats) -> Floats:
        """Entries of the rows `G` (R, K, 6), without velocities that forces cannot change, `moves` (B, 6)."""
        values = (G * moves[self._owner])[self._moves]
        return np.bincount(self._merged, values, len(self.row)).astype(float)

    def factorise(self, A: Floats, G: Floats, corner: Floats) -> Factor:
        """The factor for these entries of A, G and -c; raises linalg.SingularMatrixError."""
        self._matrix.data = np.concatenate([A, G, G, corner])[self._place]
        return self._solver.factorise(self._matrix)


class Saddles:
    """The two patterns used last, of the smooth motion and of the corrections."""

    def __init__(self) -> None:
        self._patterns: list[SaddlePattern] = []

    def pattern(self, joints: Joints, A: sparse.csc_array, kept: Flags, soft: Flags) -> SaddlePattern:
        """That of `A` and these rows; see SaddlePattern."""
        for pattern in self._patterns:
            if pattern.serves(A, kept, soft):
                return pattern
        self._patterns = [SaddlePattern(joints, A, kept, soft), *self._patterns[:1]]
        return self._patterns[0]


class Saddle:
    """The rows that were measured last beside an `A` (6 N, 6 N), factorised; see above.

    `low` are terms of low rank of A. Raises linalg.SingularMatrixError.
    """

    def __init__(
        self,
        saddles: Saddles,
        joints: Joints,
        bodies: Bodies,
        c: Floats,
        A: sparse.csc_array,
        low: LowRank | None,
    ) -> None:
        self.kept = joints.factor.pivot > 0.0
        self.rows = len(self.kept)
        pattern = saddles.pattern(joints, A, self.kept, c > 0.0)
        diagonal = np.abs(A.diagonal())
        self.scale = scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        c = c[self.kept]
        G = pattern.entries(joints.rows.G[self.kept], movable(bodies)) * scale[pattern.column]
        size = np.sqrt(np.bincount(pattern.row, G * G, len(c)) + c)
        self.length = np.where(size > 0.0, size, 1.0)
        factor = pattern.factorise(
            scale[pattern.A_row] * A.data * scale[pattern.A_column],
            G / self.length[pattern.row],
            -(c / self.length**2)[pattern.corner],
        )
        if low is not None:
            g = low.g * scale[low.row]
            w = g if low.symmetric else low.w * scale[low.row]
            low = low._replace(size=len(scale) + len(c), g=g, w=w)
        self._factor = updated(factor, low)

    def _load(self, b: Floats) -> Floats:
        load = np.zeros((len(self.scale) + len(self.length), *b.shape[1:]))
        load[: len(b)] = (self.scale * b.T).T
        return load

    def solve_both(self, b: Floats) -> tuple[Floats, Floats]:
        """`z` (6 N,) and the multipliers l (R,), 0 of rows that are left out, for `b` (6 N,)."""
        found = self._factor.solve(self._load(b))
        multiplier = np.zeros(self.rows)
        multiplier[self.kept] = -found[len(b) :] / self.length
        return self.scale * found[: len(b)], multiplier

    def solve(self, b: Floats) -> Floats:
        """`P_A b` (6 N,)."""
        return self.solve_both(b)[0]

    def approximate(self, b: Floats) -> Floats:
        """`P_A b`, (6 N,) or (6 N, k), without refinement."""
        found = self._factor.approximate(self._load(b))[: len(b)]
        return np.asarray((self.scale * found.T).T)
