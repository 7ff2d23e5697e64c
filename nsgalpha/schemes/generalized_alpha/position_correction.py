"""Second subproblem: the position correction `q_{n+1} = q~ o exp(U)`.

    M U - G^T nu = 0,    0 <= nu_N  orthogonal to  g_N(q_{n+1}) >= 0,    nu_X = h^2/2 lambda_X

with the exact gaps `g_N` (docs/theory.md, section 2). Friction moves the bodies with the forces `lambda` by
which the contacts carried the loads of the last step, never with impacts. Then the normal multipliers alone
are solved. Each iteration linearises the gaps at the current `q`, `u = g + G (U' - U)`, and solves the
contact problem in `W = G M^-1 G^T`; a contact that becomes overlapped joins. `nu` [kg m] changes positions
only.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import FRICTION, Flags, Floats
from nsgalpha.constraints.joint_coordinates import ignore_soft, set_compliance
from nsgalpha.constraints.jointed_response import (
    gather_joints,
    measure_and_factorise,
    scatter_joints,
    solve_joints,
)
from nsgalpha.contact.islands.contact_residual import relative_residual
from nsgalpha.contact.islands.islands import chosen, closed_rows
from nsgalpha.contact.islands.small_islands import solve_islands
from nsgalpha.contact.rows.contact_kinematics import gather, scatter
from nsgalpha.geometry.narrow_phase import ROUNDING, measure, touches
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import fill
from nsgalpha.schemes.generalized_alpha.anderson import Iterates, accelerate, no_iterates
from nsgalpha.schemes.generalized_alpha.forced_motion import begin_drift, position_follows
from nsgalpha.stepping.contact_slots import grow
from nsgalpha.stepping.poses import (
    coasting,
    conserve_spin,
    displace,
    displace_by_friction,
    displace_by_joint_friction,
    forces_of,
    loaded,
    rotate_inertias,
)
from nsgalpha.stepping.step_outcome import FULL, POSITION, SOLVED

MAX_ITERATIONS = 60
LIGHT = 1e-10  # proximal term of Newton's method: without friction redundant multipliers may be any
SETTLED = 1e-8  # change of the displacements by the last change of normals and levers, over the largest;
PLAIN, SETTLING = 4, 40  # iterations that are not accelerated, and after which normals need not settle,
ENDINGS = 2  # as after so many times that features have ended which had pushed


@kernel
def mark_overlapping(candidates, flying, member):
    """Mark overlapping candidates, unless `flying`, as members; returns (number, any new one).

    A contact that there is not at this pose is none: geometries that reject one give it an infinite gap.
    """
    count, grown = 0, False
    for c in range(candidates.gap.shape[0]):
        if candidates.gap[c] == math.inf:
            member[c] = False
        elif not member[c] and touches(candidates, flying, c):
            member[c] = True
            grown = True
        count += member[c]
    return count, grown


class Correction(NamedTuple):
    """A position correction in progress."""

    x: Floats  # (B, 3) pose of the smooth motion q~
    q: Floats  # (B, 4)
    pushed: Floats  # (B, 6) displacement by friction before it
    U: Floats  # (B, 6) correction so far
    drift: Floats  # (B, 6) its part by forces that follow the motion, and joints
    closing: Floats  # (B, 6) its part that closes the joints
    held: Floats  # (B, 6) its part along the normals of earlier iterates
    iterates: Iterates  # of U
    member: Flags  # (C,) candidates that overlapped at some iterate
    multiplier: Floats  # (C,) of their normal rows
    floor: Floats  # (B,) rounding error of the places of the bodies [m]


@kernel
def share_rounding(joints, floor):
    """Bodies of one mechanism have the largest `floor` (B,) of them: closing joints moves them all."""
    if joints is None:
        return
    number, largest = joints.mechanism, np.zeros(floor.shape[0])
    for b in range(joints.lever.shape[0]):
        largest[number[b]] = max(largest[number[b]], floor[b] + ROUNDING * joints.lever[b])
    for b in range(joints.lever.shape[0]):
        if joints.number[b] >= 0:
            floor[b] = max(floor[b], largest[number[b]])


@kernel
def hold_joints(joints, bodies, h, motion, inverse_inertia):
    """Joints answer displacements by rows at the pose of `motion`; their springs and dampers yield in `h`."""
    if joints is None:
        return
    set_compliance(joints, 0.5 * h * h, h)
    measure_and_factorise(joints, motion, bodies, inverse_inertia)


@inlined
def begin_correction(candidates, bodies, pushed, new):
    """A `Correction` at the pose of `new`, to which friction has `pushed` (B, 6) the bodies."""
    x = new.x.copy()
    q = new.q.copy()
    count, floor = candidates.a.shape[0], np.empty(x.shape[0])
    for k in range(x.shape[0]):
        floor[k] = ROUNDING * (abs(x[k, 0]) + abs(x[k, 1]) + abs(x[k, 2]) + bodies.extent[k])
    share_rounding(bodies.joints, floor)
    zero = np.zeros((4, x.shape[0], 6))
    U, drift, closing, held = zero[0], zero[1], zero[2], zero[3]
    iterates, member = no_iterates(6 * x.shape[0]), np.zeros(count, np.bool_)
    return Correction(x, q, pushed, U, drift, closing, held, iterates, member, np.zeros(count), floor)


@kernel
def begin(elements, constants, follows, h, now):
    """The `Correction` from the pose of `now.new` on.

    Friction has moved the bodies, and it begins with the normal forces of the last step, held over `h`. Rows
    of both, joints and inertia are those where the bodies come without forces. At rest that is where forces
    balance, and so displacements do. By the rows of `now.new`, which loads alone have moved, bodies would
    creep by O(h^4) in every step. If a force `follows` the motion, joints answer its first drift by rows of
    `now.new`.
    """
    candidates, bodies, new, inverse_inertia = now.candidates, constants.bodies, now.new, now.inverse_inertia
    pushed = np.zeros((new.x.shape[0], 6))
    displace_by_joint_friction(bodies.joints, elements, constants, h, now, pushed)
    rotate_inertias(bodies, new.q, inverse_inertia)
    known = loaded(now.past)
    if known.shape[0] == 0:
        return begin_correction(candidates, bodies, pushed, new)
    pose = coasting(now.old, new, h)
    rotate_inertias(bodies, pose.q, inverse_inertia)
    measure(elements, pose, candidates)
    count = 0
    for c in known:
        if candidates.gap[c] < math.inf:
            known[count] = c
            count += 1
    known = known[:count]
    hold_joints(bodies.joints, bodies, h, pose, inverse_inertia)
    rows, force = forces_of(known, now.past, candidates, constants.laws, bodies, inverse_inertia)
    rubbed = np.zeros(pushed.shape)
    displace_by_friction(rows, force, h, bodies, rubbed, now.increment, new)
    for b in range(pushed.shape[0]):
        for i in range(6):
            pushed[b, i] += rubbed[b, i]
    correction = begin_correction(candidates, bodies, pushed, new)
    normal = np.zeros(force.shape[0])
    for k in range(rows.contact.shape[0]):
        correction.member[rows.contact[k]] = True
        normal[rows.row[k]] = correction.multiplier[rows.contact[k]] = 0.5 * h * h * force[rows.row[k]]
    scatter(rows, normal, correction.U)
    if follows:
        hold_joints(bodies.joints, bodies, h, new, inverse_inertia)
    displace(correction.x, correction.q, correction.U, new)
    return correction


@inlined
def response(rows, r, new):
    """Displacements `M^-1 G^T r` (B, 6) of the bodies of `new`."""
    moved = np.zeros((new.x.shape[0], 6))
    scatter(rows, r, moved)
    return moved


@inlined
def overlapping(constants, now, correction):
    """Normal rows of all members at the pose, last multipliers, and new members."""
    total, grown = mark_overlapping(now.candidates, now.past.flying, correction.member)
    if grown:
        correction.iterates.noted[0] = 0
    members = chosen(correction.member, total)
    rows = closed_rows(members, now.candidates, constants.frictionless, constants.bodies, now.inverse_inertia)
    return rows, correction.multiplier[rows.contact], grown


@kernel
def rounding_of(rows, candidates):
    """Rounding errors (R,) of the gaps of normal rows, as they have been measured."""
    floor = np.empty(rows.contact.shape[0])
    for k in range(floor.shape[0]):
        floor[k] = candidates.rounding[rows.contact[k]]
    return floor


@kernel
def linearise(rows, r, moved, candidates, tol, still, correction):
    """State the next problem `u = W r + b`, `b = g + G (held + drift - U)`, at the present pose.

    `moved` (B, 6) is the response to the last multipliers `r`. U is held from iterate to iterate once `U =
    drift + moved` has settled with the rotating normals, is `still`. It is also held if it does not settle,
    as in columns that buckle. Changes of the multipliers then act along their normals, and gaps close as
    Newton's method converges. Returns (b, residual at `r`, its worst candidate, solved).
    """
    gap = candidates.gap
    if still:
        correction.iterates.noted[0] = 0
        for k in range(moved.shape[0]):
            for i in range(6):
                correction.held[k, i] = correction.U[k, i] - correction.drift[k, i] - moved[k, i]
    total, D = r.shape[0], np.empty(moved.shape)
    b, u = np.empty(total), np.empty(total)
    for k in range(moved.shape[0]):
        for i in range(6):
            D[k, i] = correction.U[k, i] - correction.held[k, i] - correction.drift[k, i]
    gather(rows, D, b)
    gather(rows, moved, u)
    for j in range(total):
        b[j] = gap[rows.contact[j]] - b[j]
        u[j] += b[j]
    if total == 0:
        return b, 0.0, -1, still
    residual, k, fulfilled = relative_residual(rows, r, u, b, tol, rounding_of(rows, candidates))
    return b, residual, rows.contact[k], fulfilled and still


@kernel
def close_joints(joints, constants, h, now, correction):
    """Set the displacement that closes the joints at the present pose, a part of `correction.drift`.

    True if it is as it was.
    """
    if joints is None:
        return True
    bodies, new = constants.bodies, now.new
    set_compliance(joints, 0.5 * h * h, h)
    measure_and_factorise(joints, new, bodies, now.inverse_inertia)
    D = joints.twist[0]
    for b in range(D.shape[0]):
        for i in range(6):
            D[b, i] = correction.U[b, i] - correction.held[b, i]
    gather_joints(joints, D, joints.c)
    for r in range(joints.c.shape[0]):
        joints.c[r] -= joints.rows.g[r]
    ignore_soft(joints)
    solve_joints(joints, joints.c)
    fill(D, 0.0)
    scatter_joints(joints, 1.0, joints.c, D)
    same = True
    for b in range(joints.lever.shape[0]):
        for i in range(6):
            change = abs(D[b, i] - correction.closing[b, i]) * (1.0 if i < 3 else joints.lever[b])
            same = same and change <= correction.floor[b]
            correction.drift[b, i] += D[b, i] - correction.closing[b, i]
            correction.closing[b, i] = D[b, i]
    return same


@kernel
def undefined(b):
    """True if a linearised gap is no number: coincident centres have no normal."""
    lost = False
    for j in range(b.shape[0]):
        lost = lost or b[j] != b[j]
    return lost


@kernel
def settled(moved, correction, extent, part_of, least):
    """True if the displacements `U` are those of the multipliers with the present normals, `moved` (B, 6).

    A change counts above `part_of` the largest of them, `least`, and the rounding error of the place.
    Rotations count by the ways of points that are the `extent` (B,) away from the centre. Gaps alone do not
    say so: they leave open how far bodies move along each other, and turn.
    """
    U, drift, held = correction.U, correction.drift, correction.held
    size, same = 0.0, True
    for b in range(U.shape[0]):
        for i in range(6):
            size = max(size, abs(U[b, i]) * (1.0 if i < 3 else extent[b]))
    for b in range(U.shape[0]):
        allowed = max(part_of * size, least, correction.floor[b])
        for i in range(6):
            change = abs(moved[b, i] + drift[b, i] + held[b, i] - U[b, i])
            same = same and change * (1.0 if i < 3 else extent[b]) <= allowed
    return same


@kernel
def move(rows, r, moved, iteration, new, correction):
    """Displace the bodies of `new` by the normal multipliers `r` (R,), to which `moved` (B, 6) responds.

    A correction that has not settled in SETTLING iterations begins once more: rounding decided its path.
    """
    U, drift, held = correction.U, correction.drift, correction.held
    if iteration == SETTLING - 1:
        fill(U, 0.0)
        fill(held, 0.0)
        fill(correction.multiplier, 0.0)
        fill(correction.member, False)
        displace(correction.x, correction.q, U, new)
        return
    before = U.copy()
    for b in range(U.shape[0]):
        for i in range(6):
            U[b, i] = held[b, i] + drift[b, i] + moved[b, i]
    if iteration < SETTLING:
        accelerate(correction.iterates, PLAIN, before.reshape(-1), U.reshape(-1))
    for k in range(rows.contact.shape[0]):
        correction.multiplier[rows.contact[k]] = r[k]
    displace(correction.x, correction.q, U, new)


@inlined
def end_correction(now, bodies, correction):
    """Add U to `now.increment`, keep the spin; returns the closed contacts (K,).

    Those are the contacts that touched at the start of the step and still exist, and those that push or touch
    at its end. An arrival within the step pushes touching bodies apart, which take part in its impact
    nevertheless.
    """
    for k in range(correction.U.shape[0]):
        for i in range(6):
            now.increment[k, i] += correction.U[k, i]
    closed, member = 0, correction.member
    for c in range(member.shape[0]):
        pushes = correction.multiplier[c] > 0.0
        touched = now.past.touched[c] and now.candidates.gap[c] < math.inf
        member[c] = touched or (member[c] and (pushes or touches(now.candidates, now.past.flying, c)))
        member[c] = member[c] or now.candidates.plane[c] <= FRICTION
        closed += member[c]
    rotate_inertias(bodies, now.new.q, now.inverse_inertia)
    conserve_spin(bodies, correction.q, now.new)
    return chosen(member, closed)


@inlined
def outcome_of(solved, full):
    """The outcome; `full` is the first slot of a pair with too few, else -1."""
    return FULL if full >= 0 else SOLVED if solved else POSITION


@kernel
def position_correction(elements, constants, loads, t, h, now):
    """Correct the pose of `now.new` in place and add U to `now.increment`; `h` is the step.

    The `loads` act at the time `t`; None: no force follows the motion. Returns (closed contacts (K,),
    iterations, residual, worst candidate, outcome). `now.inverse_inertia` is brought to the new pose.
    """
    candidates, bodies, new, tol = now.candidates, constants.bodies, now.new, constants.tol
    if candidates.a.shape[0] == 0:
        return np.empty(0, np.int64), 0, 0.0, -1, SOLVED
    correction = begin(elements, constants, loads is not None, h, now)
    total, residual, worst, solved, found, endings, full = 0, 0.0, -1, False, True, 0, -1
    if loads is not None:
        found = begin_drift(constants, loads, t, h, now, correction)
    for iteration in range(MAX_ITERATIONS):
        measure(elements, new, candidates)
        steady = found
        if loads is not None:  # noqa: SIM102, numba drops branches of None as they stand here
            if iteration > 0:
                steady = position_follows(constants, loads, t, h, now, correction)
        steady = close_joints(bodies.joints, constants, h, now, correction) and steady
        rows, r, grown = overlapping(constants, now, correction)
        moved = response(rows, r, new)
        still = steady and not grown and settled(moved, correction, bodies.extent, SETTLED, 0.0)
        still = still or (steady and (iteration > SETTLING or endings >= ENDINGS))
        b, residual, worst, solved = linearise(rows, r, moved, candidates, tol, still, correction)
        solved = solved and not grown
        if solved:
            again, ended, full = grow(elements.selection, elements, now, correction)
            solved, endings = not again, endings + ended
            if full >= 0:
                worst = full
                break
            if again:
                continue
        if solved or undefined(b):
            break
        unsolved = np.empty(rows.island.shape[0] - 1, np.bool_)
        tolerance = 0.1 * tol, rounding_of(rows, candidates)
        rates = b, np.zeros(b.shape[0])
        newton_steps, _, left, _ = solve_islands(
            (elements.board, True), rows, bodies, rates, r, tolerance, LIGHT, unsolved
        )
        total += newton_steps
        if left > 0:
            break
        move(rows, r, response(rows, r, new), iteration, new, correction)
    closed = end_correction(now, bodies, correction)
    return closed, max(total, 1), residual, worst, outcome_of(solved, full)
