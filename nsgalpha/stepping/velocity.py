"""Third subproblem: the velocity correction `v_{n+1} = v~ + W`, a sequence of impacts.

    M W - G^T Lambda = 0,   Lambda in its sets against  gcirc = G V + e G V^-

On a vanishing interval, starting from `V~ = v~`, `V^- = v_n`, contacts that approach are solved
together; their impulses change `V~` and `V^-`, other contacts begin to approach, and so on, until none
does (docs/theory.md, section 5). The sequence runs in the space of the rows: impulses `L` change the
rates by `W L`.

Three things differ from the paper (reasons in docs/design/impacts.md): the gradient `G` is that of
n+1 in both terms, so that e = 1 keeps the energy exactly; restitution answers an approach only, a
contact that was opening closes without rebound; and an island in which nothing struck at the start
of the step (or nothing rebounds) is solved at once, since a load is no impact.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.compiled import kernel, part
from nsgalpha.contact.methods.dense_newton import HEAVY, PROXIMAL, newton
from nsgalpha.contact.sets import ROUNDING as ROUNDED
from nsgalpha.contact.sets import bring_in, fill, largest, restrict, start_alone
from nsgalpha.stepping.islands import LARGE, island_problem
from nsgalpha.stepping.kinematics import gather, scatter, twists

APPROACH = 1e-9  # tol_v, relative to the fastest approach in the island
NEWTON_ITERATIONS = 15
MORE_ITERATIONS = 30  # with a heavy proximal term, from a known start or where the others fail
LOAD = 1e-3  # tol_v is at most this part of the velocity that the loads add in a step
MORE_IMPACTS = 20  # cap of a sequence, times the number of contacts and one
ROUNDING = 1e-15  # of a rate, relative to the velocities it is computed from


class Sequence(NamedTuple):
    """A sequence of impacts in one island, in the scaled rows of its problem."""

    e_n: Floats  # (K,)
    e_t: Floats  # (K,)
    after: Floats  # (n,) G V~, changes with every impact
    before: Floats  # (n,) G V^-
    impulse: Floats  # (n,) accumulated
    target: Floats  # (n,) e G V^- of the next impact
    active: Flags  # (K,) contacts of the next impact


@part
def begin_sequence(rows, first, last, laws, candidates, sets, block, scale, after, before, floor):
    """The `Sequence` of the contacts `first` to `last` - 1, whose rates are `after`, `before` (R,).

    Returns (sequence, tol_v, number of impacts after which it is closed). In an island in which
    nothing struck at the start of the step that is the first.
    """
    r0, n, contacts = rows.row[first], scale.shape[0], last - first
    vectors = np.zeros((4, n))
    restitutions = np.empty((2, contacts))
    sequence = Sequence(
        restitutions[0],
        restitutions[1],
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        np.empty(contacts, np.bool_),
    )
    for j in range(n):
        sequence.after[j] = after[r0 + j] / scale[j]
        sequence.before[j] = before[r0 + j] / scale[j]
    fastest = load = 0.0
    for k in range(contacts):
        law = candidates.law[rows.contact[first + k]]
        sequence.e_n[k] = laws.e_n[law]
        sequence.e_t[k] = laws.e_t[law]
        i = rows.row[first + k]
        fastest = max(fastest, -after[i], -before[i])
        load = max(load, abs(after[i] - before[i]))
    tol_v = APPROACH * fastest
    if load > floor:
        tol_v = min(tol_v, LOAD * load)
    tol_v = max(tol_v, floor)
    limit = 0
    for k in range(contacts):
        if sequence.e_n[k] > 0.0 and before[rows.row[first + k]] < -tol_v:
            limit = MORE_IMPACTS * (1 + contacts)
    return sequence, tol_v, limit


@part
def next_impact(sets, block, scale, sequence, tol_v, limit, impacts):
    """Mark the contacts of the next impact and set its target; returns their number, 0 at the end.

    The impact after `limit` others takes all contacts; if it closes a sequence (limit > 0), it has
    no restitution.
    """
    count = 0
    for k in range(sequence.active.shape[0]):
        i = sets.row[block[k]]
        sequence.active[k] = sequence.after[i] * scale[i] < -tol_v
        count += sequence.active[k]
    if count == 0:
        return 0
    last = impacts == limit
    if last:
        count = sequence.active.shape[0]
        for k in range(count):
            sequence.active[k] = True
    if last and limit > 0:
        fill(sequence.target, 0.0)
    else:
        restitution(sets, sequence.before, sequence.e_n, sequence.e_t, sequence.target)
    return count


@part
def restitution(sets, before, e_n, e_t, target):
    """`target = e G V^-` (n,): normal rows that approached, sliding rows; zero for the others."""
    k = -1
    for s in range(sets.row.shape[0]):
        i = sets.row[s]
        if sets.parent[s] < 0:
            k += 1
            target[i] = e_n[k] * min(before[i], 0.0)
        else:
            sliding = i == sets.parent[s] + 1 and sets.size[s] == 2 and e_t[k] != 0.0
            for j in range(i, i + sets.size[s]):
                target[j] = e_t[k] * before[j] if sliding else 0.0


@part
def impact(island, sequence, count, start, tolerance):
    """Solve the `count` active contacts for gcirc = after + target + W L and add what follows.

    `start` (n,) of L, zero if none is known; `tolerance`: (relative, absolute). Returns (iterations,
    relative residual, solved).
    """
    size = sequence.after.shape[0]
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
    vectors = np.empty((2, n))
    b, L = vectors[0], vectors[1]
    for i in range(n):
        b[i] = sequence.after[rows[i]] + sequence.target[rows[i]]
        L[i] = start[rows[i]]
    iterations, relative, solved = solve_impact(W, b, sets, tolerance, L)
    for j in range(n):
        sequence.impulse[rows[j]] += L[j]
    for i in range(size):
        change = 0.0
        for j in range(n):
            change += island.W[i, rows[j]] * L[j]
        sequence.after[i] += change
        sequence.before[i] += change
    return iterations, relative, solved


@part
def solve_impact(W, b, sets, tolerance, L):
    """Solve `gcirc = W L + b` for the impulses `L` (n,), on entry the start, zero if none is known.

    Returns like `impact`.
    """
    scale = largest(b)
    bound = max(tolerance[0] * scale, tolerance[1])
    known, iterations, residual = largest(L) > 0.0, 0, np.inf
    if not known:
        start_alone(sets, b, L)
        iterations, residual = newton(W, b, sets, L, bound, NEWTON_ITERATIONS, False, PROXIMAL)
    if residual > max(bound, ROUNDED * largest(L)):
        if not known:
            start_alone(sets, b, L)
        more, residual = newton(W, b, sets, L, bound, MORE_ITERATIONS, False, HEAVY)
        iterations += more
        bring_in(sets, L)  # from where the tolerance lets them end
        _, residual = newton(W, b, sets, L, bound, 0, False, HEAVY)
    rounding = max(tolerance[1], ROUNDED * largest(L))
    relative = residual / scale if residual > rounding else 0.0
    return iterations, relative, residual <= max(bound, rounding)


@part
def rates_of_rows(rows, bodies, old, new):
    """Rates (R,) of the rows at `v~` and at `v_n`, and their rounding error."""
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
            speed = max(speed, abs(V[b, i]), bodies.radius[b] * abs(V[b, 3 + i]))
    return after, before, ROUNDING * speed


@part
def apply_impulses(rows, impulse, new):
    """`v_{n+1} = v~ + M^-1 G^T P` in `new`."""
    V = np.zeros((new.v.shape[0], 6))
    scatter(rows, impulse, V)
    for b in range(V.shape[0]):
        for i in range(3):
            new.v[b, i] += V[b, i]
            new.w[b, i] += V[b, 3 + i]


@part
def solve_sequences(rows, candidates, laws, bodies, after, before, tol, floor, impulse, unsolved):
    """The impact sequences of all islands, for the `impulse` (R,) of the rows [N s, N m s].

    On entry that is the start of a simultaneous solution, zero if none is known. Marks in `unsolved` (I,)
    the islands that are large or do not converge. Returns (iterations, impacts, residual, islands capped,
    islands unsolved), largest numbers of an island.
    """
    most, impacts, residual, capped, left = 0, 0, 0.0, 0, 0
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        r0 = rows.row[first]
        n = rows.row[last] - r0
        unsolved[i] = n > LARGE
        if unsolved[i]:
            left += 1
            continue
        island = island_problem(rows, bodies, first, last)
        sequence, tol_v, limit = begin_sequence(
            rows, first, last, laws, candidates, island.sets, island.block, island.scale, after, before, floor
        )
        bottom, start = 0.0, np.zeros(n)
        for j in range(n):
            bottom = max(bottom, floor / island.scale[j])
            if limit == 0:
                start[j] = impulse[r0 + j] * island.scale[j]
        total, passes, worst, solved = 0, 0, 0.0, True
        while solved and passes <= limit:
            count = next_impact(island.sets, island.block, island.scale, sequence, tol_v, limit, passes)
            if count == 0:
                break
            iterations, size, solved = impact(island, sequence, count, start, (0.1 * tol, bottom))
            total += iterations
            passes += 1
            worst = max(worst, size)
        if not solved:
            unsolved[i] = True
            left += 1
            continue
        for j in range(n):
            impulse[r0 + j] = sequence.impulse[j] / island.scale[j]
        residual = max(residual, worst)
        most = max(most, total)
        impacts = max(impacts, passes)
        capped += limit > 0 and passes > limit
    return most, impacts, residual, capped, left


@kernel
def velocity_correction(rows, candidates, laws, bodies, old, tol, new, impulse):
    """Correct the velocities of `new` in place; `impulse` (R,) takes the impulses of the rows.

    Returns (iterations, impacts, residual, islands capped, islands unsolved).
    """
    after, before, floor = rates_of_rows(rows, bodies, old, new)
    unsolved = np.empty(rows.island.shape[0] - 1, np.bool_)
    most, impacts, residual, capped, left = solve_sequences(
        rows, candidates, laws, bodies, after, before, tol, floor, impulse, unsolved
    )
    if left == 0:
        apply_impulses(rows, impulse, new)
    return max(most, 1), impacts, residual, capped, left
