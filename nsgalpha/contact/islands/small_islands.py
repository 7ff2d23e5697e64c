"""The contact problems `u = W r + b` of small islands, dense and compiled.

Larger ones are marked, unless the multipliers of the last step still solve them: a heap at rest.
"""

import numpy as np

from nsgalpha.contact.islands.contact_residual import still_solve
from nsgalpha.contact.islands.islands import (
    LARGE,
    island_within,
    island_workspace,
    part_between,
    parts_of,
    state_problem,
)
from nsgalpha.contact.methods.augmented_newton import newton_augmented
from nsgalpha.contact.methods.dense_newton import HEAVY, NewtonSteps, newton_within
from nsgalpha.contact.methods.dual_active_set import are_half_lines, solve_half_lines
from nsgalpha.contact.multiplier_sets import HALF_LINE, project_onto_sets, rounding, start_alone, weigh
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.jit.work_sharing import share
from nsgalpha.linalg.vectors import largest

NEWTON_ITERATIONS = 15
MORE_ITERATIONS = 30  # with a heavy proximal term, from a known start or where the others fail
AIM = 0.1  # part of the tolerance above which there is a further iteration: an error that is kept would last
FURTHER = 0.1  # part of the tolerance for a solution that is projected on the sets afterwards


@kernel
def solve_impulses(W, b, sets, tolerance, L, proximal):
    """Solve `u = W L + b` for the impulses `L` (n,), on entry the start, zero if none is known.

    `tolerance`: (relative, absolute), of residuals by weight.
    Returns (iterations, relative residual, solved).
    """
    n = b.shape[0]
    return _solve_within(np.empty((5, n)), np.empty((n, n)), W, b, sets, tolerance, L, proximal)


@kernel
def _solve_within(vectors, J, W, b, sets, tolerance, L, proximal):
    """`solve_impulses`, with the workspace of `newton_within`."""
    scale = largest(b)
    bound = max(tolerance[0] * scale, tolerance[1])
    known = largest(L) > 0.0
    if not known:
        start_alone(sets, b, L)
    steps = NewtonSteps(NEWTON_ITERATIONS, False, proximal)
    iterations, residual = newton_within(vectors, J, W, b, sets, L, bound, steps)
    aim = max(AIM * bound, tolerance[1], rounding(sets, L))
    if aim < residual <= bound:
        steps = NewtonSteps(1, False, proximal)
        more, residual = newton_within(vectors, J, W, b, sets, L, aim, steps)
        iterations += more
    if residual > max(bound, rounding(sets, L)):
        if not known:
            start_alone(sets, b, L)
        if are_half_lines(sets):
            more, _ = solve_half_lines(W, b, L, bound)
            iterations += more
        for term in (HEAVY, proximal):  # the heavy term is slow where W is ill-conditioned
            steps = NewtonSteps(MORE_ITERATIONS, False, term)
            more, residual = newton_within(vectors, J, W, b, sets, L, bound, steps)
            iterations += more
        small = rounding(sets, L)
        if residual > max(bound, small):
            iterations += newton_augmented(W, b, sets, L, residual, max(FURTHER * bound, small))
        project_onto_sets(sets, L)  # from where the tolerance lets them end
        _, residual = newton_within(vectors, J, W, b, sets, L, bound, NewtonSteps(0, False, HEAVY))
    negligible = max(tolerance[1], rounding(sets, L))
    relative = residual / scale if residual > negligible else 0.0
    return iterations, relative, residual <= max(bound, negligible)


@inlined
def solve_islands(way, rows, bodies, rates, r, tolerance, proximal, unsolved):
    """Solve `u = W r + b` of the `rows`, island by island, for `r` (R,), on entry the start.

    `way`: (board, all or none). The threads of the board solve them where there are no joints, whose
    workspace is one; None: the caller does. With "all or none" no small island is solved once a large one is
    left.
    `rates`: (b, those before the loads), both (R,). `tolerance`: (relative, absolute (R,), in units of b);
    `proximal` as in dense_newton.py. Contacts that nothing presses, `b_N >= 0` within rounding, need no
    multipliers. Large islands are solved if their start is a solution. Marks in `unsolved` (I,) other large
    islands and those that do not converge, and leaves their `r`. Returns (iterations, relative residual,
    unsolved islands, large islands solved); the first two are largest of an island.
    """
    board, all_or_none = way
    given = rows, bodies, rates, r, tolerance, proximal, unsolved, all_or_none
    return _solve_islands(board, bodies.joints, given)


@kernel
def _solve_islands(board, joints, given):
    """`solve_islands`, in parts if there is a `board`."""
    islands = given[0].island
    if board is None:
        return _solve_between(given, 0, islands.shape[0] - 1)
    if joints is not None:
        return _solve_between(given, 0, islands.shape[0] - 1)
    found = np.empty((parts_of(islands), 4))
    share(board, found.shape[0], _solve_part, (given, found))
    most, residual, left, kept = 0, 0.0, 0, 0
    for p in range(found.shape[0]):
        most, residual = max(most, int(found[p, 0])), max(residual, found[p, 1])
        left, kept = left + int(found[p, 2]), kept + int(found[p, 3])
    return most, residual, left, kept


@kernel
def _solve_part(p, parts):
    """Solve the islands of part `p`."""
    given, found = parts
    first, last = part_between(given[0].island, p)
    found[p, 0], found[p, 1], found[p, 2], found[p, 3] = _solve_between(given, first, last)


@kernel
def _solve_between(given, begin, end):
    """`solve_islands` from `begin` to before `end`."""
    rows, bodies, (b, before), r, tolerance, proximal, unsolved, all_or_none = given
    most, residual, left, kept = 0, 0.0, 0, 0
    for i in range(begin, end):
        first, last = rows.island[i], rows.island[i + 1]
        unsolved[i] = pressed(rows, first, last, b, tolerance[1])
        if not unsolved[i]:
            for j in range(rows.row[first], rows.row[last]):
                r[j] = 0.0
        elif rows.row[last] - rows.row[first] > LARGE:
            unsolved[i] = not still_solve(rows, bodies, i, r, b, before, tolerance)
            left += unsolved[i]
            kept += not unsolved[i]
    if all_or_none and left > 0:
        return most, residual, left, kept
    for i in range(begin, end):
        first, last = rows.island[i], rows.island[i + 1]
        if not unsolved[i] or rows.row[last] - rows.row[first] > LARGE:
            continue
        left += 1
        workspace = island_workspace(rows, first, last)
        iterations, size, solved = _solve_island(workspace, rows, bodies, i, b, r, tolerance, proximal)
        most = max(most, iterations)
        if solved:
            unsolved[i] = False
            left -= 1
            residual = max(residual, size)
    return most, residual, left, kept


@kernel
def _solve_island(workspace, rows, bodies, i, b, r, tolerance, proximal):
    """Solve island `i` for its `r`, which stays if it is not solved; as `solve_impulses`."""
    first, last, (floats, integers) = rows.island[i], rows.island[i + 1], workspace
    problem, rest, numbers = island_within(rows, first, last, floats, integers)
    state_problem(rows, bodies, first, last, problem, numbers)
    r0, n, bottom = rows.row[first], problem.scale.shape[0], 0.0
    scaled_b, scaled_r, vectors, J = rest[0], rest[1], rest[2:7], rest[7:]
    for j in range(n):
        scaled_b[j] = b[r0 + j] / problem.scale[j]
        scaled_r[j] = r[r0 + j] * problem.scale[j]
        bottom = max(bottom, tolerance[1][r0 + j] / problem.scale[j])
    weigh(problem.sets, 0, problem.sets.row.shape[0], problem.scale, scaled_b)
    bounds = tolerance[0], bottom
    found = _solve_within(vectors, J, problem.W, scaled_b, problem.sets, bounds, scaled_r, proximal)
    if found[2]:
        for j in range(n):
            r[r0 + j] = scaled_r[j] / problem.scale[j]
    return found


@kernel
def pressed(rows, first, last, b, floor):
    """True if a contact from `first` to `last` - 1 closes at the rates `b` (R,), or is a joint.

    `floor` (R,) are their rounding errors.
    """
    found = False
    for s in range(rows.sets[first], rows.sets[last]):
        parent = rows.set_parent[s]
        r = rows.set_row[s]
        found = found or parent < HALF_LINE or (parent == HALF_LINE and b[r] < -floor[r])
    return found
