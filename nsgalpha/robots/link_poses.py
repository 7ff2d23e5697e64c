"""Poses of frames in other frames, and their products.

    x = x_1 + R_1 x_2,    R = R_1 R_2

The outer frame is 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from nsgalpha.arrays import Floats
from nsgalpha.robots.xml_elements import XmlElement


class Pose(NamedTuple):
    """Place and axes of a frame."""

    position: Floats  # (3,) [m]
    axes: Any  # a scipy Rotation, of this frame to the outer one

    def then(self, inner: Pose) -> Pose:
        """The pose of a frame that has the pose `inner` in this one."""
        return Pose(self.point(inner.position), self.axes * inner.axes)

    def point(self, x: Floats) -> Floats:
        """A point (3,) [m] of this frame in the outer one."""
        return self.position + self.axes.apply(x)

    @property
    def inverse(self) -> Pose:
        """The pose of the outer frame in this one."""
        back = self.axes.inv()
        return Pose(-back.apply(self.position), back)

    @property
    def quaternion(self) -> Floats:
        """Of the rotation (4,), scalar first."""
        return np.roll(self.axes.as_quat(), 1)


IDENTITY = Pose(np.zeros(3), Rotation.identity())


def pose_of(position: Floats, quaternion: Floats) -> Pose:
    """The pose with a `quaternion` (4,), scalar first."""
    return Pose(position, Rotation.from_quat(np.roll(quaternion, -1)))


def origin_of(element: XmlElement) -> Pose:
    """The pose that `<origin>` of an `element` states: rotations about x, y and z of the outer frame.

    Raises ValueError, with the line, for other than three numbers.
    """
    origin = element.child("origin")
    if origin is None:
        return IDENTITY
    zero = (0.0, 0.0, 0.0)
    position, angles = origin.vector("xyz", zero), origin.vector("rpy", zero)
    return Pose(position, Rotation.from_euler("xyz", angles))


def moved(kind: str, axis: Floats, value: float) -> Pose:
    """The pose of the child in the frame of its joint, at the coordinate `value` [m] or [rad]."""
    if kind == "prismatic":
        return Pose(value * axis, IDENTITY.axes)
    return Pose(np.zeros(3), Rotation.from_rotvec(value * axis))
