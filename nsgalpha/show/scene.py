"""The visible things of a model: balls, rods, faces and joints, attached to movers.

Movers are the bodies, then the ground, then the frames of prescribed planes. Points are fixed in a mover
each; rods and faces have their ends and corners in them. Planes become finite faces as large as the scene.
Other planes cut them, so that a table has its edge at the cushions. Shapes for contact of bodies that have
visual ones are things of the kind CONTACT_SHAPE, which pictures and pages leave out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, turned
from nsgalpha.checks import refuse
from nsgalpha.model.appearance import RGBA
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.model.visual_shapes import dressed
from nsgalpha.run.result import Result
from nsgalpha.show.face_cutting import shells
from nsgalpha.show.joint_shapes import add_joints, add_springs, shown_joints
from nsgalpha.show.periodic_images import add_cell, shown_places
from nsgalpha.show.plane_faces import (
    FLAT,
    LEVEL,
    SAMPLES,
    Box,
    Poses,
    boxes_of_planes,
    container,
    faces_of_planes,
    frames_of,
    glide,
    levels,
)
from nsgalpha.show.row_reader import rows_at
from nsgalpha.show.view_framing import framed

LOOKS = 64  # recorded states from which the extent of the scene is found
POLYGONS = "wall of polygons"
CONTACT_SHAPE = "contact shape"  # kind of thing
FAR_OFF = 10.0  # sizes of the view, from where on an origin is moved
DOT = 0.012  # radius of bodies of which nothing else is seen, over the size of the scene
SPREAD = 1.5  # of the size of the view, by which planes that nothing bounds fade out around the scene


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """P points, K rods, F faces of a model with N bodies; M movers."""

    model: Model
    frames: list[list[Plane]]  # prescribed planes, those that move alike are one mover behind the ground
    low: Floats  # (3,) [m] of the box of all that moves, over the run
    high: Floats
    view_low: Floats  # (3,) [m] of the box of the first view
    view_high: Floats
    up: Floats  # (3,) unit, against gravity
    radius: Floats  # (N,) [m] of the bodies, 0 without a surface, or with visual shapes in its place
    hollow: Flags  # (N,) a ball that holds another at the start, seen from within
    owner: Ints  # (P,) movers of the points
    place: Floats  # (P, 3) in the frame of the mover [m]
    rods: Ints  # (K, 2) points: a ball where they are the same one
    rod_radius: Floats  # (K,) [m], negative: hollow
    is_joint: Flags  # (K,) part of a joint, a rope or a spring
    faces: list[list[int]]  # points, counter-clockwise around the outward normal
    is_plane: Flags  # (F,) part of a plane
    is_floor: Flags  # (F,) of one that no body carries and that stays level
    is_wall: Flags  # (F,) other planes, and fixed polygons that hold the bodies; they look inwards
    things: list[tuple[str, str]]  # names and kinds of things that are no bodies
    thing_colours: list[RGBA | None]  # colours of things that were stated, None: the usual one
    rod_thing: Ints  # (K,) numbers of things; -1: part of the body that carries it
    face_thing: Ints  # (F,)
    rod_visual: Ints  # (K,) numbers of visual shapes; -1: of none
    face_visual: Ints  # (F,)
    cell: float  # [m] of the squares on planes
    origin: Floats  # (3,) [m] from which pages count, whose numbers have 32 bits
    spread: float  # [m] by which planes reach beyond the box of the scene

    def pose(self, result: Result, record: int) -> tuple[Floats, Floats]:
        """Positions (M, 3) and rotations (M, 4) of the movers in the recorded state number `record`."""
        return self.pose_of(float(result.t[record]), result.position[record], result.rotation[record])

    def pose_of(self, t: float, x: Floats, q: Floats) -> tuple[Floats, Floats]:
        """The same at the time `t` [s] with the bodies at `x` (N, 3), `q` (N, 4)."""
        return _posed(self.frames, t, shown_places(self.model, x, t), q)

    @property
    def shift(self) -> Floats:
        """The origin for each mover (M, 3) [m] but the ground, whose points are moved instead."""
        n = len(self.radius)
        return np.where(np.arange(n + 1 + len(self.frames))[:, None] == n, 0.0, self.origin)

    def points(self, x: Floats, q: Floats) -> Floats:
        """The points (P, 3) [m] at the pose `x`, `q` of the movers, inertial."""
        return x[self.owner] + turned(q[self.owner], self.place)

    def drawn(self, contact_shapes: bool) -> tuple[Flags, Flags]:
        """Rods (K,) and faces (F,) in pictures: visual shapes, or the `contact_shapes` in their place."""
        hidden = np.array([kind == CONTACT_SHAPE for _, kind in self.things] + [False])  # the last one: -1
        pairs = (self.rod_visual, self.rod_thing), (self.face_visual, self.face_thing)
        rods, faces = (shape < 0 if contact_shapes else ~hidden[thing] for shape, thing in pairs)
        return rods, faces


def _posed(frames: list[list[Plane]], t: float, x: Floats, q: Floats) -> tuple[Floats, Floats]:
    moved = [frame_motion(group[0], t)[:2] for group in frames]
    ground = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    xs, qs = zip(ground, *moved, strict=True)
    return np.concatenate([x, xs]), np.concatenate([q, qs])


class _Builder:
    """Points, rods and faces as they are added."""

    def __init__(self, model: Model, frames: list[list[Plane]]) -> None:
        self.model = model
        self.frames = frames
        self.dressed = dressed(model)
        numbers = enumerate(frames, start=len(model.bodies) + 1)  # of the movers of prescribed planes
        self.moving = {plane.index: number for number, group in numbers for plane in group}
        self.owner: list[int] = []
        self.place: list[Floats] = []
        self.corners: dict[tuple[bool, int], int] = {}  # points that faces share
        self.rods: list[tuple[int, int]] = []
        self.rod_radius: list[float] = []
        self.rod_thing: list[int] = []
        self.of_joints = 0  # the last rods
        self.faces: list[list[int]] = []
        self.face_kind: list[str] = []
        self.face_thing: list[int] = []
        self.rod_visual: list[int] = []
        self.face_visual: list[int] = []
        self.things: list[tuple[str, str]] = []
        self.thing_colours: list[RGBA | None] = []
        self.thing = self.shape = -1

    def begin(self, name: str = "", kind: str = "", colour: RGBA | None = None) -> None:
        """Make the following parts of this thing; without a kind, of their carriers."""
        if not kind:
            self.thing = -1
            return
        if not self.things or (self.things[-1], self.thing_colours[-1]) != ((name, kind), colour):
            self.things.append((name, kind))
            self.thing_colours.append(colour)
        self.thing = len(self.things) - 1

    def mover(self, carrier: Body | Plane | None) -> int:
        """Number of the things that move with `carrier`."""
        if isinstance(carrier, Plane):
            if carrier.motion is not None:
                return self.moving[carrier.index]
            carrier = carrier.body
        return len(self.model.bodies) if carrier is None else carrier.index

    def point(self, owner: int, place: Floats) -> int:
        """Number of a new point."""
        self.owner.append(owner)
        self.place.append(place)
        return len(self.owner) - 1

    def corner(self, rigid: bool, number: int) -> int:
        """Point number of a row of the table of shapes, or of a body."""
        if (rigid, number) not in self.corners:
            shapes = self.model.shapes
            owner = self.mover(shapes.carriers[number]) if rigid else number
            place = shapes.places[number] if rigid else np.zeros(3)
            self.corners[rigid, number] = self.point(owner, place)
        return self.corners[rigid, number]

    def rod(self, a: int, b: int, radius: float) -> None:
        """A rod between two points."""
        self.rods.append((a, b))
        self.rod_radius.append(radius)
        self.rod_thing.append(self.thing)
        self.rod_visual.append(self.shape)

    def face(self, corners: list[int], kind: str = "face") -> None:
        """A face between points; kind: "face", "floor" or "wall" of a plane, "wall of polygons"."""
        self.faces.append(corners)
        self.face_kind.append(kind)
        self.face_thing.append(self.thing)
        self.face_visual.append(self.shape)

    def primitive(self, primitive: Primitive) -> None:
        """A ball, rod or face; one with thickness has two sides and round edges."""
        radius, n = primitive.radius, len(self.model.bodies)
        points = [self.corner(primitive.rigid, c) for c in primitive.corners]
        owner = self.owner[points[0]]
        self.thing = -1
        if owner >= n:
            self.begin(primitive.name if len(points) < 3 else "fixed polygons", "mesh")
        elif owner in self.dressed:
            self.begin(self.model.bodies[owner].name, CONTACT_SHAPE)
        if len(points) < 3:
            if radius != 0.0:
                self.rod(points[0], points[-1], radius)
            return
        if radius == 0.0 or not primitive.rigid:
            self.face(points)
        else:
            corners = np.array([self.place[p] for p in points])
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
            normal *= radius / np.linalg.norm(normal)
            self.face([self.point(owner, place + normal) for place in corners])
            self.face([self.point(owner, place - normal) for place in corners[::-1]])
        if radius != 0.0:
            for a, b in zip(points, [*points[1:], points[0]], strict=True):
                self.rod(a, b, radius)

    def visuals(self) -> None:
        """The visual shapes, and the balls of bodies that these hide."""
        for number, visual in enumerate(self.model.visuals):
            self.shape = number
            owner = self.mover(visual.carrier)
            self.begin(*(("visual shapes", "mesh") if visual.carrier is None else ("", "")))
            points = [self.point(owner, place) for place in visual.vertices]
            for face in visual.faces:
                self.face([points[corner] for corner in face])
            if visual.radius > 0.0:
                self.rod(points[0], points[-1], visual.radius)
        self.shape = -1
        for body in (self.model.bodies[k] for k in sorted(self.dressed)):
            if body.radius > 0.0:
                self.begin(body.name, CONTACT_SHAPE)
                centre = self.point(body.index, np.zeros(3))
                self.rod(centre, centre, body.radius)

    def surfaces(self) -> None:
        """The triangles of surfaces of which no primitives were made."""
        known = {frozenset(each.corners) for each in self.model.primitives if not each.rigid}
        for surface in self.model.surfaces:
            self.begin(surface.name, "surface")
            for row in surface.bodies[surface.triangles].tolist():
                if frozenset(row) not in known:
                    self.face([self.corner(False, number) for number in row])

    def dots(self, bodies: Ints, size: Callable[[], float]) -> None:
        """Balls for `bodies` without shape and joint; `size()` [m] is the scene's."""
        joints = [each.joint for each in shown_joints(self.model)]
        joined = {c.index for joint in joints for c in joint.carriers if isinstance(c, Body)}
        bare = [int(k) for k in bodies if k not in joined.union(self.owner)]
        radius = DOT * size() if bare else 0.0
        self.thing = -1
        for body in bare:
            point = self.point(body, np.zeros(3))
            self.rod(point, point, radius)

    def fixed(self, rods: bool) -> Floats:
        """Points (Q, 3) [m] fixed in space, of rods or of all else."""
        ground = len(self.model.bodies)
        of_rods = {p for rod in self.rods for p in rod}
        points = [k for k, o in enumerate(self.owner) if o == ground and (k in of_rods) == rods]
        return np.reshape([self.place[k] for k in points], (-1, 3))


def scene_of(result: Result, *, spread: float = 0.0) -> Scene:
    """The scene of a result; planes reach beyond its box by `spread` sizes of the view.

    Raises ValueError if the model has nothing to see: no body, plane or primitive with an extent.
    """
    model = result.model
    records = sorted({round(k) for k in np.linspace(0, len(result.t) - 1, min(len(result.t), LOOKS))})
    x, q = (rows_at(p, records) for p in (result.position, result.rotation))
    if model.open_boundaries:
        x = _while_there(x, result.present[records])
    return scene_at(model, result.t[records], x, q, spread=spread)


def _while_there(x: Floats, there: Flags) -> Floats:
    """Positions (S, N, 3), of bodies that are not `there` (S, N) the nearest of those where they are.

    Bodies that are never present have the place of another body.
    """
    x, seen = x.copy(), there.any(axis=0)
    for body in np.flatnonzero(seen & ~there.all(axis=0)).tolist():
        known = np.flatnonzero(there[:, body])
        x[:, body] = x[known[np.abs(np.arange(len(x))[:, None] - known).argmin(axis=1)], body]
    if seen.any():
        x[:, ~seen] = x[:, seen][:, :1]
    return x


def scene_at(model: Model, t: Floats, x: Floats, q: Floats, *, spread: float = 0.0) -> Scene:
    """See scene_of; the bodies are at `x` (S, N, 3), `q` (S, N, 4) at the times `t` (S,)."""
    x = shown_places(model, x, t)
    build = _Builder(model, frames_of(model.planes, float(t[0]), float(t[-1])))
    for primitive in model.primitives:
        build.primitive(primitive)
    build.surfaces()
    build.visuals()
    radius = np.array([0.0 if body.index in build.dressed else body.radius for body in model.bodies])

    def size() -> float:
        low, high = _extent(x, radius, build)
        return float((high - low).max())

    build.dots(np.flatnonzero(radius == 0.0), size)
    if model.periodic is not None and len(radius):
        add_cell(model, build, _extent(x, radius, build), size)
    build.of_joints = add_joints(model, build, size) + add_springs(model, build, size)
    low, high = _extent(x, radius, build)
    up = -model.gravity / np.linalg.norm(model.gravity) if model.gravity.any() else np.array([0.0, 0.0, 1.0])
    return _finish(build, t, x, q, radius, (low, high), up, spread)


def _reach(radius: Floats, build: _Builder) -> Floats:
    """Extent (N,) [m] of bodies and their carried shapes from their centres."""
    reach = radius.copy()
    for owner, place in zip(build.owner, build.place, strict=True):
        if owner < len(reach):
            reach[owner] = max(reach[owner], float(np.linalg.norm(place)))
    return reach


def _extent(x: Floats, radius: Floats, build: _Builder) -> tuple[Floats, Floats]:
    """Box (3,), (3,) [m] of bodies at `x` (S, N, 3) and primitives."""
    reach = _reach(radius, build)
    low = (x - reach[:, None]).min(axis=(0, 1), initial=np.inf)
    high = (x + reach[:, None]).max(axis=(0, 1), initial=-np.inf)
    for place in (*build.fixed(True), *build.fixed(False)):
        low, high = np.minimum(low, place), np.maximum(high, place)
    if not (np.isfinite(low) & np.isfinite(high)).all():
        raise refuse("result", "a model without bodies", "one with something to see", "add a body")
    margin = max(0.04 * float((high - low).max()), float(reach.max(initial=0.0)))
    return low - (margin or 1.0), high + (margin or 1.0)


def _finish(
    build: _Builder, t: Floats, x: Floats, q: Floats, radius: Floats, box: Box, up: Floats, spread: float
) -> Scene:
    """Turn polygons around that hold the bodies, and add the planes."""
    model, ground, reach = build.model, len(radius), _reach(radius, build)
    _look_inwards(build, x.mean(axis=1) if ground else np.empty((0, 3)))
    some = [round(k) for k in np.linspace(0, len(t) - 1, min(len(t), SAMPLES))]
    poses = Poses(
        *map(np.array, zip(*(_posed(build.frames, float(t[k]), x[k], q[k]) for k in some), strict=True))
    )
    belts = {plane.index for each in build.frames if glide(each, *t[[0, -1]]) for plane in each}
    carriers_of = [None if plane.index in belts else plane for plane in model.planes]
    movers = np.array([build.mover(carrier) for carrier in carriers_of], np.int64)
    level = levels(model.planes, movers, poses, ground, up)
    flat = levels(model.planes, movers, poses, ground, up, FLAT)
    upright = np.abs(up) > LEVEL
    margin = float(reach.max(initial=0.0))
    carriers = np.maximum(reach, np.median(radius[radius > 0.0])) if radius.any() else reach
    near = framed(x, reach, build.fixed(True), build.fixed(False)[:0] if ground else build.fixed(False))
    near = np.maximum(box[0], near[0] - margin), np.minimum(box[1], near[1] + margin)

    def faces(workspace: float) -> list[Floats]:
        """The planes; floors that nothing bounds reach beyond the box by `workspace` [m]."""
        floor = box[0] - workspace, box[1] + workspace
        boxes = boxes_of_planes(model.planes, movers, poses, flat, carriers, floor, near)
        return faces_of_planes(model.planes, movers.tolist(), poses, boxes)

    shown = faces(0.0)
    corners = [
        poses.x[0, mover] + turned(poses.q[0, mover], face) for mover, face in zip(movers, shown, strict=True)
    ]
    close = 1e-6 * (box[1] - box[0])
    on_side = [(np.abs(face - box[0]) <= close) | (np.abs(face - box[1]) <= close) for face in corners]
    ends = [
        face[~(on_side[k] & ~upright).any(axis=1)] if is_level else face
        for k, (face, is_level) in enumerate(zip(corners, level, strict=True))
    ]
    view = framed(x, reach, build.fixed(True), np.concatenate([build.fixed(False), *ends]))
    workspace = spread * float((view[1] - view[0]).max())
    for plane, mover, is_level, face in zip(
        model.planes, movers, level, faces(workspace) if workspace > 0.0 else shown, strict=True
    ):
        if len(face) > 2:
            build.begin(plane.name, "plane")
            build.face([build.point(int(mover), place) for place in face], "floor" if is_level else "wall")
    middle, size = 0.5 * (view[0] + view[1]), float((view[1] - view[0]).max())
    return Scene(
        model=model,
        low=box[0],
        high=box[1],
        view_low=view[0],
        view_high=view[1],
        up=up,
        radius=radius,
        hollow=shells(x[0], radius),
        cell=_round_length(size / 16.0),
        origin=middle if np.abs(middle).max() > FAR_OFF * size else np.zeros(3),
        spread=workspace,
        **_tables(build),
    )


def _look_inwards(build: _Builder, middles: Floats) -> None:
    """Make walls of the fixed polygons if they hold the bodies, whose `middles` (S, 3) [m] are given."""
    ground = len(build.model.bodies)
    own = [k for k, shape in enumerate(build.face_visual) if shape < 0]
    fixed = [k for k in own if build.owner[build.faces[k][0]] == ground]
    corners = [np.array([build.place[p] for p in build.faces[k]]) for k in fixed]
    for k, reverse in zip(fixed, container(corners, middles), strict=False):
        build.face_kind[k] = POLYGONS
        if reverse:
            build.faces[k].reverse()


def _tables(build: _Builder) -> dict[str, Any]:
    kind = np.array(build.face_kind, "U16")
    return {
        "frames": build.frames,
        "owner": np.array(build.owner, np.int64),
        "place": np.reshape(np.array(build.place, float), (-1, 3)),
        "rods": np.reshape(np.array(build.rods, np.int64), (-1, 2)),
        "rod_radius": np.array(build.rod_radius, float),
        "is_joint": np.arange(len(build.rods)) >= len(build.rods) - build.of_joints,
        "faces": build.faces,
        "is_plane": (kind == "floor") | (kind == "wall"),
        "is_floor": kind == "floor",
        "is_wall": (kind == "wall") | (kind == POLYGONS),
        "things": build.things,
        "thing_colours": build.thing_colours,
        "rod_thing": np.array(build.rod_thing, np.int64),
        "face_thing": np.array(build.face_thing, np.int64),
        "rod_visual": np.array(build.rod_visual, np.int64),
        "face_visual": np.array(build.face_visual, np.int64),
    }


def _round_length(length: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * next(step for step in (1.0, 2.0, 5.0, 10.0) if step * power >= length * 0.999))
