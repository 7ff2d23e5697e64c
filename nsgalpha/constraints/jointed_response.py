"""The answer of jointed bodies: `P = M^-1 - M^-1 G^T S^-1 G M^-1` in the place of M^-1, S = G M^-1 G^T.

Impulses and displacements of contacts pass through P: then G V stays as it is. Contacts see the operator `G_c
P G_c^T`; in their problems joints have no rows (docs/design/joints.md). Where there are no joints P is M^-1.
"""

from __future__ import annotations

from typing import NamedTuple

from nsgalpha.arrays import Floats, Ints
from nsgalpha.constraints.coordinate_loads import EffortTable, efforts
from nsgalpha.constraints.joint_coordinates import (
    CoordinateRows,
    CoordinateTable,
    RelationTable,
    ignore_soft,
    measure_coordinates,
    measure_relations,
    rate_of,
    yield_to,
)
from nsgalpha.constraints.joint_factor import Factor, factorise, index, solve, solve_mechanism, substitute
from nsgalpha.constraints.joint_pattern import Pattern
from nsgalpha.constraints.joint_redundancy import spread
from nsgalpha.constraints.joint_rows import JointRows, JointTable, measure_joints
from nsgalpha.geometry.twists import more, more_rate, rate, scaled, set_twist, twist
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import fill

SINGULAR = 1e-6  # pivot of a row below which joints are near a singular position


class Joints(NamedTuple):
    """The joints of a model, their rows at the last pose, and the factor of S."""

    table: JointTable
    first: Ints  # (B + 1,) offsets into `end`, by bodies that move
    end: Ints  # (E, 2) joint, side
    rows: JointRows
    pattern: Pattern
    factor: Factor
    multiplier: Floats  # (R,) of the smooth motion [N, N m]
    impulse: Floats  # (R,) of the corrections [N s, N m s]
    struck: Floats  # (R,) of the impacts
    #: (R + C + W, 3) over the last step: multiplier, reaction [N, N m], impulse of impacts. Behind them are
    #: coordinates, `last`, and angles of stops that continue over whole turns, in the first column; see State
    acted: Floats
    coordinates: CoordinateTable
    relations: RelationTable
    efforts: EffortTable
    measured: CoordinateRows
    last: Floats  # (C, 3) of the last accepted state: value, rate, load
    mechanism: Ints  # (B,) the same number for bodies that joints connect
    number: Ints  # (B,) of the mechanism of a body in the pattern; -1: it cannot move, or has no joints
    lever: Floats  # (N,) of the bodies [m]
    c: Floats  # (R,) workspace
    wrench: Floats  # (2, N, 6) workspace
    twist: Floats  # (3, B, 6) workspace
    rubbed: Floats  # (B, 6) displacements by friction in joints with which this step began
    answer: Floats  # (R,) to the contacts in the last step [N, N m], without that to friction in joints,
    answered: Floats  # (N, 6) and its wrenches where this step began
    x: Floats  # (B, 3) workspace for a pose
    q: Floats  # (B, 4)
    at: Floats  # (B, 7) the pose at which rows were measured last
    friction: Floats  # (L, 6) of the laws that are friction in joints (contact/rows/marker_rows.py)
    speed: Floats  # (K, 2) times [s], rates that motors want [m/s, rad/s]
    wound: Ints  # (W,) geometries that measure angles


@kernel
def has_joints(joints):
    """True if a model has joints; `joints` is `Bodies.joints`, in all functions here None for no joints."""
    return joints is not None


@kernel
def mechanism_of(joints, b):
    """A number that body `b` shares with those that `joints` connect it with."""
    if joints is None:
        return b
    return joints.mechanism[b]


@kernel
def factorise_joints(joints):
    """Factorise S at the rows that were measured last."""
    factorise(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor)


@kernel
def measure_rows(joints, motion, bodies, inverse_inertia):
    """Violations and rows of joints and relations at the pose of `motion`."""
    at = joints.at
    for b in range(at.shape[0]):
        for i in range(3):
            at[b, i] = motion.x[b, i]
        for i in range(4):
            at[b, 3 + i] = motion.q[b, i]
    measure_joints(joints.table, joints.rows, motion, bodies, inverse_inertia)
    if joints.relations.offset.shape[0] > 0:
        measure_coordinates(
            joints.coordinates, joints.table, joints.rows, joints.measured, joints.last, motion
        )
        measure_relations(
            joints.relations, joints.table, joints.rows, joints.measured, motion, bodies, inverse_inertia
        )


@kernel
def are_measured(joints, motion):
    """True if the wrenches of the rows belong to the pose of `motion`, to the bit."""
    at = joints.at
    same = True
    for b in range(at.shape[0]):
        for i in range(3):
            same = same and at[b, i] == motion.x[b, i]
        for i in range(4):
            same = same and at[b, 3 + i] == motion.q[b, i]
    return same


@kernel
def measure_and_factorise(joints, motion, bodies, inverse_inertia):
    """Rows at the pose of `motion`, and S there."""
    measure_rows(joints, motion, bodies, inverse_inertia)
    factorise_joints(joints)


@kernel
def solve_roughly(joints, x):
    """`x <- S^-1 x` (R,) with the S that was factorised last, which may be that of a pose nearby."""
    for m in range(joints.factor.missing.shape[0]):
        substitute(joints.pattern, joints.factor, m, x)


@kernel
def solve_joints(joints, x):
    """`x <- S^-1 x` (R,)."""
    solve(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor, x)


@kernel
def are_redundant(joints):
    """True if rows of the joints depend on others."""
    found = False
    for m in range(joints.factor.missing.shape[0]):
        found = found or joints.factor.missing[m] > 0
    return found


@kernel
def spread_joints(joints, x):
    """Replace multipliers `x` (R,) by the smallest that do the same, for the rows that were factorised."""
    spread(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor, x)


@kernel
def gather_joints(joints, V, out):
    """`out = G V` (R,) of velocities or displacements `V` (B, 6)."""
    body, row, G = joints.table.body, joints.table.row, joints.rows.G
    for j in range(body.shape[0]):
        A, B = V[body[j, 0]], V[body[j, 1]]
        for r in range(row[j], row[j + 1]):
            total = rate(G[index(r)], A, B)
            for side in range(2, body.shape[1]):
                total = more_rate(total, G[index(r), side], V[body[j, side]])
            out[index(r)] = total


@kernel
def scatter_joints(joints, factor, multiplier, V):
    """`V += factor M^-1 G^T multiplier` (B, 6)."""
    _scatter(joints.table, joints.rows.MG, factor, multiplier, V)


@kernel
def add_wrenches(joints, factor, multiplier, wrench):
    """`wrench += factor G^T multiplier` (N, 6), of the bodies; frames feel nothing."""
    _scatter(joints.table, joints.rows.G, factor, multiplier, wrench)


@kernel
def _scatter(table, G, factor, multiplier, out):
    body, row = table.body, table.row
    for j in range(body.shape[0]):
        for side in range(body.shape[1]):
            b = body[j, side]
            if b < out.shape[0]:
                total = twist(out[b])
                for r in range(row[j], row[j + 1]):
                    total = more(total, multiplier[index(r)], scaled(factor, G[index(r), side]))
                set_twist(out[b], total)


@kernel
def _take(joints, V):
    """`V <- V - M^-1 G^T S^-1 c`, and `joints.c` <- S^-1 c."""
    solve_joints(joints, joints.c)
    scatter_joints(joints, -1.0, joints.c, V)


@kernel
def project_onto_joints(joints, V):
    """`V <- V - M^-1 G^T S^-1 G V`: projection of `V` (B, 6) onto the joints; `joints.c` is S^-1 G V."""
    gather_joints(joints, V, joints.c)
    _take(joints, V)


@kernel
def project_velocities_onto_joints(joints, V):
    """As `project_onto_joints`, for whole velocities `V` (B, 6): soft rows do not act on them."""
    gather_joints(joints, V, joints.c)
    ignore_soft(joints)
    _take(joints, V)


@kernel
def begin_joints(joints):
    """Begin a step with the multipliers of the last one."""
    if joints is None:
        return
    for r in range(joints.multiplier.shape[0]):
        joints.multiplier[r] = joints.acted[r, 0]
        joints.impulse[r] = joints.struck[r] = 0.0


@kernel
def note_coordinates(joints, motion):
    """Keep the coordinates of `motion`, which is accepted."""
    coordinates, last = joints.coordinates, joints.last
    measure_coordinates(coordinates, joints.table, joints.rows, joints.measured, last, motion)
    efforts(joints.efforts, joints.measured, motion)
    for c in range(last.shape[0]):
        last[c, 0] = joints.measured.value[c]
        last[c, 1] = rate_of(coordinates, joints.table, joints.measured, c, motion)
        last[c, 2] = joints.measured.effort[c]


@kernel
def recall_answers(joints):
    """Keep the joints' answers to the corrections of the last step, with its final rows."""
    answer = joints.answer
    for r in range(answer.shape[0]):
        answer[r] = joints.acted[r, 1] - joints.acted[r, 0]
    fill(joints.answered, 0.0)
    add_wrenches(joints, 1.0, answer, joints.answered)


@kernel
def accept_joints(joints, h, motion):
    """Keep the multipliers of the joints in the accepted step of `h`, ending with `motion`.

    Returns the smallest pivot of their rows if it is below SINGULAR, else 0.
    """
    if joints is None:
        return 0.0
    if joints.last.shape[0] > 0:
        note_coordinates(joints, motion)
    for r in range(joints.multiplier.shape[0]):
        joints.acted[r, 0] = joints.multiplier[r]
        joints.acted[r, 1] = joints.multiplier[r] + joints.impulse[r] / h
        joints.acted[r, 2] = joints.struck[r]
    nearest = joints.factor.nearest[0]
    return nearest if nearest < SINGULAR else 0.0


@kernel
def project_velocities(joints, V):
    """Project `V` (B, 6), a change of velocities, onto the null space of `joints`."""
    if joints is not None:
        project_onto_joints(joints, V)


@kernel
def project_impulses(joints, V):
    """Project `V` (B, 6), a change of velocities by impulses; `joints.impulse` takes the reactions."""
    if joints is None:
        return
    project_onto_joints(joints, V)
    for r in range(joints.c.shape[0]):
        joints.impulse[r] -= joints.c[r]


@kernel
def project_motion(joints, motion, h):
    """Project the velocities of `motion` onto G V = 0; `joints.impulse` takes the impulses.

    Soft rows follow over the step `h` the change of the pose since the smooth motion.
    """
    V = joints.twist[0]
    for b in range(V.shape[0]):
        for i in range(3):
            V[b, i] = motion.v[b, i]
            V[b, 3 + i] = motion.w[b, i]
    gather_joints(joints, V, joints.c)
    yield_to(joints, h)
    _take(joints, V)
    for b in range(joints.lever.shape[0]):
        for i in range(3):
            motion.v[b, i] = V[b, i]
            motion.w[b, i] = V[b, 3 + i]
    for r in range(joints.c.shape[0]):
        joints.impulse[r] -= joints.c[r]


@kernel
def _gather_mechanism(joints, m, V):
    """`joints.c = G V` in the rows of mechanism `m`."""
    pattern, G = joints.pattern, joints.rows.G
    for k in range(pattern.mechanism[m], pattern.mechanism[m + 1]):
        for r in range(pattern.row[k], pattern.row[k] + pattern.size[k]):
            total = 0.0
            for side in range(pattern.body.shape[1]):
                total = more_rate(total, G[index(r), side], V[pattern.body[k, side]])
            joints.c[index(r)] = total


@kernel
def _scatter_mechanism(joints, m, factor, V):
    """`V += factor M^-1 G^T joints.c` of the rows of mechanism `m`."""
    pattern, MG = joints.pattern, joints.rows.MG
    for k in range(pattern.mechanism[m], pattern.mechanism[m + 1]):
        for side in range(pattern.body.shape[1]):
            b = pattern.body[k, side]
            total = twist(V[b])
            for r in range(pattern.row[k], pattern.row[k] + pattern.size[k]):
                total = more(total, joints.c[index(r)], scaled(factor, MG[index(r), side]))
            set_twist(V[b], total)


@kernel
def clear_mechanism(joints, m, V):
    """`V = 0` on the bodies of mechanism `m`."""
    pattern = joints.pattern
    for k in range(pattern.mechanism[m], pattern.mechanism[m + 1]):
        for side in range(pattern.body.shape[1]):
            for i in range(6):
                V[pattern.body[k, side], i] = 0.0


@kernel
def _solve_mechanism(joints, m):
    """`joints.c <- S^-1 joints.c` in the rows of mechanism `m`."""
    solve_mechanism(joints.pattern, joints.rows.G, joints.rows.MG, joints.factor, m, joints.c)


@kernel
def project_onto_mechanism(joints, m, V):
    """`project_onto_joints` on the bodies of mechanism `m` alone."""
    _gather_mechanism(joints, m, V)
    _solve_mechanism(joints, m)
    _scatter_mechanism(joints, m, -1.0, V)
