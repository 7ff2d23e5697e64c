"""Links without relative motion as one body: mass, shapes, pose at the start.

Links are joined by fixed joints, and by those whose coordinate is held: with equal stops, or as followers of
a held joint.

    m = sum m_k,   c = sum m_k c_k / m,   J = sum R_k J_k R_k^T + m_k (|d_k|^2 1 - d_k d_k^T),  d_k = c_k - c
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, refuse
from nsgalpha.model.body_inertia import inertia_tensor
from nsgalpha.model.mass_properties import MassProperties
from nsgalpha.model.parts import Part, joined
from nsgalpha.model.visual_shapes import Visual
from nsgalpha.robots.link_poses import IDENTITY, Pose, moved, pose_of
from nsgalpha.robots.robot_description import ONE_COORDINATE, Inertial, JointDescription, RobotDescription

ROUNDING = 1e-12  # by which a follower may begin beyond its stops, over its coordinate


class Coordinate(NamedTuple):
    """The coordinate of a joint at the start."""

    value: float  # [rad] or [m]
    held: bool  # it has no other value


@dataclass(eq=False)
class JoinedLinks:
    """Links that move as one body, in the frame of the first."""

    joint: JointDescription | None  # to the parent; None of those without one
    parent: JoinedLinks | None
    start: Pose  # at the start of the model
    links: dict[str, Pose] = field(default_factory=dict)
    inertials: list[Inertial] = field(default_factory=list)
    shapes: list[Part] = field(default_factory=list)
    visuals: list[Visual] = field(default_factory=list)
    mass: float = 0.0  # [kg]
    centre: Floats = field(default_factory=lambda: np.zeros(3))  # (3,) [m] of mass
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))  # [kg m^2] about the centre

    @property
    def name(self) -> str:
        """The first link."""
        return next(iter(self.links))


def coordinates(robot: RobotDescription, start: Mapping[str, float]) -> dict[str, Coordinate]:
    """Coordinates of all joints that have one, at their values in `start`.

    Others begin where the file has them, 0 in URDF, or at the stop next to it. Followers begin where their
    joint has them. Raises ValueError for values out of range, unknown joints, and joints that follow each
    other.
    """
    known = [each.name for each in robot.joints.values() if each.kind in ONE_COORDINATE]
    for name in start:
        if name not in known:
            allowed = "that of a joint with one coordinate"
            raise refuse("name in start", name, allowed, f"names are {', '.join(known[:12]) or 'none'}")
        mimic = robot.joints[name].mimic
        if mimic is not None:
            raise refuse(
                "name in start", name, "that of a joint which follows no other", f"give {mimic.joint!r}"
            )
    found: dict[str, Coordinate] = {}
    for name in known:
        chain: dict[str, JointDescription] = {}
        while name not in found and name not in chain:
            joint = chain[name] = robot.joints[name]
            if joint.mimic is None:
                break
            name = joint.mimic.joint
            if name not in known:
                remedy = "name a revolute, continuous or prismatic joint"
                raise joint.element.refuse("joint of <mimic>", name, "a joint with one coordinate", remedy)
        if name in chain and chain[name].mimic is not None:
            raise chain[name].element.error("follows itself by <mimic>; take one of these out")
        for joint in reversed(chain.values()):
            found[joint.name] = _coordinate(joint, found, start)
    return found


def _coordinate(
    joint: JointDescription, others: Mapping[str, Coordinate], start: Mapping[str, float]
) -> Coordinate:
    low, high = joint.stops or (-np.inf, np.inf)
    if joint.mimic is not None:
        other, ratio = others[joint.mimic.joint], joint.mimic.multiplier
        found = Coordinate(ratio * other.value + joint.mimic.offset, other.held or ratio == 0.0)
        if low == high and not found.held:
            raise joint.element.error(
                f"follows {joint.mimic.joint!r}, but its stops are equal; set them apart"
            )
    else:
        given = start.get(joint.name, min(max(joint.begin, low), high))
        value = number_in(f"start[{joint.name!r}]", given, -np.inf, np.inf)
        found = Coordinate(value, low == high)
    room = ROUNDING * (1.0 + abs(found.value))
    if not low - room <= found.value <= high + room:
        remedy = f"give start={{{(joint.mimic.joint if joint.mimic else joint.name)!r}: ...}}"
        raise joint.element.refuse("start", found.value, f"in [{low:g}, {high:g}], between its stops", remedy)
    if joint.kind != "prismatic" and not found.held and not -np.pi < found.value <= np.pi:
        raise joint.element.refuse("start", found.value, "in (-pi, pi]", "angles are counted from there")
    return found


def joined_links(
    robot: RobotDescription, values: Mapping[str, Coordinate], base: Pose, base_moves: bool
) -> list[JoinedLinks]:
    """Bodies from the base at the pose `base` outwards, each after its parent.

    Raises ValueError, with the line, for links that are no tree, and for masses of no body.
    """
    below, root = _tree(robot)
    found: list[JoinedLinks] = []
    waiting = [(root, JoinedLinks(None, None, base, {root: IDENTITY}))]
    while waiting:
        name, body = waiting.pop()
        if name == body.name:
            found.append(body)
        link, pose = robot.links[name], body.links[name]
        if link.inertial is not None:
            body.inertials.append(link.inertial._replace(pose=pose.then(link.inertial.pose)))
        for part in link.shapes:
            place = pose.then(pose_of(part.position, part.rotation))
            body.shapes.append(replace(part, position=place.position, rotation=place.quaternion))
        body.visuals += [each.moved(pose.position, pose.quaternion) for each in link.visuals]
        for joint in reversed(below.get(name, [])):
            place, value = pose.then(joint.pose), values.get(joint.name)
            if value is not None:
                place = place.then(moved(joint.kind, joint.axis, value.value))
            place = place.then(joint.inner.inverse)
            child = body
            if joint.kind == "fixed" or (value is not None and value.held):
                body.links[joint.child] = place
            else:
                child = JoinedLinks(joint, body, body.start.then(place), {joint.child: IDENTITY})
            waiting.append((joint.child, child))
    for body in found:
        _add_masses(body, robot, base_moves)
    return found


def _tree(robot: RobotDescription) -> tuple[dict[str, list[JointDescription]], str]:
    """Joints by their parents, and the link without one."""
    above: dict[str, JointDescription] = {}
    below: dict[str, list[JointDescription]] = {}
    for joint in robot.joints.values():
        if joint.child in above:
            other = above[joint.child]
            raise joint.element.error(
                f"its child {joint.child!r} is that of {other.element} in line {other.element.line}, too; "
                "a link has one joint above it"
            )
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    roots = [name for name in robot.links if name not in above]
    if len(roots) > 1:
        element = robot.links[roots[1]].element
        raise element.error(f"has no joint above it, as {roots[0]!r}; only one link, the base, has none")
    reached, waiting = set[str](), list(roots)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [joint.child for joint in below.get(name, [])]
    for name, link in robot.links.items():
        if name not in reached:
            raise link.element.error("is in a loop of joints; the links of a robot must be a tree")
    return below, roots[0]


def _add_masses(body: JoinedLinks, robot: RobotDescription, base_moves: bool) -> None:
    """Set mass, centre and inertia of a body that moves."""
    if body.joint is None and not base_moves:
        return
    if not body.inertials:
        remedy = "give it an <inertial>, or a fixed joint"
        raise robot.links[body.name].element.error(f"moves, and has no mass; {remedy}")
    nothing = np.zeros((0, 3))
    each = [
        Part(
            MassProperties(nothing, [], own.mass, np.zeros(3), own.inertia),
            own.pose.position,
            own.pose.quaternion,
            1.0,
        )
        for own in body.inertials
    ]
    body.mass, body.centre, inertia = joined(each, 1.0, None)
    try:
        body.inertia = inertia_tensor("inertia", 0.5 * (inertia + inertia.T))
    except ValueError as error:
        raise body.inertials[0].element.error(str(error)) from None
