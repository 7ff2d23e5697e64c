"""Geometric stiffness of the rows of joints, `K = -d(G^T l)/dq`: their wrenches turn with the bodies.

The markers are those of joint_rows.py, l is the multiplier of a row, and [a] the skew matrix of a vector. The
wrenches (f, t) on the two sides change with inertial displacements (x, theta) of both by

    SLIDE           df = -+ l da,                 dt_A = l (da x s + a x ds),   dt_B = l (dq x a + q x da)
    PERPENDICULAR   dt = +- l (da x b + a x db)
    DISTANCE        df = -+ l dn,                 dt_A = -l (dp x n + p x dn),  dt_B = l (dq x n + q x dn)
    TURN            dt = -+ l da                  the row of an angle, see joint_coordinates.py

with s = d + p, da = theta_A x a, dp = theta_A x p, dq = theta_B x q, db = theta_B x b,
ds = x_B - x_A + dq and dn = (1 - n n^T) (ds - dp)/|d|. Upper signs are those of A.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.constraints.jointed_response import Joints
from nsgalpha.model.coordinate_relations import ALONG, ANGLE, APART
from nsgalpha.model.joint_interface import DISTANCE, PERPENDICULAR, SLIDE

TURN = 3
OF_COORDINATES = {ANGLE: TURN, ALONG: SLIDE, APART: DISTANCE}
FORCE, TORQUE = slice(0, 3), slice(3, 6)
PLACE, ROTATION = FORCE, TORQUE


def skew(a: Floats) -> Floats:
    """Matrices (..., 3, 3) of `a` x, of vectors (..., 3)."""
    matrix = np.zeros((*a.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        matrix[..., i, j], matrix[..., j, i] = -a[..., k], a[..., k]
    return matrix


def geometric_stiffness(
    kind: Ints, multiplier: Floats, axes: tuple[Floats, Floats], levers: tuple[Floats, Floats], d: Floats
) -> Floats:
    """`K` (n, 2, 6, 2, 6) [side, wrench, side, displacement] of n rows with the `multiplier` (n,).

    axes: a of A and b of B, (n, 3) unit vectors, inertial; levers: p and q (n, 3) [m]; d (n, 3) [m].
    """
    K = np.zeros((len(kind), 2, 6, 2, 6))
    for each, fill in (
        (SLIDE, _slide),
        (PERPENDICULAR, _perpendicular),
        (DISTANCE, _distance),
        (TURN, _turn),
    ):
        rows = np.flatnonzero(kind == each)
        if len(rows):
            of = (*(part[rows] for part in (*axes, *levers)), d[rows])
            K[rows] = -multiplier[rows, None, None, None, None] * fill(*of)
    return K


def _empty(rows: Floats) -> Floats:
    return np.zeros((len(rows), 2, 6, 2, 6))


def _slide(a: Floats, b: Floats, p: Floats, q: Floats, d: Floats) -> Floats:
    A, Q, S, change = skew(a), skew(q), skew(d + p), _empty(a)
    change[:, 0, FORCE, 0, ROTATION], change[:, 1, FORCE, 0, ROTATION] = A, -A
    change[:, 0, TORQUE, 0, PLACE], change[:, 0, TORQUE, 1, PLACE] = -A, A
    change[:, 0, TORQUE, 0, ROTATION], change[:, 0, TORQUE, 1, ROTATION] = S @ A, -A @ Q
    change[:, 1, TORQUE, 0, ROTATION], change[:, 1, TORQUE, 1, ROTATION] = -Q @ A, A @ Q
    return change


def _perpendicular(a: Floats, b: Floats, p: Floats, q: Floats, d: Floats) -> Floats:
    A, B, change = skew(a), skew(b), _empty(a)
    change[:, 0, TORQUE, 0, ROTATION], change[:, 0, TORQUE, 1, ROTATION] = B @ A, -A @ B
    change[:, 1] = -change[:, 0]
    return change


def _distance(a: Floats, b: Floats, p: Floats, q: Floats, d: Floats) -> Floats:
    length = np.linalg.norm(d, axis=1)[:, None]
    n = d / length
    N, P, Q = skew(n), skew(p), skew(q)
    across = (np.eye(3) - n[:, :, None] * n[:, None, :]) / length[:, None]
    dn = np.zeros((len(d), 3, 2, 6))  # with the displacements of both sides
    dn[:, :, 0, PLACE], dn[:, :, 1, PLACE] = -across, across
    dn[:, :, 0, ROTATION], dn[:, :, 1, ROTATION] = across @ P, -across @ Q
    change = _empty(d)
    change[:, 0, FORCE], change[:, 1, FORCE] = -dn, dn
    change[:, 0, TORQUE] = -np.einsum("nij,njsk->nisk", P, dn)
    change[:, 1, TORQUE] = np.einsum("nij,njsk->nisk", Q, dn)
    change[:, 0, TORQUE, 0, ROTATION] -= N @ P
    change[:, 1, TORQUE, 1, ROTATION] += N @ Q
    return change


def _turn(a: Floats, b: Floats, p: Floats, q: Floats, d: Floats) -> Floats:
    A, change = skew(a), _empty(a)
    change[:, 0, TORQUE, 0, ROTATION], change[:, 1, TORQUE, 0, ROTATION] = A, -A
    return change


def stiffness_of(joints: Joints, x: Floats, multiplier: Floats, load: Floats) -> tuple[Ints, Floats]:
    """Bodies (n, 2) and `K` (n, 2, 6, 2, 6) of all rows that were measured last, of bodies at `x` (B, 3).

    `multiplier` (R,) of the rows, and `load` (C,) on coordinates besides that of relations, [N] or [N m].
    """
    table, rows, coordinates = joints.table, joints.rows, joints.coordinates
    count = len(table.point)
    joint = np.repeat(np.arange(count), np.diff(table.row[: count + 1]))
    numbers = np.concatenate([joint, coordinates.joint])
    kinds = [OF_COORDINATES[int(kind)] for kind in coordinates.kind]
    kind = np.concatenate([table.kind, np.array(kinds, np.int64)])
    a_axis = np.concatenate([table.axis[:, 0], coordinates.axis])
    b_axis = np.concatenate([table.axis[:, 1], np.zeros_like(coordinates.axis)])
    exerted = np.concatenate([multiplier[: len(joint)], load + _of_relations(joints, multiplier)])
    body = table.body[numbers, :2]
    p, q = rows.lever[numbers, 0], rows.lever[numbers, 1]
    d = x[body[:, 1]] + q - x[body[:, 0]] - p
    axes = rows.axes[numbers, 0, a_axis], rows.axes[numbers, 1, b_axis]
    return body, geometric_stiffness(kind, exerted, axes, (p, q), d)


def _of_relations(joints: Joints, multiplier: Floats) -> Floats:
    """Loads (C,) of relations with the `multiplier` (R,) on the coordinates."""
    relations, total = joints.relations, np.zeros(len(joints.coordinates.joint))
    relation = np.repeat(np.arange(len(relations.offset)), np.diff(relations.first))
    first = len(multiplier) - len(relations.offset)
    np.add.at(total, relations.coordinate, relations.ratio * multiplier[first + relation])
    return total
