"""Impacts of the velocity correction: a sequence on a vanishing interval, without the loads.

    M W - G^T L = 0,   L in its sets against  gcirc = G V + e_N min(G V^-, 0)

The sequence starts from `V = v_n`. Contacts that approach with at least TOGETHER times the fastest are solved
together. Others then begin to approach, and so on, until none does (docs/theory.md, section 5). It runs in
the space of the rows: impulses `L` change the rates by `W L`.

An impact has no duration, so that loads have no part in it: they act afterwards, on all contacts at once
(velocity_problem.py). Reasons, and differences from the paper, are in docs/design/impacts.md.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.constraints.jointed_response import has_joints, project_velocities
from nsgalpha.contact.impacts.body_impacts import solve_impact
from nsgalpha.contact.islands.islands import LARGE, chosen, delassus, scaled_sets
from nsgalpha.contact.islands.small_islands import solve_impulses
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.multiplier_sets import HALF_LINE, INTERVAL, Sets, restrict, weigh
from nsgalpha.contact.rows.contact_kinematics import rows_sets
from nsgalpha.contact.rows.marker_rows import is_friction_row
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import fill

TOGETHER = 1e-3  # approach, over the fastest, from which on a contact takes part in the same impact
APPROACH = 1e-9  # approach that counts as none, over the largest rate in the island
# An approach starts no impact if it is below these parts of two rates, with and without restitution. One is
# the largest change of a rate by the loads in the island, the other the contact's own. The latter are no
# whole numbers: bodies that have fallen from rest for some steps approach with whole multiples, and rounding
# would decide. A sequence ends below END of the first, in small islands and in large ones: the loads of the
# same step act on the rest.
LOAD, PLASTIC, OWN = 1e-3, 9.3, 0.7
END = 1e-3, 1e-2
MORE_IMPACTS = 20  # cap of a sequence, times the number of contacts and one, but at least
MANY_IMPACTS = 4000  # which small islands take in milliseconds: light balls between heavy ones need hundreds
NO_IMPACT = -1  # limit of a sequence that does not begin
UNTIL_IT_ENDS, SIMULTANEOUS = 0, -1  # impact laws; those > 0 are the most impacts of a sequence


class Sequence(NamedTuple):
    """A sequence of impacts in one island, in the scaled rows of its problem."""

    first: int  # contact of the rows, as `last`
    last: int
    sets: Sets
    block: Ints  # (K + 1,) offsets of the contacts' sets
    scale: Floats  # (n,)
    e_n: Floats  # (K,)
    e_t: Floats  # (K,)
    rates: Floats  # (n,) G V, changes with every impact
    impulse: Floats  # (n,) accumulated
    target: Floats  # (n,) e G V^- of the next impact
    active: Flags  # (K,) contacts of the next impact
    tol_v: float  # approach that counts as none
    limit: int  # impacts after which it is closed
    simultaneous: bool  # whether the first impact is one of all contacts


class Rates(NamedTuple):
    """Rates of the rows of a step."""

    after: Floats  # (R,) at v~
    before: Floats  # (R,) at v_n
    turned: Floats  # (R,) of `before`, in normal rows, the effect of the rotation of the normal over the step
    floor: Floats  # (R,) their rounding errors


@inlined
def begin_impacts(rows, first, last, constants, rates):
    """Approach that counts as none, and the most impacts of the contacts `first` to `last` - 1.

    These are 0 without restitution, and NO_IMPACT if none approaches faster than the loads explain.
    """
    laws, law, tol = constants.laws, constants.impact_law, constants.tol
    after, before = rates.after, rates.before
    fastest = load = floor = 0.0
    for k in range(first, last):
        if is_friction_row(rows, k):
            continue
        i = rows.row[k]
        fastest = max(fastest, -before[i])
        load = max(load, abs(after[i] - before[i]))
        floor = max(floor, rates.floor[i])
    tol_v = max(max(APPROACH, 10.0 * tol) * max(fastest, load), floor)
    limit, most = NO_IMPACT, abs(law)
    if law == UNTIL_IT_ENDS:
        most = max(MORE_IMPACTS * (1 + last - first), MANY_IMPACTS)
    for k in range(first, last):
        if is_friction_row(rows, k):
            continue
        i = rows.row[k]
        rebounds = laws.e_n[rows.law[k]] > 0.0 or laws.e_t[rows.law[k]] != 0.0
        own = OWN * abs(after[i] - before[i]) + rates.turned[i]
        if -before[i] > max(tol_v, (LOAD if rebounds else PLASTIC) * load, own):
            limit = max(limit, most if rebounds else 0)
    end = END[0] if rows.row[last] - rows.row[first] <= LARGE else END[1]
    return max(tol_v, end * load), limit


@kernel
def begin_sequence(rows, first, last, constants, rates, tol_v, limit):
    """The `Sequence` of the contacts `first` to `last` - 1 with the `rates`."""
    laws, simultaneous = constants.laws, constants.impact_law == SIMULTANEOUS
    r0, contacts = rows.row[first], last - first
    sets, block, scale = scaled_sets(rows, first, last)
    vectors, e = np.zeros((3, scale.shape[0])), np.empty((2, contacts))
    rates_of, impulse, target, e_n, e_t = vectors[0], vectors[1], vectors[2], e[0], e[1]
    for j in range(scale.shape[0]):
        rates_of[j] = rates.before[r0 + j] / scale[j]
    for k in range(contacts):
        e_n[k] = laws.e_n[rows.law[first + k]]
        e_t[k] = laws.e_t[rows.law[first + k]]
    active = np.empty(contacts, np.bool_)
    vectors_of = e_n, e_t, rates_of, impulse, target
    return Sequence(first, last, sets, block, scale, *vectors_of, active, tol_v, limit, simultaneous)


@kernel
def rounded(sequence, rates, r0):
    """Rounding error of the scaled rates of a sequence, whose rows begin at `r0`."""
    bottom = 0.0
    for j in range(sequence.scale.shape[0]):
        bottom = max(bottom, rates.floor[r0 + j] / sequence.scale[j])
    return bottom


@kernel
def next_impact(sequence, impacts):
    """Mark the contacts of the next impact, set its target; their number, or 0.

    The impact after `sequence.limit` others takes all contacts; if it closes a sequence (limit > 0), it has
    no restitution. The first of a simultaneous law takes all contacts by Moreau's rule (`restitution`).
    """
    sets, block, scale = sequence.sets, sequence.block, sequence.scale
    fastest, count, contacts = 0.0, 0, sequence.active.shape[0]
    tol_v, limit = sequence.tol_v, sequence.limit
    for k in range(contacts):
        i = sets.row[block[k]]
        if sets.parent[block[k]] == HALF_LINE:
            fastest = max(fastest, -sequence.rates[i] * scale[i])
    if not fastest > tol_v:
        return 0
    last, first = impacts == limit, sequence.simultaneous and impacts == 0
    for k in range(contacts):
        i = sets.row[block[k]]
        sequence.active[k] = last or first or -sequence.rates[i] * scale[i] > max(tol_v, TOGETHER * fastest)
        if sets.parent[block[k]] == INTERVAL:
            sequence.active[k] = False
        count += sequence.active[k]
    if last and limit > 0:
        fill(sequence.target, 0.0)
    else:
        highest = np.inf if first else 0.0
        restitution(sets, (sequence.e_n, sequence.e_t), sequence.rates, highest, sequence.target)
    return count


@kernel
def restitution(sets, e, rates, highest, target):
    """Set the `target` `e G V^-` (n,) at the `rates` G V^- of normal and sliding rows; 0 for the others.

    Normal rates count up to `highest`: 0, only those that approach; infinite, Moreau's rule. `e`: normal and
    tangential restitution (K,) of the contacts.
    """
    (e_n, e_t), k = e, -1
    for s in range(sets.row.shape[0]):
        i = sets.row[s]
        if sets.parent[s] == HALF_LINE:
            k += 1
            target[i] = e_n[k] * min(rates[i], highest)
        elif sets.parent[s] == INTERVAL:
            k += 1
            target[i] = 0.0
        else:
            sliding = i == sets.parent[s] + 1 and sets.size[s] == 2 and e_t[k] != 0.0
            for j in range(i, i + sets.size[s]):
                target[j] = e_t[k] * rates[j] if sliding else 0.0


@kernel
def restitution_rates(rows, laws, rates, target):
    """Set the `target` (R,) of Moreau's impact of all `rows` at once; `rates` (R,) are those before it.

    Where e_N is one number for all contacts and they have no friction, it takes energy, also from contacts
    that open before it (Moreau, 1988).
    """
    restitution(rows_sets(rows), (laws.e_n[rows.law], laws.e_t[rows.law]), rates, np.inf, target)


@inlined
def add_impulses(rows, sequence, L, V):
    """Add the impulses `L` (n,) to the `sequence`: the rates of all its rows change through the bodies.

    `V` (B, 6) is workspace.
    """
    r0, first, last = rows.row[sequence.first], sequence.first, sequence.last
    scale = sequence.scale
    if has_joints(rows.joints):
        fill(V, 0.0)
    for k in range(first, last):
        for side in range(2):
            for i in range(6):
                V[rows.body[k, side], i] = 0.0
    for k in range(first, last):
        for r in range(rows.row[k], rows.row[k + 1]):
            if L[r - r0] == 0.0:
                continue
            for side in range(2):
                for i in range(6):
                    V[rows.body[k, side], i] += rows.MG[r, side, i] * (L[r - r0] / scale[r - r0])
    project_velocities(rows.joints, V)
    for k in range(first, last):
        a, b = rows.body[k, 0], rows.body[k, 1]
        for r in range(rows.row[k], rows.row[k + 1]):
            total = 0.0
            for i in range(6):
                total += rows.G[r, 0, i] * V[a, i] + rows.G[r, 1, i] * V[b, i]
            sequence.rates[r - r0] += total / scale[r - r0]
            sequence.impulse[r - r0] += L[r - r0]


@kernel
def impact(rows, bodies, sequence, count, tolerance, free):
    """Solve the `count` active contacts for gcirc = rates + target + W L and add the result.

    `tolerance`: (relative, absolute). `free`: FreeBodies of a large island, or None. Returns (iterations,
    relative residual, solved); of more than LARGE rows, or where it is not solved, nothing is added.
    """
    if free is not None:
        return solve_impact(free, sequence, count, tolerance)
    n, scale = sequence.scale.shape[0], sequence.scale
    taken = np.empty(n, np.int64)
    sets, _, size = restrict(sequence.sets, sequence.block, sequence.active, count, taken)
    if size > LARGE:
        return 0, 0.0, False
    contacts = chosen(sequence.active, count)
    for k in range(count):
        contacts[k] += sequence.first
    W = delassus(rows, bodies, contacts)
    vectors = np.zeros((3, size))
    b, L, d = vectors[0], vectors[1], vectors[2]
    for i in range(size):
        b[i] = sequence.rates[taken[i]] + sequence.target[taken[i]]
        d[i] = scale[taken[i]]
        for j in range(size):
            W[i, j] /= scale[taken[i]] * scale[taken[j]]
    weigh(sets, 0, sets.row.shape[0], d, b)
    iterations, residual, solved = solve_impulses(W, b, sets, tolerance, L, PROXIMAL)
    if solved:
        impulses = np.zeros(n)
        for i in range(size):
            impulses[taken[i]] = L[i]
        add_impulses(rows, sequence, impulses, np.empty((bodies.mass.shape[0], 6)))
    return iterations, residual, solved


@kernel
def run_sequence(rows, bodies, sequence, impacts, tolerance, free):
    """Continue a `sequence` after so many `impacts`, while the next is one that `impact` solves.

    `free` is that of `impact`.

    Returns (iterations, impacts, largest relative residual, ended).
    """
    total, worst = 0, 0.0
    while impacts <= sequence.limit:
        count = next_impact(sequence, impacts)
        if count == 0:
            break
        iterations, residual, solved = impact(rows, bodies, sequence, count, tolerance, free)
        total += iterations
        if not solved:
            return total, impacts, worst, False
        impacts += 1
        worst = max(worst, residual)
    return total, impacts, worst, True


@inlined
def end_sequence(rows, sequence, impulses):
    """The impulses of a `sequence`, and the opening rates of struck contacts, to `impulses`.

    An impulse counts that could have changed the rate of its row by more than a negligible approach.
    """
    r0, sets, scale = rows.row[sequence.first], sequence.sets, sequence.scale
    for j in range(scale.shape[0]):
        impulses.impact[r0 + j] = sequence.impulse[j] / scale[j]
    for s in range(sets.row.shape[0]):
        i = sets.row[s]
        none = sequence.tol_v / scale[i]
        if sets.parent[s] == HALF_LINE and sequence.impulse[i] > none and sequence.rates[i] > none:
            impulses.rebound[r0 + i] = sequence.rates[i] * scale[i]
