"""One evaluation of the contact of surfaces: what is nearest to the points of their triangles, and forces.

    E = sum f A sum_q w_q phi(g_q),   f = 1, or 1/2 where the other side is integrated too
    F = -f sum_q w_q (phi dA + A phi' dg)
    K = f sum_q w_q (phi d^2A + phi' (dA dg^T + dg dA^T) + A (phi'' dg dg^T + phi' d^2g))

for what pushes, phi = k g^2/2, with the area of the triangle, and for what pulls with A = -n . N/2, its
projection on a plane: a surface whose tension is less than the work would else fold to touch more. Other
sides take the area of the triangle for both. The area of contact is -dE/dw: that of points which overlap, and
of those in reach by their part of the work; of both sides each has all of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from elements.cells.surface_gaps import (
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
from elements.shells.area_volume import Areas
from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.attachments import add_slots
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.low_rank import LowRank

NONE = -1


class Force(NamedTuple):
    """The law of the pressure: stiffness [Pa/m], work [J/m^2], reach and depth [m]."""

    stiffness: float
    work: float
    reach: float
    depth: float


class Table(NamedTuple):
    """An element: its triangles, the bodies that they meet, the rule of the integrals, and the law."""

    triangles: Ints  # (M, 3) bodies
    spheres: Ints  # (K,) bodies
    radius: Floats  # (K,) [m]
    points: Floats  # (Q, 3) of a triangle
    weights: Floats  # (Q,)
    law: Force


class Place(NamedTuple):
    """Where all of it is."""

    x: Floats  # (B, 3) of the bodies [m]
    walls: Floats  # (W, 8) planes and pipettes


class Near(NamedTuple):
    """Candidates (n, 2), kind and number, of groups (G, 3): a triangle, first and last of its candidates."""

    group: Ints
    candidate: Ints


class Parts(NamedTuple):
    """Triangles with one of what they meet, C of them, with the points that are nearest to it."""

    triangle: Ints  # (C,)
    kind: Ints  # (C,)
    number: Ints  # (C,)
    first: Ints  # (C + 1,) of `point`
    point: Ints
    nodes: Ints  # (C, 6) bodies that they act on, see nodes_of


class Sizes(NamedTuple):
    """Areas of the triangles of C parts, for what pushes and for what pulls, with their derivatives."""

    push: Floats  # (C,) [m^2]
    push_by: Floats  # (C, 3, 3) by the corners [m]
    pull: Floats  # (C,)
    pull_by: Floats  # (C, 3, 3)


class Sums(NamedTuple):
    """Integrals over the triangles of C parts."""

    energy: Floats  # (C,) [J]
    weight: Floats  # (2, C) of phi that pushes and that pulls, over the areas [J/m^2]
    force: Floats  # (C, 6, 3) on the nodes [N]
    touching: Floats  # (C, 3) area of contact at the corners [m^2]


@kernel
def _push(g, stiffness):
    """Energy an area where sides overlap, its first and second derivative."""
    if g >= 0.0:
        return 0.0, 0.0, 0.0
    return 0.5 * stiffness * g * g, stiffness * g, stiffness


@kernel
def _pull(g, work, reach):
    """Energy an area of adhesion, its first and second derivative, and the part of the work that is done."""
    if g < 0.0:
        return -work, 0.0, 0.0, 1.0
    if g >= reach:
        return 0.0, 0.0, 0.0, 0.0
    s = g / reach
    u = 1.0 - s * s
    slope = 4.0 * work * s * u / reach
    return -work * u * u, slope, 4.0 * work * (1.0 - 3.0 * s * s) / (reach * reach), u * u


@kernel
def _gap(table, place, kind, number, p, out):
    """The gap [m] of the point `p` over what it meets."""
    x = place.x
    if kind == TRIANGLE:
        t = table.triangles[number]
        return of_triangle(p, x[t[0]], x[t[1]], x[t[2]], out)
    if kind == SPHERE:
        return of_sphere(p, x[table.spheres[number]], table.radius[number], out)
    if kind == PLANE:
        return of_plane(p, place.walls[number], out)
    return of_pipette(p, place.walls[number], out)


@kernel
def _place(x, t, a, p):
    for i in range(3):
        p[i] = a[0] * x[t[0], i] + a[1] * x[t[1], i] + a[2] * x[t[2], i]


@kernel
def _alike(x, T, U):
    """True if two triangles do not face each other."""
    total = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        one = (x[T[1], j] - x[T[0], j]) * (x[T[2], k] - x[T[0], k])
        one -= (x[T[1], k] - x[T[0], k]) * (x[T[2], j] - x[T[0], j])
        two = (x[U[1], j] - x[U[0], j]) * (x[U[2], k] - x[U[0], k])
        two -= (x[U[1], k] - x[U[0], k]) * (x[U[2], j] - x[U[0], j])
        total += one * two
    return total >= 0.0


@kernel
def _nearest(table, place, near, found):
    """Write the nearest of its candidates to each point of each group to `found` (G, Q), -1 out of reach."""
    x, triangles, points, law = place.x, table.triangles, table.points, table.law
    group, candidate = near.group, near.candidate
    p, out = np.empty(3), np.empty(ROOM)
    for k in range(group.shape[0]):
        T = triangles[group[k, 0]]
        for q in range(points.shape[0]):
            _place(x, T, points[q], p)
            best, at = np.inf, NONE
            for c in range(group[k, 1], group[k, 2]):
                kind, number = candidate[c]
                if kind == TRIANGLE and _alike(x, T, triangles[number]):
                    continue
                g = _gap(table, place, kind, number, p, out)
                if g >= law.reach or (kind == TRIANGLE and g < -law.depth):
                    continue
                if abs(g) < best:
                    best, at = abs(g), c
            found[k, q] = at


@kernel
def _beta(kind, a, out, beta):
    """Weights (6,) of the nodes in the motion of a point relative to what is nearest to it."""
    for k in range(3):
        beta[k] = a[k]
        beta[3 + k] = -out[3 + k] if kind == TRIANGLE else 0.0
    if kind == SPHERE:
        beta[3] = -1.0


@kernel
def _project(table, place, parts, sizes):
    """Overwrite the areas of parts at planes for what pulls by those of the projection."""
    x, triangles, walls, size, slope = place.x, table.triangles, place.walls, sizes.pull, sizes.pull_by
    triangle, kinds, numbers = parts.triangle, parts.kind, parts.number
    e, N = np.empty(3), np.empty(3)
    for c in range(triangle.shape[0]):
        if kinds[c] != PLANE:
            continue
        T, n = triangles[triangle[c]], walls[numbers[c]]
        size[c] = 0.0
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            u, v = x[T[1]], x[T[2]]
            o = x[T[0]]
            N[i] = (u[j] - o[j]) * (v[k] - o[k]) - (u[k] - o[k]) * (v[j] - o[j])
            size[c] -= 0.5 * n[i] * N[i]
        for a in range(3):
            p, q = x[T[(a + 1) % 3]], x[T[(a + 2) % 3]]
            for i in range(3):
                e[i] = q[i] - p[i]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                slope[c, a, i] = -0.5 * (n[j] * e[k] - n[k] * e[j])


@kernel
def _curve_projections(place, parts, factor, blocks):
    """Add `factor` (C,) times the curvature of the projections to `blocks` (C, 6, 3, 6, 3)."""
    kinds, numbers, walls = parts.kind, parts.number, place.walls
    for c in range(kinds.shape[0]):
        if kinds[c] != PLANE:
            continue
        n = walls[numbers[c]]
        for a in range(3):
            for b in range(3):
                if a == b:
                    continue
                sign = 0.5 if (b - a) % 3 == 1 else -0.5
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    blocks[c, a, i, b, k] += sign * factor[c] * n[j]
                    blocks[c, a, i, b, j] -= sign * factor[c] * n[k]


@kernel
def _forces(table, place, parts, sizes, sums):
    """Write the sums (C of each), of which those of points begin as zeros."""
    points, weights, law, x = table.points, table.weights, table.law, place.x
    first, point, force, touching = parts.first, parts.point, sums.force, sums.touching
    size, slope, flat, by_flat = sizes.push, sizes.push_by, sizes.pull, sizes.pull_by
    p, out, beta = np.empty(3), np.empty(ROOM), np.empty(6)
    for c in range(parts.triangle.shape[0]):
        T, kind = table.triangles[parts.triangle[c]], parts.kind[c]
        f = 0.5 if kind == TRIANGLE else 1.0
        pushed, pulled = 0.0, 0.0
        for k in range(first[c], first[c + 1]):
            a, w = points[point[k]], f * weights[point[k]]
            _place(x, T, a, p)
            g = _gap(table, place, kind, parts.number[c], p, out)
            push, push_g, _ = _push(g, law.stiffness)
            pull, pull_g, _, part = _pull(g, law.work, law.reach)
            _beta(kind, a, out, beta)
            pushed += w * push
            pulled += w * pull
            by_g = w * (size[c] * push_g + flat[c] * pull_g)
            for s in range(6):
                for i in range(3):
                    force[c, s, i] -= by_g * beta[s] * out[i]
            for s in range(3):
                touching[c, s] += w / f * flat[c] * part * a[s]
        sums.energy[c] = size[c] * pushed + flat[c] * pulled
        sums.weight[0, c], sums.weight[1, c] = pushed, pulled
        for s in range(3):
            for i in range(3):
                force[c, s, i] -= pushed * slope[c, s, i] + pulled * by_flat[c, s, i]


@kernel
def _tangents(table, place, parts, sizes, factor, blocks):
    """Add `factor` K to `blocks` (C, 6, 3, 6, 3), without the curvature of the areas."""
    points, weights, law, x = table.points, table.weights, table.law, place.x
    first, point = parts.first, parts.point
    size, slope, flat, by_flat = sizes.push, sizes.push_by, sizes.pull, sizes.pull_by
    p, out, beta = np.empty(3), np.empty(ROOM), np.empty(6)
    scratch, H, d, e = np.empty((2, 6, 3)), np.empty((18, 18)), np.empty(18), np.zeros(18)
    for c in range(parts.triangle.shape[0]):
        T, kind = table.triangles[parts.triangle[c]], parts.kind[c]
        f = 0.5 * factor if kind == TRIANGLE else factor
        for k in range(first[c], first[c + 1]):
            a, w = points[point[k]], f * weights[point[k]]
            _place(x, T, a, p)
            g = _gap(table, place, kind, parts.number[c], p, out)
            _, push_g, push_gg = _push(g, law.stiffness)
            _, pull_g, pull_gg, _ = _pull(g, law.work, law.reach)
            by_g, by_gg = size[c] * push_g + flat[c] * pull_g, size[c] * push_gg + flat[c] * pull_gg
            _beta(kind, a, out, beta)
            second(out[9], g, x, parts.nodes[c], beta, out, scratch, H)
            for s in range(6):
                for i in range(3):
                    d[3 * s + i] = beta[s] * out[i]
                    if s < 3:
                        e[3 * s + i] = push_g * slope[c, s, i] + pull_g * by_flat[c, s, i]
            for s in range(18):
                for r in range(18):
                    value = by_gg * d[s] * d[r] + by_g * H[s, r] + e[s] * d[r] + d[s] * e[r]
                    blocks[c, s // 3, s % 3, r // 3, r % 3] += w * value


class ContactPass:
    """One evaluation, see FoundPass."""

    def __init__(self, table: Table, place: Place, near: Near) -> None:
        self._table, self._place, self._x = named(table), named(place), place.x
        self.parts = named(found_parts(self._table, self._place, near))
        self.nodes, count = self.parts.nodes, len(self.parts.nodes)
        self._areas = Areas(table.triangles[self.parts.triangle]) if count else None
        made = Sums(np.zeros(count), np.zeros((2, count)), np.zeros((count, 6, 3)), np.zeros((count, 3)))
        self.energy, self._weight, self.force, self.touching = made
        self.history: Floats = np.zeros((0, 0))
        if self._areas is None:
            return
        at = self._areas.measure(place.x)
        self._sizes = named(Sizes(at.value, at.gradient, at.value.copy(), at.gradient.copy()))
        _project(self._table, self._place, self.parts, self._sizes)
        _forces(self._table, self._place, self.parts, self._sizes, named(made))

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
        _tangents(self._table, self._place, self.parts, self._sizes, factor_q, blocks)
        pushed, pulled = factor_q * self._weight
        walls = self.parts.kind == PLANE
        self._areas.add_curvature(self._x, pushed + np.where(walls, 0.0, pulled), blocks)
        _curve_projections(self._place, self.parts, pulled, blocks)

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None


def found_parts(table: Table, place: Place, near: Near) -> Parts:
    """The parts that act, of those that are `near`."""
    found = np.empty((len(near.group), len(table.points)), np.int64)
    _nearest(table, place, named(near), found)
    row, point = np.nonzero(found != NONE)
    candidate = found[row, point]  # each belongs to one group
    order = np.lexsort((point, candidate))
    row, point, candidate = row[order], point[order], candidate[order]
    first = np.flatnonzero(np.diff(candidate, prepend=NONE))
    kind, number = map(np.ascontiguousarray, near.candidate[candidate[first]].T)
    triangle, ends = near.group[row[first], 0], np.append(first, len(point))
    return Parts(triangle, kind, number, ends, point, nodes_of(table, triangle, kind, number))


def nodes_of(table: Table, triangle: Ints, kind: Ints, number: Ints) -> Ints:
    """Bodies (C, 6) that parts act on: the corners, and those of the other side, if it has any."""
    nodes = np.tile(table.triangles[triangle], (1, 2))
    other = kind == TRIANGLE
    nodes[other, 3:] = table.triangles[number[other]]
    ball = kind == SPHERE
    nodes[ball, 3:] = table.spheres[number[ball]][:, None]
    return np.ascontiguousarray(nodes)
