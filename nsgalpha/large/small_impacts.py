"""Impacts of few contacts in a large island, compiled.

With restitution an island has up to hundreds of impacts in a step (stepping/impacts.py), most of them of
some of its contacts. Each is solved dense, as in a small island; its impulses `L` change the rates of all
rows by `H H^T L`, through the bodies.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import entry, kernel
from nsgalpha.contact.bodies import gather, scatter
from nsgalpha.contact.sets import fill, restrict
from nsgalpha.stepping.impacts import next_impact, solve_impulses
from nsgalpha.stepping.islands import LARGE


class HalfRows(NamedTuple):
    """The scaled rows of the contacts of an island, `W = H H^T`."""

    body: Ints  # (K, 2) of a bodies.Graph, as `row`
    row: Ints  # (K + 1,)
    H: Floats  # (n, 2, m)
    scale: Floats  # (n,)


@entry
def small_impacts(rows_of, sets, block, sequence, impacts, tolerance, V):
    """Go on with a `sequence` after so many `impacts`, while the next has at most LARGE rows and is solved.

    `rows_of` the island: HalfRows; `tolerance`: (relative, absolute); `V` (N, m) is room.
    Returns (iterations, impacts, largest relative residual).
    """
    body, row, H, scale = rows_of
    n = scale.shape[0]
    total, worst = 0, 0.0
    rows = np.empty(n, np.int64)
    vectors = np.zeros((2, n))
    impulse, response = vectors[0], vectors[1]
    while impacts < sequence.limit:
        count = next_impact(sets, block, scale, sequence, impacts)
        if count == 0:
            break
        own_sets, _, size = restrict(sets, block, sequence.active, count, rows)
        if size > LARGE:
            break
        W = np.zeros((size, size))
        _form(body, row, H, sequence.active, W)
        b, L = np.empty(size), np.zeros(size)
        for i in range(size):
            b[i] = sequence.rates[rows[i]] + sequence.target[rows[i]]
        iterations, residual, solved = solve_impulses(W, b, own_sets, tolerance, L)
        if not solved:
            break
        total += iterations
        worst = max(worst, residual)
        impacts += 1
        fill(impulse, 0.0)
        for i in range(size):
            impulse[rows[i]] = L[i]
        scatter(body, row, H, impulse, V)
        gather(body, row, H, V, response)
        for i in range(n):
            sequence.impulse[i] += impulse[i]
            sequence.rates[i] += response[i]
    return total, impacts, worst


@kernel
def _form(body, row, H, active, W):
    """Add to `W` (size, size) the operator of the `active` contacts, `H H^T`."""
    i = 0
    for k in range(body.shape[0]):
        if not active[k]:
            continue
        j = 0
        for m in range(k + 1):
            if not active[m]:
                continue
            for side in range(2):
                for other in range(2):
                    if body[k, side] >= 0 and body[k, side] == body[m, other]:
                        first, second = H[row[k] : row[k + 1], side], H[row[m] : row[m + 1], other]
                        _add_block(first, second, W[i:, j:])
            j += row[m + 1] - row[m]
        i += row[k + 1] - row[k]
    for p in range(W.shape[0]):
        for q in range(p):
            W[q, p] = W[p, q]


@kernel
def _add_block(first, second, block):
    """Add to the `block` of W what rows (p, m) and (q, m) do to each other through one body."""
    for p in range(first.shape[0]):
        for q in range(second.shape[0]):
            total = 0.0
            for d in range(first.shape[1]):
                total += first[p, d] * second[q, d]
            block[p, q] += total
