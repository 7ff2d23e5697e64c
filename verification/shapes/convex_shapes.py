"""Convex shapes: the farthest point along a direction, and how far points are outside.

With these two formulas a distance is proved. Two shapes A and B are at least as far apart as along any unit
vector n,

    distance >= min_{a in A} n . a  -  max_{b in B} n . b,

and at most as far as any point of A is from any point of B. Nothing here is shared with the contact geometry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.model.handles import Body


def _length(p: Floats) -> Floats:
    """Lengths (n,) of vectors (n, k)."""
    return np.linalg.norm(p, axis=1)


@dataclass(frozen=True)
class Points:
    """The hull of `points` (n, 3) [m] in the principal frame of its mass."""

    points: Floats

    @cached_property
    def faces(self) -> Floats:
        """Normals and offsets (m, 4) of the triangles."""
        return ConvexHull(self.points).equations

    def farthest(self, n: Floats) -> Floats:
        """Points (m, 3) that are farthest along unit vectors `n` (m, 3)."""
        return self.points[(n @ self.points.T).argmax(axis=1)]

    def outside(self, p: Floats) -> Floats:
        """How far (m,) points `p` (m, 3) are outside a face; negative within."""
        return (p @ self.faces[:, :3].T + self.faces[:, 3]).max(axis=1)

    def add(self, model: ns.Model, **motion: Any) -> Body:
        """A body of this shape; motion: its position and rotation."""
        return model.add_solid(self.points, hull=True, mass=1.0, **motion)


@dataclass(frozen=True)
class Box:
    """A box with edges of a `size` (3,) [m]."""

    size: tuple[float, float, float]

    def farthest(self, n: Floats) -> Floats:
        """See Points."""
        return 0.5 * np.sign(n) * self.size

    def outside(self, p: Floats) -> Floats:
        """See Points."""
        return (np.abs(p) - 0.5 * np.array(self.size)).max(axis=1)

    def add(self, model: ns.Model, **motion: Any) -> Body:
        """See Points."""
        return model.add_box(self.size, mass=1.0, **motion)


@dataclass(frozen=True)
class Capsule:
    """Points within a `radius` of a line of a `length` [m] along z; without length a ball."""

    radius: float
    length: float = 0.0

    def farthest(self, n: Floats) -> Floats:
        """See Points."""
        return 0.5 * self.length * np.sign(n[:, 2:]) * (0, 0, 1) + self.radius * n

    def outside(self, p: Floats) -> Floats:
        """See Points."""
        along = np.clip(p[:, 2:], -0.5 * self.length, 0.5 * self.length)
        return _length(p - along * (0, 0, 1)) - self.radius

    def add(self, model: ns.Model, **motion: Any) -> Body:
        """See Points."""
        if self.length:
            return model.add_capsule(self.radius, self.length, mass=1.0, **motion)
        return model.add_sphere(radius=self.radius, mass=1.0, **motion)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder with a `radius` and a `length` [m] along z."""

    radius: float
    length: float

    def farthest(self, n: Floats) -> Floats:
        """See Points."""
        across = np.maximum(_length(n[:, :2]), 1e-300)[:, None]
        return np.hstack([self.radius * n[:, :2] / across, 0.5 * self.length * np.sign(n[:, 2:])])

    def outside(self, p: Floats) -> Floats:
        """See Points."""
        return np.maximum(_length(p[:, :2]) - self.radius, np.abs(p[:, 2]) - 0.5 * self.length)

    def add(self, model: ns.Model, **motion: Any) -> Body:
        """See Points."""
        return model.add_cylinder(self.radius, self.length, mass=1.0, **motion)


@dataclass(frozen=True)
class Cone:
    """A cone with a `radius` of its base and a `height` [m] along z, its centroid at the origin."""

    radius: float
    height: float

    def farthest(self, n: Floats) -> Floats:
        """See Points."""
        across = np.maximum(_length(n[:, :2]), 1e-300)[:, None]
        base = np.hstack([self.radius * n[:, :2] / across, np.full((len(n), 1), -0.25 * self.height)])
        apex = np.array((0.0, 0.0, 0.75 * self.height))
        return np.where((n @ apex > (n * base).sum(axis=1))[:, None], apex, base)

    def outside(self, p: Floats) -> Floats:
        """See Points."""
        side = self.height * _length(p[:, :2]) - self.radius * (0.75 * self.height - p[:, 2])
        return np.maximum(side / np.hypot(self.radius, self.height), -0.25 * self.height - p[:, 2])

    def add(self, model: ns.Model, **motion: Any) -> Body:
        """See Points."""
        return model.add_cone(self.radius, self.height, mass=1.0, **motion)


Shape = Points | Box | Capsule | Cylinder | Cone


def described(shape: Shape) -> tuple[str, list[Any], float]:
    """Kind and sizes for other codes, and the height [m] of the axis' middle."""
    if isinstance(shape, Points):
        return "hull", [shape.points.tolist(), outward(shape.points)], 0.0
    if isinstance(shape, Capsule):
        return (
            ("capsule", [shape.radius, shape.length], 0.0) if shape.length else ("ball", [shape.radius], 0.0)
        )
    if isinstance(shape, Box):
        return "box", list(shape.size), 0.0
    if isinstance(shape, Cone):
        return "cone", [shape.radius, shape.height], 0.25 * shape.height
    return "cylinder", [shape.radius, shape.length], 0.0


def outward(points: Floats) -> list[list[int]]:
    """Triangles of the hull of `points`, counter-clockwise from outside."""
    hull, faces = ConvexHull(points), []
    for face, plane in zip(hull.simplices.tolist(), hull.equations, strict=True):
        a, b, c = points[face]
        faces.append(face if np.dot(np.cross(b - a, c - a), plane[:3]) > 0.0 else face[::-1])
    return faces


def _hull(points: Floats) -> Floats:
    """Vertices (n, 3) of the hull of `points`, in the frame that a body takes."""
    model = ns.Model()
    model.add_solid(points, hull=True, mass=1.0, position=(0.0, 0.0, 0.0))
    return np.array(model.shapes.places)


def shapes() -> dict[str, Shape]:
    """A shape of every kind."""
    return {
        "ball": Capsule(0.2),
        "capsule": Capsule(0.1, 0.4),
        "box": Box((0.4, 0.3, 0.2)),
        "hull": Points(_hull(0.15 * np.random.default_rng(3).normal(size=(12, 3)))),
        "cylinder": Cylinder(0.15, 0.3),
        "cone": Cone(0.15, 0.3),
    }
