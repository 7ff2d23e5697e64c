"""Steps driven from Python: with the user's loads f(t, q, v), or too hard for the compiled loop.

    smooth motion    f = f(t_{n+1}, q~, v~)        to convergence; compliant_motion.py where forces are stiff
    corrections      corrections.py

A step that fails is tried again in parts.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, copy_motion
from nsgalpha.constraints.jointed_response import accept_joints, begin_joints
from nsgalpha.contact.impacts.velocity_problem import Impulses
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.marker_rows import keep_angles
from nsgalpha.geometry.twists import negligible
from nsgalpha.jit.addresses import named
from nsgalpha.schemes.generalized_alpha.compliant_motion import smooth_contacts
from nsgalpha.schemes.generalized_alpha.constrained_motion import free_motion
from nsgalpha.schemes.generalized_alpha.corrections import Step, correct, correct_after_positions
from nsgalpha.schemes.generalized_alpha.impact_passivity import settle_impulses
from nsgalpha.schemes.generalized_alpha.lagrangian_motion import lagrangian_motion
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.schemes.stepper_interface import Recorder
from nsgalpha.stepping.interrupts import serve
from nsgalpha.stepping.poses import mark_touching, rotate_inertias
from nsgalpha.stepping.record_kernels import CONTACTS, DIVIDED, SINGULAR, SIZE, SMOOTH_ITERATIONS, is_full
from nsgalpha.stepping.step_motion import accept, finite, follow_step, outdated, place_frames
from nsgalpha.stepping.step_outcome import (
    FULL,
    NO_ROOM,
    NOT_FINITE,
    OUT_OF_REACH,
    POSITION,
    SMOOTH,
    SOLVED,
    VELOCITY,
)
from nsgalpha.stepping.step_times import Steps

MAX_ITERATIONS = 100
PARTS = 2, 4, 8  # into which a step that fails is divided,
FINER = 8, 16, 32  # and one that is too long for an impact of compliant contacts: two parts hardly see it


def advance_stepwise(
    now: StepData, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder
) -> tuple[int, int, int]:
    """The `steps`; returns like `integrator.advance`."""
    for step in range(steps.first, steps.last):
        serve()
        recording = steps.records(step)
        if recording and is_full(recorder.block, now.candidates):
            return step, NO_ROOM, -1
        row = stats[step - steps.first]
        t, now.h = steps.t(step), steps.h(step)
        now.unresolved = False
        follow_step(now.old, now.h, now.size)
        outcome, worst, rows, impulses = _step(now, t, now.h, frames[step - steps.first + 1], row)
        if outcome in (SMOOTH, POSITION, FULL, VELOCITY):
            outcome, worst, rows, impulses = _in_parts(now, t, row, (outcome, worst, rows, impulses))
        if outcome != SOLVED:
            return step, outcome, worst
        row[SIZE] = now.h
        if recording:
            now.record_step(recorder.filling, steps.t(step + 1), rows, impulses)
            recorder.add_history(now.compliant.history())
    return steps.last, SOLVED, -1


def _step(now: StepData, t: float, h: float, frames: Floats, row: Floats) -> Step:
    """One step from `t` to `t + h`; `frames` (frames, 13) at its end. Accepted if it is solved."""
    row[:] = 0.0
    if (full := now.select()) >= 0:
        return FULL, full, None, None
    place_frames(frames, now.system.count, h, now.old, now.new, now.increment)
    _begin_joints(now)
    loads = _smooth(now, t + h, h, row)
    if isinstance(loads, int):
        return loads, -1, None, None
    if not now.system.elements:
        return _accept_smooth(now, h, row)
    wrench = now.forces.wrench.copy()
    outcome, worst, rows, impulses = correct(now, t + h, h, loads, row)
    if now.forces.unknown and outcome == SOLVED and rows is not None and impulses is not None:
        # without known forces of the last step: once more, with those found
        now.forces.store(rows, impulses.load, h)
        _begin_joints(now)
        loads = _smooth(now, t + h, h, row)
        if isinstance(loads, int):
            return loads, -1, None, None
        outcome, worst, rows, impulses = correct(now, t + h, h, loads, row)
    if outcome == SOLVED and rows is not None and impulses is not None:
        _accept(now, h, rows, impulses, row)
    else:
        now.forces.wrench[:] = wrench
    return outcome, worst, rows, impulses


def finish_step(
    now: StepData, steps: Steps, step: int, stats: Floats, recorder: Recorder
) -> tuple[int, int, int]:
    """Solve the velocities of a `step` of the `steps`, whose positions the compiled loop has corrected.

    Nothing acts but the weight. Returns like `integrator.advance`.
    """
    row = stats[step - steps.first]
    now.h, now.unresolved = steps.h(step), False
    closed = np.flatnonzero(now.forces.past.closed)
    end, weight = steps.t(step) + now.h, now.system.weight
    now.graphs.step = round(end / now.h)
    outcome, worst, rows, impulses = correct_after_positions(now, end, now.h, weight, closed, row)
    if outcome != SOLVED or rows is None or impulses is None:
        return step, outcome, worst
    _accept(now, now.h, rows, impulses, row)
    if steps.records(step):
        now.record_step(recorder.filling, steps.t(step + 1), rows, impulses)
        recorder.add_history(now.compliant.history())
    return step + 1, SOLVED, -1


def _accept(now: StepData, h: float, rows: Rows, impulses: Impulses, row: Floats) -> None:
    """Accept a step with its contacts."""
    row[CONTACTS] += now.compliant.closed
    now.compliant.commit()
    accept(now.new, now.old)
    _accept_joints(now, h, row)
    now.forces.store(rows, impulses.load, h)
    now.forces.store_impacts(rows, impulses.impact)
    now.forces.unknown = False
    mark_touching(now.candidates, now.forces.past)


def _begin_joints(now: StepData) -> None:
    if len(now.system.joints.acted):
        begin_joints(now.system.joints)


def _accept_joints(now: StepData, h: float, row: Floats) -> None:
    if len(now.system.joints.acted):
        row[SINGULAR] = accept_joints(now.system.joints, h, now.old)
        keep_angles(now.system.options, now.system.joints)


def _accept_smooth(now: StepData, h: float, row: Floats) -> Step:
    """Without set-valued contacts the smooth motion is the motion."""
    if outdated(now.new, now.listing):
        return OUT_OF_REACH, -1, None, None
    if not finite(now.new):
        return NOT_FINITE, -1, None, None
    row[CONTACTS] = now.compliant.closed
    now.compliant.commit()
    accept(now.new, now.old)
    _accept_joints(now, h, row)
    return SOLVED, -1, None, None


def _in_parts(now: StepData, t: float, row: Floats, failed: Step) -> Step:
    """A step that `failed`, once more in some parts; `failed` and its `row` if none of these helps.

    The returned and recorded contacts are those of the last part.
    """
    now.lost = now.coincident()
    start, memory, acted = named(copy_motion(now.old)), now.compliant.memory(), now.system.joints.acted.copy()
    forces, unknown = now.forces.wrench.copy(), now.forces.unknown
    feature = now.candidates.feature.copy()
    of_failed = row.copy()
    part = np.empty_like(row)
    for count in FINER if now.unresolved else PARTS:
        h = now.h / count
        frames, invalid = now.system.frames_at([t + k * h for k in range(1, count + 1)])
        if invalid:
            break
        row[:] = 0.0
        for k in range(count):
            step = _step(now, t + k * h, h, frames[k], part)
            np.maximum(row, part, out=row)
            if step[0] != SOLVED:
                break
        else:
            row[DIVIDED] = count
            if now.unresolved:
                settle_impulses(now, h)
            return step
        accept(start, now.old)
        now.forces.wrench[:], now.forces.unknown = forces, unknown
        now.candidates.feature[:], now.forces.past.arranged[:] = feature, False
        now.mark_touching()
        now.compliant.restore(memory)
        now.system.joints.acted[:] = acted
    row[:] = of_failed
    return failed


def _smooth(now: StepData, t: float, h: float, row: Floats) -> Floats | int:
    """Smooth motion under loads that follow it; returns loads (N, 6) or a failure."""
    system = now.system
    if now.stiff:
        outcome = smooth_contacts(now, t, h)
        if isinstance(outcome, int):
            return outcome
        row[SMOOTH_ITERATIONS] = outcome[1]
        return outcome[0]
    rotate_inertias(system.bodies, now.old.q, system.work)
    now.compliant.begin(now.old)
    loads = now.wrenches(t, now.old, now.old, now.increment, h)
    for iteration in range(1, MAX_ITERATIONS + 1):
        if now.penalty is not None and system.model.joints:
            iterations = lagrangian_motion(now, h, loads, now.penalty)
        else:
            iterations = free_motion(now.constants, h, loads, now.instant)
        row[SMOOTH_ITERATIONS] = max(iteration, iterations)
        if not np.isfinite(loads).all():
            # loads that were finite and grow without bound are too stiff for the fixed point
            return NOT_FINITE if iteration <= 2 else SMOOTH
        if iterations < 0:
            return SMOOTH
        before, loads = loads, now.wrenches(t, now.new, now.new, now.increment, h)
        given, work = (now.constants, now.levers, now.system.work), np.empty_like(now.increment)
        if not now.follow or negligible(*given, h, loads - before, now.new, now.old, work):
            return loads
    return SMOOTH
