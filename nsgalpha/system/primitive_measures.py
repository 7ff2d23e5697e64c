"""Primitives and their measurements by geometries, as arrays over many contacts.

A primitive is a list of points in space with a radius. One point is a sphere (or a point, with radius 0), two
are a capsule, a cylinder or a disk, n a flat polygon. Points are shared. Points of a mesh stand once in the
table, and their carrier, a body or a mass point, writes them once per evaluation.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import (
    Flags,
    Floats,
    Ints,
    Scene,
    Section,
    ShapeTable,
    Solids,
    candidate_table,
    no_cell,
    no_planes,
    no_solids,
)
from nsgalpha.geometry.narrow_phase import measure_all
from nsgalpha.model.geometry_interface import Geometry


class Primitives(NamedTuple):
    """K primitives of one kind, with N points each."""

    points: Floats  # (P, 3) inertial [m]
    corners: Ints  # (K, N) rows of `points`; polygons with less than N points end with -1
    radius: Floats  # (K,) [m]; negative: concave
    solid: Ints | None = None  # (K,) numbers of solids in the library, -1 for other shapes
    solids: Solids | None = None


class Measured(NamedTuple):
    """C contacts of primitives A and B with N_A and N_B points.

    `overlap` has a meaning also where it is negative: it is minus the gap. A force `f` on A is `weight_a[i]
    f` on its points, one on B likewise; rigid carriers use `point` instead.
    """

    overlap: Floats  # (C,) [m] > 0 in contact
    normal: Floats  # (C, 3) unit, from B to A
    point: Floats  # (C, 3) contact point, in the middle of the overlap [m]
    weight_a: Floats  # (C, N_A) [-], their sum is 1
    weight_b: Floats  # (C, N_B)
    effective_radius: Floats  # (C,) [m] R_A R_B / (R_A + R_B); 0 for points, inf for two planes
    contact_radius: Floats  # (C,) [m] of the section in which the surfaces meet, 0 if open
    area: Floats  # (C,) [m^2] of this section, as far as it belongs to the primitives
    fraction: Floats  # (C,) [-] in [0, 1], part of the section that belongs to the primitives
    rejected: Flags  # (C,) no contact of these primitives, for any overlap
    mean_square: Floats = np.ones(1)  # (C,) [-] of the overlaps of two faces, over that of their contacts


class PairsOfPrimitives:
    """The contacts `feature` (C,) of the primitives `a` (C,) of A and `b` (C,) of B, to be measured.

    Each primitive is a body at the origin that does not turn; a sphere is one around its point.
    """

    def __init__(
        self, geometry: Geometry, a: Ints, b: Ints, feature: Ints, A: Primitives, B: Primitives
    ) -> None:
        self._address, self._options = geometry.kernel.address, np.array(geometry.options)
        self._one = B.points is A.points
        shift = 0 if self._one else len(A.points)
        K, self._widths = len(A.corners), (A.corners.shape[1], B.corners.shape[1])
        corners = np.full((K + len(B.corners), max(self._widths)), -1)
        corners[:K, : self._widths[0]] = A.corners
        corners[K:, : self._widths[1]] = np.where(B.corners < 0, -1, B.corners + shift)
        radius = np.concatenate([A.radius, B.radius])
        self._spheres = np.flatnonzero((corners[:, 1:2] < 0).all(axis=1))
        self._centres = corners[self._spheres, 0]
        self._x = np.zeros((len(corners), 3))
        solid = (
            np.full(len(radius), -1) if A.solid is None or B.solid is None else np.append(A.solid, B.solid)
        )
        rest = corners, radius, solid, A.solids or no_solids()
        self.shapes = ShapeTable(radius, np.arange(len(radius)), self._x, *rest)
        self._names = a, b + K, np.full_like(a, -1), feature, feature
        self._planes, self._q = no_planes(), np.empty((0, 4))

    def measure(self, points_a: Floats, points_b: Floats) -> Measured:
        """Their measures with the corners in `points_a` and `points_b` (P, 3)."""
        points = points_a if self._one else np.concatenate([points_a, points_b])
        self._x[self._spheres] = points[self._centres]
        C, (of_a, of_b) = len(self._names[0]), self._widths
        section = Section(np.empty((C, 3)), np.zeros((C, of_a)), np.zeros((C, of_b)), np.empty((6, C)))
        candidates = candidate_table(*self._names, np.empty(C))
        shapes = self.shapes._replace(points=points)
        scene = Scene(shapes, self._planes, self._options, self._x, self._q, no_cell())
        measure_all(self._address, candidates, section, scene)
        effective, contact_radius, area, fraction, rejected, square = section.extent
        extent = effective, contact_radius, area, fraction, rejected != 0.0, square
        return Measured(-candidates.gap, candidates.normal, *section[:3], *extent)


def measured_primitives(
    geometry: Geometry, a: Ints, b: Ints, feature: Ints, A: Primitives, B: Primitives
) -> Measured:
    """The contacts `feature` (C,) of the primitives `a` (C,) of A and `b` (C,) of B."""
    return PairsOfPrimitives(geometry, a, b, feature, A, B).measure(A.points, B.points)


class Points(NamedTuple):
    """The points in which the primitives of a model have their corners."""

    owner: Ints  # (P,) body or frame
    place: Floats  # (P, 3) in the frame of that [m]


def rows_of(measured: Measured, rows: Ints) -> Measured:
    """The contacts `rows` (C,)."""
    return Measured._make(part[rows] for part in measured)


def at_start(start: Measured, end: Measured) -> Measured:
    """The contacts at the start of the step, or at its end if not measured."""
    unknown = ~start.normal.any(axis=1)
    if not unknown.any():
        return start
    pairs = zip(start, end, strict=True)
    return Measured._make(np.where(unknown.reshape(-1, *(1,) * (a.ndim - 1)), b, a) for a, b in pairs)
