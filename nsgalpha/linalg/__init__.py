"""Sparse systems `A x = b` behind one interface: analyse, factorise, solve.

    solver = analyse(A, kind="spd")     the pattern: ordering and symbolic factorisation
    factor = solver.factorise(A)        new values on the same pattern
    x = factor.solve(b)                 with iterative refinement,  x <- x + A^-1 (b - A x)

Kinds: "spd", symmetric positive definite, both triangles stored; "general". Backends: LAPACK (dense) for
few unknowns, CHOLMOD (scikit-sparse) for large "spd" systems where it is installed, SciPy's SuperLU
otherwise. The results are the same to rounding.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Protocol

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.linalg.error import SingularMatrixError

__all__ = ["Factor", "SingularMatrixError", "Solver", "analyse", "backend"]

DENSE = 150  # unknowns up to which LAPACK is faster than any sparse method (measured on packings)
REFINEMENTS = 2
KINDS = ("spd", "general")


class Backend(Protocol):
    """Symbolic part of one backend for one pattern."""

    def factorise(self, A: sparse.csc_array) -> Inverse:
        """Numeric factorisation; raises SingularMatrixError."""


class Inverse(Protocol):
    """A factorised matrix."""

    def solve(self, b: Floats) -> Floats:
        """`A^-1 b` for `b` (n,), without refinement."""


class Factor:
    """A factorised matrix that checks its solutions."""

    def __init__(self, A: sparse.csc_array, inverse: Inverse) -> None:
        self._A = A
        self._inverse = inverse

    def solve(self, b: Floats) -> Floats:
        """`x` (n,) with `A x = b`, refined while that reduces the residual `|b - A x|`.

        Raises SingularMatrixError if the solution is not finite.
        """
        x = self._inverse.solve(b)
        residual = b - self._A @ x
        size = np.abs(residual).max(initial=0.0)
        for _ in range(REFINEMENTS):
            better = x + self._inverse.solve(residual)
            residual = b - self._A @ better
            new_size = np.abs(residual).max(initial=0.0)
            if not new_size < size:
                break
            x, size = better, new_size
        if not np.isfinite(x).all():
            raise SingularMatrixError(f"the solution of {len(b)} equations is not finite: A is singular")
        return x


class Solver:
    """The symbolic part, for matrices of one pattern."""

    def __init__(self, A: sparse.csc_array, kind: str, name: str) -> None:
        self.backend = name
        self._indptr, self._indices = A.indptr.copy(), A.indices.copy()
        self._impl = _make(name, A, kind)

    def factorise(self, A: sparse.csc_array) -> Factor:
        """Factorise the values of `A` (n, n).

        Raises ValueError if its pattern is not the analysed one, SingularMatrixError if A is singular or
        not positive definite.
        """
        if not (np.array_equal(A.indptr, self._indptr) and np.array_equal(A.indices, self._indices)):
            raise ValueError("A: its pattern is not the one that was analysed; call analyse again")
        if not np.isfinite(A.data).all():
            raise SingularMatrixError("A has entries that are not finite")
        return Factor(A, self._impl.factorise(A))


def backend(kind: str, size: int = DENSE + 1) -> str:
    """Name of the backend for `size` unknowns: "dense", "cholmod" or "superlu"."""
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r}: must be one of {KINDS}")
    if size <= DENSE:
        return "dense"
    if kind == "spd" and find_spec("sksparse") is not None:
        return "cholmod"
    return "superlu"


def analyse(A: sparse.csc_array, kind: str, name: str | None = None) -> Solver:
    """Prepare for matrices with the pattern of `A` (n, n), compressed columns with sorted indices.

    kind: "spd" or "general". name: a backend to use instead of the default.

    Raises ValueError if A is not square or an argument is not one of those allowed.
    """
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A: has shape {A.shape}, must be square")
    default = backend(kind, A.shape[0])
    return Solver(A, kind, default if name is None else name)


def _make(name: str, A: sparse.csc_array, kind: str) -> Backend:
    if name == "dense":
        from nsgalpha.linalg.dense import Dense

        return Dense(kind)
    if name == "superlu":
        from nsgalpha.linalg.superlu import SuperLU

        return SuperLU(A, kind)
    if name == "cholmod" and kind == "spd":
        from nsgalpha.linalg.cholmod import analyse_cholmod

        return analyse_cholmod(A)
    raise ValueError(
        f"name = {name!r}: must be 'dense', 'superlu' or, for kind 'spd', 'cholmod', not for kind {kind!r}"
    )
