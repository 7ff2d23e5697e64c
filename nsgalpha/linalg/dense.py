"""LAPACK for few unknowns: `A = L L^T` (potrf) or `P A = L U` (getrf)."""

from scipy import sparse
from scipy.linalg import lapack

from nsgalpha.arrays import Floats
from nsgalpha.linalg.error import SingularMatrixError


class Dense:
    """There is nothing symbolic about a dense matrix."""

    def __init__(self, kind: str) -> None:
        self._factorise = Cholesky if kind == "spd" else LU

    def factorise(self, A: sparse.csc_array) -> "Cholesky | LU":
        """Factorise the values of `A`."""
        return self._factorise(A.toarray(order="F"))


class Cholesky:
    """`A = L L^T`."""

    def __init__(self, A: Floats) -> None:
        self._factor, info = lapack.dpotrf(A, lower=True, overwrite_a=True)
        if info > 0:
            raise SingularMatrixError(f"dense: the leading minor of order {info} is not positive definite")

    def solve(self, b: Floats) -> Floats:
        """`A^-1 b` for `b` (n,)."""
        return lapack.dpotrs(self._factor, b, lower=True)[0]


class LU:
    """`P A = L U`."""

    def __init__(self, A: Floats) -> None:
        self._factor, self._pivots, info = lapack.dgetrf(A, overwrite_a=True)
        if info > 0:
            raise SingularMatrixError(f"dense: pivot {info} of {len(A)} is zero, A is singular")

    def solve(self, b: Floats) -> Floats:
        """`A^-1 b` for `b` (n,)."""
        return lapack.dgetrs(self._factor, self._pivots, b)[0]
