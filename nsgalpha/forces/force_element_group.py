"""One force element in a run: its parts, and the history of its law."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints, LowRank, Motion, candidate_table
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.forces.contact_group import Group
from nsgalpha.forces.nodal_sums import add_nodal_blocks, note_largest
from nsgalpha.forces.step_work import Span, Work
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.force_element import ElementMotion, ForceElement, ForcePass, InactivePass, nodes_of
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.system.system import System


class ForceElementGroup(Group):
    """One force element: its candidates are its coordinates, which are never apart."""

    last: ForcePass

    def __init__(self, element: ForceElement, system: System) -> None:
        super().__init__(element.law, system)
        self.element, self.body = element, element.nodes
        count, width = element.count, self.history_width
        none = np.zeros(count, np.int64)
        self.active = np.arange(count)
        self.candidates = candidate_table(self.active, none, none - 1, none, none, np.ones(count))
        self.history = np.zeros((count, width))
        self._remembered = np.zeros((count, 3))  # a tangent: the mark of laws with history
        self._remembered[:, 0] = width > 0
        self.tangent = self._remembered.copy()
        self.acts = True  # in the last evaluation

    def find(self, motion: Motion, reach: float) -> None:
        """Nothing to be found."""

    def begin(self, old: Motion) -> None:
        """Keep the positions at the start of a step, which are not to be changed."""
        self.waits = False
        self._start = old.x

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Forces at the end of a step of `h` [s]."""
        self.acts = acts_at(self.element, self.t)
        self._take(self.pass_at(motion, h) if self.acts else InactivePass(self.element))

    def _take(self, made: ForcePass) -> None:
        """The last evaluation, with its own nodes if it has some."""
        self.last, self.body = made, nodes_of(self.element, made)

    def pass_at(self, motion: Motion, h: float) -> ForcePass:
        """The pass of the element at the end of a step of `h` [s], even if inactive.

        It refers to `motion`, which is not to be changed.
        """
        at = ElementMotion(motion.x, motion.v, self._start, self.history, h, self.t)
        return self.element.force_pass(at)

    def add_wrenches(self, wrench: Floats) -> None:
        """Add the wrenches (B, 6) of the last evaluation."""
        self.last.add_forces(wrench)

    def closed_contacts(self) -> Floats:
        """No contact closes."""
        return np.empty((0, 5))

    def work(self, span: Span) -> Work | None:
        """No contact."""
        return None

    def fill(self, pattern: Pattern, place: Ints, factor_q: float, factor_v: float, values: Floats) -> None:
        """Add the tangents of the last evaluation, less their terms of low rank, to `values`."""
        C, S = self.body.shape
        blocks = np.zeros((C, S, 3, S, 3))
        self.last.add_tangents(factor_q, factor_v, blocks)
        add_nodal_blocks(blocks, place, self.body, pattern.size, pattern.indptr, values)

    def low_rank(self, factor_q: float, factor_v: float) -> LowRank | None:
        """The terms of low rank."""
        return self.last.low_rank(factor_q, factor_v, self.system.count)

    def add_damping(self, velocity: Floats, wrench: Floats) -> None:
        """Add `C v` (B, 6) of the last evaluation to `wrench`."""
        self.add_nodal_damping(np.ascontiguousarray(velocity[:, :3]), wrench)

    def add_nodal_damping(self, velocity: Floats, wrench: Floats) -> None:
        """Add `C v` (B, 6) of the last evaluation, with the `velocity` v (B, 3), to `wrench`."""
        damping = self.last.damping(velocity)
        if damping is not None:
            add_slots(self.body, damping, wrench)

    def commit(self) -> None:
        """Keep the histories of the last evaluation."""
        self._commit(self._remembered, self.last.history)

    @property
    def energy(self) -> float:
        """Stored energy of the last evaluation [J]."""
        return float(self.last.energy.sum())

    def note_largest(self, size: Floats) -> None:
        """`size` (B,): at least the largest force of the last evaluation on each body [N]."""
        note_largest(self.body, self.last.force, size)

    @property
    def closed(self) -> int:
        """No contacts."""
        return 0

    @property
    def slides(self) -> bool:
        """No contacts."""
        return False


def largest_frequency(system: System) -> float:
    """Upper bound [1/s^2] of squared frequencies of force elements of `system` as stated.

    The largest sum of a row of M^-1 |K|, by Gershgorin's theorem.
    """
    motion, n = system.motion(system.model.initial_state()), system.count
    rows = np.zeros((n, 3))
    for element in system.force_elements:
        group = ForceElementGroup(element, system)
        group.begin(motion)
        group._take(group.pass_at(motion, INSTANT))
        C, S = group.body.shape
        blocks = np.zeros((C, S, 3, S, 3))
        group.last.add_tangents(1.0, 0.0, blocks)
        np.add.at(rows, group.body, np.abs(blocks).sum(axis=(3, 4)))
        low = group.low_rank(1.0, 0.0)
        if low is not None:
            whole = np.bincount(low.term, np.abs(low.g), len(low.c))
            each = np.abs(low.w) * (np.abs(low.c) * whole)[low.term]
            rows += np.bincount(low.row, each, 6 * n).reshape(n, 6)[:, :3]
    return float((rows * system.bodies.inverse_mass[:n, None]).max(initial=0.0, where=rows > 0.0))
