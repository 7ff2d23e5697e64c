"""Sparse assembly of the Delassus operator `W = G M^-1 G^T`, row by row, on a fixed pattern.

The rows of a contact couple with those of every contact that shares a moving body with it: the pattern
is the graph of the contacts, in blocks. It is found once and stands as long as the same bodies are
in contact; the values are then filled in place.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Bodies, Floats, Ints
from nsgalpha.compiled import entry
from nsgalpha.contact.scaled_problem import Carried
from nsgalpha.stepping.kinematics import Rows


class Pattern(NamedTuple):
    """Block pattern of some contacts, and the scalar one (compressed rows) that it expands to."""

    body: Ints  # (K, 2) of the contacts
    row: Ints  # (K + 1,) offsets of their rows, from zero
    neighbour: Ints  # neighbours of the contacts, themselves among them, ascending
    start: Ints  # (K + 1,) offsets into `neighbour`
    indptr: Ints  # (n + 1,)
    indices: Ints  # (nnz,)
    carried: Carried


@entry
def _neighbours(body, fixed):
    """Contacts that share a body which is not `fixed` (B,): (offsets (K + 1,), neighbours ascending)."""
    count = body.shape[0]
    at = np.zeros(fixed.shape[0] + 1, np.int64)
    for k in range(count):
        for side in range(2):
            if not fixed[body[k, side]]:
                at[body[k, side] + 1] += 1
    for b in range(fixed.shape[0]):
        at[b + 1] += at[b]
    fill = at.copy()
    contact = np.empty(at[-1], np.int64)
    for k in range(count):
        for side in range(2):
            b = body[k, side]
            if not fixed[b]:
                contact[fill[b]] = k
                fill[b] += 1
    start = np.zeros(count + 1, np.int64)
    room = 0
    for k in range(count):
        for side in range(2):
            room += at[body[k, side] + 1] - at[body[k, side]]
    neighbour = np.empty(room, np.int64)
    for k in range(count):
        n = start[k]
        # merge the two ascending lists
        i, i1 = at[body[k, 0]], at[body[k, 0] + 1]
        j, j1 = at[body[k, 1]], at[body[k, 1] + 1]
        while i < i1 or j < j1:
            if j >= j1 or (i < i1 and contact[i] <= contact[j]):
                if j < j1 and contact[i] == contact[j]:
                    j += 1
                neighbour[n] = contact[i]
                i += 1
            else:
                neighbour[n] = contact[j]
                j += 1
            n += 1
        start[k + 1] = n
    return start, neighbour[: start[count]].copy()


@entry
def _expand(row, start, neighbour):
    """Scalar pattern (indptr, indices) of the block pattern."""
    n = row[-1]
    indptr = np.zeros(n + 1, np.int64)
    for k in range(row.shape[0] - 1):
        width = 0
        for p in range(start[k], start[k + 1]):
            width += row[neighbour[p] + 1] - row[neighbour[p]]
        for i in range(row[k], row[k + 1]):
            indptr[i + 1] = width
    for i in range(n):
        indptr[i + 1] += indptr[i]
    indices = np.empty(indptr[n], np.int64)
    for k in range(row.shape[0] - 1):
        for i in range(row[k], row[k + 1]):
            z = indptr[i]
            for p in range(start[k], start[k + 1]):
                for j in range(row[neighbour[p]], row[neighbour[p] + 1]):
                    indices[z] = j
                    z += 1
    return indptr, indices


@entry
def _fill(body, row, start, neighbour, G, MG, fixed, values):
    """Values of W on the pattern; `G`, `MG` (n, 2, 6) begin at the first row."""
    z = 0
    for k in range(row.shape[0] - 1):
        for i in range(row[k], row[k + 1]):
            for p in range(start[k], start[k + 1]):
                m = neighbour[p]
                for j in range(row[m], row[m + 1]):
                    total = 0.0
                    for si in range(2):
                        b = body[k, si]
                        if fixed[b]:
                            continue
                        for sj in range(2):
                            if body[m, sj] == b:
                                for d in range(6):
                                    total += G[i, si, d] * MG[j, sj, d]
                    values[z] = total
                    z += 1


def find_pattern(rows: Rows, bodies: Bodies, first: int, last: int, known: Pattern | None) -> Pattern:
    """The pattern of the contacts `first` to `last` - 1; `known` itself if it still stands."""
    body = rows.body[first:last]
    row = rows.row[first : last + 1] - rows.row[first]
    if known is not None and np.array_equal(known.body, body) and np.array_equal(known.row, row):
        return known
    start, neighbour = _neighbours(np.ascontiguousarray(body), bodies.inverse_mass == 0.0)
    indptr, indices = _expand(row, start, neighbour)
    return Pattern(body.copy(), row, neighbour, start, indptr, indices, Carried())


def fill_values(pattern: Pattern, rows: Rows, bodies: Bodies, first: int, last: int) -> Floats:
    """Values (nnz,) of W on `pattern`, compressed rows."""
    r0, r1 = rows.row[first], rows.row[last]
    values = np.empty(len(pattern.indices))
    _fill(
        pattern.body,
        pattern.row,
        pattern.start,
        pattern.neighbour,
        rows.G[r0:r1],
        rows.MG[r0:r1],
        bodies.inverse_mass == 0.0,
        values,
    )
    return values
