"""Contacts of an element of primitives: segments, polygons, spheres, rigid or deforming.

shape_arrays.py  ->  geometry (system/primitive_measures.py)  ->  attachments.py  ->  law  ->  wrenches on the
slots, the frames that carry the sides

A law sees whole contacts: its forces are multiplied by the part of the contact that belongs to the
primitives. Tangents by the positions are differences of the pass, those by the velocities are the law's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats, Ints, Motion, no_candidates
from nsgalpha.forces.attachments import (
    Before,
    LocalMotion,
    add_blocks,
    add_rates,
    add_slots,
    local_motion,
    local_rows,
    slot_rows,
    slot_wrenches,
)
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.forces.contact_group import ContactGroup, GroupMemory
from nsgalpha.forces.shape_arrays import (
    ENDLESS,
    Side,
    boxes,
    coordinates,
    crossings,
    own_primitives,
    placed,
    side_of,
    smallest,
    whole_area,
)
from nsgalpha.forces.step_work import Rates, Span, Work, closing_columns, work_of
from nsgalpha.forces.surface_workspace import ContactPlaces, ContactWorkspace
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.geometry.broad_phase import LOOK_AHEAD, SKIN
from nsgalpha.model.compliant_law import Contact, Response, no_response
from nsgalpha.model.contact_element import SurfaceElement
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.system.primitive_measures import (
    Measured,
    PairsOfPrimitives,
    Primitives,
    at_start,
    measured_primitives,
    rows_of,
)
from nsgalpha.system.system import System

DIFFERENCE = 2e-8  # of a position, over the size of the primitives; of an angle
ROWS = 20000  # contacts that are evaluated at once for tangents


class Pass(NamedTuple):
    """One evaluation of C contacts."""

    measured: Measured
    B: Floats  # (C, S, 6, 6) see attachments.py
    E: Floats  # (C, 3, 3) frames
    mass: Floats  # (C,) effective
    response: Response
    wrench: Floats  # (C, S, 6) on the slots
    area: Floats  # (C,) of whole contacts, as the laws know it
    rate: Floats  # (C, 6) at the points of contact, in the frames


class SurfaceGroup(ContactGroup):
    """The contacts of one element of primitives."""

    def __init__(self, element: SurfaceElement, system: System) -> None:
        super().__init__(element.law, system)
        self.element = element
        a, b = element.sides
        at = placed((a, b), system.points(), system)
        self.points, self.solids = at.points, at.solids
        self.A = side_of(a, at, system.count)
        self.among = a is b
        self.B = self.A if self.among else side_of(b, at, system.count)
        self.split = self.A.slots.shape[1]  # first slot of side B
        radii = np.abs(np.concatenate([self.A.radius, self.B.radius]))
        self.size = float(radii[radii > 0.0].min(initial=np.inf))
        if not np.isfinite(self.size):
            self.size = 0.1 * smallest(self.points.place, system, self._sides)
        self.body = np.empty((0, self.split + self.B.slots.shape[1]), np.int64)
        self._anchor = np.full_like(self.points.place, np.inf)  # where the candidates were found
        self._before = self._anchor  # points at the last start of a step
        self._skin = 0.0
        self._measuring: tuple[Candidates, PairsOfPrimitives] | None = None
        self._end: tuple[Candidates, Floats, Measured] | None = None  # the last evaluation, at these points

    def find(self, motion: Motion, reach: float) -> None:
        """New candidates at `motion`; the reach follows from the primitives and their own motion."""
        self._find(coordinates(self.points, motion))
        if np.isfinite(self._before).all():  # within a step
            self.start = self._measured(self._before)

    def restore(self, memory: GroupMemory) -> None:
        """Restore a return value of `memory`."""
        if memory.candidates is not self.candidates:
            self._anchor[:] = np.inf  # they were found elsewhere; kernels know the array
        super().restore(memory)

    def _find(self, points: Floats) -> None:
        low, high = (
            np.concatenate(ends) for ends in zip(*(boxes(points, s) for s in self._sides), strict=True)
        )
        extents = np.linalg.norm(high - low, axis=1)
        extents = extents[extents < ENDLESS]
        extent = float(extents.mean())
        step = 0.0 if not np.isfinite(self._before).all() else float(np.abs(points - self._before).max())
        self._skin = max(SKIN * extent, 2.0 * LOOK_AHEAD * step)
        grown = 0.5 * (self._skin + self._margin(points))
        found = near_boxes(low - grown, high + grown, len(self.A.number))
        a, b = found[:, 0], found[:, 1] - (0 if self.among else len(self.A.number))
        of_a, of_b = self.A.slots[a], self.B.slots[b]
        apart = ~(of_a[:, :, None] == of_b[:, None, :]).any(axis=(1, 2))
        count = self.system.count
        apart &= (of_a < count).any(axis=1) | (of_b < count).any(axis=1)
        if of_a.shape[1] == of_b.shape[1] == 1:
            apart &= self.system.apart.may_meet(of_a[:, 0], of_b[:, 0])
        if self.system.inactive.any:
            apart &= self.system.inactive.are_there(of_a) & self.system.inactive.are_there(of_b)
        a, b = (np.repeat(side[apart], len(self.element.parts)) for side in (a, b))
        part = np.tile(np.array(self.element.parts, np.int64), int(apart.sum()))
        self._follow(no_candidates()._replace(a=a, b=b, plane=np.full_like(a, -1), feature=part))
        self._anchor = points.copy()
        self._end = None
        self.active = np.empty(0, np.int64)
        self.body = self.body[:0]

    def _margin(self, points: Floats) -> float:
        """Largest distance [m] of the boxes around two primitives in contact; corners are in `points`."""
        return self.law.reach

    @property
    def identity(self) -> Ints:
        """Numbers (C, 4) by which a history knows the candidates: primitives have no planes."""
        c = self.candidates
        return np.column_stack([c.a, c.b, c.feature, np.zeros_like(c.a)])

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
        return self._primitives(points).measure(points, points)

    def _primitives(self, points: Floats) -> PairsOfPrimitives:
        """All candidates, to be measured."""
        c = self.candidates
        if self._measuring is None or self._measuring[0] is not c:
            A = Primitives(points, self.A.corners, self.A.radius, self.A.solid, self.solids)
            B = Primitives(points, self.B.corners, self.B.radius, self.B.solid, self.solids)
            self._measuring = c, PairsOfPrimitives(self.element.geometry, c.a, c.b, c.feature, A, B)
        return self._measuring[1]

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self.waits = False
        points = coordinates(self.points, old)
        self._follow_points(points)
        self._before, self._x = points, old.x.copy()
        end = self._end
        if end is not None and end[0] is self.candidates and np.array_equal(points, end[1]):
            self.start = end[2]
        else:
            self.start = self._measured(points)

    def started(self) -> Measured:
        """All candidates at the start of the step."""
        return self.start

    def _closed(self, measured: Measured) -> Flags:
        return ~measured.rejected & (measured.fraction > 0.0) & (measured.overlap > -self.law.reach)

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Geometry, sides and laws at the end of a step of `h` [s] and the `increment` (B, 6)."""
        points = coordinates(self.points, motion)
        if self._follow_points(points):
            self.start = self._measured(self._before)
        measured = self._measured(points)
        self._end = self.candidates, points, measured
        closed = self._closed(measured)
        if self.waits:
            closed &= self._closed(self.start)
        closed &= acts_at(self.element, self.t)
        self.h, self.active = h, np.flatnonzero(closed)
        self._react(measured, points, motion, increment)

    def _react(self, measured: Measured, points: Floats, motion: Motion, increment: Floats) -> None:
        """Sides and laws of the active contacts, `measured` at the end of a step."""
        c = self.candidates
        begun = at_start(rows_of(self.start, self.active), rows_of(measured, self.active))
        a, b = c.a[self.active], c.b[self.active]
        self.body = np.hstack([self.A.slots[a], self.B.slots[b]])
        sides = a, b, c.feature[self.active], self.body, begun.normal
        memory = self.tangent[self.active], self.history[self.active]
        velocity = np.hstack([motion.v, motion.w])[self.body]
        self.given = ContactWorkspace(*sides, *memory, velocity, np.empty((*self.body.shape, 6, 6)))
        self._rows(self.given, self._at(self._before, self._x, increment), begun, self.given.B0)
        self.place = self._at(points, motion.x, increment)
        self.last = self._pass(self.given, self.place)
        self.response = self.last.response

    def _at(self, points: Floats, x: Floats, increment: Floats) -> ContactPlaces:
        """The active contacts with the `points` and the frames in `x` (B, 3)."""
        XA, XB = points[self.A.corners[self.given.a]], points[self.B.corners[self.given.b]]
        return ContactPlaces(XA, XB, x[self.body], increment[self.body])

    def _rows(self, given: ContactWorkspace, place: ContactPlaces, measured: Measured, B: Floats) -> None:
        """`B` (C, S, 6, 6), see attachments.py."""
        A, other, a, b = self.A, self.B, given.a, given.b
        sides = np.column_stack([A.many[a], A.rigid[a], other.many[b], other.rigid[b]]).astype(np.int64)
        slot_rows(place.XA, place.XB, sides, self.split, self.element.torque, measured, place.centre, B)

    def _measure(self, given: ContactWorkspace, place: ContactPlaces) -> Measured:
        """The active contacts where they are."""
        number = np.arange(len(given.a))
        A, B = (
            own_primitives(X, side, chosen, self.solids)
            for X, side, chosen in ((place.XA, self.A, given.a), (place.XB, self.B, given.b))
        )
        return measured_primitives(self.element.geometry, number, number, given.part, A, B)

    def _pass(self, given: ContactWorkspace, place: ContactPlaces) -> Pass:
        """Local motion, forces and the wrenches on the slots."""
        m = self._measure(given, place)
        B, E, contact, response = self._begin_pass(given, place, m)
        self.law(contact, response)
        for part in response[:-1]:
            part *= m.fraction.reshape(-1, *(1,) * (part.ndim - 1))
        response.energy[:] *= m.mean_square
        wrench = np.empty((*given.slots.shape, 6))
        slot_wrenches(E, response.force, B, wrench)
        self._silence(wrench)
        return Pass(m, B, E, contact.mass, response, wrench, contact.area, contact.rate)

    def _begin_pass(
        self, given: ContactWorkspace, place: ContactPlaces, m: Measured
    ) -> tuple[Floats, Floats, Contact, Response]:
        """`B` and frames of a pass, the contacts as the law sees them, an empty response."""
        count = len(given.a)
        B, E = np.empty_like(given.B0), np.empty((count, 3, 3))
        rate, increment = np.empty((count, 6)), np.empty((count, 6))
        self._rows(given, place, m, B)
        before, local = Before(given.n0, given.known, given.B0), LocalMotion(E, rate, increment)
        local_motion(before, m.normal, B, self.split, given.velocity, place.moved, local)
        contact = self._contact(given, place, m, rate, increment, 1.0 / self._inverse_masses(given, m))
        return B, E, contact, no_response(count, 6, self.law.history)

    def _silence(self, slots: Floats) -> None:
        """Set the part of a side without force in `slots` (C, S, ...) to 0."""
        if self._one_sided:
            slots[:, : self.split] *= self.law.on[0]
            slots[:, self.split :] *= self.law.on[1]

    def _contact(
        self,
        given: ContactWorkspace,
        place: ContactPlaces,
        m: Measured,
        rate: Floats,
        increment: Floats,
        mass: Floats,
    ) -> Contact:
        """The contacts as the law sees them: whole ones."""
        ra, rb = self.A.radius[given.a], self.B.radius[given.b]
        face = (rb > 0.0) | (self.A.many[given.a] > 2)
        flat = (m.effective_radius == rb) & face  # A is a face: as at a plane
        moved = m.overlap, rate, increment, np.zeros_like(m.overlap), given.history
        branch, radius_a = np.where(flat, rb, np.abs(ra + rb)), np.where(flat, rb, ra)
        sides = m.effective_radius, mass, self.h, branch, self._pair(given), radius_a
        carriers = self.A.carrier[given.a], self.B.carrier[given.b]
        whole = np.ones_like(m.overlap), whole_area(m)
        values = *moved, *sides, *whole, *carriers, crossings(place.XA, place.XB, m)
        return Contact(*values)

    def _pair(self, given: ContactWorkspace) -> Ints:
        """Numbers (C,) of the two bodies that carry the primitives; of the primitives where they deform."""
        carriers, size = self.carriers(given.a, given.b), self.system.size
        of_bodies = carriers.min(axis=1) * size + carriers.max(axis=1)
        own = size * size + given.a * len(self.B.number) + given.b
        return np.where((carriers >= 0).all(axis=1), of_bodies, own)

    def carriers(self, a: Ints, b: Ints) -> Ints:
        """Bodies or frames (C, 2) that carry the primitives `a` of side A and `b` of B, -1: they deform."""
        return np.column_stack([self.A.carrier[a], self.B.carrier[b]])

    def gaps(self) -> Floats:
        """Gaps (C,) [m] of the candidates at the start of the step, infinite without contact."""
        m = self.started()
        return np.where(m.rejected | ~(m.fraction > 0.0), np.inf, -m.overlap)

    def overlaps(self) -> tuple[Floats, Floats]:
        """See ContactGroup."""
        return -self.gaps()[self.active], self.last.measured.overlap

    def _inverse_masses(self, given: ContactWorkspace, m: Measured) -> Floats:
        """Sum (C,) of both sides in the contact point, without that of the spins."""
        inverse = self.system.bodies.inverse_mass[given.slots]
        total = np.zeros(len(given.a))
        for side, number, weight, own in (
            (self.A, given.a, m.weight_a, inverse[:, : self.split]),
            (self.B, given.b, m.weight_b, inverse[:, self.split :]),
        ):
            if side.rigid.all():
                total += own[:, 0]
                continue
            share = weight**2
            share[side.rigid[number]] = 0.0
            share[side.rigid[number], 0] = 1.0
            # no part of a point without mass is no mass: 0 times infinity
            total += np.where(share > 0.0, share * own, 0.0).sum(axis=1)
        return total

    def add_wrenches(self, wrench: Floats) -> None:
        """Add the wrenches (B, 6) of the last evaluation."""
        add_slots(self.body, self.last.wrench, wrench)

    def closed_contacts(self) -> Floats:
        """Columns (K, 4) of the contacts that closed in this step, see `closing_columns`."""
        new, overlap = ~self._closed(self.started())[self.active], self.last.measured.overlap
        rate = np.einsum("csi,csi->c", local_rows(self.last.E, self.last.B)[:, 0], self.given.velocity)
        return closing_columns(self.response, (overlap + self.law.reach, overlap), self.last.mass, rate)[new]

    def work(self, span: Span) -> Work | None:
        """See Group; attraction across a gap may return its energy."""
        if self._one_sided or len(self.active) == 0:
            return None
        G = local_rows(self.last.E, self.last.B)
        local = [np.einsum("crsi,csi->cr", G, np.hstack(v)[self.body]) for v in (span.before, span.after)]
        judged = (self.overlaps()[0] <= -self.law.reach) | (self.law.reach == 0.0)
        sides, rates = self.body[:, [0, self.split]], Rates(local[0], local[1], span)
        return work_of(sides, self.response, self.overlaps(), rates, judged)

    def fill(self, pattern: Pattern, place: Ints, factor_q: float, factor_v: float, values: Floats) -> None:
        """Add the tangents of the last evaluation to `values` on the pattern."""
        slots = self.body.shape[1]
        blocks = np.zeros((len(self.active), slots, slots, 6, 6))
        add_rates(self.last.E, self.last.B, self.response.by_rate, -factor_v, blocks)
        self._silence(blocks)
        if factor_q != 0.0 and len(self.active) > 0:
            self._add_stiffness(factor_q, blocks)
        add_blocks(blocks, place, self.body, pattern.indptr, values)

    def add_damping(self, velocity: Floats, wrench: Floats) -> None:
        """Add `C v` (B, 6) of the last evaluation to `wrench`."""
        G = local_rows(self.last.E, self.last.B)
        rate = np.einsum("crsi,csi->cr", G, velocity[self.body])
        force = -np.einsum("crq,cq->cr", self.response.by_rate, rate)
        slots = np.einsum("crsi,cr->csi", G, force)
        self._silence(slots)
        add_slots(self.body, slots, wrench)

    def _side_of(self, slot: int) -> tuple[Side, Ints, int]:
        """Side of a slot, its primitives in the active contacts, and its first slot."""
        if slot < self.split:
            return self.A, self.given.a, 0
        return self.B, self.given.b, self.split

    def _turns(self, slot: int, j: int) -> bool:
        """True if displacement `j` of a slot moves any contact."""
        side, number, first = self._side_of(slot)
        rigid = side.rigid[number]
        if slot == first:
            return j < 3 or bool(rigid.any())
        return j < 3 and not rigid.all()

    def _add_stiffness(self, factor: float, blocks: Floats) -> None:
        """Add `factor` times minus the derivatives of the wrenches by displacements to `blocks`."""
        near = self._near()
        here = self._pass(self.given, near).wrench
        columns = [(slot, j) for slot in range(self.body.shape[1]) for j in range(6) if self._turns(slot, j)]
        several = max(1, ROWS // len(self.active))
        for first in range(0, len(columns), several):
            self._add_columns(columns[first : first + several], near, here, factor, blocks)

    def _near(self) -> ContactPlaces:
        """The place relative to the first corner of each contact, for accuracy far from 0."""
        origin = self.place.XA[:, :1]
        XA, XB, centre = (part - origin for part in (self.place.XA, self.place.XB, self.place.centre))
        return self.place._replace(XA=XA, XB=XB, centre=centre)

    def _add_columns(
        self, columns: list[tuple[int, int]], near: ContactPlaces, here: Floats, factor: float, blocks: Floats
    ) -> None:
        """Those by the displacements (slot, j) from the place `near`, with the wrenches `here`."""
        places, steps = [], []
        for slot, j in columns:
            steps.append(DIFFERENCE * (1.0 if j >= 3 else self.size))
            places.append(self._moved(near, slot, j, steps[-1]))
        given = ContactWorkspace._make(np.concatenate([part] * len(places)) for part in self.given)
        place = ContactPlaces._make(np.concatenate(parts) for parts in zip(*places, strict=True))
        wrench = self._pass(given, place).wrench.reshape(len(columns), *self.body.shape, 6)
        for (slot, j), step, ahead in zip(columns, steps, wrench, strict=True):
            blocks[:, :, slot, :, j] += factor * (here - ahead) / step

    def _moved(self, near: ContactPlaces, slot: int, j: int, by: float) -> ContactPlaces:
        """The place `near` with one slot displaced."""
        place = ContactPlaces(*(part.copy() for part in near))
        side, number, first = self._side_of(slot)
        X, rigid = place.XA if slot < self.split else place.XB, side.rigid[number]
        place.moved[:, slot, j] += by
        if j < 3:
            place.centre[:, slot, j] += by
            X[rigid if slot == first else [], :, j] += by
            X[~rigid, slot - first, j] += by
        else:
            arm = X - place.centre[:, slot, None]
            k, m = (j - 2) % 3, (j - 1) % 3  # turned about axis j - 3
            c, s = np.cos(by) - 1.0, np.sin(by)
            X[rigid, :, k] += c * arm[rigid, :, k] - s * arm[rigid, :, m]
            X[rigid, :, m] += s * arm[rigid, :, k] + c * arm[rigid, :, m]
        return place

    def commit(self) -> None:
        """Keep tangents and histories of the last evaluation."""
        self._commit(self.last.E[:, 1], self.response.history)
