"""Second subproblem: the position correction `q_{n+1} = q~ o exp(U)`.

    M U - G^T nu = 0,    nu in its sets against the gaps g(q_{n+1})            (docs/theory.md, section 2)

with the exact gap `g_N` and, for the other rows, the relative motion over the step. Each iteration
linearises the gaps at the current `q`, `u = g + G (U' - U)`, and solves the contact problem in
`W = G M^-1 G^T`; a contact that becomes overlapped joins. `nu` [kg m] changes positions only.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.compiled import entry, kernel, part
from nsgalpha.contact.methods.dense_newton import PROXIMAL, newton
from nsgalpha.contact.residual import relative_residual
from nsgalpha.contact.sets import ROUNDING as ROUNDED
from nsgalpha.contact.sets import fill, largest, start_alone
from nsgalpha.stepping.islands import LARGE, closed_rows, island_problem
from nsgalpha.stepping.kinematics import gather, scatter
from nsgalpha.stepping.rotation import exponential, inertial_tensor, product
from nsgalpha.stepping.smooth import times

MAX_ITERATIONS = 60
NEWTON_ITERATIONS = 15
TOUCH = 1e-10  # a gap below this part of the radius is closed
ROUNDING = 1e-15  # of a gap, relative to the coordinates it is computed from


@entry
def measure(geometry, kinds, planes, bodies, motion, candidates):
    """Let every element kind measure its candidates: gap, normal, levers at the pose `motion`."""
    for k in range(kinds.shape[0] - 1):
        if kinds[k + 1] > kinds[k]:
            geometry[k](
                kinds[k],
                kinds[k + 1],
                candidates.a,
                candidates.b,
                candidates.plane,
                planes.normal,
                planes.offset,
                bodies.radius,
                motion.x,
                motion.q,
                candidates.gap,
                candidates.normal,
                candidates.lever,
            )


@part
def rotate_inertias(bodies, q, inverse_inertia):
    """Inertial inverse inertia tensors (B, 3, 3) at the rotations `q` of the bodies that need them."""
    for b in range(bodies.mass.shape[0]):
        if not bodies.isotropic[b]:
            inertial_tensor(q[b], bodies.inverse_inertia[b], inverse_inertia[b])


@part
def admit(candidates, bodies, member):
    """Mark the overlapping candidates as members; returns (number of members, any new one)."""
    count, grown = 0, False
    for c in range(candidates.gap.shape[0]):
        if not member[c] and candidates.gap[c] <= TOUCH * bodies.radius[candidates.a[c]]:
            member[c] = True
            grown = True
        count += member[c]
    return count, grown


@part
def chosen(member, count):
    """Indices (count,) of the True entries."""
    out = np.empty(count, np.int64)
    k = 0
    for c in range(member.shape[0]):
        if member[c]:
            out[k] = c
            k += 1
    return out


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
        iterations, residual = newton(
            problem.W, scaled_b, problem.sets, scaled_r, tolerance, NEWTON_ITERATIONS, False, PROXIMAL
        )
        most = max(most, iterations)
        if residual <= max(tolerance, ROUNDED * largest(scaled_r)):
            unsolved[i] = False
            left -= 1
            for j in range(n):
                r[r0 + j] = scaled_r[j] / problem.scale[j]
    return most, left


@part
def position_rates(rows, candidates, increment, U, b):
    """Linearised gaps `b` (R,) before the multipliers act: `g - G U`, and `G increment` otherwise."""
    back = np.empty(b.shape[0])
    gather(rows, increment, b)
    gather(rows, U, back)
    for k in range(rows.contact.shape[0]):
        j = rows.row[k]
        b[j] = candidates.gap[rows.contact[k]] - back[j]


@part
def displace(x, q, U, new):
    """`new = (x, q) o exp(U)`, `U` (B, 6) inertial."""
    turn = np.empty(4)
    for b in range(x.shape[0]):
        for i in range(3):
            new.x[b, i] = x[b, i] + U[b, i]
        if U[b, 3] != 0.0 or U[b, 4] != 0.0 or U[b, 5] != 0.0:
            exponential(U[b, 3:], turn)
            product(turn, q[b], new.q[b])
        else:
            for i in range(4):
                new.q[b, i] = q[b, i]


@part
def keep_spin(bodies, q, new):
    """Angular momentum of `v~` kept while the correction turns a body: `w = I^-1 I~ w~`."""
    tensor = np.empty((3, 3))
    inverse = np.empty((3, 3))
    momentum = np.empty(3)
    for b in range(bodies.mass.shape[0]):
        if bodies.isotropic[b]:
            continue
        inertial_tensor(q[b], bodies.inertia[b], tensor)
        inertial_tensor(new.q[b], bodies.inverse_inertia[b], inverse)
        times(tensor, new.w[b], momentum)
        times(inverse, momentum, new.w[b])


class Correction(NamedTuple):
    """A position correction in progress."""

    x: Floats  # (B, 3) pose of the smooth motion q~
    q: Floats  # (B, 4)
    U: Floats  # (B, 6) correction so far
    member: Flags  # (C,) candidates that overlapped at some iterate
    multiplier: Floats  # (C, 6) of their rows


@part
def begin_correction(candidates, bodies, inverse_inertia, new):
    """A `Correction` at the smooth motion in `new`, and the rounding error of its gaps."""
    x = new.x.copy()
    q = new.q.copy()
    rotate_inertias(bodies, q, inverse_inertia)
    count = candidates.a.shape[0]
    floor = 0.0
    for k in range(x.shape[0]):
        floor = max(floor, ROUNDING * (abs(x[k, 0]) + abs(x[k, 1]) + abs(x[k, 2]) + bodies.radius[k]))
    correction = Correction(x, q, np.zeros((x.shape[0], 6)), np.zeros(count, np.bool_), np.zeros((count, 6)))
    return correction, floor


@part
def linearise(candidates, laws, bodies, inverse_inertia, increment, tol, floor, new, correction):
    """State the next problem `u = W r + b` at the present pose of `new`, whose gaps have been measured.

    Returns (rows, b, r of the last iterate, residual there, its worst candidate, solved).
    """
    total, grown = admit(candidates, bodies, correction.member)
    rows = closed_rows(chosen(correction.member, total), candidates, laws, bodies, inverse_inertia)
    count = rows.G.shape[0]
    b = np.empty(count)
    r = np.empty(count)
    position_rates(rows, candidates, increment, correction.U, b)
    for k in range(total):
        for j in range(rows.row[k], rows.row[k + 1]):
            r[j] = correction.multiplier[rows.contact[k], j - rows.row[k]]
    residual, worst, solved = 0.0, -1, total == 0
    if total > 0 and not grown:
        u = np.empty(count)
        response = np.zeros((new.x.shape[0], 6))
        scatter(rows, r, response)
        gather(rows, response, u)
        for j in range(count):
            u[j] += b[j]
        residual, k, solved = relative_residual(rows, r, u, b, tol, floor)
        worst = rows.contact[k]
    return rows, b, r, residual, worst, solved


@part
def move(rows, r, new, correction):
    """Displace the bodies of `new` by the multipliers `r` (R,)."""
    fill(correction.U, 0.0)
    scatter(rows, r, correction.U)
    for k in range(rows.contact.shape[0]):
        for j in range(rows.row[k], rows.row[k + 1]):
            correction.multiplier[rows.contact[k], j - rows.row[k]] = r[j]
    displace(correction.x, correction.q, correction.U, new)


@part
def end_correction(candidates, bodies, inverse_inertia, increment, new, correction):
    """Add U to `increment`, keep the spin; returns the closed contacts (K,)."""
    for k in range(increment.shape[0]):
        for i in range(6):
            increment[k, i] += correction.U[k, i]
    closed, member = 0, correction.member
    for c in range(member.shape[0]):
        touching = candidates.gap[c] <= TOUCH * bodies.radius[candidates.a[c]]
        member[c] = member[c] and (correction.multiplier[c, 0] > 0.0 or touching)
        closed += member[c]
    rotate_inertias(bodies, new.q, inverse_inertia)
    keep_spin(bodies, correction.q, new)
    return chosen(member, closed)


@kernel
def position_correction(
    geometry, kinds, planes, candidates, laws, bodies, inverse_inertia, increment, tol, new
):
    """Correct the pose of `new` in place and add U to `increment`.

    Returns (closed contacts (K,), iterations, residual, worst candidate, solved). `inverse_inertia`
    (B, 3, 3), inertial, is brought to the new pose.
    """
    correction, floor = begin_correction(candidates, bodies, inverse_inertia, new)
    total, residual, worst, solved = 0, 0.0, -1, False
    for _ in range(MAX_ITERATIONS):
        measure(geometry, kinds, planes, bodies, new, candidates)
        rows, b, r, residual, worst, solved = linearise(
            candidates, laws, bodies, inverse_inertia, increment, tol, floor, new, correction
        )
        if solved:
            break
        unsolved = np.empty(rows.island.shape[0] - 1, np.bool_)
        iterations, left = solve_islands(rows, bodies, b, r, 0.1 * tol, floor, unsolved)
        total += iterations
        if left > 0:
            break
        move(rows, r, new, correction)
    closed = end_correction(candidates, bodies, inverse_inertia, increment, new, correction)
    return closed, max(total, 1), residual, worst, solved


@entry
def correct_position(geometry, kinds, planes, candidates, laws, bodies, inverse_inertia, increment, tol, new):
    """`position_correction`, for Python."""
    return position_correction(
        geometry, kinds, planes, candidates, laws, bodies, inverse_inertia, increment, tol, new
    )
