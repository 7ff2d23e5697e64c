"""Drives and transmissions as the method sees them: linear relations of joint coordinates.

sum_k ratio_k c_k = offset + phi(t)                              nsgalpha/constraints/joint_coordinates.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from nsgalpha.checks import either, refuse, shown
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.handles import Owner
from nsgalpha.model.joint_interface import DISTANCE, OF_ANGLE, SLIDE, Joint, Row, angles_of
from nsgalpha.model.time_function import Linear, TimeFunction

ANGLE, ALONG, APART = range(3)  # kinds of coordinates
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
                    message = f"{drive.name}: {joint.name} is no joint of the model any more; add it again"
                    raise ValueError(message)
                key = number[id(joint)], name
                if key not in self.of:
                    self.of[key] = len(kinds)
                    kinds.append((key[0], *kind_of(joint, name)))
        self.joint_number = number
        self.kinds = np.array(kinds, np.int64).reshape(-1, 3)  # number of the joint, kind and axis

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
            message = f"{argument}: {len(found)} joints have the name {shown(joint)}; give the joint itself"
            raise ValueError(message)
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
