"""Arrays of the joints, drives and friction of a model, as kernels read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Bodies, Flags, Floats, Ints
from nsgalpha.constraints.coordinate_loads import EffortTable
from nsgalpha.constraints.joint_coordinates import CoordinateRows, CoordinateTable, RelationTable
from nsgalpha.constraints.joint_factor import empty_factor
from nsgalpha.constraints.joint_pattern import components, numbers, pattern
from nsgalpha.constraints.joint_rows import JointTable, no_joint_rows
from nsgalpha.constraints.jointed_response import Joints
from nsgalpha.model.contact_element import Friction
from nsgalpha.model.coordinate_relations import CoordinateLoad, Coordinates, Drive, constant_of, is_soft
from nsgalpha.model.joint_interface import Joint

Rubbing = tuple[Floats, Floats]  # `friction` and `speed` of Joints


def joint_table(joints: Sequence[Joint], bodies: Ints) -> JointTable:
    """The table of the `joints`; `bodies` (J, 2) are the numbers of their carriers."""
    rows = [row for joint in joints for row in joint.rows]
    count = [len(joint.rows) for joint in joints]
    points = np.array([joint.points for joint in joints], float).reshape(-1, 2, 3)
    axes = np.array([joint.axes for joint in joints], float).reshape(-1, 2, 3, 3)
    kind = np.array([kind for kind, _, _ in rows], np.int64)
    of_row = np.array([axes for _, *axes in rows], np.int64).reshape(-1, 2)
    length = np.repeat([joint.length for joint in joints], count).astype(float)
    return JointTable(bodies, np.cumsum([0, *count]), points, axes, kind, of_row, length)


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


def joint_arrays(
    table: JointTable, moving: Flags, bodies: Bodies, count: int, ties: Ties, rest: int = 0
) -> Joints:
    """Joints of a `table` between the first `count` bodies; they move the bodies `moving` (B,).

    Behind their rows of a state are the `rest`, of others.
    """
    joints, rows, size = len(table.point), int(table.row[-1]), len(moving)
    known, sides = len(ties.coordinates.joint), table.body.shape[1]
    lever = _levers(table, bodies)[:count]
    ends = np.argwhere(moving[table.body]).reshape(-1, 2)
    body = table.body[ends[:, 0], ends[:, 1]]
    by_body = np.argsort(body, kind="stable")
    first = np.searchsorted(body[by_body], np.arange(size + 1))
    order = pattern(table.body, table.row, moving)
    measured = no_joint_rows(joints, rows, sides)
    vectors = np.zeros((5, rows))
    acted = np.zeros((rows + known + len(ties.wound) + rest, 3))
    of_relations = np.zeros((2, len(ties.relations.offset)))
    coordinates = CoordinateRows(np.zeros(known), np.zeros((known, 2, 6)), np.zeros(known), *of_relations)
    tables = table, first, ends[by_body], measured, order, empty_factor(order, size)
    tied = ties.coordinates, ties.relations, ties.efforts, coordinates, acted[rows : rows + known]
    of_bodies = components(table.body, moving), numbers(order, moving), lever
    work = vectors[3], np.zeros((2, count, 6)), np.zeros((3, size, 6))
    friction = np.zeros((size, 6)), vectors[4], np.zeros((count, 6))
    pose = np.zeros((size, 3)), np.zeros((size, 4)), np.full((size, 7), np.nan)
    loads = vectors[0], vectors[1], vectors[2], acted
    values = *tables, *loads, *tied, *of_bodies, *work, *friction, *pose, *ties.rubbing, ties.wound
    return Joints(*values)


def friction_table(frictions: Sequence[Friction | None], frames: Sequence[int]) -> Rubbing:
    """Arrays of the `frictions` of the laws, see stepping/marker_rows.py; `frames` of those with one, else
    -1.
    """
    table, speeds = np.zeros((len(frictions), 6)), [np.empty((0, 2))]
    first = 0
    for row, given, frame in zip(table, frictions, frames, strict=True):
        if given is not None:
            speed = np.array(given.speed, float).reshape(-1, 2)
            row[:] = given.bound, given.part, given.joint, first, first + len(speed), frame
            speeds.append(speed)
            first += len(speed)
    return table, np.concatenate(speeds)


def _levers(table: JointTable, bodies: Bodies) -> Floats:
    """Length (B,) [m] of each body: its radius, that of its inertia, or the furthest joint."""
    with np.errstate(invalid="ignore", divide="ignore"):
        gyration = np.sqrt(np.einsum("bii->b", bodies.inertia) / (2.0 * bodies.mass))
    lever = np.maximum(bodies.radius, np.where(np.isfinite(gyration), gyration, 0.0))
    np.maximum.at(lever, table.body[: len(table.point), :2], np.linalg.norm(table.point, axis=2))
    return lever


def relation_table(
    drives: Sequence[Drive],
    coordinates: Coordinates,
    table: JointTable,
    frames: Mapping[int, int],
    ground: int,
    stated: Floats,
) -> tuple[RelationTable, Ints]:
    """The relations, and the bodies (D, K) that they have.

    `frames` are the numbers of those that motions move, by the id of the drive; `stated` (C,) are the
    coordinates in the model as stated.
    """
    first, coordinate, ratio, sides, offset, frame, told, bodies = [0], [], [], [], [], [], [], []
    for drive in drives:
        own: list[int] = []
        total = 0.0
        for term in drive.terms:
            c = coordinates.number(term)
            coordinate.append(c)
            ratio.append(term.ratio)
            total += term.ratio * stated[c]
            pair = table.body[coordinates.kinds[c, 0], :2].tolist()
            own += [b for b in pair if b not in own]
            sides.append([own.index(b) for b in pair])
        first.append(len(coordinate))
        offset.append(constant_of(drive) + (total if drive.relative else 0.0))
        frame.append(frames.get(id(drive), -1))
        told.append(len(own))
        own += frame[-1:] if frame[-1] >= 0 else []
        bodies.append(own)
    most = max((len(own) for own in bodies), default=2)
    table_of = np.array([own + [ground] * (most - len(own)) for own in bodies], np.int64).reshape(-1, most)
    terms = np.array(first, np.int64), np.array(coordinate, np.int64), np.array(ratio, float)
    sides_of = np.array(sides, np.int64).reshape(-1, 2)
    prescribed = np.array(offset, float), np.array(frame, np.int64), np.array(told, np.int64)
    soft = np.array([is_soft(drive) for drive in drives], bool)
    stiffness = np.array([drive.stiffness for drive in drives], float)
    damping = np.array([drive.damping for drive in drives], float)
    values = *terms, sides_of, *prescribed, soft, stiffness, damping
    return RelationTable(*values), table_of


def effort_table(drives: Sequence[Drive], coordinates: Coordinates, frames: Mapping[int, int]) -> EffortTable:
    """The loads on coordinates among the `drives`."""
    loads = [drive for drive in drives if isinstance(drive, CoordinateLoad)]
    return EffortTable(
        np.array([coordinates.number(load.terms[0]) for load in loads], np.int64),
        np.array([constant_of(load) for load in loads], float),
        np.array([frames.get(id(load), -1) for load in loads], np.int64),
    )


def refuse_contradiction(drives: Sequence[Drive], coordinates: Coordinates) -> None:
    """Raises ValueError if a relation repeats others; soft ones do not count."""
    drives = [drive for drive in drives if not is_soft(drive)]
    if len(drives) < 2:
        return
    ends = [(k, coordinates.number(term)) for k, drive in enumerate(drives) for term in drive.terms]
    count, size = len(drives), len(drives) + len(coordinates.of)
    links = np.array(ends, np.int64).reshape(-1, 2).T + np.array([[0], [count]])
    graph = coo_array((np.ones(len(ends)), links), shape=(size, size))
    group = connected_components(graph, directed=False)[1][:count]
    for members in (np.flatnonzero(group == each) for each in np.unique(group)):
        if len(members) == 1:
            continue
        A = np.zeros((len(members), len(coordinates.of)))
        for row, k in enumerate(members):
            for term in drives[int(k)].terms:
                A[row, coordinates.number(term)] += term.ratio
        A /= np.maximum(np.abs(A).max(axis=1, keepdims=True), 1e-300)
        if np.linalg.matrix_rank(A) == len(members):
            continue
        last = next(n for n in range(1, len(A) + 1) if np.linalg.matrix_rank(A[:n]) < n) - 1
        before = ", ".join(drives[int(k)].name for k in members[:last][-4:])
        raise ValueError(
            f"{drives[int(members[last])].name}: its coordinate is prescribed by {before} already; two "
            "drives of one coordinate contradict each other: leave one out"
        )
