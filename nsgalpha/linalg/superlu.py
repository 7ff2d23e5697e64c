"""SciPy's SuperLU: always there.

SuperLU cannot keep a symbolic factorisation, but its most expensive part, the column ordering, can be kept.
The columns are permuted once and factorised in their natural order from then on. Symmetric matrices keep
their symmetry in the ordering (minimum degree on A + A^T) and their diagonal pivots. The signs of these show
if A is positive definite:  A = L D L^T,  U = D L^T.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU as Factorised
from scipy.sparse.linalg import splu

from nsgalpha.arrays import Floats, Ints
from nsgalpha.linalg.singular_matrix import SingularMatrixError


class SuperLU:
    """Ordering of one pattern, found at the first factorisation and kept."""

    def __init__(self, A: sparse.csc_array, kind: str) -> None:
        self._symmetric = kind == "spd"
        self._order: Ints | None = None
        self._place: Ints
        self._columns: sparse.csc_array

    def factorise(self, A: sparse.csc_array) -> Callable[[Floats], Floats]:
        """`b -> A^-1 b` for the values of `A`."""
        if self._order is None:
            factor = self._splu(A, "MMD_AT_PLUS_A" if self._symmetric else "COLAMD")
            self._keep(A, np.asarray(factor.perm_c))
            return factor.solve
        permuted = sparse.csc_array(
            (A.data[self._place], self._columns.indices, self._columns.indptr), shape=A.shape
        )
        factor, order, rows_too = self._splu(permuted, "NATURAL"), self._order, self._symmetric

        def solve(b: Floats) -> Floats:
            x = np.empty_like(b)
            x[order] = factor.solve(b[order] if rows_too else b)
            return x

        return solve

    def _keep(self, A: sparse.csc_array, perm: Ints) -> None:
        """Keep the order of the columns, and of the rows too if A is symmetric."""
        order = np.argsort(perm)
        numbered = sparse.csc_array((np.arange(A.nnz, dtype=float), A.indices, A.indptr), shape=A.shape)
        columns = numbered[:, order]
        if self._symmetric:
            columns = sparse.csc_array(columns[order, :])
        columns.sort_indices()
        self._columns = columns
        self._place = columns.data.astype(np.int64)
        self._order = order

    def _splu(self, A: sparse.csc_array, ordering: str) -> Factorised:
        options = {"SymmetricMode": True} if self._symmetric else {}
        threshold = 0.0 if self._symmetric else 1.0  # 0: the diagonal, unless it is zero
        try:
            factor = splu(A, permc_spec=ordering, diag_pivot_thresh=threshold, options=options)
        except RuntimeError as error:
            raise SingularMatrixError(f"superlu: A of {A.shape[0]} equations is singular") from error
        if self._symmetric:
            left_diagonal = not np.array_equal(factor.perm_r, factor.perm_c)
            if left_diagonal or factor.U.diagonal().min(initial=np.inf) <= 0.0:
                raise SingularMatrixError(f"superlu: A of {A.shape[0]} equations is not positive definite")
        return factor
