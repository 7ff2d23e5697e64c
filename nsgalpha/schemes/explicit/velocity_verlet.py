"""Velocity Verlet for compliant contact: one evaluation of the forces in a step.

    v_{n+1/2} = v_n + h/2 a_n,     x_{n+1} = x_n + h v_{n+1/2},     v_{n+1} = v_{n+1/2} + h/2 a_{n+1}

Positions, velocities and accelerations are known at the full steps. Forces that depend on velocities
(dashpots, friction) are taken at v_{n+1/2} + h/2 a_n, the velocity at the end of the step to second order. At
v_{n+1/2}, as leapfrog codes have it, dashpots would be of first order. Rotations are those of the spin
momentum L = R J R^T w, inertial: a midpoint rule in which L_{n+1/2} is constant,

    L_{n+1/2} = L_n + h/2 t_n,     L_{n+1} = L_{n+1/2} + h/2 t_{n+1}
    w_mid = w(exp(h/2 w(q_n, L_{n+1/2})) q_n, L_{n+1/2}),     q_{n+1} = exp(h w_mid) q_n

so that a free body keeps its momentum exactly. For isotropic inertia w = L/J, for any q.

Source: Swope et al., J. Chem. Phys. 76 (1982) 637; rotations as in Omelyan, Comput. Phys. 12 (1998) 97.
"""

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.force_kernels import evaluate
from nsgalpha.forces.force_shares import Settlement, gather, note, settle
from nsgalpha.forces.surface_steps import (
    INCOMPLETE,
    Surfaces,
    begin_surfaces,
    commit_surfaces,
    evaluate_surfaces,
)
from nsgalpha.geometry.rotations import exponential, product, to_body, to_inertial
from nsgalpha.jit.decorators import inlined, kernel, unlocked
from nsgalpha.jit.thread_team import Meetings, agree
from nsgalpha.schemes.explicit.slider_bodies import guide, note_sliders, record_sliders
from nsgalpha.stepping.record_kernels import CONTACTS, SIZE, SMOOTH_ITERATIONS, record_state
from nsgalpha.stepping.smooth_motion import euler_residual, times
from nsgalpha.stepping.step_motion import any_reached, move_frames
from nsgalpha.stepping.step_outcome import NO_ROOM, NOT_FINITE, OUT_OF_REACH, PRESCRIBED, SOLVED, UNLISTED
from nsgalpha.system.stressed_cell import CellSteps, ends_short, hold_stress, move_cell, record_cell

WORK = 6, 4  # workspace for vectors and quaternions of one body


class Prescribed(NamedTuple):
    """Wrenches and frames that do not depend on the motion."""

    weight: Floats  # (B, 6) constant wrenches
    frames: Floats  # (levels, frames, 13) motion of the frames at the levels of the steps
    cell: CellSteps | None  # under target stresses, whose images the steps place


class Skin(NamedTuple):
    """Positions of the search for candidates, and allowed motion of the bodies from there."""

    anchor: Floats  # (B, 3) [m]
    reach: float  # [m]
    images: Floats  # as those of Listing


class Share(NamedTuple):
    """The part of one thread in a step, or all of it."""

    own: Ints  # bodies and frames on which it has the forces
    moved: Ints  # bodies that it moves, next to each other in memory
    swept: Ints  # the same, and the frames for the first thread
    me: int  # number of the thread
    threads: int
    meetings: Meetings | None  # of several threads
    settlement: Settlement | None


class StepWorkspace(NamedTuple):
    """Arrays that a step works in."""

    wrench: Floats  # (B, 6) of its contacts
    total: Floats  # (B, 6) of all contacts, in the end
    impulse: Floats  # (B, 6) of the contacts, sum over all steps; (0, 6) where nobody asks
    work: Floats  # WORK
    share: Share
    surfaces: Surfaces | None  # contacts of primitives, of one thread
    sliders: Any  # a Handle of Sliders, None without joints


@inlined
def _seen(tensor, q, vector, out, work):
    """`out = R A R^T vector` with the body-frame `tensor` A (3, 3): w from L, or L from w."""
    to_body(q, vector, work[0, :3])
    times(tensor, work[0, :3], work[1, :3])
    to_inertial(q, work[1, :3], out)


@inlined
def _drift_body(bodies, h, b, motion, increment, work):
    """`drift` of body `b`."""
    spin, turn, middle = work[3, :3], work[4], work[5]
    q, w, dv, torque = motion.q[b], motion.w[b], motion.dv[b], motion.a[b, 3:]
    for i in range(3):
        increment[b, i] = h * (motion.v[b, i] + 0.5 * h * dv[i])
        motion.x[b, i] += increment[b, i]
        motion.v[b, i] += h * dv[i]
    if bodies.isotropic[b]:
        for i in range(3):
            increment[b, 3 + i] = h * (w[i] + 0.5 * h * dv[3 + i])
            w[i] += h * dv[3 + i]
        exponential(increment[b, 3:], turn)
        product(turn, q, q)
    else:
        inverse, momentum = bodies.inverse_inertia[b], work[2, :3]
        # t_n = R (J dW + W x J W), and L_{n+1/2}
        to_body(q, w, spin)
        for i in range(3):
            momentum[i] = 0.0
        euler_residual(bodies.inertia[b], dv[3:], spin, momentum, work[0, :3])
        to_inertial(q, work[0, :3], torque)
        _seen(bodies.inertia[b], q, w, momentum, work)
        for i in range(3):
            momentum[i] += 0.5 * h * torque[i]
        _seen(inverse, q, momentum, spin, work)
        for i in range(3):
            spin[i] *= 0.5 * h
        exponential(spin, turn)
        product(turn, q, middle)
        _seen(inverse, middle, momentum, spin, work)
        for i in range(3):
            increment[b, 3 + i] = h * spin[i]
            momentum[i] += 0.5 * h * torque[i]
        exponential(increment[b, 3:], turn)
        product(turn, q, q)
        _seen(inverse, q, momentum, w, work)


@inlined
def _kick_body(bodies, h, b, wrench, motion, work):
    """`kick` of body `b`; returns a sum of its numbers."""
    spin = work[3, :3]
    w, dv, torque = motion.w[b], motion.dv[b], motion.a[b, 3:]
    for i in range(3):
        acceleration = wrench[b, i] * bodies.inverse_mass[b]
        motion.v[b, i] += 0.5 * h * (acceleration - dv[i])
        dv[i] = acceleration
    if bodies.isotropic[b]:
        for i in range(3):
            acceleration = wrench[b, 3 + i] * bodies.inverse_inertia[b, 0, 0]
            w[i] += 0.5 * h * (acceleration - dv[3 + i])
            dv[3 + i] = acceleration
    else:
        q, momentum = motion.q[b], work[2, :3]
        _seen(bodies.inertia[b], q, w, momentum, work)
        for i in range(3):
            momentum[i] += 0.5 * h * (wrench[b, 3 + i] - torque[i])
        _seen(bodies.inverse_inertia[b], q, momentum, w, work)
        # J dW = T - W x J W
        to_body(q, w, spin)
        to_body(q, wrench[b, 3:], work[0, :3])
        for i in range(3):
            momentum[i] = 0.0
        euler_residual(bodies.inertia[b], momentum, spin, work[0, :3], work[1, :3])
        times(bodies.inverse_inertia[b], work[1, :3], momentum)
        for i in range(3):
            dv[3 + i] = -momentum[i]
    size = 0.0  # separate, so that bodies do not wait for one another
    for i in range(3):
        size += motion.v[b, i] + w[i]
    for i in range(4):
        size += motion.q[b, i]
    for i in range(6):
        size += dv[i]
    return size


@inlined
def drift(bodies, h, moved, motion, increment, work):
    """The motion of the bodies `moved` over a step: poses, expected velocities, `increment` (B, 6).

    The velocities are v_{n+1/2} + h/2 a_n. `motion.a` of a general body holds its torque t_n.
    """
    for body in moved:
        _drift_body(bodies, h, np.uintp(body), motion, increment, work)  # a number that is never negative


@inlined
def kick(bodies, h, moved, wrench, motion, work):
    """Accelerations under the `wrench` (B, 6) of bodies, and velocities that they make of expected ones.

    Returns False if a rotation, velocity or acceleration is not finite; positions are the broad phase's.
    """
    total = 0.0
    for body in moved:
        total += 0.0 * _kick_body(bodies, h, np.uintp(body), wrench, motion, work)
    return total == 0.0


@inlined
def kick_and_drift(bodies, h, after, moved, wrench, motion, increment, work):
    """`kick` after a step of `h`, then `drift` over one of `after`; each body is read once."""
    total = 0.0
    for body in moved:
        b = np.uintp(body)
        total += 0.0 * _kick_body(bodies, h, b, wrench, motion, work)
        _drift_body(bodies, after, b, motion, increment, work)
    return total == 0.0


@kernel
def keep(record, t, h, motion, sliders):
    """Record the state after a step of `h`; another scheme that continues from it finds `a = dv`."""
    note_sliders(sliders, motion)
    record_sliders(record, sliders)
    for b in range(motion.x.shape[0]):
        for i in range(6):
            motion.a[b, i] = motion.dv[b, i]
    record_state(record, t, h, motion)


@unlocked
def advance_verlet(forces, prescribed, skin, moving, steps, drifted, workspace, recording):
    """The `steps` (stepping/step_times.py) of the bodies `moving` under the compliant `forces`.

    `drifted`: the poses are those of the end of the first step already, as they are when the outcome is
    OUT_OF_REACH or UNLISTED. A first step that has not drifted has begun for contacts of primitives.
    `recording`: statistics of the steps, and the block of states. Returns (steps done, outcome), PRESCRIBED
    before a period of the cell becomes too short. Several threads take the steps together, each those of its
    share, and meet twice in a step.
    """
    bodies, (weight, frames, cell) = forces.bodies, prescribed
    wrench, total, impulse, work, share, surfaces, sliders = workspace
    (motion, increment), (stats, record) = moving, recording
    own, moved, swept, me = share.own, share.moved, share.swept, share.me
    count = motion.x.shape[0] - frames.shape[1]
    level, size, first, last, final, every = steps
    outcome, ahead = SOLVED, False  # whether the last step has drifted on, into this one
    for step in range(first, last):
        records = (step + 1) % every == 0 or step + 1 == final
        if records and record.filled[0] == record.t.shape[0]:
            return step, NO_ROOM
        h = size[step - first]
        if step > first or not drifted:
            if step > first:
                begin_surfaces(surfaces)
            if ends_short(cell, step - first):
                return step, PRESCRIBED
            if not ahead:
                drift(bodies, h, moved, motion, increment, work)
            if me == 0:
                move_cell(cell, step - first, frames[step - first + 1])
                move_frames(frames[step - first + 1], count, h, motion, increment)
            if any_reached(swept, motion.x, skin.anchor, skin.images, skin.reach):
                outcome = max(outcome, OUT_OF_REACH)
            outcome = agree(share.meetings, me, outcome)
            if outcome != SOLVED:
                return step - (outcome == NOT_FINITE), outcome
        for body in own:
            b = np.uintp(body)
            for i in range(6):
                wrench[b, i] = weight[b, i]
        of_surfaces = evaluate_surfaces(surfaces, moving, h, wrench)
        if of_surfaces == INCOMPLETE:
            return step, UNLISTED
        closed = of_surfaces + evaluate(forces, moving, h, wrench)
        note(share.settlement, me, closed)
        outcome = agree(share.meetings, me, outcome)
        if outcome != SOLVED:
            return step, outcome
        if me == 0:
            stats[step - first, CONTACTS] = settle(share.settlement, closed)
            stats[step - first, SMOOTH_ITERATIONS] = 1
            stats[step - first, SIZE] = h
        gather(share.settlement, moved)
        if impulse.shape[0] > 0:
            for b in swept:
                for i in range(6):
                    impulse[b, i] += h * (total[b, i] - weight[b, i])
        guide(sliders, motion, moved, total)
        room = record.filled[0] < record.t.shape[0]
        ahead = cell is None and surfaces is None and room and not records and step + 1 < last
        if ahead:
            after = size[step + 1 - first]
            finite = kick_and_drift(bodies, h, after, moved, total, motion, increment, work)
        else:
            finite = kick(bodies, h, moved, total, motion, work)
        if not finite:
            outcome = NOT_FINITE  # agreed on in the next step unless that is another call
        if share.threads == 1 or records or step + 1 == last:
            outcome = agree(share.meetings, me, outcome)
            if outcome != SOLVED:
                return step, outcome
        commit_surfaces(surfaces)
        hold_stress(cell, step - first, total, weight, motion)
        if records:
            if me == 0:
                record_cell(record, cell)
                keep(record, level[step - first + 1], h, motion, sliders)
            outcome = agree(share.meetings, me, outcome)
    return last, SOLVED
