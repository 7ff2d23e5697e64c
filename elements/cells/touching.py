"""One evaluation of the contact of surfaces: what is nearest to the points of their triangles, and forces.

    E = sum f A_T sum_q w_q phi(g_q),   f = 1, or 1/2 where the other side is integrated too
    F = -f sum_q w_q (phi dA_T + A_T phi' dg)
    K = f sum_q w_q (phi d^2A + phi' (dA dg^T + dg dA^T) + A (phi'' dg dg^T + phi' d^2g))

The area of contact is -dE/dw: that of points which overlap, and of those in reach by their part of the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from elements.cells.gaps import (
    PLANE,
    ROOM,
    SPHERE,
    TRIANGLE,
    of_pipette,
    of_plane,
    of_sphere,
    of_triangle,
    second,
)
from elements.shells.sizes import Areas
from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import entry, leaf
from nsgalpha.compliant.slots import add_slots
from nsgalpha.linalg.low_rank import LowRank

NONE = -1


class Table(NamedTuple):
    """The two sides of an element: its triangles, and what they meet."""

    triangles: Ints  # (M, 3) bodies
    spheres: Ints  # (K,) bodies
    radius: Floats  # (K,) [m]
    points: Floats  # (Q, 3) of a triangle
    weights: Floats  # (Q,)


class Near(NamedTuple):
    """Candidates (n, 2), kind and number, of groups (G, 3): a triangle, first and last of its candidates."""

    group: Ints
    candidate: Ints


class Force(NamedTuple):
    """The law of the pressure: stiffness [Pa/m], work [J/m^2], reach and depth [m]."""

    stiffness: float
    work: float
    reach: float
    depth: float


class Parts(NamedTuple):
    """Triangles with one of what they meet, C of them, with the points that are nearest to it."""

    triangle: Ints  # (C,)
    kind: Ints  # (C,)
    number: Ints  # (C,)
    first: Ints  # (C + 1,) of `point`
    point: Ints


@leaf
def _phi(g, stiffness, work, reach):
    """Energy an area, its first and second derivative, and the part of the work that is done."""
    if g < 0.0:
        return 0.5 * stiffness * g * g - work, stiffness * g, stiffness, 1.0
    if g >= reach:
        return 0.0, 0.0, 0.0, 0.0
    s = g / reach
    u = 1.0 - s * s
    slope = 4.0 * work * s * u / reach
    return -work * u * u, slope, 4.0 * work * (1.0 - 3.0 * s * s) / (reach * reach), u * u


@leaf
def _gap(kind, number, p, x, triangles, spheres, radius, walls, out):
    """The gap [m] of the point `p` over what it meets."""
    if kind == TRIANGLE:
        t = triangles[number]
        return of_triangle(p, x[t[0]], x[t[1]], x[t[2]], out)
    if kind == SPHERE:
        return of_sphere(p, x[spheres[number]], radius[number], out)
    if kind == PLANE:
        return of_plane(p, walls[number], out)
    return of_pipette(p, walls[number], out)


@leaf
def _place(x, t, a, p):
    for i in range(3):
        p[i] = a[0] * x[t[0], i] + a[1] * x[t[1], i] + a[2] * x[t[2], i]


@entry
def _nearest(x, triangles, spheres, radius, walls, points, group, candidate, reach, depth, found):
    """Write the nearest of its candidates to each point of each group to `found` (G, Q), -1 out of reach."""
    p, out = np.empty(3), np.empty(ROOM)
    for k in range(group.shape[0]):
        T = triangles[group[k, 0]]
        for q in range(points.shape[0]):
            _place(x, T, points[q], p)
            best, at = np.inf, NONE
            for c in range(group[k, 1], group[k, 2]):
                kind, number = candidate[c]
                g = _gap(kind, number, p, x, triangles, spheres, radius, walls, out)
                if g >= reach or (kind == TRIANGLE and g < -depth):
                    continue
                if abs(g) < best:
                    best, at = abs(g), c
            found[k, q] = at


@leaf
def _beta(kind, a, out, beta):
    """Weights (6,) of the nodes in the motion of a point relative to what is nearest to it."""
    for k in range(3):
        beta[k] = a[k]
        beta[3 + k] = -out[3 + k] if kind == TRIANGLE else 0.0
    if kind == SPHERE:
        beta[3] = -1.0


@entry
def _forces(x, sides, parts, points, weights, walls, law, size, slope, energy, weight, force, touching):
    """Write energies and sums of phi, `weight` (C,), forces (C, 6, 3) and areas at the corners (C, 3)."""
    triangles, spheres, radius = sides
    triangle, kinds, numbers, first, point = parts
    p, out, beta = np.empty(3), np.empty(ROOM), np.empty(6)
    for c in range(triangle.shape[0]):
        T, kind = triangles[triangle[c]], kinds[c]
        f = 0.5 if kind == TRIANGLE else 1.0
        total = 0.0
        for k in range(first[c], first[c + 1]):
            a, w = points[point[k]], f * weights[point[k]]
            _place(x, T, a, p)
            g = _gap(kind, numbers[c], p, x, triangles, spheres, radius, walls, out)
            phi, by_g, _, part = _phi(g, law[0], law[1], law[2])
            _beta(kind, a, out, beta)
            total += w * phi
            for s in range(6):
                for i in range(3):
                    force[c, s, i] -= w * size[c] * by_g * beta[s] * out[i]
            for s in range(3):
                touching[c, s] += w * size[c] * part * a[s]
        energy[c] = size[c] * total
        weight[c] = total
        for s in range(3):
            for i in range(3):
                force[c, s, i] -= total * slope[c, s, i]


@entry
def _tangents(x, sides, parts, points, weights, walls, law, nodes, size, slope, factor, blocks):
    """Add `factor` K to `blocks` (C, 6, 3, 6, 3), without the curvature of the areas."""
    triangles, spheres, radius = sides
    triangle, kinds, numbers, first, point = parts
    p, out, beta = np.empty(3), np.empty(ROOM), np.empty(6)
    scratch, H, d = np.empty((2, 6, 3)), np.empty((18, 18)), np.empty(18)
    for c in range(triangle.shape[0]):
        T, kind = triangles[triangle[c]], kinds[c]
        f = 0.5 * factor if kind == TRIANGLE else factor
        for k in range(first[c], first[c + 1]):
            a, w = points[point[k]], f * weights[point[k]]
            _place(x, T, a, p)
            g = _gap(kind, numbers[c], p, x, triangles, spheres, radius, walls, out)
            _, by_g, second_g, _ = _phi(g, law[0], law[1], law[2])
            _beta(kind, a, out, beta)
            second(out[9], g, x, nodes[c], beta, out, scratch, H)
            for s in range(6):
                for i in range(3):
                    d[3 * s + i] = beta[s] * out[i]
            for s in range(18):
                for r in range(18):
                    value = size[c] * (second_g * d[s] * d[r] + by_g * H[s, r])
                    if s < 9:
                        value += by_g * slope[c, s // 3, s % 3] * d[r]
                    if r < 9:
                        value += by_g * d[s] * slope[c, r // 3, r % 3]
                    blocks[c, s // 3, s % 3, r // 3, r % 3] += w * value


class ContactPass:
    """One evaluation, see FoundPass."""

    def __init__(self, table: Table, walls: Floats, law: Force, near: Near, x: Floats) -> None:
        self._table, self._walls, self._law, self._x = table, walls, law, x
        self.parts = found_parts(table, walls, law, near, x)
        self.nodes = nodes_of(table, self.parts.triangle, self.parts.kind, self.parts.number)
        self._areas = Areas(table.triangles[self.parts.triangle]) if len(self.nodes) else None
        count = len(self.nodes)
        self.force: Floats = np.zeros((count, 6, 3))
        self.energy, self.weight = np.zeros((2, count))
        self.touching: Floats = np.zeros((count, 3))  # area of contact at the corners [m^2]
        self.history: Floats = np.zeros((0, 0))
        if self._areas is None:
            return
        at = self._areas.measure(x)
        self._size, self._slope = at.value, at.gradient
        _forces(
            x,
            table[:3],
            tuple(self.parts),
            table.points,
            table.weights,
            walls,
            tuple(law),
            self._size,
            self._slope,
            self.energy,
            self.weight,
            self.force,
            self.touching,
        )

    def add_forces(self, wrench: Floats) -> None:
        """See FormPass."""
        add_slots(self.nodes, self.force, wrench)

    def damping(self, velocity: Floats) -> Floats | None:
        """None."""
        return None

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See FormPass."""
        if factor_q == 0.0 or self._areas is None:
            return
        table = self._table
        _tangents(
            self._x,
            table[:3],
            tuple(self.parts),
            table.points,
            table.weights,
            self._walls,
            tuple(self._law),
            self.nodes,
            self._size,
            self._slope,
            factor_q,
            blocks,
        )
        self._areas.add_curvature(self._x, factor_q * self.weight, blocks)

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None


def found_parts(table: Table, walls: Floats, law: Force, near: Near, x: Floats) -> Parts:
    """The parts that act with the bodies in `x` (B, 3)."""
    found = np.empty((len(near.group), len(table.points)), np.int64)
    sides = table[:3]
    _nearest(x, *sides, walls, table.points, *near, law.reach, law.depth, found)
    row, point = np.nonzero(found != NONE)
    candidate = found[row, point]  # each belongs to one group
    order = np.lexsort((point, candidate))
    row, point, candidate = row[order], point[order], candidate[order]
    first = np.flatnonzero(np.diff(candidate, prepend=NONE))
    kind, number = near.candidate[candidate[first]].T
    ends = np.append(first, len(point))
    return Parts(
        near.group[row[first], 0], np.ascontiguousarray(kind), np.ascontiguousarray(number), ends, point
    )


def nodes_of(table: Table, triangle: Ints, kind: Ints, number: Ints) -> Ints:
    """Bodies (C, 6) that parts act on: the corners, and those of the other side, if it has any."""
    nodes = np.tile(table.triangles[triangle], (1, 2))
    other = kind == TRIANGLE
    nodes[other, 3:] = table.triangles[number[other]]
    ball = kind == SPHERE
    nodes[ball, 3:] = table.spheres[number[ball]][:, None]
    return np.ascontiguousarray(nodes)

