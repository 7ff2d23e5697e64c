"""A small painter: balls, rods and faces in perspective, in numpy, without a graphics card.

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

from nsgalpha.arrays import Flags, Floats, Ints, turned_back
from nsgalpha.show.camera import Camera
from nsgalpha.show.face_cutting import cut

Single = NDArray[np.float32]
Picture = NDArray[np.uint8]
Numbers = NDArray[np.int32]

BACKGROUND = 0.97
MARK = 0.6  # part of white in the marked octants of a ball
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

    def window(self, low: Floats, high: Floats) -> tuple[slice, slice]:
        """Rows and columns of the rays between `low` and `high` (2,), x and y."""
        middle = 0.5 * np.array([len(self.x), len(self.y)])
        first = np.clip(np.floor(low * self.scale + middle), 0, 2 * middle).astype(int)
        last = np.clip(np.ceil(high * self.scale + middle), 0, 2 * middle).astype(int)
        return slice(first[1], last[1]), slice(first[0], last[0])

    def add_rounds(self, rounds: Rounds) -> None:
        """Hits of all balls and rods."""
        for k, (window, depth) in self.rounds(rounds):
            self._keep(window, depth, k)

    def rounds(self, rounds: Rounds) -> Iterator[tuple[int, tuple[tuple[slice, slice], Single]]]:
        """Number, and window and depth, of those that are seen."""
        a, b = (self.camera.coordinates(end) for end in (rounds.a, rounds.b))
        is_ball = (rounds.a == rounds.b).all(axis=1)
        for k, radius in enumerate(rounds.radius):
            ends = a[k : k + 1] if is_ball[k] else np.array([a[k], b[k]])
            if radius == 0.0 or (ends[:, 2] <= -radius).all():
                continue  # nothing, or behind the eye
            window = self.window(*silhouette(ends, radius))
            x, y = self.x[None, window[1]], self.y[window[0], None]
            if x.size == 0 or y.size == 0:
                continue
            if is_ball[k]:
                depth = ball_depth(x, y, a[k], radius, bool(rounds.hollow[k]))
            else:
                depth = rod_depth(x, y, a[k], b[k], radius)
            yield k, (window, depth)

    def add_faces(self, faces: Faces, which: Ints, first: int) -> None:
        """Hits of the faces `which`, whose numbers begin with `first`."""
        for k, (window, depth) in zip(which.tolist(), self.faces(faces, which), strict=True):
            self._keep(window, depth, first + k)

    def faces(self, faces: Faces, which: Ints) -> Iterator[tuple[tuple[slice, slice], Single]]:
        """Window and depth, infinite outside, of each of the faces `which`."""
        if len(which) == 0:
            return
        corners = [faces.corners[k] for k in which]
        start = np.cumsum([0] + [len(each) for each in corners])
        p = self.camera.coordinates(np.concatenate(corners))
        at = start[:-1]
        normal = np.cross(p[at + 1] - p[at], p[at + 2] - p[at + 1])
        distance = (normal * p[at]).sum(axis=1)
        near = 1e-3 * np.maximum.reduceat(np.abs(p).max(axis=1), at)
        behind = np.minimum.reduceat(p[:, 2], at) < near
        for k, n in enumerate(normal):
            seen = p[start[k] : start[k + 1]]
            if behind[k]:
                seen = cut(seen, np.array([0.0, 0.0, 1.0]), float(near[k]))
            yield self._face(seen, n, float(distance[k]))

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


def silhouette(ends: Floats, radius: float) -> tuple[Floats, Floats]:
    """Rays, x and y, between which the balls of `radius` at `ends` (n, 3) are seen."""
    z = ends[:, 2:]
    near = (z <= 1.0001 * radius).any()
    if near:  # the eye is beside it
        return np.full(2, -1e6), np.full(2, 1e6)
    at = ends[:, :2]
    workspace = radius * np.sqrt(at**2 + z**2 - radius**2)
    square = z**2 - radius**2
    return ((at * z - workspace) / square).min(axis=0), ((at * z + workspace) / square).max(axis=0)


def ball_depth(x: Single, y: Single, centre: Floats, radius: float, hollow: bool) -> Single:
    """Depth of the first hit, or the last of a hollow ball; infinite without one."""
    cx, cy, cz = centre.astype(np.float32)
    a = 1.0 + x * x + y * y
    b = cx * x + cy * y + cz
    # (d.c)^2 - d.d (c.c - r^2) without the difference of large numbers: the distance of centre and ray
    across = (cy - cz * y) ** 2 + (cz * x - cx) ** 2 + (cx * y - cy * x) ** 2
    root = np.float32(radius**2) * a - across
    with np.errstate(invalid="ignore"):
        depth = (b + np.sqrt(root) if hollow else b - np.sqrt(root)) / a
    return np.where(depth > 0.0, depth, np.float32(np.inf))


def rod_depth(x: Single, y: Single, start: Floats, end: Floats, radius: float) -> Single:
    """Depth of the first hit of a rod with round ends; infinite without one."""
    axis = end - start
    square = float(axis @ axis)
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
    caps = [ball_depth(x, y, cap, radius, False) for cap in (start, end)]
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
    image = np.full((*hits.depth.shape, 3), BACKGROUND, np.float32)
    shade(image, hits, rounds, faces, light)
    for layer in layers(hits, clear, faces):
        over = layer.depth < hits.depth[layer.window]
        image[layer.window][over] += layer.opacity * (layer.colour - image[layer.window][over])
    whole = np.zeros((height, width, 3), np.float32)
    for i in range(fineness**2):
        whole += image[i // fineness :: fineness, i % fineness :: fineness]
    return (np.clip(whole * np.float32(255.0 / fineness**2), 0.0, 255.0) + np.float32(0.5)).astype(np.uint8)


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
    rows, columns = np.nonzero(hits.thing >= 0)
    thing, depth = hits.thing[rows, columns], hits.depth[rows, columns]
    ray = np.stack([hits.x[columns], hits.y[rows], np.ones_like(depth)], axis=1)
    axes = hits.camera.axes
    point = (ray * depth[:, None]) @ axes.astype(np.float32)  # inertial, from the eye
    normal, colour = np.empty_like(point), np.empty_like(point)
    eye = np.asarray(hits.camera.eye, float)
    is_round = thing < len(rounds.radius)
    _shade_rounds(rounds, thing[is_round], point[is_round], eye, is_round, normal, colour)
    _shade_faces(faces, thing - len(rounds.radius), point, eye, ~is_round, normal, colour)
    seen = ray @ axes.astype(np.float32)
    seen /= np.linalg.norm(seen, axis=1)[:, None]
    away = np.einsum("pi,pi->p", normal, seen)
    normal[away > 0.0] *= -1.0
    towards = -light.camera.axes[2].astype(np.float32)
    lit = np.maximum(normal @ towards, 0.0) * _lit(point, normal, eye, light)
    halfway = towards - seen
    halfway /= np.linalg.norm(halfway, axis=1)[:, None]
    gleam = np.where(is_round, 0.35 * np.maximum(np.einsum("pi,pi->p", normal, halfway), 0.0) ** 60, 0.0)
    fill = 0.42 + 0.13 * np.abs(away)
    image[rows, columns] = colour * (fill + 0.55 * lit)[:, None] + (gleam * (lit > 0.0))[:, None]


def _shade_rounds(
    rounds: Rounds, thing: Numbers, point: Single, eye: Floats, at: Flags, normal: Single, colour: Single
) -> None:
    """Normals and colours of the hits `at` of balls (every second octant marked) and rods."""
    start = (rounds.a - eye).astype(np.float32)
    axis = (rounds.b - rounds.a).astype(np.float32)
    square = np.einsum("ki,ki->k", axis, axis)
    arm = point - start[thing]
    along = np.einsum("pi,pi->p", arm, axis[thing]) / np.where(square > 0.0, square, 1.0)[thing]
    arm -= np.clip(along, 0.0, 1.0)[:, None] * axis[thing]
    arm /= rounds.radius.astype(np.float32)[thing, None]
    normal[at] = arm
    shown = rounds.colour.astype(np.float32)[thing]
    marked = turned_back(rounds.rotation.astype(np.float32)[thing], arm).prod(axis=1) > 0.0
    marked &= square[thing] == 0.0
    shown[marked] += MARK * (1.0 - shown[marked])
    colour[at] = shown


def _shade_faces(
    faces: Faces, thing: Numbers, point: Single, eye: Floats, at: Flags, normal: Single, colour: Single
) -> None:
    """Normals and colours of the hits `at` of faces, with squares along the first edge."""
    if not at.any():
        return
    first, second, third = (np.array([each[i] for each in faces.corners]) for i in range(3))
    across = np.cross(second - first, third - second)
    normal[at] = (across / np.linalg.norm(across, axis=1)[:, None])[thing[at]]
    colour[at] = faces.colour[thing[at]]
    for k in np.flatnonzero(faces.cell > 0.0):
        mine = at & (thing == k)
        edge = second[k] - first[k]
        basis = np.array([edge, np.cross(across[k], edge)])
        basis /= np.linalg.norm(basis, axis=1)[:, None] * faces.cell[k]
        square = np.floor((point[mine] + (eye - first[k])) @ basis.T).sum(axis=1) % 2.0
        colour[mine] *= (1.0 - 0.06 * square)[:, None]


def _lit(point: Single, normal: Single, eye: Floats, light: Hits) -> Single:
    """1 for points (P, 3), from the eye, that the light hits first, 0 in shadows.

    They are looked for a few rays of the light off their surface, which does not shade itself then.
    """
    lamp_eye, target = np.asarray(light.camera.eye, float), np.asarray(light.camera.target, float)
    axes = light.camera.axes.astype(np.float32)
    start = (light.camera.axes @ (eye - lamp_eye)).astype(np.float32)
    slack = np.float32(3.0 * float(np.linalg.norm(target - lamp_eye)) / light.scale)
    x, y, z = ((point + slack * normal) @ axes.T + start).T
    column = np.floor(x / z * light.scale + 0.5 * len(light.x)).astype(np.int32)
    row = np.floor(y / z * light.scale + 0.5 * len(light.y)).astype(np.int32)
    within = (column >= 0) & (column < len(light.x)) & (row >= 0) & (row < len(light.y))
    first = light.depth[np.where(within, row, 0), np.where(within, column, 0)]
    return np.where(within & (z > first + slack), np.float32(0.0), np.float32(1.0))
