"""Drives and transmissions as the method sees them: linear relations of joint coordinates.

sum_k ratio_k c_k = offset + phi(t)                              nsgalpha/constraints/joint_coordinates.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import either, refuse, shown
from nsgalpha.constraints.coordinate_loads import EffortTable
from nsgalpha.constraints.joint_coordinates import ALONG, ANGLE, APART, CoordinateTable, RelationTable
from nsgalpha.constraints.joint_rows import DISTANCE, OF_ANGLE, SLIDE, JointTable
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.handles import Owner
from nsgalpha.model.joint_interface import Joint, Row, angles_of
from nsgalpha.model.time_function import Linear, TimeFunction

UNITS = {ANGLE: "rad", ALONG: "m", APART: "m"}


class Term(NamedTuple):
    """A coordinate of a joint in a relation."""

    joint: Joint
    name: str  # of the coordinate
    ratio: float


@runtime_checkable
class Drive(Protocol):
    """A relation of joint coordinates, or a load on one."""

    name: str
    terms: Sequence[Term]  # of the joints of the model to which it was added
    motion: TimeFunction | None  # phi; None is 0
    relative: bool  # whether the relation holds in the model as stated, by its offset
    stiffness: float  # of a soft one, if this or damping is not 0 [N/m], [N m/rad]
    damping: float  # [N s/m], [N m s/rad]

    def bind(self, joints: Sequence[Joint]) -> None:
        """Find its joints among those of the model; ValueError if it cannot act on them."""


@runtime_checkable
class CoordinateLoad(Drive, Protocol):
    """A Drive that is a load phi on a coordinate, see nsgalpha/constraints/coordinate_loads.py."""

    def load(self, t: float) -> float:
        """It at the time `t` [s]: a force [N] or a torque [N m]."""


def constant_of(drive: Drive) -> float:
    """The value of a motion that is constant, 0 for another."""
    motion = drive.motion
    return motion.value if isinstance(motion, Linear) and motion.rate == 0.0 else 0.0


def moves(drive: Drive) -> bool:
    """True if its motion needs a frame: it is no constant."""
    return drive.motion is not None and not (isinstance(drive.motion, Linear) and drive.motion.rate == 0.0)


def is_soft(drive: Drive) -> bool:
    """True if it is soft: a spring, a damper, a controller."""
    return drive.stiffness > 0.0 or drive.damping > 0.0


class Coordinates:
    """The coordinates of the joints of a model that its drives refer to, each once."""

    def __init__(self, joints: Sequence[Joint], drives: Sequence[Drive]) -> None:
        number = {id(joint): k for k, joint in enumerate(joints)}
        self.of: dict[tuple[int, str], int] = {}  # numbers by joints and names
        kinds: list[tuple[int, int, int]] = []
        for drive in drives:
            for joint, name, _ in drive.terms:
                if id(joint) not in number:
                    raise ValueError(
                        f"{drive.name}: {joint.name} is no joint of the model any more; add it again"
                    )
                key = number[id(joint)], name
                if key not in self.of:
                    self.of[key] = len(kinds)
                    kinds.append((key[0], *kind_of(joint, name)))
        self.joint_number = number
        rows = np.array(kinds, np.int64).reshape(-1, 3)
        self.table = CoordinateTable(*(np.ascontiguousarray(column) for column in rows.T))

    def number(self, term: Term) -> int:
        """The number of the coordinate of a term."""
        return self.of[self.joint_number[id(term.joint)], term.name]


def ties(drives: Sequence[Drive]) -> list[Drive]:
    """The relations among the `drives`, each a row; others are loads."""
    return [drive for drive in drives if not isinstance(drive, CoordinateLoad)]


def memory_rows(model: Owner) -> int:
    """Rows of `State.joints`: joints and drives of a model, then their memory."""
    rows = sum(len(joint.rows) for joint in model.joints) + len(ties(model.drives))
    return rows + len(Coordinates(model.joints, model.drives).of) + angles_of(model)


def kind_of(joint: Joint, name: str) -> tuple[int, int]:
    """Kind and axis of the coordinate `name` of a joint. Raises ValueError without one."""
    rows: Sequence[Row] = getattr(joint, "coordinates", {}).get(name, ())
    kinds = [kind for kind, _, _ in joint.rows]
    if tuple(rows) == OF_ANGLE:
        return ANGLE, 2
    if len(rows) == 1 and rows[0][0] == SLIDE:
        return ALONG, rows[0][1]
    if len(rows) == 1 and rows[0][0] == DISTANCE and DISTANCE not in kinds:
        return APART, 0
    raise refuse("coordinate", name, "one that a drive can act on")


def drivable(joint: Joint) -> list[str]:
    """Names of the coordinates of a joint that drives can act on."""
    found = []
    for name in getattr(joint, "coordinates", {}):
        try:
            kind_of(joint, name)
        except ValueError:
            continue
        found.append(name)
    return found


class GivenCoordinate(Protocol):
    """A given coordinate of a joint, with the names of its arguments."""

    @property
    def argument(self) -> str:
        """Name of that for the joint."""

    @property
    def joint(self) -> Any:
        """The joint itself, its name or number."""

    @property
    def coordinate(self) -> str | None:
        """The name of the coordinate; None: the joint has one."""

    @property
    def named(self) -> str:
        """Name of the argument for the coordinate; that for the joint where there is none."""


def picked(owner: str, given: GivenCoordinate, joints: Sequence[Joint]) -> tuple[Joint, str]:
    """The joint that is `given`, and the name of its coordinate.

    Raises ValueError, in which the `owner` is named, if there is none, or several.
    """
    for each in joints:
        if isinstance(each, Missing):
            each()
    argument, joint, name = given.argument, given.joint, given.coordinate
    if isinstance(joint, str):
        found = [each for each in joints if each.name == joint]
        if len(found) > 1:
            raise ValueError(
                f"{argument}: {len(found)} joints have the name {shown(joint)}; give the joint itself"
            )
    elif type(joint) is int:
        found = [joints[joint]] if 0 <= joint < len(joints) else []
    else:
        found = [each for each in joints if each is joint]
    if not found:
        which = joint.name if isinstance(joint, Joint) else joint
        known = ", ".join(repr(each.name) for each in joints[:8]) or "none"
        raise refuse(argument, which, "a joint that was added to this model", f"add it first; it has {known}")
    own = drivable(found[0])
    if name is None and len(own) == 1:
        return found[0], own[0]
    if not own:
        held = ", it holds the distance; take Telescope" if "distance" in _known(found[0]) else ""
        raise ValueError(f"{argument}: {found[0].name} has no coordinate for {owner} to act on{held}")
    if name not in own and given.named == argument:
        raise ValueError(f"{argument}: {found[0].name} has no {name}, but {either(own)}; take another joint")
    if name not in own:
        raise refuse(given.named, name, f"{either(own)} of {found[0].name}")
    return found[0], name


def _known(joint: Joint) -> Sequence[str]:
    return list(getattr(joint, "coordinates", {}))


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
    first, coordinate, ratio, sides, offset, frame, driven_side, bodies = [0], [], [], [], [], [], [], []
    for drive in drives:
        own: list[int] = []
        total = 0.0
        for term in drive.terms:
            c = coordinates.number(term)
            coordinate.append(c)
            ratio.append(term.ratio)
            total += term.ratio * stated[c]
            pair = table.body[coordinates.table.joint[c], :2].tolist()
            own += [b for b in pair if b not in own]
            sides.append([own.index(b) for b in pair])
        first.append(len(coordinate))
        offset.append(constant_of(drive) + (total if drive.relative else 0.0))
        frame.append(frames.get(id(drive), -1))
        driven_side.append(len(own))
        own += frame[-1:] if frame[-1] >= 0 else []
        bodies.append(own)
    most = max((len(own) for own in bodies), default=2)
    table_of = np.array([own + [ground] * (most - len(own)) for own in bodies], np.int64).reshape(-1, most)
    return (
        RelationTable(
            np.array(first, np.int64),
            np.array(coordinate, np.int64),
            np.array(ratio, float),
            np.array(sides, np.int64).reshape(-1, 2),
            np.array(offset, float),
            np.array(frame, np.int64),
            np.array(driven_side, np.int64),
            np.array([is_soft(drive) for drive in drives], bool),
            np.array([drive.stiffness for drive in drives], float),
            np.array([drive.damping for drive in drives], float),
        ),
        table_of,
    )


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
