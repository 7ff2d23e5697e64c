"""Impacts of few contacts in a large island, compiled.

With restitution an island has up to hundreds of impacts in a step (stepping/impacts.py), most of them of
some of its contacts. Each is solved dense, as in a small island; its impulses `L` change the rates of all
rows by `H H^T L`, through the bodies.
"""

import numpy as np

from nsgalpha.compiled import entry, kernel
from nsgalpha.contact.bodies import gather, scatter
from nsgalpha.contact.sets import fill, restrict
from nsgalpha.stepping.impacts import next_impact, solve_impulses
from nsgalpha.stepping.islands import LARGE


@entry
def small_impacts(body, row, H, sets, block, scale, sequence, tol_v, limit, impacts, tolerance, V):
    """Go on with a `sequence` after so many `impacts`, while the next has at most LARGE rows and is solved.

    `body`, `row` are those of a bodies.Graph, `H` (n, 2, m) the scaled rows; `tolerance`: (relative,
    absolute); `V` (N, m) is room. Returns (iterations, impacts, largest relative residual).
    """
    n = scale.shape[0]
    total, worst = 0, 0.0
    rows = np.empty(n, np.int64)
    vectors = np.zeros((2, n))
    impulse, response = vectors[0], vectors[1]
    while impacts < limit:
        count = next_impact(sets, block, scale, sequence, tol_v, limit, impacts)
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
                        _add_block(H, row, k, side, m, other, i, j, W)
            j += row[m + 1] - row[m]
        i += row[k + 1] - row[k]
    for p in range(W.shape[0]):
        for q in range(p):
            W[q, p] = W[p, q]


@kernel
def _add_block(H, row, k, side, m, other, i, j, W):
    """Add to the block of W at (i, j) what the contacts k, m do to each other through one body."""
    for p in range(row[k + 1] - row[k]):
        for q in range(row[m + 1] - row[m]):
            total = 0.0
            for d in range(H.shape[2]):
                total += H[row[k] + p, side, d] * H[row[m] + q, other, d]
            W[i + p, j + q] += total
