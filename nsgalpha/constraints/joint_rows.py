"""Rows of joints: bilateral constraints between two markers, points with axes.

The markers are `p, (a_0, a_1, a_2)` of side A and `q, (b_0, b_1, b_2)` of side B, levers and unit axes in the
inertial frame. With d = x_B + q - x_A - p, the rows are the wrenches (force, torque) on the two sides

    kind            g               on A                    on B
    SLIDE           a_k . d         -a_k,  a_k x (d + p)    a_k,  q x a_k
    PERPENDICULAR   a_k . b_m       0,     a_k x b_m        0,   -a_k x b_m
    DISTANCE        |d| - L         -n,   -p x n            n,    q x n           n = d/|d|

so that dg/dt = G V with the velocities of both bodies (prescribed frames are bodies, too). A joint is a group
of up to six rows; which, is said by elements/joints.py. Every formula is checked against differences.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.geometry.rotations import turned
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.joint_interface import PERPENDICULAR, SLIDE


class JointTable(NamedTuple):
    """The joints of a model: markers in the frames of their bodies, and rows."""

    body: Ints  # (J, 2); behind them relations of coordinates, which have more sides (joint_coordinates.py)
    row: Ints  # (J + 1,) offsets into the rows
    point: Floats  # (J, 2, 3) from the centre of the body [m]
    axes: Floats  # (J, 2, 3, 3) unit vectors, a row each
    kind: Ints  # (R,)
    axis: Ints  # (R, 2) numbers of the axes of A and B
    length: Floats  # (R,) of distances [m]


class JointRows(NamedTuple):
    """The rows of all joints at one pose."""

    lever: Floats  # (J, 2, 3) of the points, inertial [m]
    axes: Floats  # (J, 2, 3, 3) inertial
    g: Floats  # (R,) violation [m], [rad]
    G: Floats  # (R, 2, 6)
    MG: Floats  # (R, 2, 6) M^-1 G^T


def no_joint_rows(joints: int, rows: int, sides: int = 2) -> JointRows:
    """Rows of no pose."""
    axes, G = np.zeros((joints, 2, 3, 3)), np.zeros((2, rows, sides, 6))
    return JointRows(np.zeros((joints, 2, 3)), axes, np.zeros(rows), *G)


@kernel
def _set_row(rows, r, side, force, torque):
    for i in range(3):
        rows.G[r, side, i] = force[i]
        rows.G[r, side, 3 + i] = torque[i]


@kernel
def cross(a, b):
    """`a x b`."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def minus(a):
    """`-a`."""
    return -a[0], -a[1], -a[2]


@kernel
def place(table, rows, j, motion, sides):
    """Markers of joint `j` at the pose of `motion`, axes of the first `sides`; returns `d`."""
    for side in range(2):
        q = motion.q[table.body[j, side]]
        lever, axes = rows.lever[j, side], rows.axes[j, side]
        lever[0], lever[1], lever[2] = turned(q, table.point[j, side])
        for k in range(3):
            if side < sides:
                axes[k, 0], axes[k, 1], axes[k, 2] = turned(q, table.axes[j, side, k])
    a, b = table.body[j, 0], table.body[j, 1]
    p, q = rows.lever[j, 0], rows.lever[j, 1]
    x = motion.x[b, 0] - motion.x[a, 0] + q[0] - p[0]
    y = motion.x[b, 1] - motion.x[a, 1] + q[1] - p[1]
    z = motion.x[b, 2] - motion.x[a, 2] + q[2] - p[2]
    return x, y, z


@kernel
def measure_joints(table, rows, motion, bodies, inverse_inertia):
    """Violations and rows of all joints at the pose of `motion`; `inverse_inertia` (B, 3, 3) is inertial."""
    zero = (0.0, 0.0, 0.0)
    for j in range(table.point.shape[0]):
        sides = 1  # axes of B are in the rows of some joints alone
        for r in range(table.row[j], table.row[j + 1]):
            if table.kind[r] == PERPENDICULAR:
                sides = 2
        d = place(table, rows, j, motion, sides)
        p, q = rows.lever[j, 0], rows.lever[j, 1]
        arm = d[0] + p[0], d[1] + p[1], d[2] + p[2]
        for r in range(table.row[j], table.row[j + 1]):
            a, b = rows.axes[j, 0, table.axis[r, 0]], rows.axes[j, 1, table.axis[r, 1]]
            if table.kind[r] == SLIDE:
                n = a[0], a[1], a[2]
                rows.g[r] = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
                _set_row(rows, r, 0, minus(n), cross(n, arm))
                _set_row(rows, r, 1, n, cross(q, n))
            elif table.kind[r] == PERPENDICULAR:
                n = cross(a, b)
                rows.g[r] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
                _set_row(rows, r, 0, zero, n)
                _set_row(rows, r, 1, zero, minus(n))
            else:
                distance = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
                n = d[0] / distance, d[1] / distance, d[2] / distance
                rows.g[r] = distance - table.length[r]
                _set_row(rows, r, 0, minus(n), cross(n, p))
                _set_row(rows, r, 1, n, cross(q, n))
            for side in range(2):
                body = table.body[j, side]
                J, m = inverse_inertia[body], bodies.inverse_mass[body]
                G, MG = rows.G[r, side], rows.MG[r, side]
                for i in range(3):
                    MG[i] = m * G[i]
                    MG[3 + i] = J[i, 0] * G[3] + J[i, 1] * G[4] + J[i, 2] * G[5]
