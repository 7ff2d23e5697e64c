"""The visible things of a model: balls, rods and faces, hung on movers; joints are among them.

Movers are the bodies, then the ground, then the frames of prescribed planes. Points are fixed in a mover
each; rods and faces have their ends and corners in them. Planes become finite faces: as large as the
scene, and cut where other planes of the same mover end them, so that a table has its edge at the cushions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import refuse
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.prescribed import frame_motion
from nsgalpha.run.result import Result
from nsgalpha.show.faces import cut, plane_face, shells
from nsgalpha.show.mechanisms import add_joints
from nsgalpha.show.reading import rows_at
from nsgalpha.turning import turned, turned_back

LEVEL = 0.7  # a plane whose normal is less upright than that is a wall
LOOKS = 64  # recorded states from which the extent of the scene is found


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """P points, K rods, F faces of a model with N bodies; M movers."""

    model: Model
    frames: list[Plane]  # prescribed planes, movers behind the ground
    low: Floats  # (3,) [m] of the box of all that moves, over the run
    high: Floats
    up: Floats  # (3,) unit, against gravity
    radius: Floats  # (N,) [m] of the bodies, 0 without a surface
    hollow: Flags  # (N,) a ball that holds another at the start, seen from within
    owner: Ints  # (P,) movers of the points
    place: Floats  # (P, 3) in the frame of the mover [m]
    rods: Ints  # (K, 2) points: a ball where they are the same one
    rod_radius: Floats  # (K,) [m], negative: hollow
    is_joint: Flags  # (K,) part of a joint
    faces: list[list[int]]  # points, counter-clockwise around the outward normal
    is_plane: Flags  # (F,) part of a plane
    is_floor: Flags  # (F,) of one that no body carries and that is level at the start
    cell: float  # [m] of the squares on planes

    def pose(self, result: Result, record: int) -> tuple[Floats, Floats]:
        """Positions (M, 3) and rotations (M, 4) of the movers in the recorded state number `record`."""
        return self._pose(float(result.t[record]), result.position[record], result.rotation[record])

    def _pose(self, t: float, x: Floats, q: Floats) -> tuple[Floats, Floats]:
        moved = [frame_motion(plane, t)[:2] for plane in self.frames]
        ground = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        xs, qs = zip(ground, *moved, strict=True)
        return np.concatenate([x, xs]), np.concatenate([q, qs])

    def points(self, x: Floats, q: Floats) -> Floats:
        """The points (P, 3) [m] at the pose `x`, `q` of the movers, inertial."""
        return x[self.owner] + turned(q[self.owner], self.place)


class _Builder:
    """Points, rods and faces as they are added."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.frames = [plane for plane in model.planes if plane.motion is not None]
        self.owner: list[int] = []
        self.place: list[Floats] = []
        self.rods: list[tuple[int, int]] = []
        self.rod_radius: list[float] = []
        self.of_joints = 0  # the last rods
        self.faces: list[list[int]] = []
        self.is_plane: list[bool] = []
        self.is_floor: list[bool] = []

    def mover(self, carrier: Body | Plane | None) -> int:
        """Number of what moves with `carrier`."""
        ground = len(self.model.bodies)
        if isinstance(carrier, Plane):
            if carrier.motion is not None:
                return ground + 1 + next(k for k, plane in enumerate(self.frames) if plane is carrier)
            carrier = carrier.body
        return ground if carrier is None else carrier.index

    def point(self, owner: int, place: Floats) -> int:
        """Number of a new point."""
        self.owner.append(owner)
        self.place.append(place)
        return len(self.owner) - 1

    def rod(self, a: int, b: int, radius: float) -> None:
        """A rod between two points."""
        self.rods.append((a, b))
        self.rod_radius.append(radius)

    def face(self, corners: list[int], is_plane: bool = False, is_floor: bool = False) -> None:
        """A face between points."""
        self.faces.append(corners)
        self.is_plane.append(is_plane)
        self.is_floor.append(is_floor)

    def primitive(self, primitive: Primitive) -> None:
        """A ball, a rod, or a face; one with a thickness has two sides and a round edge."""
        shapes, radius = self.model.shapes, primitive.radius
        owners = [self.mover(shapes.carriers[c]) if primitive.rigid else c for c in primitive.corners]
        places = [shapes.places[c] if primitive.rigid else np.zeros(3) for c in primitive.corners]
        points = [self.point(*each) for each in zip(owners, places, strict=True)]
        if len(points) < 3:
            if radius != 0.0:
                self.rod(points[0], points[-1], radius)
            return
        if radius == 0.0 or not primitive.rigid:
            self.face(points)
        else:
            corners = np.array(places)
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
            normal *= radius / np.linalg.norm(normal)
            for side in (normal, -normal):
                self.face([self.point(owners[0], place + side) for place in places])
        if radius != 0.0:
            for a, b in zip(points, [*points[1:], points[0]], strict=True):
                self.rod(a, b, radius)


def scene_of(result: Result) -> Scene:
    """The scene of a result.

    Raises ValueError if the model has nothing to see: no body, plane or primitive with an extent.
    """
    model = result.model
    build = _Builder(model)
    for primitive in model.primitives:
        build.primitive(primitive)
    radius = np.array([body.radius for body in model.bodies])
    build.of_joints = add_joints(model, build, lambda: _size(*_extent(result, radius, build)))
    low, high = _extent(result, radius, build)
    up = -model.gravity / np.linalg.norm(model.gravity) if model.gravity.any() else np.array([0.0, 0.0, 1.0])
    return _finish(result, build, radius, low, high, up)


def _extent(result: Result, radius: Floats, build: _Builder) -> tuple[Floats, Floats]:
    """Box (3,), (3,) [m] of bodies and primitives, over the run."""
    n = len(result.t)
    reach = radius.copy()
    for owner, place in zip(build.owner, build.place, strict=True):
        if owner < len(reach):
            reach[owner] = max(reach[owner], float(np.linalg.norm(place)))
    fixed = [place for owner, place in zip(build.owner, build.place, strict=True) if owner == len(reach)]
    x = rows_at(result.position, sorted({round(k) for k in np.linspace(0, n - 1, min(n, LOOKS))}))
    low = (x - reach[:, None]).min(axis=(0, 1), initial=np.inf)
    high = (x + reach[:, None]).max(axis=(0, 1), initial=-np.inf)
    for place in fixed:
        low, high = np.minimum(low, place), np.maximum(high, place)
    if not (np.isfinite(low) & np.isfinite(high)).all():
        raise refuse("result", "a model without bodies", "one with something to see", "add a body")
    margin = max(0.04 * float((high - low).max()), float(reach.max(initial=0.0)))
    return low - (margin or 1.0), high + (margin or 1.0)


def _finish(result: Result, build: _Builder, radius: Floats, low: Floats, high: Floats, up: Floats) -> Scene:
    """Add the planes to what was built."""
    model = result.model
    x, q = result.position[0], result.rotation[0]
    bare = Scene(model, build.frames, low, high, up, radius, shells(x, radius), *_tables(build), cell=1.0)
    x, q = bare.pose(result, 0)
    for plane in model.planes:
        mover = build.mover(plane)
        others = [p for p in model.planes if p is not plane and build.mover(p) == mover]
        halves = [(other.normal, other.offset) for other in others]
        turn = np.tile(q[mover], (6, 1))
        sides = turned_back(turn, np.concatenate([np.eye(3), -np.eye(3)]))
        from_origin = np.concatenate([low - x[mover], x[mover] - high])
        middle = turned_back(q[mover], 0.5 * (low + high) - x[mover])
        face = plane_face(plane.normal, plane.offset, middle, float(np.linalg.norm(high - low)))
        for normal, offset in zip(sides, from_origin, strict=True):
            if abs(normal @ plane.normal) < 0.9:
                face = cut(face, normal, offset)
        whole = face
        for normal, offset in halves:
            face = cut(face, normal, offset)
        face = face if len(face) > 2 else whole
        if len(face) > 2:
            level = mover >= len(radius) and bool(turned(q[mover], plane.normal) @ up > LEVEL)
            build.face([build.point(mover, place) for place in face], True, level)
    cell = _round_length(_size(low, high) / 16.0)
    return Scene(model, build.frames, low, high, up, radius, bare.hollow, *_tables(build), cell=cell)


def _size(low: Floats, high: Floats) -> float:
    """The longest side [m] of a box."""
    return float((high - low).max())


def _tables(build: _Builder) -> tuple[Ints, Floats, Ints, Floats, Flags, list[list[int]], Flags, Flags]:
    return (
        np.array(build.owner, np.int64),
        np.reshape(np.array(build.place, float), (-1, 3)),
        np.reshape(np.array(build.rods, np.int64), (-1, 2)),
        np.array(build.rod_radius, float),
        np.arange(len(build.rods)) >= len(build.rods) - build.of_joints,
        build.faces,
        np.array(build.is_plane, bool),
        np.array(build.is_floor, bool),
    )


def _round_length(length: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * next(step for step in (1.0, 2.0, 5.0, 10.0) if step * power >= length * 0.999))
