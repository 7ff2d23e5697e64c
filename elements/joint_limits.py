"""Limits of joint coordinates: stops, each with its restitution.

    g_l = s - l >= 0,    g_u = u - s >= 0,    s a displacement along an axis, or an angle about one

A stop is a contact of one row: a force along the axis at the point of side B, or a torque about it. Geometry:
elements/geometry/marker_geometry.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from elements.geometry.marker_geometry import measure_angle, measure_displacement
from elements.joint_markers import name_or_none
from elements.joints import TURN
from elements.ropes import listed
from nsgalpha.arrays import FORCE, TORQUE, Floats, Ints, Planes
from nsgalpha.checks import either, number_in, refuse
from nsgalpha.constraints.geometric_stiffness import TURN as TURN_ROW
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, Friction, Measures
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, JointHandle, Plane
from nsgalpha.model.joint_interface import SLIDE
from nsgalpha.model.registration import offered


class OnCoordinate:
    """Contact of one row along, or about, the axis of a joint coordinate, without limits."""

    law = ContactLaw()
    low, high = -math.inf, math.inf
    title = ""  # of the element, for its name

    def __init__(self, joint: JointHandle, coordinate: str | None, name: str | None) -> None:
        given: Any = joint  # of which the coordinates are known to be there, too
        self.joint, self.coordinate = given, _coordinate(joint, coordinate)
        ((_, self._axis, _), *rest) = given.coordinates[self.coordinate]
        self.turns = bool(rest)  # an angle has two rows: its cosine and its sine
        #: side A of the contact, a body, and side B
        self._order = (1, 0) if isinstance(joint.carriers[1], Body) else (0, 1)
        self.second_is_a = self._order == (1, 0)
        self.name = name_or_none(name) or f"{self.title} of {joint.name}"

    @property
    def geometry(self) -> Geometry:
        """Measures the coordinate."""
        p, q = self.joint.points
        first, second = self.joint.axes
        given = self.low, self.high, 1.0 if self.second_is_a else -1.0
        if self.turns:
            sides = [_number(each) for each in self.joint.carriers]
            return measure_angle.with_options(*first.ravel(), *given, *second[0], *sides, 0.0)
        return measure_displacement.with_options(*p, *q, *first[self._axis], *given)

    def friction(self) -> Friction | None:
        """None but of friction."""
        return None

    def measures(self) -> Measures:
        """The coordinate."""
        first, _ = self.joint.axes
        kind, axis = (TURN_ROW, first[2]) if self.turns else (SLIDE, first[self._axis])
        return Measures(kind, self.joint.carriers, np.asarray(self.joint.points), axis)

    def shared_pair(self, other: Any) -> tuple[str, str] | None:
        """None: a joint may have several."""
        return None

    def handles(self) -> Sequence[Any]:
        """The bodies and planes of the joint."""
        found: Sequence[Any] = self.joint.handles()
        return found

    def violation(self, depth: float) -> str:
        """See nsgalpha.model.contact_element.MarkerContact."""
        unit = "rad" if self.turns else "m"
        return (
            f"{self.name}: the {self.coordinate} is beyond [{self.low:g}, {self.high:g}] {unit} by "
            f"{depth:.6g} {unit} at the start; move the bodies or the limit"
        )

    def of_kinds(self, kinds: Sequence[int], planes: Planes) -> tuple[Ints, ...]:
        """The candidates, one of each of the `kinds` of contact/rows/marker_rows.py."""
        int(self.joint)  # which the model must have
        return listed(self, [self.joint.carriers[k] for k in self._order], planes, kinds)


def _number(carrier: Body | Plane | None) -> float:
    """Number of the side of a joint; other geometries keep their own angles."""
    if carrier is None:
        return -1.0
    return float(2 * carrier.index + isinstance(carrier, Plane))


def _coordinate(joint: Any, name: str | None) -> str:
    """The name of a displacement or an angle of the `joint`, or a ValueError."""
    if not isinstance(joint, JointHandle):
        raise refuse("joint", joint, "a joint of the model", "take that of model.add(Revolute(...))")
    turn, known = TURN["angle"], getattr(joint, "coordinates", {})
    usable = [key for key, rows in known.items() if rows == turn or [row[0] for row in rows] == [SLIDE]]
    if not usable:
        what = f"{joint.name} has no displacement and no angle about one axis"
        raise ValueError(f"joint: {what}; take Revolute, Prismatic, Cylindrical or Planar")
    if name is None and len(usable) == 1:
        return usable[0]
    if not isinstance(name, str) or name not in usable:
        raise refuse("coordinate", name, f"{either(usable)} for {joint.name}")
    return name


@offered("elements", urdf=("limit",))
@recorded
class Limit(OnCoordinate):
    """Stops of a `coordinate` of a `joint`: low <= coordinate <= high, in m or rad.

    coordinate: "displacement" or "angle", of `Planar` "first", "second" and "angle", see `Result.coordinate`;
    it may be left out where the joint has one. Angles are continuous over whole turns, from one in (-pi, pi]
    at the start. e_n: restitution of the stops, in [0, 1]. Backlash between two bodies is a limit around 0.

    Raises ValueError if low >= high, none is given, a value is out of its range, or the joint has no such
    coordinate. A start beyond a limit is refused by the run.

    >>> model = ns.Model(gravity=(0, 0, -9.81))
    >>> rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
    >>> pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    >>> stop = model.add(Limit(pin, high=1.0, e_n=0.5))
    >>> angle, rate = ns.simulate(model, t_end=5.0, h=1e-3).coordinate(pin)
    >>> print(angle.max().round(9), angle[-1].round(6))
    1.0 1.0
    """

    title = "limit"

    def __init__(
        self,
        joint: JointHandle,
        *,
        coordinate: str | None = None,
        low: float | None = None,
        high: float | None = None,
        e_n: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(joint, coordinate, name)
        self.law = ContactLaw(e_n=e_n)
        if low is None and high is None:
            raise ValueError("low, high: give at least one of them")
        self.low = -math.inf if low is None else number_in("low", low, -math.inf, math.inf)
        if high is not None:
            remedy = "it is above low"
            self.high = number_in("high", high, self.low, math.inf, open_low=True, remedy=remedy)

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, ...]:
        """Both stops, always; one that is not given has an infinite gap."""
        return self.of_kinds([TORQUE if self.turns else FORCE] * 2, planes)
