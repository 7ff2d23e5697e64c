"""One step of the nonsmooth generalized-alpha scheme, and the compiled loop over steps.

    smooth motion        -> q~, v~                                          smooth.py
    position correction  -> q_{n+1}, the closed contacts                    position.py
    velocity correction  -> v_{n+1}, impulses                               velocity.py

A step reads the state `old` and writes `new`; it is accepted by copying `new` to `old`.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import entry, kernel, part
from nsgalpha.contact.sets import fill
from nsgalpha.run.status import (
    NO_ROOM,
    NOT_FINITE,
    OUT_OF_REACH,
    POSITION,
    SMOOTH,
    SOLVED,
    VELOCITY,
)
from nsgalpha.stepping.islands import closed_rows
from nsgalpha.stepping.position import position_correction
from nsgalpha.stepping.smooth import smooth_motion
from nsgalpha.stepping.velocity import velocity_correction
from nsgalpha.stepping.warm_start import store

#: Columns of the statistics of a step.
STATISTICS = (
    "smooth_iterations",
    "position_iterations",
    "velocity_iterations",
    "sub_impacts",
    "contacts",
    "position_residual",
    "velocity_residual",
    "penetration",
    "capped",
    "relaxed",
    "divided",
)
(
    SMOOTH_ITERATIONS,
    POSITION_ITERATIONS,
    VELOCITY_ITERATIONS,
    SUB_IMPACTS,
    CONTACTS,
    POSITION_RESIDUAL,
    VELOCITY_RESIDUAL,
    PENETRATION,
    CAPPED,
    RELAXED,
    DIVIDED,
) = range(len(STATISTICS))


class Record(NamedTuple):
    """Room for recorded states and contacts; `filled` counts the (states, contacts) in it.

    It counts a state once all of it is there, contacts included: a run can be cut short at any time.
    """

    t: Floats  # (n,)
    x: Floats  # (n, N, 3)
    q: Floats  # (n, N, 4)
    v: Floats  # (n, N, 3)
    w: Floats  # (n, N, 3)
    dv: Floats  # (n, N, 6)
    a: Floats  # (n, N, 6)
    end: Ints  # (n,) number of contacts up to and with this state
    pair: Ints  # (m, 4) bodies a, b, plane, law
    kinematics: Floats  # (m, 4) gap, normal
    impulse: Floats  # (m, 6) normal, sliding (2), rolling (2), drilling
    force: Floats  # (m, 3) impulse vector on A, inertial
    wrench: Floats  # (m, 6) force and torque on A over the step, inertial
    filled: Ints  # (2,)


@part
def accept(new, old):
    """Commit the step: `old <- new`."""
    for b in range(new.x.shape[0]):
        copy_body(new, b, old.x[b], old.q[b], old.v[b], old.w[b], old.dv[b], old.a[b])


@kernel
def copy_body(motion, b, x, q, v, w, dv, a):
    """Copy the motion of body `b` to `x`, v, w (3,), `q` (4,), `dv`, `a` (6,)."""
    for i in range(3):
        x[i] = motion.x[b, i]
        v[i] = motion.v[b, i]
        w[i] = motion.w[b, i]
    for i in range(4):
        q[i] = motion.q[b, i]
    for i in range(6):
        dv[i] = motion.dv[b, i]
        a[i] = motion.a[b, i]


@part
def reached(x, anchor, reach):
    """Whether a body has moved from `anchor` so far that the candidates of that reach may miss a pair."""
    limit = 0.25 * reach * reach
    for b in range(x.shape[0]):
        moved = 0.0
        for i in range(3):
            moved += (x[b, i] - anchor[b, i]) ** 2
        if not moved <= limit:
            return True
    return False


@part
def correct(
    geometry, kinds, planes, candidates, laws, bodies, work, increment, tol, anchor, reach, old, new, stats
):
    """Position and velocity correction of the smooth motion in `new`.

    Fills `stats` (a row of STATISTICS). Returns (outcome, worst candidate, rows of the closed
    contacts, their impulses).
    """
    far = reached(new.x, anchor, reach)
    closed, iterations, residual, worst, solved = position_correction(
        geometry, kinds, planes, candidates, laws, bodies, work, increment, tol, new
    )
    stats[POSITION_ITERATIONS] = iterations
    stats[POSITION_RESIDUAL] = residual
    stats[CONTACTS] = closed.shape[0]
    rows = closed_rows(closed, candidates, laws, bodies, work)
    impulse = np.zeros(rows.G.shape[0])
    if far or reached(new.x, anchor, reach):
        return OUT_OF_REACH, -1, rows, impulse
    if not solved:
        return POSITION, worst, rows, impulse
    stats[PENETRATION] = penetration(candidates, bodies)
    iterations, impacts, residual, capped, left = velocity_correction(
        rows, candidates, laws, bodies, old, tol, new, impulse
    )
    stats[VELOCITY_ITERATIONS] = iterations
    stats[SUB_IMPACTS] = impacts
    stats[VELOCITY_RESIDUAL] = residual
    stats[CAPPED] = capped
    if left > 0:
        return VELOCITY, -1, rows, impulse
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulse


@part
def penetration(candidates, bodies):
    """Largest overlap of a candidate over its radius."""
    depth = 0.0
    for c in range(candidates.gap.shape[0]):
        depth = max(depth, -candidates.gap[c] / bodies.radius[candidates.a[c]])
    return depth


@part
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
def record_state(record, t, motion):
    """Append the state of the bodies; its contacts must have been appended before."""
    n = record.filled[0]
    record.t[n] = t
    for b in range(record.x.shape[1]):
        copy_body(
            motion,
            b,
            record.x[n, b],
            record.q[n, b],
            record.v[n, b],
            record.w[n, b],
            record.dv[n, b],
            record.a[n, b],
        )
    record.end[n] = record.filled[1]
    record.filled[0] = n + 1


@part
def record_contacts(record, candidates, laws, rows, impulse, wrench):
    """Append the closed contacts of `rows`, impulses sorted into the six senses.

    `wrench` (C, 6) is that of the candidates.
    """
    m = record.filled[1]
    for k in range(rows.contact.shape[0]):
        c = rows.contact[k]
        law = candidates.law[c]
        record.pair[m, 0] = candidates.a[c]
        record.pair[m, 1] = candidates.b[c]
        record.pair[m, 2] = candidates.plane[c]
        record.pair[m, 3] = law
        record.kinematics[m, 0] = candidates.gap[c]
        for i in range(6):
            record.impulse[m, i] = 0.0
            record.wrench[m, i] = wrench[c, i]
        for i in range(3):
            record.kinematics[m, 1 + i] = candidates.normal[c, i]
            record.force[m, i] = 0.0
        r = rows.row[k]
        record.impulse[m, 0] = impulse[r]
        forces = 1
        if laws.mu[law] > 0.0:
            record.impulse[m, 1] = impulse[r + 1]
            record.impulse[m, 2] = impulse[r + 2]
            forces = 3
        for j in range(forces):
            for i in range(3):
                record.force[m, i] += rows.G[r + j, 0, i] * impulse[r + j]
        r += forces
        if laws.rolling_radius[law] > 0.0:
            record.impulse[m, 3] = impulse[r]
            record.impulse[m, 4] = impulse[r + 1]
            r += 2
        if laws.drilling_radius[law] > 0.0:
            record.impulse[m, 5] = impulse[r]
        m += 1
    record.filled[1] = m


@entry
def advance(
    geometry,
    kinds,
    planes,
    candidates,
    laws,
    bodies,
    work,
    scheme,
    t0,
    h,
    first,
    last,
    final,
    every,
    force,
    torque,
    frames,
    anchor,
    reach,
    tol,
    old,
    new,
    increment,
    wrench,
    stats,
    record,
):
    """Steps `first` to `last` - 1 of size `h` from `t0`, under constant `force`, `torque` (N, 3).

    Every `every`-th state is recorded, and that of step `final` - 1. `frames` (last - first + 1, frames,
    13) is the motion of the frames behind the bodies at the levels: position, rotation, velocity,
    angular velocity. `wrench` (C, 6) are the contact forces of the last step, see warm_start.py.
    Returns (steps done, outcome, worst candidate); `old` is then the last accepted state.
    """
    count = force.shape[0]
    for step in range(first, last):
        recording = (step + 1) % every == 0 or step + 1 == final
        if recording and (
            record.filled[0] == record.t.shape[0]
            or record.filled[1] + candidates.a.shape[0] > record.pair.shape[0]
        ):
            return step, NO_ROOM, -1
        row = stats[step - first]
        fill(row, 0.0)
        iterations = smooth_motion(bodies, scheme, h, old, force, torque, tol, new, increment)
        row[SMOOTH_ITERATIONS] = iterations
        if iterations < 0:
            return step, SMOOTH, -1
        place_frames(frames[step - first + 1], count, h, old, new, increment)
        outcome, worst, rows, impulse = correct(
            geometry,
            kinds,
            planes,
            candidates,
            laws,
            bodies,
            work,
            increment,
            tol,
            anchor,
            reach,
            old,
            new,
            row,
        )
        if outcome != SOLVED:
            return step, outcome, worst
        accept(new, old)
        store(rows.contact, rows.row, rows.G, impulse, 1.0 / h, wrench)
        if recording:
            record_contacts(record, candidates, laws, rows, impulse, wrench)
            record_state(record, t0 + (step + 1) * h, old)
    return last, SOLVED, -1


@part
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
