"""Third subproblem: the velocity correction `v_{n+1} = v~ + W`, impacts first, loads after.

    impacts   V = v_n + M^-1 G^T P,   a sequence without loads                           (impact_sequence.py)
    loads     M W - G^T (P + Lambda) = 0,   Lambda in its sets against  G v_{n+1} - c

`c` is the rate at which a contact that was struck opens after the impacts, zero for all others: loads do not
take the rebound back. All closed contacts carry the loads together, in one problem: a load is no impact
(docs/theory.md, section 5). Only `Lambda` becomes a force of the next step. What a rebounding contact
needs to keep its rate counts as a part of its impact.

Where nothing that strikes rebounds, the two are one problem in `P + Lambda`, with which they agree to O(h):
projections do not stretch. Then the loads of the last step are taken for `Lambda`.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.constraints.joint_coordinates import set_compliance
from nsgalpha.constraints.jointed_response import (
    has_joints,
    hold,
    hold_motion,
    hold_velocities,
    measure_and_factorise,
    project_impulses,
    scatter_joints,
    spread_joints,
)
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.multiplier_sets import HALF_LINE, fill, largest, weigh
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.schemes.generalized_alpha.forced_motion import begin_velocity, strike, velocity_follows
from nsgalpha.schemes.generalized_alpha.impact_sequence import (
    NO_IMPACT,
    Rates,
    begin_impacts,
    begin_sequence,
    end_sequence,
    rounded,
    run_sequence,
    solve_impulses,
)
from nsgalpha.schemes.generalized_alpha.persistent_contacts import turn_velocities, turned_rates
from nsgalpha.schemes.generalized_alpha.twists import divide
from nsgalpha.stepping.contact_kinematics import add_response, gather, scatter, twists
from nsgalpha.stepping.islands import LARGE, island_problem
from nsgalpha.stepping.marker_rows import is_friction_row

ROUNDING = 1e-15  # of a rate, relative to the velocities it is computed from,
HELD = 1e-14  # and to those that joints take away in the step
NEARLY_NONE = 5e-9  # of the square of a step: springs of joints without damping hardly act on velocities
MAX_ITERATIONS = 20  # in the forces that follow the motion


class Impulses(NamedTuple):
    """Impulses of the rows in a step [N s, N m s]."""

    impact: Floats  # (R,) of the sequence of impacts
    load: Floats  # (R,) by which the contacts carry the loads
    rebound: Floats  # (R,) rates after the impacts that the loads may not take back; those that motors want


@kernel
def no_impulses(count):
    """`Impulses` of `count` rows, all zero."""
    table = np.zeros((3, count))
    return Impulses(table[0], table[1], table[2])


@kernel
def begin_velocities(joints, constants, h, now):
    """The velocities of `now.new` before any contact acts: joints hold where bodies are."""
    if joints is None:
        return
    set_compliance(joints, NEARLY_NONE * h * h, h)  # impulses act for a step of h on springs and dampers
    measure_and_factorise(joints, now.new, constants.bodies, now.inverse_inertia)
    hold_motion(joints, now.new, h)


@kernel
def _hold_before(joints, V, new):
    """Project velocities `V` (B, 6) before a step onto the joints at its end, where frames move as in `new`.

    With the rows of one pose in both terms of the impact law, joints do no work in an impact.
    """
    if joints is None:
        return
    count, before = joints.lever.shape[0], joints.twist[1]
    for b in range(count, V.shape[0]):
        for i in range(3):
            before[b, i], before[b, 3 + i] = V[b, i], V[b, 3 + i]
            V[b, i], V[b, 3 + i] = new.v[b, i], new.w[b, i]
    hold_velocities(joints, V)
    for b in range(count, V.shape[0]):
        for i in range(6):
            V[b, i] = before[b, i]


@kernel
def react(joints, rows, impulses):
    """Add what the joints do against the `impulses` of the contacts."""
    if joints is None:
        return
    _add_reaction(joints, rows, impulses.load, joints.impulse)
    if largest(impulses.impact) > 0.0:
        _add_reaction(joints, rows, impulses.impact, joints.struck)


@kernel
def resist(constants, now, impulse):
    """Add to the impulses of the joints what they do against the `impulse` (N, 6) of forces."""
    joints = constants.bodies.joints
    V = joints.twist[0]
    fill(V, 0.0)
    divide(constants.bodies, now.inverse_inertia, 1.0, impulse, V)
    project_impulses(joints, V)


@kernel
def _add_reaction(joints, rows, impulse, reaction):
    """Add what joints do against the `impulse` (R,) of contacts to their `reaction`."""
    V = joints.twist[0]
    fill(V, 0.0)
    add_response(rows, impulse, V)
    hold(joints, V)
    for r in range(reaction.shape[0]):
        reaction[r] -= joints.c[r]
    spread_joints(joints, reaction)


@inlined
def rates_of_rows(rows, bodies, h, now):
    """`Rates` of the rows in a step of `h` from `now.old` to `now.new`."""
    old, new = now.old, now.new
    after = np.empty(rows.G.shape[0])
    before = np.empty(rows.G.shape[0])
    turned = np.zeros(rows.G.shape[0])
    V = np.empty((new.v.shape[0], 6))
    twists(old, V)
    _hold_before(rows.joints, V, new)
    gather(rows, V, before)
    turned_rates(rows, V, before, now, turned)
    twists(new, V)
    gather(rows, V, after)
    speed = 0.0
    for b in range(V.shape[0]):
        for i in range(3):
            speed = max(speed, abs(V[b, i]), bodies.extent[b] * abs(V[b, 3 + i]))
    floor = ROUNDING * speed
    floor = max(floor, HELD * _taken(rows.joints, bodies, h))
    floors = np.empty(rows.G.shape[0])
    fill(floors, floor)
    return Rates(after, before, turned, floors)


@kernel
def _taken(joints, bodies, h):
    """Largest velocity [m/s] that joints take away in a step of `h`: bodies that they hold have none left."""
    if joints is None:
        return 0.0
    V, speed = joints.twist[0], 0.0
    fill(V, 0.0)
    scatter_joints(joints, h, joints.multiplier, V)
    for b in range(V.shape[0]):
        for i in range(3):
            speed = max(speed, abs(V[b, i]), bodies.extent[b] * abs(V[b, 3 + i]))
    return speed


@kernel
def opening_rates(rows, motion, rebound):
    """Rates (R,) of the rows at the velocities of `motion`, over those of the `rebound` (R,)."""
    V, b = np.empty((motion.v.shape[0], 6)), np.empty(rebound.shape[0])
    twists(motion, V)
    gather(rows, V, b)
    for j in range(b.shape[0]):
        b[j] -= rebound[j]
    return b


@kernel
def apply_impulses(rows, impulse, new):
    """Add `M^-1 G^T impulse` to the velocities of `new`."""
    V = np.zeros((new.v.shape[0], 6))
    scatter(rows, impulse, V)
    for b in range(V.shape[0]):
        for i in range(3):
            new.v[b, i] += V[b, i]
            new.w[b, i] += V[b, 3 + i]


@inlined
def solve_islands(rows, bodies, b, r, tolerance, proximal, unsolved):
    """Solve `u = W r + b` of the `rows`, island by island, for `r` (R,), on entry the start.

    `tolerance`: (relative, absolute (R,), in the units of b); `proximal` as in dense_newton.py. Contacts that
    nothing presses, `b_N >= 0` within rounding, need no multipliers. Marks in `unsolved` (I,) the islands
    that are large or do not converge, and leaves their `r`. Returns (iterations, relative residual, unsolved
    islands), largest of an island.
    """
    most, residual, left = 0, 0.0, 0
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        r0 = rows.row[first]
        n = rows.row[last] - r0
        unsolved[i] = False
        if not pressed(rows, first, last, b, tolerance[1]):
            for j in range(r0, r0 + n):
                r[j] = 0.0
            continue
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
            bottom = max(bottom, tolerance[1][r0 + j] / problem.scale[j])
        weigh(problem.sets, 0, problem.sets.row.shape[0], problem.scale, scaled_b)
        iterations, size, solved = solve_impulses(
            problem.W, scaled_b, problem.sets, (tolerance[0], bottom), scaled_r, proximal
        )
        most = max(most, iterations)
        if solved:
            unsolved[i] = False
            left -= 1
            residual = max(residual, size)
            for j in range(n):
                r[r0 + j] = scaled_r[j] / problem.scale[j]
    return most, residual, left


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


class Ends(NamedTuple):
    """The state of the islands."""

    together: Flags  # (I,) impacts are solved together with the loads
    unsolved: Flags  # (I,)


@kernel
def no_ends(count):
    """Room for the `Ends` of `count` islands."""
    return Ends(np.zeros(count, np.bool_), np.zeros(count, np.bool_))


@inlined
def solve_impacts(rows, constants, rates, impulses, ends):
    """The impacts of all islands. Marks in `ends` those that are large or do not converge, with impacts.

    Returns (iterations, impacts, residual, islands capped, islands unsolved), largest of an island.
    """
    most, impacts, residual, capped, left = 0, 0, 0.0, 0, 0
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        tol_v, limit = begin_impacts(rows, first, last, constants.laws, rates, constants.tol)
        ends.together[i] = limit == 0
        ends.unsolved[i] = limit > 0
        if limit <= 0:
            impacts = max(impacts, limit - NO_IMPACT)
            continue
        left += 1
        if rows.row[last] - rows.row[first] > LARGE:
            continue
        sequence = begin_sequence(rows, first, last, constants.laws, rates, tol_v, limit)
        tolerance = 0.1 * constants.tol, rounded(sequence, rates, rows.row[first])
        total, passes, worst, ended = run_sequence(rows, constants.bodies, sequence, 0, tolerance)
        if not ended:
            continue
        end_sequence(rows, sequence, impulses)
        ends.unsolved[i] = False
        left -= 1
        residual = max(residual, worst)
        most = max(most, total)
        impacts = max(impacts, passes)
        capped += passes > limit
    return most, impacts, residual, capped, left


@kernel
def settle(rows, remembered, together, impulses):
    """Divide what has been found into impacts and loads.

    What holds the rebound of a contact against the loads counts as a part of its impact; of what was
    solved together (I,) the loads are those of the last step, `remembered` (R,), where contacts still push.
    """
    for i in range(together.shape[0]):
        for k in range(rows.island[i], rows.island[i + 1]):
            if is_friction_row(rows, k):
                continue  # it has no part in impacts
            carries = impulses.load[rows.row[k]] > 0.0 and not impulses.rebound[rows.row[k]] > 0.0
            for j in range(rows.row[k], rows.row[k + 1]):
                load = 0.0
                if carries:
                    load = remembered[j] if together[i] else impulses.load[j]
                impulses.impact[j] += impulses.load[j] - load
                impulses.load[j] = load


@kernel
def velocity_correction(rows, constants, loads, t, h, now, impulses):
    """Correct the velocities of `now.new` in place; `impulses` takes those of the rows.

    The `loads` act at the time `t`; None: what acts does not follow the motion. `impulses.load` is on entry
    the start. Returns (iterations, impacts, residual, islands capped, islands unsolved).
    """
    bodies, new = constants.bodies, now.new
    contacts = rows.contact.shape[0]
    if contacts > 0:
        begin_velocities(bodies.joints, constants, h, now)
    turn_velocities(rows, constants, h, now, impulses.load)
    if loads is not None:
        begin_velocity(constants, loads, h, now)
    rates = rates_of_rows(rows, bodies, h, now)
    ends = no_ends(rows.island.shape[0] - 1)
    most, impacts, residual, capped, left = solve_impacts(rows, constants, rates, impulses, ends)
    if left > 0:
        return most, impacts, residual, capped, left
    b = rates.after
    if has_joints(bodies.joints) and contacts > 0:
        b = opening_rates(rows, new, impulses.rebound)
    if largest(impulses.impact) > 0.0:
        apply_impulses(rows, impulses.impact, new)
        b = opening_rates(rows, new, impulses.rebound)
        if loads is not None:
            strike(loads, rows, impulses.impact)
    remembered, tolerance = impulses.load.copy(), (0.1 * constants.tol, rates.floor)
    left = 1
    for _ in range(MAX_ITERATIONS):
        iterations, worst, left = solve_islands(
            rows, bodies, b, impulses.load, tolerance, PROXIMAL, ends.unsolved
        )
        most, residual = max(most, iterations), max(residual, worst)
        if left > 0:
            break
        apply_impulses(rows, impulses.load, new)
        follows = True
        if loads is not None:
            follows = velocity_follows(constants, loads, t, h, now)
        if follows:
            break
        b = opening_rates(rows, new, impulses.rebound)
        left = 1
    settle(rows, remembered, ends.together, impulses)
    if contacts > 0:
        react(bodies.joints, rows, impulses)
    return max(most, 1), impacts, residual, capped, left
