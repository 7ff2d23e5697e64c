"""Division of a cell: a closed surface cut by a plane, with meshes of both.

The plane goes through the centre of the volume, across the longest axis or one that is given. A half is seen
from its own centre. Rays in the directions of a mesh of a ball meet the surface, or the plane before it, in
the nodes. Each mesh is then scaled about that centre to half the volume.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints

ROUND = 1.05  # longest axis over the next, below which there is none
DEEP = 0.375  # centre of half a ball over its radius
LOOKS = 2  # from centres of halves that are better known


def halves(
    x: Floats, triangles: Ints, directions: Floats, chance: Floats, longest: bool = True
) -> tuple[Floats, Floats]:
    """Nodes (N, 3) of the two halves of the surface `x` (M, 3) with `triangles` (T, 3).

    directions (N, 3): of the nodes of a mesh of a ball with the same triangles as the halves will have;
    chance (3,): the axis of a cell that is round, or not to be cut across its `longest`.
    """
    volume, centre = volume_of(x, triangles)
    axis = _longest(x - centre, chance) if longest else chance / np.linalg.norm(chance)
    made = [_half(x, triangles, directions, centre, side * axis, 0.5 * volume) for side in (1.0, -1.0)]
    return made[0], made[1]


def volume_of(x: Floats, triangles: Ints) -> tuple[float, Floats]:
    """Volume and its centre (3,) within a closed surface."""
    corners = (x - x[0])[triangles]  # far from the origin products of coordinates have no digits left
    parts = np.linalg.det(corners) / 6.0
    total = float(parts.sum())
    return total, np.asarray(x[0] + 0.25 * parts @ corners.sum(axis=1) / total)


def _longest(x: Floats, chance: Floats) -> Floats:
    """The axis (3,) along which points (M, 3) are spread most, or `chance` where two are alike.

    It points to the end at which the first of the points is that are far out, in any frame.
    """
    values, axes = np.linalg.eigh(x.T @ x)
    if values[2] > ROUND**2 * values[1]:
        axis: Floats = axes[:, 2]
        along = x @ axis
        return axis * np.sign(along[np.argmax(np.abs(along) > 0.5 * np.abs(along).max())])
    return chance / np.linalg.norm(chance)


def _half(
    x: Floats, triangles: Ints, directions: Floats, centre: Floats, axis: Floats, volume: float
) -> Floats:
    """Nodes (N, 3) of the part before the plane through `centre` with the normal `axis`."""
    eye = centre + DEEP * float(((x - centre) @ axis).max()) * axis
    for look in range(LOOKS):
        far = _distances(eye, directions, x[triangles])
        towards = directions @ -axis
        with np.errstate(divide="ignore"):
            plane = np.where(towards > 0.0, ((eye - centre) @ axis) / towards, np.inf)
        found = eye + np.minimum(far, plane)[:, None] * directions
        size, middle = volume_of(found, triangles)
        if look < LOOKS - 1:
            eye = middle
    return np.asarray(middle + (volume / size) ** (1.0 / 3.0) * (found - middle))


def _distances(eye: Floats, directions: Floats, corners: Floats) -> Floats:
    """Distances (N,) from `eye` to triangles `corners` (T, 3, 3) along rays (Moeller and Trumbore 1997)."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    start = eye - corners[:, 0]
    across = np.cross(directions[:, None], two[None])
    det = np.einsum("ntk,tk->nt", across, one)
    along = np.cross(start, one)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ntk,tk->nt", across, start) / det
        v = directions @ along.T / det
        distance = np.einsum("tk,tk->t", along, two) / det
        met = (u > -EDGE) & (v > -EDGE) & (u + v < 1.0 + EDGE) & (distance > 0.0)
    return np.asarray(np.where(met, distance, np.inf).min(axis=1))


EDGE = 1e-9  # of a triangle, by which it is taken larger
