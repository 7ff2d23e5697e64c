"""The answer of jointed bodies: `P = M^-1 - M^-1 G^T S^-1 G M^-1` in the place of M^-1, S = G M^-1 G^T.

Impulses and displacements of contacts pass through P: then G V stays as it is. What contacts see is the
operator `G_c P G_c^T`; in their problems joints have no rows (docs/design/joints.md). Where there are no
joints P is M^-1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import kernel, leaf, uncounted
from nsgalpha.joints.factor import Factor, factorise, solve, substitute
from nsgalpha.joints.pattern import Pattern
from nsgalpha.joints.redundancy import spread
from nsgalpha.joints.rows import JointRows, JointTable, measure_joints
from nsgalpha.pointers import contents


class Joints(NamedTuple):
    """The joints of a model, their rows at the pose measured last, and the factor of S there."""

    table: JointTable
    first: Ints  # (B + 1,) offsets into `end`, by bodies that move
    end: Ints  # (E, 2) joint, side
    rows: JointRows
    pattern: Pattern
    factor: Factor
    multiplier: Floats  # (R,) of the smooth motion [N, N m]
    impulse: Floats  # (R,) of the corrections [N s, N m s]
    struck: Floats  # (R,) of the impacts
    acted: Floats  # (R, 3) over the last step: multiplier, reaction [N, N m], impulse of impacts; see State
    mechanism: Ints  # (B,) the same number for bodies that joints connect
    lever: Floats  # (N,) of the bodies [m]
    c: Floats  # (R,) room
    wrench: Floats  # (2, N, 6) room
    twist: Floats  # (3, B, 6) room
    x: Floats  # (B, 3) room for a pose
    q: Floats  # (B, 4)


@leaf
def mechanism_of(bodies, b):
    """A number that body `b` shares with those that joints connect it with."""
    return contents(bodies.joints).mechanism[b] if bodies.jointed else b


@leaf
def factorise_joints(handle):
    """Factorise S at the rows that were measured last."""
    joints = contents(handle)
    factorise(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor)


@leaf
def measure_and_factorise(handle, motion, bodies, inverse_inertia):
    """Rows at the pose of `motion`, and S there."""
    joints = contents(handle)
    measure_joints(joints.table, joints.rows, motion, bodies, inverse_inertia)
    factorise_joints(handle)


@leaf
def solve_roughly(handle, x):
    """`x <- S^-1 x` (R,) with the S that was factorised last, which may be that of a pose nearby."""
    joints = contents(handle)
    for m in range(joints.factor.missing.shape[0]):
        substitute(joints.pattern, joints.factor, m, x)


@leaf
def solve_joints(handle, x):
    """`x <- S^-1 x` (R,)."""
    joints = contents(handle)
    solve(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor, x)


@leaf
def are_redundant(handle):
    """True if rows of the joints depend on others."""
    joints = contents(handle)
    found = False
    for m in range(joints.factor.missing.shape[0]):
        found = found or joints.factor.missing[m] > 0
    return found


@leaf
def spread_joints(handle, x):
    """Replace multipliers `x` (R,) by the smallest that do the same, for the rows that were factorised."""
    joints = contents(handle)
    spread(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor, x)


@leaf
def gather_joints(handle, V, out):
    """`out = G V` (R,) of velocities or displacements `V` (B, 6)."""
    joints = contents(handle)
    body, row, G = joints.table.body, joints.table.row, joints.rows.G
    for j in range(body.shape[0]):
        a, b = body[j, 0], body[j, 1]
        for r in range(row[j], row[j + 1]):
            total = 0.0
            for i in range(6):
                total += G[r, 0, i] * V[a, i] + G[r, 1, i] * V[b, i]
            out[r] = total


@leaf
def scatter_joints(handle, factor, multiplier, V):
    """`V += factor M^-1 G^T multiplier` (B, 6)."""
    joints = contents(handle)
    body, row, MG = joints.table.body, joints.table.row, joints.rows.MG
    for j in range(body.shape[0]):
        for side in range(2):
            b = body[j, side]
            for r in range(row[j], row[j + 1]):
                for i in range(6):
                    V[b, i] += factor * MG[r, side, i] * multiplier[r]


@leaf
def add_wrenches(handle, factor, multiplier, wrench):
    """`wrench += factor G^T multiplier` (N, 6), of the bodies; frames feel nothing."""
    joints = contents(handle)
    body, row, G = joints.table.body, joints.table.row, joints.rows.G
    for j in range(body.shape[0]):
        for side in range(2):
            b = body[j, side]
            if b < wrench.shape[0]:
                for r in range(row[j], row[j + 1]):
                    for i in range(6):
                        wrench[b, i] += factor * G[r, side, i] * multiplier[r]


@uncounted
def hold(handle, V):
    """`V <- V - M^-1 G^T S^-1 G V`: of the `V` (B, 6) what joints let through; `joints.c` is S^-1 G V."""
    joints = contents(handle)
    gather_joints(handle, V, joints.c)
    solve_joints(handle, joints.c)
    scatter_joints(handle, -1.0, joints.c, V)


@uncounted
def begin_joints(handle):
    """Begin a step with the multipliers of the last one."""
    joints = contents(handle)
    for r in range(joints.multiplier.shape[0]):
        joints.multiplier[r] = joints.acted[r, 0]
        joints.impulse[r] = joints.struck[r] = 0.0


@uncounted
def accept_joints(handle, h):
    """Keep what the joints have done in the step of `h` that is accepted."""
    joints = contents(handle)
    for r in range(joints.multiplier.shape[0]):
        joints.acted[r, 0] = joints.multiplier[r]
        joints.acted[r, 1] = joints.multiplier[r] + joints.impulse[r] / h
        joints.acted[r, 2] = joints.struck[r]


@uncounted
def admit(tied, V):
    """Leave of `V` (B, 6), a change of velocities, what joints admit, those of `tied`: bodies or rows."""
    if tied.jointed:
        hold(tied.joints, V)


@uncounted
def hold_motion(handle, motion):
    """Project the velocities of `motion` onto G V = 0; `joints.impulse` changes by what that takes."""
    joints = contents(handle)
    V = joints.twist[0]
    for b in range(V.shape[0]):
        for i in range(3):
            V[b, i] = motion.v[b, i]
            V[b, 3 + i] = motion.w[b, i]
    hold(handle, V)
    for b in range(joints.lever.shape[0]):
        for i in range(3):
            motion.v[b, i] = V[b, i]
            motion.w[b, i] = V[b, 3 + i]
    for r in range(joints.c.shape[0]):
        joints.impulse[r] -= joints.c[r]


@kernel
def hold_operator(handle, body, row, MG, contacts, start, W):
    """Subtract `Z^T S^-1 Z`, Z = G M^-1 G_c^T, from the operator `W` (n, n) of the `contacts` (K,).

    `body` (., 2), `row`, `MG` are those of all contacts; `start` (K + 1,) are offsets into W.
    """
    joints = contents(handle)
    n, total = W.shape[0], joints.c.shape[0]
    Z, y = np.zeros((n, total)), np.empty(total)
    for k in range(contacts.shape[0]):
        for side in range(2):
            b = body[contacts[k], side]
            for e in range(joints.first[b], joints.first[b + 1]):
                j, other = joints.end[e, 0], joints.end[e, 1]
                for r in range(joints.table.row[j], joints.table.row[j + 1]):
                    for i in range(start[k], start[k + 1]):
                        c = row[contacts[k]] + i - start[k]
                        for d in range(6):
                            Z[i, r] += joints.rows.G[r, other, d] * MG[c, side, d]
    for i in range(n):
        for r in range(total):
            y[r] = Z[i, r]
        solve_joints(handle, y)
        for j in range(n):
            for r in range(total):
                W[i, j] -= Z[j, r] * y[r]
