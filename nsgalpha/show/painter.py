"""A small painter: balls, rods and faces in perspective, without a graphics card.

For every ray through a pixel the nearest thing that it hits is found (`Hits`), then all pixels are shaded at
once. Rays are (x, y, 1) in the camera's axes, so that the depth of a hit is its third coordinate.

    ball   |s d - c|^2 = r^2         s = (d.c -+ sqrt((d.c)^2 - d.d (c.c - r^2)))/d.d
    face   n . (s d - p) = 0         s = n.p/n.d,  inside if left of all edges in the picture

Translucent faces are laid over that from far to near.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha import painting
from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.show.camera import Camera
from nsgalpha.show.face_cutting import cut

Single = NDArray[np.float32]
Picture = NDArray[np.uint8]

SHADOWS = 900  # rays of the light to a side


class Rounds(NamedTuple):
    """K balls and rods: all points within `radius` of the line from `a` to `b`."""

    a: Floats  # (K, 3) [m]
    b: Floats  # (K, 3), equal to `a` for a ball
    radius: Floats  # (K,)
    hollow: Flags  # (K,) a ball that is seen from within
    colour: Floats  # (K, 3) in [0, 1]
    rotation: Floats  # (K, 4) of the marks, which show how a ball turns
    opacity: Floats | None = None  # (K,) in [0, 1]; None: 1

    def split(self) -> tuple[Rounds, Rounds]:
        """Solid and translucent ones."""
        solid = np.ones(len(self.radius), bool) if self.opacity is None else self.opacity >= 1.0
        return self.at(solid), self.at(~solid)

    def at(self, which: Flags) -> Rounds:
        """The chosen hits (K,)."""
        columns: Any = (column[which] for column in self if column is not None)
        return Rounds(*columns)


class Faces(NamedTuple):
    """F flat convex faces."""

    corners: list[Floats]  # (n, 3) [m] each, counter-clockwise around the outward normal
    colour: Floats  # (F, 3)
    opacity: Floats  # (F,) in [0, 1]
    cell: Floats  # (F,) [m] of its squares, 0: none


class Hits:
    """Nearest hit of every ray of a camera: depth, and number of the thing or -1.

    Rounds have the numbers from 0, faces those behind them.
    """

    def __init__(self, camera: Camera, width: int, height: int) -> None:
        self.camera = camera
        self.half = np.tan(0.5 * np.radians(camera.angle))
        self.scale = 0.5 * height / self.half  # pixels per unit of the ray
        self.x = ((np.arange(width) + 0.5 - 0.5 * width) / self.scale).astype(np.float32)
        self.y = ((np.arange(height) + 0.5 - 0.5 * height) / self.scale).astype(np.float32)
        self.depth = np.full((height, width), np.inf, np.float32)
        self.thing = np.full((height, width), -1, np.int32)
        self.rays = painting.Rays(self.thing, self.depth, self.x, self.y, camera.axes, float(self.scale))

    def window(self, low: Floats, high: Floats) -> tuple[slice, slice]:
        """Rows and columns of the rays between `low` and `high` (2,), x and y."""
        middle = 0.5 * np.array([len(self.x), len(self.y)])
        first = np.clip(np.floor(low * self.scale + middle), 0, 2 * middle).astype(int)
        last = np.clip(np.ceil(high * self.scale + middle), 0, 2 * middle).astype(int)
        return slice(first[1], last[1]), slice(first[0], last[0])

    def add_rounds(self, rounds: Rounds) -> None:
        """Hits of all balls and rods."""
        a, b = (self.camera.coordinates(end) for end in (rounds.a, rounds.b))
        is_ball = (rounds.a == rounds.b).all(axis=1)
        painting.hit_balls(self.rays, np.flatnonzero(is_ball), a, rounds.radius, rounds.hollow)
        for k in np.flatnonzero(~is_ball).tolist():
            self._keep(*self._round(a[k], b[k], rounds.radius[k], False), k)

    def rounds(self, rounds: Rounds) -> Iterator[tuple[int, tuple[tuple[slice, slice], Single]]]:
        """Number, and window and depth, of each."""
        a, b = (self.camera.coordinates(end) for end in (rounds.a, rounds.b))
        for k, radius in enumerate(rounds.radius):
            yield k, self._round(a[k], b[k], radius, bool(rounds.hollow[k]))

    def _round(self, a: Floats, b: Floats, radius: float, hollow: bool) -> tuple[tuple[slice, slice], Single]:
        """Window and depth of the ball or rod from `a` to `b` (3,) in the camera's axes."""
        if radius == 0.0 or max(a[2], b[2]) <= -radius:  # nothing, or behind the eye
            return (slice(0, 0), slice(0, 0)), np.empty((0, 0), np.float32)
        width, height = len(self.x), len(self.y)
        left, right, top, bottom = painting.ball_window(np.array([a, b]), radius, self.scale, width, height)
        window = slice(top, bottom), slice(left, right)
        x, y = self.x[window[1]], self.y[window[0]]
        if (a == b).all():
            return window, painting.ball_depth(x, y, a, radius, hollow)
        return window, rod_depth(x, y, a, b, radius)

    def add_faces(self, faces: Faces, which: Ints, first: int) -> None:
        """Hits of the faces `which`, whose numbers begin with `first`."""
        seen, normal, distance = self._before_eye(faces, which)
        if not len(which):
            return
        start = np.cumsum([0, *map(len, seen)])
        p = np.concatenate(seen)
        painting.hit_faces(self.rays, first + which, p[:, :2] / p[:, 2:], start, normal, distance)

    def faces(self, faces: Faces, which: Ints) -> Iterator[tuple[tuple[slice, slice], Single]]:
        """Window and depth, infinite outside, of each of the faces `which`."""
        for seen, n, distance in zip(*self._before_eye(faces, which), strict=True):
            yield self._face(seen, n, float(distance))

    def _before_eye(self, faces: Faces, which: Ints) -> tuple[list[Floats], Floats, Floats]:
        """Parts of the faces `which` before the eye: corners (n, 3) in the axes of the camera.

        Also their normals (F, 3), of any length, and the distances (F,) of their planes along these.
        """
        if len(which) == 0:
            return [], np.empty((0, 3)), np.empty(0)
        corners = [faces.corners[k] for k in which]
        start = np.cumsum([0] + [len(each) for each in corners])
        p = self.camera.coordinates(np.concatenate(corners))
        at = start[:-1]
        normal = np.cross(p[at + 1] - p[at], p[at + 2] - p[at + 1])
        distance = (normal * p[at]).sum(axis=1)
        near = 1e-3 * np.maximum.reduceat(np.abs(p).max(axis=1), at)
        behind = np.minimum.reduceat(p[:, 2], at) < near
        seen = np.split(p, start[1:-1])
        for k in np.flatnonzero(behind).tolist():
            seen[k] = cut(seen[k], np.array([0.0, 0.0, 1.0]), float(near[k]))
        return seen, normal, distance

    def _face(self, p: Floats, normal: Floats, distance: float) -> tuple[tuple[slice, slice], Single]:
        """See `faces`, with corners `p` (n, 3) before the eye, in its axes."""
        if len(p) == 0 or distance == 0.0:
            return (slice(0, 0), slice(0, 0)), np.empty((0, 0), np.float32)
        flat = p[:, :2] / p[:, 2:]
        window = self.window(flat.min(axis=0), flat.max(axis=0))
        x, y = self.x[None, window[1]].astype(float), self.y[window[0], None].astype(float)
        toward = -np.sign(distance)  # 1 where the outward side is seen; y points down
        inside = np.ones((y.size, x.size), bool)
        ends = flat.tolist()
        for (x0, y0), (x1, y1) in zip(ends, ends[1:] + ends[:1], strict=True):
            inside &= toward * (x1 - x0) * (y - y0) <= toward * (y1 - y0) * (x - x0)
        slope = normal[0] * x + (normal[1] * y + normal[2])
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = (distance / slope).astype(np.float32)
        depth[~(inside & (depth > 0.0))] = np.inf
        return window, depth

    def _keep(self, window: tuple[slice, slice], depth: Single, thing: int) -> None:
        nearer = depth < self.depth[window]
        self.depth[window][nearer] = depth[nearer]
        self.thing[window][nearer] = thing


def rod_depth(x: Single, y: Single, start: Floats, end: Floats, radius: float) -> Single:
    """Depth of the first hit of a rod with round ends; infinite without one."""
    axis = end - start
    square = float(axis @ axis)
    caps = [painting.ball_depth(x, y, cap, radius, False) for cap in (start, end)]
    x, y = x[None, :], y[:, None]
    a = 1.0 + x * x + y * y
    along = (axis[0] * x + axis[1] * y + axis[2]) / square  # of the ray, per depth
    b = start[0] * x + start[1] * y + start[2]
    foot = float(start @ axis) / square
    with np.errstate(invalid="ignore", divide="ignore"):
        A = a - square * along**2
        B = b - square * along * foot
        root = B**2 - A * (start @ start - square * foot**2 - radius**2)
        depth = (B - np.sqrt(root)) / A
        part = depth * along - foot
        side = np.where((part >= 0.0) & (part <= 1.0) & (depth > 0.0), depth, np.inf)
    return np.minimum(side, np.minimum(*caps)).astype(np.float32)


def paint(
    camera: Camera, size: tuple[int, int], rounds: Rounds, faces: Faces, up: Floats, fineness: int = 2
) -> Picture:
    """Picture (height, width, 3) of `size` (width, height); fineness: rays to a side of each pixel.

    The light comes from above (`up`, (3,)), from behind the camera and from its left.
    """
    width, height = size
    rounds, clear = rounds.split()
    hits = Hits(camera, width * fineness, height * fineness)
    solid = np.flatnonzero(faces.opacity >= 1.0)
    hits.add_rounds(rounds)
    hits.add_faces(faces, solid, len(rounds.radius))
    light = lamp(camera, rounds, faces, up)
    image = np.empty((*hits.depth.shape, 3), np.float32)
    shade(image, hits, rounds, faces, light)
    for layer in layers(hits, clear, faces):
        window = image[layer.window], hits.depth[layer.window]
        painting.lay_over(*window, layer.depth, np.asarray(layer.colour, float), float(layer.opacity))
    return painting.averaged(image, fineness)


class Layer(NamedTuple):
    """A translucent thing in a picture."""

    window: tuple[slice, slice]
    depth: Single
    colour: Floats  # (3,)
    opacity: float
    distance: float  # of its middle from the eye [m]


def layers(hits: Hits, rounds: Rounds, faces: Faces) -> list[Layer]:
    """Translucent rounds, all of `rounds`, and faces, from far to near."""
    camera, glass = hits.camera, np.flatnonzero(faces.opacity < 1.0)
    found = []
    for k, hit in zip(glass.tolist(), hits.faces(faces, glass), strict=True):
        away = _distance(camera, faces.corners[k].mean(axis=0))
        found.append(Layer(*hit, faces.colour[k], faces.opacity[k], away))
    if rounds.opacity is not None:
        for k, hit in hits.rounds(rounds):
            away = _distance(camera, 0.5 * (rounds.a[k] + rounds.b[k]))
            found.append(Layer(*hit, rounds.colour[k], rounds.opacity[k], away))
    return sorted(found, key=lambda layer: -layer.distance)


def _distance(camera: Camera, point: Floats) -> float:
    return float(np.linalg.norm(camera.coordinates(point)))


def lamp(camera: Camera, rounds: Rounds, faces: Faces, up: Floats) -> Hits:
    """The surfaces that a distant light hits first. Planes do not stop it."""
    right, _, forward = camera.axes
    towards = 1.5 * up - 0.45 * forward - 0.6 * right
    towards /= np.linalg.norm(towards)
    casting = np.flatnonzero((faces.opacity >= 1.0) & (faces.cell == 0.0))
    ends = np.concatenate([rounds.a, rounds.b, *(faces.corners[k] for k in casting)])
    ends = ends if len(ends) else np.concatenate([np.zeros((1, 3)), *faces.corners])  # nobody is there
    middle = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
    reach = float(np.linalg.norm(np.ptp(ends, axis=0))) / 2.0 + float(rounds.radius.max(initial=0.0)) or 1.0
    beside = np.eye(3)[np.argmin(np.abs(towards))]
    light = Camera(middle + 20.0 * reach * towards, middle, beside, 2.0 * np.degrees(np.arcsin(1.05 / 20.0)))
    hits = Hits(light, SHADOWS, SHADOWS)
    hits.add_rounds(rounds._replace(radius=np.where(rounds.hollow, 0.0, rounds.radius)))
    hits.add_faces(faces, casting, len(rounds.radius))
    return hits


def shade(image: Single, hits: Hits, rounds: Rounds, faces: Faces, light: Hits) -> None:
    """Write the colours of all hits to `image` (height, width, 3)."""
    eye, lamp_eye = np.asarray(hits.camera.eye, float), np.asarray(light.camera.eye, float)
    away = float(np.linalg.norm(np.asarray(light.camera.target, float) - lamp_eye))
    axes = light.camera.axes
    lamp = painting.Lamp(light.depth, axes, axes @ (eye - lamp_eye), light.scale, 3.0 * away / light.scale)
    balls = painting.RoundShapes(
        rounds.a - eye, rounds.b - rounds.a, rounds.radius, rounds.colour, rounds.rotation
    )
    painting.shade_rays(image, hits.rays, lamp, balls, _flat_shapes(faces, eye))


def _flat_shapes(faces: Faces, eye: Floats) -> painting.FlatShapes:
    """The faces for `shade_rays`."""
    corner = np.array([each[:3] for each in faces.corners]).reshape(-1, 3, 3)
    edge = corner[:, 1] - corner[:, 0]
    across = np.cross(edge, corner[:, 2] - corner[:, 1])
    squares = np.stack([edge, np.cross(across, edge)], axis=1)
    squares /= np.linalg.norm(squares, axis=2, keepdims=True)
    cell = faces.cell[:, None, None]
    squares = np.divide(squares, cell, out=np.zeros_like(squares), where=cell > 0.0)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return painting.FlatShapes(corner[:, 0] - eye, across, squares, faces.colour)
