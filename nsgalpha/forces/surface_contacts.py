"""Contacts of an element of primitives: segments, polygons, spheres, rigid or deforming.

shape_arrays.py  ->  geometry  ->  attachments.py  ->  law  ->  wrenches on the slots, the frames that carry
the sides

All but laws in Python are kernels (surface_pass.py). A law sees whole contacts: its forces are multiplied by
the part of the contact that belongs to the primitives. Tangents by the positions are differences of the pass
(surface_tangent.py), those by the velocities are the law's.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, Motion, no_candidates, no_planes
from nsgalpha.forces.attachments import FORCE, TORQUE, add_blocks, add_rates, add_slots, local_rows
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.forces.contact_group import ContactGroup, GroupMemory
from nsgalpha.forces.law_parts import are_compiled, parts_of
from nsgalpha.forces.shape_arrays import ENDLESS, Side, boxes, coordinates, placed, side_of, smallest
from nsgalpha.forces.step_work import Rates, Span, Work, closing_columns, work_of
from nsgalpha.forces.surface_pass import FAR, UNMEASURED, begin, evaluate, finish, measure_end, push_cell
from nsgalpha.forces.surface_steps import SurfaceStep
from nsgalpha.forces.surface_tangent import (
    DIFFERENCE,
    add_columns,
    copy_contacts,
    displace,
    list_displacements,
)
from nsgalpha.forces.surface_workspace import (
    StepEnd,
    StepEnds,
    Table,
    Workspace,
    first_contacts,
    images_of,
    measured_at,
    no_images,
    no_step_end,
    no_workspace,
    pairs_of,
)
from nsgalpha.geometry.box_broad_phase import near_box_images, near_boxes
from nsgalpha.geometry.broad_phase import LOOK_AHEAD, SKIN
from nsgalpha.jit.addresses import named
from nsgalpha.model.compliant_law import Contact
from nsgalpha.model.contact_element import SurfaceElement
from nsgalpha.model.periodic_cell import (
    nearest_images,
    periods_between,
    placed_cell,
    ways_around,
    wrapped,
)
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.system.primitive_measures import Measured, Primitives, shape_table
from nsgalpha.system.system import System

COPIED = 512, 4096  # contacts that are displaced at once, for differences: of compiled laws, of others


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
        geometry = self._geometry()
        self._keys = self._contact_keys()
        self._compiled = geometry[0] != 0 and are_compiled(self.law)
        sides = (
            Primitives(self.points.place, side.corners, side.radius, side.solid, self.solids)
            for side in (self.A, self.B)
        )
        self._shapes = shape_table(*sides)
        parts = parts_of([self.law] if self._compiled else [])
        law = parts, system.bodies.inverse_mass, *geometry
        ends = float(self.law.reach), np.array(self.law.on), system.count, system.size
        places = self.A, self.B, self.solids, self.points.owner, self.points.place
        self._table: Table = named(Table(*places, *law, *ends, no_planes(), np.empty((0, 4))))
        self._make_workspace(1)
        self._skin = 0.0
        self._step: SurfaceStep | None = None
        self._moves = len(system.cell) > 2  # the images
        self._list_pairs(np.full_like(self.points.place, np.inf), np.zeros((3, 3)))

    def _geometry(self) -> tuple[int, Floats, int]:
        """Address and options of the geometry, and the kind of forces on deforming sides."""
        geometry, nodal = self.element.geometry, TORQUE if self.element.torque else FORCE
        return geometry.kernel.address, np.array(geometry.options, float), nodal

    def _contact_keys(self) -> Ints:
        """Keys of the contacts of a pair."""
        return self.element.geometry.keys(np.array(self.element.parts, np.int64))

    def _make_workspace(self, count: int) -> None:
        self._views: dict[tuple[bool, int], Workspace] = {}
        self._copies: Workspace | None = None  # of the contacts, for differences
        self._workspace = named(no_workspace(count, self._table, self.law.history))

    def _first(self, workspace: Workspace, n: int) -> Workspace:
        """The first `n` contacts of one of the two workspaces."""
        known = workspace is self._copies, n
        if known not in self._views:
            self._views[known] = first_contacts(workspace, n)
        return self._views[known]

    def find(self, motion: Motion, reach: float) -> None:
        """New candidates at `motion`; the reach follows from the primitives and their own motion."""
        self._find(coordinates(self.points, motion), motion.x)

    def restore(self, memory: GroupMemory) -> None:
        """Restore a return value of `memory`."""
        if memory.candidates is not self.candidates:
            self._anchor[:] = np.inf  # they were found elsewhere; kernels know the array
        super().restore(memory)

    def _find(self, points: Floats, at: Floats) -> None:
        """New candidates at the `points` (P, 3), with frames `at` (B, 3)."""
        cell = placed_cell(self.system.cell, at)
        low, high = (
            np.concatenate(ends) for ends in zip(*(boxes(points, s) for s in self._sides), strict=True)
        )
        extents = np.linalg.norm(high - low, axis=1)
        extents = extents[extents < ENDLESS]
        extent = float(extents.mean())
        start = self._ends.start
        begun = bool(np.isfinite(start.points).all())
        step = float(np.abs(points - start.points).max()) if begun else 0.0
        self._skin = max(SKIN * extent, 2.0 * LOOK_AHEAD * step)
        grown = 0.5 * ((1.5 if self._moves else 1.0) * self._skin + self._margin(points))
        found = self._near(low - grown, high + grown, points, cell)
        a, b = found[:, 0], found[:, 1] - (0 if self.among else len(self.A.number))
        of_a, of_b = self.A.slots[a], self.B.slots[b]
        apart = ~(of_a[:, :, None] == of_b[:, None, :]).any(axis=(1, 2))
        count = self.system.count
        apart &= (of_a < count).any(axis=1) | (of_b < count).any(axis=1)
        if of_a.shape[1] == of_b.shape[1] == 1:
            apart &= self.system.apart.may_meet(of_a[:, 0], of_b[:, 0])
        if self.system.inactive.any:
            apart &= self.system.inactive.are_there(of_a) & self.system.inactive.are_there(of_b)
        a, b = (np.repeat(side[apart], len(self._keys)) for side in (a, b))
        key = np.tile(self._keys, int(apart.sum()))
        plane, image = np.full_like(a, -1), self._images(a, b, points, cell)
        self._follow(no_candidates()._replace(a=a, b=b, plane=plane, feature=key, image=image))
        self._list_pairs(points.copy(), at[-3:])
        if begun:
            self._ends.start.points[:], self._ends.start.x[:] = start.points, start.x
            self._measure(self._ends.start)
        self.active = np.empty(0, np.int64)
        self.body = np.empty((0, self.split + of_b.shape[1]), np.int64)

    def _near(self, low: Floats, high: Floats, points: Floats, cell: Floats) -> Ints:
        """Pairs (n, 2) of boxes of the primitives, in a periodic `cell` also of their images."""
        split = len(self.A.number)
        if not len(cell):
            return near_boxes(low, high, split)
        carrier = np.concatenate([side.carrier for side in self._sides])
        shift = wrapped(points[carrier], cell) - points[carrier]
        shift[carrier >= self.system.count] = 0.0
        return near_box_images(low + shift, high + shift, split, ways_around(cell))

    def _images(self, a: Ints, b: Ints, points: Floats, cell: Floats) -> Floats:
        """Ways (C, 3) from bodies of B to their images nearest to A; (0, 3) without a periodic cell.

        In a cell that moves they are the periods.
        """
        if not len(cell):
            return np.empty((0, 3))
        one, two = self.A.carrier[a], self.B.carrier[b]
        apart = points[one] - points[two]
        way = periods_between(apart, cell) if self._moves else apart - nearest_images(apart, cell)
        way[(one >= self.system.count) | (two >= self.system.count)] = 0.0  # planes have no images
        return way

    def _list_pairs(self, anchor: Floats, vectors: Floats) -> None:
        """Arrays for the candidates, which were found with the points at `anchor` (P, 3).

        vectors (3, 3): ways to the next images then.
        """
        self._anchor, limit, first = anchor, float((0.5 * self._skin) ** 2), len(self.A.number)
        images = images_of(self.candidates.image, vectors, 0.5 * self._skin) if self._moves else no_images()
        self._pairs = named(pairs_of(self.candidates, anchor, limit, self._shapes, first, images))
        size = len(self.candidates.a), len(anchor), self.system.size, self._table
        start, end = (named(no_step_end(*size)) for _ in range(2))
        self._ends, self._turned = named(StepEnds(start, end)), named(StepEnds(end, start))

    def _margin(self, points: Floats) -> float:
        """Largest distance [m] of the boxes around two primitives in contact; corners are in `points`."""
        return self.law.reach

    @property
    def identity(self) -> Ints:
        """Numbers (C, 4) by which a history knows the candidates: primitives have no planes."""
        c, parts = self.candidates, self.element.parts
        part = np.tile(np.array(parts, np.int64), len(c.a) // len(parts))
        return np.column_stack([c.a, c.b, part, np.zeros_like(c.a)])

    @property
    def ways(self) -> Floats | float:
        """Ways (n, 3) [m] from bodies of B to their images in the contacts of the last evaluation."""
        return self._pairs.way[self.active] if len(self._pairs.way) else 0.0

    @property
    def _sides(self) -> tuple[Side, ...]:
        return (self.A,) if self.among else (self.A, self.B)

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self.waits = False
        ends = self._ends
        found = begin(self._table, self._pairs, ends, old.x, old.q)
        if found == FAR:
            self._find(ends.start.points, ends.start.x)
        elif found == UNMEASURED:
            self._measure(ends.start)
        else:
            ends.end.x[:] = ends.start.x
            self._ends, self._turned = self._turned, ends

    def _measure(self, end: StepEnd) -> None:
        """Measure the candidates at an `end` of the step."""
        measure_end(self._table, self._pairs, end, len(end.gap))

    def started(self) -> Measured:
        """All candidates at the start of the step."""
        return measured_at(self._ends.start)

    def _closed(self, measured: Measured) -> Flags:
        return ~measured.rejected & (measured.fraction > 0.0) & (measured.overlap > -self.law.reach)

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Geometry, sides and laws at the end of a step of `h` [s] and the `increment` (B, 6)."""
        self.h = h
        n = self._evaluate(motion, increment) if acts_at(self.element, self.t) else 0
        if n == FAR:
            self._find(self._ends.end.points, self._ends.end.x)
            n = self._evaluate(motion, increment)
        if n == UNMEASURED:
            self._measure(self._ends.end)
            n = self._evaluate(motion, increment, True)
        if n > len(self._workspace.E):
            self._make_workspace(2 * n)
            n = self._evaluate(motion, increment, True)
        n = max(n, 0)  # no contacts where places are not finite
        self._act(self._workspace, n, self._pairs.active[:n])
        self._note(n)

    def _note(self, n: int) -> None:
        """There are `n` contacts in the workspace."""
        self.active = self._pairs.active[:n]
        self.last = self._first(self._workspace, n)
        self.response, self.body = self.last.response, self.last.given.slots

    def _evaluate(self, motion: Motion, increment: Floats, measured: bool = False) -> int:
        """See surface_pass.evaluate."""
        memory, moving = (self.tangent, self.history), (motion.x, motion.q, motion.v, motion.w, increment)
        rest = moving, memory, self.h, (self.waits, measured)  # plain tuples: numba knows their types at once
        return int(evaluate(self._table, self._pairs, self._workspace, self._ends, *rest))

    def _act(self, workspace: Workspace, n: int, rows: Ints | slice) -> None:
        """Let a law in Python act on the first `n` contacts of a workspace.

        They are the `rows` of those that were measured last.
        """
        if n and not self._compiled:
            contacts = self._first(workspace, n)
            for part in contacts.response:
                part[:] = 0.0
            self._respond(contacts, rows)
            finish(self._table, workspace, n)

    def _respond(self, contacts: Workspace, rows: Ints | slice) -> None:
        """Fill the response to the `contacts`."""
        self.law(self._seen(contacts), contacts.response)

    def _seen(self, contacts: Workspace) -> Contact:
        """The contacts as laws see them: whole ones."""
        return Contact._make([*contacts.seen[:7], self.h, *contacts.seen[7:]])

    def _silence(self, slots: Floats) -> None:
        """Set the part of a side without force in `slots` (C, S, ...) to 0."""
        if self._one_sided:
            slots[:, : self.split] *= self.law.on[0]
            slots[:, self.split :] *= self.law.on[1]

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

    def add_wrenches(self, wrench: Floats) -> None:
        """Add the wrenches (B, 6) of the last evaluation."""
        add_slots(self.body, self.last.wrench, wrench)
        push_cell(self._table, self._pairs, self._workspace, len(self.active), wrench)

    def image_rates(self, velocity: Floats) -> Floats | float:
        """Velocities (n, 3) of the images of B, less those of B, by the rates that end `velocity` (B, 3)."""
        return self._pairs.images.periods[self.active] @ velocity[-3:] if self._moves else 0.0

    def _of_slots(self, velocity: Floats) -> Floats:
        """Velocities (C, S, 6) of the slots, of images on side B, by `velocity` (B, 6)."""
        of_slots = velocity[self.body]
        if self._moves and len(self.active):
            of_slots[:, self.split :, :3] += np.asarray(self.image_rates(velocity[:, :3]))[:, None]
        return of_slots

    def closed_contacts(self) -> Floats:
        """Columns (K, 5) of the contacts that closed in this step, see `closing_columns`."""
        new, overlap = ~self._closed(self.started())[self.active], self.last.measured.overlap
        rate = np.einsum("csi,csi->c", local_rows(self.last.E, self.last.B)[:, 0], self.last.given.velocity)
        mass, overlaps = self.last.seen.mass, (overlap + self.law.reach, overlap)
        return closing_columns(self.response, overlaps, mass, rate)[new]

    def work(self, span: Span) -> Work | None:
        """See Group; attraction across a gap may return its energy."""
        if self._one_sided or len(self.active) == 0:
            return None
        G = local_rows(self.last.E, self.last.B)
        local = [
            np.einsum("crsi,csi->cr", G, self._of_slots(np.hstack(v))) for v in (span.before, span.after)
        ]
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
        rate = np.einsum("crsi,csi->cr", G, self._of_slots(velocity))
        force = -np.einsum("crq,cq->cr", self.response.by_rate, rate)
        slots = np.einsum("crsi,cr->csi", G, force)
        self._silence(slots)
        add_slots(self.body, slots, wrench)

    def _add_stiffness(self, factor: float, blocks: Floats) -> None:
        """Add `factor` times minus the derivatives of the wrenches by displacements to `blocks`."""
        n, S, size = len(self.active), blocks.shape[1], DIFFERENCE * self.size
        trials, here = np.empty((6 * S + 1, 2), np.int64), np.empty((n, S, 6))
        if self._copies is None:
            most, one = COPIED[not self._compiled], len(self._workspace.E)
            count = max(one, min(len(trials) * one, most))
            self._copies = named(no_workspace(count, self._table, self.law.history))
        given, copies = (self._table, self._workspace, n), self._copies
        count = list_displacements(*given, trials)
        several = min(count, len(copies.E) // n)
        copy_contacts(*given, copies, several)
        for first in range(0, count, several):
            chosen = trials[first : min(first + several, count)]
            displace(*given, copies, chosen, size, self.h)
            self._act_displaced(copies, n * len(chosen))
            add_columns(copies, chosen, size, factor, trials[0, 1], here, blocks)

    def _act_displaced(self, copies: Workspace, n: int) -> None:
        """Evaluate `n` displaced contacts as far as that is done in Python."""
        self._act(copies, n, slice(None))

    @property
    def compiled(self) -> bool:
        """True if steps need Python only for candidates and a larger workspace."""
        return type(self) is SurfaceGroup and self._compiled

    @property
    def step(self) -> SurfaceStep:
        """The arrays of steps without Python, of which the first has begun."""
        step, memory = self._step, (self.tangent, self.history, self.opened)
        kept = self._pairs, self._workspace, *memory[:2]
        known = kept if step is None else (step.pairs, step.workspace, step.tangent, step.history)
        if step is None or any(a is not b for a, b in zip(kept, known, strict=True)):
            ends, numbers = (self._ends, self._turned), np.zeros((2, 1), np.int64)
            step = named(SurfaceStep(self._table, *kept[:2], *ends, *memory, *numbers))
            self._step = step
        step.turn[0] = step.ends is not self._ends
        return step

    def complete(self) -> None:
        """Take over the results of steps without Python; make missing candidates and workspace."""
        step = self._step
        assert step is not None
        ends = step.ends, step.turned
        self._ends, self._turned = ends[::-1] if step.turn[0] else ends
        n = int(step.found[0])
        if n == FAR:
            self._find(self._ends.end.points, self._ends.end.x)
        elif n > len(self._workspace.E):
            self._make_workspace(2 * n)
        else:
            self._note(n)

    def commit(self) -> None:
        """Keep tangents and histories of the last evaluation."""
        self._commit(self.last.E[:, 1], self.response.history)
