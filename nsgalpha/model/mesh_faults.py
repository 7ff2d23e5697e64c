"""Faults of triangulated surfaces that should bound a solid: kind, number and place.

An edge of a closed surface has two triangles, which go opposite ways along it. Triangles that edges link are
a component. A component bounds matter from inside, and has the volume V > 0, or it is a cavity with V < 0.
It is a cavity if an odd number of the others hold it. A component holds points of winding number 1,

    w = 1/4 pi sum Omega,   tan(Omega/2) = a . (b x c)/(abc + (a . b)c + (b . c)a + (c . a)b)

with the corners of each triangle from p. Source: A. van Oosterom, J. Strackee, The solid angle of a plane
triangle, IEEE Trans. Biomed. Eng. 30 (1983) 125.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import refuse
from nsgalpha.model.model_repr import counted
from nsgalpha.model.primitive_table import polygon_faults
from nsgalpha.shown_text import triple

PROBES = 9  # triangles of a component that are looked for within others
PAIRS = 1 << 18  # of points and triangles in one array


class MeshFaults(NamedTuple):
    """Faults of a mesh of T triangles; all empty for a solid."""

    degenerate: Ints  # (n,) triangles without area, or with corners in one place
    duplicate: Ints  # (n,) triangles with the corners of an earlier one
    crowded: Ints  # (n, 2) vertices of edges with three triangles or more
    misoriented: Ints  # (n, 2) of edges whose two triangles go the same way along them
    open: Ints  # (n, 2) of edges with one triangle, as it goes along them
    inside_out: Ints  # (n,) components that are turned inwards
    component: Ints  # (T,) the component of each triangle

    @property
    def none(self) -> bool:
        """True if there is no fault."""
        return not any(len(each) for each in self[:-1])


class Edges(NamedTuple):
    """Edges of T triangles."""

    ends: Ints  # (E, 2) vertices, the lower number first
    many: Ints  # (E,) triangles that have it
    of: Ints  # (T, 3) the edge from each corner to the next one
    forward: Flags  # (T, 3) it is gone along from the lower number


def edges_of(triangles: Ints) -> Edges:
    """Edges of `triangles` (T, 3), whose corners are three each."""
    following, size = np.roll(triangles, -1, axis=1), int(triangles.max(initial=0)) + 1
    code = np.minimum(triangles, following) * size + np.maximum(triangles, following)
    edges, of, many = np.unique(code, return_inverse=True, return_counts=True)
    return Edges(np.column_stack(np.divmod(edges, size)), many, of.reshape(-1, 3), triangles < following)


def components_of(edges: Edges) -> Ints:
    """The number (T,) of the component of each triangle, in the order of their first ones."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(edges.of)
    ends = np.repeat(np.arange(count), 3), count + edges.of.ravel()
    size = count + len(edges.ends)
    graph = coo_array((np.ones(3 * count, np.int8), ends), shape=(size, size))
    label = connected_components(graph, directed=False)[1][:count]
    _, first, number = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number.ravel()]


def first_alike(triangles: Ints) -> Ints:
    """For each triangle (T,) the first one of the same vertices."""
    a, b, c = np.sort(triangles, axis=1).T
    size = int(triangles.max(initial=0)) + 1
    pair = np.unique(a * size + b, return_inverse=True)[1].ravel()
    _, first, where = np.unique(pair * size + c, return_index=True, return_inverse=True)
    return first[where.ravel()]


def has_three_corners(triangles: Ints) -> Flags:
    """True (T,) for triangles of three different vertices."""
    return (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)


def find_faults(x: Floats, triangles: Ints) -> MeshFaults:
    """The faults of a mesh, vertices (V, 3) and triangles (T, 3)."""
    real = has_three_corners(triangles)
    flat = polygon_faults(x[triangles]) > 0
    twice = np.flatnonzero((first_alike(triangles) != np.arange(len(triangles))) & real)
    edges = edges_of(triangles[real])
    component = np.full(len(triangles), -1)
    component[real] = components_of(edges)
    ways = np.bincount(edges.of[edges.forward], minlength=len(edges.ends))
    alike = (edges.many == 2) & (ways != 1)
    lone = edges.many[edges.of] == 1
    pairs = np.stack([triangles[real], np.roll(triangles[real], -1, axis=1)], axis=2)
    bad = (edges.many != 2) | alike
    broken = np.zeros(component.max(initial=-1) + 1, np.bool_)
    np.logical_or.at(broken, component[real], bad[edges.of].any(axis=1))
    return MeshFaults(
        np.flatnonzero(flat | ~real),
        twice,
        edges.ends[edges.many > 2],
        edges.ends[alike],
        pairs[lone],
        _inside_out(x, triangles, component, np.flatnonzero(~broken)),
        component,
    )


def volumes(x: Floats, triangles: Ints, component: Ints) -> Floats:
    """Volumes of the components, each from an own corner, against rounding."""
    count = component.max(initial=-1) + 1
    kept = component >= 0
    triangles, component = triangles[kept], component[kept]
    first = np.unique(component, return_index=True)[1]
    a, b, c = (x[triangles[:, k]] - x[triangles[first, 0]][component] for k in range(3))
    sixth = (a * np.cross(b, c)).sum(axis=1) / 6.0
    return np.asarray(np.bincount(component, sixth, minlength=count), float)


def _inside_out(x: Floats, triangles: Ints, component: Ints, closed: Ints) -> Ints:
    """The `closed` components whose volume has the sign of the opposite side."""
    volume = volumes(x, triangles, component)
    rows = [np.flatnonzero(component == k) for k in closed.tolist()]
    boxes = [(x[triangles[own]].min(axis=(0, 1)), x[triangles[own]].max(axis=(0, 1))) for own in rows]
    wrong = []
    for k, own, (low, high) in zip(closed.tolist(), rows, boxes, strict=True):
        probes = own[np.linspace(0, len(own) - 1, min(PROBES, len(own))).astype(np.int64)]
        points, depth = x[triangles[probes]].mean(axis=1), 0
        for other, theirs, (lowest, highest) in zip(closed.tolist(), rows, boxes, strict=True):
            if other != k and (lowest <= low).all() and (high <= highest).all():
                depth += bool(np.median(np.abs(winding_numbers(points, x[triangles[theirs]]))) > 0.5)
        if volume[k] * (-1.0) ** depth < 0.0:
            wrong.append(k)
    return np.array(wrong, np.int64)


def winding_numbers(points: Floats, corners: Floats) -> Floats:
    """How often a surface of triangles with `corners` (T, 3, 3) winds around each of the `points` (n, 3)."""
    total = np.zeros(len(points))
    step = max(PAIRS // len(points), 1)
    for start in range(0, len(corners), step):
        a, b, c = np.moveaxis(corners[None, start : start + step] - points[:, None, None], 2, 0)
        la, lb, lc = (np.linalg.norm(each, axis=2) for each in (a, b, c))
        ab, bc, ca = ((p * q).sum(axis=2) for p, q in ((a, b), (b, c), (c, a)))
        up = (a * np.cross(b, c)).sum(axis=2)
        total += np.arctan2(up, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1)
    return total / (2.0 * np.pi)


def fault_lines(x: Floats, triangles: Ints, faults: MeshFaults) -> Iterator[tuple[str, str]]:
    """The required property, and number and first place of the faults, by kind."""
    for rows, allowed, words in (
        (faults.degenerate, "a surface of triangles with area", "{} {} none"),
        (faults.duplicate, "a surface of different triangles", "{} {} the corners of others"),
    ):
        if len(rows):
            place = triple(x[triangles[rows[0]]].mean(axis=0))
            yield allowed, f"{_having(words, rows, 'triangles')}, the first around ({place}) m"
    way = "{} {} two triangles that go the same way along it"
    for rows, allowed, words in (
        (faults.crowded, "a surface with two triangles at every edge", "{} {} more"),
        (faults.misoriented, "a surface whose faces are oriented alike", way),
        (faults.open, "watertight: two triangles at every edge", "{} {} one"),
    ):
        if len(rows):
            ends = " to ".join(f"({triple(x[end])})" for end in rows[0])
            yield allowed, f"{_having(words, rows, 'edges')}, the first from {ends} m"
    if len(faults.inside_out):
        first, count = faults.inside_out[0], counted(faults.component.max() + 1, "components")
        place = triple(x[triangles[faults.component == first]].mean(axis=(0, 1)))
        what = f"it is inverted, {len(faults.inside_out)} of {count}, the first around ({place}) m"
        yield "a surface with its faces counter-clockwise from outside", what


def _having(words: str, rows: Ints, things: str) -> str:
    """`3 edges have one`, from `{} {} one`."""
    return words.format(counted(len(rows), things), "has" if len(rows) == 1 else "have")


def check_solid(name: str, x: Floats, triangles: Ints, repaired: bool) -> None:
    """ValueError, with the first kind of fault of the source `name`, unless a mesh bounds a solid.

    repaired: True for a mesh after its repair.
    """
    for allowed, words in fault_lines(x, triangles, find_faults(x, triangles)):
        if repaired:
            remedy = f"after the repair {words}; repair it by hand, or take hull=True"
        else:
            remedy = (
                f"{words}; ns.mesh_report lists the faults, repair=True repairs most, hull=True needs none"
            )
        raise refuse("source", name, allowed, remedy)
