"""Shapes that come to overlap one another although no element lets them touch; spheres alone:
missed_contacts.py.

A shape is a convex piece of a rigid body: a solid whose faces the body carries, a capsule or a ball. It is
the hull of some points with a radius around it. Two shapes overlap where a point of one and a point of the
other are nearer than the sum of the radii. All are made smaller by DEEP, since contact leaves overlaps. The
nearest points come from least squares with non-negative weights (Lawson and Hanson). They lie in the hulls
for any error, so that it cannot cause a false alarm.

Bodies to which one element refers may touch. Bodies that joints connect are one mechanism, whose links are
often drawn through one another. Shapes that overlap at the start are meant to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, turned
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.convex_solids import solids_of
from nsgalpha.model.handles import Body, HasHandles, Primitive
from nsgalpha.system.system import System

DEEP = 1e-2  # depth that counts, over half of the diagonal of the smaller shape
HEAVY = 1e3  # weight of the condition that weights add up to 1
PAIRS = 500  # that are looked at in a state
NEAR = 1e-9  # distance of two points in one place, over the size of the shapes


class _Piece(NamedTuple):
    """A convex piece of a body, in the frame of the body."""

    body: int
    place: Floats  # (P, 3)
    radius: float
    size: float  # half of the diagonal of its box


class ShapeOverlaps:
    """Overlaps in a run of `system` from the positions `x` (B, 3) and rotations `q` (B, 4) on."""

    def __init__(self, system: System, x: Floats, q: Floats) -> None:
        self.system = system
        carried = [each for each in system.model.shapes.primitives if isinstance(each.carrier, Body)]
        self._start = (x.copy(), q.copy(), system.inactive.present.copy()) if carried else None
        self._pieces: list[_Piece] = []
        self._known: set[tuple[int, int]] = set()

    def look(self, t: float, x: Floats, q: Floats, there: Flags) -> Iterator[tuple[tuple[str, str], float]]:
        """Names of bodies that overlap at `t` [s] for the first time, and since when."""
        bodies = self.system.model.bodies
        for a, b in sorted(self._overlaps(x, q, there) - self._known):
            self._known.add((a, b))
            yield (bodies[a].name, bodies[b].name), t

    def prepare(self) -> int:
        """Find the pieces that may pass through another one; returns their number."""
        if self._start is not None:
            start, self._start = self._start, None
            self._prepare(*start)
        return len(self._pieces)

    def _prepare(self, x: Floats, q: Floats, there: Flags) -> None:
        system = self.system
        if len(system.cell):
            return
        pieces = _pieces(system)
        owners = np.unique(np.array([each.body for each in pieces], np.int64))
        if len(owners) < 2:
            return
        self._met = _elements(system, owners)
        if self._met.all(axis=1).any():
            return
        self._pieces = pieces
        self._owner = np.array([each.body for each in pieces], np.int64)
        self._round = np.array([len(each.place) == 1 for each in pieces])
        many = [len(each.place) for each in pieces]
        self._first = np.concatenate([[0], np.cumsum(many)])
        self._place: Floats = np.concatenate([each.place for each in pieces])
        self._carrier = np.repeat(self._owner, many)
        self._radius = np.array([each.radius for each in pieces])
        self._known = self._overlaps(x, q, there, all_of_them=True)

    def _overlaps(
        self, x: Floats, q: Floats, there: Flags, *, all_of_them: bool = False
    ) -> set[tuple[int, int]]:
        """Numbers of the bodies that overlap, the smaller first.

        all_of_them: with more than PAIRS candidates give up, here and from then on.
        """
        found: set[tuple[int, int]] = set()
        if not (np.isfinite(x).all() and np.isfinite(q).all()):
            return found
        X, first = x[self._carrier] + turned(q[self._carrier], self._place), self._first
        low = np.minimum.reduceat(X, first[:-1]) - self._radius[:, None]
        high = np.maximum.reduceat(X, first[:-1]) + self._radius[:, None]
        near = near_boxes(low, high, len(low))
        near = near[self._may_overlap(near, there)]
        if all_of_them and len(near) > PAIRS:  # the overlaps of the start would be unknown
            self._pieces = []
            return found
        for i, k in near[:PAIRS].tolist():
            a, b = sorted((self._pieces[i].body, self._pieces[k].body))
            if (a, b) in found or (a, b) in self._known:
                continue
            one, two = X[first[i] : first[i + 1]], X[first[k] : first[k + 1]]
            if _overlap(one, two, self._pieces[i], self._pieces[k]):
                found.add((a, b))
        return found

    def _may_overlap(self, near: Ints, there: Flags) -> Flags:
        """True (K,) for pairs of pieces that nothing keeps apart or holds together."""
        system = self.system
        a, b = self._owner[near].T
        open_ = (a != b) & there[a] & there[b] & ~(self._round[near].all(axis=1))
        open_ &= system.inactive.may_touch(a, b) & system.apart.may_meet(a, b)
        if system.model.joints:
            joints = system.joints
            held = (joints.number[a] >= 0) & (joints.number[b] >= 0)
            open_ &= ~(held & (joints.mechanism[a] == joints.mechanism[b]))
        return open_ & ~(self._met[:, a] & self._met[:, b]).any(axis=0)


def _pieces(system: System) -> list[_Piece]:
    """The convex pieces of all bodies that are such, balls among them."""
    model, found = system.model, []
    of_body: dict[int, list[Primitive]] = {}
    for each in model.shapes.primitives:
        if isinstance(each.carrier, Body) and each.rigid:
            of_body.setdefault(each.carrier.index, []).append(each)
    for body, carried in of_body.items():
        faces = [each for each in carried if len(each.corners) > 2]
        try:
            solids = solids_of("faces", faces) if faces else []
        except ValueError:  # open or not convex
            continue
        for solid in solids:
            place = solid.frame[0] + solid.vertices @ solid.frame[1:]
            found.append(_piece(body, place, 0.0))
        for each in carried:
            if len(each.corners) == 2:
                ends = np.array([model.shapes.places[row] for row in each.corners], float)
                found.append(_piece(body, ends, float(each.radius)))
    for ball in np.flatnonzero(system.bodies.radius[: system.count] > 0.0).tolist():
        if ball not in of_body:
            found.append(_piece(ball, np.zeros((1, 3)), float(system.bodies.radius[ball])))
    return found


def _piece(body: int, place: Floats, radius: float) -> _Piece:
    size = 0.5 * float(np.linalg.norm(np.ptp(place, axis=0) + 2.0 * radius))
    middle = 0.5 * (place.max(axis=0) + place.min(axis=0))
    return _Piece(body, middle + (1.0 - 2.0 * DEEP) * (place - middle), radius, size)


def _elements(system: System, owners: Ints) -> Flags:
    """True (E, N) where an element, with some of the `owners`, refers to a body."""
    rows = [np.zeros(system.count, bool)]
    for element in system.model.elements:
        row = np.zeros(system.count, bool)
        handles: Any = element.handles() if isinstance(element, HasHandles) else ()
        for each in handles:
            body = each if isinstance(each, Body) else getattr(each, "carrier", None)
            if isinstance(body, Body):
                row[body.index] = True
        if np.count_nonzero(row[owners]) > 1:
            rows.append(row)
    met = np.array(rows)
    others = np.ones(system.count, bool)
    others[owners] = False
    met[1:] |= others  # so that an element of all owners is one of all bodies
    return met


def _overlap(A: Floats, B: Floats, a: _Piece, b: _Piece) -> bool:
    """True if the hulls of the points `A`, `B` are nearer than both radii."""
    from scipy.optimize import nnls  # an import that most runs can do without

    middle = A.mean(axis=0)
    scale = a.size + b.size
    rows = np.vstack([np.hstack([(A - middle).T, -(B - middle).T]) / scale, np.zeros((2, len(A) + len(B)))])
    rows[3, : len(A)] = rows[4, len(A) :] = HEAVY
    weights, _ = nnls(rows, np.array([0.0, 0.0, 0.0, HEAVY, HEAVY]))
    one, two = weights[: len(A)], weights[len(A) :]
    apart = float(np.linalg.norm(one @ A / one.sum() - two @ B / two.sum()))
    return apart < max(a.radius + b.radius - DEEP * min(a.size, b.size), NEAR * scale)
