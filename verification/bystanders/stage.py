"""A place for a scene: a frame (shifted, rotated, mirrored) and an order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import Floats

MIRROR = np.diag([1.0, -1.0, 1.0])


@dataclass
class Stage:
    """States a scene in the frame `x -> origin + M x` of a `model`, M (3, 3) orthogonal.

    Where M has the determinant -1 the scene is its mirror image, and so are the frames of its bodies, in
    their plane y = 0. reverse: bodies and elements that are given together are added in the opposite order.
    """

    model: ns.Model
    origin: Floats = field(default_factory=lambda: np.zeros(3))
    M: Floats = field(default_factory=lambda: np.eye(3))
    reverse: bool = False
    bodies: list[ns.Body] = field(default_factory=list)  # in the order in which the scene gives them
    bonded: list[Sequence[ns.Body]] = field(default_factory=list)  # clusters of bodies that are glued

    @property
    def sign(self) -> float:
        """-1 in the mirror."""
        return float(np.sign(np.linalg.det(self.M)))

    def at(self, point: ArrayLike) -> Floats:
        """A place, or several (n, 3)."""
        return self.origin + np.asarray(point, float) @ self.M.T

    def to(self, vector: ArrayLike) -> Floats:
        """A polar vector: velocity, force, normal, direction of a displacement."""
        return np.asarray(vector, float) @ self.M.T

    def about(self, vector: ArrayLike) -> Floats:
        """An axial vector: angular velocity, torque, axis of an angle."""
        return self.sign * self.to(vector)

    def on(self, point: ArrayLike) -> Floats:
        """A point or polar vector in the frame of a body."""
        return np.asarray(point, float) @ (MIRROR if self.sign < 0.0 else np.eye(3))

    def turned(self, vector: ArrayLike) -> Floats:
        """The quaternion of a body that a rotation vector (3,) [rad] has turned."""
        R = self.M @ Rotation.from_rotvec(vector).as_matrix()
        return np.roll(Rotation.from_matrix(R @ MIRROR if self.sign < 0.0 else R).as_quat(), 1)

    def local(self, result: ns.Result) -> tuple[Floats, Floats, Floats]:
        """Positions, velocities and angular velocities (n, bodies, 3) of its bodies in its frame."""
        rows = [body.index for body in self.bodies]
        x, v, w = (
            np.asarray(each)[:, rows] for each in (result.position, result.velocity, result.angular_velocity)
        )
        return (x - self.origin) @ self.M, v @ self.M, self.sign * w @ self.M

    def balls(self, *rows: dict[str, Any]) -> list[ns.Body]:
        """Spheres by their arguments: see `placed`."""
        return self.placed(self.model.add_sphere, *rows)

    def placed(self, add: Callable[..., ns.Body], *rows: dict[str, Any]) -> list[ns.Body]:
        """Bodies that `add` makes in the scene's frame; rotation is a rotation vector."""
        made = [add(**self._arguments(row)) for row in (rows[::-1] if self.reverse else rows)]
        bodies = made[::-1] if self.reverse else made
        self.bodies += bodies
        return bodies

    def _arguments(self, row: dict[str, Any]) -> dict[str, Any]:
        ways = {"position": self.at, "velocity": self.to, "angular_velocity": self.about}
        given = {key: ways[key](value) if key in ways else value for key, value in row.items()}
        if "mass" in row or "density" in row or row.get("fixed"):
            given["rotation"] = self.turned(row.get("rotation", (0.0, 0.0, 0.0)))
        return given

    def points(self, *rows: dict[str, Any]) -> list[ns.Body]:
        """Points, which do not turn."""
        return self.placed(lambda rotation=None, **row: self.model.add_point(**row), *rows)

    def plane(self, normal: ArrayLike, through: ArrayLike, **arguments: Any) -> ns.Plane:
        """A plane through a point; a motion is that of its frame on the stage."""
        n = self.to(np.asarray(normal, float) / np.linalg.norm(normal))
        point = self.to(through) if "motion" in arguments else self.at(through)
        return self.model.add_plane(normal=n, offset=float(n @ point), **arguments)

    def face(self, corners: ArrayLike, **arguments: Any) -> ns.Primitive:
        """A polygon of space, or of a carrier, that stays counter-clockwise around its outward normal."""
        carried = isinstance(arguments.get("carrier"), ns.Body)
        points = (self.on if carried else self.at)(corners)
        return self.model.add_primitive(points[:: int(self.sign)], **arguments)

    def capsule(self, body: ns.Body, corners: ArrayLike, radius: float) -> ns.Primitive:
        """A segment that a body carries."""
        return self.model.add_primitive(self.on(corners), radius=radius, carrier=body)

    def mesh(self, triangles: Any) -> Any:
        """Rows of corners, (T, 3), whose outside stays outside."""
        rows = np.asarray(triangles)
        return rows if self.sign > 0.0 else rows[:, ::-1]

    def add(self, *elements: Any) -> Any:
        """Add elements, joints or drives; returns the first one."""
        for each in elements[::-1] if self.reverse else elements:
            self.model.add(each)
        return elements[0]
