"""Arguments of contact problems: vectors, matrices and operators, checked or refused by their names."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, refuse

Matrix: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix"

INDEFINITE = 1e-6  # a negative eigenvalue of W beyond this part of its diagonal is no rounding
UNSYMMETRIC = 1e-2  # the same for its asymmetry
MOST_CONNECTED = 4000  # rows of M that hang together, which are inverted as an array
MOST_ENTRIES = 10**7  # of a W that is formed from M and H


def checked_vector(name: str, value: ArrayLike) -> Floats:
    """`value` as a new finite vector, or ValueError."""
    vector = floats(name, value, "a vector of numbers").copy()
    if vector.ndim != 1:
        raise ValueError(f"{name}: has shape {vector.shape}, must be a vector")
    _check_finite(name, vector)
    return vector


def checked_matrix(name: str, value: Matrix, shape: tuple[int, int], of: str) -> sparse.csr_array:
    """`value` as a new finite matrix of this shape, the length `of` vectors, with single entries, or
    ValueError.
    """
    given: Any = value if sparse.issparse(value) else floats(name, value, "a matrix of numbers")
    if given.dtype.kind not in "iuf":
        raise refuse(name, value, "a matrix of numbers")
    if given.shape != shape:
        raise ValueError(f"{name}: has shape {given.shape}, must be {shape}, the length {of}")
    matrix = sparse.csr_array(given, dtype=float, copy=True)
    _check_finite(name, matrix.data)
    matrix.sum_duplicates()
    _check_finite(name, matrix.data)  # of sums
    return matrix


def _check_finite(name: str, values: Floats) -> None:
    if not np.isfinite(values).all():
        k = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name}: entry {k} is {values[k]}, must be finite")


def checked_symmetric(
    name: str, matrix: sparse.csr_array, symmetrise: bool
) -> tuple[sparse.csr_array, float]:
    """`matrix` (n, n), or its symmetric part, and its asymmetry over its diagonal.

    That is the largest `|A_ij - A_ji| / sqrt(A_ii A_jj)`. Raises ValueError if it is above UNSYMMETRIC and is
    not to be taken away.
    """
    scaled = unit_diagonal(matrix)
    if not np.isfinite(scaled.data).all():
        raise ValueError(
            f"{name}: has entries beyond the square root of those on its diagonal, so a negative eigenvalue"
        )
    difference = abs(scaled - scaled.T).tocoo()
    asymmetry = float(difference.max()) if difference.nnz else 0.0
    if symmetrise:
        return (sparse.csr_array(0.5 * matrix + 0.5 * matrix.T) if asymmetry else matrix), asymmetry
    if not asymmetry <= UNSYMMETRIC:
        k = int(difference.data.argmax())
        i, j = sorted((int(difference.row[k]), int(difference.col[k])))
        raise ValueError(
            f"{name}[{i}, {j}] = {matrix[i, j]:g}, {name}[{j}, {i}] = {matrix[j, i]:g}: {name} must be "
            f"symmetric to {UNSYMMETRIC:g} of its diagonal, and is to {asymmetry:.2g}; symmetrise=True takes "
            "the mean of both (nsgalpha solve --symmetrise)"
        )
    return matrix, asymmetry


def unit_diagonal(matrix: sparse.csr_array) -> sparse.csr_array:
    """`A_ij / sqrt(A_ii A_jj)`, with the largest entry of the diagonal for those that are not positive."""
    diagonal = matrix.diagonal()
    inverse = sparse.diags_array(
        1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, diagonal.max(initial=0.0) or 1.0))
    )
    return sparse.csr_array(inverse @ matrix @ inverse)


def check_semidefinite(W: sparse.csr_array) -> None:
    """Raise ValueError unless the symmetric part of W is positive semidefinite, but for rounding."""
    diagonal = W.diagonal()
    if (diagonal < 0.0).any():
        k = int(np.argmax(diagonal < 0.0))
        raise ValueError(f"W[{k}, {k}] = {diagonal[k]:g}: W must be positive semidefinite")
    if not len(diagonal):
        return
    scaled = unit_diagonal(W)
    shifted = sparse.csc_array(0.5 * (scaled + scaled.T) + INDEFINITE * sparse.eye_array(len(diagonal)))
    shifted.sum_duplicates()
    try:
        linalg.analyse(shifted, kind="spd").factorise(shifted)
    except linalg.SingularMatrixError:
        message = "W: has a negative eigenvalue; it must be positive semidefinite, as W = H^T M^-1 H is"
        raise ValueError(message) from None
    except MemoryError:
        message = f"W: its {len(diagonal)} rows are too many for the memory: it cannot be factorised"
        raise ValueError(message) from None


def inverse_of_mass(M: sparse.csr_array, H: sparse.csr_array, rows: int, contacts: int) -> sparse.csr_array:
    """Inverse of a mass matrix, body by body: each connected part is inverted dense.

    Raises ValueError if M is not positive definite, or if its inverse, or `H^T M^-1 H` for `contacts` of
    `rows` rows and single rows behind these, would have too many entries.
    """
    count, label = connected_components(M, directed=False)
    sizes = np.bincount(label, minlength=count)
    order: Ints = np.argsort(label, kind="stable")
    parts = np.split(order, np.cumsum(sizes)[:-1])
    if sizes.max(initial=0) > MOST_CONNECTED:
        part = parts[int(sizes.argmax())]
        message = f"M: {len(part)} rows hang together, from {part[:6].tolist()}; at most {MOST_CONNECTED} may"
        raise ValueError(message)
    touched, single = H.tocoo(), contacts * (rows - 1)
    block = np.where(touched.col < contacts * rows, touched.col // rows, touched.col - single)
    shape = H.shape[1] - single, count
    acting = sparse.coo_array((np.ones(H.nnz, bool), (block, label[touched.row])), shape=shape).tocsr()
    if not few_pairs(acting, MOST_ENTRIES // rows**2):
        raise ValueError(
            f"H: {contacts} contacts act on so many rows of M in common that W would have more than "
            f"{MOST_ENTRIES:.0e} entries"
        )
    blocks = [_inverse_of_part(M, part) for part in parts]
    if not blocks:
        return M
    whole = sparse.block_diag([sparse.coo_array(block) for block in blocks], format="csr")
    where = np.argsort(order)  # rows and columns back where they were
    return sparse.csr_array(whole[where][:, where])


def few_pairs(acting: sparse.csr_array, most: int) -> bool:
    """True if at most `most` pairs of contacts share a part: flags `acting` (contacts, parts)."""
    work = np.cumsum(acting @ acting.sum(axis=0))  # at least the pairs
    first = total = 0
    while first < len(work) and total <= most:
        # a piece of little work, or one contact
        done = work[first - 1] if first else 0
        end = max(int(np.searchsorted(work, done + most)), first + 1)
        total += (acting[first:end] @ acting.T).nnz
        first = end
    return total <= most


def _inverse_of_part(M: sparse.csr_array, part: Ints) -> Floats:
    block = M[part][:, part].toarray()
    try:
        np.linalg.cholesky(0.5 * block + 0.5 * block.T)
        inverse = np.linalg.inv(block)
    except np.linalg.LinAlgError:
        inverse = np.array([np.nan])
    if not np.isfinite(inverse).all():
        raise ValueError(f"M: the part with the rows {part[:6].tolist()} is not positive definite")
    return inverse
