"""CHOLMOD through scikit-sparse: `P A P^T = L L^T`, supernodal, METIS ordering.

The two interfaces of scikit-sparse in use, chosen by what is installed:

0.4   `analyze(A)` gives a factor; `cholesky_inplace(A)` fills its values and keeps it supernodal.
0.5   `CholeskyFactor(A)`; `factorize` turns the factor simplicial for all later calls, which is many
      times slower for large systems, so the symbolic one is kept apart and a copy is factorised.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.linalg.error import SingularMatrixError


class Cholmod04:
    """scikit-sparse 0.4."""

    def __init__(self, module: Any, A: sparse.csc_array) -> None:
        self._module = module
        self._factor = module.analyze(sparse.csc_matrix(A), mode="supernodal", ordering_method="metis")

    def factorise(self, A: sparse.csc_array) -> CholmodInverse:
        """Factorise the values of `A`; the previous factor stays valid."""
        factor = self._factor.copy()
        try:
            factor.cholesky_inplace(sparse.csc_matrix(A))
        except self._module.CholmodNotPositiveDefiniteError as error:
            raise SingularMatrixError(f"cholmod: A is not positive definite ({error})") from error
        return CholmodInverse(factor)


class Cholmod05:
    """scikit-sparse 0.5."""

    def __init__(self, module: Any, A: sparse.csc_array) -> None:
        self._module = module
        self._symbolic = module.CholeskyFactor(A, order="metis")

    def factorise(self, A: sparse.csc_array) -> CholmodInverse:
        """Factorise the values of `A`; the previous factor stays valid."""
        factor = self._symbolic.copy()
        try:
            factor.factorize(A)
        except self._module.CholmodNotPositiveDefiniteError as error:
            raise SingularMatrixError(f"cholmod: A is not positive definite ({error})") from error
        return CholmodInverse(partial(_solve_unwarned, factor))


def _solve_unwarned(factor: Any, b: Floats) -> Floats:
    """Solve without the warning of a small reciprocal condition number: the residual decides, for all."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Matrix is nearly singular")
        return factor.solve(b)


class CholmodInverse:
    """A factorised matrix; `apply` is `b -> A^-1 b` of either interface."""

    def __init__(self, apply: Callable[[Floats], Floats]) -> None:
        self._apply = apply

    def solve(self, b: Floats) -> Floats:
        """`A^-1 b` for `b` (n,)."""
        return self._apply(b)


def analyse_cholmod(A: sparse.csc_array, module: Any = None) -> Cholmod04 | Cholmod05:
    """The adapter for the scikit-sparse that is installed (or for `module`, its `cholmod`)."""
    module = module or import_module("sksparse.cholmod")
    return Cholmod05(module, A) if hasattr(module, "CholeskyFactor") else Cholmod04(module, A)
