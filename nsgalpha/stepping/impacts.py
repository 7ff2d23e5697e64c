"""Impacts of the velocity correction: a sequence on a vanishing interval, without the loads.

    M W - G^T L = 0,   L in its sets against  gcirc = G V + e_N min(G V^-, 0)

The sequence starts from `V = v_n`. Contacts that approach with at least TOGETHER times the fastest are solved
together; others then begin to approach, and so on, until none does (docs/theory.md, section 5). It runs in
the space of the rows: impulses `L` change the rates by `W L`.

An impact has no duration, so that loads have no part in it: they act afterwards, on all contacts at once
(velocity.py). Reasons, and what differs from the paper, are in docs/design/impacts.md.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.compiled import kernel, leaf, part, uncounted
from nsgalpha.contact.methods.dense_newton import HEAVY, PROXIMAL, NewtonSteps, newton
from nsgalpha.contact.sets import ROUNDING as ROUNDED
from nsgalpha.contact.sets import bring_in, fill, largest, restrict, start_alone

TOGETHER = 1e-3  # approach, over the fastest, from which on a contact takes part in the same impact
APPROACH = 1e-9  # approach that counts as none, over the largest rate in the island
# An approach starts no impact if it is below these parts of the largest change of a rate by the loads in the
# island, with and without restitution, and of the contact's own. The latter are no whole numbers: bodies that
# have fallen from rest for some steps approach with whole multiples, and rounding would decide.
LOAD, PLASTIC, OWN = 1e-3, 9.3, 0.7
MORE_IMPACTS = 20  # cap of a sequence, times the number of contacts and one, but at least
MANY_IMPACTS = 4000  # which small islands take in milliseconds: light balls between heavy ones need hundreds
NEWTON_ITERATIONS = 15
MORE_ITERATIONS = 30  # with a heavy proximal term, from a known start or where the others fail
NO_IMPACT = -1  # limit of a sequence that does not begin


class Sequence(NamedTuple):
    """A sequence of impacts in one island, in the scaled rows of its problem."""

    e_n: Floats  # (K,)
    e_t: Floats  # (K,)
    rates: Floats  # (n,) G V, changes with every impact
    impulse: Floats  # (n,) accumulated
    target: Floats  # (n,) e G V^- of the next impact
    active: Flags  # (K,) contacts of the next impact
    tol_v: float  # approach that counts as none
    limit: int  # impacts after which it is closed; 0 without restitution, NO_IMPACT if it does not begin


class Rates(NamedTuple):
    """Rates of the rows of a step."""

    after: Floats  # (R,) at v~
    before: Floats  # (R,) at v_n
    floor: float  # their rounding error


@part
def begin_sequence(rows, first, last, laws, scale, rates, tol):
    """The `Sequence` of the contacts `first` to `last` - 1 with the `rates`.

    A contact strikes if it approaches faster than the loads explain.
    """
    r0, n, contacts = rows.row[first], scale.shape[0], last - first
    after, before = rates.after, rates.before
    vectors = np.zeros((3, n))
    restitutions = np.empty((2, contacts))
    e_n, e_t = restitutions[0], restitutions[1]
    for j in range(n):
        vectors[0, j] = before[r0 + j] / scale[j]
    fastest = load = 0.0
    for k in range(contacts):
        law = rows.law[first + k]
        e_n[k] = laws.e_n[law]
        e_t[k] = laws.e_t[law]
        i = rows.row[first + k]
        fastest = max(fastest, -before[i])
        load = max(load, abs(after[i] - before[i]))
    tol_v = max(max(APPROACH, 10.0 * tol) * max(fastest, load), rates.floor)
    limit = NO_IMPACT
    for k in range(contacts):
        i = rows.row[first + k]
        rebounds = e_n[k] > 0.0
        own = OWN * abs(after[i] - before[i])
        if -before[i] > max(tol_v, (LOAD if rebounds else PLASTIC) * load, own):
            limit = max(limit, max(MORE_IMPACTS * (1 + contacts), MANY_IMPACTS) if rebounds else 0)
    active = np.empty(contacts, np.bool_)
    return Sequence(e_n, e_t, vectors[0], vectors[1], vectors[2], active, tol_v, limit)


@uncounted
def next_impact(sets, block, scale, sequence, impacts):
    """Mark the contacts of the next impact and set its target; returns their number, 0 at the end.

    The impact after `sequence.limit` others takes all contacts; if it closes a sequence (limit > 0), it has
    no restitution.
    """
    fastest, count, contacts = 0.0, 0, sequence.active.shape[0]
    tol_v, limit = sequence.tol_v, sequence.limit
    for k in range(contacts):
        i = sets.row[block[k]]
        fastest = max(fastest, -sequence.rates[i] * scale[i])
    if not fastest > tol_v:
        return 0
    last = impacts == limit
    for k in range(contacts):
        i = sets.row[block[k]]
        sequence.active[k] = last or -sequence.rates[i] * scale[i] > max(tol_v, TOGETHER * fastest)
        count += sequence.active[k]
    if last and limit > 0:
        fill(sequence.target, 0.0)
    else:
        restitution(sets, sequence)
    return count


@leaf
def restitution(sets, sequence):
    """Set the target `e G V^-` (n,): normal rows that approach, sliding rows; zero for the others."""
    k = -1
    for s in range(sets.row.shape[0]):
        i = sets.row[s]
        if sets.parent[s] < 0:
            k += 1
            sequence.target[i] = sequence.e_n[k] * min(sequence.rates[i], 0.0)
        else:
            sliding = i == sets.parent[s] + 1 and sets.size[s] == 2 and sequence.e_t[k] != 0.0
            for j in range(i, i + sets.size[s]):
                sequence.target[j] = sequence.e_t[k] * sequence.rates[j] if sliding else 0.0


@part
def impact(island, sequence, count, tolerance):
    """Solve the `count` active contacts for gcirc = rates + target + W L and add what follows.

    `tolerance`: (relative, absolute). Returns (iterations, relative residual, solved).
    """
    size = sequence.rates.shape[0]
    W, sets, n = island.W, island.sets, size
    rows = np.empty(size, np.int64)
    if count < sequence.active.shape[0]:
        sets, _, n = restrict(island.sets, island.block, sequence.active, count, rows)
        W = np.empty((n, n))
        for i in range(n):
            for j in range(n):
                W[i, j] = island.W[rows[i], rows[j]]
    else:
        for i in range(n):
            rows[i] = i
    vectors = np.zeros((2, n))
    b, L = vectors[0], vectors[1]
    for i in range(n):
        b[i] = sequence.rates[rows[i]] + sequence.target[rows[i]]
    iterations, relative, solved = solve_impulses(W, b, sets, tolerance, L)
    for j in range(n):
        sequence.impulse[rows[j]] += L[j]
    for i in range(size):
        for j in range(n):
            sequence.rates[i] += island.W[i, rows[j]] * L[j]
    return iterations, relative, solved


@kernel
def solve_impulses(W, b, sets, tolerance, L):
    """Solve `u = W L + b` for the impulses `L` (n,), on entry the start, zero if none is known.

    Returns like `impact`.
    """
    scale = largest(b)
    bound = max(tolerance[0] * scale, tolerance[1])
    known = largest(L) > 0.0
    if not known:
        start_alone(sets, b, L)
    iterations, residual = newton(W, b, sets, L, bound, NewtonSteps(NEWTON_ITERATIONS, False, PROXIMAL))
    if residual > max(bound, ROUNDED * largest(L)):
        if not known:
            start_alone(sets, b, L)
        for proximal in (HEAVY, PROXIMAL):  # the heavy term is slow where W is ill-conditioned
            more, residual = newton(W, b, sets, L, bound, NewtonSteps(MORE_ITERATIONS, False, proximal))
            iterations += more
        bring_in(sets, L)  # from where the tolerance lets them end
        _, residual = newton(W, b, sets, L, bound, NewtonSteps(0, False, HEAVY))
    rounding = max(tolerance[1], ROUNDED * largest(L))
    relative = residual / scale if residual > rounding else 0.0
    return iterations, relative, residual <= max(bound, rounding)


@part
def run_sequence(island, sequence, tolerance):
    """All impacts of a `sequence`. Returns (iterations, impacts, largest relative residual, solved)."""
    total, passes, worst, solved = 0, 0, 0.0, True
    while solved and passes <= sequence.limit:
        count = next_impact(island.sets, island.block, island.scale, sequence, passes)
        if count == 0:
            break
        iterations, size, solved = impact(island, sequence, count, tolerance)
        total += iterations
        passes += 1
        worst = max(worst, size)
    return total, passes, worst, solved


@uncounted
def rebound_rates(sets, scale, sequence, rebound):
    """Rates `rebound` (n,) at which contacts that were struck open, zero for all other rows.

    An impulse counts that could have changed the rate of its row by more than what is no approach.
    """
    fill(rebound, 0.0)
    for s in range(sets.row.shape[0]):
        i = sets.row[s]
        none = sequence.tol_v / scale[i]
        if sets.parent[s] < 0 and sequence.impulse[i] > none and sequence.rates[i] > none:
            rebound[i] = sequence.rates[i]
