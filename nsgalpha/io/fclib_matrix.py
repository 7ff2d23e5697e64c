"""Sparse matrices of FCLIB files: a group `m, n, nz, nzmax, p, i, x`.

    nz = -1    compressed columns: `p` (n + 1,) pointers, `i` rows
    nz = -2    compressed rows: `p` (m + 1,) pointers, `i` columns
    nz >= 0    triplets: `i` rows, `p` columns

`nzmax` is the allocated number of entries, at least the number of entries. Sizes, pointers and indices are
checked before SciPy sees them: its compiled code believes them, and a wrong one ends the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nsgalpha.io.hdf5 import checked_dataset, checked_group, holds, place

if TYPE_CHECKING:
    import h5py

COLUMNS, ROWS = -1, -2  # `nz` of compressed matrices
INTEGERS, NUMBERS = "iu", "iuf"  # kinds of numbers, see `checked_dataset`

Vector = np.ndarray[Any, Any]


def read_matrix(group: h5py.Group, name: str, shape: tuple[int, int], most: int) -> sparse.csr_array:
    """The matrix `name`, of the given shape; no part of it may have more than `most` bytes.

    Raises ValueError with the place.
    """
    part = checked_group(group, name)
    m, n, nz = (read_number(part, key) for key in ("m", "n", "nz"))
    if (m, n) != shape:
        text = f"is {m} x {n}, must be {shape[0]} x {shape[1]} as the vectors"
        raise ValueError(f"{place(group, name)} {text}")
    p, i = (read_vector(part, key, INTEGERS, most) for key in ("p", "i"))
    x = read_vector(part, "x", NUMBERS, most).astype(float)
    if nz in (COLUMNS, ROWS):
        lines, length = (n, m) if nz == COLUMNS else (m, n)
        entries = _count_compressed(part, p, i, x, lines)
        _check_indices(part, "i", i[:entries], length)
        kind = sparse.csc_array if nz == COLUMNS else sparse.csr_array
        matrix = kind((x[:entries], i[:entries].astype(np.int64), p.astype(np.int64)), shape=shape)
    elif nz >= 0:
        if (entries := nz) > min(len(p), len(i), len(x)):
            text = f"nz is {nz}, but there are {min(len(p), len(i), len(x))} triplets"
            raise ValueError(f"{place(group, name)}: {text}")
        _check_indices(part, "i", i[:nz], m)
        _check_indices(part, "p", p[:nz], n)
        matrix = sparse.coo_array((x[:nz], (i[:nz].astype(np.int64), p[:nz].astype(np.int64))), shape=shape)
    else:
        raise ValueError(f"{place(group, name)}: nz is {nz}, must be -2, -1 or a number of triplets")
    if holds(part, "nzmax") and (workspace := read_number(part, "nzmax")) < entries:
        raise ValueError(f"{place(part, 'nzmax')} is {workspace}, but there are {entries} entries")
    return sparse.csr_array(matrix)


def read_vector(group: h5py.Group, name: str, kinds: str, most: int) -> Vector:
    """The dataset `name` (n,), its numbers of the given kinds, of at most `most` bytes."""
    data = checked_dataset(group, name, kinds=kinds, most=most)
    if data.size != max(data.shape, default=1):
        raise ValueError(f"{place(group, name)} has shape {data.shape}, must be a vector")
    return np.ravel(data[()])


def read_number(group: h5py.Group, name: str) -> int:
    """The integer `name`."""
    data = checked_dataset(group, name, kinds=INTEGERS, most=8)
    if data.size != 1:
        raise ValueError(f"{place(group, name)} has {data.size} entries, must be one number")
    return int(np.ravel(data[()])[0])


def write_matrix(group: h5py.Group, name: str, matrix: sparse.csr_array) -> None:
    """Write `matrix` in compressed rows."""
    part = group.create_group(name)
    sizes = {"m": matrix.shape[0], "n": matrix.shape[1], "nz": ROWS, "nzmax": matrix.nnz}
    for key, number in sizes.items():
        part[key] = np.array([number], np.int32)
    part["p"], part["i"] = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    part["x"] = matrix.data


def _count_compressed(part: h5py.Group, p: Vector, i: Vector, x: Vector, lines: int) -> int:
    """Number of entries of a compressed matrix, whose pointers rise from 0 to it."""
    where = place(part, "p")
    if len(p) != lines + 1:
        raise ValueError(f"{where} has {len(p)} entries, must have {lines + 1}")
    if len(i) != len(x):
        raise ValueError(f"{place(part, 'i')} has {len(i)} entries, but x has {len(x)}; must be as many")
    if p[0] != 0:
        raise ValueError(f"{where}[0] is {p[0]}, must be 0")
    if (back := p[1:] < p[:-1]).any():
        k = int(back.argmax())
        raise ValueError(f"{where}[{k + 1}] is {p[k + 1]}, must be at least {where}[{k}] = {p[k]}")
    if p[-1] > len(i):
        raise ValueError(f"{where}[{lines}] is {p[-1]}, but i has {len(i)} entries")
    return int(p[-1])


def _check_indices(part: h5py.Group, name: str, indices: Vector, count: int) -> None:
    if (outside := (indices < 0) | (indices >= count)).any():
        k = int(outside.argmax())
        raise ValueError(f"{place(part, name)}[{k}] is {indices[k]}, must be in 0 ... {count - 1}")
