"""The compliant contacts of a run: measurements, evaluations and histories, by element.

begin      geometry at the start of the step
evaluate   geometry, frames, laws -> wrenches on the bodies          as often as wanted
tangents   their derivatives, in the sparse pattern of the pairs     after evaluate
commit     history and tangents of the last evaluation are kept      once the step is accepted
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints, LowRank, Motion
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.forces.contact_group import Group, GroupMemory, PairGroup, other_model, places_of
from nsgalpha.forces.coupled_delassus import Coupling
from nsgalpha.forces.force_element_group import ForceElementGroup
from nsgalpha.forces.neighbour_forces import NeighbourElement, NeighbourGroup
from nsgalpha.forces.patch_contacts import PatchGroup
from nsgalpha.forces.step_work import Span, Work
from nsgalpha.forces.step_work import joined as all_work
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.linalg.low_rank import joined
from nsgalpha.model.force_element import LimitedElement
from nsgalpha.model.patch_element import PatchElement
from nsgalpha.model.state import ContactHistory
from nsgalpha.system.system import System

HARMLESS = 0.1  # energy with which a contact begins that has waited, over that of its approach


class CompliantForces:
    """All compliant contacts of a run; falsy if the model has none."""

    def __init__(self, system: System, *, pairs: bool = True) -> None:
        self.system = system
        self.pairs = [PairGroup(element, system) for element in system.compliant if pairs]
        self.surfaces = [
            PatchGroup(element, system)
            if isinstance(element, PatchElement)
            else SurfaceGroup(element, system)
            for element in system.surfaces
        ]
        self.force_elements = [
            NeighbourGroup(element, system)
            if isinstance(element, NeighbourElement)
            else ForceElementGroup(element, system)
            for element in system.force_elements
        ]
        self.groups: list[Group] = [*self.pairs, *self.surfaces, *self.force_elements]
        of_pairs = system.compliant if pairs else []
        self.elements = [*of_pairs, *system.surfaces, *system.force_elements]  # of the groups
        self._pattern: Pattern | None = None
        self._coupling: Coupling | None = None
        self.waited = False  # whether contacts have no force at the end of the step that was evaluated last

    def __bool__(self) -> bool:
        return bool(self.groups)

    def find(self, motion: Motion, reach: float) -> None:
        """New candidate pairs with gaps below `reach` [m] at `motion`."""
        for group in self.groups:
            group.find(motion, reach)

    def begin(self, old: Motion) -> None:
        """Measure the start of a step; `evaluate` refers to it until the next call."""
        self.waited = False
        kept = self._kept(old)
        for group in self.groups:
            group.begin(kept)

    def _kept(self, motion: Motion) -> Motion:
        """`motion` for force elements, which may refer to it: one copy for all."""
        return motion._replace(x=motion.x.copy(), v=motion.v.copy()) if self.force_elements else motion

    def set_time(self, t: float) -> None:
        """Set the time `t` [s] of the evaluations that follow, for forces that are functions of time."""
        for group in self.groups:
            group.t = t

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> Floats:
        """Wrenches (N, 6) on the bodies at `motion`, the end of a step of `h` [s] and `increment` (B, 6)."""
        self._last = motion, increment, h
        wrench, kept = np.zeros((self.system.size, 6)), self._kept(motion)
        for group in self.groups:
            group.evaluate(kept, increment, h)
            group.add_wrenches(wrench)
        self.system.clear_wrenches(wrench[: self.system.count])
        return wrench[: self.system.count]

    def foresee(self, motion: Motion, h: float) -> Floats:
        """Wrenches (N, 6) if nothing moves for `h` [s] after the last evaluation, which was at `motion`.

        Laws that flow are committed and evaluated again; the forces of all others stay. `tangents` are those
        of these forces.
        """
        wrench = np.zeros((self.system.size, 6))
        still, kept = np.zeros((self.system.size, 6)), self._kept(motion)
        for group in self.groups:
            if group.flows:
                group.commit()
                group.begin(kept)
                group.evaluate(kept, still, h)
                group.ahead = True
            group.add_wrenches(wrench)
        self.system.clear_wrenches(wrench[: self.system.count])
        return wrench[: self.system.count]

    @property
    def closes(self) -> bool:
        """True if some contacts open and close: not only springs and force elements."""
        return any(contacts.law.reach < np.inf for contacts in (*self.pairs, *self.surfaces))

    @property
    def flows(self) -> bool:
        """True if a law has forces that change with time alone."""
        return any(group.flows for group in self.groups)

    def wait(self) -> None:
        """Until the next `begin`, contacts open at the start of the step have no force."""
        for group in self.groups:
            group.waits = True

    def may_wait(self, factor_q: float) -> tuple[bool, bool]:
        """(opens, harmless): if waiting contacts would be open with their forces, and begin without harm.

        Harmless contacts begin with a small part of the energy with which they approach: nothing has done
        that work.
        """
        for group in self.groups:
            group.waits = False
        self.evaluate(*self._last)
        late = self._late = self._closed()
        self.wait()
        self.evaluate(*self._last)
        self.waited = True
        opens, harmless = late[:, 0] <= factor_q * late[:, 1], late[:, 2] <= HARMLESS * late[:, 3]
        return bool(opens.all()), bool(harmless.all())

    def _closed(self) -> Floats:
        return np.concatenate([np.empty((0, 5)), *(group.closed_contacts() for group in self.groups)])

    def since_touch(self, s: float) -> float:
        """Time [s] since the first contact of those closed in a step of `s` [s], the last, closed."""
        beyond, rate = (self._late if self.waited else self._closed())[:, [0, 4]].T
        ago = np.divide(beyond, -rate, out=np.full_like(rate, s), where=-rate * s > beyond)
        return float(ago.max(initial=0.0))

    @property
    def strikes(self) -> bool:
        """True if a contact of the last evaluation may be an impact."""
        return any(group.strikes for group in self.groups)

    def work(self, span: Span) -> Work:
        """The work of the contacts of the last evaluation over the `span`, see step_work.py."""
        works = (group.work(span) for group in self.groups)
        return all_work([work for work in works if work is not None])

    def largest(self) -> Floats:
        """Largest local force (N,) of the last evaluation on each body [N]."""
        size = np.zeros(self.system.size)
        for group in self.groups:
            group.note_largest(size)
        return size[: self.system.count]

    def tangents(self, factor_q: float, factor_v: float, turning: bool = True) -> tuple[Pattern, Floats]:
        """`factor_q K + factor_v C` of the last evaluation as values on a pattern, see contact_tangents.py.

        Forces that act on many bodies at once have terms of `low_rank` besides. Without `turning` the blocks
        of force elements alone are those of translation.
        """
        size = 6 if turning or self.pairs or self.surfaces else 3
        known = self._pattern
        if known is not None and known.size != size:
            known = None
        places = [g.places(known) for g in self.groups] if known is not None else [None]
        if known is None or any(place is None for place in places):
            none = np.empty((0, 2), np.int64)
            pairs = np.concatenate([none, *(g.pairs for g in self.groups)])
            known = Pattern(self.system.count, pairs, size)
            places = [g.places(known) for g in self.groups]
        self._pattern = known
        values = known.zeros()
        for group, place in zip(self.groups, places, strict=True):
            assert place is not None
            group.fill(known, place, factor_q, factor_v, values)
        if (self.pairs or self.surfaces) and not self.system.turns.all():  # force elements never turn a body
            values[known.of_rotations(~self.system.turns)] = 0.0
        if self.system.inactive.any:
            values[known.of_bodies(self.system.inactive.still)] = 0.0
        return known, values

    def low_rank(self, factor_q: float, factor_v: float) -> LowRank | None:
        """The part of `factor_q K + factor_v C` (6 N, 6 N) that `tangents` leave out, None if nothing."""
        terms = (group.low_rank(factor_q, factor_v) for group in self.force_elements)
        low = joined([each for each in terms if each is not None])
        if low is None or not self.system.inactive.any:
            return low
        moves = ~self.system.inactive.still[low.row // 6]
        w = low.w * moves
        return low._replace(w=w, g=w if low.symmetric else low.g * moves)

    def damping(self, velocity: Floats) -> Floats:
        """`C v` (N, 6) of the last evaluation for `velocity` v (N, 6) of the bodies."""
        frames, wrench = np.zeros((2, self.system.size, 6))
        frames[: self.system.count] = velocity
        for contacts in (*self.pairs, *self.surfaces):
            contacts.add_damping(frames, wrench)
        linear = np.ascontiguousarray(frames[:, :3])
        for force_elements in self.force_elements:
            force_elements.add_nodal_damping(linear, wrench)
        self.system.clear_wrenches(wrench[: self.system.count])
        return wrench[: self.system.count]

    def coupling(self, pattern: Pattern, body: Ints) -> Coupling:
        """The coupling of `pattern` with set-valued contacts of the bodies (K, 2)."""
        if self._coupling is None or not self._coupling.stands(pattern, body):
            self._coupling = Coupling(pattern, body)
        return self._coupling

    def commit(self) -> None:
        """Keep the histories of the last evaluation: the step is accepted."""
        for group in self.groups:
            group.commit()

    def memory(self) -> list[GroupMemory]:
        """Copies of all histories, for `restore`."""
        return [group.memory() for group in self.groups]

    def restore(self, memory: list[GroupMemory]) -> None:
        """Restore a return value of `memory`."""
        for group, known in zip(self.groups, memory, strict=True):
            group.restore(known)

    def history(self) -> ContactHistory | None:
        """The histories of the contacts for a state; None if no law has one."""
        width = max((group.history_width for group in self.groups), default=0)
        if width == 0:
            return None
        pair, tangent, values, feature = [], [], [], []
        opened = np.zeros((len(self.groups), width))
        for number, group in enumerate(self.groups):
            known = np.flatnonzero(group.tangent.any(axis=1))
            identity = group.identity[known]
            pair.append(np.column_stack([np.full_like(known, number), identity[:, :3]]))
            feature.append(identity[:, 3])
            tangent.append(group.tangent[known])
            of_group = np.zeros((len(known), width))
            of_group[:, : group.history_width] = group.history[known]
            values.append(of_group)
            opened[number, : group.history_width] = group.opened
        memory = np.concatenate(pair), np.concatenate(tangent), np.concatenate(values)
        return ContactHistory(*memory, opened, np.concatenate(feature))

    def remember(self, history: ContactHistory) -> None:
        """Take over a return value of `history`.

        Raises ValueError if it has a pair or a length that this model does not have.
        """
        for number, group in enumerate(self.groups):
            rows = np.flatnonzero(history.pair[:, 0] == number)
            columns = group.history_width
            if isinstance(group, PairGroup):
                group.expect(history, rows)
            try:
                place = places_of(history, rows, group.identity)
                group.tangent[place] = history.tangent[rows]
                group.history[place] = history.values[rows, :columns]
                group.opened[:] = history.opened[number, :columns]
            except (ValueError, IndexError):
                raise other_model() from None

    def failure_reason(self) -> str:
        """An element's reason for forces that are not finite in the last evaluation, if any."""
        for group in self.force_elements:
            if isinstance(group.element, LimitedElement) and group.acts:
                said = group.element.failure_reason(group.last)
                if said:
                    return said
        return ""

    @property
    def closed(self) -> int:
        """Number of contacts in the last evaluation."""
        return sum(group.closed for group in self.groups)

    @property
    def frictionless(self) -> bool:
        """True if the last evaluation has no forces but along the normals."""
        return not any(group.slides for group in self.groups)

    @property
    def energy(self) -> float:
        """Stored energy of the last evaluation [J]."""
        return sum(group.energy for group in self.groups)
