"""Joints: bilateral constraints between bodies, the ground and prescribed frames.

    model.add(Revolute(crank, rod, point=(0.1, 0, 0), axis=(0, 0, 1)))
    model.add(Spherical(Marker(bob, (0, 0, 1)), None, point=(0, 0, 1)))

Stated by a point and axes in space, they hold in the model as stated. Stated by two markers, fixed to their
bodies, they may not: then a run refuses to begin. Rows and formulas are in
nsgalpha/constraints/joint_rows.py; the axis of a joint is the third of its markers.

Two bodies that a joint holds together have no contact with each other, unless it says `contact=True`: links
overlap at their hinges. The ends of a Distance, Link or Telescope are apart, and have contact as others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from elements.joint_markers import (
    SQUARE,
    Coordinates,
    End,
    MarkerJoint,
    frame_of_axis,
    length_of_rod,
    placed_about,
    placed_at,
    placed_ends,
)
from nsgalpha.checks import direction, positive, refuse
from nsgalpha.model.appearance import JointSymbol
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.joint_interface import DISTANCE, OF_ANGLE, PERPENDICULAR, SLIDE
from nsgalpha.model.registration import offered

POINT = ((SLIDE, 0, 0), (SLIDE, 1, 1), (SLIDE, 2, 2))
PARALLEL = ((PERPENDICULAR, 0, 2), (PERPENDICULAR, 1, 2))  # the third axes
LINE = ((SLIDE, 0, 0), (SLIDE, 1, 1))  # a point of B on the axis of A
UNTURNED = (PERPENDICULAR, 0, 1)
TURN: Coordinates = {"angle": OF_ANGLE}
DISPLACEMENT: Coordinates = {"displacement": ((SLIDE, 2, 2),)}
IN_PLANE: Coordinates = {"first": ((SLIDE, 0, 0),), "second": ((SLIDE, 1, 1),)}
OF_CROSS: Coordinates = {
    "angle_a": ((PERPENDICULAR, 0, 2), (PERPENDICULAR, 1, 2)),
    "angle_b": ((PERPENDICULAR, 2, 1), (PERPENDICULAR, 2, 0)),
}
BETWEEN: Coordinates = {"distance": ((DISTANCE, 0, 0),)}
OF_ROD: Coordinates = {"angle": ((SLIDE, 0, 0), (SLIDE, 1, 1))}


class _AtPoint(MarkerJoint):
    """A joint that is stated by a point."""

    def __init__(
        self,
        a: End,
        b: End,
        *,
        point: ArrayLike | None = None,
        contact: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, name, placed_at(a, b, point, None), contact)


class _AboutAxis(MarkerJoint):
    """A joint that is stated by a point and an axis."""

    def __init__(
        self,
        a: End,
        b: End,
        *,
        point: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        contact: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, name, placed_about(a, b, point, axis), contact)


@offered("joints", urdf=("ball",))
@recorded
class Spherical(_AtPoint):
    """Ball joint: the `point` (3,) [m] of `a` stays where that of `b` is."""

    rows = POINT
    turns = False


@offered("joints", urdf=("revolute", "continuous"))
@recorded
class Revolute(_AboutAxis):
    """Hinge: one turn about the `axis` (3,) through the `point` (3,) [m]."""

    rows = (*POINT, *PARALLEL)
    coordinates = TURN
    symbol = JointSymbol(axis=0)


@offered("joints")
@recorded
class Cylindrical(_AboutAxis):
    """A turn about, and a displacement along, the `axis` (3,) through the `point` (3,) [m]."""

    rows = (*LINE, *PARALLEL)
    coordinates = TURN | DISPLACEMENT
    symbol = JointSymbol(axis=0)


@offered("joints", urdf=("prismatic",))
@recorded
class Prismatic(_AboutAxis):
    """Slider: a displacement along the `axis` (3,) through the `point` (3,) [m], no turn."""

    rows = (*LINE, *PARALLEL, UNTURNED)
    coordinates = DISPLACEMENT
    symbol = JointSymbol(axis=0)


@offered("joints", urdf=("planar",))
@recorded
class Planar(MarkerJoint):
    """Two displacements in, and a turn in, the plane of the `normal` (3,) through the `point` (3,) [m]."""

    rows = ((SLIDE, 2, 2), *PARALLEL)
    coordinates = IN_PLANE | TURN
    symbol = JointSymbol(balls=(1,), axis=1)  # the point of A is any one of its plane

    def __init__(
        self,
        a: End,
        b: End,
        *,
        point: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        contact: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, name, placed_about(a, b, point, normal, "normal"), contact)


@offered("joints")
@recorded
class Rigid(_AtPoint):
    """No motion between the two."""

    rows = (*POINT, *PARALLEL, UNTURNED)


@offered("joints")
@recorded
class Universal(MarkerJoint):
    """Cardan joint at the `point` (3,) [m]: turns about the `axis` (3,) of `a` and the `second` (3,) of `b`.

    Raises ValueError if the two are not perpendicular in the model as stated.
    """

    rows = (*POINT, (PERPENDICULAR, 2, 2))
    coordinates = OF_CROSS

    def __init__(
        self,
        a: End,
        b: End,
        *,
        point: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        second: ArrayLike | None = None,
        contact: bool = False,
        name: str | None = None,
    ) -> None:
        frames = None
        if axis is not None and second is not None:
            one, two = direction("axis", axis, 3), direction("second", second, 3)
            if abs(one @ two) > SQUARE:
                angle = float(np.degrees(np.arccos(np.clip(one @ two, -1.0, 1.0))))
                raise refuse("second", second, "perpendicular to axis", f"the angle is {angle:.6g} degrees")
            frames = (
                frame_of_axis(one, two),
                frame_of_axis(two, np.cross(one, two)),
            )  # so that both angles begin at 0
        elif point is not None:
            raise ValueError("axis and second: give both of them with the point, or two markers")
        super().__init__(a, b, name, placed_at(a, b, point, frames), contact)


@offered("joints")
@recorded
class Distance(MarkerJoint):
    """Massless rod: the points of `a` and `b` (2, 3) [m] keep their distance, or have the `length` [m] > 0.

    Raises ValueError if the two points are at one place.
    """

    rows = ((DISTANCE, 0, 0),)
    coordinates = BETWEEN
    turns = False

    def __init__(
        self,
        a: End,
        b: End,
        *,
        points: tuple[ArrayLike, ArrayLike] | None = None,
        length: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, name, placed_ends(a, b, points, None))
        self.length = length_of_rod(self, length)


@offered("joints")
@recorded
class Telescope(MarkerJoint):
    """Two points of `a` and `b` (2, 3) [m] at any distance: only a Drive or load acts.

    Its coordinate is the `distance`. Raises ValueError if the two points are at one place.
    """

    rows = ()
    coordinates = BETWEEN
    turns = False

    def __init__(
        self, a: End, b: End, *, points: tuple[ArrayLike, ArrayLike] | None = None, name: str | None = None
    ) -> None:
        super().__init__(a, b, name, placed_ends(a, b, points, None))
        self.length = positive("distance of the points", self.distance())  # with which it is drawn


@offered("joints")
@recorded
class Link(MarkerJoint):
    """Massless rod that turns about the `axis` (3,) of `a`, perpendicular to it, with a ball joint at `b`.

    points (2, 3) [m]; length as for `Distance`.
    """

    rows = ((DISTANCE, 0, 0), (SLIDE, 2, 2))
    coordinates = BETWEEN | OF_ROD
    symbol = JointSymbol(axis=0)

    def __init__(
        self,
        a: End,
        b: End,
        *,
        points: tuple[ArrayLike, ArrayLike] | None = None,
        axis: ArrayLike | None = None,
        length: float | None = None,
        name: str | None = None,
    ) -> None:
        frame = None if axis is None else frame_of_axis(direction("axis", axis, 3))
        super().__init__(a, b, name, placed_ends(a, b, points, frame))
        self.length = length_of_rod(self, length)
