"""One step of the nonsmooth generalized-alpha scheme, and the compiled loop over steps.

    smooth motion        -> q~, v~                                          smooth.py
    position correction  -> q_{n+1}, the closed contacts                    position.py
    velocity correction  -> v_{n+1}, impulses                               velocity.py

A step reads the state `old` and writes `new`; it is accepted by copying `new` to `old`.
"""

from nsgalpha.compiled import entry, part, uncounted
from nsgalpha.contact.sets import fill
from nsgalpha.stepping.islands import closed_rows
from nsgalpha.stepping.outcome import NO_ROOM, NOT_FINITE, OUT_OF_REACH, POSITION, SMOOTH, SOLVED, VELOCITY
from nsgalpha.stepping.pose import note_touching
from nsgalpha.stepping.position import position_correction
from nsgalpha.stepping.record import (
    CAPPED,
    CONTACTS,
    FAST,
    PENETRATION,
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    SMOOTH_ITERATIONS,
    SUB_IMPACTS,
    VELOCITY_ITERATIONS,
    VELOCITY_RESIDUAL,
    copy_body,
    count_closed,
    record_contacts,
    record_state,
)
from nsgalpha.stepping.smooth import smooth_motion
from nsgalpha.stepping.velocity import no_impulses, velocity_correction
from nsgalpha.stepping.warm_start import recall, store


@uncounted
def accept(new, old):
    """Commit the step: `old <- new`."""
    for b in range(new.x.shape[0]):
        copy_body(new, b, old.x[b], old.q[b], old.v[b], old.w[b], old.dv[b], old.a[b])


@uncounted
def reached(x, anchor, reach):
    """True if a body has moved from `anchor` so far that the candidates of that reach may miss a pair."""
    limit = 0.25 * reach * reach
    for b in range(x.shape[0]):
        moved = 0.0
        for i in range(3):
            moved += (x[b, i] - anchor[b, i]) ** 2
        if not moved <= limit:
            return True
    return False


@part
def correct(elements, scene, now, h, stats):
    """Position and velocity correction of the smooth motion in `now.new` over a step of `h`.

    Fills `stats` (a row of STATISTICS). Returns (outcome, worst candidate, rows of the closed
    contacts, their impulses).
    """
    candidates, bodies, new = now.candidates, scene.bodies, now.new
    far = reached(new.x, now.anchor, now.reach)
    stats[FAST] = too_fast(candidates, bodies, now.old, new)
    closed, iterations, residual, worst, solved = position_correction(elements, scene, now, h)
    stats[POSITION_ITERATIONS] = iterations
    stats[POSITION_RESIDUAL] = residual
    rows = closed_rows(closed, candidates, scene.laws, bodies, now.inverse_inertia)
    impulses = no_impulses(rows.G.shape[0])
    if far or reached(new.x, now.anchor, now.reach):
        return OUT_OF_REACH, -1, rows, impulses
    if not solved:
        return POSITION, worst, rows, impulses
    stats[PENETRATION] = penetration(candidates, bodies)
    recall(rows.contact, rows.row, rows.G, now.past.wrench, impulses.load)
    for j in range(impulses.load.shape[0]):
        impulses.load[j] *= h
    iterations, impacts, residual, capped, left = velocity_correction(
        rows, scene.laws, bodies, scene.tol, now.old, new, impulses
    )
    stats[VELOCITY_ITERATIONS] = iterations
    stats[SUB_IMPACTS] = impacts
    stats[VELOCITY_RESIDUAL] = residual
    stats[CAPPED] = capped
    if left > 0:
        return VELOCITY, -1, rows, impulses
    stats[CONTACTS] = count_closed(candidates, bodies, rows, impulses)
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulses


@uncounted
def too_fast(candidates, bodies, old, new):
    """1 + number of a body that meets another on its way, on which it moves further than the smaller radius.

    0 if there is none. Such a body may be past the other at the end of the step, and the impact missed.
    """
    for c in range(candidates.a.shape[0]):
        if candidates.plane[c] >= 0:
            continue
        a, b = candidates.a[c], candidates.b[c]
        length = along = far_a = far_b = 0.0
        for i in range(3):
            da, db = new.x[a, i] - old.x[a, i], new.x[b, i] - old.x[b, i]
            length += (da - db) ** 2
            along -= (da - db) * (old.x[a, i] - old.x[b, i])
            far_a += da * da
            far_b += db * db
        if length <= min(bodies.radius[a], bodies.radius[b]) ** 2:
            continue
        nearest, part_of = 0.0, min(max(along / length, 0.0), 1.0)
        for i in range(3):
            da, db = new.x[a, i] - old.x[a, i], new.x[b, i] - old.x[b, i]
            nearest += (old.x[a, i] - old.x[b, i] + part_of * (da - db)) ** 2
        if nearest < (bodies.radius[a] + bodies.radius[b]) ** 2:
            return 1 + (a if far_a >= far_b else b)
    return 0


@uncounted
def penetration(candidates, bodies):
    """Largest overlap of a candidate over its radius."""
    depth = 0.0
    for c in range(candidates.gap.shape[0]):
        depth = max(depth, -candidates.gap[c] / bodies.radius[candidates.a[c]])
    return depth


@uncounted
def finite(motion):
    """True if positions, rotations, velocities and accelerations of all bodies and frames are finite."""
    x = v = q = a = 0.0  # sums that do not wait for each other
    for b in range(motion.x.shape[0]):
        for i in range(3):
            x += 0.0 * (motion.x[b, i] + motion.dv[b, i])
            v += 0.0 * (motion.v[b, i] + motion.w[b, i])
            q += 0.0 * (motion.q[b, i] + motion.dv[b, 3 + i])
            a += 0.0 * (motion.a[b, i] + motion.a[b, 3 + i])
        q += 0.0 * motion.q[b, 3]
    return x + v + q + a == 0.0


@entry
def advance(elements, scene, now, unknown, steps, wrench, frames, stats, record):
    """The `steps` (steps.py) under the constant `wrench` (N, 6).

    `frames` (last - first + 1, frames, 13) is the motion of the frames behind the bodies at the levels:
    position, rotation, velocity, angular velocity. If the forces of `now.past` are `unknown` the first step
    is taken twice, the second time with the contact forces that it has found.
    Returns (steps done, outcome, worst candidate); `now.old` is then the last accepted state.
    """
    old, new, past = now.old, now.new, now.past
    t0, h, first, last, final, every = steps
    for step in range(first, last):
        recording = (step + 1) % every == 0 or step + 1 == final
        if recording and (
            record.filled[0] == record.t.shape[0]
            or record.filled[1] + now.candidates.a.shape[0] > record.pair.shape[0]
        ):
            return step, NO_ROOM, -1
        row = stats[step - first]
        times = 2 if unknown and step == first else 1
        for _ in range(times):
            fill(row, 0.0)
            iterations = smooth_motion(scene, h, wrench, old, new, now.increment)
            row[SMOOTH_ITERATIONS] = iterations
            if iterations < 0:
                return step, SMOOTH, -1
            place_frames(frames[step - first + 1], wrench.shape[0], h, old, new, now.increment)
            outcome, worst, rows, impulses = correct(elements, scene, now, h, row)
            if outcome != SOLVED:
                if times == 2:
                    fill(past.wrench, 0.0)  # whoever takes the step again begins without forces, too
                return step, outcome, worst
            store(rows.contact, rows.row, rows.G, impulses.load, 1.0 / h, past.wrench)
        accept(new, old)
        store(rows.contact, rows.row, rows.G, impulses.impact, 1.0, past.struck)
        note_touching(now.candidates, scene.bodies, past)
        if recording:
            record_contacts(record, now.candidates, scene.laws, scene.bodies, rows, impulses, past.wrench)
            record_state(record, t0 + (step + 1) * h, old)
    return last, SOLVED, -1


@uncounted
def place_frames(frames, count, h, old, new, increment):
    """Put the frames behind the `count` bodies where they are told; their motion to `increment`."""
    for k in range(frames.shape[0]):
        b = count + k
        for i in range(3):
            new.x[b, i] = frames[k, i]
            new.v[b, i] = frames[k, 7 + i]
            new.w[b, i] = frames[k, 10 + i]
            increment[b, i] = new.x[b, i] - old.x[b, i]
            increment[b, 3 + i] = 0.5 * h * (old.w[b, i] + new.w[b, i])
        for i in range(4):
            new.q[b, i] = frames[k, 3 + i]
