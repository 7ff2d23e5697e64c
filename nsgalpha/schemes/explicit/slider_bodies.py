"""Sliders: bodies that a joint with the ground leaves one translation, in explicit steps.

    c = n . x - c_0,    m c'' = n . f + Q,    lambda = (G^T)^+ (n (n . f) - f, -t - Q r x n)

with the wrench (f, t) of contacts and loads, and the multipliers lambda of the joint. Motors and springs have
the loads Q on the coordinate c, at the lever r of the joint. Its rows G of the body are constant, since the
body does not turn. So the constraint needs no solver: the wrench is projected, and the body keeps to its line
to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.checks import refuse
from nsgalpha.constraints.jointed_response import note_coordinates
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.coordinate_relations import CoordinateLoad, Coordinates, Drive, is_soft, kind_of, ties
from nsgalpha.model.joint_interface import OF_SLIDER, Joint, is_slider
from nsgalpha.model.state import State
from nsgalpha.stepping.record_kernels import record_joints
from nsgalpha.system.consistent_start import begin_coordinates, refuse_violation
from nsgalpha.system.system import System

SCHEME = "VelocityVerlet"


class Sliders(NamedTuple):
    """The K sliders of a model, and the P loads on their coordinates."""

    joints: Any  # a Handle of all joints
    body: Ints  # (K,)
    axis: Floats  # (K, 3) unit vector along which a body moves
    zero: Floats  # (K,) c_0 [m]
    moment: Floats  # (K, 3) r x n [m]
    row: Ints  # (K,) the first of its rows
    reaction: Floats  # (K, 5, 6) multipliers of a wrench
    push: Ints  # (K + 1,) offsets into the loads
    frame: Ints  # (P,) that tells the load or the rest, -1 for none
    constant: Floats  # (P,) where no frame does
    soft: Ints  # (P,) row of a spring or damper, -1 for the load of a motor
    stiffness: Floats  # (P,) [N/m]
    damping: Floats  # (P,) [N s/m]


@kernel
def _load(sliders, k, motion):
    """Load Q [N] on the coordinate of slider `k`."""
    b, n, acted = sliders.body[k], sliders.axis[k], sliders.joints.acted
    total, value, rate = 0.0, -sliders.zero[k], 0.0
    for i in range(3):
        value += n[i] * motion.x[b, i]
        rate += n[i] * motion.v[b, i]
    for p in range(sliders.push[k], sliders.push[k + 1]):
        frame, row = sliders.frame[p], sliders.soft[p]
        given = motion.x[frame, 0] if frame >= 0 else sliders.constant[p]
        if row >= 0:
            given_rate = motion.v[frame, 0] if frame >= 0 else 0.0
            given = -sliders.stiffness[p] * (value - given) - sliders.damping[p] * (rate - given_rate)
            acted[row, 0] = acted[row, 1] = given
            acted[row, 2] = 0.0
        total += given
    return total


@kernel
def guide(sliders, motion, moved, wrench):
    """Project the `wrench` (B, 6) of the sliders among the bodies `moved`, and add the loads on them.

    `moved` are next to each other. Fills the rows of the joints.
    """
    if sliders is None or moved.shape[0] == 0:
        return
    acted = sliders.joints.acted
    for k in range(sliders.body.shape[0]):
        b, n, r = sliders.body[k], sliders.axis[k], sliders.row[k]
        if b < moved[0] or b > moved[-1]:
            continue
        along, load = 0.0, _load(sliders, k, motion)
        for i in range(3):
            along += n[i] * wrench[b, i]
        for j in range(OF_SLIDER):
            multiplier = 0.0
            for i in range(3):
                multiplier += sliders.reaction[k, j, i] * (n[i] * along - wrench[b, i])
                torque = wrench[b, 3 + i] + load * sliders.moment[k, i]
                multiplier -= sliders.reaction[k, j, 3 + i] * torque
            acted[r + j, 0] = acted[r + j, 1] = multiplier
            acted[r + j, 2] = 0.0
        for i in range(3):
            wrench[b, i] = n[i] * (along + load)
            wrench[b, 3 + i] = 0.0


@kernel
def note_sliders(sliders, motion):
    """Keep the coordinates of `motion`, which is accepted."""
    if sliders is not None:
        note_coordinates(sliders.joints, motion)


@kernel
def record_sliders(record, sliders):
    """Put the rows of the joints to the state that is recorded next."""
    if sliders is not None:
        record_joints(record, sliders.joints)


def sliders_of(system: System, motion: Motion, state: State, h: float) -> Any:
    """The sliders of a system in `motion` at a start, None without joints.

    Raises ValueError, by its name, for another joint or drive, and for a slider that is off its line.
    """
    model = system.model
    if not model.joints:
        return None
    for joint in model.joints:
        _check_joint(joint)
    _check_single(model.joints)
    for drive in model.drives:
        _check_drive(drive)
    begin_coordinates(system, motion, state.joints)
    refuse_violation(system, motion, h)
    joints, count = system.joints, len(model.joints)
    if state.joints is not None:
        joints.acted[:] = state.joints
    first, axes, levers = joints.table.row[:count], joints.rows.axes, joints.rows.lever
    along = [kind_of(joint, "displacement")[1] for joint in model.joints]
    axis = np.array([axes[j, 0, k] for j, k in enumerate(along)])
    zero = np.einsum("ji,ji->j", axis, levers[:count, 0] - levers[:count, 1])
    moment = np.cross(levers[:count, 1], axis)
    reaction = np.array([np.linalg.pinv(joints.rows.G[r : r + OF_SLIDER, 1].T) for r in first])
    body = np.array([joint.carriers[1].index for joint in model.joints], np.int64)  # type: ignore[union-attr]
    columns = body, axis, zero, moment, first.copy(), reaction
    return named(Sliders(joints, *columns, *_pushes(system)))


def _pushes(system: System) -> tuple[Ints, Ints, Floats, Ints, Floats, Floats]:
    """Columns of the loads, sorted by sliders."""
    model, joints = system.model, system.joints
    known, number = Coordinates(model.joints, model.drives), {id(j): k for k, j in enumerate(model.joints)}
    relating, first = ties(model.drives), int(joints.table.row[len(model.joints)])
    efforts = iter(range(len(joints.efforts.coordinate)))
    rows: list[tuple[int, int, float, int, float, float]] = []
    for drive in model.drives:
        k = number[id(drive.terms[0].joint)]
        if isinstance(drive, CoordinateLoad):
            at = next(efforts)
            rows.append((k, joints.efforts.frame[at], joints.efforts.constant[at], -1, 0.0, 0.0))
        else:
            at = next(i for i, each in enumerate(relating) if each is drive)
            r = joints.relations
            rows.append((k, r.frame[at], r.offset[at], first + at, r.stiffness[at], r.damping[at]))
    assert len(known.of) <= len(model.joints)
    rows.sort(key=lambda row: row[0])
    slider, frame, constant, soft, stiffness, damping = np.array(rows, float).reshape(-1, 6).T
    push = np.searchsorted(slider, np.arange(len(model.joints) + 1)).astype(np.int64)
    numbers = frame.astype(np.int64), constant.copy(), soft.astype(np.int64)
    return push, *numbers, stiffness.copy(), damping.copy()


def _check_joint(joint: Joint) -> None:
    """ValueError unless the `joint` makes its body a slider."""
    if not is_slider(joint):
        remedy = (
            "the only joints of VelocityVerlet are sliders, Prismatic(None, body): leave the scheme out, or "
            "state a stiff spring in place of the joint"
        )
        raise refuse("scheme", SCHEME, f"GeneralizedAlpha for {joint.name}", remedy)


def _check_single(joints: list[Joint]) -> None:
    """ValueError for a body on two sliders."""
    known: set[int] = set()
    for joint in joints:
        if id(joint.carriers[1]) in known:
            remedy = "a slider has one joint: leave the scheme out"
            raise refuse("scheme", SCHEME, f"GeneralizedAlpha for {joint.name}", remedy)
        known.add(id(joint.carriers[1]))


def _check_drive(drive: Drive) -> None:
    """ValueError unless the `drive` is a load on one slider."""
    single = len(drive.terms) == 1 and drive.terms[0].ratio == 1.0
    if not single or not (isinstance(drive, CoordinateLoad) or is_soft(drive)):
        remedy = "sliders of VelocityVerlet take loads, springs and controllers: leave the scheme out"
        raise refuse("scheme", SCHEME, f"GeneralizedAlpha for {drive.name}", remedy)
