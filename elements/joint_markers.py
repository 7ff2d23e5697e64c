"""Markers, and the common part of joints between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, turned
from nsgalpha.checks import direction, finite, instance, positive, refuse, text, vector
from nsgalpha.model.appearance import JointSymbol
from nsgalpha.model.body_markers import marker_of
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.handles import Body, JointHandle, Plane
from nsgalpha.model.joint_interface import Row
from nsgalpha.model.model_names import LONGEST
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.model.registration import offered

#: Coordinates by name: a row that measures a length, or two, the cosine and sine of an angle.
Coordinates = dict[str, tuple[Row, ...]]
SQUARE = 1e-9  # cosine of the angle of axes that are to be perpendicular

Carrier = Body | Plane | None


def _pose(carrier: Carrier) -> tuple[Floats, Floats]:
    """Origin (3,) and rotation matrix (3, 3) of a body, a prescribed frame or the ground, as stated."""
    if carrier is None:
        return np.zeros(3), np.eye(3)
    if isinstance(carrier, Body):
        return carrier.position, turned(carrier.rotation, np.eye(3)).T
    x, q, _, _ = frame_motion(carrier, 0.0)
    return x, turned(q, np.eye(3)).T


def frame_of_axis(axis: Floats, second: Floats | None = None) -> Floats:
    """Axes (3, 3), a row each, with the third along the unit vector `axis`, the first towards `second`."""
    towards = np.eye(3)[np.abs(axis).argmin()] if second is None else second
    first = towards - (towards @ axis) * axis
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first), axis])


@offered("parts", urdf=("link",))
@recorded
class Marker:
    """A point and axes fixed to a body, a prescribed frame or the ground (None).

    position (3,) [m] from the centre of the body and axis (3,), the third of the marker, in its frame; second
    (3,): direction to which the first axis points, as far as it is perpendicular to the third.

    Raises ValueError for numbers that are not finite, an axis of no length, and a second one along it.
    """

    def __init__(
        self,
        carrier: Carrier,
        position: ArrayLike = (0.0, 0.0, 0.0),
        *,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        second: ArrayLike | None = None,
    ) -> None:
        self.carrier = _checked("carrier", carrier)
        self.position = vector("position", position)
        third = direction("axis", axis, 3)
        towards = None if second is None else direction("second", second, 3)
        if towards is not None and np.linalg.norm(np.cross(third, towards)) < SQUARE:
            raise refuse("second", second, "a direction that is not that of axis")
        self.axes = frame_of_axis(third, towards)

    @classmethod
    def of(cls, body: Body, name: str) -> Marker:
        """The marker of a `body` that has the `name`, see `add_body`."""
        point, *axes = marker_of(instance("body", body, Body, "a body").markers, name, body.name)
        return cls(body, point, **dict(zip(("axis", "second"), axes, strict=False)))

    def handles(self) -> Sequence[Any]:
        """The body or plane to which it is fixed."""
        return [] if self.carrier is None else [self.carrier]


End = Body | Plane | Marker | None


def _checked(name: str, carrier: Any) -> Carrier:
    if isinstance(carrier, Plane) and (carrier.motion is None and carrier.body is None):
        return None  # a fixed plane is the ground
    if isinstance(carrier, Plane) and carrier.body is not None:
        return carrier.body
    if carrier is not None and not isinstance(carrier, Body | Plane):
        raise refuse(name, carrier, "a body, a plane with a prescribed motion, or None for the ground")
    return carrier


class MarkerJoint(JointHandle):
    """A joint of the `rows` between `a` and `b`; see nsgalpha/model/joint_interface.py."""

    rows: Sequence[Row] = ()
    coordinates: Mapping[str, Sequence[Row]] = MappingProxyType({})
    length = 0.0
    turns = True  # whether a row is a torque
    symbol = JointSymbol()

    def __init__(self, a: End, b: End, name: str | None, places: Any, contact: bool = True) -> None:
        """Pairs (point, axes) in space for the two ends are `places`, None for markers."""
        self.contact = instance("contact", contact, bool, "True or False")
        carriers, points, axes = [], [], []
        for side, end, place in zip("ab", (a, b), places, strict=True):
            if isinstance(end, Marker):
                if place is not None:
                    message = f"{side}: is a marker, which has a point and axes; leave out point and axis"
                    raise ValueError(message)
                carrier, point, frame = end.carrier, end.position, end.axes
            else:
                carrier = _checked(side, end)
                if place is None:
                    message = f"{side}: is no marker; give the point and the axis of the joint in space"
                    raise ValueError(message)
                origin, R = _pose(carrier)
                point, frame = R.T @ (place[0] - origin), place[1] @ R
            carriers.append(carrier)
            points.append(point)
            axes.append(frame)
        self.carriers = (carriers[0], carriers[1])
        self.points, self.axes = np.array(points), np.array(axes)
        names = [repr(each.name) if each is not None else "the ground" for each in carriers]
        self.name = name_or_none(name) or f"{type(self).__name__} of {names[0]} and {names[1]}"
        self._refuse()

    def _refuse(self) -> None:
        a, b = self.carriers
        if a is b:
            what = "is fixed to the ground twice" if a is None else f"joins {a.name!r} with itself"
            raise ValueError(f"{self.name}: {what}; a joint needs two different bodies")
        if not isinstance(a, Body) and not isinstance(b, Body):
            raise ValueError(f"{self.name}: none of its two sides is a body; one of them must move freely")
        if self.turns and not any(isinstance(each, Body) and each.turns for each in (a, b)):
            message = f"{self.name}: points do not turn; take Spherical or Distance, or a body with inertia"
            raise ValueError(message)

    def distance(self) -> float:
        """Distance [m] of its two points in the model as stated."""
        poses = [_pose(carrier) for carrier in self.carriers]
        one, two = (x + R @ p for (x, R), p in zip(poses, self.points, strict=True))
        return float(np.linalg.norm(two - one))

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that it joins."""
        return [each for each in self.carriers if each is not None]


def name_or_none(name: str | None) -> str | None:
    """The `name` of a joint, which may be left out, or a ValueError."""
    if name is not None and not 0 < len(text("name", name)) <= LONGEST:
        raise refuse("name", name, f"a text of 1 to {LONGEST} characters", "or leave it out")
    return name


def placed_at(a: End, b: End, point: ArrayLike | None, axes: Sequence[Floats] | None) -> list[Any]:
    """Places of the two ends: none for markers; else the point, and axes or any."""
    if point is None:
        return [None, None]
    given = vector("point", point)
    frames = axes if axes is not None else (np.eye(3), np.eye(3))
    return [
        None if isinstance(end, Marker) else (given, frame) for end, frame in zip((a, b), frames, strict=True)
    ]


def placed_about(
    a: End, b: End, point: ArrayLike | None, axis: ArrayLike | None, name: str = "axis"
) -> list[Any]:
    """Places at the `point` with the third axis along `axis`, an argument of the `name`."""
    if (point is None) != (axis is None):
        raise ValueError(f"point and {name}: give both of them, or two markers")
    frame = None if axis is None else frame_of_axis(direction(name, axis, 3))
    return placed_at(a, b, point, None if frame is None else (frame, frame))


def placed_ends(a: End, b: End, points: Any, frame: Floats | None) -> list[Any]:
    """Places at the `points` (2, 3) [m] with the axes of `frame`; none for markers."""
    if points is None:
        if not (isinstance(a, Marker) and isinstance(b, Marker)):
            raise ValueError("points: give both of them in space, or two markers")
        return [None, None]
    allowed = "two points, (2, 3) [m]"
    pair = finite("points", points, allowed)
    if pair.shape != (2, 3):
        raise refuse("points", points, allowed)
    one, two = pair
    axes = np.eye(3) if frame is None else frame
    return [None if isinstance(end, Marker) else (p, axes) for end, p in ((a, one), (b, two))]


def length_of_rod(joint: MarkerJoint, length: float | None) -> float:
    """The `length`, by default the distance of the points in the model as stated."""
    if length is not None:
        return positive("length", length)
    distance = joint.distance()
    if distance == 0.0:
        raise ValueError(f"{joint.name}: its two points are at one place; move them apart, or take Spherical")
    return distance
