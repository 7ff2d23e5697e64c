"""The Delassus operator as a sparse matrix, for problems that are given as one."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Analysis, Cones, Inverse
from nsgalpha.contact.methods.gauss_seidel import Sweeps, sweep_matrix

SYMMETRIC = 1e-13  # asymmetry, relative to the unit diagonal, that is rounding
DENSE = 450  # rows up to which Newton's matrix is dense


class Delassus:
    """W (n, n), scaled to unit diagonal, in compressed rows of full contact blocks."""

    direct = False

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.matrix = matrix

    @classmethod
    def full(cls, W: Floats) -> Delassus:
        """Of a matrix (n, n) in which all contacts are coupled."""
        n = len(W)
        indptr, indices = n * np.arange(n + 1), np.tile(np.arange(n), n)
        return cls(sparse.csr_array((W.ravel(), indices, indptr), shape=(n, n)))

    def __matmul__(self, r: Floats) -> Floats:
        return self.matrix @ r

    def sweep(
        self, q: Floats, cones: Cones, r: Floats, tolerance: float, relaxation: float, sweeps: int
    ) -> int:
        """At most so many sweeps of Gauss-Seidel, `r` (n,) in place; their number."""
        W = self.matrix
        return sweep_matrix((W.indptr, W.indices, W.data), q, cones, r, Sweeps(tolerance, relaxation, sweeps))

    def inverse(self, T: Floats, cones: Cones, analysis: Analysis) -> Inverse:
        """`z -> (I + T S T)^-1 z`, S the symmetric part of W; raises linalg.SingularMatrixError."""
        S = self.symmetric
        values = np.empty_like(S.data)
        friction_cone.fill_congruence(S.indptr, S.indices, S.data, *cones, T, values)
        # symmetric: compressed rows are compressed columns
        return analysis.factorise(sparse.csc_array((values, S.indices, S.indptr), shape=S.shape)).approximate

    def part(self, rows: Ints) -> Delassus:
        """The operator of some rows, those of whole sets."""
        return Delassus(self.matrix[rows][:, rows])

    @cached_property
    def dense(self) -> Floats | None:
        """W (n, n) as an array, for problems whose matrix in Newton's method is dense."""
        return self.matrix.toarray() if self.matrix.shape[0] <= DENSE else None

    @cached_property
    def unsymmetric(self) -> sparse.csr_array | None:
        """`W - symmetric`, None where that is rounding."""
        return None if self.symmetric is self.matrix else self.matrix - self.symmetric

    @cached_property
    def symmetric(self) -> sparse.csr_array:
        """The symmetric part of W, on its pattern; W itself where they agree to rounding."""
        W = self.matrix
        transposed = W.T.tocsr()
        transposed.sort_indices()
        if np.abs(W.data - transposed.data).max(initial=0.0) <= SYMMETRIC:
            return W
        values = 0.5 * (W.data + transposed.data)
        return sparse.csr_array((values, W.indices, W.indptr), shape=W.shape)
