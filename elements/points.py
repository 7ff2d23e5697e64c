"""Given pairs of points: the centres of bodies, points fixed in space, and points that move as told.

    r = |x_A - x_B|,    n = (x_A - x_B)/r,    g = r,    p_A = p_B = 0

The gap is the distance, and a pair is in contact at any: laws act in the middle between the two points.

Points that meet have no direction. Within NOWHERE they get that distance and a fixed normal, so that a spring
without length, whose force is then zero, goes on with its full stiffness; laws whose force needs a direction
give one that is not finite, and the run ends with a status.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.checks import refuse, vector
from nsgalpha.model.geometry import Geometry, geometry_kernel
from nsgalpha.model.handles import Body, Plane, pair_list
from nsgalpha.model.prescribed import frame_motion
from nsgalpha.model.stated import remembers

NOWHERE = 1e-150  # distance [m] below which there is no direction

End = Body | Plane | ArrayLike


@geometry_kernel
def measure_points(first, last, candidates, section, scene):
    """Distance and direction of pairs of points."""
    a, b, x = candidates.a, candidates.b, scene.x
    gap, normal, lever = candidates.gap, candidates.normal, candidates.lever
    for c in range(first, last):
        i, j = a[c], b[c]
        d0, d1, d2 = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
        gap[c] = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if gap[c] <= NOWHERE:
            gap[c], d0, d1, d2 = NOWHERE, 0.0, 0.0, NOWHERE
        scale = 1.0 / gap[c]
        normal[c, 0], normal[c, 1], normal[c, 2] = d0 * scale, d1 * scale, d2 * scale
        for k in range(3):
            lever[c, 0, k] = lever[c, 1, k] = 0.0


@remembers
class PointPairs:
    """The given `pairs` of points, each a body (its centre), a point in space (3,) [m], or a plane.

    A plane with a prescribed motion stands for the origin of its frame, which moves as told. At least one
    point of a pair is a body; side A is the first that is one.

    `pairs` may be named by any number of elements, and have contact as well: forces are added.

    Raises ValueError if there is no pair, one has no body, has a body twice or occurs twice, or a plane is
    not prescribed.
    """

    geometry: Geometry = measure_points

    def __init__(self, pairs: Sequence[tuple[End, End]]) -> None:
        self._bodies: list[Body] = []
        self._others: list[Body | Plane | int] = []  # a number is that of an anchor
        anchors: list[Floats] = []
        for k, pair in enumerate(_listed(pairs)):
            one, two = pair
            a, b = (one, two) if isinstance(one, Body) else (two, one)
            if not isinstance(a, Body):
                raise refuse(f"pairs[{k}]", pair, "of a body and another point", "one of the two must move")
            if a is b:
                raise ValueError(f"pairs[{k}]: {a.name!r} is paired with itself; a pair needs two points")
            self._bodies.append(a)
            if isinstance(b, Plane) and b.motion is None:
                remedy = "others have no point, give coordinates"
                raise refuse(f"pairs[{k}]", b, "a plane with a prescribed motion", remedy)
            if isinstance(b, Body | Plane):
                self._others.append(b)
            else:
                self._others.append(len(anchors))
                anchors.append(vector(f"pairs[{k}]", b))
        self.anchors = np.reshape(anchors, (-1, 3))
        self._refuse_twice()

    def _refuse_twice(self) -> None:
        known: set[frozenset[int]] = set()
        for a, b in zip(self._bodies, self._others, strict=True):
            if isinstance(b, int):
                continue
            if (pair := frozenset((id(a), id(b)))) in known:
                raise ValueError(f"pairs: {a.name!r} and {b.name!r} are given twice; name each pair once")
            known.add(pair)

    def __len__(self) -> int:
        return len(self._bodies)

    @property
    def lengths(self) -> Floats:
        """Distances (P,) [m] in the model as stated."""
        return np.array(
            [
                np.linalg.norm(a.position - self._place(b))
                for a, b in zip(self._bodies, self._others, strict=True)
            ]
        )

    def _place(self, other: Body | Plane | int) -> Floats:
        if isinstance(other, Body):
            return other.position
        return frame_motion(other, 0.0)[0] if isinstance(other, Plane) else np.asarray(self.anchors[other])

    def names(self, k: int) -> tuple[str, str]:
        """The names of pair `k`, for messages."""
        other = self._others[k]
        return self._bodies[k].name, str(self.anchors[other]) if isinstance(other, int) else other.name

    def shared_pair(self, other: "PointPairs") -> None:
        """None: the forces of several elements are added."""

    def handles(self) -> Sequence[Body | Plane]:
        """The bodies and planes of the pairs."""
        handles = [*self._bodies, *(b for b in self._others if not isinstance(b, int))]
        return list({id(handle): handle for handle in handles}.values())

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, Ints, Ints]:
        """All pairs in their order, whatever the `reach`."""
        a = np.array([body.index for body in self._bodies], np.int64)
        b = np.array([self._number(other, planes) for other in self._others], np.int64)
        return a, b, np.full(len(a), -1, np.int64)

    @staticmethod
    def _number(other: Body | Plane | int, planes: Planes) -> int:
        if isinstance(other, int):
            return -1 - other
        return int(planes.body[other.index]) if isinstance(other, Plane) else other.index


def _listed(pairs: Sequence[tuple[End, End]]) -> list[tuple[End, End]]:
    """`pairs` as a list of two ends each, or a ValueError."""
    listed = pair_list("pairs", pairs, "a pair of points, each a body, a point in space or a plane")
    if not listed:
        raise refuse("pairs", pairs, "at least one pair")
    return listed
