"""Meshes of triangles that bodies carry, for set-valued contact with convex bodies; open or closed.

The outward side of a triangle has its corners counter-clockwise. Triangles side by side in one plane are a
*patch*, with one plane. An edge is flat within a patch, convex or concave between two, or on the border. Let
its faces have normals with the bend b, b > 0 at convex edges. Both are equally far from a point on the inner
bisector plane,

    m . x - o = tan(b/2) |h|,   h: height over the plane, m: unit vector in it, inwards from the edge

Contact has convex edges and borders, and the vertices where three of these or more meet. Edges in a line
between the same two patches are one. Below a border stands a wall along the normal: it bounds the normals of
the edge, and no more.

A mesh of two sides is the mesh and its copy with all triangles turned over. Convex edges of one are concave
edges of the other, and a border is the edge of walls on both sides.

A tree of boxes around vertices, edges and triangles is binary and complete. Its leaves follow a space-filling
curve (G. M. Morton, A computer oriented geodetic data base, IBM, 1966).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, Meshes, no_meshes
from nsgalpha.checks import refuse
from nsgalpha.model.contact_keys import MOST_FEATURES
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.triangulated_surface import Topology, topology_of

FLAT = 1e-7  # height of corners over the plane of a patch, over the longest edge of the triangles
WALL = 1e-6  # part by which the directions down walls are longer than 1, so that they are known
MORTON = 1 << 10  # cells of the curve along each axis


@dataclass(frozen=True, eq=False)
class Mesh:
    """The faces of one body as triangles, in the frame of the body."""

    name: str
    index: int  # of its first face among the primitives
    carrier: Body
    corners: Floats = field(repr=False)  # (C, 3) all corners [m]
    triangles: Ints = field(repr=False)  # (T, 3) numbers of corners, counter-clockwise from the front
    faces: Ints = field(repr=False)  # (T,) numbers of the primitives that they are parts of
    two_sided: bool
    table: Meshes = field(repr=False)  # of this mesh alone, both sides of a mesh of two


def meshes_of(name: str, faces: Sequence[Primitive], two_sided: bool = False) -> list[Mesh]:
    """The meshes of `faces`, rigid polygons that bodies carry: one for each body.

    Corners of one place are one corner. Raises ValueError, with the `name` of the argument, for faces with a
    radius and edges of more than two faces. Raises it for neighbours of which one is inside out.
    """
    of_body: dict[int, list[Primitive]] = {}
    for face in sorted(faces, key=lambda each: each.index):
        if len(face.corners) < 3 or not isinstance(face.carrier, Body):
            allowed = "a polygon of a body: three corners or more, and a body as its carrier"
            raise refuse(name, face.name, allowed, "state it by add_mesh(vertices, polygons, carrier=body)")
        if face.radius != 0.0:
            remedy = "spheres meet thick polygons (SpherePolygon), convex solids those without a radius"
            raise refuse(f"{name}: radius of {face.name!r}", face.radius, "0", remedy)
        of_body.setdefault(face.carrier.index, []).append(face)
    return [_mesh(name, group, two_sided) for group in of_body.values()]


def _mesh(name: str, faces: list[Primitive], two_sided: bool) -> Mesh:
    """The mesh of the `faces` of one body."""
    rows = sorted({row for face in faces for row in face.corners})
    places = faces[0].model.shapes.places
    X, number = np.unique(np.array([places[row] for row in rows]), axis=0, return_inverse=True)
    at = dict(zip(rows, number.ravel().tolist(), strict=True))
    fans = [
        (at[face.corners[0]], at[face.corners[k]], at[face.corners[k + 1]])
        for face in faces
        for k in range(1, len(face.corners) - 1)
    ]
    triangles = np.array(fans, np.int64)
    try:
        topology = topology_of(triangles, [str(tuple(x.round(9).tolist())) for x in X])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if two_sided:
        back = triangles[:, ::-1] + len(X)
        both = np.concatenate([triangles, back])
        table = _table(np.concatenate([X, X]), both, topology_of(both, [""] * 2 * len(X)))
    else:
        table = _table(X, triangles, topology)
    numbers = np.array([face.index for face in faces for _ in face.corners[2:]], np.int64)
    vertices, edges, count, _ = table.first[1].tolist()
    carrier = faces[0].carrier
    assert isinstance(carrier, Body)
    if vertices + edges + count > MOST_FEATURES:
        allowed = f"a mesh of {MOST_FEATURES} vertices, edges and triangles at most, of both sides together"
        raise refuse(name, carrier.name, allowed, "divide the surface: several bodies, which may be fixed")
    return Mesh(faces[0].name, faces[0].index, carrier, X, triangles, numbers, two_sided, table)


def _table(X: Floats, triangles: Ints, topology: Topology) -> Meshes:
    """The arrays of one mesh with the corners `X` (C, 3)."""
    patch, planes = _patches(X, triangles, topology.sides)
    edges, sides = topology.edges, topology.sides
    e = X[edges[:, 1]] - X[edges[:, 0]]
    e /= np.linalg.norm(e, axis=1)[:, None]
    border = sides[:, 1] < 0
    n1 = planes[sides[:, 0], :3]
    out1 = np.cross(e, n1)
    n2 = np.where(border[:, None], out1, planes[sides[:, 1], :3])
    out2 = np.where(border[:, None], n1, np.cross(n2, e))
    bend = np.arctan2((out1 * n2).sum(axis=1), (n1 * n2).sum(axis=1))
    between = np.column_stack([patch[sides[:, 0]], np.where(border, -1, patch[sides[:, 1]])])
    sharp = between[:, 0] != between[:, 1]
    bend[~sharp] = 0.0
    halves = np.tan(np.clip(0.5 * bend, -1.5, 1.5))
    halves[border] = 0.0
    of_sides = _sides(X, triangles, planes, topology, halves)
    convex = sharp & (bend > 0.0)
    vertices = _active_vertices(edges, convex, border, len(X))
    ends = _chains(edges, between, e, sharp, np.flatnonzero(convex))
    kept = np.array([k for k, *_ in ends], np.int64)
    pairs = np.array([pair for _, *pair in ends], np.int64).reshape(-1, 2)
    middle = out1[kept] + out2[kept]
    middle /= np.maximum(np.linalg.norm(middle, axis=1), 1e-300)[:, None]
    lines = np.stack([X[pairs[:, 0]], X[pairs[:, 1]], out1[kept], out2[kept], middle], axis=1)
    spoke, spokes = _spokes(X, edges, sides, planes, vertices)
    corners = [X[vertices][:, None], lines[:, :2], X[triangles]]
    boxes, items = _tree(
        np.concatenate([each.min(axis=1) for each in corners]),
        np.concatenate([each.max(axis=1) for each in corners]),
    )
    first = np.array([(0, 0, 0, 0), (len(vertices), len(lines), len(triangles), len(items))], np.int64)
    size = np.array([np.linalg.norm(X, axis=1).max()])
    own = X[vertices], spoke, spokes, lines, patch, planes, of_sides, boxes, items
    return Meshes(np.zeros(1, np.int64), first, size, *own)


def _patches(X: Floats, triangles: Ints, sides: Ints) -> tuple[Ints, Floats]:
    """The first triangle (T,) of the patch of each triangle, and the planes (T, 4) of these."""
    a, b, c = (X[triangles[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    longest = np.sqrt(np.max([((q - p) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0))
    n = area / np.linalg.norm(area, axis=1)[:, None]
    one, two = sides[sides[:, 1] >= 0].T
    # heights of the corners of one triangle over the plane of the other, both ways
    height = np.zeros(len(one))
    for s, t in ((one, two), (two, one)):
        apart = X[triangles[t]] - a[s][:, None]
        height = np.maximum(height, np.abs((apart * n[s][:, None]).sum(axis=2)).max(axis=1))
    same = (height <= FLAT * np.maximum(longest[one], longest[two])) & ((n[one] * n[two]).sum(axis=1) > 0.0)
    groups = _groups(one[same], two[same], len(triangles))
    first, planes, off = _planes_of(groups, X, triangles, area)
    bad = np.unique(groups[off.max(axis=1) > FLAT * longest])  # bent little by little: no planes
    if len(bad):
        same &= ~np.isin(groups[one], bad)
        groups[np.isin(groups, bad)] = -1
        groups = np.where(groups < 0, len(triangles) + np.arange(len(triangles)), groups)
        first, planes, _ = _planes_of(groups, X, triangles, area)
    return first, planes


def _groups(one: Ints, two: Ints, count: int) -> Ints:
    """The least number (count,) that each of `count` things is linked to, by links of `one` and `two`."""
    least = np.arange(count)
    while (least[one] != least[two]).any():
        lower = np.minimum(least[one], least[two])
        for side in (one, two):
            np.minimum.at(least, least[side], lower)
        least = least[least]
    return least


def _planes_of(groups: Ints, X: Floats, triangles: Ints, area: Floats) -> tuple[Ints, Floats, Floats]:
    """First triangles (T,) and planes (T, 4) of groups of triangles; heights (T, 3) of corners over these."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    group = group.ravel()
    normal = np.array([np.bincount(group, area[:, i]) for i in range(3)]).T
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    origin = X[triangles[first, 0]]
    heights = ((X[triangles] - origin[group][:, None]) * normal[group][:, None]).sum(axis=2)
    mean = np.bincount(group, heights.mean(axis=1)) / np.bincount(group)
    planes = np.column_stack([normal, (normal * origin).sum(axis=1) + mean])
    return first[group], planes[group], np.abs(heights - mean[group][:, None])


def _sides(X: Floats, triangles: Ints, planes: Floats, topology: Topology, halves: Floats) -> Floats:
    """Planes of the sides (T, 3, 4) of triangles, with the tangents of half of the bend, (T, 3, 5)."""
    out = np.empty((len(triangles), 3, 5))
    number: dict[tuple[int, int], float] = {}
    for (i, j, *_), half in zip(topology.edges.tolist(), halves.tolist(), strict=True):
        number[i, j] = number[j, i] = half
    for k in range(3):
        i, j = triangles[:, k], triangles[:, (k + 1) % 3]
        m = np.cross(planes[:, :3], X[j] - X[i])
        m /= np.linalg.norm(m, axis=1)[:, None]
        out[:, k, :3] = m
        out[:, k, 3] = 0.5 * (m * (X[i] + X[j])).sum(axis=1)
        out[:, k, 4] = [number[pair] for pair in zip(i.tolist(), j.tolist(), strict=True)]
    return out


def _active_vertices(edges: Ints, convex: Flags, border: Flags, count: int) -> Ints:
    """Vertices of at least three convex edges, with that of walls below borders."""
    many = np.bincount(edges[convex, :2].ravel(), minlength=count)
    at_border = np.bincount(edges[border, :2].ravel(), minlength=count) > 0
    return np.flatnonzero(many + at_border >= 3)


def _chains(edges: Ints, between: Ints, e: Floats, sharp: Flags, convex: Ints) -> list[tuple[int, int, int]]:
    """Convex edges, joined in lines: number of one part, and both ends."""
    at: dict[int, list[int]] = {}
    for k in np.flatnonzero(sharp).tolist():
        for end in edges[k, :2].tolist():
            at.setdefault(end, []).append(k)
    joined: dict[int, dict[int, int]] = {}  # of an edge: the next one at each of its ends
    for end, around in at.items():
        if len(around) != 2:
            continue
        k, m = around
        straight = np.linalg.norm(np.cross(e[k], e[m])) <= FLAT
        if straight and set(between[k].tolist()) == set(between[m].tolist()):
            joined.setdefault(k, {})[end] = m
            joined.setdefault(m, {})[end] = k
    found: list[tuple[int, int, int]] = []
    done: set[int] = set()
    for k in convex.tolist():
        if k in done:
            continue
        ends = []
        for end in edges[k, :2].tolist():
            part = k
            while end in joined.get(part, {}):
                part = joined[part][end]
                done.add(part)
                end = int(edges[part, :2].sum()) - end
            ends.append(end)
        done.add(k)
        found.append((k, ends[0], ends[1]))
    return found


def _spokes(X: Floats, edges: Ints, sides: Ints, planes: Floats, vertices: Ints) -> tuple[Ints, Floats]:
    """Offsets and unit directions of the edges at `vertices`, and down the walls of borders, see WALL."""
    i, j = edges[:, :2].T
    border = sides[:, 1] < 0
    down = -planes[sides[border, 0], :3]
    owner = np.concatenate([i, j, i[border], j[border]])
    way = np.concatenate([X[j] - X[i], X[i] - X[j], down, down])
    place = np.full(len(X), -1)
    place[vertices] = np.arange(len(vertices))
    kept = place[owner] >= 0
    owner, way = place[owner[kept]], way[kept]
    order = np.argsort(owner, kind="stable")
    many = np.bincount(owner, minlength=len(vertices))
    offsets = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    size = np.where(np.arange(len(kept)) < 2 * len(i), 1.0, 1.0 + WALL)[kept]
    return offsets, (way * (size / np.linalg.norm(way, axis=1))[:, None])[order]


def _tree(low: Floats, high: Floats) -> tuple[Floats, Ints]:
    """Boxes (2 P, 6) of the nodes of a tree, and items (P,) at its leaves; -1 for none."""
    count = len(low)
    leaves = 1 << max(count - 1, 0).bit_length()
    middle = 0.5 * (low + high)
    start, size = middle.min(axis=0), max(float(np.ptp(middle, axis=0).max()), 1e-300)
    cell = np.minimum(((middle - start) / size * MORTON).astype(np.int64), MORTON - 1)
    code = np.zeros(count, np.int64)
    for bit in range(MORTON.bit_length() - 1):
        for axis in range(3):
            code |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    order = np.argsort(code, kind="stable")
    items = np.full(leaves, -1)
    items[:count] = order
    boxes = np.empty((2 * leaves, 6))
    boxes[:, :3], boxes[:, 3:] = np.inf, -np.inf
    boxes[leaves : leaves + count, :3], boxes[leaves : leaves + count, 3:] = low[order], high[order]
    while leaves > 1:
        pairs = boxes[leaves : 2 * leaves].reshape(-1, 2, 6)
        leaves //= 2
        boxes[leaves : 2 * leaves, :3] = pairs[:, :, :3].min(axis=1)
        boxes[leaves : 2 * leaves, 3:] = pairs[:, :, 3:].max(axis=1)
    return boxes, items


def mesh_library(meshes: Sequence[Mesh], of: Ints) -> Meshes:
    """The arrays of all `meshes`; `of` (S,) are their numbers at the shapes that begin them."""
    if not meshes:
        return no_meshes()._replace(of=of)
    tables = [each.table for each in meshes]
    first = np.concatenate([np.zeros((1, 4), np.int64), np.cumsum([t.first[1] for t in tables], axis=0)])
    joined = {name: np.concatenate([getattr(t, name) for t in tables]) for name in Meshes._fields[2:]}
    ends = [len(t.spokes) for t in tables]
    starts = np.cumsum([0, *ends])[:-1]
    spoke = [t.spoke[:-1] + start for t, start in zip(tables, starts, strict=True)]
    joined["spoke"] = np.append(np.concatenate(spoke), sum(ends))
    return Meshes(of, first, **joined)
