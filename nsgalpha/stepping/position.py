"""Second subproblem: the position correction `q_{n+1} = q~ o exp(U)`.

    M U - G^T nu = 0,    0 <= nu_N  orthogonal to  g_N(q_{n+1}) >= 0,    nu_X = h^2/2 lambda_X

with the exact gaps `g_N` (docs/theory.md, section 2). Friction moves the bodies with the forces `lambda` by
which the contacts carried the loads of the last step, never with impacts; then the normal multipliers alone
are solved. Each iteration linearises the gaps at the current `q`, `u = g + G (U' - U)`, and solves the
contact problem in `W = G M^-1 G^T`; a contact that becomes overlapped joins. `nu` [kg m] changes positions
only.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.compiled import entry, kernel, leaf, part, uncounted
from nsgalpha.contact.methods.dense_newton import NewtonSteps, newton
from nsgalpha.contact.sets import ROUNDING as ROUNDED
from nsgalpha.contact.sets import copy_into, fill, largest, start_alone
from nsgalpha.stepping.anderson import Iterates, combine, no_iterates, note
from nsgalpha.stepping.islands import LARGE, closed_rows, island_problem
from nsgalpha.stepping.kinematics import gather, scatter
from nsgalpha.stepping.pose import (
    chosen,
    displace,
    forces_of,
    hold_friction,
    keep_spin,
    loaded,
    measure,
    rotate_inertias,
    touches,
)
from nsgalpha.stepping.residual import relative_residual

MAX_ITERATIONS = 60
NEWTON_ITERATIONS = 15
PROXIMAL = 1e-10  # of Newton's method, least of all: without friction redundant multipliers may be any
SETTLED = 1e-8  # change of the displacements by the last change of the normals, over the largest;
PLAIN, SETTLING = 4, 40  # iterations that are not accelerated, and after which normals need not settle
ROUNDING = 1e-15  # of a gap, relative to the coordinates it is computed from


@uncounted
def admit(candidates, member):
    """Mark the overlapping candidates as members; returns (number of members, any new one)."""
    count, grown = 0, False
    for c in range(candidates.gap.shape[0]):
        if not member[c] and touches(candidates, c):
            member[c] = True
            grown = True
        count += member[c]
    return count, grown


@part
def solve_islands(rows, bodies, b, r, tol, floor, unsolved):
    """Solve `u = W r + b` by Newton's method, island by island, for `r` (R,), the start on entry.

    Marks in `unsolved` (I,) the islands that are large or do not converge. Returns (largest number of
    iterations of an island, number of unsolved islands).
    """
    most, left = 0, 0
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        r0 = rows.row[first]
        n = rows.row[last] - r0
        unsolved[i] = True
        left += 1
        if n > LARGE:
            continue
        problem = island_problem(rows, bodies, first, last)
        vectors = np.empty((2, n))
        scaled_b, scaled_r = vectors[0], vectors[1]
        bottom = 0.0
        for j in range(n):
            scaled_b[j] = b[r0 + j] / problem.scale[j]
            scaled_r[j] = r[r0 + j] * problem.scale[j]
            bottom = max(bottom, floor / problem.scale[j])
        if largest(scaled_r) == 0.0:
            start_alone(problem.sets, scaled_b, scaled_r)
        tolerance = max(tol * largest(scaled_b), bottom)
        steps = NewtonSteps(NEWTON_ITERATIONS, False, PROXIMAL)
        iterations, residual = newton(problem.W, scaled_b, problem.sets, scaled_r, tolerance, steps)
        most = max(most, iterations)
        if residual <= max(tolerance, ROUNDED * largest(scaled_r)):
            unsolved[i] = False
            left -= 1
            for j in range(n):
                r[r0 + j] = scaled_r[j] / problem.scale[j]
    return most, left


class Correction(NamedTuple):
    """A position correction in progress."""

    x: Floats  # (B, 3) pose of the smooth motion q~
    q: Floats  # (B, 4)
    U: Floats  # (B, 6) correction so far
    held: Floats  # (B, 6) what of it is along the normals of earlier iterates
    iterates: Iterates  # of U
    member: Flags  # (C,) candidates that overlapped at some iterate
    multiplier: Floats  # (C,) of their normal rows
    floor: float  # rounding error of the gaps [m]


@part
def begin_correction(candidates, bodies, inverse_inertia, new):
    """A `Correction` at the pose of `new`."""
    x = new.x.copy()
    q = new.q.copy()
    rotate_inertias(bodies, q, inverse_inertia)
    count = candidates.a.shape[0]
    floor = 0.0
    for k in range(x.shape[0]):
        floor = max(floor, ROUNDING * (abs(x[k, 0]) + abs(x[k, 1]) + abs(x[k, 2]) + bodies.extent[k]))
    U, held = np.zeros((x.shape[0], 6)), np.zeros((x.shape[0], 6))
    iterates = no_iterates(6 * x.shape[0])
    return Correction(x, q, U, held, iterates, np.zeros(count, np.bool_), np.zeros(count), floor)


@part
def begin_gaps(rows, force, h, candidates, laws, bodies, inverse_inertia, new):
    """The `Correction` of the gaps from the pose of `new` on, where friction has moved the bodies.

    It begins with the normal `force` (R,) of the `rows` of the last step, held over `h`.
    """
    correction = begin_correction(candidates, bodies, inverse_inertia, new)
    for k in range(rows.contact.shape[0]):
        correction.member[rows.contact[k]] = True
        correction.multiplier[rows.contact[k]] = 0.5 * h * h * force[rows.row[k]]
    normals = closed_rows(rows.contact.copy(), candidates, laws, bodies, inverse_inertia)
    move(normals, correction.multiplier[normals.contact], SETTLING, new, correction)
    return correction


@part
def linearise(candidates, laws, bodies, inverse_inertia, tol, iteration, new, correction):
    """State the next problem `u = W r + b`, `b = g - G U`, at the present pose of `new`.

    Its gaps have been measured; `laws` without friction. Once `U = M^-1 G^T r` has settled with the turning
    normals of the iterates, or does not, as in columns that buckle, U is held from iterate to iterate, and
    what changes of the multipliers acts along their normals: then gaps close as Newton's method converges.
    Returns (rows, b, r of the last iterate, residual there, its worst candidate, solved).
    """
    total, grown = admit(candidates, correction.member)
    if grown:
        correction.iterates.noted[0] = 0
    rows = closed_rows(chosen(correction.member, total), candidates, laws, bodies, inverse_inertia)
    r = correction.multiplier[rows.contact]
    response = np.zeros((new.x.shape[0], 6))
    scatter(rows, r, response)
    still = total > 0 and not grown and settled(response + correction.held, correction.U, correction.floor)
    if still or iteration >= SETTLING:
        correction.iterates.noted[0] = 0
        for k in range(response.shape[0]):
            for i in range(6):
                correction.held[k, i] = correction.U[k, i] - response[k, i]
    b, u = np.empty(total), np.empty(total)
    gather(rows, correction.U - correction.held, b)
    gather(rows, response, u)
    for j in range(total):
        b[j] = candidates.gap[rows.contact[j]] - b[j]
        u[j] += b[j]
    residual, worst, solved = 0.0, -1, total == 0
    if total > 0 and not grown:
        residual, k, solved = relative_residual(rows, r, u, b, tol, correction.floor)
        solved = solved and (still or iteration >= SETTLING)
        worst = rows.contact[k]
    return rows, b, r, residual, worst, solved


@uncounted
def undefined(b):
    """True if a linearised gap is not a number: bodies with one centre have no normal."""
    lost = False
    for j in range(b.shape[0]):
        lost = lost or b[j] != b[j]
    return lost


@leaf
def settled(response, U, floor):
    """True if the displacements U (B, 6) are those of the multipliers with the present normals, `response`.

    Gaps alone do not say so: they leave open how far bodies move along each other.
    """
    change, size = 0.0, 0.0
    for b in range(U.shape[0]):
        for i in range(3):
            change = max(change, abs(response[b, i] - U[b, i]))
            size = max(size, abs(U[b, i]))
    return change <= max(SETTLED * size, floor)


@part
def move(rows, r, iteration, new, correction):
    """Displace the bodies of `new` by the normal multipliers `r` (R,).

    What has not settled in SETTLING iterations begins once more: where they led is decided by rounding.
    """
    if iteration == SETTLING - 1:
        fill(correction.U, 0.0)
        fill(correction.multiplier, 0.0)
        fill(correction.member, False)
        displace(correction.x, correction.q, correction.U, new)
        return
    before = correction.U.copy()
    copy_into(correction.U.reshape(-1), correction.held.reshape(-1))
    scatter(rows, r, correction.U)
    iterates = correction.iterates
    if iteration < SETTLING:
        note(iterates, before.reshape(-1), correction.U.reshape(-1))
        if iterates.noted[0] > PLAIN:
            combine(iterates, correction.U.reshape(-1))
    for k in range(rows.contact.shape[0]):
        correction.multiplier[rows.contact[k]] = r[k]
    displace(correction.x, correction.q, correction.U, new)


@part
def end_correction(now, bodies, correction):
    """Add U to `now.increment`, keep the spin; returns the closed contacts (K,).

    Those are the contacts that touched at the start of the step, and those that push or touch at its end:
    what arrives within the step pushes touching bodies apart, which take part in its impact nevertheless.
    """
    for k in range(correction.U.shape[0]):
        for i in range(6):
            now.increment[k, i] += correction.U[k, i]
    closed, member = 0, correction.member
    for c in range(member.shape[0]):
        pushes = correction.multiplier[c] > 0.0
        member[c] = now.past.touched[c] or (member[c] and (pushes or touches(now.candidates, c)))
        closed += member[c]
    rotate_inertias(bodies, now.new.q, now.inverse_inertia)
    keep_spin(bodies, correction.q, now.new)
    return chosen(member, closed)


@kernel
def position_correction(elements, constants, now, h):
    """Correct the pose of `now.new` in place and add U to `now.increment`; `h` is the step.

    Returns (closed contacts (K,), iterations, residual, worst candidate, solved). `now.inverse_inertia`
    is brought to the new pose.
    """
    candidates, bodies, new, inverse_inertia = now.candidates, constants.bodies, now.new, now.inverse_inertia
    known = loaded(now.past)
    if known.shape[0] > 0:
        measure(elements, new, candidates)
        rotate_inertias(bodies, new.q, inverse_inertia)
        last, force = forces_of(known, now.past, candidates, constants.laws, bodies, inverse_inertia)
        hold_friction(last, force, h, bodies, now.increment, new)
        correction = begin_gaps(
            last, force, h, candidates, constants.frictionless, bodies, inverse_inertia, new
        )
    else:
        correction = begin_correction(candidates, bodies, inverse_inertia, new)
    total, residual, worst, solved = 0, 0.0, -1, False
    for iteration in range(MAX_ITERATIONS):
        measure(elements, new, candidates)
        rows, b, r, residual, worst, solved = linearise(
            candidates,
            constants.frictionless,
            bodies,
            inverse_inertia,
            constants.tol,
            iteration,
            new,
            correction,
        )
        if solved or undefined(b):
            break
        unsolved = np.empty(rows.island.shape[0] - 1, np.bool_)
        newton_steps, left = solve_islands(
            rows, bodies, b, r, 0.1 * constants.tol, correction.floor, unsolved
        )
        total += newton_steps
        if left > 0:
            break
        move(rows, r, iteration, new, correction)
    closed = end_correction(now, bodies, correction)
    return closed, max(total, 1), residual, worst, solved


@entry
def correct_position(elements, constants, now, h):
    """`position_correction`, for Python."""
    return position_correction(elements, constants, now, h)
