"""The stiffness at an equilibrium: directions without stiffness, and those in which it falls over.

By Sylvester's law the negative pivots of `L D L^T` are as many as the negative eigenvalues. Eigenvalues of K
- e S and K + e S, with a small stiffness e, separate the free directions from the unstable ones.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, LowRank
from nsgalpha.linalg.low_rank import negative_eigenvalues

NONE = 1e-8  # stiffness, over the largest, that is none


def free_and_unstable(
    K: sparse.csc_array, low: LowRank | None, weight: Floats, largest: float
) -> tuple[int, int] | None:
    """Numbers of free and of unstable directions of the symmetric part of `K` + `low`, by `weight` (n,).

    With friction K is unsymmetric: the unstable directions are those whose work of second order is negative.
    None where the pivots do not tell.
    """
    scale = sparse.diags_array(1.0 / np.sqrt(weight))
    A = scale @ (0.5 * (K + K.T)) @ scale
    if low is not None:
        if not low.symmetric:
            return None
        g = low.g / np.sqrt(weight)[low.row]
        low = low._replace(w=g, g=g)
    below, above = (
        negative_eigenvalues(A + sign * NONE * largest * sparse.eye_array(len(weight)), low)
        for sign in (1.0, -1.0)
    )
    return None if below is None or above is None else (above - below, below)
