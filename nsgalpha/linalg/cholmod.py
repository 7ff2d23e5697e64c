"""CHOLMOD through scikit-sparse: `P A P^T = L L^T`, supernodal, METIS ordering.

The two interfaces of scikit-sparse in use, chosen by the installed version:

    0.4   `analyze(A)` gives a factor; `cholesky_inplace(A)` fills its values and keeps it supernodal.
    0.5   `CholeskyFactor(A)`; `factorize` turns the factor simplicial for all later calls, which is many
          times slower for large systems, so the symbolic one is kept apart and a copy is factorised.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from threading import Lock
from typing import Any

from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.linalg.singular_matrix import SingularMatrixError

Inverse = Callable[[Floats], Floats]
_silence = Lock()


def analyse_cholmod(A: sparse.csc_array, module: Any = None) -> Callable[[sparse.csc_array], Inverse]:
    """Factorises matrices of the pattern of `A` by scikit-sparse (`module`: its `cholmod`). Previous factors
    stay valid.
    """
    module = module or import_module("sksparse.cholmod")
    newer = hasattr(module, "CholeskyFactor")
    if newer:
        symbolic = module.CholeskyFactor(A, order="metis")
    else:
        symbolic = module.analyze(sparse.csc_matrix(A), mode="supernodal", ordering_method="metis")

    def factorise(A: sparse.csc_array) -> Inverse:
        factor = symbolic.copy()
        try:
            if newer:
                factor.factorize(A)
            else:
                factor.cholesky_inplace(sparse.csc_matrix(A))
        except module.CholmodNotPositiveDefiniteError as error:
            raise SingularMatrixError(f"cholmod: A is not positive definite ({error})") from error
        return partial(_solve_unwarned, factor) if newer else factor

    return factorise


def _solve_unwarned(factor: Any, b: Floats) -> Floats:
    """Solve without the warning of a small reciprocal condition number: the residual decides, for all."""
    with _silence, warnings.catch_warnings():  # the filters are those of all threads
        warnings.filterwarnings("ignore", message="Matrix is nearly singular")
        return factor.solve(b)
