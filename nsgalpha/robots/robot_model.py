"""Models of robots: `read_urdf`, and the robot that readers return.

Classes of joints, stops and loads come from the catalogues of the installed packages. There each states the
words of URDF and MJCF for which it stands (nsgalpha/model/registration.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha import checks
from nsgalpha.case.plugin_catalogue import KINDS, installed
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.model import Model
from nsgalpha.model.model_names import find_named
from nsgalpha.model.parts import placed
from nsgalpha.model.solid_bodies import carry
from nsgalpha.model.time_function import Given
from nsgalpha.robots.actuators import Actuator, actuator_load
from nsgalpha.robots.joined_links import Coordinate, JoinedLinks, coordinates, joined_links
from nsgalpha.robots.joint_trajectories import Trajectory, follow
from nsgalpha.robots.link_poses import IDENTITY, Pose, pose_of
from nsgalpha.robots.mesh_locations import MeshLocations
from nsgalpha.robots.robot_description import REASONS, SHAPES, JointDescription, RobotDescription, describe
from nsgalpha.robots.xml_elements import LeftOut, left_out, read_xml
from nsgalpha.user_files import read_bytes

LARGEST = 20_000_000  # bytes of a description
LONGEST_PREFIX = 100  # characters


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot in a model.

    bodies: by the names of links. Links without relative motion have one body; a fixed base without shapes
    has none. joints: by the names of joints that move, but for floating ones. not_taken: elements and
    attributes of the file that the model does not have, each with `line`, `element` and `why`; `print(robot)`
    lists them. effort: the largest loads [N] or [N m] of motors, by the names of joints. The file states
    them, and nothing in the model bounds a load by them. planes and actuators: by their names in MJCF.
    """

    name: str
    model: Model = field(repr=False)
    bodies: Mapping[str, Body] = field(repr=False)
    joints: Mapping[str, Joint] = field(repr=False)
    not_taken: list[LeftOut] = field(repr=False)
    effort: Mapping[str, float] = field(repr=False)
    planes: Mapping[str, Plane] = field(repr=False)
    actuators: Mapping[str, Actuator] = field(repr=False)
    _places: Mapping[str, tuple[Body | None, Pose]] = field(repr=False)

    def __str__(self) -> str:
        """Its content, and a line for each thing that is not taken."""
        bodies, joints = len({*map(id, self.bodies.values())}), len(self.joints)
        lines = [f"robot {self.name!r}: {len(self._places)} links, {bodies} bodies, {joints} joints"]
        if self.not_taken:
            lines += ["not taken:", *(f"  {each}" for each in self.not_taken)]
        return "\n".join(lines)

    def joint(self, name: str) -> Joint:
        """The joint of that name in the file. Raises ValueError if it does not move, or is not there."""
        if isinstance(name, str) and name in self.joints:
            return self.joints[name]
        return find_named("joint that moves", name, [*self.joints.values()])

    def body(self, link: str) -> Body:
        """The body of a link. Raises ValueError without one."""
        if isinstance(link, str) and link in self.bodies:
            return self.bodies[link]
        raise checks.refuse("link", link, f"one of {', '.join(map(repr, self.bodies)) or 'none'}")

    def marker(self, link: str) -> Any:
        """The frame of a link as a `Marker` on its body, for joints and sensors.

        Its axis is z of the link, its second direction x. Raises ValueError for an unknown link.
        """
        if not isinstance(link, str) or link not in self._places:
            raise checks.refuse("link", link, f"one of {', '.join(map(repr, self._places))}")
        body, pose = self._places[link]
        first, _, third = pose.axes.apply(np.eye(3))
        return _makers()["link"](body, pose.position, axis=third, second=first)

    def follow(self, trajectory: Trajectory) -> dict[str, Any]:
        """Lead joints along a table, and return the `Drive` of each, by joint.

        trajectory: a CSV file whose first line has the names of columns, or a dictionary of columns. The
        first one is "time" [s] and increases, others are coordinates [rad] or [m] of joints. A cubic spline
        that begins at rest joins them. The first row must have the coordinates of the start.

        Raises ValueError, with file, line and column, for tables that cannot be used; OSError if the file
        cannot be read.
        """
        return follow(self.model, self.joints, trajectory, _makers()["trajectory"])

    def actuate(self, name: str, control: Given) -> Any:
        """Add the load of an actuator with a `control`, and return it.

        control: a number, a table or a function of time. A motor is a `Motor`, the others are `PD`
        controllers, with the loads that MuJoCo's actuators have. Nothing bounds them.

        Raises ValueError for an unknown name, and for controls as these two do.
        """
        if not isinstance(name, str) or name not in self.actuators:
            known = ", ".join(map(repr, self.actuators)) or "none"
            raise checks.refuse("name", name, f"that of an actuator: {known}")
        return self.model.add(actuator_load(self.actuators[name], self.joints, control, _makers()))

    @property
    def carriers(self) -> list[Body]:
        """The bodies with shapes, for contact."""
        carriers = {id(each.carrier) for each in self.model.primitives}
        bodies = {id(each): each for each in self.bodies.values()}
        return [each for key, each in bodies.items() if key in carriers]


@checks.named
def read_urdf(
    path: str | PathLike[str],
    *,
    model: Model | None = None,
    base: str = "fixed",
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    start: Mapping[str, float] | None = None,
    packages: Mapping[str, str | PathLike[str]] | None = None,
    shapes: str = "collision",
    hull: bool = True,
    prefix: str = "",
) -> Robot:
    """The robot in a URDF file, in a model.

    model: to which it is added; by default a new one, with gravity -9.81 m/s^2 along z. base: "fixed", or
    "free" to move. position (3,) [m] and rotation (4,), a quaternion: of the frame of the base link. start:
    coordinates [rad] or [m] by the names of joints; the others begin at 0, or at the stop next to it. All
    bodies begin at rest. packages: folders of the names in package:// paths; others are looked for around the
    file. shapes: those that bodies carry, "collision" or "visual". With "both" they carry those of collision,
    and pictures show the visual ones, in their colours. hull: whether carried meshes are taken as their
    convex hulls; contact needs that unless they are convex. prefix: before the names in the model.

    Links without relative motion are one body, with exact mass and inertia. Revolute, continuous, prismatic
    and planar joints become joints; a child by a floating joint is free. Stops are `Limit` without
    restitution, damping is `JointSpring`, friction is `JointFriction`, and mimic is `Gear`. Links that a
    joint holds have no contact with each other. Contact itself is added to the model, for example among
    `robot.carriers`.

    Raises ValueError, with line and element, for a file that is no URDF and values out of range. Also raises
    it for links that are no tree, moving links without mass, and meshes that are not there. Arguments out of
    range, and names that the model has, are refused too. Raises OSError if the file cannot be read.
    """
    file = checks.path("path", path)
    checks.choice("base", base, ("fixed", "free"))
    checks.choice("shapes", shapes, SHAPES)
    checks.truth("hull", hull)
    request = Request.checked(model, prefix, position, rotation, start, base == "free")
    locations = MeshLocations(file, {} if packages is None else packages)
    root = read_xml(read_bytes(file, LARGEST), file.name)
    robot = describe(root, locations, shapes, hull)
    return build_robot(robot, request, gravity=(0.0, 0.0, -9.81), lost=left_out(root, REASONS), actuators={})


class Request(NamedTuple):
    """The arguments of readers that do not depend on the format."""

    model: Model | None
    prefix: str
    place: Pose
    start: Mapping[str, float]
    base_moves: bool

    @staticmethod
    def checked(
        model: Model | None,
        prefix: str,
        position: ArrayLike,
        rotation: ArrayLike,
        start: Mapping[str, float] | None,
        base_moves: bool = False,
    ) -> Request:
        """Raises ValueError for arguments out of range."""
        if len(checks.text("prefix", prefix)) > LONGEST_PREFIX:
            raise checks.refuse("prefix", prefix, f"a text of at most {LONGEST_PREFIX} characters")
        place = pose_of(checks.vector("position", position), checks.direction("rotation", rotation, 4))
        begin = {} if start is None else start
        checks.instance("start", begin, Mapping, "a dictionary of coordinates")
        checks.instance("model", model, Model | None, "a model")
        return Request(model, prefix, place, begin, base_moves)


def build_robot(
    robot: RobotDescription,
    request: Request,
    *,
    gravity: tuple[float, ...],
    lost: list[LeftOut],
    actuators: Mapping[str, Actuator],
) -> Robot:
    """The robot in the model of the `request`, or in a new one with `gravity`."""
    values = coordinates(robot, request.start)
    bodies = joined_links(robot, values, request.place, request.base_moves)
    model = request.model
    if model is None:
        model = Model(gravity=gravity)
    else:  # a robot that cannot be built leaves it as it is
        _Building(Model(), request.prefix, request.base_moves).add(robot, bodies, values)
    building = _Building(model, request.prefix, request.base_moves)
    building.add(robot, bodies, values)
    effort = {each.name: each.effort for each in robot.joints.values() if each.effort is not None}
    lost = sorted([*lost, *_held(robot, values)], key=lambda each: each.line)
    own = building.bodies, building.joints, lost, effort, building.planes, actuators, building.places
    made = Robot(robot.name, building.model, *own)
    building.model.robots[request.prefix + robot.name] = made
    return made


def _held(robot: RobotDescription, values: Mapping[str, Coordinate]) -> list[LeftOut]:
    """Joints that are taken as fixed."""
    held = [(robot.joints[name].element, value.value) for name, value in values.items() if value.held]
    why = "its stops are equal (0 where they are not given), or it follows a joint that is held"
    return [LeftOut(each.line, str(each), f"is held at {value:g}: {why}") for each, value in held]


def _makers() -> dict[str, Any]:
    """Classes by the words of URDF and MJCF for which they stand."""
    catalogue, found = installed(), {}
    for maker in (each for kind in KINDS for each in getattr(catalogue, kind)):
        for word in getattr(getattr(maker, "__offer__", None), "urdf", ()):
            found[word] = maker
    return found


class _Building:
    """The parts of a robot that its model has."""

    def __init__(self, model: Model, prefix: str, base_moves: bool) -> None:
        self.model, self.prefix, self.base_moves = model, prefix, base_moves
        self.makers = _makers()
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.places: dict[str, tuple[Body | None, Pose]] = {}  # of links on bodies, or on the ground
        self.planes: dict[str, Plane] = {}

    def add(
        self, robot: RobotDescription, bodies: list[JoinedLinks], values: Mapping[str, Coordinate]
    ) -> None:
        """Add the bodies, the joints with their loads, then the relations of followers."""
        self._add_bodies(bodies)
        self._add_planes(robot)
        for each in bodies:
            if each.joint is not None and each.joint.kind != "floating":
                self._add_joint(each.joint)
        for joint in robot.joints.values():
            if joint.mimic is not None and not values[joint.name].held:
                ends = self.joints[joint.mimic.joint], self.joints[joint.name]
                self.model.add(self.makers["mimic"](*ends, ratio=joint.mimic.multiplier))

    def _add_bodies(self, bodies: list[JoinedLinks]) -> None:
        for each in bodies:
            self.model.names.free(self.prefix + each.name, "body", 0)
        for each in bodies:
            moves = each.joint is not None or self.base_moves
            body = self._body(each, moves) if moves or each.shapes else None
            frame = each.start if body is None else IDENTITY._replace(position=-each.centre)
            for shape in each.visuals:
                self.model.visuals.append(shape.moved(frame.position, frame.quaternion, body))
            for link, pose in each.links.items():
                self.places[link] = body, frame.then(pose)
                if body is not None:
                    self.bodies[link] = body

    def _add_planes(self, robot: RobotDescription) -> None:
        for link in robot.links.values():
            body, outer = self.places[link.name]
            for name, inner in link.planes.items():
                pose = outer.then(inner)
                normal = pose.axes.apply((0.0, 0.0, 1.0))
                place: dict[str, Any] = {"normal": normal, "offset": float(normal @ pose.position)}
                self.planes[name] = self.model.add_plane(**place, body=body, name=self.prefix + name)

    def _body(self, each: JoinedLinks, moves: bool) -> Body:
        mass = {"mass": each.mass, "inertia": each.inertia} if moves else {"fixed": True}
        name, position = self.prefix + each.name, each.start.point(each.centre)
        body = self.model.add_body(position=position, rotation=each.start.quaternion, name=name, **mass)
        for part in each.shapes:
            carry(self.model.shapes, placed(part, each.centre), body)
        return body

    def _add_joint(self, joint: JointDescription) -> None:
        (outer, frame), inner = self.places[joint.parent], self.places[joint.child]
        across = np.eye(3)[np.abs(joint.axis).argmin()]
        body, own = inner
        ends = [
            self.makers["link"](
                body, pose.position, axis=pose.axes.apply(joint.axis), second=pose.axes.apply(across)
            )
            for body, pose in ((outer, frame.then(joint.pose)), (body, own.then(joint.inner)))
        ]
        made = self.makers[joint.kind](*ends, name=self.prefix + joint.name)
        self.joints[joint.name] = self.model.add(made)
        if joint.stops is not None:
            low, high = joint.stops
            self.model.add(self.makers["limit"](made, low=low, high=high))
        if joint.damping > 0.0 or joint.stiffness > 0.0:
            soft = {"stiffness": joint.stiffness, "rest": joint.rest} if joint.stiffness > 0.0 else {}
            self.model.add(self.makers["damping"](made, damping=joint.damping, **soft))
        if joint.friction > 0.0:
            self.model.add(self.makers["friction"](made, bound=joint.friction))
