"""Islands: groups of contacts without moving bodies in common, each a separate problem."""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.constraints.jointed_delassus import subtract_joint_response
from nsgalpha.constraints.jointed_response import mechanism_of
from nsgalpha.contact.multiplier_sets import (
    Sets,
    copy_sets,
    scale_problem,
    scale_radii,
    scale_rows,
    sets_within,
    take,
)
from nsgalpha.contact.rows.contact_kinematics import contact_rows, rows_sets
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import fill

PART = 16  # contacts of the islands that one of several threads takes at a time
LARGE = 200  # rows from which on an island is solved sparse (contact/solver_strategy.py)


class Island(NamedTuple):
    """The contact problem of one island, scaled to a unit diagonal (contact/multiplier_sets.py)."""

    W: Floats  # (n, n) Delassus operator G M^-1 G^T
    sets: Sets
    block: Ints  # (K + 1,) offsets of the contacts' sets
    scale: Floats  # (n,)


@kernel
def parts_of(island):
    """Number of the parts of islands, with the offsets `island` (I + 1,) of their contacts, for threads."""
    return (island[-1] + PART - 1) // PART


@kernel
def part_between(island, p):
    """First island of part `p`, and of the next: those whose first contact is in it."""
    return np.searchsorted(island[:-1], p * PART), np.searchsorted(island[:-1], (p + 1) * PART)


@kernel
def island_sets(rows, first, last):
    """Sets, and offsets (last - first + 1,) of each contact's sets, of the contacts `first` to `last` - 1."""
    block = np.empty(last - first + 1, np.int64)
    _set_block(rows, first, last, block)
    return take(rows_sets(rows), rows.sets[first], rows.sets[last], rows.row[first]), block


@inlined
def _set_block(rows, first, last, block):
    for k in range(first, last + 1):
        block[k - first] = rows.sets[k] - rows.sets[first]


@kernel
def scaled_sets(rows, first, last):
    """`island_sets`, scaled, and the scale (n,) of the rows, of the contacts `first` to `last` - 1."""
    sets, block = island_sets(rows, first, last)
    scale = np.empty(rows.row[last] - rows.row[first])
    scale_sets(rows, first, sets, scale)
    return sets, block, scale


@inlined
def scale_sets(rows, first, sets, scale):
    """Scale the `sets` of the contacts from `first` on; `scale` (n,) takes the scale of the rows."""
    r0 = rows.row[first]
    for j in range(scale.shape[0]):
        scale[j] = 0.0
        for side in range(2):
            for i in range(6):
                scale[j] += rows.G[r0 + j, side, i] * rows.MG[r0 + j, side, i]
    scale_rows(sets, scale)
    scale_radii(sets, scale)


@inlined
def closed_rows(closed, candidates, laws, bodies, inverse_inertia):
    """`Rows` of the contacts `closed` (K,), sorted by island."""
    order, island = islands(closed, candidates, bodies)
    return contact_rows(order, island, candidates, laws, bodies, inverse_inertia)


@inlined
def chosen(member, count):
    """Indices (count,) of the True entries."""
    out = np.empty(count, np.int64)
    k = 0
    for c in range(member.shape[0]):
        if member[c]:
            out[k] = c
            k += 1
    return out


@inlined
def island_workspace(rows, first, last):
    """Floats and integers for `island_within`, two vectors and Newton's method."""
    n, sets = rows.row[last] - rows.row[first], rows.sets[last] - rows.sets[first]
    return np.empty((2 * n + 10, n)), np.empty((6, sets + 1), np.int64)


@inlined
def island_within(rows, first, last, floats, integers):
    """The `Island` of the contacts `first` to `last` - 1 in a workspace, and the rest of both.

    No set has less than a row, and no contact less than a set.
    """
    n, sets = rows.row[last] - rows.row[first], rows.sets[last] - rows.sets[first]
    W, scale, rest = floats[:n], floats[n], floats[n + 1 :]
    problem = Island(W, sets_within(rest, integers, sets), integers[3, : last - first + 1], scale)
    return problem, rest[2:], integers[4:]


@kernel
def island_problem(rows, bodies, first, last):
    """The scaled `Island` of the contacts `first` to `last` - 1 of `rows`."""
    floats, integers = island_workspace(rows, first, last)
    problem, _, rest = island_within(rows, first, last, floats, integers)
    state_problem(rows, bodies, first, last, problem, rest)
    return problem


@inlined
def state_problem(rows, bodies, first, last, problem, integers):
    """Write `island_problem` to `problem`; `integers` (2, K + 1) are workspace."""
    contacts, sets = integers[0, : last - first], problem.sets
    for k in range(first, last):
        contacts[k - first] = k
    fill_delassus(rows, bodies, contacts, integers[1], problem.W)
    _set_block(rows, first, last, problem.block)
    copy_sets(rows_sets(rows), rows.sets[first], rows.row[first], sets)
    scale_problem(problem.W, sets, problem.scale)


@kernel
def delassus(rows, bodies, contacts):
    """The operator `G P G^T` (n, n) of the `contacts` (K,) of `rows`; P is that of jointed_response.py."""
    n = 0
    for k in contacts:
        n += rows.row[k + 1] - rows.row[k]
    W = np.empty((n, n))
    fill_delassus(rows, bodies, contacts, np.empty(contacts.shape[0] + 1, np.int64), W)
    return W


@inlined
def fill_delassus(rows, bodies, contacts, start, W):
    """Write `delassus` to `W`, and the first row of each contact to `start` (K + 1,)."""
    count = contacts.shape[0]
    start[0] = 0
    for k in range(count):
        start[k + 1] = start[k] + rows.row[contacts[k] + 1] - rows.row[contacts[k]]
    fill(W, 0.0)
    for k in range(count):
        for m in range(k + 1):
            one, two = contacts[k], contacts[m]
            for side in range(2):
                b = rows.body[one, side]
                if bodies.inverse_mass[b] == 0.0:
                    continue
                for other in range(2):
                    if b == rows.body[two, other]:
                        _add_block(rows, one, side, two, other, W[start[k] :, start[m] :])
    subtract_joint_response(bodies.joints, rows, contacts, start, W)
    for i in range(W.shape[0]):
        for j in range(i):
            W[j, i] = W[i, j]


@inlined
def _add_block(rows, k, side, m, other, block):
    """Add `G_k M^-1 G_m^T` through the body that is the `side` of contact k and the `other` of contact m."""
    for i in range(rows.row[k], rows.row[k + 1]):
        for j in range(rows.row[m], rows.row[m + 1]):
            total = 0.0
            for d in range(6):
                total += rows.G[i, side, d] * rows.MG[j, other, d]
            block[i - rows.row[k], j - rows.row[m]] += total


@kernel
def islands(closed, candidates, bodies):
    """Group the contacts `closed` (K,) by connected components over mechanisms: bodies that move, and joints.

    Returns `order` (K,), `closed` sorted by island and stable within, and the offsets (I + 1,).
    """
    count, size = closed.shape[0], bodies.mass.shape[0]
    # union-find over contacts through the last contact seen at each body
    workspace, found = np.empty(3 * count + size, np.int64), np.empty(2 * count + 1, np.int64)
    root, number = workspace[:count], workspace[count : 2 * count]
    following, seen = workspace[2 * count : 3 * count], workspace[3 * count :]
    for b in range(size):
        seen[b] = -1
    for k in range(count):
        root[k] = k
        for side in range(2):
            b = candidates.a[closed[k]] if side == 0 else candidates.b[closed[k]]
            if bodies.inverse_mass[b] == 0.0:
                continue
            b = mechanism_of(bodies.joints, b)
            if seen[b] >= 0:
                i = seen[b]
                while root[i] != i:
                    root[i] = root[root[i]]
                    i = root[i]
                j = k
                while root[j] != j:
                    root[j] = root[root[j]]
                    j = root[j]
                if i < j:
                    root[j] = i
                else:
                    root[i] = j
            seen[b] = k
    total = 0
    for k in range(count):
        if root[k] == k:
            number[k] = total
            following[total] = 0
            total += 1
        else:
            i = root[k]
            while root[i] != i:
                i = root[i]
            number[k] = number[i]
        following[number[k]] += 1
    order, offset = found[:count], found[count : count + total + 1]
    offset[0] = 0
    for i in range(total):
        offset[i + 1] = offset[i] + following[i]
        following[i] = offset[i]
    for k in range(count):
        order[following[number[k]]] = closed[k]
        following[number[k]] += 1
    return order, offset
