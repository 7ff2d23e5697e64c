"""Links and joints of a robot description in the format URDF.

Source: the specification of URDF, http://wiki.ros.org/urdf/XML. Units are SI, angles in rad. The frame of a
link is that of the joint above it, at the coordinate 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import either
from nsgalpha.model import parts
from nsgalpha.model.appearance import RGBA, rgba
from nsgalpha.model.model_names import checked_name
from nsgalpha.model.parts import Part
from nsgalpha.model.visual_shapes import Visual, visual_shape
from nsgalpha.robots.link_poses import IDENTITY, Pose, origin_of
from nsgalpha.robots.mesh_locations import MeshLocations, mesh_part, mesh_visual
from nsgalpha.robots.xml_elements import XmlElement

KINDS = "fixed", "revolute", "continuous", "prismatic", "planar", "floating"
ONE_COORDINATE = "revolute", "continuous", "prismatic"
SHAPES = COLLISION, VISUAL, BOTH = "collision", "visual", "both"
CAPSULES = "capsule", "drake:capsule"  # in no specification; the length is between the centres of the caps

_Thing = TypeVar("_Thing")

#: Reasons by the names of elements and attributes.
REASONS = {
    "gazebo": "is an extension of a simulator",
    "mujoco": "is an extension of a simulator",
    "drake:joint": "is an extension of a simulator",
    "ros2_control": "controllers are added to the model: see Robot.joint",
    "transmission": "motors are added to the model: see Robot.joint and Robot.effort",
    "sensor": "sensors are arguments of a run",
    "safety_controller": "controllers are added to the model: see Robot.joint",
    "calibration": "reference positions of encoders have no effect on the motion",
    "material": "bodies have no colour; shapes='both' draws visual shapes with theirs",
    "texture": "shapes have one colour",
    "velocity": "a joint has no limit of its rate",
    "lower": "a continuous joint has no stops",
    "upper": "a continuous joint has no stops",
    "limit": "the joint has no single coordinate",
    "dynamics": "the joint has no single coordinate",
    "mimic": "the joint has no single coordinate",
    "axis": "the joint has no axis",
}


class Inertial(NamedTuple):
    """Mass and inertia of a link."""

    element: XmlElement
    pose: Pose  # of the centre of mass and the axes of the inertia, in the frame of the link
    mass: float  # [kg]
    inertia: Floats  # (3, 3) [kg m^2]


@dataclass(frozen=True, eq=False)
class Link:
    """A link: mass and shapes in its frame."""

    name: str
    element: XmlElement
    inertial: Inertial | None
    shapes: list[Part]
    visuals: list[Visual] = field(default_factory=list)
    planes: Mapping[str, Pose] = field(default_factory=dict)  # by name; z is the normal


class Mimic(NamedTuple):
    """The coordinate is `multiplier` times that of `joint`, plus `offset`."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class JointDescription:
    """A joint between two links."""

    name: str
    element: XmlElement
    kind: str  # one of KINDS, or "ball"
    parent: str
    child: str
    pose: Pose  # in the frame of the parent
    axis: Floats  # (3,) unit vector, in the frame of the child
    stops: tuple[float, float] | None = None  # [rad] or [m]
    effort: float | None = None  # [N m] or [N]
    damping: float = 0.0  # [N m s/rad] or [N s/m]
    friction: float = 0.0  # [N m] or [N]
    mimic: Mimic | None = None
    inner: Pose = IDENTITY  # of the frame that moves, in the frame of the child
    begin: float = 0.0  # the coordinate at the start, if no other one is given
    stiffness: float = 0.0  # [N m/rad] or [N/m]
    rest: float = 0.0  # coordinate without a load of the spring


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """The content of a file."""

    name: str
    links: dict[str, Link] = field(repr=False)
    joints: dict[str, JointDescription] = field(repr=False)


def describe(root: XmlElement, locations: MeshLocations, shapes: str, hull: bool) -> RobotDescription:
    """The robot in the element `root`, with the `shapes` of one of SHAPES, meshes as their `hull` if asked.

    Raises ValueError, with file, line and element, for values that are missing or out of range.
    """
    if root.name != "robot":
        raise root.error("must be <robot>: the file is no URDF")
    if any(each.startswith("xmlns:xacro") for each in root.attributes) and _has_macros(root):
        raise root.error("has macros; expand them first: xacro robot.urdf.xacro > robot.urdf")
    root.is_read = True
    colours = _colours(root) if shapes == BOTH else {}
    root.read |= {"name", "version"}
    root.read |= {key for key in root.attributes if key.startswith("xmlns")}
    links = _by_name(root, "link", lambda each: _link(each, locations, shapes, hull, colours))
    joints = _by_name(root, "joint", lambda each: _joint(each, links))
    if not links:
        raise root.error("has no <link>; a robot needs one")
    return RobotDescription(root.attributes.get("name", ""), links, joints)


def _has_macros(root: XmlElement) -> bool:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.name.startswith("xacro:"):
            return True
        waiting += element.children
    return False


def _by_name(root: XmlElement, kind: str, make: Callable[[XmlElement], _Thing]) -> dict[str, _Thing]:
    """Things made of the elements of a `kind`, by their names. Raises ValueError for a name given twice."""
    found: dict[str, _Thing] = {}
    first: dict[str, int] = {}
    for element in root.all(kind):
        name = element.word("name")
        try:
            checked_name(name)
        except ValueError as error:
            raise element.error(str(error)) from None
        if name in found:
            raise element.error(f"the name is that of line {first[name]}, too; choose another one")
        found[name], first[name] = make(element), element.line
    return found


def _link(
    element: XmlElement, locations: MeshLocations, shapes: str, hull: bool, colours: Mapping[str, RGBA]
) -> Link:
    element.read.add("name")
    given = element.child("inertial")
    inertial = None if given is None else _inertial(given)
    carried = COLLISION if shapes == BOTH else shapes
    found = [_shape(each, locations, hull) for each in element.all(carried)]
    drawn: list[Visual | None] = []
    (other,) = {COLLISION, VISUAL} - {carried}
    for each in element.all(other):
        if shapes == BOTH:
            drawn.append(_visual(each, locations, colours))
        else:
            words = f"shapes={BOTH!r} draws it, and " if other == VISUAL else ""
            each.why = f"bodies carry {shapes} shapes; {words}shapes={other!r} takes it in their place"
    return Link(
        element.word("name"),
        element,
        inertial,
        [part for part in found if part is not None],
        [shape for shape in drawn if shape is not None],
    )


def _visual(element: XmlElement, locations: MeshLocations, colours: Mapping[str, RGBA]) -> Visual | None:
    """The shape of a <visual>; None, with the reason in `why`, if it is not taken."""
    given, colour = element.child("material"), None
    if given is not None:
        colour = _colour(given) or colours.get(given.get("name") or "")
    pose, geometry = origin_of(element), element.needed("geometry")
    mesh = geometry.child("mesh") if len(geometry.children) == 1 else None
    if mesh is not None:
        element.read.add("name")
        return mesh_visual(mesh, locations, pose, colour)
    part = _shape(element, locations, False)
    return None if part is None else visual_shape(part, colour=colour)


def _colours(root: XmlElement) -> dict[str, RGBA]:
    """Colours of the materials of a file and its visual shapes, by their names."""
    found: dict[str, RGBA] = {}
    links = [each for each in root.children if each.name == "link"]
    drawn = [each for link in links for each in link.children if each.name == VISUAL]
    inner = [each for shape in drawn for each in shape.children if each.name == "material"]
    for each in (*root.all("material"), *inner):
        colour = _colour(each)
        if colour is not None:
            found.setdefault(each.get("name") or "", colour)
    return found


def _colour(material: XmlElement) -> RGBA | None:
    """The colour that a <material> states, if any."""
    material.read.add("name")
    given = material.child("color")
    if given is None:
        return None
    value = given.vector("rgba", (0.0,) * 4)
    try:
        return rgba(value)
    except ValueError as error:
        raise given.error(str(error)) from None


def _inertial(element: XmlElement) -> Inertial | None:
    """None for a mass of 0."""
    pose, given = origin_of(element), element.needed("mass")
    mass = given.number("value", low=0.0, remedy="0 is a link without mass")
    tensor = element.child("inertia")
    if tensor is None:
        if mass > 0.0:
            raise element.error("has no <inertia>; add it")
        return None
    xx, xy, xz, yy, yz, zz = (tensor.number(key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0.0:
        if inertia.any():
            remedy = "give the mass, or 0 for all moments"
            raise given.refuse("value", mass, "positive, as the link has an inertia", remedy)
        return None
    return Inertial(element, pose, mass, inertia)


def _shape(element: XmlElement, locations: MeshLocations, hull: bool) -> Part | None:
    """The part of a <collision> or <visual>; None, with the reason in `why`, if it is not taken."""
    element.read.add("name")
    pose, geometry = origin_of(element), element.needed("geometry")
    if len(geometry.children) != 1:
        raise geometry.error(f"has {len(geometry.children)} shapes; it must have one")
    (shape,) = geometry.children
    place: dict[str, Any] = {"position": pose.position, "rotation": pose.quaternion}
    try:
        if shape.name == "box":
            shape.is_read = True
            return parts.box(shape.vector("size"), **place)
        if shape.name == "cylinder":
            shape.is_read = True
            return parts.cylinder(shape.number("radius"), shape.number("length"), **place)
        if shape.name in CAPSULES:
            shape.is_read = True
            return parts.capsule(shape.number("radius"), shape.number("length"), **place)
        if shape.name == "sphere":
            shape.is_read = True
            return parts.sphere(shape.number("radius"), position=pose.position)
    except ValueError as error:
        text = str(error)
        raise (error if text.startswith(f"{shape.file}, ") else shape.error(text)) from None
    if shape.name == "mesh":
        shape.is_read = True
        return mesh_part(shape, locations, pose, hull)
    shape.why = "the shape is not known here; state a box, cylinder, capsule, sphere or mesh"
    return None


def _joint(element: XmlElement, links: Mapping[str, Link]) -> JointDescription:
    name, kind = element.word("name"), element.word("type")
    if kind not in KINDS:
        raise element.refuse("type", kind, either([repr(each) for each in KINDS]))
    ends = [element.needed(key) for key in ("parent", "child")]
    parent, child = (end.word("link") for end in ends)
    for end in ends:
        if end.word("link") not in links:
            raise end.refuse("link", end.word("link"), "the name of a link of the file")
    if parent == child:
        raise ends[1].refuse("link", child, "another link than the parent")
    pose = origin_of(element)
    if kind in ("fixed", "floating"):
        return JointDescription(name, element, kind, parent, child, pose, np.zeros(3))
    given = element.child("axis")
    axis = np.array([1.0, 0.0, 0.0]) if given is None else given.vector("xyz", (1.0, 0.0, 0.0))
    size = float(np.linalg.norm(axis))
    if given is not None and not 0.0 < size < np.inf:
        raise given.refuse("xyz", axis.tolist(), "different from zero, and of finite length")
    joint = name, element, kind, parent, child, pose, axis / size
    if kind not in ONE_COORDINATE:
        return JointDescription(*joint)
    return JointDescription(*joint, *_limit(element, kind), *_dynamics(element), _mimic(element))


def _limit(element: XmlElement, kind: str) -> tuple[tuple[float, float] | None, float | None]:
    """Stops and effort."""
    limit = element.child("limit")
    if limit is None:
        if kind != "continuous":
            remedy = "add it; a joint without stops is continuous, or has wide ones"
            raise element.error(f"is {kind} and has no <limit>; {remedy}")
        return None, None
    effort = limit.number("effort", 0.0, low=0.0) if "effort" in limit.attributes else None
    if kind == "continuous":
        return None, effort
    low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
    if low > high:
        raise limit.refuse("lower", low, f"at most upper = {high:g}")
    return (low, high), effort


def _dynamics(element: XmlElement) -> tuple[float, float]:
    """Damping and friction."""
    dynamics = element.child("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    return dynamics.number("damping", 0.0, low=0.0), dynamics.number("friction", 0.0, low=0.0)


def _mimic(element: XmlElement) -> Mimic | None:
    mimic = element.child("mimic")
    if mimic is None:
        return None
    return Mimic(mimic.word("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
