"""Coordinates of joints, and rows that combine them: drives, gears, screws, differentials.

A coordinate has a value c and a row, the wrenches on the two sides of its joint with dc/dt = G_c V. With the
markers of joint_rows.py, and the third axis a_2 of A,

    kind       c                             on A                      on B
    ANGLE      atan2(a_1 . b_0, a_0 . b_0)   0, -a_2                   0, a_2
    ALONG      a_k . d                       -a_k, a_k x (d + p)       a_k, q x a_k
    APART      |d|                           -n, -p x n                n, q x n

Angles are unwrapped: of all that differ by whole turns the one next to the last accepted state is taken. A
relation

    g = sum_k ratio_k c_k - offset - phi(t) = 0

is a joint with a single row on all the bodies that its coordinates have. A soft relation, a spring with a
damper or a controller, has the multiplier lambda = -k g - d dg/dt instead. It is solved with the others, and
1 / (a k + b d) stands on the diagonal of S. Here a and b are the effects of a force over the step on
positions and velocities. Stiffness and damping may be of any size. A prescribed coordinate is a frame that
moves along x. Its phi and rate are position and velocity of that frame, which is one side more. So dg/dt = G
V holds for drives as for joints, and nothing else has to know of time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.constraints.joint_rows import cross, minus, place
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.coordinate_relations import ALONG, ANGLE

TURN = 2.0 * math.pi
ROUNDING = 1e-15  # of g relative to the coordinates, which many turns make large, that is none
NO_TIME = 1e-60  # of a force that acts for an instant: springs and dampers have no part then


class CoordinateTable(NamedTuple):
    """The coordinates of joints that drives and loads refer to."""

    joint: Ints  # (C,)
    kind: Ints  # (C,)
    axis: Ints  # (C,) number of the axis of A


class RelationTable(NamedTuple):
    """The relations of coordinates; they are joints with one row, behind all others."""

    first: Ints  # (D + 1,) offsets into the terms
    coordinate: Ints  # (T,)
    ratio: Floats  # (T,)
    side: Ints  # (T, 2) sides of the relation that are A and B of the joint of the coordinate
    offset: Floats  # (D,) [m], [rad]
    frame: Ints  # (D,) number of the frame that phi moves, -1 for none
    driven_side: Ints  # (D,) and the side that it is
    soft: Flags  # (D,) soft relations
    stiffness: Floats  # (D,) of one that does [N/m], [N m/rad]
    damping: Floats  # (D,) [N s/m], [N m s/rad]


class CoordinateRows(NamedTuple):
    """Coordinates and relations at one pose."""

    value: Floats  # (C,) [m], [rad], unwrapped
    G: Floats  # (C, 2, 6)
    effort: Floats  # (C,) of loads on them [N], [N m]
    gap: Floats  # (D,) g of the relations [m], [rad]
    smooth: Floats  # (D,) that at the end of the smooth motion


@kernel
def nearest(angle, last):
    """Of all that differ from `angle` by whole turns that next to the `last` one [rad]."""
    return angle + TURN * math.floor((last - angle) / TURN + 0.5)


@kernel
def _set(G, side, force, torque):
    for i in range(3):
        G[side, i] = force[i]
        G[side, 3 + i] = torque[i]


@kernel
def measure_coordinates(coordinates, table, rows, measured, last, motion):
    """Values and rows `measured` at the pose of `motion`; angles are unwrapped by the `last` (C, 3)."""
    zero = (0.0, 0.0, 0.0)
    for c in range(coordinates.joint.shape[0]):
        j, k = coordinates.joint[c], coordinates.axis[c]
        d = place(table, rows, j, motion, 2)
        p, q, A, b, G = rows.lever[j, 0], rows.lever[j, 1], rows.axes[j, 0], rows.axes[j, 1, 0], measured.G[c]
        if coordinates.kind[c] == ANGLE:
            cosine = A[0, 0] * b[0] + A[0, 1] * b[1] + A[0, 2] * b[2]
            sine = A[1, 0] * b[0] + A[1, 1] * b[1] + A[1, 2] * b[2]
            angle = math.atan2(sine, cosine)
            measured.value[c] = nearest(angle, last[c, 0])
            n = A[2, 0], A[2, 1], A[2, 2]
            _set(G, 0, zero, minus(n))
            _set(G, 1, zero, n)
        elif coordinates.kind[c] == ALONG:
            n, arm = (A[k, 0], A[k, 1], A[k, 2]), (d[0] + p[0], d[1] + p[1], d[2] + p[2])
            measured.value[c] = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
            _set(G, 0, minus(n), cross(n, arm))
            _set(G, 1, n, cross(q, n))
        else:
            distance = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            n = d[0] / distance, d[1] / distance, d[2] / distance
            measured.value[c] = distance
            _set(G, 0, minus(n), cross(n, p))
            _set(G, 1, n, cross(q, n))


@kernel
def measure_relations(relations, table, rows, measured, motion, bodies, inverse_inertia):
    """Violations and rows of the relations, from the coordinates `measured` at the pose of `motion`."""
    count = relations.offset.shape[0]
    first = table.body.shape[0] - count
    sides = table.body.shape[1]
    for k in range(count):
        r = table.row[first + k]
        g, size = -relations.offset[k], abs(relations.offset[k])
        for side in range(sides):
            for i in range(6):
                rows.G[r, side, i] = 0.0
        for t in range(relations.first[k], relations.first[k + 1]):
            c, ratio = relations.coordinate[t], relations.ratio[t]
            g += ratio * measured.value[c]
            size += abs(ratio) * (math.pi + abs(measured.value[c]))
            for end in range(2):
                for i in range(6):
                    rows.G[r, relations.side[t, end], i] += ratio * measured.G[c, end, i]
        if relations.frame[k] >= 0:
            g -= motion.x[relations.frame[k], 0]
            rows.G[r, relations.driven_side[k], 0] = -1.0
        measured.gap[k] = g
        rows.g[r] = 0.0 if relations.soft[k] or abs(g) <= ROUNDING * size else g
        for side in range(sides):
            b = table.body[first + k, side]
            J, m, G, MG = inverse_inertia[b], bodies.inverse_mass[b], rows.G[r, side], rows.MG[r, side]
            for i in range(3):
                MG[i] = m * G[i]
                MG[3 + i] = J[i, 0] * G[3] + J[i, 1] * G[4] + J[i, 2] * G[5]


@kernel
def rate_of(coordinates, table, measured, c, motion):
    """The rate of coordinate `c`, measured at the pose of `motion`, at its velocities."""
    rate = 0.0
    for side in range(2):
        b = table.body[coordinates.joint[c], side]
        for i in range(3):
            rate += measured.G[c, side, i] * motion.v[b, i] + measured.G[c, side, 3 + i] * motion.w[b, i]
    return rate


@kernel
def set_compliance(joints, of_position, of_velocity):
    """Compliances of soft relations: effects of a force on position and velocity, times the mass.

    True if there are any; S must then be factorised again.
    """
    relations, first = joints.relations, joints.table.body.shape[0] - joints.relations.offset.shape[0]
    any_soft = False
    for k in range(relations.offset.shape[0]):
        if relations.soft[k]:
            any_soft = True
            stiff = of_position * relations.stiffness[k] + of_velocity * relations.damping[k]
            joints.factor.compliance[joints.table.row[first + k]] = 1.0 / max(stiff, NO_TIME)
    return any_soft


@kernel
def soften(joints, step):
    """Replace rates `joints.c` (R,) of soft relations by those which their law asks the multipliers to take.

    A multiplier acts on velocities for a time `step` [s].
    """
    relations, first = joints.relations, joints.table.body.shape[0] - joints.relations.offset.shape[0]
    for k in range(relations.offset.shape[0]):
        if relations.soft[k]:
            r = joints.table.row[first + k]
            excess = relations.stiffness[k] * joints.measured.gap[k] + relations.damping[k] * joints.c[r]
            joints.c[r] = step * joints.factor.compliance[r] * (joints.multiplier[r] + excess)


@kernel
def yield_to(joints, h):
    """Rates `joints.c` (R,) of soft relations in the velocity correction: they follow the pose."""
    relations, first = joints.relations, joints.table.body.shape[0] - joints.relations.offset.shape[0]
    for k in range(relations.offset.shape[0]):
        if relations.soft[k]:
            r = joints.table.row[first + k]
            moved = joints.measured.gap[k] - joints.measured.smooth[k]
            joints.c[r] = h * relations.stiffness[k] * moved * joints.factor.compliance[r]


@kernel
def ignore_soft(joints):
    """Set `joints.c` (R,) of soft relations to 0."""
    relations, first = joints.relations, joints.table.body.shape[0] - joints.relations.offset.shape[0]
    for k in range(relations.offset.shape[0]):
        if relations.soft[k]:
            joints.c[joints.table.row[first + k]] = 0.0
