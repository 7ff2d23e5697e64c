"""Loads on coordinates of joints that do not follow the motion: motors.

A force Q = phi(t) [N] along, or a torque [N m] about, the coordinate c; the bodies feel G_c^T Q. What is
told as a function of time is a frame, as in joint_coordinates.py. Springs, dampers and controllers are
relations that give way.
"""

from __future__ import annotations

from typing import NamedTuple

from nsgalpha.arrays import Floats, Ints
from nsgalpha.constraints.joint_coordinates import measure_coordinates
from nsgalpha.jit.decorators import kernel


class EffortTable(NamedTuple):
    """The loads on coordinates."""

    coordinate: Ints  # (L,)
    constant: Floats  # (L,) phi, where no frame tells it
    frame: Ints  # (L,) number of the frame that phi moves, -1 for none


@kernel
def efforts(table, measured, motion):
    """The loads `measured.effort` (C,) on coordinates at the time of `motion`."""
    for c in range(measured.effort.shape[0]):
        measured.effort[c] = 0.0
    for k in range(table.coordinate.shape[0]):
        frame = table.frame[k]
        measured.effort[table.coordinate[k]] += motion.x[frame, 0] if frame >= 0 else table.constant[k]


@kernel
def add_efforts(joints, motion, wrench):
    """Add the wrenches (N, 6) of the loads on coordinates at the pose of `motion`."""
    if joints is None:
        return
    table, coordinates, measured = joints.table, joints.coordinates, joints.measured
    measure_coordinates(coordinates, table, joints.rows, measured, joints.last, motion)
    efforts(joints.efforts, measured, motion)
    for c in range(coordinates.joint.shape[0]):
        for side in range(2):
            b = table.body[coordinates.joint[c], side]
            if b < wrench.shape[0]:
                for i in range(6):
                    wrench[b, i] += measured.G[c, side, i] * measured.effort[c]
