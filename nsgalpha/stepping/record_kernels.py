"""The record of a step: its statistics, the state, the contacts."""

import math
from typing import NamedTuple

from nsgalpha.arrays import MARKERS, Floats, Ints
from nsgalpha.contact.islands.island_response import Effort
from nsgalpha.contact.rows.contact_kinematics import tangents
from nsgalpha.contact.rows.marker_rows import is_friction_row
from nsgalpha.geometry.narrow_phase import touches
from nsgalpha.jit.decorators import inlined, kernel

# Columns of the statistics of a step, the fields of Statistics
SMOOTH_ITERATIONS, POSITION_ITERATIONS, VELOCITY_ITERATIONS, SUB_IMPACTS, CONTACTS = range(5)
POSITION_RESIDUAL, VELOCITY_RESIDUAL, VELOCITY_ERROR, PENETRATION = range(5, 9)
CAPPED, RELAXED, DIVIDED, FAST, SINGULAR, RESTING, SIZE = range(9, 16)
LOCATED, TRIALS, HANDED, ERROR, FOLLOWING, SPEED = range(16, 22)
FOUND, MISSED, BOTH = 1.0, -1.0, 2.0  # values of LOCATED: impacts of the step that were located or not


class Record(NamedTuple):
    """Workspace for recorded states and contacts; `filled` counts the (states, contacts) in it.

    It counts a state once all of it is there, contacts included: a run can be cut short at any time.
    """

    t: Floats  # (n,)
    h: Floats  # (n,) size of the step that led there, 0 if none did
    x: Floats  # (n, N, 3)
    q: Floats  # (n, N, 4)
    v: Floats  # (n, N, 3)
    w: Floats  # (n, N, 3)
    dv: Floats  # (n, N, 6)
    a: Floats  # (n, N, 6)
    joint: Floats  # (n, R, 3) rows of joints over the step, see State
    end: Ints  # (n,) number of contacts up to and with this state
    pair: Ints  # (m, 5) bodies a, b, plane, law, feature
    kinematics: Floats  # (m, 4) gap, normal
    impulse: Floats  # (m, 6) normal, sliding (2), rolling (2), drilling
    force: Floats  # (m, 3) impulse vector on A, inertial
    wrench: Floats  # (m, 6) force and torque on A over the step, inertial, without impacts
    limit: Floats  # (m,) largest impulse of sliding friction in the direction in which it acts
    filled: Ints  # (2,)


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


@kernel
def acts(candidates, past, rows, impulses, k):
    """True if contact `k` of `rows` is finally closed, has pushed, or is friction."""
    r = rows.row[k]
    if is_friction_row(rows, k):
        return True
    return touches(candidates, past.flying, rows.contact[k]) or impulses.impact[r] + impulses.load[r] > 0.0


@kernel
def count_closed(candidates, past, rows, impulses):
    """Number of the contacts that are closed, or have pushed; friction of joints is none."""
    count = 0
    for k in range(rows.contact.shape[0]):
        count += acts(candidates, past, rows, impulses, k) and not is_friction_row(rows, k)
    return count


@kernel
def is_full(record, candidates):
    """True if a state, with all `candidates` as contacts, has no place in the record."""
    contacts = record.filled[1] + candidates.a.shape[0]
    return record.filled[0] == record.t.shape[0] or contacts > record.pair.shape[0]


@kernel
def record_state(record, t, h, motion):
    """Append the state of the bodies after a step of `h`, behind its contacts."""
    n = record.filled[0]
    record.t[n] = t
    record.h[n] = h
    for b in range(record.x.shape[1]):
        position = record.x[n, b], record.q[n, b]
        copy_body(motion, b, *position, record.v[n, b], record.w[n, b], record.dv[n, b], record.a[n, b])
    record.end[n] = record.filled[1]
    record.filled[0] = n + 1


@kernel
def record_joints(record, joints):
    """Put the rows of `joints`, `joints.acted` (R, 3), to the state that is recorded next."""
    if joints is None:
        return
    n = record.filled[0]
    for r in range(joints.acted.shape[0]):
        for i in range(3):
            record.joint[n, r, i] = joints.acted[r, i]


@inlined
def _record_ellipse(record, m, rows, r):
    """Sliding impulses of contact `m` in units of force, whose rows `r`, `r + 1` are axes of an ellipse."""
    x, y, n = record.impulse[m, 1], record.impulse[m, 2], record.kinematics[m]
    px, py, pz, qx, qy, qz = tangents(n[1], n[2], n[3])
    first = second = 0.0
    for i in range(3):
        f = rows.G[r, 0, i] * x + rows.G[r + 1, 0, i] * y
        first += f * (px if i == 0 else py if i == 1 else pz)
        second += f * (qx if i == 0 else qy if i == 1 else qz)
    record.impulse[m, 1], record.impulse[m, 2] = first, second
    size = math.sqrt(x * x + y * y)
    if size > 0.0:
        record.limit[m] *= math.sqrt(first * first + second * second) / size


@kernel
def record_contacts(record, candidates, laws, rows, impulses, past):
    """Append the contacts of `rows` that act, impulses sorted into the six components.

    `past` holds the wrenches of the candidates, and the impulses by which their forces rotated.
    """
    m = record.filled[1]
    impact, load = impulses.impact, impulses.load
    for k in range(rows.contact.shape[0]):
        if not acts(candidates, past, rows, impulses, k):
            continue
        c = rows.contact[k]
        law = candidates.law[c]
        record.pair[m, 0] = candidates.a[c]
        record.pair[m, 1] = candidates.b[c]
        record.pair[m, 2] = candidates.plane[c]
        record.pair[m, 3] = law
        record.pair[m, 4] = candidates.feature[c]
        record.kinematics[m, 0] = candidates.gap[c]
        for i in range(6):
            record.impulse[m, i] = 0.0
            record.wrench[m, i] = past.wrench[c, i]
        for i in range(3):
            record.kinematics[m, 1 + i] = candidates.normal[c, i]
            record.force[m, i] = past.turned[c, i]
        r = rows.row[k]
        record.impulse[m, 0] = impact[r] + load[r]
        if candidates.plane[c] <= MARKERS:
            record.impulse[m, 2] = impact[r]
        if is_friction_row(rows, k):
            record.kinematics[m, 0] = 0.0
            record.impulse[m, 1] = rows.set_radius[rows.sets[k]]
        record.limit[m], forces = 0.0, 1
        if laws.mu[law] > 0.0:
            record.impulse[m, 1] = impact[r + 1] + load[r + 1]
            record.impulse[m, 2] = impact[r + 2] + load[r + 2]
            record.limit[m] = rows.set_radius[rows.sets[k] + 1] * record.impulse[m, 0]
            forces = 3
        for j in range(forces):
            for i in range(3):
                record.force[m, i] += rows.G[r + j, 0, i] * (impact[r + j] + load[r + j])
        if laws.varies[law] and forces == 3:
            _record_ellipse(record, m, rows, r + 1)
        r += forces
        if laws.rolling_radius[law] > 0.0:
            record.impulse[m, 3] = impact[r] + load[r]
            record.impulse[m, 4] = impact[r + 1] + load[r + 1]
            r += 2
        if laws.drilling_radius[law] > 0.0:
            record.impulse[m, 5] = impact[r] + load[r]
        m += 1
    record.filled[1] = m


def note_effort(effort: Effort, stats: Floats) -> None:
    """Put the statistics of a velocity problem into `stats`, a row of STATISTICS."""
    stats[VELOCITY_ITERATIONS] = max(effort.iterations, 1)
    stats[SUB_IMPACTS], stats[CAPPED] = effort.impacts, effort.capped
    stats[VELOCITY_RESIDUAL], stats[VELOCITY_ERROR] = effort.residual, effort.error
    stats[RELAXED] += effort.relaxed
    stats[RESTING] = effort.resting
