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
    no_meshes,
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


def shape_table(A: Primitives, B: Primitives) -> ShapeTable:
    """Primitives of both sides in one table, those of A first.

    So are the points, unless both sides share them. Each primitive is a body at the origin that does not
    turn; a sphere is one around its point.
    """
    one = B.points is A.points
    corners = np.full((len(A.corners) + len(B.corners), max(A.corners.shape[1], B.corners.shape[1])), -1)
    corners[: len(A.corners), : A.corners.shape[1]] = A.corners
    shift = 0 if one else len(A.points)
    corners[len(A.corners) :, : B.corners.shape[1]] = np.where(B.corners < 0, -1, B.corners + shift)
    points = A.points if one else np.concatenate([A.points, B.points])
    radius, number = np.concatenate([A.radius, B.radius]), np.arange(len(corners))
    solid = np.full(len(radius), -1) if A.solid is None or B.solid is None else np.append(A.solid, B.solid)
    tables = A.solids or no_solids(), no_meshes()
    return ShapeTable(radius, number, points, corners, radius, solid, *tables)


def measured_primitives(
    geometry: Geometry, a: Ints, b: Ints, number: Ints, A: Primitives, B: Primitives
) -> Measured:
    """The contacts with a `number` (C,) of the primitives `a` (C,) of A and `b` (C,) of B."""
    shapes, C, key = shape_table(A, B), len(a), geometry.keys(number)
    spheres = np.all(shapes.corners[:, 1:2] < 0, axis=1, keepdims=True)
    x = np.where(spheres, shapes.points[shapes.corners[:, 0]], 0.0)
    one, other = (np.zeros((C, side.corners.shape[1])) for side in (A, B))
    section = Section(np.empty((C, 3)), one, other, np.empty((6, C)))
    candidates = candidate_table(a, b + len(A.corners), np.full_like(a, -1), key, key, np.empty(C))
    scene = Scene(shapes, no_planes(), np.array(geometry.options), x, np.empty((0, 4)), no_cell())
    measure_all(geometry.kernel.address, candidates, section, scene)
    return measured_section(candidates.gap, candidates.normal, section)


def measured_section(gap: Floats, normal: Floats, section: Section) -> Measured:
    """Contacts with the `gap` (C,) and `normal` (C, 3) of a geometry, and its `section`."""
    radius, contact_radius, area, fraction, rejected, square = section.extent
    rest = radius, contact_radius, area, fraction, rejected != 0.0, square
    return Measured(-gap, normal, *section[:3], *rest)


class Points(NamedTuple):
    """The points in which the primitives of a model have their corners."""

    owner: Ints  # (P,) body or frame
    place: Floats  # (P, 3) in the frame of that [m]
