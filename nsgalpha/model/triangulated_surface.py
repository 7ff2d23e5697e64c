"""Triangulated surfaces with bodies as nodes: topology, and geometry as stated.

An edge has the row (c1, c2, l1, l2) of nodes: triangle t1 = (l1, c1, c2) in its own order, t2 = (l2, c2, c1),
so that c1 -> c2 goes counter-clockwise around t1. A border edge has no l2, t2: -1.

    A = |N|/2,   N = (x_2 - x_1) x (x_3 - x_1),     V = sum x_1 . (x_2 x x_3)/6
    theta = atan2((n_1 x n_2) . e, n_1 . n_2) in (-pi, pi], > 0 where the surface is convex,  e = (c2 - c1)/L
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import finite, integers, refuse
from nsgalpha.model.handles import Body, BodyRow, Numbered, Owner, handle_list, own

THIN = 1e-9  # area over the square of the longest edge, below which a triangle has none


class Topology(NamedTuple):
    """Edges E and pieces of T triangles on N nodes."""

    edges: Ints  # (E, 4) nodes c1, c2, l1, l2; l2 = -1 at a border
    sides: Ints  # (E, 2) triangles t1, t2; t2 = -1 at a border
    piece: Ints  # (N,) number of the piece that a node is in
    closed: Flags  # (P,) for each piece: it has no border


class Reference(NamedTuple):
    """Geometry of a surface in the model as stated."""

    area: Floats  # (T,) [m^2]
    length: Floats  # (E,) [m]
    angle: Floats  # (E,) [rad] between the normals of the two triangles; 0 at a border
    volume: Floats  # (P,) enclosed by each piece [m^3]; without meaning where it is open


@dataclass(frozen=True, eq=False)
class Surface(Numbered):
    """Handle of a triangulated surface, its topology and reference geometry."""

    model: Owner = field(repr=False)
    index: int
    name: str
    nodes: BodyRow = field(repr=False)  # an index, too: `result.position[:, surface.nodes]`
    triangles: Ints = field(repr=False)  # (T, 3) rows of `nodes`, counter-clockwise from outside
    thickness: Floats | None = field(repr=False)  # (T,) [m], None if it has none
    topology: Topology = field(repr=False)
    reference: Reference = field(repr=False)

    @property
    def bodies(self) -> Ints:
        """Numbers (N,) of the nodes among the bodies of the model."""
        return np.asarray(self.nodes)

    def at(self, position: ArrayLike) -> Reference:
        """Areas, lengths, angles and volumes with all bodies of the model in `position` (bodies, 3) [m].

        `surface.at(result.position[-1])`, `surface.at(state.position)`. Raises ValueError for another shape.
        """
        x, many = finite("position", position), len(self.model.bodies)
        if x.shape != (many, 3):
            raise refuse("position", f"array {x.shape}", f"of the shape ({many}, 3), a row for each body")
        return measured(x[self.bodies], self.triangles, self.topology)

    def mean_curvature(self, position: ArrayLike) -> Floats:
        """Mean curvature (N,) [1/m] at the nodes, > 0 on a sphere, with all bodies in `position` (bodies, 3).

        H_i = sum L theta/(4 A_i) over the edges at a node, A_i a third of its triangles (F. Juelicher, J.
        Phys. II 6 (1996) 1797). At a border it is that of the edges with two triangles. Errors as `at`.
        """
        at = self.at(position)
        count = len(self.nodes)
        around = np.bincount(self.triangles.ravel(), np.repeat(at.area / 3.0, 3), count)
        turn = np.repeat(at.length * at.angle, 2)
        total = np.bincount(self.topology.edges[:, :2].ravel(), turn, count)
        return np.asarray(total / (4.0 * around))

    def at_nodes(self, value: ArrayLike) -> Floats:
        """Means (N,) over the triangles at each node of a `value` (T,) of the triangles, such as tensions.

        They are weighted by the areas as stated. Raises ValueError for another shape.
        """
        given, area = finite("value", value), self.reference.area
        if given.shape != area.shape:
            allowed = f"of the shape ({len(area)},), one for each triangle"
            raise refuse("value", f"array {given.shape}", allowed)
        corner = self.triangles.ravel()
        weight, total = (np.bincount(corner, np.repeat(each, 3)) for each in (area, area * given))
        return np.asarray(total / weight)

    @property
    def piece(self) -> Ints:
        """Number (T,) of the piece that each triangle is in."""
        return self.topology.piece[self.triangles[:, 0]]

    @property
    def interior(self) -> Ints:
        """Numbers of the edges with two triangles."""
        return np.flatnonzero(self.topology.sides[:, 1] >= 0)

    @property
    def closed(self) -> bool:
        """True if no piece has a border."""
        return bool(self.topology.closed.all())


def surface_of(
    model: Owner,
    index: int,
    name: str,
    nodes: Sequence[Body],
    triangles: ArrayLike,
    thickness: ArrayLike | None,
) -> Surface:
    """See Model.add_surface; `name` is free."""
    bodies = handle_list("nodes", nodes, Body)
    if len(bodies) < 3:
        raise refuse("nodes", f"{len(bodies)} bodies", "at least three")
    for body in bodies:
        own(model, "nodes", body)
    rows = integers("triangles", triangles, "integers (T, 3), rows of nodes")
    if rows.ndim != 2 or rows.shape[1:] != (3,) or len(rows) == 0:
        raise refuse("triangles", f"array {rows.shape}", "integers (T, 3), T >= 1")
    if not ((rows >= 0) & (rows < len(bodies))).all():
        raise refuse("triangles", f"rows from {rows.min()} to {rows.max()}", f"in [0, {len(bodies) - 1}]")
    names = [body.name for body in bodies]
    _check_nodes(rows, names)
    x = np.array([body.position for body in bodies])
    _check_areas(x, rows)
    topology = topology_of(rows, names)
    t = None if thickness is None else thicknesses("thickness", thickness, len(rows))
    return Surface(model, index, name, BodyRow(bodies), rows, t, topology, measured(x, rows, topology))


def thicknesses(name: str, value: ArrayLike, count: int) -> Floats:
    """`value` as one thickness [m] > 0 for each of `count` triangles, or a ValueError."""
    t = finite(name, value)
    if t.shape not in ((), (count,)) or not (t > 0.0).all():
        raise refuse(name, value, f"positive: a number, or one for each of the {count} triangles")
    return np.full(count, t)


def _check_nodes(triangles: Ints, names: Sequence[str]) -> None:
    """Raises ValueError for a repeated node or triangle, or a node in no triangle."""
    ordered = np.sort(triangles, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        raise refuse(f"triangles[{twice[0]}]", triangles[twice[0]].tolist(), "three different nodes")
    _, first, where = np.unique(ordered, axis=0, return_index=True, return_inverse=True)
    doubled = np.flatnonzero(first[where.ravel()] != np.arange(len(triangles)))
    if len(doubled):
        k = int(doubled[0])
        raise ValueError(
            f"triangles[{k}]: has the nodes of triangles[{first[where.ravel()[k]]}]; leave one of them out"
        )
    unused = np.setdiff1d(np.arange(len(names)), triangles)
    if len(unused):
        raise ValueError(
            f"nodes[{unused[0]}]: {names[unused[0]]!r} is in no triangle; leave it out, or add its triangles"
        )


def _check_areas(x: Floats, triangles: Ints) -> None:
    """ValueError for a triangle without area."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    longest = np.max([((q - p) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    flat = np.flatnonzero(~(area > THIN * longest))
    if len(flat):
        k = int(flat[0])
        allowed = f"more than {THIN:g} of the square of its longest edge"
        remedy = "move its nodes, or merge them with their neighbours"
        raise refuse(f"area of triangles[{k}]", float(area[k]), allowed, remedy)


def topology_of(triangles: Ints, names: Sequence[str]) -> Topology:
    """Edges and pieces of `triangles` (T, 3) on nodes with these `names`.

    Raises ValueError where more than two triangles meet at an edge, or two of them with other orientation.
    """
    count = len(names)
    a, b, c = triangles.T
    start, end = np.concatenate([a, b, c]), np.concatenate([b, c, a])
    lever, owner = np.concatenate([c, a, b]), np.tile(np.arange(len(triangles)), 3)
    code = np.minimum(start, end) * count + np.maximum(start, end)
    order = np.lexsort((owner, code))
    edge, first, many = np.unique(code[order], return_index=True, return_counts=True)
    crowded = np.flatnonzero(many > 2)
    if len(crowded):
        k = crowded[0]
        at = sorted(owner[order[first[k] : first[k] + many[k]]].tolist())
        raise ValueError(
            f"triangles: {', '.join(map(str, at))} meet at the edge of {_ends(edge[k], names)}: must be at "
            "most two at an edge; leave the others out, or give them separate nodes"
        )
    one = order[first]
    two = np.where(many == 2, order[np.minimum(first + 1, len(order) - 1)], -1)
    wrong = np.flatnonzero((many == 2) & (start[one] == start[two]))
    if len(wrong):
        k = wrong[0]
        raise ValueError(
            f"triangles: {owner[one[k]]} and {owner[two[k]]} go the same way along the edge of "
            f"{_ends(edge[k], names)}: must go opposite ways, counter-clockwise from outside; turn one "
            "of them round"
        )
    pair = two >= 0
    edges = np.column_stack([start[one], end[one], lever[one], np.where(pair, lever[two], -1)])
    sides = np.column_stack([owner[one], np.where(pair, owner[two], -1)])
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(start)), (start, end)), shape=(count, count))
    pieces, piece = connected_components(graph, directed=False)
    closed = np.ones(pieces, np.bool_)
    closed[piece[edges[~pair, 0]]] = False
    return Topology(edges.astype(np.int64), sides.astype(np.int64), piece.astype(np.int64), closed)


def _ends(code: int, names: Sequence[str]) -> str:
    return " and ".join(repr(names[k]) for k in divmod(int(code), len(names)))


def measured(x: Floats, triangles: Ints, topology: Topology) -> Reference:
    """Areas, lengths, angles and volumes with the nodes in `x` (N, 3)."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1)
    normal /= size[:, None]
    e = x[topology.edges[:, 1]] - x[topology.edges[:, 0]]
    length = np.linalg.norm(e, axis=1)
    one, two = normal[topology.sides[:, 0]], normal[topology.sides[:, 1]]
    sine = (np.cross(one, two) * e).sum(axis=1) / length
    angle = np.where(topology.sides[:, 1] >= 0, np.arctan2(sine, (one * two).sum(axis=1)), 0.0)
    piece = topology.piece[triangles[:, 0]]
    origin = x[np.unique(topology.piece, return_index=True)[1]][piece]  # a node of each, against rounding
    sixth = ((a - origin) * np.cross(b - origin, c - origin)).sum(axis=1) / 6.0
    volume: Floats = np.bincount(piece, sixth, minlength=len(topology.closed)).astype(float)
    return Reference(0.5 * size, length, angle, volume)
