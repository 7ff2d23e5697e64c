"""Impulses of closed contacts on the velocities of a step: impacts and loads.

    M W = G^T (P + L),    P of the impacts (impact_sequence.py),    L in its sets against  G v_{n+1} - c

`c` are the rates at which contacts open after the impacts. Joints answer at once: W is a velocity in their
null space (constraints/jointed_response.py).
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.constraints.joint_coordinates import set_compliance
from nsgalpha.constraints.jointed_response import (
    measure_and_factorise,
    project_impulses,
    project_motion,
    project_onto_joints,
    project_velocities_onto_joints,
    spread_joints,
)
from nsgalpha.contact.impacts.impact_sequence import (
    NO_IMPACT,
    begin_impacts,
    begin_sequence,
    end_sequence,
    rounded,
    run_sequence,
)
from nsgalpha.contact.islands.islands import LARGE, part_between, parts_of
from nsgalpha.contact.rows.contact_kinematics import add_response, add_twists, gather, scatter, twists
from nsgalpha.contact.rows.marker_rows import is_friction_row
from nsgalpha.contact.rows.running_surfaces import subtract_surfaces
from nsgalpha.geometry.twists import divide
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.jit.work_sharing import share
from nsgalpha.linalg.vectors import fill, largest

NEARLY_NONE = 5e-9  # of the square of a step: springs of joints without damping hardly act on velocities


class Impulses(NamedTuple):
    """Impulses of the rows in a step [N s, N m s]."""

    impact: Floats  # (R,) of the sequence of impacts
    load: Floats  # (R,) by which the contacts carry the loads
    rebound: Floats  # (R,) rates that the loads may not take back, or that motors want; targets of friction


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
    project_motion(joints, now.new, h)


@kernel
def project_velocities_before(joints, V, new):
    """Project velocities `V` (B, 6) before a step onto the joints at its end (`new`).

    With the rows of one pose in both terms of the impact law, joints do no work in an impact.
    """
    if joints is None:
        return
    count, before = joints.lever.shape[0], joints.twist[1]
    for b in range(count, V.shape[0]):
        for i in range(3):
            before[b, i], before[b, 3 + i] = V[b, i], V[b, 3 + i]
            V[b, i], V[b, 3 + i] = new.v[b, i], new.w[b, i]
    project_velocities_onto_joints(joints, V)
    for b in range(count, V.shape[0]):
        for i in range(6):
            V[b, i] = before[b, i]


@kernel
def react(joints, rows, impulses):
    """Add the joints' answer to the `impulses` of the contacts."""
    if joints is None:
        return
    _add_reaction(joints, rows, impulses.load, joints.impulse)
    if largest(impulses.impact) > 0.0:
        _add_reaction(joints, rows, impulses.impact, joints.struck)


@kernel
def resist(constants, now, impulse):
    """Add the joints' answer to the `impulse` (N, 6) of forces to their impulses."""
    joints = constants.bodies.joints
    V = joints.twist[0]
    fill(V, 0.0)
    divide(constants.bodies, now.inverse_inertia, 1.0, impulse, V)
    project_impulses(joints, V)


@kernel
def _add_reaction(joints, rows, impulse, reaction):
    """Add the joints' answer to the `impulse` (R,) of contacts to their `reaction`."""
    V = joints.twist[0]
    fill(V, 0.0)
    add_response(rows, impulse, V)
    project_onto_joints(joints, V)
    for r in range(reaction.shape[0]):
        reaction[r] -= joints.c[r]
    spread_joints(joints, reaction)


@kernel
def opening_rates(rows, motion, rebound):
    """Rates (R,) of the rows at the velocities of `motion`, over those of the `rebound` (R,)."""
    V, b = np.empty((motion.v.shape[0], 6)), np.empty(rebound.shape[0])
    twists(motion, V)
    gather(rows, V, b)
    subtract_surfaces(rows, motion.q, b)
    for j in range(b.shape[0]):
        b[j] -= rebound[j]
    return b


@kernel
def apply_impulses(rows, impulse, new):
    """Add `M^-1 G^T impulse` to the velocities of `new`."""
    V = np.zeros((new.v.shape[0], 6))
    scatter(rows, impulse, V)
    add_twists(V, new)


class Ends(NamedTuple):
    """The state of the islands."""

    together: Flags  # (I,) impacts are solved together with the loads
    unsolved: Flags  # (I,)


@kernel
def no_ends(count):
    """Workspace for the `Ends` of `count` islands."""
    both = np.zeros((2, count), np.bool_)
    return Ends(both[0], both[1])


@inlined
def solve_impacts(way, rows, constants, rates, impulses, ends):
    """The impacts of all islands. Marks in `ends` those that are large or do not converge, with impacts.

    `way` as in `solve_islands`. Returns (iterations, impacts, residual, islands capped, islands unsolved),
    largest of an island.
    """
    board, all_or_none = way
    return _solve_impacts(
        board, constants.bodies.joints, (rows, constants, rates, impulses, ends, all_or_none)
    )


@kernel
def _solve_impacts(board, joints, given):
    """`solve_impacts`, in parts if there is a `board`."""
    islands = given[0].island
    if board is None:
        return _impacts_between(given, 0, islands.shape[0] - 1)
    if joints is not None:
        return _impacts_between(given, 0, islands.shape[0] - 1)
    found = np.empty((parts_of(islands), 5))
    share(board, found.shape[0], _impacts_of_part, (given, found))
    most, impacts, residual, capped, left = 0, 0, 0.0, 0, 0
    for p in range(found.shape[0]):
        most, impacts = max(most, int(found[p, 0])), max(impacts, int(found[p, 1]))
        residual = max(residual, found[p, 2])
        capped, left = capped + int(found[p, 3]), left + int(found[p, 4])
    return most, impacts, residual, capped, left


@kernel
def _impacts_of_part(p, parts):
    """The impacts of the islands of part `p`."""
    given, found = parts
    first, last = part_between(given[0].island, p)
    found[p, 0], found[p, 1], found[p, 2], found[p, 3], found[p, 4] = _impacts_between(given, first, last)


@kernel
def _impacts_between(given, begin, end):
    """`solve_impacts` of the islands from `begin` to before `end`."""
    rows, constants, rates, impulses, ends, all_or_none = given
    most, impacts, residual, capped, left = 0, 0, 0.0, 0, 0
    limits = np.empty((2, end - begin))
    for i in range(begin, end):
        first, last = rows.island[i], rows.island[i + 1]
        tol_v, limit = begin_impacts(rows, first, last, constants, rates)
        limits[0, i - begin], limits[1, i - begin] = tol_v, limit
        ends.together[i] = limit == 0
        ends.unsolved[i] = limit > 0
        if limit <= 0:
            impacts = max(impacts, limit - NO_IMPACT)
        left += limit > 0 and rows.row[last] - rows.row[first] > LARGE
    if all_or_none and left > 0:
        return most, impacts, residual, capped, left
    for i in range(begin, end):
        first, last = rows.island[i], rows.island[i + 1]
        if not ends.unsolved[i] or rows.row[last] - rows.row[first] > LARGE:
            continue
        left += 1
        tol_v, limit = limits[0, i - begin], int(limits[1, i - begin])
        sequence = begin_sequence(rows, first, last, constants, rates, tol_v, limit)
        tolerance = 0.1 * constants.tol, rounded(sequence, rates, rows.row[first])
        total, passes, worst, ended = run_sequence(rows, constants.bodies, sequence, 0, tolerance, None)
        if not ended:
            continue
        end_sequence(rows, sequence, impulses)
        ends.unsolved[i] = False
        left -= 1
        residual = max(residual, worst)
        most = max(most, total)
        impacts = max(impacts, passes)
        capped += passes > limit and not sequence.simultaneous
    return most, impacts, residual, capped, left


@kernel
def settle(rows, remembered, together, impulses):
    """Divide the solution into impacts and loads.

    The force that keeps the rebound of a contact against the loads counts as a part of its impact. In islands
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
