"""Meshes of spheres."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import integer
from nsgalpha.model.registration import offered

FINEST = 7  # 163 842 vertices


@offered()
def icosphere(subdivisions: int) -> tuple[Floats, Ints]:
    """Vertices (N, 3) on the unit sphere and triangles (T, 3), counter-clockwise from outside.

    The icosahedron with every triangle divided in four `subdivisions` times, 0 to 7: N = 10 4^n + 2, T = 20
    4^n. All vertices have five or six neighbours.

    Raises ValueError for another number.

    >>> from elements import icosphere
    >>> vertices, triangles = icosphere(3)
    >>> vertices.shape, triangles.shape
    ((642, 3), (1280, 3))
    """
    many = integer("subdivisions", subdivisions, 0, FINEST, "each one makes four triangles of one")
    golden = 0.5 * (1.0 + 5.0**0.5)
    corner = np.array([(s, t * golden, 0.0) for s in (-1.0, 1.0) for t in (-1.0, 1.0)])
    x = _unit(np.concatenate([corner, corner[:, [2, 0, 1]], corner[:, [1, 2, 0]]]))
    near = np.linalg.norm(x[:, None] - x[None], axis=2) < 1.1
    three = (rows for rows in np.ndindex(12, 12, 12) if rows[0] < rows[1] < rows[2])
    found = [(i, j, k) for i, j, k in three if near[i, j] and near[j, k] and near[i, k]]
    faces = np.array(found, np.int64)
    inward = np.linalg.det(x[faces]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    for _ in range(many):
        x, faces = _divided(x, faces)
    return x, faces


def _unit(x: Floats) -> Floats:
    return np.asarray(x / np.linalg.norm(x, axis=1)[:, None])


def _divided(x: Floats, faces: Ints) -> tuple[Floats, Ints]:
    """Four triangles of each one, with the middles of its edges on the sphere."""
    i, j, k = faces.T
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    pairs, number = np.unique(edges, axis=0, return_inverse=True)
    a, b, c = len(x) + number.ravel().reshape(3, -1)
    new = [np.column_stack(each) for each in ((i, a, c), (a, j, b), (c, b, k), (a, b, c))]
    return np.concatenate([x, _unit(x[pairs].sum(axis=1))]), np.concatenate(new)
