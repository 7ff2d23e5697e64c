"""Pairs of shapes that bodies carry, of two sides or among one, and with planes."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.carried_shapes import extent_of, numbers_of
from nsgalpha.model.contact_keys import contact_key
from nsgalpha.model.handles import Body, Plane, Primitive, pair_in_common, planes_beside


class ShapeSide:
    """Shapes of one side, K capsules, spheres or solids, as arrays.

    A solid is its first face, and has the radius of a sphere around the centre of its body in `extents`.
    """

    def __init__(
        self, name: str, shapes: Sequence[Primitive | Body], extents: Sequence[float] | None = None
    ) -> None:
        self.shapes = shapes
        carriers = [shape if isinstance(shape, Body) else shape.carrier for shape in shapes]
        self.body = np.array([body.index for body in carriers if isinstance(body, Body)], np.int64)
        self.number = numbers_of(name, shapes)
        if extents is None:
            extents = [s.radius if isinstance(s, Body) else extent_of(s) for s in shapes]
        self.extent = np.array(extents, float)  # around the centre of the body [m]

    def boxes(self, x: Floats, grown: float) -> tuple[Floats, Floats]:
        """Lower and upper ends (K, 3) of boxes that hold the shapes, however the bodies turn."""
        half = (self.extent + grown)[:, None]
        return x[self.body] - half, x[self.body] + half


def near_shapes(one: ShapeSide, two: ShapeSide, x: Floats, reach: float) -> tuple[Ints, Ints]:
    """Pairs of shapes of different bodies whose gap at the centres `x` (B, 3) may be below `reach` [m]."""
    among = one is two
    grown = 0.5 * min(reach, float(np.ptp(x, axis=0).sum()))  # all are nearer than that
    sides = [one.boxes(x, grown)] if among else [one.boxes(x, grown), two.boxes(x, grown)]
    low, high = (np.concatenate(ends) for ends in zip(*sides, strict=True))
    found = near_boxes(low, high, len(one.shapes))
    a, b = found[:, 0], found[:, 1] - (0 if among else len(one.shapes))
    i, j = one.body[a], two.body[b]
    near = np.linalg.norm(x[i] - x[j], axis=1) <= one.extent[a] + two.extent[b] + 2.0 * grown
    near &= i != j
    return a[near], b[near]


class ShapePlanes:
    """Contact of all `shapes` of an argument `name` with all `planes`, which are few and have no end.

    `_body` and `_key` of every contact with one plane are set by the element.
    """

    def __init__(self, name: str, shapes: Sequence[Primitive], planes: Plane | Sequence[Plane]) -> None:
        self._shapes = shapes
        self._planes = planes_beside(name, [shape.carrier for shape in shapes], planes)
        self._body = self._key = np.empty(0, np.int64)

    def shared_pair(self, other: "ShapePlanes") -> tuple[str, str] | None:
        """The names of a shape and a plane in common with `other`, or None."""
        return pair_in_common((self._shapes, self._planes), (other._shapes, other._planes))

    def handles(self) -> Sequence[Primitive | Plane]:
        """The shapes and planes of the element."""
        return [*self._shapes, *self._planes]

    def candidates(
        self, x: Floats, radius: Floats, planes: Planes, reach: float
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Every contact with every plane."""
        chosen = np.array([plane.index for plane in self._planes], np.int64)
        plane = np.tile(chosen, len(self._body))
        body, key = (np.repeat(each, len(chosen)) for each in (self._body, self._key))
        return body, planes.body[plane], plane, key


class ShapePairs:
    """Contact of all shapes of one side with all of the other, or among one."""

    def __init__(self, one: ShapeSide, two: ShapeSide | None = None) -> None:
        self._one = one
        self._two = one if two is None else two

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

    def candidates(
        self, x: Floats, radius: Floats, planes: Planes, reach: float
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Pairs of shapes whose spheres around the centres of mass are nearer than `reach` [m]."""
        a, b = near_shapes(self._one, self._two, x, reach)
        key = contact_key(self._one.number[a], 0, self._two.number[b], 0)
        return self._one.body[a], self._two.body[b], np.full(len(a), -1, np.int64), key
