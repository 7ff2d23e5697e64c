"""Joints as the method sees them: two markers, and rows between them (nsgalpha/constraints/joint_rows.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Bodies, Flags, Floats, Ints
from nsgalpha.constraints.coordinate_loads import EffortTable
from nsgalpha.constraints.joint_coordinates import CoordinateRows, CoordinateTable, RelationTable
from nsgalpha.constraints.joint_factor import empty_factor
from nsgalpha.constraints.joint_pattern import components, numbers, pattern
from nsgalpha.constraints.joint_rows import JointRows, JointTable
from nsgalpha.constraints.jointed_response import Joints
from nsgalpha.contact.rows.marker_rows import ANGLE
from nsgalpha.model.contact_element import Friction, MarkerContact

if TYPE_CHECKING:
    from nsgalpha.model.handles import Body, Owner, Plane

Row = tuple[int, int, int]  # kind, axis of A, axis of B
Rubbing = tuple[Floats, Floats]  # `friction` and `speed` of Joints


@runtime_checkable
class Joint(Protocol):
    """Bilateral constraints between two markers, each a point and axes fixed to a body or frame."""

    name: str
    carriers: tuple[Body | Plane | None, Body | Plane | None]  # None is the ground
    points: Floats  # (2, 3) [m] in the frames of the carriers
    axes: Floats  # (2, 3, 3) unit vectors in these frames, a row each
    length: float  # of distances [m]
    contact: bool  # whether its two bodies have contact with each other

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


def with_relations(table: JointTable, bodies: Ints, ground: int) -> JointTable:
    """The `table`, and behind its joints one row for each relation, on its `bodies` (D, K)."""
    sides = max(2, bodies.shape[1])
    parts = [
        np.pad(each, ((0, 0), (0, sides - each.shape[1])), constant_values=ground)
        for each in (table.body, bodies)
    ]
    row = np.concatenate([table.row, table.row[-1] + 1 + np.arange(len(bodies))])
    return table._replace(body=np.concatenate(parts), row=row)


class Ties(NamedTuple):
    """Relations, loads and friction of the coordinates of joints."""

    coordinates: CoordinateTable
    relations: RelationTable
    efforts: EffortTable
    rubbing: Rubbing  # friction
    wound: Ints  # (W,) geometries that measure angles over whole turns


def joint_arrays(table: JointTable, moving: Flags, bodies: Bodies, count: int, ties: Ties) -> Joints:
    """Room for the joints of a `table` between the first `count` bodies; they move those `moving` (B,)."""
    joints, rows, size = len(table.point), int(table.row[-1]), len(moving)
    known, sides = len(ties.coordinates.joint), table.body.shape[1]
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
        np.zeros((rows, sides, 6)),
        np.zeros((rows, sides, 6)),
    )
    vectors = np.zeros((5, rows))
    acted = np.zeros((rows + known + len(ties.wound), 3))
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
        acted,
        ties.coordinates,
        ties.relations,
        ties.efforts,
        CoordinateRows(
            np.zeros(known),
            np.zeros((known, 2, 6)),
            np.zeros(known),
            *np.zeros((2, len(ties.relations.offset))),
        ),
        acted[rows : rows + known],
        components(table.body, moving),
        numbers(order, moving),
        lever,
        vectors[3],
        np.zeros((2, count, 6)),
        np.zeros((3, size, 6)),
        np.zeros((size, 6)),
        vectors[4],
        np.zeros((count, 6)),
        np.zeros((size, 3)),
        np.zeros((size, 4)),
        np.full((size, 7), np.nan),
        *ties.rubbing,
        ties.wound,
    )


def friction_table(frictions: Sequence[Friction | None], frames: Sequence[int]) -> Rubbing:
    """Arrays of the `frictions` of the laws (marker_rows.py); `frames` of those with one, else -1."""
    table, speeds = np.zeros((len(frictions), 6)), [np.empty((0, 2))]
    first = 0
    for row, given, frame in zip(table, frictions, frames, strict=True):
        if given is not None:
            speed = np.array(given.speed, float).reshape(-1, 2)
            row[:] = given.bound, given.part, given.joint, first, first + len(speed), frame
            speeds.append(speed)
            first += len(speed)
    return table, np.concatenate(speeds)


def angles_of(model: Owner) -> int:
    """How many angles the stops and the friction of joints remember, see State."""
    angles = {
        each.geometry
        for each in model.elements
        if isinstance(each, MarkerContact) and len(each.geometry.options) == ANGLE + 1
    }
    return len(angles)


def _levers(table: JointTable, bodies: Bodies) -> Floats:
    """Length (B,) [m] of each body: the radius of its surface, of its inertia, or to the furthest joint."""
    with np.errstate(invalid="ignore", divide="ignore"):
        gyration = np.sqrt(np.einsum("bii->b", bodies.inertia) / (2.0 * bodies.mass))
    lever = np.maximum(bodies.radius, np.where(np.isfinite(gyration), gyration, 0.0))
    np.maximum.at(lever, table.body[: len(table.point), :2], np.linalg.norm(table.point, axis=2))
    return lever
