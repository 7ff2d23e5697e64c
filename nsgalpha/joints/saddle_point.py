"""Rows of joints beside the tangents of other forces: a saddle point, sparse.

    [A     G^T] [ z]   [b]
    [G    -c  ] [-l] = [0]

A (6 N, 6 N) is the mass with tangents of forces, G are the rows of joints that depend on no others, and c
their compliances, 0 unless they give way (coordinates.py). With P_A the operator `b -> z`, joints of bodies
that compliant contacts couple answer as those of free bodies do by P (response.py). The matrix is scaled: A
to a unit diagonal, the rows then to length 1.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nsgalpha import linalg
from nsgalpha.arrays import Bodies, Floats, Ints
from nsgalpha.joints.response import Joints
from nsgalpha.linalg.low_rank import LowRank, updated


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


class Saddle:
    """The rows that were measured last beside an `A` (6 N, 6 N), factorised; see above.

    `low` are terms of low rank of A. Raises linalg.SingularMatrixError.
    """

    def __init__(
        self, joints: Joints, bodies: Bodies, c: Floats, A: sparse.csc_array, low: LowRank | None
    ) -> None:
        n = A.shape[0]
        owner, moves = owners(joints), movable(bodies)
        self.kept = joints.factor.pivot > 0.0
        self.rows = len(self.kept)
        G = sparse_rows(owner[self.kept], (joints.rows.G * moves[owner])[self.kept], n // 6)
        diagonal = np.abs(A.diagonal())
        self.scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        D = sparse.diags_array(self.scale)
        G = sparse.csr_array(G @ D)
        size = np.sqrt(np.asarray(G.multiply(G).sum(axis=1)).ravel() + c[self.kept])
        self.length = np.where(size > 0.0, size, 1.0)
        G = sparse.csr_array(sparse.diags_array(1.0 / self.length) @ G)
        corner = sparse.diags_array(-c[self.kept] / self.length**2)
        matrix = sparse.csc_array(sparse.block_array([[D @ A @ D, G.T], [G, corner]], format="csc"))
        matrix.sort_indices()
        factor = linalg.analyse(matrix, kind="general").factorise(matrix)
        if low is not None:
            g = low.g * self.scale[low.row]
            w = g if low.symmetric else low.w * self.scale[low.row]
            low = low._replace(size=matrix.shape[0], g=g, w=w)
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
