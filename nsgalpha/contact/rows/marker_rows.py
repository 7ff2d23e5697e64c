"""Contacts of one row between two markers: ropes, limits of joint coordinates, friction in joints.

They stand in the table of candidates, with their kind in the place of a plane:

    kind                row of the normal n                 set
    FORCE               a force n at the levers             half line    ropes, limits of displacements
    TORQUE              a torque n                          half line    limits of angles
    SLIDING_FRICTION    a force n at the levers             interval
    TURNING_FRICTION    a torque n                          interval

The gap of a TORQUE is an angle [rad]. Friction has none, `inf`: it has no part in impacts and in the position
correction, which it precedes as friction of contacts does (poses.py). Its bound is

    |r| <= h (w + c |F|),      u = G V - omega(t)

with |F| the reaction force of its joint. It is that in the smooth motion of the step, and its increase by
contacts and friction in the last one. The friction therefore lags by O(h) in that part.
"""

import math

from nsgalpha.contact.multiplier_sets import INTERVAL
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.contact_element import LAST_ANGLE
from nsgalpha.model.joint_interface import SLIDE

BOUND, PART, JOINT, SPEED, SPEEDS, FRAME = range(6)  # columns of Joints.friction


@kernel
def is_friction_row(rows, k):
    """True if contact `k` of `rows` is friction in a joint."""
    return rows.set_parent[rows.sets[k]] == INTERVAL


@kernel
def _load_of(joints, j):
    """Reaction force [N] of joint `j`.

    Multipliers are components along axes of side A. Multipliers of two steps are compared by their sizes.
    Otherwise the force of the last one would rotate with A, and the other side would have another friction.
    """
    smooth, last, last_smooth = 0.0, 0.0, 0.0
    for r in range(joints.table.row[j], joints.table.row[j + 1]):
        if joints.table.kind[r] == SLIDE:
            smooth += joints.multiplier[r] ** 2
            last += joints.acted[r, 1] ** 2
            last_smooth += joints.acted[r, 0] ** 2
    return max(0.0, math.sqrt(smooth) + math.sqrt(last) - math.sqrt(last_smooth))


@kernel
def _speed(table, first, last, t):
    """Value at `t` of the rows `first` to `last` - 1 of `table` (K, 2): linear between, constant beyond."""
    for k in range(first + 1, last):
        if t <= table[k, 0]:
            part = max(0.0, (t - table[k - 1, 0]) / (table[k, 0] - table[k - 1, 0]))
            return table[k - 1, 1] + part * (table[k, 1] - table[k - 1, 1])
    return table[last - 1, 1]


@kernel
def wanted_rate(joints, law, t, motion):
    """Rate that a motor wants at `t`, the time of `motion`; 0 of friction in a joint."""
    given = joints.friction[law]
    if given[FRAME] >= 0.0:
        return motion.x[int(given[FRAME]), 0]
    return _speed(joints.speed, int(given[SPEED]), int(given[SPEEDS]), t)


@kernel
def bound_friction(joints, rows, t, h, motion, target):
    """Set the bounds of joint friction for `h` to `t`, and the motors' goals.

    `target` (R,) takes the rates that motors want; it keeps those of other rows. A rate that is a function of
    time is the place of a frame in `motion`, the end of the step.
    """
    if joints is None:
        return
    for k in range(rows.contact.shape[0]):
        if is_friction_row(rows, k):
            given = joints.friction[rows.law[k]]
            bound = given[BOUND]
            if given[PART] > 0.0:
                bound += given[PART] * _load_of(joints, int(given[JOINT]))
            rows.set_radius[rows.sets[k]] = h * bound
            target[rows.row[k]] = wanted_rate(joints, rows.law[k], t, motion)


@kernel
def keep_angles(options, joints):
    """Keep the angles of the last measured pose: an accepted step, or the start."""
    if joints is None:
        return
    first = joints.multiplier.shape[0] + joints.last.shape[0]
    for k in range(joints.wound.shape[0]):
        joints.acted[first + k, 0] = options[joints.wound[k], LAST_ANGLE]
