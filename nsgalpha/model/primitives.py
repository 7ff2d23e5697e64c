"""The shapes that compliant geometries measure, and what they measure, as arrays over many contacts.

A primitive is a list of points in space with a radius: one point is a sphere (or a point, with radius 0),
two are a capsule, a cylinder or a disk, n a flat polygon. Points are shared: those of a mesh stand once in
the table, and whatever carries them, a body or a mass point, writes them once per evaluation.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints


class Primitives(NamedTuple):
    """K primitives of one kind, with N points each."""

    points: Floats  # (P, 3) inertial [m]
    corners: Ints  # (K, N) rows of `points`; polygons with less than N points end with -1
    radius: Floats  # (K,) [m]; negative: concave


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
    rejected: Flags  # (C,) no contact of these primitives, whatever the overlap


def no_measured(count: int, corners_a: int, corners_b: int) -> Measured:
    """Room for `count` contacts."""
    return Measured(
        np.zeros(count),
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.zeros((count, corners_a)),
        np.zeros((count, corners_b)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, np.bool_),
    )


class Points(NamedTuple):
    """The points in which the primitives of a model have their corners."""

    owner: Ints  # (P,) body or frame
    place: Floats  # (P, 3) in the frame of that [m]
