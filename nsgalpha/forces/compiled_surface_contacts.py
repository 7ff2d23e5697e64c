"""Contacts of an element of primitives whose laws are compiled, by one kernel a pass."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Motion, no_planes
from nsgalpha.forces.law_parts import are_compiled, parts_of
from nsgalpha.forces.shape_arrays import coordinates
from nsgalpha.forces.surface_contacts import DIFFERENCE, Pass, SurfaceGroup
from nsgalpha.forces.surface_pass import FAR, KNOWN, begin, evaluate, measure_end
from nsgalpha.forces.surface_tangent import stiffness
from nsgalpha.forces.surface_workspace import (
    ContactPlaces,
    ContactWorkspace,
    StepEnds,
    Table,
    Workspace,
    first_of,
    measured_at,
    no_step_end,
    no_workspace,
    pairs_of,
)
from nsgalpha.jit.addresses import named
from nsgalpha.model.compliant_law import Response
from nsgalpha.model.contact_element import SurfaceElement
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.system.primitive_measures import Measured
from nsgalpha.system.system import System

COPIED = 512  # contacts that are displaced at once, for differences


class CompiledSurfaceGroup(SurfaceGroup):
    """The contacts of one element of primitives."""

    def __init__(self, element: SurfaceElement, system: System) -> None:
        super().__init__(element, system)
        geometry = element.geometry
        sides = self.A, self.B, self.solids, self.points.owner, self.points.place
        mass, address = system.bodies.inverse_mass, int(geometry.kernel.address)
        law = parts_of([self.law]), mass, address, np.array(geometry.options, float), element.torque
        ends = float(self.law.reach), np.array(self.law.on), system.count, no_planes(), np.empty((0, 4))
        self._table: Table = named(Table(*sides, *law, *ends))
        self._room = self._make_room(1)
        self._ends: StepEnds | None = None

    def _make_room(self, count: int) -> Workspace:
        self._views: dict[int, tuple[ContactWorkspace, ContactPlaces, Pass, Response]] = {}
        self._probe: Workspace | None = None  # of the differences
        return named(no_workspace(count, self._table, self.law.history))

    def find(self, motion: Motion, reach: float) -> None:
        """New candidates at `motion`; the reach follows from the primitives and their own motion."""
        self._find(coordinates(self.points, motion))

    def _find(self, points: Floats) -> None:
        before = None if self._ends is None else self._ends.start
        super()._find(points)
        known = self._primitives(points)
        c, here = self.candidates, (len(points), self.system.size, self._table)
        limit = float((0.5 * self._skin) ** 2)
        self._pairs = named(pairs_of(c, self._anchor, limit, known.shapes, len(self.A.number)))
        start, end = (named(no_step_end(len(c.a), *here)) for _ in range(2))
        self._ends, self._turned = named(StepEnds(start, end)), named(StepEnds(end, start))
        if before is not None and np.isfinite(before.points).all():
            start.points[:], start.x[:] = before.points, before.x
            measure_end(self._table, self._pairs, start)

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self.waits = False
        found = self._begin(old)
        if found == FAR:
            self._find(coordinates(self.points, old))
            self._begin(old)
        assert self._ends is not None
        if found == KNOWN:
            self._ends.end.x[:] = self._ends.start.x
            self._ends, self._turned = self._turned, self._ends
        self._before = self._ends.start.points

    def _begin(self, old: Motion) -> int:
        return int(begin(self._table, self._pairs, self._ends, old.x, old.q))

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Geometry, sides and laws at the end of a step of `h` [s] and the `increment` (B, 6)."""
        self.h = h
        n = self._evaluate(motion, increment)
        if n == FAR:
            self._find(coordinates(self.points, motion))
            n = self._evaluate(motion, increment)
        if n > len(self._room.E):
            self._room = self._make_room(2 * n)
            n = self._evaluate(motion, increment)
        self.active = self._pairs.active[:n]
        if n not in self._views:
            self._views[n] = _views(self._room, n)
        self.given, self.place, self.last, self.response = self._views[n]
        self.body = self.given.slots

    def _evaluate(self, motion: Motion, increment: Floats) -> int:
        """See surface_pass.evaluate; no contacts where the element does not act."""
        if not acts_at(self.element, self.t):
            return 0
        memory, moving = (self.tangent, self.history), (motion.x, motion.q, motion.v, motion.w, increment)
        rest = moving, memory, self.h, self.waits  # plain tuples: numba knows their types at once
        return int(evaluate(self._table, self._pairs, self._room, self._ends, *rest))

    def started(self) -> Measured:
        """All candidates at the start of the step."""
        assert self._ends is not None
        return measured_at(self._ends.start)

    def _add_stiffness(self, factor: float, blocks: Floats) -> None:
        """Add `factor` times minus the derivatives of the wrenches by displacements to `blocks`."""
        n, size = len(self.active), DIFFERENCE * self.size
        if self._probe is None:
            one, all_copies = len(self._room.E), (6 * blocks.shape[1] + 1) * len(self._room.E)
            most = max(one, min(all_copies, COPIED))
            self._probe = named(no_workspace(most, self._table, self.law.history))
        stiffness(self._table, self._room, self._probe, n, self.h, factor, size, blocks)


def _views(workspace: Workspace, n: int) -> tuple[ContactWorkspace, ContactPlaces, Pass, Response]:
    """The first `n` contacts in the `workspace`."""
    response, measured = first_of(workspace.response, n), first_of(workspace.measured, n)
    seen = workspace.seen
    last = workspace.B[:n], workspace.E[:n], seen.mass[:n], response, workspace.wrench[:n]
    return (
        first_of(workspace.given, n),
        first_of(workspace.place, n),
        Pass(measured, *last, seen.area[:n], seen.rate[:n]),
        response,
    )


def surface_group(element: SurfaceElement, system: System) -> SurfaceGroup:
    """The contacts of `element`: compiled if its laws are."""
    return (CompiledSurfaceGroup if are_compiled(element.law) else SurfaceGroup)(element, system)
