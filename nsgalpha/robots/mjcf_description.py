"""Links, joints and actuators of a file in the format MJCF, compiled by MuJoCo.

The compiler resolves defaults, classes, frames, included files and the inertia of shapes. TAKEN has the
elements and attributes that the model has; all others are listed. Source: the XML reference of MuJoCo,
https://mujoco.readthedocs.io/en/stable/XMLreference.html.

A geom is drawn if its group is at most 2 and it is not fully transparent, as in MuJoCo's viewer.

The frame of a link is that of its body, F in the frame of the parent. From that of the file on, a joint with
the coordinate q moves it by q - ref. Its axis goes through the point p:

    F <- F T(p) M(q - ref) T(-p)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.model import parts
from nsgalpha.model.appearance import RGBA
from nsgalpha.model.model_names import checked_name
from nsgalpha.model.parts import Part
from nsgalpha.model.visual_shapes import Visual, visual_shape, visual_surface
from nsgalpha.robots.actuators import Actuator
from nsgalpha.robots.link_poses import IDENTITY, Pose, moved, pose_of
from nsgalpha.robots.mesh_locations import surface_part
from nsgalpha.robots.robot_description import Inertial, JointDescription, Link, Mimic, RobotDescription
from nsgalpha.robots.xml_elements import LeftOut, XmlElement

_Thing = TypeVar("_Thing")

SMALL = 1e-6  # mass and inertia of a link between joints of one body, over those of the body
FREE, BALL, SLIDE, HINGE = range(4)  # types of joints in MuJoCo
PLANE, SPHERE, CAPSULE, CYLINDER, BOX, MESH = 0, 2, 3, 5, 6, 7  # types of geoms
LAST_GROUP = 2  # of geoms that MuJoCo draws at first
GREY = (0.5, 0.5, 0.5, 1.0)  # stands for a colour that was not stated
UNKNOWN, KNOWN = "its shape is not known here", "state spheres, capsules, boxes or meshes"
JOINT_EQUALITY = 2
FIXED, AFFINE = 0, 1  # types of gains and biases


@dataclass(eq=False)
class MjcfContent:
    """Content of a file: links and joints, actuators, and things that are not taken."""

    robot: RobotDescription
    actuators: dict[str, Actuator] = field(default_factory=dict)
    lost: list[LeftOut] = field(default_factory=list)


class _Lines:
    """Elements with names and lines, by the numbers of compiled things."""

    def __init__(self, file: str, spec: Any) -> None:
        self.file = file
        self.info = {
            kind: {each.id: (each.name, _line(each.info)) for each in things}
            for kind, things in (
                ("body", spec.bodies),
                ("joint", spec.joints),
                ("geom", spec.geoms),
                ("actuator", spec.actuators),
                ("equality", spec.equalities),
            )
        }

    def element(self, kind: str, number: int) -> XmlElement:
        """The element of a thing, which kind and number name if it has no name."""
        name, line = self.info[kind].get(number, ("", 1))
        return XmlElement(self.file, line, kind, {"name": name or f"{kind} {number}"})


def _line(info: str) -> int:
    words = info.split()
    at = words.index("line") + 1 if "line" in words else len(words)
    return int(words[at].rstrip(",")) if at < len(words) else 1


def describe_mjcf(spec: Any, compiled: Any, file: str, hull: bool, *, drawn: bool = False) -> MjcfContent:
    """The content of a `compiled` MjModel and its `spec`, meshes as their `hull` if asked.

    drawn: whether links have visual shapes, the geoms that are drawn if some of these are without contact.

    Raises ValueError, with file, line and element, for names that are not allowed.
    """
    return _Description(spec, compiled, file, hull, drawn).content()


class _Description:
    """The model of MuJoCo while it is read."""

    def __init__(self, spec: Any, compiled: Any, file: str, hull: bool, drawn: bool) -> None:
        self.m, self.hull, self.lines = compiled, hull, _Lines(file, spec)
        self.draws = drawn and any(self._is_drawn(k) and not self._touches(k) for k in range(compiled.ngeom))
        self.links: dict[str, Link] = {}
        self.joints: dict[str, JointDescription] = {}
        self.found = MjcfContent(RobotDescription(spec.modelname, self.links, self.joints))
        self.names = [self._name("body", k) for k in range(compiled.nbody)]

    def content(self) -> MjcfContent:
        """Bodies with their joints, then relations and actuators."""
        for body in range(self.m.nbody):
            self._add_body(body)
        for number in range(self.m.neq):
            self._add_equality(number)
        for number in range(self.m.nu):
            self._add_actuator(number)
        return self.found

    def _name(self, kind: str, number: int) -> str:
        element = self.lines.element(kind, number)
        try:
            return checked_name(element.attributes["name"])
        except ValueError as error:
            raise element.error(str(error)) from None

    def _lose(self, element: XmlElement, why: str) -> None:
        self.found.lost.append(LeftOut(element.line, str(element), why))

    def _add_body(self, body: int) -> None:
        """The link of a body, its joints, and the links between these."""
        m, name, element = self.m, self.names[body], self.lines.element("body", body)
        turn = pose_of(np.zeros(3), m.body_iquat[body]).axes.as_matrix()
        inertia = turn @ np.diag(m.body_inertia[body]) @ turn.T
        place = Pose(m.body_ipos[body].copy(), IDENTITY.axes)
        own = Inertial(element, place, float(m.body_mass[body]), 0.5 * (inertia + inertia.T))
        shapes: list[Part] = []
        planes: dict[str, Pose] = {}
        visuals: list[Visual] = []
        for geom in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            self._take_shape(geom, shapes, planes)
            visuals += self._visual(geom) if self.draws else []
        self.links[name] = Link(name, element, own if own.mass > 0.0 else None, shapes, visuals, planes)
        if body == 0:
            return
        start, parent = pose_of(m.body_pos[body], m.body_quat[body]), self.names[m.body_parentid[body]]
        first, count = int(m.body_jntadr[body]), int(m.body_jntnum[body])
        if count == 0:
            fixed = JointDescription(
                f"{name} on {parent}", element, "fixed", parent, name, start, np.zeros(3)
            )
            self.joints[fixed.name] = fixed
        for number in range(first, first + count):
            made = self._name("joint", number)
            child = name if number == first + count - 1 else f"{name} at {made}"
            if child != name:
                self._add_between(child, own, number)
            self.joints[made] = self._joint(number, made, (parent, child), start)
            parent, start = child, IDENTITY

    def _add_between(self, name: str, own: Inertial, number: int) -> None:
        element = self.lines.element("joint", number)
        small = own._replace(mass=SMALL * own.mass, inertia=SMALL * own.inertia)
        self.links[name] = Link(name, element, small, [])
        why = f"the link {name!r} between joints of one body has {SMALL:g} of its mass and inertia, not 0"
        self._lose(element, why)

    def _joint(self, number: int, name: str, ends: tuple[str, str], start: Pose) -> JointDescription:
        m, element, kind = self.m, self.lines.element("joint", number), int(self.m.jnt_type[number])
        own = name, element
        if kind in (FREE, BALL):
            at = m.jnt_dofadr[number]
            count = 6 if kind == FREE else 3
            loads = m.dof_damping[at : at + count], m.dof_frictionloss[at : at + count]
            if any(each.any() for each in loads) or m.jnt_stiffness[number] or m.jnt_limited[number]:
                self._lose(element, "stops, springs, damping and friction need a joint with one coordinate")
            if kind == FREE:
                return JointDescription(*own, "floating", *ends, start, np.zeros(3))
            inner = Pose(m.jnt_pos[number].copy(), IDENTITY.axes)
            return JointDescription(
                *own, "ball", *ends, start.then(inner), np.array([0.0, 0.0, 1.0]), inner=inner
            )
        word, at, axis = (
            "prismatic" if kind == SLIDE else "revolute",
            m.jnt_dofadr[number],
            m.jnt_axis[number].copy(),
        )
        ref = float(m.qpos0[m.jnt_qposadr[number]])
        inner = Pose(m.jnt_pos[number].copy(), IDENTITY.axes)
        limited = bool(m.jnt_limited[number])
        stops = tuple(map(float, m.jnt_range[number])) if limited else None
        effort = float(np.abs(m.jnt_actfrcrange[number]).max()) if m.jnt_actfrclimited[number] else None
        return JointDescription(
            *own,
            "continuous" if word == "revolute" and not limited else word,
            *ends,
            start.then(inner).then(moved(word, axis, -ref)),
            axis,
            stops=stops,  # type: ignore[arg-type]
            effort=effort,
            damping=float(m.dof_damping[at]),
            friction=float(m.dof_frictionloss[at]),
            inner=inner,
            begin=ref,
            stiffness=float(m.jnt_stiffness[number]),
            rest=float(m.qpos_spring[m.jnt_qposadr[number]]),
        )

    def _take_shape(self, geom: int, shapes: list[Part], planes: dict[str, Pose]) -> None:
        element, kind = self.lines.element("geom", geom), int(self.m.geom_type[geom])
        if not self._touches(geom):
            if not self.draws:
                why = "has no contact, as contype and conaffinity are 0; its mass is taken"
                self._lose(element, f"{why}; shapes='both' draws it")
        elif kind == PLANE:
            planes[self._name("geom", geom)] = self._pose(geom)
        elif kind == MESH:
            name, pose = self._place(geom)
            shapes.append(self._mesh(geom, lambda x, faces: surface_part(x, faces, self.hull, name, pose)))
        elif (part := self._part(geom)) is not None:
            shapes.append(part)
        else:
            self._lose(element, f"{UNKNOWN}, its mass is taken; {KNOWN}")

    def _visual(self, geom: int) -> list[Visual]:
        """The visual shape of a geom, none of one that is not drawn."""
        kind = int(self.m.geom_type[geom])
        if not self._is_drawn(geom):
            return []
        colour, (name, pose) = self._colour(geom), self._place(geom)
        if kind == MESH:
            made = self._mesh(geom, lambda x, faces: visual_surface(name, x, faces, colour))
            return [made.moved(pose.position, pose.quaternion)]
        part = self._part(geom)
        if part is None:
            if not self._touches(geom):
                self._lose(self.lines.element("geom", geom), f"{UNKNOWN}; {KNOWN}")
            return []
        return [visual_shape(part, colour=colour)]

    def _touches(self, geom: int) -> bool:
        return bool(self.m.geom_contype[geom] or self.m.geom_conaffinity[geom])

    def _is_drawn(self, geom: int) -> bool:
        rgba = self._colour(geom)
        return bool(self.m.geom_group[geom] <= LAST_GROUP and (rgba is None or rgba[3] > 0.0))

    def _colour(self, geom: int) -> RGBA | None:
        """Its own colour, that of its material, or None: MuJoCo's grey."""
        m = self.m
        own, material = tuple(m.geom_rgba[geom].tolist()), int(m.geom_matid[geom])
        if own != GREY or material < 0:
            return None if own == GREY else own
        red, green, blue, opacity = m.mat_rgba[material].tolist()
        return red, green, blue, opacity

    def _pose(self, geom: int) -> Pose:
        return pose_of(self.m.geom_pos[geom], self.m.geom_quat[geom])

    def _place(self, geom: int) -> tuple[str, Pose]:
        return self.lines.element("geom", geom).attributes["name"], self._pose(geom)

    def _part(self, geom: int) -> Part | None:
        """The part of a geom; None for a plane, a mesh or an unknown shape."""
        kind, pose, size = int(self.m.geom_type[geom]), self._pose(geom), self.m.geom_size[geom].tolist()
        place: dict[str, Any] = {"position": pose.position, "rotation": pose.quaternion}
        if kind == SPHERE:
            return parts.sphere(size[0], position=pose.position)
        if kind == CAPSULE:
            return parts.capsule(size[0], 2.0 * size[1], **place)
        if kind == CYLINDER:
            return parts.cylinder(size[0], 2.0 * size[1], **place)
        return parts.box([2.0 * each for each in size], **place) if kind == BOX else None

    def _mesh(self, geom: int, make: Callable[[Floats, Ints], _Thing]) -> _Thing:
        """The thing made of the corners and triangles of the mesh of a geom."""
        m, mesh = self.m, self.m.geom_dataid[geom]
        first, face = m.mesh_vertadr[mesh], m.mesh_faceadr[mesh]
        x = m.mesh_vert[first : first + m.mesh_vertnum[mesh]].astype(float)
        triangles = m.mesh_face[face : face + m.mesh_facenum[mesh]].astype(np.int64)
        try:
            return make(x, triangles)
        except ValueError as error:
            raise self.lines.element("geom", geom).error(str(error)) from None

    def _add_equality(self, number: int) -> None:
        """A joint that follows another one by a straight line."""
        m, element = self.m, self.lines.element("equality", number)
        if m.eq_type[number] != JOINT_EQUALITY or not m.eq_active0[number]:
            self._lose(element, "only active couplings of two joints are taken; state joints by hand")
            return
        one, other, line = int(m.eq_obj1id[number]), int(m.eq_obj2id[number]), m.eq_data[number, :5]
        if other < 0 or line[2:].any():
            self._lose(element, "only linear couplings of two joints are taken; a Drive holds a joint")
            return
        ref = [float(m.qpos0[m.jnt_qposadr[each]]) for each in (one, other)]
        follower = self.joints[self._name("joint", one)]
        offset = ref[0] + float(line[0]) - float(line[1]) * ref[1]
        mimic = Mimic(self._name("joint", other), float(line[1]), offset)
        if follower.mimic is not None:
            self._lose(element, f"the joint follows {follower.mimic.joint!r} already")
            return
        self.joints[follower.name] = replace(follower, mimic=mimic)

    def _add_actuator(self, number: int) -> None:
        m, element = self.m, self.lines.element("actuator", number)
        gain, bias = m.actuator_gainprm[number, :3], m.actuator_biasprm[number, :3]
        types = m.actuator_gaintype[number], m.actuator_biastype[number], m.actuator_dyntype[number]
        kind = ""
        if m.actuator_trntype[number] in (0, 1) and m.jnt_type[m.actuator_trnid[number, 0]] in (SLIDE, HINGE):
            if types == (FIXED, FIXED, 0):
                kind = "motor"
            elif types == (FIXED, AFFINE, 0) and bias[0] == 0.0 and bias[1] == -gain[0]:
                kind = "position"
            elif types == (FIXED, AFFINE, 0) and not bias[:2].any() and bias[2] == -gain[0]:
                kind = "velocity"
        if not kind:
            self._lose(element, "is no motor, position or velocity of a hinge or slide; state a Motor")
            return
        joint, gear = self._name("joint", int(m.actuator_trnid[number, 0])), float(m.actuator_gear[number, 0])
        if m.actuator_forcelimited[number]:
            effort = abs(gear) * float(np.abs(m.actuator_forcerange[number]).max())
            described = self.joints[joint]
            self.joints[joint] = replace(described, effort=min(effort, described.effort or np.inf))
        name = self._name("actuator", number)
        self.found.actuators[name] = Actuator(joint, kind, float(gain[0]), -float(bias[2]), gear)


ALL = frozenset({"*"})
PLACE = frozenset({"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"})
NAMED = frozenset({"name", "class"})
OF_ACTUATOR = NAMED | {"joint", "jointinparent", "gear", "forcerange", "forcelimited"}

#: Attributes that are taken, by elements, those of equalities by `equality/joint`.
TAKEN: Mapping[str, frozenset[str]] = {
    "mujoco": frozenset({"model"}),
    "mujocoinclude": ALL,
    "include": ALL,
    "compiler": ALL,
    "default": NAMED,
    "option": frozenset({"gravity"}),
    "worldbody": NAMED,
    "frame": ALL,
    "replicate": ALL,
    "body": NAMED | PLACE | {"childclass"},
    "inertial": ALL,
    "freejoint": NAMED | {"align"},
    "joint": NAMED
    | {"type", "pos", "axis", "ref", "range", "limited", "damping", "frictionloss", "stiffness", "springref"}
    | {"actuatorfrcrange", "actuatorfrclimited"},
    "geom": NAMED | PLACE | {"type", "size", "fromto", "mesh", "fitscale", "mass", "density", "shellinertia"},
    "asset": ALL,
    "mesh": ALL,
    "actuator": ALL,
    "motor": OF_ACTUATOR,
    "position": OF_ACTUATOR | {"kp", "kv", "dampratio"},
    "velocity": OF_ACTUATOR | {"kv"},
    "general": OF_ACTUATOR | {"gaintype", "biastype", "dyntype", "gainprm", "biasprm"},
    "equality": ALL,
    "equality/joint": NAMED | {"joint1", "joint2", "polycoef", "active"},
    # listed by their numbers, once MuJoCo has compiled them
    "equality/connect": ALL,
    "equality/weld": ALL,
}

#: The same where visual shapes are taken.
DRAWN = {"geom": TAKEN["geom"] | {"rgba", "material", "group"}, "asset/material": ALL}

SETTING = "settings are arguments of a run"
LAW = "friction and stiffness belong to the contact that is added to the model"
PAIRS = "the pairs that meet are stated by the contact that is added to the model"
RIGID = "stops, friction and couplings are rigid"
COLOUR = "bodies have no colour; shapes='both' draws visual shapes with theirs"
VIEW = "has no effect on the motion"

#: Reasons by the names of elements and attributes.
MJCF_REASONS = {
    "size": "memory needs no statement",
    "statistic": VIEW,
    "visual": VIEW,
    "custom": VIEW,
    "keyframe": "the state at the start is that of read_mjcf(start=...)",
    "sensor": "sensors are arguments of a run",
    "contact": PAIRS,
    "tendon": "tendons are not known here: see PointSpring and Rope of the elements",
    "deformable": "deformable things are not known here",
    "extension": "is an extension of a simulator",
    "site": "has no effect on the motion; Robot.marker has frames of links",
    "camera": VIEW,
    "light": VIEW,
    "texture": "shapes have one colour",
    "material": COLOUR,
    "rgba": COLOUR,
    "group": VIEW,
    "user": VIEW,
    "armature": "joints have no inertia of their own; add it to that of the bodies",
    "ctrlrange": "a control has no limit",
    "ctrllimited": "a control has no limit",
    "contype": PAIRS,
    "conaffinity": PAIRS,
    "friction": LAW,
    "condim": LAW,
    "solref": LAW,
    "solimp": LAW,
    "solmix": LAW,
    "priority": LAW,
    "margin": "contact begins where shapes touch",
    "gap": "contact begins where shapes touch",
    "solreflimit": RIGID,
    "solimplimit": RIGID,
    "solreffriction": RIGID,
    "solimpfriction": RIGID,
    "mocap": "a body that is led from outside is stated by drives",
    "gravcomp": "every body has its weight",
    "hfield": "height fields are added to the model: see ns.height_field",
    "flag": SETTING,
    **dict.fromkeys(("timestep", "integrator", "solver", "cone", "jacobian", "iterations"), SETTING),
    **dict.fromkeys(
        ("tolerance", "impratio", "ls_iterations", "noslip_iterations", "ccd_iterations"), SETTING
    ),
}


def mark_taken(root: XmlElement, drawn: bool) -> Iterator[str]:
    """Mark things that are taken as read; yields the names of included files.

    drawn: whether colours of geoms are taken.
    """
    known = {**TAKEN, **DRAWN} if drawn else TAKEN
    waiting = [root]
    while waiting:
        element = waiting.pop()
        outer = "" if element.parent is None else f"{element.parent.name}/{element.name}"
        taken = known.get(outer, known.get(element.name))
        if taken is None:
            continue
        element.is_read = True
        element.read |= set(element.attributes) if taken is ALL else taken
        if element.name == "include":
            yield element.word("file")
        waiting += element.children
