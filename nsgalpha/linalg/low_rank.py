"""Matrices with terms of low rank: few forces, such as pressures, on many unknowns.

    A = S + sum c w g^T

is full and never formed. With the factor of the sparse S and Y = S^-1 W C, for r terms,

    A^-1 b = z - Y (1 + G^T Y)^-1 G^T z,    z = S^-1 b                              (Woodbury)

S may be indefinite where a symmetric A is positive definite. Then the bordered matrix is factorised, whose
pivots tell (Sylvester, Haynsworth):

    [[S, G], [G^T, -1/C]] [x, y] = [b, 0],    negative(A) = negative(bordered) - positive(C)
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from nsgalpha.arrays import Floats, LowRank
from nsgalpha.linalg import Factor
from nsgalpha.linalg.singular_matrix import SingularMatrixError


def joined(terms: list[LowRank]) -> LowRank | None:
    """All terms together that are not 0, None if there are none."""
    terms = [each for each in map(without_zeros, terms) if len(each.c)]
    if len(terms) < 2:
        return terms[0] if terms else None
    first = np.cumsum([0, *(len(each.c) for each in terms)])
    g = np.concatenate([each.g for each in terms])
    symmetric = all(each.symmetric for each in terms)
    c, row = (np.concatenate([each[k] for each in terms]) for k in (1, 2))
    term = np.concatenate([each.term + k for each, k in zip(terms, first, strict=False)])
    w = g if symmetric else np.concatenate([each.w for each in terms])
    return LowRank(terms[0].size, c, row, term, w, g)


def without_zeros(low: LowRank) -> LowRank:
    """The terms with a factor c that is not 0."""
    there = low.c != 0.0
    if there.all():
        return low
    kept, number = there[low.term], np.cumsum(there) - 1
    g = low.g[kept]
    w = g if low.symmetric else low.w[kept]
    return LowRank(low.size, low.c[there], low.row[kept], number[low.term[kept]], w, g)


class Sum:
    """`S + low` for products."""

    def __init__(self, S: sparse.csc_array, low: LowRank) -> None:
        self.shape = S.shape
        self._S, self._low = S, low

    def __matmul__(self, x: Floats) -> Floats:
        return np.asarray(self._S @ x + self._low @ x)


def summed(S: sparse.csc_array, low: LowRank | None) -> sparse.csc_array | Sum:
    """`S + low` for products."""
    return S if low is None else Sum(S, low)


def updated(factor: Factor, low: LowRank | None) -> Factor:
    """The factor of the sum of the matrix of `factor` and `low`.

    Raises SingularMatrixError.
    """
    if low is None:
        return factor
    Y = factor.approximate(low.columns(low.w * low.c[low.term]))
    try:
        small = np.linalg.inv(np.eye(len(low.c)) + low.transposed_g(Y))
    except np.linalg.LinAlgError:
        raise SingularMatrixError("its terms of low rank make A singular") from None

    def inverse(b: Floats) -> Floats:
        z = factor.approximate(b)
        return np.asarray(z - Y @ (small @ low.transposed_g(z)))

    return Factor(Sum(factor.matrix, low), inverse)


def bordered(S: sparse.csc_array, low: LowRank) -> sparse.csc_array:
    """The bordered matrix of a symmetric sum whose factors c are not 0."""
    border, g = sparse.diags_array(-1.0 / low.c), sparse.csc_array(low.columns(low.g))
    return sparse.csc_array(sparse.block_array([[S, g], [g.T, border]]))


def factorised(S: sparse.csc_array, low: LowRank) -> tuple[Factor, int]:
    """Factor of the symmetric sum, and how many of its eigenvalues are negative.

    Raises SingularMatrixError where there is none, or its pivots do not tell.
    """
    low = without_zeros(low)
    n, lu = S.shape[0], without_pivoting(bordered(S, low))
    if lu is None:
        raise SingularMatrixError("A, with its terms of low rank, is singular")

    def inverse(b: Floats) -> Floats:
        load = np.zeros((n + len(low.c), *b.shape[1:]))
        load[:n] = b
        return np.asarray(lu.solve(load)[:n])

    return Factor(Sum(S, low), inverse), negative_pivots(lu) - int((low.c > 0.0).sum())


def negative_eigenvalues(S: sparse.csc_array, low: LowRank | None = None) -> int | None:
    """Number of negative eigenvalues of the symmetric `S + low`, None where the pivots do not tell."""
    low = None if low is None else without_zeros(low)
    lu = without_pivoting(S if low is None else bordered(S, low))
    if lu is None:
        return None
    return negative_pivots(lu) - (0 if low is None else int((low.c > 0.0).sum()))


def without_pivoting(A: sparse.csc_array) -> SuperLU | None:
    """`L U` of the symmetric `A` with pivots on its diagonal; None if that fails."""
    try:
        lu = splu(
            sparse.csc_matrix(A),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        return None
    return lu if np.array_equal(lu.perm_r, lu.perm_c) else None


def negative_pivots(lu: SuperLU) -> int:
    """Number of negative pivots: as many eigenvalues of the symmetric matrix are negative."""
    return int(np.count_nonzero(lu.U.diagonal() < 0.0))
