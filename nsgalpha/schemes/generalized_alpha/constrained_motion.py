"""Smooth motion of jointed bodies: joints hold at both levels (docs/design/joints.md).

    M dv = f + G^T lambda,   G(q~) V~ = 0                  by the multipliers lambda [N, N m]
    q~ = q_n o exp(psi) o exp(U),   g(q~) = 0              by M U = G^T nu, of third order in h

with the velocities of prescribed frames among V~. Each iteration takes the smooth motion of the bodies under
the last multipliers (smooth_motion.py), moves it onto g = 0, and corrects the multipliers with S = G M^-1 G^T
there. Bodies turn by O(h) in a step, so that few iterations suffice.

Reactions are of second order because a_n carries them: the action of joints is a part of the smooth motion.
Contacts, which act afterwards, leave both levels alone (constraints/jointed_response.py).
"""

import math

from nsgalpha.constraints.joint_coordinates import ignore_soft, set_compliance, soften
from nsgalpha.constraints.jointed_response import (
    add_wrenches,
    are_measured,
    are_redundant,
    factorise_joints,
    gather_joints,
    measure_rows,
    recall_answers,
    scatter_joints,
    solve_roughly,
    spread_joints,
)
from nsgalpha.geometry.twists import copy, divide, least_change, less, size_of
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill
from nsgalpha.schemes.generalized_alpha.singular_positions import arrive, blur, rounding
from nsgalpha.stepping.poses import displace, rotate_inertias
from nsgalpha.stepping.smooth_motion import smooth_motion

MAX_ITERATIONS = 50
CLOSING = 8  # displacements at most that close the joints of a pose
POOR = 1e-2  # ratio of an iterate to the last from which on S is factorised again
HELD = 1e-14  # of a velocity, relative to that which joints take away in the step
OPEN, AJAR, SHUT = range(3)  # joints of a pose
LATER = 1e2  # times the tolerance: opening of joints, over a length, that takes more than two iterations,
NEAR = 1e-5  # and that up to which the rows are those of a closed pose but for as much
ROUNDED = 2e-15  # of a velocity, relative to the sum of those that rows take away, each alone


@kernel
def free_motion(constants, h, wrench, now):
    """`smooth.smooth_motion` of bodies with joints or without; `now.inverse_inertia` is workspace."""
    return jointed_motion(constants.bodies.joints, constants, h, wrench, now)


@kernel
def jointed_motion(joints, constants, h, wrench, now):
    """The smooth motion under the `wrench` (N, 6) and the joints, as `smooth.smooth_motion`.

    Returns the iterations, -1 where they do not converge; `joints.multiplier` is on entry the start.

    S is factorised once, and again where iterates shrink slowly: poses differ by O(h^2) from one iteration to
    the next. If they shrink slowly after that, too, it is not for the factor, and only iterates that hardly
    shrink have another.
    """
    bodies, old, new = constants.bodies, now.old, now.new
    if joints is None:
        return smooth_motion(constants, h, wrench, old, new, now.increment)
    am, af, gamma, beta = constants.scheme
    step = h * gamma * (1.0 - af) / (1.0 - am)
    ahead = h * beta / gamma
    set_compliance(joints, h * h * beta * (1.0 - af) / (1.0 - am), step)
    driven, rest = joints.wrench[0], joints.wrench[1]
    V, U = joints.twist[0], joints.twist[1]
    fill(U, 0.0)
    if not are_measured(joints, old):
        measure_rows(joints, old, bodies, now.inverse_inertia)
    recall_answers(joints)
    fresh, renewed, last, rounded = True, False, math.inf, 0.0
    for iteration in range(1, MAX_ITERATIONS + 1):
        copy(wrench, driven)
        add_wrenches(joints, 1.0, joints.multiplier, driven)
        if smooth_motion(constants, h, driven, old, new, now.increment) < 0:
            return -1
        state = close_joints(constants, joints, U, now, iteration == 1, fresh)
        if state == OPEN:
            return -1
        # effect of the joints, rotated by the motion, on the velocities
        copy(wrench, rest)
        add_wrenches(joints, 1.0, joints.multiplier, rest)
        less(rest, driven, rest)
        fill(V, 0.0)
        divide(bodies, now.inverse_inertia, step, rest, V)
        gather_rates(joints, new, V)
        soften(joints, step)
        solve_roughly(joints, joints.c)
        scatter_joints(joints, -1.0, joints.c, V)
        for r in range(joints.c.shape[0]):
            joints.multiplier[r] -= joints.c[r] / step
        size = size_of(joints.lever, V)
        if iteration <= 2:  # the multipliers hardly change after that
            rounded = rounded_rates(joints, step, rest)
        done = size <= max(rounded, least_change(constants, joints.lever, new, old))
        done = done or (fresh and last <= 2.0 * size and size <= blur(joints, new))
        if done and state == SHUT:
            for b in range(wrench.shape[0]):
                for i in range(3):
                    new.v[b, i] += V[b, i]
                    new.w[b, i] += V[b, 3 + i]
            arrive(constants, now)
            copy_into(joints.measured.smooth, joints.measured.gap)
            return iteration
        # with the new multipliers the smooth motion goes further by `ahead` V: the violation of g = 0 is
        # closed
        gather_joints(joints, V, joints.c)
        ignore_soft(joints)
        solve_roughly(joints, joints.c)
        scatter_joints(joints, -ahead, joints.c, U)
        fresh = size > (0.5 if renewed else POOR) * last
        renewed = renewed or fresh
        last = size
    return -1


@kernel
def rounded_rates(joints, step, workspace):
    """Rounding [m/s] of velocities of which joints take so much away; all may be at rest. `workspace` (N, 6).

    Torques of forces and of axes may be large that balance, and so their rounding.
    """
    body, row, lever = joints.table.body, joints.table.row, joints.lever
    MG, D = joints.rows.MG, joints.twist[2]
    fill(D, 0.0)
    fill(workspace, 0.0)
    for j in range(body.shape[0]):
        for side in range(body.shape[1]):
            b = body[j, side]
            if b < lever.shape[0]:
                for r in range(row[j], row[j + 1]):
                    for i in range(6):
                        D[b, i] += step * MG[r, side, i] * joints.multiplier[r]
                        workspace[b, i] += step * abs(MG[r, side, i] * joints.multiplier[r])
    return max(HELD * size_of(lever, D), ROUNDED * size_of(lever, workspace))


@kernel
def gather_rates(joints, motion, V):
    """Rates `joints.c` = G (V~ + V) (R,) at the velocities of `motion`, and `V` (B, 6) more."""
    body, row, G = joints.table.body, joints.table.row, joints.rows.G
    for j in range(body.shape[0]):
        for r in range(row[j], row[j + 1]):
            joints.c[r] = 0.0
        for side in range(body.shape[1]):
            b = body[j, side]
            for r in range(row[j], row[j + 1]):
                for i in range(3):
                    joints.c[r] += G[r, side, i] * (motion.v[b, i] + V[b, i])
                    joints.c[r] += G[r, side, 3 + i] * (motion.w[b, i] + V[b, 3 + i])


@kernel
def close_joints(constants, joints, U, now, first, fresh):
    """Displace `now.new` and `now.increment` by `U` (B, 6), on entry a guess, so that g = 0 there.

    SHUT if it is found; the rows are those of the new pose. S is factorised there if it is to be `fresh`. If
    this is the `first` time, `now.new` is at `U` already. Where joints open by so much that there will be
    more iterations than two, one displacement is enough for now (AJAR). Rows are those before it. OPEN where
    displacements do not shrink.
    """
    bodies, new = constants.bodies, now.new
    D = joints.twist[2]
    copy(new.x, joints.x)
    copy(new.q, joints.q)
    floor = rounding(joints, new)
    state, last = OPEN, math.inf
    for k in range(CLOSING):
        if k > 0 or not first:
            displace(joints.x, joints.q, U, new)
        if k == 0:
            rotate_inertias(bodies, new.q, now.inverse_inertia)
        measure_rows(joints, new, bodies, now.inverse_inertia)
        if fresh:
            factorise_joints(joints)
        copy_into(joints.c, joints.rows.g)
        solve_roughly(joints, joints.c)
        fill(D, 0.0)
        scatter_joints(joints, -1.0, joints.c, D)
        size = size_of(joints.lever, D)
        if size <= floor or are_closed(joints, floor):
            state = SHUT
            break
        fresh, last = size > POOR * last, size
        for b in range(joints.lever.shape[0]):
            for i in range(6):
                U[b, i] += D[b, i]
        if first and LATER * constants.tol * _shortest(joints) < size < NEAR * _shortest(joints):
            state = AJAR
            break
    for b in range(joints.lever.shape[0]):
        for i in range(6):
            now.increment[b, i] += U[b, i]
            if state == SHUT:
                U[b, i] += D[b, i]  # rounding, of the next pose
    return state


@kernel
def _shortest(joints):
    """Length [m] of the shortest body."""
    length = math.inf
    for b in range(joints.lever.shape[0]):
        length = min(length, joints.lever[b])
    return length


@kernel
def are_closed(joints, floor):
    """True if no row alone asks for a displacement above `floor`.

    Near a singular position all rows together ask for more, which is rounding.
    """
    body, row, g = joints.table.body, joints.table.row, joints.rows.g
    G, MG, lever = joints.rows.G, joints.rows.MG, joints.lever
    for j in range(body.shape[0]):
        for r in range(row[j], row[j + 1]):
            own, most = 0.0, 0.0
            for side in range(body.shape[1]):
                b = body[j, side]
                for i in range(6):
                    own += G[r, side, i] * MG[r, side, i]
                    if b < lever.shape[0]:
                        most = max(most, abs(MG[r, side, i]) * (1.0 if i < 3 else lever[b]))
            if abs(g[r]) * most > floor * own:
                return False
    return True


@kernel
def subtract_loads(joints, bodies, now, wrench):
    """Subtract the joints' loads, with the last multipliers, from the `wrench` (N, 6)."""
    if joints is None:
        return
    measure_rows(joints, now.old, bodies, now.inverse_inertia)
    add_wrenches(joints, -1.0, joints.multiplier, wrench)


@kernel
def set_multipliers(joints, h):
    """Let the multipliers take the joints' part of a change of velocities over `h`, `joints.c`."""
    if joints is None:
        return
    for r in range(joints.c.shape[0]):
        joints.multiplier[r] -= joints.c[r] / h
    if are_redundant(joints):
        spread_joints(joints, joints.multiplier)
