"""Position and velocity correction driven from Python: islands of any size, forces of any kind.

    M U - h^2/2 [f(q_{n+1}, v~ + 2 U/h) - f(q~, v~)] - G^T nu = 0                (7) of the theory
    M W - h [f(q_{n+1}, v_{n+1}) - f(q~, v~)] - G^T (P + Lambda) = 0             (10)

They are those of position_correction.py and velocity_correction.py, made of the same pieces. In (7) the
correction stands for a force that acts over the step: at rest U = h W/2, and with it the forces of (7) are
those of (10). Impacts P have no duration, so that forces have no part in them. Linearised with the tangents
of compliant contacts,

    U = U_k + A^-1 (h^2/2 [f - f~] - M U_k + G^T nu),              A = M + h^2/2 K + h C
    W = W_k + B^-1 (h [f - f~] - M W_k + G^T (P + Lambda)),        B = M + h C

so that the contact problem has the operator G A^-1 G^T (correction_operators.py). Loads without tangents are
iterated with A = B = M, which converges while h is below the shortest of their periods over about six.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.constraints.jointed_response import project_velocities_onto_joints
from nsgalpha.contact.augmented_lagrangian.lagrangian_impacts import Impacts
from nsgalpha.contact.augmented_lagrangian.lagrangian_response import LagrangianResponse
from nsgalpha.contact.impacts.impact_sequence import Rates
from nsgalpha.contact.impacts.large_impacts import solve_sequence
from nsgalpha.contact.impacts.velocity_problem import (
    Ends,
    Impulses,
    apply_impulses,
    begin_velocities,
    no_ends,
    no_impulses,
    opening_rates,
    react,
    resist,
    settle,
    solve_impacts,
)
from nsgalpha.contact.islands.island_response import BodyResponse, Effort, Inertia
from nsgalpha.contact.islands.islands import LARGE, closed_rows
from nsgalpha.contact.islands.large_island import ACCEPTABLE, INNER
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.marker_rows import bound_friction
from nsgalpha.geometry.twists import size_of
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.schemes.generalized_alpha.anderson import accelerate, no_iterates
from nsgalpha.schemes.generalized_alpha.correction_operators import Flexible
from nsgalpha.schemes.generalized_alpha.forced_motion import recall_loads
from nsgalpha.schemes.generalized_alpha.gyroscopic_accelerations import follow_spin
from nsgalpha.schemes.generalized_alpha.persistent_contacts import turn_velocities
from nsgalpha.schemes.generalized_alpha.position_correction import (
    ENDINGS,
    LIGHT,
    MAX_ITERATIONS,
    PLAIN,
    SETTLED,
    SETTLING,
    Correction,
    begin,
    close_joints,
    end_correction,
    linearise,
    move,
    outcome_of,
    overlapping,
    rounding_of,
    settled,
    undefined,
)
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.schemes.generalized_alpha.turning_friction import turn_friction
from nsgalpha.schemes.generalized_alpha.velocity_correction import rates_of_rows
from nsgalpha.stepping.contact_slots import grow
from nsgalpha.stepping.record_kernels import (
    CONTACTS,
    FAST,
    PENETRATION,
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    count_closed,
    note_effort,
)
from nsgalpha.stepping.step_motion import finite, outdated, penetration, too_fast
from nsgalpha.stepping.step_outcome import NOT_FINITE, OUT_OF_REACH, POSITION, SOLVED, VELOCITY

ROUGH = 3e-4  # tolerance of the linearised gaps, over the residual before, at most 1; see INNER
CLOSING = 0.5  # gap over the largest overlap up to which a contact may close in the correction
ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change

#: Outcome, worst candidate, rows of the closed contacts, their impulses.
Step = tuple[int, int, Rows | None, Impulses | None]


def correct(now: StepData, t: float, h: float, loads: Floats, stats: Floats) -> Step:
    """Both corrections of the smooth motion in `now.new`, on which `loads` (N, 6) acted, at the time `t`.

    Fills `stats` (a row of STATISTICS).
    """
    system, new = now.system, now.new
    now.graphs.step = round(t / h)
    if outdated(new, now.listing):
        return OUT_OF_REACH, -1, None, None
    stats[FAST] = too_fast(now.candidates, system.bodies, now.old, new)
    try:
        closed, worst, outcome = correct_position(now, t, h, loads, stats)
        if outdated(new, now.listing):
            return OUT_OF_REACH, -1, None, None
        if outcome != SOLVED:
            return outcome, worst, None, None
        return correct_after_positions(now, t, h, loads, closed, stats)
    except SingularMatrixError:
        return POSITION, -1, None, None


def correct_after_positions(
    now: StepData, t: float, h: float, loads: Floats, closed: Ints, stats: Floats
) -> Step:
    """The rest of `correct`, with the contacts `closed` (K,) at the corrected positions."""
    system, new = now.system, now.new
    rows = closed_rows(closed, now.candidates, system.laws, system.bodies, system.work)
    impulses = no_impulses(len(rows.G))
    stats[PENETRATION] = penetration(now.candidates)
    if rows.joints is not None:
        bound_friction(rows.joints, rows, t, h, new, impulses.rebound)
    worst, solved = correct_velocity(now, t, h, loads, rows, impulses, stats)
    if not solved:
        return VELOCITY, worst, rows, impulses
    stats[CONTACTS] = count_closed(now.candidates, now.forces.past, rows, impulses)
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulses


def correct_position(
    now: StepData, t: float, h: float, loads: Floats, stats: Floats
) -> tuple[Ints, int, int]:
    """Solve (7). Returns (closed contacts, worst candidate, outcome)."""
    system, new, candidates = now.system, now.new, now.candidates
    near = _near(now)
    correction = begin(system.element_tables, now.constants, now.follow, h, now.instant)
    correction.member[near] = True
    operator: BodyResponse = _inertia(now, "gaps", LIGHT)
    total, residual, worst, solved, steady, endings, full = 0, 0.0, -1, False, True, 0, -1
    tables = system.element_tables
    for iteration in range(MAX_ITERATIONS):
        system.measure(new, candidates)
        if now.follow:
            operator, steady = _drift(now, t, h, loads, operator, correction)
        else:
            steady = True
        if system.model.joints:
            steady = close_joints(now.system.joints, now.constants, h, now.instant, correction) and steady
        rows, r, grown = overlapping(now.constants, now.instant, correction)
        moved = operator.respond(rows, r)
        least = now.tol * size_of(now.levers, now.increment)
        still = steady and not grown
        limits = (0.0, least) if operator.stiff else (SETTLED, 0.0)
        still = still and settled(moved, correction, system.bodies.extent, *limits)
        still = still or (steady and (iteration > SETTLING or endings >= ENDINGS))
        b, residual, worst, solved = linearise(rows, r, moved, candidates, now.tol, still, correction)
        solved = solved and not grown
        if solved and tables.selection is not None:
            again, ended, full = grow(tables.selection, tables, now.instant, correction)
            solved, endings = not again, endings + ended
            if full >= 0:
                worst = full
                break
            if again:
                continue
        if solved or undefined(b):
            break
        rough = 0.0 if operator.stiff else ROUGH * min(residual or 1.0, 1.0)
        effort = Effort()
        floor = rounding_of(rows, candidates)
        operator.solve(rows, b, r, max(INNER * now.tol, rough), floor, effort)
        total += effort.iterations
        if effort.residual > max(now.tol, ACCEPTABLE):
            residual, worst = effort.residual, effort.worst
            break
        move(rows, r, operator.respond(rows, r), iteration, new, correction)
    closed = end_correction(now.instant, system.bodies, correction)
    stats[POSITION_ITERATIONS], stats[POSITION_RESIDUAL] = max(total, 1), residual
    return closed, worst, outcome_of(solved, full)


def _near(now: StepData) -> Ints:
    """Candidates (K,) of large islands that may close; small islands add overlaps in turn."""
    system, candidates = now.system, now.candidates
    if len(candidates.gap) <= LARGE:
        return np.empty(0, np.int64)
    system.measure(now.new, candidates)
    near = np.flatnonzero(candidates.gap <= -CLOSING * candidates.gap.min(initial=0.0))
    rows = closed_rows(near, candidates, system.frictionless, system.bodies, system.work)
    contacts = np.diff(rows.island)
    return rows.contact[np.repeat(contacts > LARGE, contacts)]


def _drift(
    now: StepData, t: float, h: float, loads: Floats, operator: BodyResponse, correction: Correction
) -> tuple[BodyResponse, bool]:
    """Set `correction.drift` to the displacement U of the forces at the present iterate.

    Returns the operator there, and whether nothing has changed.
    """
    pushed = correction.pushed + correction.U
    increment = now.increment + correction.U
    velocity = now.new._replace(v=now.new.v + 2.0 / h * pushed[:, :3], w=now.new.w + 2.0 / h * pushed[:, 3:])
    f = now.wrenches(t, now.new, velocity, increment, h)
    least = max(now.tol * size_of(now.levers, increment), float(correction.floor.max()))
    for fresh in (False, True):
        if now.stiff and fresh:
            operator = Flexible(now, now.new, 0.5 * h * h, h)
        elif now.stiff and not operator.stiff:
            continue  # there is none yet; else that of the last iterate shows whether this one is good
        U = correction.U - correction.closing if operator.stiff else correction.U
        # `close_joints` handles the part that joints constrain
        if operator.stiff and now.system.model.joints:
            project_velocities_onto_joints(now.system.joints, U)
        drift = operator.free(0.5 * h * h * (f - loads), U)
        drift += correction.closing
        change = size_of(now.levers, drift - correction.drift)
        if change <= least or not now.stiff:
            break
    correction.drift[:] = drift
    return operator, change <= least


def correct_velocity(
    now: StepData, t: float, h: float, loads: Floats, rows: Rows, impulses: Impulses, stats: Floats
) -> tuple[int, bool]:
    """Solve (10), impacts first; fills the `impulses`. Returns (worst candidate, solved)."""
    system, jointed = now.system, len(rows.contact) > 0 and rows.joints is not None
    if jointed:
        begin_velocities(now.system.joints, now.constants, h, now.instant)
    r = impulses.load
    recall_loads(rows, now.instant, h, r)
    remembered = r.copy()
    turn_velocities(rows, now.constants, h, now.instant, r)
    rates = rates_of_rows(rows, system.bodies, h, now.instant)
    ends = no_ends(len(rows.island) - 1)
    effort = _solve_impacts(now, rows, rates, impulses, ends)
    solved = effort.acceptable
    if solved:
        turn_friction(rows, system.bodies, now.instant, rates, ends.together, impulses)
        apply_impulses(rows, impulses.impact, now.new)
        solved = _carry_loads(now, t, h, loads, rows, impulses, rates, effort)
        settle(rows, remembered, ends.together, impulses)
        if jointed:
            react(rows.joints, rows, impulses)
        follow_spin(rows, now.constants, h, now.instant)
    note_effort(effort, stats)
    return effort.worst, solved


def _solve_impacts(now: StepData, rows: Rows, rates: Rates, impulses: Impulses, ends: Ends) -> Effort:
    """The impacts of all islands; fills `impulses` and `ends`."""
    system = now.system
    if now.penalty is not None:
        sequences = Impacts(rows, now.constants, now.candidates, system.work, now.penalty)
        return sequences.solve(rates, impulses, ends)
    most, impacts, residual, capped, _ = solve_impacts(
        (None, False), rows, now.constants, rates, impulses, ends
    )
    effort = Effort(iterations=most, impacts=impacts, residual=residual, capped=capped)
    for island in now.graphs.islands("impulses", system.bodies, system.work, rows, ends.unsolved):
        solve_sequence(rows, now.constants, island, rates, impulses, effort)
        if not effort.acceptable:
            break
    return effort


def _carry_loads(
    now: StepData,
    t: float,
    h: float,
    loads: Floats,
    rows: Rows,
    impulses: Impulses,
    rates: Rates,
    effort: Effort,
) -> bool:
    """Velocities under the loads, from those after the impacts; True if found."""
    new, r, follow = now.new, impulses.load, now.follow and h > 0.0  # nothing else acts in an instant
    start, W = _twists(new), np.zeros((now.system.size, 6))
    free, least = W, ROUNDING * size_of(now.levers, start)
    operator: BodyResponse = _inertia(now, "impulses", before=rates.before)
    iterates = no_iterates(W.size)
    for iteration in range(MAX_ITERATIONS):
        if follow:
            f = now.wrenches(t, new, new, now.increment, h)
            allowed = max(now.tol * size_of(now.levers, W), least)
            for fresh in (False, True):
                if now.stiff and fresh:
                    operator = Flexible(now, new, 0.0, h)
                elif now.stiff and not operator.stiff:
                    continue  # see _drift
                free = operator.free(h * (f - loads), W)
                change = size_of(now.levers, free + operator.respond(rows, r) - W)
                if change <= allowed and (iteration > 0 or not len(r)):
                    if now.stiff and rows.joints is not None and len(r):
                        resist(now.constants, now.instant, h * (f - loads))
                    return True
                if not now.stiff:
                    break
            _set_twists(new, start + free)
        b = opening_rates(rows, new, impulses.rebound)
        relaxed, effort.relaxed = effort.relaxed, 0
        operator.solve(rows, b, r, INNER * now.tol, rates.floor, effort)
        effort.relaxed = max(relaxed, effort.relaxed)
        if not effort.acceptable:
            return False
        before, W = W, free + operator.respond(rows, r)
        accelerate(iterates, PLAIN, before.reshape(-1), W.reshape(-1))
        _set_twists(new, start + W)
        if not follow:
            return True
    return False


def _inertia(
    now: StepData, purpose: str, proximal: float = PROXIMAL, before: Floats | None = None
) -> Inertia:
    """The operator M at the present rotations; `before` are rates, see Inertia."""
    if now.penalty is not None:
        return LagrangianResponse(now.system.bodies, now.system.work, now.tol, now.penalty)
    return Inertia(now.system.bodies, now.system.work, now.graphs, purpose, now.tol, proximal, before)


def _twists(motion: Motion) -> Floats:
    """Velocities (B, 6) of `motion`."""
    return np.hstack([motion.v, motion.w])


def _set_twists(motion: Motion, twist: Floats) -> None:
    """Velocities of `motion` from `twist` (B, 6)."""
    motion.v[:], motion.w[:] = twist[:, :3], twist[:, 3:]
