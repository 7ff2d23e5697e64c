"""Mass properties of closed surfaces: volume, centre and inertia of homogeneous solids.

    V = int dV,   c = 1/V int x dV,   J = rho int |x - c|^2 - (x - c)(x - c)^T dV

over the tetrahedra of the origin with triangles (x_0, x_1, x_2) of volume v = x_0 . (x_1 x x_2)/6,

    int x = v s/4,   int x x^T = v (s s^T + sum x_k x_k^T)/20,   s = sum x_k

Source: Tonon, J. Math. Stat. 1 (2005) 8. Convex ones may be rounded: rounded_polytopes.py.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, number_in, positive, refuse
from nsgalpha.model.convex_parts import convex_parts
from nsgalpha.model.convex_solids import FLAT, SIDES, height_over, prism_faces
from nsgalpha.model.hulls import hull_of
from nsgalpha.model.mesh_faults import check_solid
from nsgalpha.model.mesh_repair import repair_mesh
from nsgalpha.model.mesh_sources import mesh_of
from nsgalpha.model.rounded_polytopes import layer_moments

THIN, LARGE = 1e-8, 1e12  # least edge of a box over the largest, and that [m]
CONVEX = "take hull=True, or a compound of rounded convex parts"


class MassProperties(NamedTuple):
    """A closed surface and the homogeneous solid in it; the density is 1."""

    vertices: Floats  # (V, 3) [m] from the centre of mass
    faces: list[list[int]]
    volume: float  # [m^3]
    centre: Floats  # (3,) [m] of mass, in the coordinates of the source
    inertia: Floats  # (3, 3) [kg m^2] about it, over the density
    radius: float = 0.0  # [m] around the faces, or the vertices: the ends of a segment, or a centre


def box_properties(size: ArrayLike, radius: float = 0.0) -> MassProperties:
    """A box with edges of `size` (3,) [m] > 0 along the axes, swept by a ball of the `radius` [m]."""
    edges = finite("size", size, "three lengths [m] > 0")
    if edges.shape != (3,) or not (edges > 0.0).all():
        raise refuse("size", size, "three lengths [m] > 0")
    if edges.min() < THIN * edges.max() or edges.max() > LARGE:
        raise refuse("size", size, f"the least at least {THIN:g} of the largest, up to {LARGE:g} m")
    x = 0.5 * edges * np.array([(i, j, k) for k in (1, -1) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    squares, volume = edges**2, _volume("size", math.prod(edges.tolist()))
    inertia = np.diag((squares.sum() - squares) * volume / 12.0)
    sharp = MassProperties(x, prism_faces(4), volume, np.zeros(3), inertia)
    found = _rounded("size, radius", sharp, radius)
    return found._replace(vertices=x, centre=np.zeros(3), inertia=np.diag(found.inertia.diagonal()))


def cylinder_properties(radius: float, length: float) -> MassProperties:
    """A cylinder around z, shown as a prism of SIDES sides."""
    r, L = positive("radius", radius), positive("length", length)
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = r * np.column_stack([np.cos(angle), np.sin(angle)])
    x = np.vstack([np.column_stack([ring, np.full(SIDES, side * 0.5 * L)]) for side in (1.0, -1.0)])
    volume = _volume("radius, length", math.pi * r * r * L)
    across = (3.0 * r * r + L * L) / 12.0
    inertia = volume * np.diag([across, across, 0.5 * r * r])
    return MassProperties(x, prism_faces(SIDES), volume, np.zeros(3), inertia)


def cone_properties(radius: float, height: float) -> MassProperties:
    """A cone around z, its base at a quarter of -height, shown as a pyramid."""
    r, h = positive("radius", radius), positive("height", height)
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    base = np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(SIDES, -0.25 * h)])
    volume = _volume("radius, height", math.pi * r * r * h / 3.0)
    inertia = volume * np.diag([0.15 * r * r + 0.0375 * h * h] * 2 + [0.3 * r * r])
    sides = [[k, (k + 1) % SIDES, SIDES] for k in range(SIDES)]
    x = np.vstack([base, (0.0, 0.0, 0.75 * h)])
    return MassProperties(x, [[*range(SIDES - 1, -1, -1)], *sides], volume, np.zeros(3), inertia)


def capsule_properties(radius: float, length: float) -> MassProperties:
    """A capsule around z, `length` [m] >= 0 between the centres of its caps, which are its vertices."""
    r, L = positive("radius", radius), positive("length", length, "0 is a sphere: add_sphere")
    hull, balls = math.pi * r * r * L, 4.0 / 3.0 * math.pi * r * r * r
    along = hull * 0.5 * r * r + balls * 0.4 * r * r
    # a half ball has its centre 3/8 r from the middle of the ball
    across = hull * (3.0 * r * r + L * L) / 12.0 + balls * (0.4 * r * r + 0.25 * L * L + 0.375 * r * L)
    ends = np.array([(0.0, 0.0, -0.5 * L), (0.0, 0.0, 0.5 * L)])
    volume = _volume("radius, length", hull + balls)
    return MassProperties(ends, [], volume, np.zeros(3), np.diag([across, across, along]), r)


def sphere_properties(radius: float) -> MassProperties:
    """A sphere, whose centre is its vertex."""
    r = positive("radius", radius)
    volume = _volume("radius", 4.0 / 3.0 * math.pi * r**3)
    return MassProperties(np.zeros((1, 3)), [], volume, np.zeros(3), 0.4 * r * r * volume * np.eye(3), r)


def mesh_properties(
    source: Any,
    scale: float,
    hull: bool,
    concavity: float | None = None,
    *,
    repair: bool = False,
    radius: float = 0.0,
) -> MassProperties:
    """The solid within a mesh, a file or vertices (V, 3) and triangles (T, 3), or within its `hull`.

    Points (V, 3) alone have a hull.

    concavity: of the convex parts (convex_parts.py) whose surfaces it has; None: it has its own. repair: see
    mesh_repair.py. radius [m]: of the ball that sweeps a convex solid.
    """
    if _radius(radius) > 0.0 and concavity is not None:
        raise ValueError(f"radius and concavity: give one of them; only convex solids are rounded: {CONVEX}")
    if hull and concavity is not None:
        raise ValueError("hull and concavity: give one of them; a hull is one part")
    if hull and repair:
        raise ValueError("hull and repair: give one of them; a hull needs no repair")
    name, x, triangles = mesh_of(source, scale, points=hull)
    if hull:
        x, triangles = hull_of(name, x)
    else:
        if repair:
            x, triangles, _ = repair_mesh(x, triangles)
        check_solid(name, x, triangles, repair)
    a, b, c = (x[triangles[:, k]] for k in range(3))
    v = (a * np.cross(b, c)).sum(axis=1) / 6.0
    volume = _volume("source", float(v.sum()))
    s = a + b + c
    centre = (v[:, None] * s).sum(axis=0) / (4.0 * volume)
    second = np.einsum("t,ti,tj->ij", v, s, s) + sum(np.einsum("t,ti,tj->ij", v, y, y) for y in (a, b, c))
    second = second / 20.0 - volume * np.outer(centre, centre)
    second = 0.5 * (second + second.T)
    if concavity is not None:
        parts = convex_parts(name, x, triangles, concavity)
        first = np.cumsum([0, *(len(corners) for corners, _ in parts)])
        x = np.concatenate([corners for corners, _ in parts])
        triangles = np.concatenate([own + k for (_, own), k in zip(parts, first, strict=False)])
    inertia = np.trace(second) * np.eye(3) - second
    found = MassProperties(x - centre, triangles.tolist(), volume, centre, inertia)
    return _rounded("source, radius", found, radius)


@np.errstate(over="ignore", invalid="ignore")
def _rounded(name: str, sharp: MassProperties, radius: float) -> MassProperties:
    """A convex solid swept by a ball; errors of the volume have the `name`."""
    r = _radius(radius)
    if r == 0.0:
        return sharp
    x, faces = sharp.vertices, sharp.faces
    rows = np.array([(face[0], *pair) for face in faces for pair in pairwise(face[1:])])
    if height_over(x, faces) > FLAT * float(np.linalg.norm(x, axis=1).max()):
        raise refuse("radius", radius, "0 for a solid that is not convex", CONVEX)
    volume, first, second = layer_moments(x, rows, r)
    volume = _volume(name, sharp.volume + volume)
    centre = first / volume
    second -= volume * np.outer(centre, centre)
    inertia = sharp.inertia + np.trace(second) * np.eye(3) - second
    return MassProperties(x - centre, faces, volume, sharp.centre + centre, inertia, r)


def _radius(radius: float) -> float:
    return number_in("radius", radius, 0.0, LARGE, remedy="it is that of a ball around all edges; 0: sharp")


def mass_of(bulk: MassProperties, mass: float | None, density: float | None) -> float:
    """The mass [kg] of a solid of which one of both is given; ValueError unless one is."""
    if (mass is None) == (density is None):
        raise ValueError("mass and density: give one of them")
    if mass is not None:
        return positive("mass", mass)
    assert density is not None
    return positive("density", positive("density", density, "it is in kg/m^3") * bulk.volume)


def _volume(name: str, volume: float) -> float:
    if not 0.0 < volume < math.inf:
        raise refuse(name, volume, "such that the volume [m^3] is a number above 0")
    return volume
