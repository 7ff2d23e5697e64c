"""Repair of triangulated surfaces that should bound a solid, in this order.

1. Vertices in one place, to within MERGED of the extent, become one. Triangles that collapse are dropped.
2. Of triangles with the same three vertices one stays.
3. Neighbours are oriented alike, by the majority of each component.
4. Holes of three edges are filled, those without a width, and others up to HOLE of the extent. The filling
   has the least area: G. Barequet, M. Sharir, Filling gaps in the boundary of a polyhedron, Comput. Aided
   Geom. Des. 12 (1995) 207.
5. A triangle without area joins the one beyond its longest edge: the diagonal of both is changed.
6. Components that are inside out are turned. Vertices without triangles are dropped.

The extent is twice the largest distance of a vertex from the mean of all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.model.mesh_faults import edges_of, find_faults, first_alike, has_three_corners
from nsgalpha.model.model_repr import counted
from nsgalpha.model.primitive_table import polygon_faults
from nsgalpha.shown_text import triple

MERGED = 1e-6  # distance of vertices that are one, over the extent
HOLE, LONGEST = 0.1, 100  # extent of a hole over that of the mesh, and edges, up to which it is filled
ROUNDNESS = 1e-4  # share of the squared perimeter in the weight of a triangle, against those without area
PASSES = 20  # over triangles without area


class Hole(NamedTuple):
    """A closed line of edges that have one triangle."""

    vertices: list[int]  # in the order in which the triangles go along it
    centre: Floats  # (3,) [m]
    extent: float  # [m]
    width: float  # [m] across the line that is nearest to all vertices


def extent_of(x: Floats) -> float:
    """Twice the largest distance of points `x` (n, 3) from their mean."""
    return 2.0 * float(np.linalg.norm(x - x.mean(axis=0), axis=1).max(initial=0.0)) if len(x) else 0.0


def repair_mesh(x: Floats, triangles: Ints) -> tuple[Floats, Ints, list[str]]:
    """The mesh after the repair, and sentences of its changes.

    A mesh that bounds a solid has none.
    """
    done: list[str] = []
    number = near_vertices(x)
    if gone := int((number != np.arange(len(x))).sum()):
        done.append(f"{counted(gone, 'vertices')} merged with others in their place")
    triangles = _kept(number[triangles], has_three_corners(number[triangles]), "without area dropped", done)
    is_first = first_alike(triangles) == np.arange(len(triangles))
    triangles = _kept(triangles, is_first, "with the corners of others dropped", done)
    if not len(triangles):
        return x, triangles, done
    triangles = _alike(triangles, done)
    triangles = _without_holes(x, triangles, done)
    triangles = _without_needles(x, triangles, done)
    triangles = _outwards(x, triangles, done)
    used, rows = np.unique(triangles, return_inverse=True)
    if lost := len(x) - len(used) - gone:
        done.append(f"{counted(lost, 'vertices')} without triangles dropped")
    return x[used], rows.reshape(-1, 3), done


def near_vertices(x: Floats) -> Ints:
    """The first vertex (V,) in the place of each, to within MERGED of the extent."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(x).query_pairs(MERGED * extent_of(x), output_type="ndarray")
    graph = coo_array((np.ones(len(pairs), np.int8), pairs.T), shape=(len(x), len(x)))
    label = connected_components(graph, directed=False)[1]
    return np.unique(label, return_index=True)[1][label]


def _kept(triangles: Ints, keep: Flags, words: str, done: list[str]) -> Ints:
    if not keep.all():
        done.append(f"{counted(int((~keep).sum()), 'triangles')} {words}")
    return triangles[keep]


def _turned(triangles: Ints, turn: Flags) -> Ints:
    return np.where(turn[:, None], triangles[:, ::-1], triangles)


def _alike(triangles: Ints, done: list[str]) -> Ints:
    """Neighbours go opposite ways along their edge, wherever that is possible.

    A triangle is two nodes of a graph, as it is and turned. An edge of two triangles links the nodes that go
    opposite ways. Nodes linked with those of the first triangle of a component, as it is, are its side.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges, count = edges_of(triangles), len(triangles)
    shared = edges.many[edges.of] == 2
    order = np.argsort(edges.of[shared], kind="stable")
    one, two = np.nonzero(shared)[0][order].reshape(-1, 2).T
    forward = edges.forward[shared][order].reshape(-1, 2)
    other = np.where(forward[:, 0] == forward[:, 1], count, 0)
    ends = np.concatenate([one, one + count]), np.concatenate([two + other, two + count - other])
    graph = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(2 * count, 2 * count))
    side, turned = np.split(connected_components(graph, directed=False)[1], 2)
    _, first, part = np.unique(np.minimum(side, turned), return_index=True, return_inverse=True)
    turn = side != side[first][part]
    turn ^= (np.bincount(part, turn) > 0.5 * np.bincount(part))[part]
    if turn.any():
        done.append(f"{counted(int(turn.sum()), 'triangles')} turned to the side of their neighbours")
    return _turned(triangles, turn)


def holes_of(x: Floats, triangles: Ints) -> list[Hole]:
    """Closed lines of the edges with one triangle.

    A line that meets itself is divided there.
    """
    edges = edges_of(triangles)
    lone = edges.many[edges.of] == 1
    start, end = triangles[lone], np.roll(triangles, -1, axis=1)[lone]
    after: dict[int, list[int]] = {}
    for i, j in zip(start.tolist(), end.tolist(), strict=True):
        after.setdefault(i, []).append(j)
    found = []
    for begin in start.tolist():
        path = [begin] if after.get(begin) else []
        while path and after.get(path[-1]):
            following = after[path[-1]].pop()
            if following in path:
                at = path.index(following)
                loop = path[at:]
                found.append(_hole(x, loop))
                path = path[: at + 1]
            else:
                path.append(following)
    return found


def _hole(x: Floats, loop: list[int]) -> Hole:
    centre = x[loop].mean(axis=0)
    line = np.linalg.svd(x[loop] - centre, full_matrices=False)[2][0]
    across = x[loop] - centre - np.outer((x[loop] - centre) @ line, line)
    return Hole(loop, centre, extent_of(x[loop]), 2.0 * float(np.linalg.norm(across, axis=1).max()))


def _without_holes(x: Floats, triangles: Ints, done: list[str]) -> Ints:
    size, filled = extent_of(x[np.unique(triangles)]), [triangles]
    taken = set(map(tuple, edges_of(triangles).ends.tolist()))
    for hole in holes_of(x, triangles):
        count = len(hole.vertices)
        narrow = count == 3 or hole.extent <= HOLE * size or hole.width <= MERGED * size
        if not narrow or count > LONGEST:
            continue
        added = _filling(x, hole.vertices, taken)
        if added:
            filled.append(np.array(added, np.int64))
            taken |= {tuple(sorted(pair)) for a, b, c in added for pair in ((a, b), (b, c), (c, a))}
            words = f"a hole of {count} edges around ({triple(hole.centre)}) m, {hole.extent:.3g} m wide"
            done.append(f"{words}, filled with {counted(len(added), 'triangles')}")
    return np.concatenate(filled)


def _filling(x: Floats, loop: list[int], taken: set[tuple[int, ...]]) -> list[tuple[int, int, int]]:
    """Triangles of the least weight in a `loop`; none if they need an edge that is `taken`."""
    n, p = len(loop), x[loop]
    cost, split = np.full((n, n), np.inf), np.zeros((n, n), np.int64)
    cost[np.arange(n - 1), np.arange(1, n)] = 0.0
    for gap in range(2, n):
        for i in range(n - gap):
            j = i + gap
            if gap < n - 1 and tuple(sorted((loop[i], loop[j]))) in taken:
                continue
            k = np.arange(i + 1, j)
            sides = [np.linalg.norm(each, axis=-1) for each in (p[k] - p[i], p[j] - p[k], p[j] - p[i])]
            area = 0.5 * np.linalg.norm(np.cross(p[k] - p[i], p[j] - p[i]), axis=1)
            total = cost[i, k] + cost[k, j] + area + ROUNDNESS * sum(sides) ** 2
            best = int(total.argmin())
            cost[i, j], split[i, j] = total[best], k[best]
    if not np.isfinite(cost[0, n - 1]):
        return []
    found, waiting = [], [(0, n - 1)]
    while waiting:
        i, j = waiting.pop()
        if j - i > 1:
            middle = int(split[i, j])
            found.append((loop[j], loop[middle], loop[i]))
            waiting += [(i, middle), (middle, j)]
    return found


def _without_needles(x: Floats, triangles: Ints, done: list[str]) -> Ints:
    """Triangles with an area: the diagonal of a flat one and its neighbour is changed."""
    rows, changed = triangles.copy(), 0
    for _ in range(PASSES):
        flat = np.flatnonzero(polygon_faults(x[rows]) > 0)
        if not len(flat):
            break
        owner = {
            (row[k], row[(k + 1) % 3]): number for number, row in enumerate(rows.tolist()) for k in range(3)
        }
        moved: set[int] = set()
        for number in flat.tolist():
            a, b, m = _longest_first(x, rows[number].tolist())
            beyond = owner.get((b, a))
            if beyond is None or {number, beyond} & moved:
                continue
            (c,) = set(rows[beyond].tolist()) - {a, b}
            if c == m or (m, c) in owner or (c, m) in owner:
                continue
            rows[number], rows[beyond] = (m, a, c), (b, m, c)
            moved |= {number, beyond}
        if not moved:
            break
        changed += len(moved) // 2
    if changed:
        done.append(f"{counted(changed, 'triangles')} without area joined with a neighbour")
    return rows


def _longest_first(x: Floats, row: list[int]) -> list[int]:
    """The corners of a triangle in their order, those of its longest edge first."""
    lengths = [float(np.linalg.norm(x[row[(k + 1) % 3]] - x[row[k]])) for k in range(3)]
    k = lengths.index(max(lengths))
    return row[k:] + row[:k]


def _outwards(x: Floats, triangles: Ints, done: list[str]) -> Ints:
    faults = find_faults(x, triangles)
    if len(faults.inside_out):
        count = counted(faults.component.max() + 1, "components")
        done.append(f"{len(faults.inside_out)} of {count} turned")
    return _turned(triangles, np.isin(faults.component, faults.inside_out))
