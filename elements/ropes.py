"""Ropes: the distance of two points has an upper bound.

    g = L - |d| >= 0,    d = x_A + p - x_B - q,    n = -d/|d|

A taut rope pulls with the multiplier of a normal row, which acts along it; Newton's law with e_n says how it
whips. Geometry: elements/geometry/marker_geometry.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elements.geometry.marker_geometry import PARTS, measure_rope
from elements.joint_markers import End
from elements.joints import Distance
from nsgalpha.arrays import FORCE, Floats, Ints, Planes
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, Friction, Measures
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.joint_interface import DISTANCE
from nsgalpha.model.registration import offered

Carrier = Body | Plane | None
ROUNDING = 1e-9  # of a length


def frame_of(carrier: Carrier, count: int, planes: Planes) -> int:
    """Number of the frame of a joint's side among bodies and frames (`count` bodies)."""
    if carrier is None:
        return count
    return int(planes.body[carrier.index]) if isinstance(carrier, Plane) else carrier.index


def listed(element: Any, sides: Sequence[Carrier], planes: Planes, kinds: Sequence[int]) -> tuple[Ints, ...]:
    """The candidates of an `element` between two sides, A a body: one of each of the `kinds`.

    Features are numbers of the element in its model, so that they name no other contact of the pair.
    """
    a = sides[0]
    assert isinstance(a, Body)
    first = PARTS * a.model.elements.index(element)
    row = np.ones(len(kinds), np.int64)
    b = frame_of(sides[1], len(a.model.bodies), planes)
    return a.index * row, b * row, np.array(kinds, np.int64), first + np.arange(len(kinds))


@offered("elements")
@recorded
class Rope:
    """Massless rope between points of `a` and `b`: bodies, a prescribed frame or the ground.

    points (2, 3) [m] in space, or two markers; length L [m] > 0, by default the distance of the points: the
    rope is taut in the model as stated. e_n: restitution of the jerk when it becomes taut, in [0, 1].

    Raises ValueError for values out of their ranges, ends of one body, and a rope that is shorter than the
    distance of its points.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    >>> rope = model.add(Rope(None, ball, points=((0, 0, 1), (0, 0, 0))))
    >>> result = ns.simulate(model, t_end=1.0, h=0.01)
    >>> force, _ = result.reaction(rope)
    >>> result.position[-1, ball], force[-1].round(9)
    (array([0., 0., 0.]), array([ 0.,  0., 10.]))
    """

    turns = False

    def __init__(
        self,
        a: End,
        b: End,
        *,
        points: tuple[ArrayLike, ArrayLike] | None = None,
        length: float | None = None,
        e_n: float = 0.0,
        name: str | None = None,
    ) -> None:
        self.law = ContactLaw(e_n=e_n)
        rod = Distance(a, b, points=points, length=length, name=name)
        self.carriers, self.points, self.length = rod.carriers, rod.points, rod.length
        self.name = rod.name if name is not None else rod.name.replace("Distance", "Rope", 1)
        self._order = (1, 0) if isinstance(rod.carriers[1], Body) else (0, 1)
        self.second_is_a = self._order == (1, 0)
        distance = rod.distance()
        if distance > self.length * (1.0 + ROUNDING):
            raise ValueError(self.violation(distance - self.length))

    @property
    def geometry(self) -> Geometry:
        """Measures the distance of its points."""
        p, q = (self.points[k] for k in self._order)
        return measure_rope.with_options(*p, *q, self.length)

    def violation(self, depth: float) -> str:
        """See nsgalpha.model.contact_element.MarkerContact."""
        return (
            f"length of {self.name} = {self.length:g}: must be at least the distance of its points, "
            f"{self.length + depth:.9g} m; give it this length, or move the bodies together"
        )

    def friction(self) -> Friction | None:
        """None: it slides on nothing."""
        return None

    def measures(self) -> Measures:
        """The distance of its points."""
        return Measures(DISTANCE, self.carriers, np.asarray(self.points), np.zeros(3))

    def shared_pair(self, other: Rope) -> tuple[str, str] | None:
        """None: two bodies may have several ropes."""
        return None

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that it ties."""
        return [each for each in self.carriers if each is not None]

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, ...]:
        """Itself, always."""
        sides = [self.carriers[k] for k in self._order]
        return listed(self, sides, planes, [FORCE])
