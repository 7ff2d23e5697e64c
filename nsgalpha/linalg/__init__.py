"""Sparse systems `A x = b` behind one interface: analyse, factorise, solve.

    solver = analyse(A, kind="spd")     the pattern: ordering and symbolic factorisation
    factor = solver.factorise(A)        new values on the same pattern
    x = factor.solve(b)                 with iterative refinement,  x <- x + A^-1 (b - A x)

Kinds: "spd", symmetric positive definite, both triangles stored; "general". Backends: LAPACK (dense) for few
unknowns, CHOLMOD (scikit-sparse) for large "spd" systems where it is installed, SciPy's SuperLU otherwise.
The results are the same to rounding, and so are the refusals. No backend is trusted because it raised
nothing: a solution counts once its residual is small,  |b - A x| <= UNSOLVED |b|  (largest entries).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.linalg.single_thread import loaded
from nsgalpha.linalg.singular_matrix import SingularMatrixError

__all__ = ["Factor", "SingularMatrixError", "Solver", "Substituted", "analyse", "backend", "factorisation"]

DENSE = 150  # unknowns up to which LAPACK is faster than any sparse method (measured on packings)
LARGE = 1000  # unknowns from which CHOLMOD is missed
REFINEMENTS = 2
UNSOLVED = 1e-3  # a regular matrix leaves about its condition number times 1e-16
TINY = float(np.finfo(float).tiny)  # below it nothing is relative
KINDS = ("spd", "general")
Inverse = Callable[[Floats], Floats]  # b (n,) -> A^-1 b, without refinement
Backend = Callable[[Any], Inverse]  # factorises a matrix, dense or of a pattern; raises SingularMatrixError


class _Substituted(threading.local):
    """Large systems that went to SuperLU in this thread, as CHOLMOD is not there: `patterns` of them."""

    patterns = 0
    remark = (
        "large systems were factorised by SuperLU, CHOLMOD takes down to a third of the time: "
        "pip install 'nsgalpha[sparse]', see docs/installation.md"
    )


Substituted = _Substituted()


class Factor:
    """A factorised matrix that checks its solutions."""

    def __init__(self, A: Any, inverse: Inverse) -> None:
        self.matrix = A  # anything with a shape that can be multiplied
        self.approximate = inverse  # b (n,) -> A^-1 b without refinement or check, as a preconditioner

    def solve(self, b: Floats) -> Floats:
        """`x` with `A x = b`, both (n,) or (n, k), refined while that reduces the residual `b - A x`.

        Raises ValueError if `b` has another length, SingularMatrixError if `b` is not finite or A is
        singular to working precision.
        """
        n = self.matrix.shape[0]
        if len(b) != n:
            raise ValueError(f"b: has shape {b.shape}, must have {n} rows")
        if not np.isfinite(b).all():
            raise SingularMatrixError("b has entries that are not finite")
        if b.size == 0:
            return np.zeros_like(b)
        x = self.approximate(b)
        residual = b - self.matrix @ x
        size = np.abs(residual).max()
        for _ in range(REFINEMENTS):
            better = x + self.approximate(residual)
            residual = b - self.matrix @ better
            new_size = np.abs(residual).max()
            if not new_size < size:
                break
            x, size = better, new_size
        allowed = UNSOLVED * np.abs(b).max() + TINY
        if not size <= allowed:
            worst = np.unravel_index(np.abs(x).argmax(), x.shape)[0]
            raise SingularMatrixError(
                f"the residual of {n} equations is {size:.1e} after refinement, more than {allowed:.1e}: "
                f"A is singular to working precision (largest unknown: {worst}) or not of its stated kind"
            )
        return x


class Solver:
    """The symbolic part, for matrices of one pattern."""

    def __init__(self, A: sparse.csc_array, kind: str, name: str) -> None:
        self.backend = name
        self._indptr, self._indices = A.indptr.copy(), A.indices.copy()
        self._factorise = _backend(name, A, kind)
        column = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
        self._dense = A.shape[0] * column + A.indices if name == "dense" else None  # places of the entries

    def factorise(self, A: sparse.csc_array) -> Factor:
        """Factorise the values of `A` (n, n).

        Raises ValueError if its pattern is not the analysed one, SingularMatrixError if A is singular or
        not positive definite. `A` may be changed afterwards.
        """
        _check_compressed_columns(A)
        if not (np.array_equal(A.indptr, self._indptr) and np.array_equal(A.indices, self._indices)):
            raise ValueError("A: its pattern is not the one that was analysed; call analyse again")
        if not np.isfinite(A.data).all():
            raise SingularMatrixError("A has entries that are not finite")
        if self._dense is None:
            return Factor(A.copy(), self._factorise(A))
        values = np.zeros(A.shape[0] ** 2)
        values[self._dense] = A.data
        full = values.reshape(A.shape, order="F")  # products with it are faster, too
        return Factor(full, self._factorise(full))


def backend(kind: str, size: int = DENSE + 1) -> str:
    """Name of the backend for `size` unknowns: "dense", "cholmod" or "superlu"."""
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r}: must be one of {KINDS}")
    if size <= DENSE:
        return "dense"
    return "cholmod" if kind == "spd" and _cholmod_works() else "superlu"


def factorisation() -> str:
    """A sentence on the library for large symmetric systems here."""
    if backend("spd") == "cholmod":
        return f"large systems are factorised by CHOLMOD (scikit-sparse {version('scikit-sparse')})"
    return "large systems are factorised by SuperLU (SciPy); for CHOLMOD see docs/installation.md"


@cache
def _cholmod_works() -> bool:
    """True if scikit-sparse can be imported, with the libraries it was built with."""
    try:
        import_module("sksparse.cholmod")
    except ImportError:
        return False
    loaded()
    return True


def analyse(A: sparse.csc_array, kind: str, name: str | None = None) -> Solver:
    """Prepare for matrices with the pattern of `A` (n, n), compressed columns with sorted indices.

    kind: "spd" or "general". name: a backend to use instead of the default.

    Raises ValueError if A is not square or an argument is not one of those allowed.
    """
    _check_compressed_columns(A)
    if not A.has_canonical_format:
        message = "A: its indices must be sorted and single; call A.sum_duplicates(), A.sort_indices()"
        raise ValueError(message)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A: has shape {A.shape}, must be square")
    default = backend(kind, A.shape[0])
    if name is None and kind == "spd" and default == "superlu" and A.shape[0] >= LARGE:
        Substituted.patterns += 1
    return Solver(A, kind, default if name is None else name)


def _check_compressed_columns(A: sparse.csc_array) -> None:
    """Compressed rows have the same attributes: they would be solved transposed, silently."""
    if not sparse.issparse(A) or A.format != "csc":
        raise ValueError(f"A: is a {type(A).__name__}, must be in compressed columns; use csc_array(A)")


def _backend(name: str, A: sparse.csc_array, kind: str) -> Backend:
    if name == "dense":
        from nsgalpha.linalg import dense

        return dense.cholesky if kind == "spd" else dense.lu
    if name == "superlu":
        from nsgalpha.linalg.superlu import SuperLU

        return SuperLU(A, kind).factorise
    if name == "cholmod" and kind == "spd":
        from nsgalpha.linalg.cholmod import analyse_cholmod

        return analyse_cholmod(A)
    raise ValueError(
        f"name = {name!r}: must be 'dense', 'superlu' or, for kind 'spd', 'cholmod', not for kind {kind!r}"
    )
