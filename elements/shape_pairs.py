"""Pairs of shapes that bodies carry, of two sides or among one, and with planes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints, Planes, turned
from nsgalpha.geometry.turned_boxes import boxes_around, near_turned_boxes, spheres_around
from nsgalpha.model.carried_shapes import corners_of, numbers_of
from nsgalpha.model.contact_keys import contact_key
from nsgalpha.model.handles import Body, Plane, Primitive, pair_in_common, planes_beside


class PlanePoints(NamedTuple):
    """Points of shapes that may touch planes (P)."""

    body: Ints  # (P,)
    place: Floats  # (P, 3) in the frame of the body [m]
    radius: Floats  # (P,) of the sphere around it that holds the contacts [m]
    key: Ints  # (P,) of the contacts with one plane


class ShapeSide:
    """Shapes of one side, K capsules, polygons, spheres or solids, as arrays.

    A solid is its first face, and has its `corners`, (n, 3) for each shape in the frame of its body.
    """

    def __init__(
        self, name: str, shapes: Sequence[Primitive | Body], corners: Sequence[Floats] | None = None
    ) -> None:
        self.shapes = shapes
        carriers = [shape if isinstance(shape, Body) else shape.carrier for shape in shapes]
        self.body = np.array([body.index for body in carriers if isinstance(body, Body)], np.int64)
        self.number = numbers_of(name, shapes)
        corners = [corners_of(each) for each in shapes] if corners is None else corners
        radius = np.abs([each.radius for each in shapes])
        self.boxes = boxes_around(self.body, corners, radius)
        self.spheres = spheres_around(self.body, corners, radius)  # hold the shapes however bodies turn


class ShapePlanes:
    """Contact of all `shapes` of an argument `name` with all `planes`, which are few and have no end.

    The element sets the `_points` that may touch a plane.
    """

    def __init__(self, name: str, shapes: Sequence[Primitive], planes: Plane | Sequence[Plane]) -> None:
        self._shapes = shapes
        self._planes = planes_beside(name, [shape.carrier for shape in shapes], planes)
        self._points: PlanePoints

    def shared_pair(self, other: "ShapePlanes") -> tuple[str, str] | None:
        """The names of a shape and a plane in common with `other`, or None."""
        return pair_in_common((self._shapes, self._planes), (other._shapes, other._planes))

    def handles(self) -> Sequence[Primitive | Plane]:
        """The shapes and planes of the element."""
        return [*self._shapes, *self._planes]

    @property
    def all_pairs(self) -> int:
        """Number of all pairs, near or not."""
        return len(self._points.body) * len(self._planes)

    def candidates(
        self, x: Floats, radius: Floats, planes: Planes, reach: float, q: Floats | None = None
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Pairs of points and planes; those that are apart by `reach` [m] or more are left out.

        Planes that move have all points, and all have without the rotations `q` (B, 4) of the bodies.
        """
        points, chosen = self._points, np.array([plane.index for plane in self._planes], np.int64)
        near = np.ones((len(points.body), len(chosen)), bool)
        if q is not None and np.isfinite(reach):
            height = (x[points.body] + turned(q[points.body], points.place)) @ planes.normal[chosen].T
            near = height - planes.offset[chosen] - points.radius[:, None] < reach
            near |= [plane.body is not None or plane.motion is not None for plane in self._planes]
        row, k = np.nonzero(near)
        return points.body[row], planes.body[chosen[k]], chosen[k], points.key[row]


class ShapePairs:
    """Contact of all shapes of one side with all of the other, or among one."""

    def __init__(self, one: ShapeSide, two: ShapeSide | None = None) -> None:
        self._one = one
        self._two = one if two is None else two

    @property
    def ordered(self) -> bool:
        """True if the shapes are of two sides; see OrderedPairs."""
        return self._one is not self._two

    @property
    def sides(self) -> tuple[Sequence[Primitive | Body], Sequence[Primitive | Body]]:
        """The shapes of both sides."""
        return self._one.shapes, self._two.shapes

    def shared_pair(self, other: "ShapePairs") -> tuple[str, str] | None:
        """The names of a pair in common with `other`, or None."""
        return pair_in_common(self.sides, other.sides)

    def handles(self) -> Sequence[Primitive | Body]:
        """The shapes of the element."""
        return [*self._one.shapes, *(self._two.shapes if self._two is not self._one else ())]

    @property
    def all_pairs(self) -> int:
        """Number of all pairs, near or not."""
        one, two = len(self._one.body), len(self._two.body)
        return one * (one - 1) // 2 if self._one is self._two else one * two

    def candidates(
        self,
        x: Floats,
        radius: Floats,
        planes: Planes,
        reach: float,
        q: Floats | None = None,
        cell: Floats | None = None,
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Pairs of shapes with gaps below `reach` [m], however the bodies turn if there is no `q` (B, 4).

        In a periodic `cell` images count.
        """
        one, two = self._one, self._two
        if q is None:
            q = np.tile([1.0, 0.0, 0.0, 0.0], (len(x), 1))
            a, b = near_turned_boxes(one.spheres, two.spheres, x, q, reach, cell)
        else:
            a, b = near_turned_boxes(one.boxes, two.boxes, x, q, reach, cell)
        key = contact_key(one.number[a], 0, two.number[b], 0)
        return one.body[a], two.body[b], np.full(len(a), -1, np.int64), key
