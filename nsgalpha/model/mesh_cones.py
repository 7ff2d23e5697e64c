"""Cones below the vertices of meshes, by which cells of soft contact fit together.

The walls of the cells behind triangles (mesh_patches.py) halve the angles between neighbours. Where more than
three planes meet in a vertex, walls do not meet in one line: near it cells overlap, or leave gaps. Across the
mean normal, at the depth 1 below the vertex, the depths behind the planes s = 1 ... m are

    d_s(y) = c_s - g_s . y,     T_ijk: the point where three of them are equal

Divide the polygon with the corners 1 ... m, one for each plane, into triangles ijk. The cell of plane s ends
at the points T of the triangles around corner s. Two cells meet in lines where their depths are equal,
for any division. The one with points nearest to the vertex is taken. The difference of the cell
and the part that its walls bound is a polygon. Its triangles are sections of cones with their tips in the
vertex, to be added or taken away.

Vertices on borders, and those with more than MOST planes, or with planes too steep, have no cones.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.model.contact_meshes import Mesh

MOST = 8  # planes at a vertex
FLATTEST = 0.2  # least component of the normal of a plane along the mean one
FARTHEST = 3.0  # distance of points T, over the depth
LEAST = 1e-12  # area of a triangle that counts, over the depth squared

Triples = tuple[tuple[int, int, int], ...]


class Cones(NamedTuple):
    """C cones, each in the patch of a triangle."""

    triangle: Ints  # (C,)
    vertex: Floats  # (C, 3) tips [m]
    walls: Floats  # (C, 3, 3) outward unit normals
    sign: Floats  # (C,) 1: added, -1: taken away


def cones_of(mesh: Mesh) -> Cones:
    """The cones of all vertices of a mesh."""
    return _joined([cone for pattern, ring in _rings(mesh) for cone in _of_ring(mesh, ring, pattern)])


def _joined(found: list[Cones]) -> Cones:
    """All cones that were `found`, if any."""
    none = Cones(np.empty(0, np.int64), np.empty((0, 3)), np.empty((0, 3, 3)), np.empty(0))
    return Cones._make(np.concatenate(parts) for parts in zip(none, *found, strict=True))


def _rings(mesh: Mesh) -> list[tuple[tuple[int, ...], Ints]]:
    """Corners (V, m) around vertices, counter-clockwise, by the first corner of each plane there."""
    triangles = mesh.triangles
    at, after, before = triangles, np.roll(triangles, -1, axis=1), np.roll(triangles, 1, axis=1)
    key = (at * len(mesh.corners) + after).ravel()
    wanted = (at * len(mesh.corners) + before).ravel()
    order = np.argsort(key)
    place = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
    following = np.where(key[order][place] == wanted, order[place], -1)  # the corner in the next triangle
    many = np.bincount(at.ravel(), minlength=len(mesh.corners))
    first = np.full(len(mesh.corners), -1)
    first[at.ravel()[::-1]] = np.arange(at.size)[::-1]
    open_ones = np.zeros(len(mesh.corners), bool)
    open_ones[at.ravel()[following < 0]] = True
    found: list[tuple[tuple[int, ...], Ints]] = []
    for m in np.unique(many[many > 0]).tolist():
        ring = first[(many == m) & ~open_ones][:, None]
        for _ in range(m - 1):
            ring = np.column_stack([ring, following[ring[:, -1]]])
        whole = following[ring[:, -1]] == ring[:, 0]
        whole &= (np.diff(np.sort(ring, axis=1), axis=1) > 0).all(axis=1)
        found += _by_pattern(mesh, ring[whole])
    return found


def _by_pattern(mesh: Mesh, ring: Ints) -> list[tuple[tuple[int, ...], Ints]]:
    """Rings (V, m) by the places of their planes, from the first corner of a plane on."""
    patch = mesh.table.patch[ring // 3]
    new = patch != np.roll(patch, 1, axis=1)
    kept = new.sum(axis=1) > 2
    ring, new = ring[kept], new[kept]
    turns = (np.argmax(new, axis=1)[:, None] + np.arange(ring.shape[1])) % ring.shape[1]
    ring, new = (np.take_along_axis(each, turns, axis=1) for each in (ring, new))
    patterns, number = np.unique(new, axis=0, return_inverse=True)
    return [
        (tuple(np.flatnonzero(pattern).tolist()), ring[number.ravel() == k])
        for k, pattern in enumerate(patterns)
        if pattern.sum() <= MOST
    ]


def _of_ring(mesh: Mesh, ring: Ints, starts: tuple[int, ...]) -> list[Cones]:
    """The cones of vertices with the corners `ring` (V, m), whose planes begin at `starts`."""
    m, planes = ring.shape[1], len(starts)
    triangle = ring // 3
    tip = mesh.corners[mesh.triangles.ravel()[ring[:, 0]]]
    n = mesh.table.planes[triangle[:, starts], :3]
    up = n.sum(axis=1)
    up /= np.maximum(np.linalg.norm(up, axis=1), 1e-300)[:, None]
    axes = _across(up)
    c, g = np.einsum("vsi,vi->vs", n, up), np.einsum("vsi,vji->vsj", n, axes)
    triples, choices = _divisions(planes)
    i, j, k = np.array(triples).T
    T = _meeting(g[:, i] - g[:, j], c[:, i] - c[:, j], g[:, i] - g[:, k], c[:, i] - c[:, k])
    far = np.linalg.norm(T, axis=2)
    farthest = np.array([far[:, list(choice)].max(axis=1) for choice in choices])
    best = farthest.argmin(axis=0)
    W = _ends_of_walls(mesh, ring, tip, up, axes)
    fit = (c > FLATTEST).all(axis=1) & (farthest.min(axis=0) < FARTHEST) & np.isfinite(W).all(axis=(1, 2))
    fit &= (np.linalg.norm(W, axis=2) < FARTHEST).all(axis=1)
    found: list[Cones] = []
    for number, choice in enumerate(choices):
        of = np.flatnonzero(fit & (best == number))
        if not len(of):
            continue
        for s, start in enumerate(starts):
            end = starts[s + 1] if s + 1 < planes else m
            chain = [T[of, triples.index(each)] for each in _chain(s, planes, [triples[t] for t in choice])]
            chain += [W[of, corner] for corner in range(start, end)]
            for b in range(1, len(chain) - 1):
                section = np.stack([chain[0], chain[b], chain[b + 1]], axis=1)
                found.append(_cones(triangle[of, start], tip[of], section, up[of], axes[of]))
    return found


def _across(n: Floats) -> Floats:
    """Two unit vectors (V, 2, 3) that complete unit vectors `n` (V, 3) to right-handed frames."""
    t = np.cross(n, np.eye(3)[np.abs(n).argmin(axis=1)])
    t /= np.linalg.norm(t, axis=1)[:, None]
    return np.stack([t, np.cross(n, t)], axis=1)


def _meeting(a: Floats, p: Floats, b: Floats, q: Floats) -> Floats:
    """Points y (..., 2) with a . y = p and b . y = q; infinite for parallel lines."""
    det = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.stack([p * b[..., 1] - q * a[..., 1], a[..., 0] * q - b[..., 0] * p], axis=-1) / det[..., None]
    return np.where(np.isfinite(y), y, np.inf)


def _ends_of_walls(mesh: Mesh, ring: Ints, tip: Floats, up: Floats, axes: Floats) -> Floats:
    """Points (V, m, 2) in which both walls of a triangle at the vertex meet."""
    triangle, corner = ring // 3, ring % 3
    sides = mesh.table.sides[triangle[..., None], np.stack([corner, (corner + 2) % 3], axis=-1)]
    n = mesh.table.planes[triangle, None, :3]
    m = sides[..., :3] + sides[..., 4:] * n  # inwards: m . (x - tip) >= 0
    line = np.einsum("vkwi,vji->vkwj", m, axes)
    offset = np.einsum("vkwi,vi->vkw", m, up)
    return _meeting(line[:, :, 0], offset[:, :, 0], line[:, :, 1], offset[:, :, 1])


def _cones(triangle: Ints, tip: Floats, section: Floats, up: Floats, axes: Floats) -> Cones:
    """Cones below the triangles `section` (V, 3, 2) at the depth 1."""
    one, two = section[:, 1] - section[:, 0], section[:, 2] - section[:, 0]
    twice = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    kept: Flags = np.abs(twice) > LEAST
    rays = np.einsum("vkj,vji->vki", section, axes) - up[:, None]
    walls = np.cross(rays, np.roll(rays, -1, axis=1))
    walls *= -np.sign((walls * np.roll(rays, 1, axis=1)).sum(axis=2))[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        walls /= np.linalg.norm(walls, axis=2)[..., None]
    return Cones(triangle[kept], tip[kept], walls[kept], np.sign(twice[kept]))


@cache
def _divisions(m: int) -> tuple[list[tuple[int, int, int]], list[tuple[int, ...]]]:
    """All triples of m corners, and all divisions of their polygon into triples, by number."""
    triples = [(i, j, k) for i in range(m) for j in range(i + 1, m) for k in range(j + 1, m)]

    def between(i: int, j: int) -> list[list[tuple[int, int, int]]]:
        """Divisions of the polygon i, i + 1, ..., j."""
        if j - i < 2:
            return [[]]
        return [
            [*one, *two, (i, k, j)] for k in range(i + 1, j) for one in between(i, k) for two in between(k, j)
        ]

    return triples, [tuple(triples.index(each) for each in division) for division in between(0, m - 1)]


def _chain(s: int, m: int, division: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Triples around corner `s` of a division, from the side to the next corner on."""

    def way(triple: tuple[int, int, int]) -> int:
        return min((corner - s) % m for corner in triple if corner != s)

    return sorted((each for each in division if s in each), key=way)
