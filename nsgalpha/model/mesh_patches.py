"""Patches of meshes for soft contact of solids: triangles in one plane, and the cells below them.

A patch is below its plane, in a frame whose third axis is the normal. Each triangle has a cell behind it. The
cell is bounded by three walls through the sides, which halve the angles to the neighbouring faces,

    m . y - o + tan(b/2) z >= 0        m: unit vector in the plane, inwards;  b > 0 where the mesh is convex

(contact_meshes.py). At borders, and between triangles of one plane, the walls are upright.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nsgalpha.arrays import PATCH, Floats, Ints
from nsgalpha.model.contact_meshes import Mesh, meshes_of
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.handles import Primitive

WIDER = 1.2  # radius of a patch in the search for pairs, over that of its corners: cells may widen below


def patches_of(name: str, faces: Sequence[Primitive]) -> list[Solid]:
    """The patches of `faces`, polygons that bodies carry, mesh by mesh.

    Raises the errors of `meshes_of`, with the `name` of the argument.
    """
    return [patch for mesh in meshes_of(name, faces) for patch in _patches(mesh)]


def _patches(mesh: Mesh) -> list[Solid]:
    """The patches of one mesh."""
    order = np.argsort(mesh.table.patch, kind="stable")
    starts = np.flatnonzero(np.diff(mesh.table.patch[order])) + 1
    return [_patch(mesh, triangles) for triangles in np.split(order, starts)]


def _patch(mesh: Mesh, triangles: Ints) -> Solid:
    """The patch of the `triangles` (n,) of a mesh."""
    X, plane = mesh.corners[mesh.triangles[triangles]], mesh.table.planes[triangles[0]]
    n = plane[:3]
    centre = 0.5 * (X.min(axis=(0, 1)) + X.max(axis=(0, 1)))
    centre += (plane[3] - n @ centre) * n
    along = np.cross(n, np.eye(3)[np.abs(n).argmin()])
    along /= np.linalg.norm(along)
    axes = np.array([along, np.cross(n, along), n])
    vertices = (X.reshape(-1, 3) - centre) @ axes.T
    size = np.array([WIDER * float(np.linalg.norm(vertices, axis=1).max()), 0.0, 0.0])
    walls = _walls(mesh.table.sides[triangles].reshape(-1, 5), centre, axes)
    sides = [[3 * k + i, 3 * k + (i + 1) % 3] for k in range(len(triangles)) for i in range(3)]
    frame = np.vstack([centre, axes])
    return Solid(mesh.name, mesh.index, mesh.carrier, PATCH, size, frame, vertices, sides, walls)


def _walls(sides: Floats, centre: Floats, axes: Floats) -> Floats:
    """Outward normals and offsets (n, 4) of the walls below `sides` (n, 5), in the frame of a patch."""
    walls = np.empty((len(sides), 4))
    walls[:, :3] = -sides[:, :3] @ axes.T
    walls[:, 2] = -sides[:, 4]
    walls[:, 3] = sides[:, :3] @ centre - sides[:, 3]
    return walls / np.sqrt(1.0 + sides[:, 4:] ** 2)
