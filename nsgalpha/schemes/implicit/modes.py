"""The stiffness at an equilibrium: directions without stiffness, and those in which it falls over.

By Sylvester's law the negative pivots of `L D L^T` are as many as the negative eigenvalues. Those of K - e S
and K + e S, with a small stiffness e, tell the free directions from the unstable ones.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from nsgalpha.arrays import Floats

NONE = 1e-8  # stiffness, over the largest, that is none


def free_and_unstable(K: sparse.csc_array, weight: Floats, largest: float) -> tuple[int, int] | None:
    """Numbers of free and of unstable directions of the symmetric part of `K` (n, n), by `weight` (n,).

    With friction K is unsymmetric: the unstable directions are those whose work of second order is negative.
    None where the pivots do not tell.
    """
    scale = sparse.diags_array(1.0 / np.sqrt(weight))
    A = scale @ (0.5 * (K + K.T)) @ scale
    below, above = (
        _negative(A + sign * NONE * largest * sparse.eye_array(len(weight))) for sign in (1.0, -1.0)
    )
    return None if below is None or above is None else (above - below, below)


def _negative(A: sparse.csc_array) -> int | None:
    """Number of negative eigenvalues of the symmetric `A`."""
    try:
        factor = splu(
            sparse.csc_matrix(A),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        return None
    if not np.array_equal(factor.perm_r, factor.perm_c):
        return None
    return int(np.count_nonzero(factor.U.diagonal() < 0.0))
