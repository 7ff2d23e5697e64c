"""Third subproblem: the velocity correction `v_{n+1} = v~ + W`, a sequence of impacts.

    M W - G^T Lambda = 0,   Lambda in its sets against  gcirc = G V + e G V^-        (METHOD, 2, 3, 5)

On a vanishing interval, starting from `V~ = v~`, `V^- = v_n`, contacts that approach are solved
together; their impulses change `V~` and `V^-`, other contacts begin to approach, and so on, until none
does. The sequence runs in the space of the rows: impulses `L` change the rates by `W L`.

Three things differ from the paper (reasons in docs/design/impacts.md): the gradient `G` is that of
n+1 in both terms, so that e = 1 keeps the energy exactly; restitution answers an approach only, a
contact that was opening closes without rebound; and an island in which nothing struck at the start
of the step (or nothing rebounds) is solved at once, since a load is no impact.
"""

import numpy as np

from nsgalpha.compiled import kernel, part
from nsgalpha.contact.dense import solve_dense
from nsgalpha.contact.sets import empty_sets, fill, largest
from nsgalpha.kinematics import gather, island_problem, scatter, twists

APPROACH = 1e-9  # tol_v, relative to the fastest approach in the island
LOAD = 1e-3  # tol_v is at most this part of the velocity that the loads add in a step
MORE_IMPACTS = 20  # cap of a sequence, times the number of contacts and one
ROUNDING = 1e-15  # of a rate, relative to the velocities it is computed from


@kernel
def restrict(sets, block, active, count, rows):
    """The sets of the `count` contacts marked in `active`; their rows go to `rows` (n,).

    Returns (sets with rows renumbered, blocks (count + 1,), number of rows).
    """
    total = 0
    for k in range(active.shape[0]):
        if active[k]:
            total += block[k + 1] - block[k]
    part = empty_sets(total)
    part_block = np.zeros(count + 1, np.int64)
    n = s = m = 0
    for k in range(active.shape[0]):
        if not active[k]:
            continue
        first = n
        for i in range(block[k], block[k + 1]):
            part.row[s] = n
            part.size[s] = sets.size[i]
            part.parent[s] = first if sets.parent[i] >= 0 else sets.parent[i]
            part.radius[s] = sets.radius[i]
            for j in range(sets.size[i]):
                rows[n] = sets.row[i] + j
                n += 1
            s += 1
        m += 1
        part_block[m] = s
    return part, part_block, n


@kernel
def impact(island, active, count, target, tol, bottom, after, before, impulse):
    """One impact: solve the `count` contacts in `active` for gcirc = after + target + W L.

    Adds the impulses L to `impulse` and their effect to the rates `after`, `before` (n,), all scaled.
    Returns (iterations, relative residual, solved).
    """
    size = after.shape[0]
    W, sets, block, n = island.W, island.sets, island.block, size
    rows = np.empty(size, np.int64)
    if count < active.shape[0]:
        sets, block, n = restrict(island.sets, island.block, active, count, rows)
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
        b[i] = after[rows[i]] + target[rows[i]]
        L[i] = 0.0
    scale = largest(b)
    tolerance = max(tol * scale, bottom)
    iterations, residual = solve_dense(W, b, sets, block, L, tolerance)
    for j in range(n):
        impulse[rows[j]] += L[j]
    for i in range(size):
        change = 0.0
        for j in range(n):
            change += island.W[i, rows[j]] * L[j]
        after[i] += change
        before[i] += change
    return iterations, residual / max(scale, 1e-300), residual <= tolerance


@kernel
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


@kernel
def approaching(island, after, tol_v, active):
    """Mark the contacts that approach faster than `tol_v`; returns their number."""
    count = 0
    for k in range(active.shape[0]):
        i = island.sets.row[island.block[k]]
        active[k] = after[i] * island.scale[i] < -tol_v
        count += active[k]
    return count


@kernel
def impact_sequence(island, e_n, e_t, after, before, tol, floor, impulse):
    """The impacts of one island; `after`, `before` (n,) are G v~ and G v_n, scaled, and change on the way.

    Accumulates `impulse` (n,), scaled. `floor` is the rounding error of the rates. Returns (iterations,
    impacts, residual, capped, solved): `capped` says that the sequence was ended by a simultaneous
    correction without restitution.
    """
    contacts = e_n.shape[0]
    active = np.empty(contacts, np.bool_)
    target = np.zeros(after.shape[0])
    fastest = load = bottom = 0.0
    for k in range(contacts):
        i = island.sets.row[island.block[k]]
        fastest = max(fastest, -after[i] * island.scale[i], -before[i] * island.scale[i])
        load = max(load, abs(after[i] - before[i]) * island.scale[i])
    for i in range(after.shape[0]):
        bottom = max(bottom, floor / island.scale[i])
    tol_v = APPROACH * fastest
    if load > floor:
        tol_v = min(tol_v, LOAD * load)
    tol_v = max(tol_v, floor)
    struck = False
    for k in range(contacts):
        i = island.sets.row[island.block[k]]
        struck = struck or (e_n[k] > 0.0 and before[i] * island.scale[i] < -tol_v)
    total, impacts, residual, solved = 0, 0, 0.0, True
    limit = MORE_IMPACTS * (1 + contacts) if struck else 0
    for _ in range(limit + 1):
        count = approaching(island, after, tol_v, active)
        if count == 0:
            return total, impacts, residual, False, solved
        last = impacts == limit
        if last and struck:
            fill(target, 0.0)
        else:
            restitution(island.sets, before, e_n, e_t, target)
        if last:
            count = contacts
            for k in range(contacts):
                active[k] = True
        iterations, size, solved = impact(island, active, count, target, tol, bottom, after, before, impulse)
        total += iterations
        impacts += 1
        residual = max(residual, size)
        if not solved:
            break
    return total, impacts, residual, struck and impacts > limit, solved


@part
def velocity_correction(rows, candidates, laws, bodies, old, tol, new, impulse):
    """Correct the velocities of `new` in place; `impulse` (R,) takes the impulses of the rows [N s, N m s].

    Returns (iterations, impacts, residual, islands capped, worst candidate or -1 if all solved).
    """
    count = rows.G.shape[0]
    after = np.empty(count)
    before = np.empty(count)
    V = np.empty((new.v.shape[0], 6))
    twists(new, V)
    gather(rows, V, after)
    speed = 0.0
    for b in range(V.shape[0]):
        for i in range(3):
            speed = max(speed, abs(V[b, i]), bodies.radius[b] * abs(V[b, 3 + i]))
    twists(old, V)
    gather(rows, V, before)
    floor = ROUNDING * speed
    most, impacts, residual, capped, worst = 0, 0, 0.0, 0, -1
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        r0 = rows.row[first]
        island = island_problem(rows, bodies, first, last)
        n = island.scale.shape[0]
        vectors = np.zeros((3, n))
        for j in range(n):
            vectors[0, j] = after[r0 + j] / island.scale[j]
            vectors[1, j] = before[r0 + j] / island.scale[j]
        restitutions = np.empty((2, last - first))
        for k in range(first, last):
            law = candidates.law[rows.contact[k]]
            restitutions[0, k - first] = laws.e_n[law]
            restitutions[1, k - first] = laws.e_t[law]
        iterations, passes, size, ended, solved = impact_sequence(
            island, restitutions[0], restitutions[1], vectors[0], vectors[1], 0.1 * tol, floor, vectors[2]
        )
        for j in range(n):
            impulse[r0 + j] = vectors[2, j] / island.scale[j]
        most = max(most, iterations)
        impacts = max(impacts, passes)
        residual = max(residual, size)
        capped += ended
        if not solved and worst < 0:
            worst = rows.contact[first]
    fill(V, 0.0)
    scatter(rows, impulse, V)
    for b in range(V.shape[0]):
        for i in range(3):
            new.v[b, i] += V[b, i]
            new.w[b, i] += V[b, 3 + i]
    return max(most, 1), impacts, residual, capped, worst
