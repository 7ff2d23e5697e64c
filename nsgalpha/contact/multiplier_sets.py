"""The sets of the multipliers, and the residual of a solution.

With the augmented multipliers `s = r - u` of a problem scaled so that W has a unit diagonal
(`k = p = 1` in docs/theory.md, section 3), the natural map is

    half line   F = r - max(s, 0)          normal row of a contact
    ball        F = r - P(s),              P = projection onto the ball of radius  mu max(s_N, 0)
    free line   F = u                      row of a joint: r takes any value, u = 0
    interval    F = r - P(s),              P = projection onto the ball of a fixed radius: |r| <= bound

F = 0 exactly at the solutions, for any scaling. A problem is a list of sets with first row, number of rows,
parent and radius. The parent is the normal row that scales a ball; else it is the kind of the set. The sets
fall into blocks of at most six adjacent rows. A block is a contact, which begins with its half line, the rows
of a joint, or an interval.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.jit.decorators import inlined, kernel

ROUNDING = 4e-15  # error of the rates of a scaled problem, relative to its largest multiplier
SPREAD = 10.0  # scales of light and heavy bodies, the ratio of them, that are alike
HALF_LINE, FREE, INTERVAL = -1, -2, -3  # the "parents" of sets that are no friction balls


class Sets(NamedTuple):
    """Sets of one problem, rows counted within the problem."""

    row: Ints  # (S,) first row
    size: Ints  # (S,) number of rows: 1 of a half line, 1 to 2 of a ball, 1 to 3 of an interval, 1 to 6 free
    parent: Ints  # (S,) normal row, or HALF_LINE, FREE, INTERVAL
    radius: Floats  # (S,) of the ball per unit normal multiplier, or of the interval
    weight: Floats  # (S,) times which its entries of the natural map count, >= 1, see `weigh`


@inlined
def sets_within(floats, integers, count):
    """Workspace for `count` sets in the first 2 rows of `floats`, and the first 3 of `integers`."""
    row, size, parent = integers[0, :count], integers[1, :count], integers[2, :count]
    return Sets(row, size, parent, floats[0, :count], floats[1, :count])


@kernel
def empty_sets(count):
    """Workspace for `count` sets."""
    return sets_within(np.empty((2, count)), np.empty((3, count), np.int64), count)


@kernel
def scale_radii(sets, scale):
    """Scale the radii in place for multipliers `r^ = d r`, `scale` = d (n,)."""
    for k in range(sets.row.shape[0]):
        if sets.parent[k] >= 0:
            sets.radius[k] *= scale[sets.row[k]] / scale[sets.parent[k]]
        elif sets.parent[k] == INTERVAL:
            sets.radius[k] *= scale[sets.row[k]]


@kernel
def scale_problem(W, sets, scale):
    """Scale W to a unit diagonal in place, `W_ij / (d_i d_j)`, and the radii alike.

    `scale` takes `d` (n,), one value per set so that balls stay balls, and one per free row. The problem in
    `r^ = d r`, `b^ = b / d`, `u^ = u / d` has the same form.
    """
    n = scale.shape[0]
    for i in range(n):
        scale[i] = W[i, i]
    scale_rows(sets, scale)
    scale_radii(sets, scale)
    for i in range(n):
        for j in range(n):
            W[i, j] /= scale[i] * scale[j]


@kernel
def scale_rows(sets, scale):
    """Replace the diagonal of W in `scale` (n,) by the scales of the rows, see `scale_problem`."""
    for k in range(sets.row.shape[0]):
        first, size = sets.row[k], sets.size[k]
        each = 1 if sets.parent[k] == FREE else size  # rows of one scale
        for i in range(first, first + size, each):
            total = 0.0
            for j in range(i, i + each):
                total += scale[j]
            d = math.sqrt(total / each)
            if d == 0.0:  # rows that nothing can move
                d = scale[sets.parent[k]] if sets.parent[k] >= 0 else 1.0
            for j in range(i, i + each):
                scale[j] = d


@kernel
def scale_sparse(indptr, indices, values, sets, scale):
    """`scale_problem` for W in compressed rows."""
    n = scale.shape[0]
    for i in range(n):
        for z in range(indptr[i], indptr[i + 1]):
            if indices[z] == i:
                scale[i] = values[z]
    scale_rows(sets, scale)
    scale_radii(sets, scale)
    for i in range(n):
        for z in range(indptr[i], indptr[i + 1]):
            values[z] /= scale[i] * scale[indices[z]]


@kernel
def scale_half_rows(H, sets, scale):
    """`scale_problem` for `W = H H^T`, `H` (n, 2, m)."""
    for i in range(scale.shape[0]):
        scale[i] = 0.0
        for side in range(2):
            for d in range(H.shape[2]):
                scale[i] += H[i, side, d] * H[i, side, d]
    scale_rows(sets, scale)
    scale_radii(sets, scale)
    for i in range(scale.shape[0]):
        for side in range(2):
            for d in range(H.shape[2]):
                H[i, side, d] /= scale[i]


@kernel
def natural_map(sets, r, u, F):
    """Write F (n,) at multipliers `r` and rates `u` of a scaled problem; its largest entry, by weight."""
    largest = 0.0
    for k in range(sets.row.shape[0]):
        i, parent, weight = sets.row[k], sets.parent[k], sets.weight[k]
        if parent == HALF_LINE:
            F[i] = min(r[i], u[i])
            largest = max(largest, weight * abs(F[i]))
            continue
        if parent == FREE:
            for j in range(i, i + sets.size[k]):
                F[j] = u[j]
                largest = max(largest, weight * abs(F[j]))
            continue
        bound = sets.radius[k]
        if parent >= 0:
            bound *= max(r[parent] - u[parent], 0.0)
        norm = 0.0
        for j in range(i, i + sets.size[k]):
            norm += (r[j] - u[j]) ** 2
        norm = math.sqrt(norm)
        factor = 1.0 if norm <= bound else bound / norm
        for j in range(i, i + sets.size[k]):
            F[j] = r[j] - factor * (r[j] - u[j])
            largest = max(largest, weight * abs(F[j]))
    return largest


@kernel
def weigh(sets, first, last, scale, b):
    """Set the weights of the sets `first` to `last` - 1, those of an island, with the scaled rates `b` (n,).

    A tolerance of the scaled problem, relative to its largest rate, is one of the momentum of the heaviest
    bodies. Rates of light ones beside them might have any error. By weight it is also one of rates, relative
    to the fastest of the island and SPREAD times as large, in velocities of the normals [m/s]:

        weight = max(1, |b| d / (SPREAD v)),    v = max(d |b| of contacts, d |b| of joints)

    with `scale` = d (n,) of the normal row. Where scales differ by less than SPREAD weights are 1.
    """
    fastest = fixed = 0.0
    for k in range(first, last):
        i, parent = sets.row[k], sets.parent[k]
        for j in range(i, i + sets.size[k]):
            if parent >= 0:
                fastest = max(fastest, scale[parent] * abs(b[j]))
            elif parent == HALF_LINE:
                fastest = max(fastest, scale[i] * abs(b[j]))
            else:
                fixed = max(fixed, abs(b[j]))
    largest = fixed
    for k in range(first, last):
        for j in range(sets.row[k], sets.row[k] + sets.size[k]):
            largest = max(largest, abs(b[j]))
    for k in range(first, last):
        sets.weight[k], parent = 1.0, sets.parent[k]
        d = scale[parent] if parent >= 0 else scale[sets.row[k]]
        v = max(fastest, d * fixed)
        if parent >= HALF_LINE and SPREAD * v < largest * d:
            sets.weight[k] = largest * d / (SPREAD * v)


@kernel
def weigh_all(sets, scale, b):
    """`weigh` of all sets, for Python."""
    weigh(sets, 0, sets.row.shape[0], scale, b)


@kernel
def rounding(sets, r):
    """Error that rounding makes in the natural map, by weight, at the multipliers `r` (n,)."""
    value = 0.0
    for k in range(sets.row.shape[0]):
        for j in range(sets.row[k], sets.row[k] + sets.size[k]):
            value = max(value, sets.weight[k] * abs(r[j]))
    return ROUNDING * value


@kernel
def start_alone(sets, b, r):
    """Multipliers `r` (n,) of each row alone: a good start. For one contact without coupling, as a sphere's
    sliding on a plane, it is the solution.
    """
    for i in range(r.shape[0]):
        r[i] = -b[i]
    project_onto_sets(sets, r)


@kernel
def project_onto_sets(sets, r):
    """Project the multipliers `r` (n,) onto their sets, normal ones first, which scale the balls."""
    for k in range(sets.row.shape[0]):
        i, parent = sets.row[k], sets.parent[k]
        if parent == HALF_LINE:
            r[i] = max(r[i], 0.0)
            continue
        if parent == FREE:
            continue
        norm = 0.0
        for j in range(i, i + sets.size[k]):
            norm += r[j] * r[j]
        norm = math.sqrt(norm)
        bound = sets.radius[k]
        if parent >= 0:
            bound *= r[parent]
        if norm > bound:
            for j in range(i, i + sets.size[k]):
                r[j] *= bound / norm


@kernel
def rates(W, b, r, u):
    """`u = W r + b`."""
    n = b.shape[0]
    for i in range(n):
        total = b[i]
        for j in range(n):
            total += W[i, j] * r[j]
        u[i] = total


@kernel
def take(sets, first, last, offset):
    """The sets `first` to `last` - 1, with `offset` subtracted from their rows."""
    return take_into(empty_sets(last - first), sets, first, last, offset)


@kernel
def take_into(workspace, sets, first, last, offset):
    """`take`, into the first of the sets `workspace`."""
    count = last - first
    rows = workspace.row[:count], workspace.size[:count], workspace.parent[:count]
    taken = Sets(*rows, workspace.radius[:count], workspace.weight[:count])
    copy_sets(sets, first, offset, taken)
    return taken


@kernel
def copy_sets(sets, first, offset, taken):
    """Copy the sets from `first` on to `taken`, with `offset` subtracted from their rows."""
    for k in range(taken.row.shape[0]):
        taken.row[k] = sets.row[first + k] - offset
        taken.size[k] = sets.size[first + k]
        parent = sets.parent[first + k]
        taken.parent[k] = parent - offset if parent >= 0 else parent
        taken.radius[k] = sets.radius[first + k]
        taken.weight[k] = sets.weight[first + k]


@inlined
def restrict(sets, block, active, count, rows):
    """The sets of the `count` blocks marked in `active`; their rows go to `rows` (n,).

    Returns (sets with rows renumbered, blocks (count + 1,), number of rows).
    """
    total = 0
    for k in range(active.shape[0]):
        if active[k]:
            total += block[k + 1] - block[k]
    chosen = empty_sets(total)
    chosen_block = np.zeros(count + 1, np.int64)
    n = s = m = 0
    for k in range(active.shape[0]):
        if not active[k]:
            continue
        first = n
        for i in range(block[k], block[k + 1]):
            chosen.row[s] = n
            chosen.size[s] = sets.size[i]
            chosen.parent[s] = first if sets.parent[i] >= 0 else sets.parent[i]
            chosen.radius[s] = sets.radius[i]
            chosen.weight[s] = sets.weight[i]
            for j in range(sets.size[i]):
                rows[n] = sets.row[i] + j
                n += 1
            s += 1
        m += 1
        chosen_block[m] = s
    return chosen, chosen_block, n


@kernel
def squares(x):
    """Sum of squares of `x` (n,)."""
    value = 0.0
    for i in range(x.shape[0]):
        value += x[i] * x[i]
    return value
