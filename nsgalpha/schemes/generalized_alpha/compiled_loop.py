"""One step of the nonsmooth generalized-alpha scheme, and the compiled loop over steps.

    smooth motion        -> q~, v~                                          smooth_motion.py, forced_motion.py
    position correction  -> q_{n+1}, the closed contacts                    position_correction.py
    velocity correction  -> v_{n+1}, impulses                               velocity_correction.py

A step reads the state `now.old` and writes `now.new`; it is accepted by copying `new` to `old`.
"""

import numpy as np

from nsgalpha.constraints.jointed_response import accept_joints, begin_joints
from nsgalpha.contact.impacts.velocity_problem import no_impulses
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.rows.marker_rows import bound_friction, keep_angles
from nsgalpha.jit.decorators import inlined, unlocked
from nsgalpha.linalg.vectors import fill
from nsgalpha.schemes.generalized_alpha.compiled_loads import keep_memory, record_memory
from nsgalpha.schemes.generalized_alpha.constrained_motion import jointed_motion
from nsgalpha.schemes.generalized_alpha.flying_contacts import (
    ends_sliding,
    let_fly,
    look,
    look_again,
    meet,
    note_crowds,
)
from nsgalpha.schemes.generalized_alpha.forced_motion import loaded_motion, recall_loads
from nsgalpha.schemes.generalized_alpha.position_correction import position_correction
from nsgalpha.schemes.generalized_alpha.velocity_correction import velocity_correction
from nsgalpha.stepping.contact_slots import arrange
from nsgalpha.stepping.friction_coefficients import set_friction
from nsgalpha.stepping.poses import mark_touching
from nsgalpha.stepping.record_kernels import (
    CAPPED,
    CONTACTS,
    FAST,
    PENETRATION,
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    RESTING,
    SINGULAR,
    SIZE,
    SMOOTH_ITERATIONS,
    SUB_IMPACTS,
    VELOCITY_ITERATIONS,
    VELOCITY_RESIDUAL,
    count_closed,
    is_full,
    record_contacts,
    record_joints,
    record_state,
)
from nsgalpha.stepping.step_motion import (
    accept,
    finite,
    follow_step,
    outdated,
    penetration,
    place_frames,
    too_fast,
)
from nsgalpha.stepping.step_outcome import (
    FULL,
    LARGE_LEFT,
    LOCATE,
    NO_ROOM,
    NOT_FINITE,
    OUT_OF_REACH,
    SMOOTH,
    SOLVED,
    VELOCITY,
)
from nsgalpha.stepping.warm_start import store


@inlined
def correct(elements, constants, loads, t, h, now, stats):
    """Correct position and velocity of the smooth motion `now.new`, over `h` to `t`.

    Fills `stats` (a row of STATISTICS). Returns (outcome, worst candidate, rows of the closed
    contacts, their impulses). With LARGE_LEFT positions are corrected, and velocities are those of the smooth
    motion; contacts that are closed are marked in `now.past.closed`.
    """
    candidates, bodies, new = now.candidates, constants.bodies, now.new
    if outdated(new, now.listing):
        rows = closed_rows(np.empty(0, np.int64), candidates, constants.laws, bodies, now.inverse_inertia)
        return OUT_OF_REACH, -1, rows, no_impulses(0)
    stats[FAST] = too_fast(candidates, bodies, now.old, new)
    closed, iterations, residual, worst, outcome = position_correction(elements, constants, loads, t, h, now)
    stats[POSITION_ITERATIONS] = iterations
    stats[POSITION_RESIDUAL] = residual
    rows = closed_rows(closed, candidates, constants.laws, bodies, now.inverse_inertia)
    impulses = no_impulses(rows.G.shape[0])
    if outdated(new, now.listing):
        return OUT_OF_REACH, -1, rows, impulses
    if outcome != SOLVED:
        return outcome, worst, rows, impulses
    if candidates.a.shape[0] == 0:
        return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulses
    stats[PENETRATION] = penetration(candidates)
    bound_friction(bodies.joints, rows, t, h, new, impulses.rebound)
    recall_loads(rows, now, h, impulses.load)
    v, w = new.v.copy(), new.w.copy()
    iterations, impacts, residual, capped, left, resting = velocity_correction(
        elements.board, rows, constants, loads, t, h, now, impulses
    )
    stats[VELOCITY_ITERATIONS] = iterations
    stats[SUB_IMPACTS] = impacts
    stats[VELOCITY_RESIDUAL] = residual
    stats[CAPPED] = capped
    stats[RESTING] = resting
    if left > 0:
        if loads is None and bodies.joints is None:  # others have changed more than velocities
            fill(now.past.closed, False)
            for c in closed:
                now.past.closed[c] = True
            for b in range(v.shape[0]):
                for i in range(3):
                    new.v[b, i], new.w[b, i] = v[b, i], w[b, i]
            return LARGE_LEFT, -1, rows, impulses
        return VELOCITY, -1, rows, impulses
    stats[CONTACTS] = count_closed(candidates, now.past, rows, impulses)
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulses


@unlocked
def advance(elements, constants, loads, located, now, steps, tables, record):
    """The `steps` (step_times.py) under the `loads`, a Handle; None: the weight is all that acts.

    With `located` (flying_contacts.py), a Handle, they end before the first step with an impact of contacts
    that fly, or in which a contact stops sliding, as LOCATE. None: impacts are at the ends of steps.

    The first of the `tables` (last - first + 1, frames, 13) is the motion of the frames behind the bodies at
    the levels: position, rotation, velocity, angular velocity. The second takes the statistics. If the forces
    of `now.past` are unknown the first step is taken twice, the second time with the contact forces that it
    has found.
    Returns (steps done, outcome, worst candidate); `now.old` is then the last accepted state.
    """
    old, new, past = now.old, now.new, now.past
    level, size, first, last, final, every = steps
    frames, stats = tables
    weight, bodies = constants.weight, constants.bodies
    count = weight.shape[0]
    for step in range(first, last):
        recording = (step + 1) % every == 0 or step + 1 == final
        if recording and is_full(record, now.candidates):
            return step, NO_ROOM, -1
        row, h = stats[step - first], size[step - first]
        follow_step(old, h, now.size)
        times = 2 if now.unknown and step == first else 1
        for _ in range(times):
            full = arrange(elements.selection, elements, old, now.candidates, past)
            if full >= 0:
                return step, FULL, full
            set_friction(elements, constants.laws, old, now.candidates)
            if located is not None:
                let_fly(located.flight, past)
            fill(row, 0.0)
            row[SIZE] = h
            place_frames(frames[step - first + 1], count, h, old, new, now.increment)
            t = level[step - first] + h
            begin_joints(bodies.joints)
            if loads is None:
                iterations = jointed_motion(bodies.joints, constants, h, weight, now)
            else:
                iterations = loaded_motion(constants, loads, t, h, now)
            row[SMOOTH_ITERATIONS] = iterations
            if iterations < 0:
                return step, SMOOTH, -1
            outcome, worst, rows, impulses = correct(elements, constants, loads, t, h, now, row)
            if outcome == LARGE_LEFT and times == 2:
                outcome = VELOCITY
            elif outcome == LARGE_LEFT and located is not None:
                outcome = LOCATE  # by a trial
            if outcome != SOLVED:
                if times == 2:
                    fill(past.wrench, 0.0)  # a repeated step begins without forces, too
                return step, outcome, worst
            if located is not None:  # noqa: SIM102, numba drops branches of None as they stand here
                if meet(located, constants, h, now) or ends_sliding(
                    located, constants, level[step - first], h, now
                ):
                    return step, LOCATE, -1
            store(rows.contact, rows.row, rows.G, impulses.load, 1.0 / h, past.wrench)
        accept(new, old)
        row[SINGULAR] = accept_joints(bodies.joints, h, old)
        keep_angles(elements.options, bodies.joints)
        if loads is not None:
            row[CONTACTS] += keep_memory(loads)
        store(rows.contact, rows.row, rows.G, impulses.impact, 1.0, past.struck)
        if located is None:
            mark_touching(now.candidates, past)
        else:
            note_crowds(located, row)
            look(now.candidates, bodies, past, located, size[min(step + 1, last - 1) - first])
        if recording:
            record_contacts(record, now.candidates, constants.laws, rows, impulses, past)
            record_joints(record, bodies.joints)
            record_state(record, level[step - first + 1], h, old)
            if loads is not None:
                record_memory(loads)
        if located is not None:
            look_again(elements, constants, located, now, size[min(step + 1, last - 1) - first])
    return last, SOLVED, -1
