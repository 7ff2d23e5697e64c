"""Third subproblem: the velocity correction `v_{n+1} = v~ + W`, impacts first, loads after.

    impacts   V = v_n + M^-1 G^T P,   a sequence without loads                           (impacts.py)
    loads     M W - G^T (P + Lambda) = 0,   Lambda in its sets against  G v_{n+1} - c

`c` is the rate at which a contact that was struck opens after the impacts, zero for all others: loads do not
take the rebound back. All closed contacts carry the loads together, in one problem: a load is no impact
(docs/theory.md, section 5). Only `Lambda` becomes a force of the next step. What a rebounding contact
needs to keep its rate counts as a part of its impact.

Where nothing that strikes rebounds, the two are one problem in `P + Lambda`, with which they agree to O(h):
projections do not stretch. Then the loads of the last step are taken for `Lambda`.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.compiled import entry, kernel, part, uncounted
from nsgalpha.stepping.impacts import Rates, begin_sequence, rebound_rates, run_sequence, solve_impulses
from nsgalpha.stepping.islands import LARGE, island_problem
from nsgalpha.stepping.kinematics import gather, scatter, twists

ROUNDING = 1e-15  # of a rate, relative to the velocities it is computed from


class Impulses(NamedTuple):
    """Impulses of the rows in a step [N s, N m s]."""

    impact: Floats  # (R,) of the sequence of impacts
    load: Floats  # (R,) by which the contacts carry the loads
    rebound: Floats  # (R,) rates after the impacts that the loads may not take back


@entry
def no_impulses(count):
    """`Impulses` of `count` rows, all zero."""
    table = np.zeros((3, count))
    return Impulses(table[0], table[1], table[2])


@part
def rates_of_rows(rows, bodies, old, new):
    """`Rates` of the rows in a step from `old` to `new`."""
    after = np.empty(rows.G.shape[0])
    before = np.empty(rows.G.shape[0])
    V = np.empty((new.v.shape[0], 6))
    twists(old, V)
    gather(rows, V, before)
    twists(new, V)
    gather(rows, V, after)
    speed = 0.0
    for b in range(V.shape[0]):
        for i in range(3):
            speed = max(speed, abs(V[b, i]), bodies.extent[b] * abs(V[b, 3 + i]))
    return Rates(after, before, ROUNDING * speed)


@entry
def apply_impulses(rows, impulse, new):
    """Add `M^-1 G^T impulse` to the velocities of `new`."""
    V = np.zeros((new.v.shape[0], 6))
    scatter(rows, impulse, V)
    for b in range(V.shape[0]):
        for i in range(3):
            new.v[b, i] += V[b, i]
            new.w[b, i] += V[b, 3 + i]


@part
def carry_loads(island, b, start, tolerance):
    """Solve all contacts of an island for `u = b + W L`, from `start` (n,) to `L`; returns like `impact`.

    Contacts that no load presses, `b_N >= 0` within rounding, need no impulses.
    """
    pressed = False
    for s in range(island.sets.row.shape[0]):
        pressed = pressed or (island.sets.parent[s] < 0 and b[island.sets.row[s]] < -tolerance[1])
    if not pressed:
        for j in range(b.shape[0]):
            start[j] = 0.0
        return 0, 0.0, True
    return solve_impulses(island.W, b, island.sets, tolerance, start)


@part
def solve_island(island, r0, sequence, rates, tol, loaded, impulses):
    """Impacts, and the loads if `loaded`, of one island with the rows from `r0` on, into `impulses`.

    Returns (iterations, impacts, residual, solved).
    """
    n = island.scale.shape[0]
    bottom = 0.0
    for j in range(n):
        bottom = max(bottom, rates.floor / island.scale[j])
    tolerance = (0.1 * tol, bottom)
    total, passes, worst, solved = 0, 0, 0.0, True
    together = loaded and sequence.limit == 0
    if not together:
        total, passes, worst, solved = run_sequence(island, sequence, tolerance)
    vectors = np.zeros((3, n))
    b, load, rebound = vectors[0], vectors[1], vectors[2]
    if passes > 0:
        rebound_rates(island.sets, island.scale, sequence, rebound)
    if solved and loaded:
        for j in range(n):
            scale = island.scale[j]
            b[j] = sequence.rates[j] + (rates.after[r0 + j] - rates.before[r0 + j]) / scale - rebound[j]
            load[j] = impulses.load[r0 + j] * scale
        more, size, solved = carry_loads(island, b, load, tolerance)
        total += more
        worst = max(worst, size)
    passes += together
    for j in range(n):
        if together:
            impulses.impact[r0 + j] = load[j] / island.scale[j] - impulses.load[r0 + j]
        else:
            impulses.impact[r0 + j] = sequence.impulse[j] / island.scale[j]
            impulses.load[r0 + j] = load[j] / island.scale[j]
        impulses.rebound[r0 + j] = rebound[j] * island.scale[j]
    return total, passes, worst, solved


@part
def solve_velocities(rows, laws, bodies, rates, tol, loaded, impulses, unsolved):
    """The impulses of all islands: impacts, and the loads if `loaded`.

    `impulses.load` is on entry the start of its solution, zero if none is known. Marks in `unsolved` (I,)
    the islands that are large or do not converge. Returns (iterations, impacts, residual, islands capped,
    islands unsolved), largest numbers of an island.
    """
    most, impacts, residual, capped, left = 0, 0, 0.0, 0, 0
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        unsolved[i] = True
        left += 1
        if rows.row[last] - rows.row[first] > LARGE:
            continue
        island = island_problem(rows, bodies, first, last)
        sequence = begin_sequence(rows, first, last, laws, island.scale, rates, tol)
        total, passes, worst, solved = solve_island(
            island, rows.row[first], sequence, rates, tol, loaded, impulses
        )
        if not solved:
            continue
        unsolved[i] = False
        left -= 1
        residual = max(residual, worst)
        most = max(most, total)
        impacts = max(impacts, passes)
        capped += sequence.limit > 0 and passes > sequence.limit
    return most, impacts, residual, capped, left


@uncounted
def settle(rows, impulses):
    """Count what holds the rebound of a contact against the loads as a part of its impact."""
    for k in range(rows.contact.shape[0]):
        if impulses.rebound[rows.row[k]] > 0.0:
            for j in range(rows.row[k], rows.row[k + 1]):
                impulses.impact[j] += impulses.load[j]
                impulses.load[j] = 0.0


@kernel
def velocity_correction(rows, laws, bodies, tol, old, new, impulses):
    """Correct the velocities of `new` in place; `impulses` takes those of the rows.

    Returns (iterations, impacts, residual, islands capped, islands unsolved).
    """
    rates = rates_of_rows(rows, bodies, old, new)
    unsolved = np.empty(rows.island.shape[0] - 1, np.bool_)
    most, impacts, residual, capped, left = solve_velocities(
        rows, laws, bodies, rates, tol, True, impulses, unsolved
    )
    if left == 0:
        settle(rows, impulses)
        apply_impulses(rows, impulses.impact + impulses.load, new)
    return max(most, 1), impacts, residual, capped, left
