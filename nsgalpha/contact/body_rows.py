"""Contacts as rows on the bodies that they touch: products with `H` (n, m N) and its transpose."""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.jit.decorators import inlined, kernel


class BodyRows(NamedTuple):
    """Contacts of the operator `W = H H^T`."""

    body: Ints  # (K, 2) bodies of the contacts, negative if fixed
    row: Ints  # (K + 1,) offsets of the contacts' rows
    H: Floats  # (n, 2, m)
    own: Floats  # (K, 6, 6) blocks of W on its diagonal


@kernel
def scatter(body, row, H, r, V):
    """`V = H^T r`, (N, m) from (n,)."""
    if V.shape[1] == 6:
        _scatter(body, row, H, r, V, 6)
    else:
        _scatter(body, row, H, r, V, 3)


@inlined
def _scatter(body, row, H, r, V, m):
    """`scatter` where the compiler knows the number `m` of columns."""
    V[:] = 0.0
    for k in range(body.shape[0]):
        for side in range(2):
            b = body[k, side]
            if b >= 0:
                for i in range(row[k], row[k + 1]):
                    for d in range(m):
                        V[b, d] += H[i, side, d] * r[i]


@kernel
def gather(body, row, H, V, u):
    """`u = H V`, (n,) from (N, m)."""
    if V.shape[1] == 6:
        _gather(body, row, H, V, u, 6)
    else:
        _gather(body, row, H, V, u, 3)


@inlined
def _gather(body, row, H, V, u, m):
    """`gather` where the compiler knows the number `m` of columns."""
    for k in range(body.shape[0]):
        for i in range(row[k], row[k + 1]):
            total = 0.0
            for side in range(2):
                b = body[k, side]
                if b >= 0:
                    for d in range(m):
                        total += H[i, side, d] * V[b, d]
            u[i] = total


@kernel
def own_blocks(body, row, H):
    """The blocks (K, 6, 6) of W on its diagonal."""
    blocks = np.zeros((body.shape[0], MOST_ROWS, MOST_ROWS))
    for k in range(body.shape[0]):
        for i in range(row[k], row[k + 1]):
            for j in range(row[k], row[k + 1]):
                total = 0.0
                for side in range(2):
                    if body[k, side] >= 0:
                        for d in range(H.shape[2]):
                            total += H[i, side, d] * H[j, side, d]
                blocks[k, i - row[k], j - row[k]] = total
    return blocks
