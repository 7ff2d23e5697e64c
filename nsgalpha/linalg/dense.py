"""LAPACK for few unknowns: `A = L L^T` (potrf) or `P A = L U` (getrf), of dense matrices in columns."""

from collections.abc import Callable

from scipy.linalg import lapack

from nsgalpha.arrays import Floats
from nsgalpha.linalg.singular_matrix import SingularMatrixError


def cholesky(A: Floats) -> Callable[[Floats], Floats]:
    """`b -> A^-1 b` by `A = L L^T`."""
    factor, info = lapack.dpotrf(A, lower=True)
    if info > 0:
        raise SingularMatrixError(f"dense: the leading minor of order {info} is not positive definite")
    return lambda b: lapack.dpotrs(factor, b, lower=True)[0]


def lu(A: Floats) -> Callable[[Floats], Floats]:
    """`b -> A^-1 b` by `P A = L U`."""
    factor, pivots, info = lapack.dgetrf(A)
    if info > 0:
        raise SingularMatrixError(f"dense: pivot {info} of {A.shape[0]} is zero, A is singular")
    return lambda b: lapack.dgetrs(factor, pivots, b)[0]
