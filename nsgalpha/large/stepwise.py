"""Steps driven from Python: with the user's loads f(t, q, v), or too hard for the compiled loop.

    smooth motion         f = f(t_{n+1}, q~, v~)                            to convergence
    position correction   M U - h^2/2 [f(q_{n+1}, v~ + 2 U/h) - f(q~, v~)] - G^T nu = 0
    velocity correction   M W - h [f(q_{n+1}, v_{n+1}) - f(q~, v~)] - G^T (P + Lambda) = 0

The differences of f displace the smooth motion on which the corrections act, `U_f = h^2/2 M^-1 df`,
`W_f = h M^-1 df`; the loads are iterated to a fixed point, which converges while h is below the
shortest period of the loads over about six. A step that fails is tried again in parts.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.large.corrections import correct
from nsgalpha.large.mixture import correct_mixture
from nsgalpha.large.present import Present
from nsgalpha.large.smooth_contacts import smooth_contacts
from nsgalpha.large.twists import negligible
from nsgalpha.run.interrupts import serve
from nsgalpha.run.recorder import Recorder
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.motion import accept, finite, place_frames, reached
from nsgalpha.stepping.outcome import NO_ROOM, NOT_FINITE, OUT_OF_REACH, POSITION, SMOOTH, SOLVED, VELOCITY
from nsgalpha.stepping.pose import displace, keep_spin, note_touching
from nsgalpha.stepping.record import CONTACTS, DIVIDED, SMOOTH_ITERATIONS, record_contacts, record_state
from nsgalpha.stepping.smooth import smooth_motion
from nsgalpha.stepping.steps import Steps
from nsgalpha.stepping.velocity import Impulses

MAX_ITERATIONS = 100
PARTS = 2, 4, 8  # into which a step that fails is divided

#: Outcome, worst candidate, rows of the closed contacts, their impulses.
Step = tuple[int, int, Rows | None, Impulses | None]


def advance_stepwise(
    now: Present, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder
) -> tuple[int, int, int]:
    """The `steps`; returns like `integrator.advance`."""
    system, block = now.system, recorder.block
    for step in range(steps.first, steps.last):
        serve()
        recording = steps.records(step)
        if recording and (
            block.filled[0] == len(block.t) or block.filled[1] + len(now.candidates.a) > len(block.pair)
        ):
            return step, NO_ROOM, -1
        row = stats[step - steps.first]
        t = steps.t(step)
        outcome, worst, rows, impulses = _step(now, t, now.h, frames[step - steps.first + 1], row)
        if outcome in (SMOOTH, POSITION, VELOCITY):
            outcome, worst, rows, impulses = _in_parts(now, t, row, (outcome, worst, rows, impulses))
        if outcome != SOLVED:
            return step, outcome, worst
        if recording:
            if rows is not None:
                record_contacts(block, now.candidates, system.laws, rows, impulses, now.forces.wrench)
            record_state(block, t + now.h, now.old)
            recorder.add_history(now.compliant.history())
    return steps.last, SOLVED, -1


def _step(now: Present, t: float, h: float, frames: Floats, row: Floats) -> Step:
    """One step from `t` to `t + h`; `frames` (frames, 13) at its end. Accepted if it is solved."""
    row[:] = 0.0
    place_frames(frames, now.system.count, h, now.old, now.new, now.increment)
    loads = _smooth(now, t + h, h, row)
    if isinstance(loads, int):
        return loads, -1, None, None
    if not now.system.elements:
        return _accept_smooth(now, row)
    wrench = now.forces.wrench.copy()
    outcome, worst, rows, impulses = _correct(now, t + h, h, loads, row)
    if now.forces.unknown and outcome == SOLVED and rows is not None and impulses is not None:
        # without known forces of the last step: once more, with those found
        now.forces.store(rows, impulses.load, h)
        loads = _smooth(now, t + h, h, row)
        if isinstance(loads, int):
            return loads, -1, None, None
        outcome, worst, rows, impulses = _correct(now, t + h, h, loads, row)
    if outcome == SOLVED and rows is not None and impulses is not None:
        row[CONTACTS] += now.compliant.closed
        now.compliant.commit()
        accept(now.new, now.old)
        now.forces.store(rows, impulses.load, h)
        now.forces.store_impacts(rows, impulses.impact)
        now.forces.unknown = False
        note_touching(now.candidates, now.forces.past)
    else:
        now.forces.wrench[:] = wrench
    return outcome, worst, rows, impulses


def _accept_smooth(now: Present, row: Floats) -> Step:
    """Without set-valued contacts the smooth motion is the motion."""
    outcome = SOLVED
    if reached(now.new.x, now.anchor, now.reach):
        outcome = OUT_OF_REACH
    elif not finite(now.new):
        outcome = NOT_FINITE
    else:
        row[CONTACTS] = now.compliant.closed
        now.compliant.commit()
        accept(now.new, now.old)
    return outcome, -1, None, None


def _copy(motion: Motion) -> Motion:
    return Motion(*(part.copy() for part in motion))


def _in_parts(now: Present, t: float, row: Floats, failed: Step) -> Step:
    """A step that `failed`, once more in 2, 4, ... parts; `failed` and its `row` if none of these helps.

    What is returned and recorded of the contacts is that of the last part.
    """
    now.lost = now.coincident()
    start, memory = _copy(now.old), now.compliant.memory()
    forces, unknown = now.forces.wrench.copy(), now.forces.unknown
    of_failed = row.copy()
    part = np.empty_like(row)
    for count in PARTS:
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
            return step
        accept(start, now.old)
        now.forces.wrench[:], now.forces.unknown = forces, unknown
        now.note_touching()
        now.compliant.restore(memory)
    row[:] = of_failed
    return failed


def _smooth(now: Present, t: float, h: float, row: Floats) -> Floats | int:
    """Smooth motion under loads that follow it; returns the loads (N, 6), or the outcome of a failure."""
    system = now.system
    if now.compliant:
        outcome = smooth_contacts(now, t, h)
        if isinstance(outcome, int):
            return outcome
        row[SMOOTH_ITERATIONS] = outcome[1]
        return outcome[0]
    loads = now.wrenches(t, now.old, now.old, now.increment, h)
    for iteration in range(1, MAX_ITERATIONS + 1):
        iterations = smooth_motion(now.constants, h, loads, now.old, now.new, now.increment)
        row[SMOOTH_ITERATIONS] = max(iteration, iterations)
        if not np.isfinite(loads).all():
            # loads that were finite and grow without bound are too stiff for the fixed point
            return NOT_FINITE if iteration <= 2 else SMOOTH
        if iterations < 0:
            return SMOOTH
        before, loads = loads, now.wrenches(t, now.new, now.new, now.increment, h)
        if not system.model.loads or _negligible(now, h, loads - before, now.old):
            return loads
    return SMOOTH


def _correct(now: Present, t: float, h: float, loads: Floats, row: Floats) -> Step:
    """Both corrections under loads that follow them; returns like `corrections.correct`."""
    if now.compliant:
        return correct_mixture(now, t, h, loads, row)
    system, new = now.system, now.new
    smooth = _copy(new)
    increment = now.increment.copy()
    at_position = at_velocity = loads
    for _ in range(MAX_ITERATIONS):
        change = np.zeros_like(increment)
        change[: system.count] = h * system.divided_by_mass(at_velocity - loads, smooth.q)
        new.v[:] = smooth.v + change[:, :3]
        new.w[:] = smooth.w + change[:, 3:]
        change[: system.count] = 0.5 * h**2 * system.divided_by_mass(at_position - loads, smooth.q)
        displace(smooth.x, smooth.q, change, new)
        keep_spin(system.bodies, smooth.q, new)
        now.increment[:] = increment + change
        outcome = correct(now, h, row)
        if outcome[0] != SOLVED or not system.model.loads:
            return outcome
        before = at_position, at_velocity
        U = now.increment - increment
        moving = smooth._replace(v=smooth.v + 2.0 / h * U[:, :3], w=smooth.w + 2.0 / h * U[:, 3:])
        at_position = now.wrenches(t, new, moving, now.increment, h)
        at_velocity = now.wrenches(t, new, new, now.increment, h)
        changes = at_position - before[0], at_velocity - before[1]
        if all(_negligible(now, h, change, smooth) for change in changes):
            return outcome
    return (SMOOTH, *outcome[1:])


def _negligible(now: Present, h: float, rest: Floats, start: Motion) -> bool:
    """See loads.negligible."""
    room = np.empty_like(now.increment)
    return bool(negligible(now.constants, now.levers, now.system.work, h, rest, now.new, start, room))
