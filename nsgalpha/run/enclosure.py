"""Pairs of solids or closed surfaces within one another, which no force separates.

Solids have contact where their faces cross, and one within another, or behind a plane as a whole, has no face
that does. Contact of deformable surfaces is that of triangles which face each other, with overlaps of less
than a depth D. For a cell in another one the outer sides have the same orientation. Both are right where a
step leads from contact into contact. Where a model is stated so, or a step was too long, no force acts, and
the status names the pair.

    solids      all corners of A lie in B, balls and capsules with their radius. Only pairs whose boxes
                contain one another are looked at, and of these all corners
    surfaces    more than half of the nodes of A lie in B by D and more: they, and the points D further in
                along their normals. Only pairs of which the box of one has the centre of the other are looked
                at, and of these some nodes. B is closed with its triangles outwards: within a container
                whose triangles are turned to its content there is contact

A point is within a surface if the solid angles of the triangles around it add up to 4 pi (A. van Oosterom, J.
Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import (
    CYLINDER,
    HALF_SPACE,
    PATCH,
    Flags,
    Floats,
    Ints,
    Motion,
    empty_motion,
    turned,
    turned_back,
)
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.carried_shapes import corners_of
from nsgalpha.model.contact_element import SurfaceElement
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.system.system import System

SAME = 1e-9  # of a size: nearer points are in one place
NODES = 32  # of a surface that are looked at
MOST = 4_000_000  # points of all states that are looked at together
LOOKS, LEAST_LOOKS = 64, 4  # states that are looked at, of a run or of a part that is written
ON_IT = 0.01  # of D: how far in nodes are moved, so that those of two surfaces in one place are within


@runtime_checkable
class SelfContactElement(Protocol):
    """A force element that is contact of surfaces with one another."""

    surfaces: Sequence[Surface]

    @property
    def depth(self) -> float:
        """Overlap [m] from which on two of them have no contact."""

    def contacting_surfaces(self, x: Floats) -> Ints:
        """Numbers of those that have contact with one another, with the bodies in `x` (B, 3)."""


class Enclosure:
    """The looks at a run for pairs that are within one another."""

    def __init__(self, system: System) -> None:
        self.system = system
        solid = [each for each in system.surfaces if isinstance(each, SurfaceElement)]
        self._solids = [_Solids(each, system) for each in solid if _has_solids(each)]
        self._cells = [_Cells(each) for each in system.force_elements if isinstance(each, SelfContactElement)]
        #: the reasons why names of pairs are named, and when they were seen first [s]
        self.pairs: dict[tuple[str, str], tuple[str, float]] = {}

    def look(self, t: Floats, x: Floats, q: Floats, there: Flags) -> None:
        """Look at some of the times `t` (n,) [s], of bodies (N) at `x`, `q` that are `there` (n, N)."""
        points = sum(len(each.place) for each in self._solids) + sum(len(each.bodies) for each in self._cells)
        if not points:
            return
        looks = min(len(t), LOOKS, max(LEAST_LOOKS, MOST // points))
        for k in np.unique(np.linspace(0, len(t) - 1, looks).astype(int)).tolist():
            if not (np.isfinite(x[k]).all() and np.isfinite(q[k]).all()):
                continue
            now = float(t[k])
            for cells in self._cells:
                if acts_at(cells.element, now):
                    for a, b in cells.within(x[k]):
                        self._keep(a, b, "within one another", now)
            if self._solids:
                motion = self._motion(now, x[k], q[k])
                for solids in self._solids:
                    if acts_at(solids.element, now):
                        for a, b, how in solids.within(motion, there[k]):
                            self._keep(a, b, how, now)

    def _motion(self, t: float, x: Floats, q: Floats) -> Motion:
        motion, count = empty_motion(self.system.size), self.system.count
        motion.x[:count], motion.q[:count] = x, q
        self.system.place_frames(motion, t)
        return motion

    def _keep(self, a: str, b: str, how: str, t: float) -> None:
        if (b, a) not in self.pairs:  # as two solids in one place
            self.pairs.setdefault((a, b), (how, t))

    def __str__(self) -> str:
        """A sentence of the status, or nothing."""
        if not self.pairs:
            return ""
        (a, b), (how, t) = next(iter(self.pairs.items()))
        more = f" (and {len(self.pairs) - 1} other pairs)" if len(self.pairs) > 1 else ""
        where = f"{a!r} is {how} {b!r}" if how != "within one another" else f"{a!r} and {b!r} are {how}"
        return f"{where}{more}, first seen at t = {t:g} s: nothing acts between them"


class _Solids:
    """Solids, balls and capsules of an element: P points of K shapes, in carriers' frames."""

    def __init__(self, element: SurfaceElement, system: System) -> None:
        self.element, self.system = element, system
        a, b = element.sides
        self._among = a is b
        handles: list[Any] = [*a] if self._among else [*a, *b]
        self._first_b = len(a)
        self.planes = [k for k, each in enumerate(handles) if _is_plane(each)]
        places = [_corners(each) for each in handles]
        many = [len(each) for each in places]
        self.handles, self.place = handles, np.concatenate(places)
        frames = [k.index if isinstance(k, Body) else system.frame_of(k.carrier) for k in handles]
        self._frame = np.array(frames, np.int64)
        self._owner = np.repeat(self._frame, many)
        self._first = np.concatenate([[0], np.cumsum(many)])
        self._radius = np.array([0.0 if isinstance(each, Solid) else each.radius for each in handles])

    def within(self, motion: Motion, there: Flags) -> Iterator[tuple[str, str, str]]:
        """Yield (inner, outer, relation) for each enclosed pair."""
        X = motion.x[self._owner] + turned(motion.q[self._owner], self.place)
        present = np.ones(len(motion.x), bool)
        present[: len(there)] = there
        starts = self._first[:-1]
        low = np.minimum.reduceat(X, starts) - self._radius[:, None]
        high = np.maximum.reduceat(X, starts) + self._radius[:, None]
        for h in self.planes:
            yield from self._behind(h, X, motion, present)
        bounded = np.setdiff1d(np.arange(len(self.handles)), self.planes)
        slack = SAME * (high - low).max(axis=1)
        found = bounded[near_boxes(low[bounded], high[bounded], len(bounded))]
        one, two = np.concatenate([found, found[:, ::-1]]).T
        inner = (low[one] >= low[two] - slack[two, None]) & (high[one] <= high[two] + slack[two, None])
        for a, b in np.column_stack([one, two])[inner.all(axis=1)].tolist():
            if isinstance(self.handles[b], Solid) and self._may_meet(a, b, present):
                points = X[self._first[a] : self._first[a + 1]] - motion.x[self._frame[b]]
                depth = _depth(self.handles[b], turned_back(motion.q[self._frame[b]], points))
                if depth.min() >= self._radius[a] - slack[b]:
                    yield _name(self.handles[a]), _name(self.handles[b]), "within"

    def _behind(self, h: int, X: Floats, motion: Motion, present: Flags) -> Iterator[tuple[str, str, str]]:
        """Shapes that are behind the half-space `h` as a whole."""
        frame, carrier = self.handles[h].frame, self._frame[h]
        place, n = turned(motion.q[carrier], frame[[0, 3]])
        height = (X - motion.x[carrier] - place) @ n
        top = np.maximum.reduceat(height, self._first[:-1]) + self._radius
        for a in np.flatnonzero(top < 0.0).tolist():
            if a not in self.planes and self._may_meet(a, h, present):
                yield _name(self.handles[a]), _name(self.handles[h]), "behind"

    def _may_meet(self, a: int, b: int, present: Flags) -> bool:
        """True if the element lets two shapes touch."""
        if not self._among and (a < self._first_b) == (b < self._first_b):
            return False
        one, two = self._frame[[a]], self._frame[[b]]
        fixed = self.system.bodies.inverse_mass[[one[0], two[0]]] == 0.0
        if one[0] == two[0] or fixed.all() or not (present[one[0]] and present[two[0]]):
            return False
        return bool(self.system.apart.may_meet(one, two)[0] and self.system.inactive.may_touch(one, two)[0])


def _has_solids(element: SurfaceElement) -> bool:
    """True for elements of solids, but for those on patches of meshes."""
    kinds = [each.kind for side in element.sides for each in side if isinstance(each, Solid)]
    return bool(kinds) and PATCH not in kinds


def _is_plane(handle: Any) -> bool:
    return isinstance(handle, Solid) and handle.kind == HALF_SPACE


def _name(handle: Body | Primitive | Solid) -> str:
    """Name of a shape's body, or its own if none carries it."""
    carrier = None if isinstance(handle, Body) else handle.carrier
    return handle.name if carrier is None else carrier.name


def _corners(handle: Body | Primitive | Solid) -> Floats:
    """Corners of a solid, capsule, ball or plane, in the frame of the carrier."""
    if not isinstance(handle, Solid):
        return corners_of(handle)
    centre, axes = handle.frame[:1], handle.frame[1:]
    return centre if handle.kind == HALF_SPACE else centre + handle.vertices @ axes


def _depth(solid: Solid, points: Floats) -> Floats:
    """How deep [m] `points` (P, 3) in the frame of its carrier are within a convex solid, < 0 outside."""
    y = (points - solid.frame[0]) @ solid.frame[1:].T
    if solid.kind == CYLINDER:
        return np.minimum(solid.size[1] - np.hypot(y[:, 0], y[:, 1]), solid.size[2] - np.abs(y[:, 2]))
    return np.asarray((solid.planes[:, 3] - y @ solid.planes[:, :3].T).min(axis=1))


class _Cells:
    """The surfaces of an element, with all their nodes in one list."""

    def __init__(self, element: SelfContactElement) -> None:
        self.element = element
        bodies = [each.bodies for each in element.surfaces]
        self.bodies = np.concatenate(bodies)
        self._first = np.concatenate([[0], np.cumsum([len(each) for each in bodies])])
        self._known: set[tuple[int, int]] = set()

    def within(self, x: Floats) -> Iterator[tuple[str, str]]:
        """Names of pairs that are within one another, with the bodies in `x` (N, 3), once for each."""
        number = self.element.contacting_surfaces(x)
        if len(number) < 2:
            return
        X, starts = x[self.bodies], self._first[:-1]
        low, high = np.minimum.reduceat(X, starts)[number], np.maximum.reduceat(X, starts)[number]
        middle, surfaces = 0.5 * (low + high), self.element.surfaces
        found = near_boxes(low, high, len(low))
        one, two = np.concatenate([found, found[:, ::-1]]).T
        central = (low[two] <= middle[one]) & (middle[one] <= high[two])
        for a, b in np.column_stack([number[one], number[two]])[central.all(axis=1)].tolist():
            inner, outer, pair = surfaces[a], surfaces[b], (min(a, b), max(a, b))
            if pair in self._known or not outer.closed:
                continue
            if self._deep(x[inner.bodies], inner, x[outer.bodies], outer):
                self._known.add(pair)
                yield inner.name, outer.name

    def _deep(self, x: Floats, inner: Surface, around: Floats, outer: Surface) -> bool:
        """True if over half of the nodes of `inner` at `x` lie in `outer`, that deep."""
        chosen = np.unique(np.linspace(0, len(x) - 1, min(NODES, len(x))).astype(int))
        n = _normals(x, inner.triangles)[chosen]
        corners = around[outer.triangles]
        inside = np.ones(len(chosen), bool)
        for part in (ON_IT, 1.0):
            inside &= winding(x[chosen] - part * self.element.depth * n, corners) > 0.5
        return 2 * int(inside.sum()) > len(chosen)


def _normals(x: Floats, triangles: Ints) -> Floats:
    """Unit normals (N, 3) at the nodes of a surface, weighted by areas."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    sums = np.zeros_like(x)
    for k in range(3):
        np.add.at(sums, triangles[:, k], np.cross(b - a, c - a))
    size = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(size > 0.0, size, 1.0))


def winding(points: Floats, corners: Floats) -> Floats:
    """How often triangles with `corners` (T, 3, 3) go around `points` (P, 3): 1 within a closed surface."""
    a, b, c = (corners[:, k] - points[:, None] for k in range(3))
    ra, rb, rc = (np.linalg.norm(each, axis=2) for each in (a, b, c))
    ab, bc, ca = ((u * v).sum(axis=2) for u, v in ((a, b), (b, c), (c, a)))
    volume = (a * np.cross(b, c)).sum(axis=2)
    angle = np.arctan2(volume, ra * rb * rc + ab * rc + bc * ra + ca * rb)
    return np.asarray(angle.sum(axis=1) / (2.0 * np.pi))
