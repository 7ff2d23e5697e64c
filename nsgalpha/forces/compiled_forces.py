"""The compliant contacts of an explicit run: candidates of all elements, and their laws.

find       candidate pairs; what is remembered goes with the pairs
start      frames of the contacts that are closed at the beginning
evaluate   wrenches on the bodies, in one compiled pass or with laws in numpy
accept     the memory of that pass is kept
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nsgalpha.arrays import (
    Candidates,
    Floats,
    Ints,
    Motion,
    no_candidates,
    unmeasured,
    without_measurements,
)
from nsgalpha.forces.bonded_pairs import add_recorded, has_bond, keep_bonded
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_group import identities, other_model, places_of
from nsgalpha.forces.force_kernels import (
    BLOCK,
    FRAME,
    ForceArrays,
    Moving,
    PairTable,
    add_wrenches,
    evaluate,
    localise,
    no_block,
)
from nsgalpha.forces.law_parts import are_compiled, parts_of
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.forces.surface_steps import Surfaces, SurfaceStep
from nsgalpha.geometry.contact_identity import carried
from nsgalpha.geometry.geometry_signature import tables
from nsgalpha.jit.addresses import AVAILABLE, named
from nsgalpha.model.compliant_law import INSTANT, SENSES, CompliantLaw, Contact, Response, no_response
from nsgalpha.model.contact_element import CompliantElement
from nsgalpha.model.state import ContactHistory
from nsgalpha.model.switched_elements import acts_at, timed
from nsgalpha.system.system import System

SEARCHED = 16384  # candidates that are measured at a time where most of them are far: they stay in a cache


class CompiledForces:
    """Candidates, laws and memory of the compliant elements of `system`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.elements: list[CompliantElement] = system.compliant
        self.surfaces = CompliantForces(system, pairs=False)
        laws = [element.law for element in self.elements]
        built_in = AVAILABLE and all(map(are_compiled, laws))
        compiled = built_in and all(isinstance(g, SurfaceGroup) and g.compiled for g in self.surfaces.groups)
        self.compiled = compiled and not any(map(timed, [*self.elements, *self.surfaces.elements]))
        self._surface_groups = [group for group in self.surfaces.groups if isinstance(group, SurfaceGroup)]
        self._surfaces: tuple[list[SurfaceStep], Surfaces] | None = None
        self.t = 0.0  # [s] of evaluations from Python
        self.energy = 0.0  # stored at the start [J]
        traits = [each for e in self.elements for each in e.law.traits]
        self.whole = any(each.whole for each in traits)
        self.divisible = (
            self.compiled and not self.surfaces and all(each.by_pair or not each.whole for each in traits)
        )
        histories = [e.law.history for e in self.elements] + [g.history_width for g in self.surfaces.groups]
        self.width = max(histories, default=0)
        geometries = [e.pairs.geometry for e in self.elements] if self.compiled else []
        self.geometries = tables(geometries)
        self.parts = parts_of(laws) if self.compiled or not self.elements else None
        self.block = no_block(BLOCK, self.width)
        self.groups: list[Candidates] = [no_candidates() for _ in self.elements]
        self.opened = np.zeros((len(histories), self.width))
        self.table = self._join(np.zeros((0, FRAME + self.width)))
        self._forces: ForceArrays | None = None

    def _join(self, memory: Floats) -> PairTable:
        none = np.empty(0, np.int64)
        a, b, plane, feature = (
            np.concatenate([none, *(getattr(c, name) for c in self.groups)])
            for name in ("a", "b", "plane", "feature")
        )
        start = np.cumsum([0, *(len(c.a) for c in self.groups)])
        reaches = self._reaches()
        turning = np.array([any(last > 3 for _, _, last in e.law.parts) for e in self.elements], bool)
        on = np.array([e.law.on for e in self.elements]).reshape(-1, 2)
        images = np.array([self.system.by_images(e.pairs) for e in self.elements], bool)
        bodies = self.system.bodies
        mass = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b])
        pair = a * self.system.size + b
        sides = a, b, plane, mass, pair, feature, self.system.shapes
        return PairTable(*sides, start, *self.geometries, *reaches, turning, on, images, memory, self.opened)

    def _reaches(self) -> tuple[Floats, Ints]:
        """Gaps up to which elements act (inactive: below all), and columns of their bonds."""
        acts = [acts_at(element, self.t) for element in self.elements]
        reach = np.array([e.law.reach if on else -np.inf for e, on in zip(self.elements, acts, strict=True)])
        holds = [e.law.holds if on else -1 for e, on in zip(self.elements, acts, strict=True)]
        return reach, np.array(holds, np.int64)

    def set_time(self, t: float) -> None:
        """Set the time `t` [s] of the evaluations that follow, and with it which elements act."""
        self.t = t
        self.surfaces.set_time(t)
        self.table.reach[:], self.table.holds[:] = self._reaches()

    def find(self, motion: Motion, reach: float) -> None:
        """List the pairs with gaps below `reach` [m] at `motion`."""
        self.surfaces.find(motion, reach)
        system, kept = self.system, self.table.memory
        changes = []
        for g, element in enumerate(self.elements):
            before = self.groups[g]
            after = system.table(element.pairs, motion.x, reach + element.law.reach)
            if np.isfinite(reach):
                after = self._near(element, motion, after, reach + element.law.reach)
            rows = kept[self.table.start[g] : self.table.start[g + 1]]
            after = keep_bonded(system, before, after, has_bond(rows[:, FRAME:], element.law.holds))
            after = without_measurements(after)  # those are made in `block`
            changes.append((before, after, rows))
            self.groups[g] = after
        memory = np.empty((sum(len(after.a) for _, after, _ in changes), FRAME + self.width))
        first = 0
        for before, after, rows in changes:
            carried(before, after, rows, memory[first : first + len(after.a)])
            first += len(after.a)
        self._list(memory)

    def _near(self, element: CompliantElement, motion: Motion, found: Candidates, reach: float) -> Candidates:
        """Those `found` without spheres that are further than `reach` [m] from a plane at rest.

        Geometries may list every body with every plane.
        """
        near = (found.plane < 0) | (found.b != self.system.count)
        if near.all():
            return found
        for first in range(0, len(near), SEARCHED):
            part = slice(first, first + SEARCHED)
            measured = unmeasured(found, part)
            self.system.measure_pairs(element.pairs, motion, measured)
            near[part] |= measured.gap < reach
        return unmeasured(found, near)

    def _list(self, memory: Floats) -> None:
        """The candidates of all elements in one table, with their `memory`."""
        self.table = self._join(memory)
        largest = max((len(c.a) for c in self.groups), default=0)
        if (self.whole or not self.compiled) and largest > len(self.block.gap):
            self.block = no_block(largest, self.width)

    def start(self, motion: Motion, history: ContactHistory | None) -> None:
        """Frames of the contacts that are closed at `motion`, with their `history`.

        Without it their histories begin here.
        Raises the errors of laws for contacts that are closed at the start.
        """
        if history is not None:
            if history.opened.shape != self.opened.shape or history.values.shape[1:] != (self.width,):
                raise other_model()
            self._expect(motion, history)
        recorded = None if history is None else self._recorded(history)
        self.energy = 0.0
        for _, law, count in self._closed(motion, np.zeros((self.system.size, 6))):
            if recorded is not None:
                here = self.block.candidate[:count]
                self.table.memory[here, FRAME:] = recorded[here, 3:]
            response = no_response(count, SENSES, law.history)
            law(self._contact(law, count, INSTANT), response)
            self.energy += float(response.energy.sum())
            if history is None:
                self._keep(count, response)
        if history is not None and recorded is not None:
            known = recorded[:, :3].any(axis=1)
            self.table.memory[known, 3:6] = recorded[known, :3]
            self.table.memory[known, FRAME:] = recorded[known, 3:]
            self.opened[:] = history.opened
            self.surfaces.remember(_of_surfaces(history, len(self.elements)))
        self.begin(motion)
        self.surfaces.evaluate(motion, np.zeros((self.system.size, 6)), INSTANT)
        self.energy += self.surfaces.energy

    def _expect(self, motion: Motion, history: ContactHistory) -> None:
        """Contacts of a `history` with a bond are candidates and closed at any distance."""
        memory = [np.zeros((len(c.a), FRAME + self.width)) for c in self.groups]
        for g, element in enumerate(self.elements):
            rows = np.flatnonzero(history.pair[:, 0] == g)
            kept = rows[has_bond(history.values[rows], element.law.holds)]
            if len(kept):
                known = self.groups[g]
                self.groups[g] = add_recorded(self.system, element.pairs, motion, known, history, kept)
                memory[g] = np.zeros((len(self.groups[g].a), FRAME + self.width))
                place = places_of(history, kept, identities(self.groups[g]))
                memory[g][place, FRAME:] = history.values[kept]
        self._list(np.concatenate([np.empty((0, FRAME + self.width)), *memory]))

    @property
    def forces(self) -> ForceArrays:
        """The arguments of the compiled evaluation, by their address."""
        known = self._forces
        if known is None or known.table is not self.table or known.block is not self.block:
            assert self.parts is not None
            sides = self.system.planes, self.system.bodies
            known = self._forces = named(ForceArrays(self.table, self.parts, *sides, self.block))
        return known

    def begin(self, motion: Motion) -> None:
        """The start of a step, whose end is evaluated next."""
        self.surfaces.begin(motion)

    @property
    def surfaces_act(self) -> bool:
        """True if all elements of primitives act."""
        return all(acts_at(element, self.t) for element in self.surfaces.elements)

    def surfaces_of_steps(self) -> Surfaces | None:
        """The contacts of primitives, of which a step has begun, for the compiled loop."""
        if not self.surfaces:
            return None
        steps = [group.step for group in self._surface_groups]
        known, still = self._surfaces, self.system.inactive.still
        if known is None or known[0] != steps or known[1].still is not still:
            addresses = np.array([step.address for step in steps])  # type: ignore[attr-defined]  # handles
            masks = self.system.turns, still
            surfaces = Surfaces(steps[0], addresses, np.zeros((self.system.size, 6)), *masks)
            self._surfaces = known = steps, named(surfaces)
        return known[1]

    def complete(self) -> None:
        """Take over the contacts of primitives after the compiled loop, and complete them."""
        for group in self._surface_groups:
            group.complete()

    def commit(self) -> None:
        """The step whose end was evaluated is accepted."""
        self.surfaces.commit()

    def _closed(self, motion: Motion, increment: Floats) -> Iterator[tuple[int, CompliantLaw, int]]:
        """Block by block: number and law of the element, number of contacts, localised in `block`.

        Laws in numpy have one block of all candidates of an element.
        """
        for g, element in enumerate(self.elements):
            start, end = int(self.table.start[g]), int(self.table.start[g + 1])
            for first in range(start, end, len(self.block.gap)):
                last = min(first + len(self.block.gap), end)
                part = Candidates._make(column[first - start : last - start] for column in self.groups[g])
                places = {name: getattr(self.block, name) for name in ("gap", "normal", "lever", "length")}
                measured = part._replace(**places, rounding=self.block.length)  # which nobody writes
                self.system.measure_pairs(element.pairs, motion, measured)
                moving = Moving(motion, increment)
                count = localise(g, first, last, self.table, self.system.bodies, moving, self.block)
                if count:
                    yield g, element.law, count

    def evaluate(self, motion: Motion, increment: Floats, h: float, wrench: Floats) -> int:
        """Add the wrenches (B, 6) at `motion`, the end of a step; returns the number of contacts.

        `increment` (B, 6) are displacements and rotation vectors of the step of `h` [s].
        """
        closed = 0
        if self.surfaces:
            wrench[: self.system.count] += self.surfaces.evaluate(motion, increment, h)
            closed = self.surfaces.closed
        if self.compiled:
            return closed + int(evaluate(self.forces, Moving(motion, increment), h, wrench))
        for g, law, count in self._closed(motion, increment):
            response = no_response(count, SENSES, law.history)
            law(self._contact(law, count, h), response)
            self.block.force[:count] = response.force
            self._keep(count, response)
            add_wrenches(g, count, self.table, motion, self.block, self.system.cell, wrench)
            closed += count
        return closed

    def _keep(self, count: int, response: Response) -> None:
        """The memory of the `count` contacts in `block` from now on."""
        last = FRAME + response.history.shape[1]
        self.table.memory[self.block.candidate[:count], FRAME:last] = response.history

    def _contact(self, law: CompliantLaw, count: int, h: float) -> Contact:
        """The `count` contacts in `block` as `law` sees them."""
        block: dict[str, Any] = self.block._asdict()
        own: dict[str, Any] = {"normal": np.zeros(count), "h": h}
        own["history"] = self.table.memory[self.block.candidate[:count], FRAME : FRAME + law.history]
        return Contact(*(own[name] if name in own else block[name][:count] for name in Contact._fields))

    def history(self) -> ContactHistory | None:
        """The histories of the contacts for a state; None if no law has one."""
        if self.width == 0:
            return None
        table = self.table
        memory = table.memory
        known = np.flatnonzero(memory[:, 3:6].any(axis=1))
        element = np.searchsorted(table.start, known, side="right") - 1
        pair = np.column_stack([element, table.a[known], table.b[known], table.plane[known]])
        tangent, values, opened = memory[known, 3:6], memory[known, FRAME:], self.opened.copy()
        feature = table.feature[known]
        others = self.surfaces.history()
        if others is None:
            return ContactHistory(pair, tangent, values, opened, feature)
        first, width = len(self.elements), others.values.shape[1]
        opened[first:, :width] = others.opened
        pair = np.concatenate([pair, others.pair + np.array([first, 0, 0, 0])])
        values = np.concatenate([values, np.pad(others.values, ((0, 0), (0, self.width - width)))])
        tangent = np.concatenate([tangent, others.tangent])
        feature = np.concatenate([feature, others.feature])
        return ContactHistory(pair, tangent, values, opened, feature)

    def _recorded(self, history: ContactHistory) -> Floats:
        """Tangents and histories (C, 3 + k) of a `history` by candidates, 0 for those that it lacks.

        Raises ValueError if it has a pair that this model does not have.
        """
        recorded = np.zeros((len(self.table.a), 3 + self.width))
        for g, group in enumerate(self.groups):
            rows = np.flatnonzero(history.pair[:, 0] == g)
            place = self.table.start[g] + places_of(history, rows, identities(group))
            recorded[place] = np.column_stack([history.tangent[rows], history.values[rows]])
        return recorded


def _of_surfaces(history: ContactHistory, first: int) -> ContactHistory:
    """The part of the elements from `first` on."""
    rows = history.pair[:, 0] >= first
    pair = history.pair[rows] - np.array([first, 0, 0, 0])
    memory = pair, history.tangent[rows], history.values[rows]
    return ContactHistory(*memory, history.opened[first:], history.feature[rows])
