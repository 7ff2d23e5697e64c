"""The contacts of an element of primitives: segments, polygons, spheres, rigid or in points of their own.

geometry (primitives.py)  ->  sides.py  ->  law  ->  wrenches on the slots, the frames that carry the sides

A law sees whole contacts: its forces are multiplied by the part of the contact that belongs to the
primitives. The pass runs on arrays of the contacts alone, so that tangents by the positions are differences
of the pass itself: every geometry has them, with its weights, fractions and rims; those by the velocities
are the law's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats, Ints, Motion, no_candidates
from nsgalpha.compiled import entry
from nsgalpha.compliant.group import Group
from nsgalpha.compliant.law import Contact, Response, no_response, round_area
from nsgalpha.compliant.pattern import Pattern
from nsgalpha.compliant.sides import local_motion, slot_rows, slot_wrenches
from nsgalpha.model.element import SurfaceElement
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.primitives import Measured, Points, Primitives, no_measured
from nsgalpha.stepping.boxes import near_boxes
from nsgalpha.stepping.broadphase import LOOK_AHEAD, SKIN
from nsgalpha.stepping.rotation import to_inertial

if TYPE_CHECKING:
    from nsgalpha.model.system import System

DIFFERENCE = 1e-6  # of a position, over the size of the primitives; of an angle


@entry
def _place(owner, place, x, q, out):
    """Inertial coordinates `out` (P, 3) of points that are fixed in frames."""
    for k in range(owner.shape[0]):
        to_inertial(q[owner[k]], place[k], out[k])
        for i in range(3):
            out[k, i] += x[owner[k], i]


@entry
def _add_slots(body, slots, wrench):
    """Add the wrenches `slots` (C, S, 6) to those of the frames, `wrench` (B, 6)."""
    for c in range(body.shape[0]):
        for s in range(body.shape[1]):
            for i in range(6):
                wrench[body[c, s], i] += slots[c, s, i]


@entry
def _add_blocks(blocks, place, body, indptr, values):
    """Add `blocks` (C, S, S, 6, 6) [row slot, column slot] to a sparse matrix, see tangent.fill."""
    for c in range(body.shape[0]):
        for column in range(body.shape[1]):
            for row in range(body.shape[1]):
                if place[c, row, column] < 0:
                    continue
                for j in range(6):
                    first = indptr[6 * body[c, column] + j] + 6 * place[c, row, column]
                    for i in range(6):
                        values[first + i] += blocks[c, row, column, i, j]


class Side(NamedTuple):
    """K primitives of one side, N corners at most, S slots."""

    number: Ints  # (K,) in the model
    corners: Ints  # (K, N) rows of the points; -1 where there are less
    many: Ints  # (K,) of corners
    radius: Floats  # (K,)
    rigid: Flags  # (K,)
    slots: Ints  # (K, S) bodies or frames; the ground where there are less


class Pass(NamedTuple):
    """One evaluation of C contacts."""

    measured: Measured
    B: Floats  # (C, S, 6, 6) see sides.py
    E: Floats  # (C, 3, 3) frames
    mass: Floats  # (C,) effective
    response: Response
    wrench: Floats  # (C, S, 6) on the slots


class Place(NamedTuple):
    """Where C contacts are: corners of both sides, slots, and how far the slots came in the step."""

    XA: Floats  # (C, N_A, 3)
    XB: Floats  # (C, N_B, 3)
    centre: Floats  # (C, S, 3)
    moved: Floats  # (C, S, 6)


def _side(handles: Sequence[Body | Primitive], points: Points, ground: int) -> Side:
    bodies = [isinstance(handle, Body) for handle in handles]
    corners = [(h.index,) if isinstance(h, Body) else _rows(h, ground) for h in handles]
    width = max(len(rows) for rows in corners)
    rigid = np.array([b or h.rigid for b, h in zip(bodies, handles, strict=True)])  # type: ignore[union-attr]
    table = np.array([rows + (-1,) * (width - len(rows)) for rows in corners], np.int64)
    slots = np.full((len(handles), 1 if rigid.all() else width), ground, np.int64)
    slots[rigid, 0] = points.owner[table[rigid, 0]]
    slots[~rigid] = np.where(table[~rigid] >= 0, points.owner[table[~rigid]], ground)[:, : slots.shape[1]]
    return Side(
        np.array([h.index for h in handles], np.int64),
        table,
        np.array([len(rows) for rows in corners], np.int64),
        np.array([h.radius for h in handles], float),
        rigid,
        slots,
    )


def _rows(primitive: Primitive, ground: int) -> tuple[int, ...]:
    """Rows of the points: centres of the bodies, as many as the number of the ground, come first."""
    return tuple(corner + ground * primitive.rigid for corner in primitive.corners)


class SurfaceGroup(Group):
    """The contacts of one element of primitives."""

    def __init__(self, element: SurfaceElement, system: System) -> None:
        super().__init__(element.law, system)
        self.element = element
        self.points = system.points()
        a, b = element.sides
        self.A = _side(a, self.points, system.count)
        self.among = a is b
        self.B = self.A if self.among else _side(b, self.points, system.count)
        self.split = self.A.slots.shape[1]  # first slot of side B
        radii = np.abs(np.concatenate([self.A.radius, self.B.radius]))
        self.size = float(radii[radii > 0.0].min(initial=np.inf))  # else from polygons, when they are seen
        self.body = np.empty((0, self.split + self.B.slots.shape[1]), np.int64)
        self._anchor = np.full_like(self.points.place, np.inf)  # where the candidates were found
        self._before = self._anchor  # points at the last start of a step
        self._skin = 0.0

    def _points(self, motion: Motion) -> Floats:
        out = np.empty_like(self.points.place)
        _place(self.points.owner, self.points.place, motion.x, motion.q, out)
        return out

    def find(self, motion: Motion, reach: float) -> None:
        """New candidates at `motion`; the reach follows from the primitives and their own motion."""
        self._find(self._points(motion))

    def _find(self, points: Floats) -> None:
        low, high = (
            np.concatenate(ends) for ends in zip(*(_boxes(points, s) for s in self._sides), strict=True)
        )
        extents = np.linalg.norm(high - low, axis=1)
        extent = float(extents.mean())
        if not np.isfinite(self.size):
            self.size = 0.1 * float(extents.min())
        step = 0.0 if not np.isfinite(self._before).all() else float(np.abs(points - self._before).max())
        self._skin = max(SKIN * extent, 2.0 * LOOK_AHEAD * step)
        grown = 0.5 * (self._skin + self.law.reach)
        found = near_boxes(low - grown, high + grown, len(self.A.number))
        a, b = found[:, 0], found[:, 1] - (0 if self.among else len(self.A.number))
        apart = ~(self.A.slots[a][:, :, None] == self.B.slots[b][:, None, :]).any(axis=(1, 2))
        a, b = np.repeat(a[apart], self.element.contacts), np.repeat(b[apart], self.element.contacts)
        part = np.tile(np.arange(self.element.contacts), int(apart.sum()))
        none = no_candidates()
        self._follow(Candidates(a, b, part, none.law, none.gap, none.normal, none.lever))
        self._anchor = points.copy()
        self.active = np.empty(0, np.int64)
        self.body = self.body[:0]

    @property
    def _sides(self) -> tuple[Side, ...]:
        return (self.A,) if self.among else (self.A, self.B)

    def _follow_points(self, points: Floats) -> bool:
        """New candidates if a point has moved too far since they were found."""
        moved = ((points - self._anchor) ** 2).sum(axis=1).max(initial=0.0)
        if moved <= (0.5 * self._skin) ** 2:
            return False
        self._find(points)
        return True

    def _measured(self, points: Floats) -> Measured:
        """All candidates with the corners in `points`."""
        e = self.element
        c, n = self.candidates, len(self.candidates.a)
        out = no_measured(n, self.A.corners.shape[1], self.B.corners.shape[1])
        A = Primitives(points, self.A.corners, self.A.radius)
        B = Primitives(points, self.B.corners, self.B.radius)
        pairs = slice(None, None, e.contacts)
        e.geometry(0, n // e.contacts, c.a[pairs].copy(), c.b[pairs].copy(), A, B, out, *e.options)
        return out

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self.waits = False
        points = self._points(old)
        self._follow_points(points)
        self._before, self._x = points, old.x.copy()
        self.start = self._measured(points)

    def _closed(self, measured: Measured) -> Flags:
        counts = np.isin(self.candidates.plane, self.element.parts)
        return counts & ~measured.rejected & (measured.fraction > 0.0) & (measured.overlap > -self.law.reach)

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Geometry, sides and laws at the end of a step of `h` [s] and the `increment` (B, 6)."""
        points = self._points(motion)
        if self._follow_points(points):
            self.start = self._measured(self._before)
        closed = self._closed(self._measured(points))
        if self.waits:
            closed &= self._closed(self.start)
        self.active = active = np.flatnonzero(closed)
        self.a, self.b = self.candidates.a[active], self.candidates.b[active]
        self.body = np.hstack([self.A.slots[self.a], self.B.slots[self.b]])
        self.h, self.began = h, _some(self.start, active)
        self.velocity = np.hstack([motion.v, motion.w])[self.body]
        before = self._at(self._before, self._x, increment)
        self._B0 = self._rows(before, self.began)
        self.place = self._at(points, motion.x, increment)
        self.last = self._pass(self.place)
        self.response = self.last.response

    def _at(self, points: Floats, x: Floats, increment: Floats) -> Place:
        XA, XB = points[self.A.corners[self.a]], points[self.B.corners[self.b]]
        return Place(XA, XB, x[self.body], increment[self.body])

    def _rows(self, place: Place, measured: Measured) -> Floats:
        B = np.empty((*self.body.shape, 6, 6))
        A, b = self.A, self.B
        sides = np.column_stack([A.many[self.a], A.rigid[self.a], b.many[self.b], b.rigid[self.b]])
        slot_rows(
            place.XA,
            place.XB,
            sides.astype(np.int64),
            self.split,
            self.element.torque,
            measured,
            place.centre,
            B,
        )
        return B

    def _measure(self, place: Place) -> Measured:
        """The active contacts where they are."""
        count, several = len(self.a), self.element.contacts
        out = no_measured(several * count, place.XA.shape[1], place.XB.shape[1])
        number = np.arange(count)
        A = _own_primitives(place.XA, self.A.corners[self.a], self.A.radius[self.a])
        B = _own_primitives(place.XB, self.B.corners[self.b], self.B.radius[self.b])
        self.element.geometry(0, count, number, number, A, B, out, *self.element.options)
        if several == 1:
            return out
        rows = several * number + self.candidates.plane[self.active]
        return _some(out, rows)

    def _pass(self, place: Place) -> Pass:
        """Local motion, forces and the wrenches on the slots."""
        count, m = len(self.a), self._measure(place)
        B, E = self._rows(place, m), np.empty((count, 3, 3))
        rate, increment = np.empty((count, 6)), np.empty((count, 6))
        n0, known = self.began.normal, self.tangent[self.active]
        local_motion(
            n0, known, m.normal, self._B0, B, self.split, self.velocity, place.moved, E, rate, increment
        )
        mass = 1.0 / self._inverse_masses(m)
        response = no_response(count, 6, self.law.history)
        self.law(self._contact(m, rate, increment, mass), response)
        for part in response[:-1]:
            part *= m.fraction.reshape(-1, *(1,) * (part.ndim - 1))
        wrench = np.empty((*self.body.shape, 6))
        slot_wrenches(E, response.force, B, wrench)
        return Pass(m, B, E, mass, response, wrench)

    def _contact(self, m: Measured, rate: Floats, increment: Floats, mass: Floats) -> Contact:
        """What the law sees: whole contacts."""
        ra, rb = self.A.radius[self.a], self.B.radius[self.b]
        with np.errstate(invalid="ignore"):
            area = np.where(
                np.isfinite(m.effective_radius),
                round_area(m.effective_radius, m.overlap),
                m.area / m.fraction,
            )
        return Contact(
            m.overlap,
            rate,
            increment,
            np.zeros_like(m.overlap),
            self.history[self.active],
            m.effective_radius,
            mass,
            self.h,
            np.abs(ra + rb),
            self.a * len(self.B.number) + self.b,
            ra,
            np.ones_like(m.overlap),
            area,
            self.A.number[self.a],
            self.B.number[self.b],
        )

    def _inverse_masses(self, m: Measured) -> Floats:
        """Sum (C,) of those of both sides in the contact point; that of the spins is left out."""
        inverse = self.system.bodies.inverse_mass[self.body]
        total = np.zeros(len(self.a))
        for side, number, weight, first in (
            (self.A, self.a, m.weight_a, 0),
            (self.B, self.b, m.weight_b, self.split),
        ):
            slots = side.slots.shape[1]
            share = np.where(side.rigid[number][:, None], np.arange(slots) == 0, weight[:, :slots] ** 2)
            # no part of a massless point is no mass: 0 times infinity
            total += np.where(share > 0.0, share * inverse[:, first : first + slots], 0.0).sum(axis=1)
        return total

    def add_wrenches(self, wrench: Floats) -> None:
        """Add the wrenches (B, 6) of the last evaluation."""
        _add_slots(self.body, self.last.wrench, wrench)

    def late(self) -> Floats:
        """Overlap and normal force over effective mass (K, 2) of the contacts that closed in this step."""
        new = ~self._closed(self.start)[self.active]
        overlap = self.last.measured.overlap + self.law.reach
        return np.column_stack([overlap, self.response.force[:, 0] / self.last.mass])[new]

    def fill(self, pattern: Pattern, place: Ints, factor_q: float, factor_v: float, values: Floats) -> None:
        """Add the tangents of the last evaluation to `values` on the pattern."""
        G = _local_rows(self.last.E, self.last.B)
        blocks = -factor_v * np.einsum("crsi,crq,cqtj->cstij", G, self.response.by_rate, G, optimize=True)
        if factor_q != 0.0:
            for slot in range(self.body.shape[1]):
                for j in range(6):
                    blocks[:, :, slot, :, j] += factor_q * self._stiffness(slot, j)
        _add_blocks(blocks, place, self.body, pattern.indptr, values)

    def add_damping(self, velocity: Floats, wrench: Floats) -> None:
        """Add `C v` (B, 6) of the last evaluation to `wrench`."""
        G = _local_rows(self.last.E, self.last.B)
        rate = np.einsum("crsi,csi->cr", G, velocity[self.body])
        force = -np.einsum("crq,cq->cr", self.response.by_rate, rate)
        _add_slots(self.body, np.einsum("crsi,cr->csi", G, force), wrench)

    def _stiffness(self, slot: int, j: int) -> Floats:
        """Minus the derivatives (C, S, 6) of the wrenches by displacement `j` of a slot."""
        side, number, first = (self.A, self.a, 0) if slot < self.split else (self.B, self.b, self.split)
        rigid = side.rigid[number]
        moves = rigid & (slot == first) if j >= 3 else ~rigid | (slot == first)
        if not moves.any():
            return np.zeros((*self.body.shape, 6))
        eps = DIFFERENCE * (1.0 if j >= 3 else self.size)
        ahead, behind = (self._pass(self._moved(slot, j, sign * eps)).wrench for sign in (1.0, -1.0))
        return np.where(moves[:, None, None], (behind - ahead) / (2.0 * eps), 0.0)

    def _moved(self, slot: int, j: int, by: float) -> Place:
        """The place with one slot displaced."""
        place = Place(*(part.copy() for part in self.place))
        of_a = slot < self.split
        side, number, first = (self.A, self.a, 0) if of_a else (self.B, self.b, self.split)
        X = place.XA if of_a else place.XB
        rigid = side.rigid[number]
        place.moved[:, slot, j] += by
        if j < 3:
            place.centre[:, slot, j] += by
            with_it = rigid[:, None] & (slot == first) | ~rigid[:, None] & (
                np.arange(X.shape[1]) == slot - first
            )
            X[:, :, j] += by * with_it
        else:
            arm = X - place.centre[:, slot, None]
            j, k = (j - 2) % 3, (j - 1) % 3  # turned about axis j - 3
            c, s = np.cos(by) - 1.0, np.sin(by)
            X[:, :, j] += rigid[:, None] * (c * arm[:, :, j] - s * arm[:, :, k])
            X[:, :, k] += rigid[:, None] * (s * arm[:, :, j] + c * arm[:, :, k])
        return place

    def commit(self) -> None:
        """Keep tangents and histories of the last evaluation."""
        self._commit(self.last.E[:, 1])


def _some(measured: Measured, rows: Ints) -> Measured:
    """The contacts `rows` (C,)."""
    return Measured._make(part[rows] for part in measured)


def _boxes(points: Floats, side: Side) -> tuple[Floats, Floats]:
    """Lower and upper ends (K, 3) of the boxes around primitives."""
    x = points[np.where(side.corners >= 0, side.corners, side.corners[:, :1])]
    r = np.abs(side.radius)[:, None]
    return x.min(axis=1) - r, x.max(axis=1) + r


def _own_primitives(X: Floats, corners: Ints, radius: Floats) -> Primitives:
    """Primitives with the corners `X` (C, N, 3), as many of them as in `corners`."""
    rows = np.arange(corners.size, dtype=np.int64).reshape(corners.shape)
    return Primitives(X.reshape(-1, 3), np.where(corners >= 0, rows, -1), radius)


def _local_rows(E: Floats, B: Floats) -> Floats:
    """Rows (C, 6, S, 6) of the local rates by the velocities of the slots."""
    G = np.empty((len(E), 6, B.shape[1], 6))
    G[:, :3] = np.einsum("cai,csij->casj", E, B[:, :, :3])
    G[:, [5, 3, 4]] = np.einsum("cai,csij->casj", E, B[:, :, 3:])
    return G
