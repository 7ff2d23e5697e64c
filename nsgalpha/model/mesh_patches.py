"""Patches of meshes for soft contact: triangles in one plane, and cells below.

A patch is below its plane, in a frame whose third axis is the normal. Each triangle has a cell behind it. The
cell is bounded by three walls through the sides, which halve the angles to the neighbouring faces,

    m . y - o + tan(b/2) z >= 0        m: unit vector in the plane, inwards;  b > 0 where the mesh is convex

(contact_meshes.py). At borders, and between triangles of one plane, the walls are upright. Cones below the
vertices are added to cells, or taken away (mesh_cones.py).

In the library of solids each cell has ROWS planes. They are its three walls, and a row of numbers: the sign,
1 or -1, then 1 for a triangle and 0 for a cone. The cones of a triangle follow it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nsgalpha.arrays import PATCH, Floats, Ints
from nsgalpha.model.contact_meshes import Mesh, meshes_of
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.handles import Primitive
from nsgalpha.model.mesh_cones import Cones, cones_of

ROWS = 4  # of a cell
WIDER = 1.2  # radius of a patch in the search for pairs, over that of its corners: cells may widen below


def patches_of(name: str, faces: Sequence[Primitive]) -> list[Solid]:
    """The patches of `faces`, polygons that bodies carry, mesh by mesh.

    Raises the errors of `meshes_of`, with the `name` of the argument.
    """
    return [patch for mesh in meshes_of(name, faces) for patch in _patches(mesh)]


def _patches(mesh: Mesh) -> list[Solid]:
    """The patches of one mesh."""
    cones = cones_of(mesh)
    order = np.argsort(cones.triangle, kind="stable")
    cones = Cones._make(part[order] for part in cones)
    ends = np.searchsorted(cones.triangle, np.arange(len(mesh.triangles) + 1))
    order = np.argsort(mesh.table.patch, kind="stable")
    starts = np.flatnonzero(np.diff(mesh.table.patch[order])) + 1
    return [_patch(mesh, cones, ends, triangles) for triangles in np.split(order, starts)]


def _patch(mesh: Mesh, cones: Cones, ends: Ints, triangles: Ints) -> Solid:
    """The patch of the `triangles` (n,) of a mesh, whose cones are those between `ends`."""
    X, plane = mesh.corners[mesh.triangles[triangles]], mesh.table.planes[triangles[0]]
    n = plane[:3]
    centre = 0.5 * (X.min(axis=(0, 1)) + X.max(axis=(0, 1)))
    centre += (plane[3] - n @ centre) * n
    along = np.cross(n, np.eye(3)[np.abs(n).argmin()])
    along /= np.linalg.norm(along)
    axes = np.array([along, np.cross(n, along), n])
    vertices = (X.reshape(-1, 3) - centre) @ axes.T
    size = np.array([WIDER * float(np.linalg.norm(vertices, axis=1).max()), 0.0, 0.0])
    cells, corners = [], []
    walls = _walls(mesh.table.sides[triangles].reshape(-1, 5), centre, axes).reshape(-1, 3, 4)
    for k, t in enumerate(triangles.tolist()):
        own = slice(ends[t], ends[t + 1])
        cells += [walls[k], [(1.0, 1.0, 0.0, 0.0)]]
        w, tip = cones.walls[own] @ axes.T, (cones.vertex[own] - centre) @ axes.T
        offset = np.einsum("ckj,cj->ck", w, tip)
        for wall, o, sign in zip(w, offset, cones.sign[own].tolist(), strict=True):
            cells += [np.column_stack([wall, o]), [(sign, 0.0, 0.0, 0.0)]]
        corners += [[3 * k, 3 * k + 1, 3 * k + 2]] * (ROWS * (1 + len(w)))
    frame, index = np.vstack([centre, axes]), int(mesh.faces[triangles[0]])
    return Solid(mesh.name, index, mesh.carrier, PATCH, size, frame, vertices, corners, np.vstack(cells))


def _walls(sides: Floats, centre: Floats, axes: Floats) -> Floats:
    """Outward normals and offsets (n, 4) of the walls below `sides` (n, 5), in the frame of a patch."""
    walls = np.empty((len(sides), 4))
    walls[:, :3] = -sides[:, :3] @ axes.T
    walls[:, 2] = -sides[:, 4]
    walls[:, 3] = sides[:, :3] @ centre - sides[:, 3]
    return walls / np.sqrt(1.0 + sides[:, 4:] ** 2)
