"""One impact of a sequence in a large island of free bodies.

It works in the space of the bodies, and is as exact as the end of the sequence asks (impact_sequence.py).
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.contact import body_strategy
from nsgalpha.contact.body_rows import BodyRows, gather, scatter
from nsgalpha.contact.friction_cone import project
from nsgalpha.contact.islands.islands import chosen
from nsgalpha.contact.methods.block_factor import BlockFactor, BlockPattern, velocities
from nsgalpha.contact.methods.body_newton import BodyProblem
from nsgalpha.contact.multiplier_sets import restrict, rounding, weigh
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import largest

EXACT = 0.1  # error of the rates of an impact, over the approach that counts as none
ROUNDS = 4


class FreeBodies(NamedTuple):
    """The operator of the contacts of an island, and its factor."""

    rows: BodyRows
    pattern: BlockPattern
    factor: BlockFactor


@kernel
def solve_impact(free, sequence, count, tolerance):
    """Solve the `count` active contacts and add the impulses and their rates; see impact_sequence.impact."""
    rows, pattern, n = free.rows, free.pattern, sequence.scale.shape[0]
    taken = np.empty(n, np.int64)
    sets, block, size = restrict(sequence.sets, sequence.block, sequence.active, count, taken)
    contacts = chosen(sequence.active, count)
    row, H, d = np.zeros(count + 1, np.int64), np.empty((size, *rows.H.shape[1:])), np.empty(size)
    vectors = np.zeros((4, size))
    q, L, opposite = vectors[0], vectors[1], vectors[2]
    for k in range(count):
        row[k + 1] = row[k] + rows.row[contacts[k] + 1] - rows.row[contacts[k]]
    for i in range(size):
        d[i] = sequence.scale[taken[i]]
        q[i] = sequence.rates[taken[i]] + sequence.target[taken[i]]
        opposite[i] = -q[i]
        H[i] = rows.H[taken[i]]
    weigh(sets, 0, sets.row.shape[0], d, q)
    part = BodyProblem(BodyRows(rows.body[contacts], row, H, rows.own[contacts]), q, sets, block)
    links = BlockPattern(pattern.place, pattern.start, pattern.row, pattern.link[contacts])
    project(sets, block, opposite, L)  # each contact as if it were alone
    fastest = largest(q)
    goal = max(tolerance[0] * fastest, tolerance[1], EXACT * sequence.tol_v / largest(d))
    V = velocities(free.factor)
    iterations, residual = body_strategy.sweep(part, V, L, goal, body_strategy.FAST, body_strategy.ALL)
    if residual > goal:
        residual, steps, more = body_strategy.solve_rounds(
            part, links, free.factor, L, residual, goal, ROUNDS
        )
        iterations += steps + more
    negligible = max(goal, rounding(sets, L))
    if residual > negligible:
        return iterations, residual / fastest, False
    scatter(part.rows.body, row, H, L, V)
    change = np.empty(n)
    gather(rows.body, rows.row, rows.H, V, change)
    for i in range(n):
        sequence.rates[i] += change[i]
    for i in range(size):
        sequence.impulse[taken[i]] += L[i]
    return iterations, 0.0, True
