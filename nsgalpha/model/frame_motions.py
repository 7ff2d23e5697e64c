"""Motions of frames, for prescribed planes and their carried shapes.

    x = x_0 + v t                            ConstantVelocity
    x = x_0, turned by w t about an axis     Rotation
    x = x_0 + a sin(2 pi f t + phase)        Shaking
    x(t), R(t) through given points          MotionTable

Each is a function `motion(t)` as any other, with values at many times at once. A run asks for all times of a
stretch of steps by `through`, and a moving frame costs as much as one at rest. Functions of a script are
called for every step.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import direction, field_in, finite, parameter_set, positive_field, refuse, vector

POSE = 7  # numbers of a pose; a row of a table of frames has those and two velocities
WIDTH = 13
ROUNDING = 1e-9  # of the length of a table, by which a time may lie outside


@runtime_checkable
class Motion(Protocol):
    """A motion that is known at many times at once."""

    def __call__(self, t: float) -> tuple[ArrayLike, ...]:
        """Position, velocity, and if it turns rotation and angular velocity at `t` [s]."""

    def through(self, t: Floats) -> tuple[Floats, str]:
        """Rows (n, 13) at the times `t` (n,), up to the first that has none; a text says why.

        Position, rotation (quaternion), velocity, angular velocity, inertial.
        """


def _keep(self: object, name: str, value: ArrayLike) -> None:
    """Keep three numbers as a tuple, so that equal statements are equal."""
    object.__setattr__(self, name, tuple(vector(name, value).tolist()))


def _rows(count: int) -> Floats:
    """Rows of a frame at rest in the origin."""
    rows = np.zeros((count, WIDTH))
    rows[:, 3] = 1.0
    return rows


@parameter_set
class ConstantVelocity:
    """A frame that moves with a `velocity` [m/s] from its `position` [m] at t = 0.

    Raises ValueError unless both are three finite numbers.
    """

    velocity: ArrayLike
    position: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _keep(self, "velocity", self.velocity)
        _keep(self, "position", self.position)

    def __call__(self, t: float) -> tuple[Floats, Floats]:
        """Position and velocity at `t` [s]."""
        v = np.asarray(self.velocity)
        return np.asarray(self.position) + v * t, v

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See Motion."""
        rows, v = _rows(len(t)), np.asarray(self.velocity)
        rows[:, :3] = np.asarray(self.position) + t[:, None] * v
        rows[:, POSE : POSE + 3] = v
        return rows, ""


@parameter_set
class Rotation:
    """A frame that turns about an `axis` (of any length) through `point` [m] at `rate` [rad/s].

    Raises ValueError if the axis is zero or a value is not finite.
    """

    axis: ArrayLike
    rate: float = field_in(-math.inf, math.inf)
    point: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", tuple(direction("axis", self.axis).tolist()))
        _keep(self, "point", self.point)

    def __call__(self, t: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Position, velocity, rotation and angular velocity at `t` [s]."""
        row = self.through(np.array([t]))[0][0]
        return row[:3], row[POSE : POSE + 3], row[3:POSE], row[POSE + 3 :]

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See Motion."""
        rows, half, axis = _rows(len(t)), 0.5 * self.rate * t, np.asarray(self.axis)
        rows[:, :3] = self.point
        rows[:, 3] = np.cos(half)
        rows[:, 4:POSE] = np.sin(half)[:, None] * axis
        rows[:, POSE + 3 :] = self.rate * axis
        return rows, ""


@parameter_set
class Shaking:
    """A frame that swings about its `position` [m] with an `amplitude` (3,) [m] and a `frequency` [Hz] > 0.

    phase [rad] at t = 0. Raises ValueError if a value is out of its range.

    >>> model = ns.Model(gravity=(0, 0, -9.81))
    >>> table = model.add_plane(normal=(0, 0, 1), motion=ns.Shaking(amplitude=(0, 0, 1e-3), frequency=50))
    >>> ball = model.add_sphere(radius=0.01, mass=0.01, position=(0, 0, 0.01))
    >>> from elements import SpherePlane
    >>> element = model.add(SpherePlane(ball, table, e_n=0.5))
    >>> result = ns.simulate(model, t_end=0.1, h=1e-4)
    >>> float(result.position[:, ball, 2].max().round(3))  # it jumps
    0.021
    """

    amplitude: ArrayLike
    frequency: float = positive_field("it is the number of swings in a second")
    phase: float = field_in(-math.inf, math.inf, default=0.0)
    position: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _keep(self, "amplitude", self.amplitude)
        _keep(self, "position", self.position)

    def __call__(self, t: float) -> tuple[Floats, Floats]:
        """Position and velocity at `t` [s]."""
        row = self.through(np.array([t]))[0][0]
        return row[:3], row[POSE : POSE + 3]

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See Motion."""
        rows, omega, a = _rows(len(t)), 2.0 * math.pi * self.frequency, np.asarray(self.amplitude)
        angle = (omega * t + self.phase)[:, None]
        rows[:, :3] = np.asarray(self.position) + np.sin(angle) * a
        rows[:, POSE : POSE + 3] = omega * np.cos(angle) * a
        return rows, ""


@parameter_set
class MotionTable:
    """A frame that is at given places at the `times` (n,) [s], which increase, n >= 2.

    position (n, 3) [m] of its origin; rotation (n, 4): quaternions, scalar first, frame to inertial, of any
    length, by default it does not turn. Between them a cubic spline with continuous accelerations
    (not-a-knot), for rotations that of SciPy's RotationSpline; velocities are the derivatives. A run ends
    where the table does, with a status that says so.

    Raises ValueError for other shapes, times that do not increase, values that are not finite, and
    quaternions that are zero.
    """

    times: ArrayLike
    position: ArrayLike
    rotation: ArrayLike | None = None
    _place: Any = field(init=False, repr=False, compare=False, default=None)
    _turn: Any = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        t = finite("times", self.times, "two times [s] or more, which increase")
        if t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0.0).all():
            raise refuse("times", self.times, "two times [s] or more, which increase", "sort them")
        x = finite("position", self.position, f"places ({len(t)}, 3), one for each of the times")
        if x.shape != (len(t), 3):
            raise refuse("position", f"array {x.shape}", f"({len(t)}, 3), one place for each of the times")
        kept: dict[str, Any] = {"times": t, "position": x}
        object.__setattr__(self, "_place", CubicSpline(t, x))
        if self.rotation is not None:
            from scipy.spatial.transform import Rotation as Turn
            from scipy.spatial.transform import RotationSpline

            q = finite("rotation", self.rotation, f"quaternions ({len(t)}, 4), one for each of the times")
            if q.shape != (len(t), 4) or not (np.linalg.norm(q, axis=1) > 0.0).all():
                allowed = f"({len(t)}, 4), one quaternion for each of the times, none of them zero"
                raise refuse("rotation", f"array {q.shape}", allowed)
            kept["rotation"] = q
            object.__setattr__(self, "_turn", RotationSpline(t, Turn.from_quat(q[:, [1, 2, 3, 0]])))
        for name, value in kept.items():  # as tuples, so that equal statements are equal
            object.__setattr__(
                self, name, tuple(map(tuple, value.tolist())) if value.ndim > 1 else tuple(value.tolist())
            )

    def __call__(self, t: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Position, velocity, rotation and angular velocity at `t` [s]; ValueError outside of the table."""
        rows, text = self.through(np.array([t]))
        if text:
            raise ValueError(text)
        return rows[0, :3], rows[0, POSE : POSE + 3], rows[0, 3:POSE], rows[0, POSE + 3 :]

    def through(self, t: Floats) -> tuple[Floats, str]:
        """See Motion; there is no motion outside of the table."""
        first, last = self._place.x[[0, -1]].tolist()
        slack = ROUNDING * (last - first)
        outside = np.flatnonzero(~((t >= first - slack) & (t <= last + slack)))
        text, count = "", len(t)
        if len(outside):
            count = int(outside[0])
            text = (
                f"times of a MotionTable: it is from {first:g} s to {last:g} s, and has no place at "
                f"t = {t[count]:g} s; make it longer"
            )
        t = t[:count]
        rows = _rows(count)
        rows[:, :3], rows[:, POSE : POSE + 3] = self._place(t), self._place(t, 1)
        if self._turn is not None and count:
            within = np.clip(t, first, last)
            turned = self._turn(within)
            rows[:, 3:POSE] = turned.as_quat()[:, [3, 0, 1, 2]]
            rows[:, POSE + 3 :] = turned.apply(self._turn(within, 1))
        return rows, text
