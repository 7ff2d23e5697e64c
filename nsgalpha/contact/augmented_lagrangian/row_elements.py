"""Elements of the rows of bodies: contacts, bounds, and the joints of the same mechanisms.

The paper takes one characteristic mass for k and p. Here it is `penalty` times the mean mass of the bodies
that move. Rows of torques take their mean moment of inertia instead, so that p has the unit of the row. The
means are harmonic ones, because contacts feel inverse masses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Bodies, Floats, Ints
from nsgalpha.constraints.jointed_response import Joints
from nsgalpha.constraints.saddle_point import movable
from nsgalpha.contact.augmented_lagrangian.contact_elements import Elements, Kind
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import Judgement, LagrangianSystem, Newton
from nsgalpha.contact.multiplier_sets import FREE
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.linalg import SingularMatrixError


class BodySystem:
    """The system of the contacts of `rows`, their bodies, and the joints of these.

    Without `rows` it has all joints and their bodies. `inverse_inertia` (B, 3, 3) is inertial, `penalty` as
    above. The rows of the contacts come first.
    """

    def __init__(self, bodies: Bodies, inverse_inertia: Floats, rows: Rows | None, penalty: float) -> None:
        joints: Joints | None = bodies.joints
        joined = _joined(joints, rows)
        touched = [] if rows is None else [rows.body.ravel()]
        if joints is not None:
            touched.append(joints.table.body[joined].ravel())
        moves = movable(bodies) > 0.0
        self.bodies = np.unique(np.concatenate(touched))
        self.bodies = self.bodies[moves[self.bodies].any(axis=1)]
        self._dof = np.full((len(bodies.mass), 6), -1)
        free = moves & np.isin(np.arange(len(moves)), self.bodies)[:, None]
        self._dof[free] = np.arange(np.count_nonzero(free))
        mass, inertia = bodies.mass[self.bodies], _inertia(inverse_inertia[self.bodies])
        turning = np.einsum("bii->bi", inertia)
        self._scale = penalty * _harmonic(mass), penalty * _harmonic(turning[turning > 0.0])
        groups = [] if rows is None else [*self._contacts(rows)]
        self._contact_rows = 0 if rows is None else len(rows.G)
        self.joint_rows = np.empty(0, np.int64)
        if joints is not None:
            groups += self._joints(joints, joined)
        self.system = LagrangianSystem(_mass_matrix(mass, inertia, self._dof[self.bodies]), groups)

    def newton(self, b: Floats, r: Floats, judge: Judgement) -> Newton:
        """Newton's method for the contacts, with the gaps `b` (R,) without them, from the impulses `r` (R,).

        Joints hold without contacts. The end has the impulses of the contacts alone.
        """
        behind = np.zeros(len(self.joint_rows))
        end = self.system.newton(np.append(b, behind), np.append(r, behind), judge)
        return end._replace(r=end.r[: self._contact_rows])

    def hold(self, c: Floats) -> tuple[Floats, Floats]:
        """Motion (B, 6) and impulses (R,) of joints that open by `c` (R,) without them; there is no contact.

        Raises linalg.SingularMatrixError.
        """
        end = self.system.newton(
            c[self.joint_rows], np.zeros(len(self.joint_rows)), lambda *_: (0.0, -1, True)
        )
        if not end.solved:
            raise SingularMatrixError("the joints' rows depend on each other")
        V, r = np.zeros(self._dof.shape), np.zeros(len(c))
        V[self._dof >= 0], r[self.joint_rows] = end.V, end.r
        return V, r

    def _contacts(self, rows: Rows) -> Iterator[Elements]:
        kinds: dict[Kind, list[int]] = {}
        for k in range(len(rows.body)):
            kinds.setdefault(_local_sets(rows, k), []).append(k)
        for sets, contacts in kinds.items():
            row = rows.row[contacts][:, None] + np.arange(sum(size for _, size, _ in sets))
            radius = rows.set_radius[rows.sets[contacts][:, None] + np.arange(len(sets))]
            yield self._elements(rows.body[contacts], row, rows.G[row], sets, radius, np.zeros(row.shape))

    def _joints(self, joints: Joints, joined: Ints) -> Iterator[Elements]:
        """Elements of the rows that do not depend on others; notes them in `joint_rows`."""
        table, kept = joints.table, joints.factor.pivot > 0.0
        for j in joined:
            rows = np.flatnonzero(kept[table.row[j] : table.row[j + 1]]) + table.row[j]
            if len(rows):
                own = self._contact_rows + len(self.joint_rows) + np.arange(len(rows))
                self.joint_rows = np.append(self.joint_rows, rows)
                sets, compliance = ((0, len(rows), FREE),), joints.factor.compliance[rows]
                of = joints.rows.G[None, rows], sets, np.zeros((1, 1)), compliance[None]
                yield self._elements(table.body[None, j], own[None], *of)

    def _elements(
        self, body: Ints, row: Ints, G: Floats, sets: Kind, radius: Floats, compliance: Floats
    ) -> Elements:
        """Elements of the bodies (E, S), with rows `G` (E, n, S, 6)."""
        count, n = row.shape
        scale = np.where(G[:, :, :, :3].any(axis=(2, 3)), *self._scale)
        dof, G = self._dof[body].reshape(count, -1), G.reshape(count, n, -1)
        return Elements(dof, row, G * (dof[:, None, :] >= 0), sets, radius, scale, scale, compliance)


def _harmonic(values: Floats) -> float:
    """Harmonic mean of `values` (n,), 1 of none."""
    return float(1.0 / np.mean(1.0 / values)) if len(values) else 1.0


def _joined(joints: Joints | None, rows: Rows | None) -> Ints:
    """Joints of the mechanisms that have contacts, or of all."""
    if joints is None:
        return np.empty(0, np.int64)
    if rows is None:
        return np.arange(len(joints.table.body))
    mine = np.unique(joints.number[rows.body])
    return np.flatnonzero(np.isin(joints.number[joints.table.body], mine[mine >= 0]).any(axis=1))


def _local_sets(rows: Rows, k: int) -> Kind:
    """Sets of contact `k`, rows counted within it."""
    first, own = rows.row[k], slice(rows.sets[k], rows.sets[k + 1])
    parent = rows.set_parent[own]
    local = np.where(parent >= 0, parent - first, parent)
    columns = rows.set_row[own] - first, rows.set_size[own], local
    return tuple(map(tuple, np.stack(columns, axis=1).tolist()))


def _inertia(inverse: Floats) -> Floats:
    """Inertia tensors (N, 3, 3) of their inverses; of points 0."""
    inertia, turns = np.zeros_like(inverse), np.einsum("bii->b", inverse) > 0.0
    inertia[turns] = np.linalg.inv(inverse[turns])
    return inertia


def _mass_matrix(mass: Floats, inertia: Floats, dof: Ints) -> sparse.coo_array:
    """M of the velocities `dof` (N, 6)."""
    blocks = np.zeros((len(mass), 6, 6))
    for i in range(3):
        blocks[:, i, i] = mass
    blocks[:, 3:, 3:] = inertia
    row, column = np.broadcast_arrays(dof[:, :, None], dof[:, None, :])
    there = (row >= 0) & (column >= 0) & (blocks != 0.0)
    size = int(dof.max(initial=-1)) + 1
    return sparse.coo_array((blocks[there], (row[there], column[there])), shape=(size, size))
