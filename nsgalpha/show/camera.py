"""A camera in perspective.

direction to the picture point (x, y):  (x, y, 1) in the axes right, down, forward,
x, y in [-w, w], [-tan(angle/2), tan(angle/2)]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, refuse, typed, vector


@typed
@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """It looks from `eye` to `target` [m], with `up` upwards in the picture; angle: of its height [deg].

    Raises ValueError if eye and target are one point, `up` lies in the line of sight, or the angle is not
    in (0, 170].
    """

    eye: ArrayLike
    target: ArrayLike
    up: ArrayLike = (0.0, 0.0, 1.0)
    angle: float = 30.0

    def __post_init__(self) -> None:
        number_in("angle", self.angle, 0.0, 170.0, open_low=True, remedy="30 degrees are usual")
        eye, target, up = (vector(name, getattr(self, name)) for name in ("eye", "target", "up"))
        forward = target - eye
        if not forward.any():
            raise refuse("target", self.target, "another point than the eye")
        if np.linalg.norm(np.cross(forward, up)) <= 1e-9 * np.linalg.norm(forward) * np.linalg.norm(up):
            raise refuse("up", self.up, "no direction along the line of sight", "turn it or move the eye")

    @property
    def axes(self) -> Floats:
        """Rows (3, 3) right, down and forward, unit vectors, inertial."""
        forward = vector("target", self.target) - vector("eye", self.eye)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, vector("up", self.up))
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(forward, right), forward])

    def coordinates(self, x: Floats) -> Floats:
        """Points (..., 3) [m] in the camera's axes, from the eye."""
        return (x - vector("eye", self.eye)) @ self.axes.T


def level_axes(up: Floats) -> Floats:
    """Rows (3, 3): two horizontal unit vectors, the first along x or else y, and the unit vector `up`."""
    first = np.eye(3)[0 if abs(up[0]) < 0.9 else 1]
    first = first - (first @ up) * up
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(up, first), up])


def fitting(
    low: Floats, high: Floats, up: Floats, azimuth: float, elevation: float, angle: float, aspect: float
) -> Camera:
    """The camera that sees the whole box from `low` to `high` (3,) [m], and no more.

    azimuth [deg] about `up` from the first horizontal axis, elevation [deg] above the horizon: where the
    camera stands. aspect: width of the picture over its height.
    """
    az, el = np.radians(azimuth), np.radians(elevation)
    frame = level_axes(up)
    towards = np.array([np.cos(el) * np.cos(az), np.cos(el) * np.sin(az), np.sin(el)]) @ frame
    above = np.array([-np.sin(el) * np.cos(az), -np.sin(el) * np.sin(az), np.cos(el)]) @ frame
    middle = 0.5 * (low + high)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    across = Camera(middle + towards, middle, above, angle).axes
    right, down, forward = across @ (corners - middle).T
    half = np.tan(0.5 * np.radians(angle))
    distance = np.maximum(np.abs(right) / aspect, np.abs(down)) / half - forward
    return Camera(middle + 1.03 * distance.max() * towards, middle, above, angle)
