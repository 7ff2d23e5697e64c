"""Rows of joints in the recorded states of a run."""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.constraints.joint_coordinates import CoordinateRows, CoordinateTable, measure_coordinates
from nsgalpha.constraints.joint_rows import JointTable, measure_joints, no_joint_rows
from nsgalpha.jit.decorators import kernel


class RowsOfStates(NamedTuple):
    """The rows of joints in n states."""

    g: Floats  # (n, R) violations [m], [rad]
    G: Floats  # (n, R, 2, 6)
    lever: Floats  # (n, J, 2, 3) [m]


@kernel
def measure_states(table, rows, bodies, inverse_inertia, motion, poses, found):
    """Measure the joints of `table` in n states, whose `poses` are x (n, B, 3) and q (n, B, 4).

    Fills `found`, the `RowsOfStates`; `rows` and `motion` are workspace.
    """
    x, q = poses
    g, G, lever = found.g, found.G, found.lever
    for k in range(x.shape[0]):
        for b in range(x.shape[1]):
            for i in range(3):
                motion.x[b, i] = x[k, b, i]
            for i in range(4):
                motion.q[b, i] = q[k, b, i]
        measure_joints(table, rows, motion, bodies, inverse_inertia)
        for r in range(g.shape[1]):
            g[k, r] = rows.g[r]
            for side in range(2):
                for i in range(6):
                    G[k, r, side, i] = rows.G[r, side, i]
        for j in range(lever.shape[1]):
            for side in range(2):
                for i in range(3):
                    lever[k, j, side, i] = rows.lever[j, side, i]


def stated_coordinates(table: JointTable, coordinates: CoordinateTable, motion: Motion) -> Floats:
    """Values (C,) of coordinates at the pose of `motion`; angles are in [-pi, pi]."""
    joints, count = len(table.point), len(coordinates.joint)
    measured = CoordinateRows(np.zeros(count), np.zeros((count, 2, 6)), *np.zeros((3, count)))
    if count:
        measure_coordinates(
            coordinates, table, no_joint_rows(joints, 0), measured, np.zeros((count, 3)), motion
        )
    return measured.value
