"""Elements of the rows of bodies: contacts, bounds, and the joints of the same mechanisms.

The paper takes one characteristic mass for k and p. Here rows of forces take the mean mass of the bodies that
move, and rows of torques their mean moment of inertia, so that p has the unit of the row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Bodies, Floats, Ints
from nsgalpha.constraints.jointed_response import Joints
from nsgalpha.constraints.saddle_point import movable
from nsgalpha.contact.augmented_lagrangian.contact_elements import Elements
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import (
    MAX_ITERATIONS,
    Judgement,
    LagrangianSystem,
    Newton,
)
from nsgalpha.contact.multiplier_sets import FREE
from nsgalpha.contact.rows.contact_kinematics import Rows


class BodySystem:
    """The system of the contacts of `rows`, of their bodies, and of the joints that hold these.

    `inverse_inertia` (B, 3, 3) is inertial. The rows of the contacts come first.
    """

    def __init__(self, bodies: Bodies, inverse_inertia: Floats, rows: Rows) -> None:
        joints: Joints | None = bodies.joints
        joined = _joined(joints, rows)
        of_joints = [joints.table.body[joined]] if joints is not None else []
        moves = movable(bodies)
        touched = np.unique(np.concatenate([rows.body.ravel(), *(each.ravel() for each in of_joints)]))
        self.bodies = touched[moves[touched].any(axis=1)]
        dof = np.full((len(bodies.mass), 6), -1)
        free = moves[self.bodies] > 0.0
        numbers = np.full(free.shape, -1)
        numbers[free] = np.arange(np.count_nonzero(free))
        dof[self.bodies] = numbers
        mass, self._inertia = bodies.mass[self.bodies], _inertia(inverse_inertia[self.bodies])
        import os
        mode=os.environ.get("PM","mean"); f=float(os.environ.get("PF","1"))
        self._scale = float(mass.mean())*f, float(np.einsum("bii->bi", self._inertia).mean())*f
        if mode=="W":
            force = rows.G[:, :, :3].any(axis=(1, 2))
            own = (rows.G*rows.MG).sum(axis=(1,2))
            self._scale = tuple(f/float(own[w].mean()) if w.any() else 1.0 for w in (force,~force))
        groups = [*self._contacts(rows, dof)]
        if joints is not None and len(joined):
            groups += self._joints(joints, joined, dof, len(rows.G))
        self.system = LagrangianSystem(_mass_matrix(mass, self._inertia, numbers), groups)

    def newton(self, b: Floats, r: Floats, judge: Judgement, most: int = MAX_ITERATIONS) -> Newton:
        """Newton's method for the contacts, with the gaps `b` (R,) without them, from the impulses `r` (R,).

        Joints hold without contacts. The end has the impulses of the contacts alone.
        """
        behind = np.zeros(self.system.size[1] - len(b))
        end = self.system.newton(np.append(b, behind), np.append(r, behind), judge, most)
        return end._replace(r=end.r[: len(b)])

    def _contacts(self, rows: Rows, dof: Ints) -> Iterator[Elements]:
        kinds: dict[tuple[tuple[int, int, int], ...], list[int]] = {}
        for k in range(len(rows.body)):
            kinds.setdefault(_local_sets(rows, k), []).append(k)
        for sets, contacts in kinds.items():
            n = sum(size for _, size, _ in sets)
            row = rows.row[contacts][:, None] + np.arange(n)
            radius = rows.set_radius[rows.sets[contacts][:, None] + np.arange(len(sets))]
            yield self._elements(dof[rows.body[contacts]], row, rows.G[row], sets, radius, np.zeros(row.shape))

    def _joints(self, joints: Joints, joined: Ints, dof: Ints, first: int) -> Iterator[Elements]:
        """Elements of the rows that do not depend on others."""
        table, kept = joints.table, joints.factor.pivot > 0.0
        for j in joined:
            rows = np.flatnonzero(kept[table.row[j] : table.row[j + 1]]) + table.row[j]
            if len(rows):
                n, c = len(rows), joints.factor.compliance[rows]
                own = first + np.arange(n)
                first += n
                sets = ((0, n, FREE),)
                G = joints.rows.G[rows]
                yield self._elements(dof[table.body[j]][None], own[None], G[None], sets, np.zeros((1, 1)), c[None])

    def _elements(
        self, dof: Ints, row: Ints, G: Floats, sets: tuple[tuple[int, int, int], ...], radius: Floats, c: Floats
    ) -> Elements:
        """`dof` (E, S, 6) of the bodies, `G` (E, n, S, 6)."""
        count, n = row.shape
        force = G[:, :, :, :3].any(axis=(2, 3))
        scale = np.where(force, *self._scale)
        dof, G = dof.reshape(count, -1), G.reshape(count, n, -1)
        return Elements(dof, row, G * (dof[:, None, :] >= 0), sets, radius, scale, scale, c)


def _joined(joints: Joints | None, rows: Rows) -> Ints:
    """Joints of the mechanisms that have contacts."""
    if joints is None:
        return np.empty(0, np.int64)
    mine = np.unique(joints.number[rows.body])
    return np.flatnonzero(np.isin(joints.number[joints.table.body], mine[mine >= 0]).any(axis=1))


def _local_sets(rows: Rows, k: int) -> tuple[tuple[int, int, int], ...]:
    """Sets of contact `k`, rows counted within it."""
    first, own = rows.row[k], slice(rows.sets[k], rows.sets[k + 1])
    parent = rows.set_parent[own]
    local = np.where(parent >= 0, parent - first, parent)
    return tuple(zip((rows.set_row[own] - first).tolist(), rows.set_size[own].tolist(), local.tolist(), strict=True))


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
    i, j = np.broadcast_arrays(dof[:, :, None], dof[:, None, :])
    there = (i >= 0) & (j >= 0) & (blocks != 0.0)
    size = int(dof.max(initial=-1)) + 1
    return sparse.coo_array((blocks[there], (i[there], j[there])), shape=(size, size))
