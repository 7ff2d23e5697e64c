"""Joints in pictures: balls and axes, by their `symbol`, and rods between distant points. Ropes and springs
are straight rods.

Bodies without a surface or a shape are seen by thin rods from their centres to their joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Floats, Ints, turned
from nsgalpha.model.appearance import RGBA, JointSymbol, Rod
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.model import Model
from nsgalpha.model.visual_shapes import dressed
from nsgalpha.run.result import Result
from nsgalpha.show.row_reader import picked

BALL, AXIS, ROD = 0.012, 0.05, 0.006  # radius of a joint, half its axis, radius of a rod, over the length
LEVERS = 6.0  # of a length at most; it is that of the scene otherwise
MOST = 20_000  # springs


class SceneBuilder(Protocol):
    """A scene as it is built."""

    def mover(self, carrier: Body | Plane | None) -> int:
        """Number of the things that move with `carrier`."""

    def point(self, owner: int, place: Floats) -> int:
        """Number of a new point."""

    def rod(self, a: int, b: int, radius: float) -> None:
        """A rod between two points."""

    def begin(self, name: str = "", kind: str = "", colour: RGBA | None = None) -> None:
        """Make the following parts of this thing; without a kind, of their carriers."""


class JointPoints(NamedTuple):
    """Points of the sides B of joints in n states, and their loads there."""

    joint: Ints  # (J,) number in the model
    point: Floats  # (n, J, 3) [m]
    force: Floats  # (n, J, 3) [N]
    torque: Floats  # (n, J, 3) [N m]


def joint_points(result: Result, records: Sequence[int]) -> JointPoints:
    """Points of joints in the states `records`; none if the file lacks joints."""
    model, part = result.model, picked(result, records)
    joints = joints_of(model)
    known = list(range(len(joints) if len(joints) == len(model.joints) else 0))
    found = JointPoints(np.array(known), *(np.zeros((len(records), len(known), 3)) for _ in range(3)))
    if known:
        from nsgalpha.constraints.joint_outputs import point_of_b
    for k in known:
        reaction = part.reaction(joints[k])
        found.point[:, k] = point_of_b(joints[k], part)
        found.force[:, k], found.torque[:, k] = reaction
    return found


@runtime_checkable
class _Paired(Protocol):
    """An element with pairs, such as Compliant."""

    pairs: Any


@runtime_checkable
class _Strung(Protocol):
    """Pairs of points."""

    def ends(self) -> list[tuple[tuple[Body | Plane | None, Floats], ...]]:
        """Carriers and places of the two points of each pair."""

    def names(self, k: int) -> tuple[str, str]:
        """Names of a pair."""


def joints_of(model: Model) -> list[Joint]:
    """The joints of a model but for those that its file does not hold."""
    return [joint for joint in model.joints if not isinstance(joint, Missing)]


class DrawnJoint(NamedTuple):
    """A joint or a rope: kind of thing in a scene, colour and symbol."""

    joint: Any
    kind: str
    colour: RGBA | None
    symbol: JointSymbol


def shown_joints(model: Model) -> list[DrawnJoint]:
    """The shown joints that the file of a model holds, and its shown ropes."""
    joints = ((k, each) for k, each in enumerate(model.joints) if not isinstance(each, Missing))
    ropes = ((k, each) for k, each in enumerate(model.elements) if isinstance(each, Rod))
    looks = model.appearances
    drawn: list[Any] = [(each, "joint", looks.joint(k), each.symbol) for k, each in joints]
    drawn += [(each, "rope", looks.element(k), JointSymbol()) for k, each in ropes]
    return [DrawnJoint(each, kind, look.colour, symbol) for each, kind, look, symbol in drawn if look.show]


def strings_of(model: Model) -> list[Any]:
    """The pairs of points of a model, which are seen as springs."""
    pairs = [each.pairs for each in model.elements if isinstance(each, _Paired)]
    return [each for each in pairs if isinstance(each, _Strung)]


def add_joints(model: Model, build: SceneBuilder, size: Callable[[], float]) -> int:
    """Add joints and ropes to a scene; `size()` [m] is its size so far.

    Returns the number of rods that it has added.
    """
    drawn = shown_joints(model)
    joints = [each.joint for each in drawn]
    shown = {k for k, body in enumerate(model.bodies) if body.radius > 0.0}
    shown |= {c.index for c in (*model.shapes.carriers, *_owners(model)) if isinstance(c, Body)}
    shown |= dressed(model)
    ends = [
        [build.point(build.mover(c), p) for c, p in zip(joint.carriers, joint.points, strict=True)]
        for joint in joints
    ]
    length, count = min(size(), LEVERS * _lever(joints) or np.inf) if joints else 0.0, 0
    for (joint, kind, colour, symbol), (a, b) in zip(drawn, ends, strict=True):
        thing = joint.name, kind, colour
        build.begin(*thing)
        if joint.length > 0.0:
            build.rod(a, b, ROD * length)
            count += 1
        for side in symbol.balls:
            end, carrier, place = (a, b)[side], joint.carriers[side], joint.points[side]
            build.rod(end, end, BALL * length)
            count += 1
            far = np.linalg.norm(place) > BALL * length
            if far and isinstance(carrier, Body) and carrier.index not in shown:
                build.begin()
                build.rod(build.point(carrier.index, np.zeros(3)), end, ROD * length)
                build.begin(*thing)
                count += 1
        if (k := symbol.axis) is not None:
            owner, half = build.mover(joint.carriers[k]), AXIS * length * joint.axes[k, 2]
            one, two = (build.point(owner, joint.points[k] + shift) for shift in (half, -half))
            build.rod(one, two, 0.5 * BALL * length)
            count += 1
    return count


class _Spring(NamedTuple):
    name: str
    colour: RGBA | None
    ends: tuple[tuple[Body | Plane | None, Floats], ...]  # carriers of the two points, places in their frames


def add_springs(model: Model, build: SceneBuilder, size: Callable[[], float]) -> int:
    """Add the springs between pairs of points, the first MOST of them; returns their number."""
    springs = [
        _Spring(f"{label}: {', '.join(element.pairs.names(k))}", look.colour, ends)
        for number, element in enumerate(model.elements)
        if isinstance(element, _Paired) and isinstance(element.pairs, _Strung)
        if (look := model.appearances.element(number)).show
        if (label := model.labels.get(number, "spring"))
        for k, ends in enumerate(element.pairs.ends())
    ][:MOST]
    if not springs:
        return 0
    points = [[build.point(build.mover(c), place) for c, place in spring.ends] for spring in springs]
    longest = max(float(np.linalg.norm(np.subtract(*(_stated(*end) for end in s.ends)))) for s in springs)
    radius = 0.5 * ROD * min(size(), LEVERS * longest or np.inf)
    for spring, (a, b) in zip(springs, points, strict=True):
        build.begin(spring.name, "spring", spring.colour)
        build.rod(a, b, radius)
    return len(springs)


def _stated(carrier: Body | Plane | None, place: Floats) -> Floats:
    """A point [m] in the model as stated; prescribed frames count as ground."""
    return place if not isinstance(carrier, Body) else carrier.position + turned(carrier.rotation, place)


def _lever(joints: list[Joint]) -> float:
    """Longest distance [m] from a joint to a body's centre, or between its points."""
    ends = [
        float(np.linalg.norm(place))
        for joint in joints
        for carrier, place in zip(joint.carriers, joint.points, strict=True)
        if isinstance(carrier, Body)
    ]
    return max(*ends, *(joint.length for joint in joints))


def _owners(model: Model) -> list[Body]:
    """Bodies that are corners of primitives."""
    return [model.bodies[k] for each in model.primitives if not each.rigid for k in each.corners]
