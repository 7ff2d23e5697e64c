"""Pairs of points: of bodies, fixed in space, or of prescribed frames.

    a = x_A + R_A s_A,   b = x_B + R_B s_B,   g = |a - b|,   n = (a - b)/g,   p_A = R_A s_A,   p_B = R_B s_B

s are the places in the frames of the bodies, 0 for their centres. The gap is the distance, and a pair is in
contact at any: laws act in the middle between the two points.

Points that meet have no direction. Within NOWHERE they get that distance and a fixed normal. A spring without
length, whose force is then zero, keeps its full stiffness. Laws whose force needs a direction return one that
is not finite, and the run ends with a status.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints, Planes, turned
from nsgalpha.checks import refuse, vector
from nsgalpha.forces.contact_frames import POINTS
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.rotations import to_inertial
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane, pair_list
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.model.registration import offered

NOWHERE = 1e-150  # distance [m] below which there is no direction

End = Body | Plane | tuple[Body | Plane, ArrayLike] | ArrayLike


@geometry_kernel(images=False)
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


@geometry_kernel(options=(0.0,), images=False)
def measure_fixed_points(first, last, candidates, section, scene):
    """Distance and direction of pairs of points, whose places (2, 3) in their frames are the options.

    Contacts of a pair are known by its feature, its number in the element.
    """
    one, two = np.empty(3), np.empty(3)
    d = np.empty(3)
    for c in range(first, last):
        i, j, row = candidates.a[c], candidates.b[c], 6 * candidates.feature[c]
        lever = candidates.lever[c]
        for k in range(3):
            one[k], two[k] = scene.options[row + k], scene.options[row + 3 + k]
        to_inertial(scene.q[i], one, lever[0])
        to_inertial(scene.q[j], two, lever[1])
        square = 0.0
        for k in range(3):
            d[k] = scene.x[i, k] + lever[0, k] - scene.x[j, k] - lever[1, k]
            square += d[k] * d[k]
        candidates.gap[c] = math.sqrt(square)
        if candidates.gap[c] <= NOWHERE:
            candidates.gap[c], d[0], d[1], d[2] = NOWHERE, 0.0, 0.0, NOWHERE
        for k in range(3):
            candidates.normal[c, k] = d[k] / candidates.gap[c]


@offered("parts")
@recorded
class PointPairs:
    """Pairs of points: bodies (centres), points of bodies, points in space (3,) [m], or planes.

    (body, (x, y, z)) is a point fixed to a body, by its place [m] in the frame of the body. A plane with a
    prescribed motion stands for the origin of its frame, which moves as prescribed, and (plane, (x, y, z))
    for a point of that frame. At least one point of a pair is of a body; side A is the first that is.

    `pairs` may be named by any number of elements, and have contact as well: forces are added.

    Raises ValueError if there is no pair, or one has no body, has a body twice or occurs twice. Also raises
    it if a plane is not prescribed, or a point is off the centre of a body that does not rotate.
    """

    def __init__(self, pairs: Sequence[tuple[End, End]]) -> None:
        self._bodies: list[Body] = []
        self._others: list[Body | Plane | int] = []  # a number is that of an anchor
        anchors: list[Floats] = []
        places: list[tuple[Floats, Floats]] = []
        for k, pair in enumerate(_listed(pairs)):
            ends = [_split(f"pairs[{k}]", end) for end in pair]
            (a, s_a), (b, s_b) = ends if isinstance(ends[0][0], Body) else ends[::-1]
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
                anchors.append(b)
            places.append((s_a, s_b))
        self.anchors = np.reshape(anchors, (-1, 3))
        self._places = np.array(places)  # (P, 2, 3)
        self._off = self._places.any(axis=(1, 2))  # (P,) pairs with a point off a centre
        self._refuse_twice()

    @property
    def geometry(self) -> Geometry:
        """Measures the pairs."""
        if not self._off.any():
            return measure_points
        return replace(measure_fixed_points, options=tuple(self._places.ravel().tolist()))

    def _refuse_twice(self) -> None:
        known: set[frozenset[tuple[int, bytes]]] = set()
        for a, b, (s_a, s_b) in zip(self._bodies, self._others, self._places, strict=True):
            if isinstance(b, int):
                continue
            # + 0: of -0.0, which is the same place
            pair = frozenset(((id(a), (s_a + 0.0).tobytes()), (id(b), (s_b + 0.0).tobytes())))
            if pair in known:
                raise ValueError(f"pairs: {a.name!r} and {b.name!r} are given twice; name each pair once")
            known.add(pair)

    def __len__(self) -> int:
        return len(self._bodies)

    @property
    def lengths(self) -> Floats:
        """Distances (P,) [m] in the model as stated."""
        rows = zip(self._bodies, self._others, self._places, strict=True)
        return np.array(
            [np.linalg.norm(self._point(a, s_a) - self._point(b, s_b)) for a, b, (s_a, s_b) in rows]
        )

    def _point(self, end: Body | Plane | int, place: Floats) -> Floats:
        if isinstance(end, int):
            return np.asarray(self.anchors[end])
        if isinstance(end, Body):
            return np.asarray(end.position + turned(end.rotation, place))
        x, q, _, _ = frame_motion(end, 0.0)
        return np.asarray(x + turned(q, place))

    def ends(self) -> list[tuple[tuple[Body | Plane | None, Floats], ...]]:
        """Carriers of the points of each pair, None for space; their places in these frames [m]."""
        rows = zip(self._bodies, self._others, self._places, strict=True)
        return [
            ((a, s_a), (None, self.anchors[b]) if isinstance(b, int) else (b, s_b))
            for a, b, (s_a, s_b) in rows
        ]

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

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, ...]:
        """All pairs in their order, for any `reach`; numbered if a point is off a centre."""
        a = np.array([body.index for body in self._bodies], np.int64)
        b = np.array([self._number(other, planes) for other in self._others], np.int64)
        kind = np.where(self._off, POINTS, -1).astype(np.int64)
        return (a, b, kind, np.arange(len(a))) if self._off.any() else (a, b, kind)

    @staticmethod
    def _number(other: Body | Plane | int, planes: Planes) -> int:
        if isinstance(other, int):
            return -1 - other
        return int(planes.body[other.index]) if isinstance(other, Plane) else other.index


def _split(name: str, end: End) -> tuple[Body | Plane | Floats, Floats]:
    """Body, plane or point in space of an end, and its place (3,) in that frame."""
    if isinstance(end, Body | Plane):
        return end, np.zeros(3)
    if not (isinstance(end, tuple | list) and len(end) == 2 and isinstance(end[0], Body | Plane)):
        return vector(name, end), np.zeros(3)
    carrier, place = end[0], vector(name, end[1])
    if isinstance(carrier, Body) and not carrier.turns and place.any():
        raise refuse(name, end[1], f"(0, 0, 0) for {carrier.name!r}", "points do not turn, and have no frame")
    return carrier, place


def _listed(pairs: Sequence[tuple[End, End]]) -> list[tuple[End, End]]:
    """`pairs` as a list of two ends each, or a ValueError."""
    listed = pair_list(
        "pairs", pairs, "a pair of points, each a body, (body, (x, y, z)), a point in space or a plane"
    )
    if not listed:
        raise refuse("pairs", pairs, "at least one pair")
    return listed
