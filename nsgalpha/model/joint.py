"""Joints as the method sees them: two markers, and rows between them (nsgalpha/joints/rows.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Bodies, Flags, Floats, Ints
from nsgalpha.joints.factor import empty_factor
from nsgalpha.joints.pattern import components, pattern
from nsgalpha.joints.response import Joints
from nsgalpha.joints.rows import JointRows, JointTable

if TYPE_CHECKING:
    from nsgalpha.model.handles import Body, Plane

Row = tuple[int, int, int]  # kind, axis of A, axis of B


@runtime_checkable
class Joint(Protocol):
    """Bilateral constraints between two markers, each a point and axes fixed to a body or frame."""

    name: str
    carriers: tuple[Body | Plane | None, Body | Plane | None]  # None is the ground
    points: Floats  # (2, 3) [m] in the frames of the carriers
    axes: Floats  # (2, 3, 3) unit vectors in these frames, a row each
    length: float  # of distances [m]

    @property
    def rows(self) -> Sequence[Row]:
        """Kinds of the rows, and the axes of A and B that they take."""

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that it refers to."""


def joint_table(joints: Sequence[Joint], bodies: Ints) -> JointTable:
    """The table of the `joints`; `bodies` (J, 2) are the numbers of their carriers."""
    rows = [row for joint in joints for row in joint.rows]
    count = [len(joint.rows) for joint in joints]
    return JointTable(
        bodies,
        np.cumsum([0, *count]),
        np.array([joint.points for joint in joints], float).reshape(-1, 2, 3),
        np.array([joint.axes for joint in joints], float).reshape(-1, 2, 3, 3),
        np.array([kind for kind, _, _ in rows], np.int64),
        np.array([axes for _, *axes in rows], np.int64).reshape(-1, 2),
        np.repeat([joint.length for joint in joints], count).astype(float),
    )


def joint_arrays(table: JointTable, moving: Flags, bodies: Bodies, count: int) -> Joints:
    """Room for the joints of a `table` between the first `count` bodies; they move those `moving` (B,)."""
    joints, rows, size = len(table.body), len(table.kind), len(moving)
    lever = _levers(table, bodies)[:count]
    ends = np.argwhere(moving[table.body]).reshape(-1, 2)
    body = table.body[ends[:, 0], ends[:, 1]]
    by_body = np.argsort(body, kind="stable")
    first = np.searchsorted(body[by_body], np.arange(size + 1))
    order = pattern(table.body, table.row, moving)
    measured = JointRows(
        np.zeros((joints, 2, 3)),
        np.zeros((joints, 2, 3, 3)),
        np.zeros(rows),
        np.zeros((rows, 2, 6)),
        np.zeros((rows, 2, 6)),
    )
    vectors = np.zeros((4, rows))
    return Joints(
        table,
        first,
        ends[by_body],
        measured,
        order,
        empty_factor(order, size),
        vectors[0],
        vectors[1],
        vectors[2],
        np.zeros((rows, 3)),
        components(table.body, moving),
        lever,
        vectors[3],
        np.zeros((2, count, 6)),
        np.zeros((3, size, 6)),
        np.zeros((size, 3)),
        np.zeros((size, 4)),
    )


def _levers(table: JointTable, bodies: Bodies) -> Floats:
    """Length (B,) [m] of each body: the radius of its surface, of its inertia, or to the furthest joint."""
    with np.errstate(invalid="ignore", divide="ignore"):
        gyration = np.sqrt(np.einsum("bii->b", bodies.inertia) / (2.0 * bodies.mass))
    lever = np.maximum(bodies.radius, np.where(np.isfinite(gyration), gyration, 0.0))
    np.maximum.at(lever, table.body, np.linalg.norm(table.point, axis=2))
    return lever
