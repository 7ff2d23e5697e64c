"""The compliant contacts of a run: what is measured, evaluated and remembered, element by element.

begin      geometry at the start of the step
evaluate   geometry, frames, laws -> wrenches on the bodies          as often as wanted
tangents   their derivatives, in the sparse pattern of the pairs     after evaluate
commit     history and tangents of the last evaluation are kept      once the step is accepted
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Candidates, Floats, Ints, Motion, no_candidates
from nsgalpha.compliant.flexibility import Coupling
from nsgalpha.compliant.frames import add_wrenches, localise, no_frames, rates
from nsgalpha.compliant.law import Contact, no_response
from nsgalpha.compliant.pattern import Pattern
from nsgalpha.compliant.tangent import fill, no_work
from nsgalpha.model.element import CompliantElement
from nsgalpha.model.state import ContactHistory
from nsgalpha.stepping.warm_start import carried

if TYPE_CHECKING:
    from nsgalpha.model.system import System


class Group:
    """The candidates of one element, what its law remembers of them, and the last evaluation."""

    def __init__(self, element: CompliantElement, system: System) -> None:
        self.pairs, self.law, self.system = element.pairs, element.law, system
        self.candidates = self.start = no_candidates()
        self.waits = False  # contacts that close in this step wait for the next one
        self.tangent = np.zeros((0, 3))  # t1 at the last accepted state; 0: was open
        self.history = np.zeros((0, self.law.history))
        self._placed: tuple[Pattern, Ints, Ints | None] | None = None
        self.opened = np.zeros(self.law.history)  # sum of what contacts remembered that have opened
        self._select(np.empty(0, np.int64))

    def _select(self, active: np.ndarray) -> None:
        self.active = active
        self.frames = no_frames(len(active))
        self.response = no_response(len(active), 6, self.law.history)

    def find(self, x: Floats, reach: float) -> None:
        """List the pairs with gaps below `reach` [m]; what is remembered goes with the pairs."""
        before, self.candidates = self.candidates, self.system.table(self.pairs, x, reach + self.law.reach)
        self.tangent = carried(before, self.candidates, self.tangent)
        self.history = carried(before, self.candidates, self.history)
        self.start = _remeasured(self.candidates)
        self._select(np.empty(0, np.int64))

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self.waits = False
        self.system.measure_pairs(self.pairs, old, self.start)

    def evaluate(self, motion: Motion, moved: Floats, turned: Floats, h: float) -> None:
        """Geometry, frames and laws at the end of a step with displacements and rotation vectors (B, 3)."""
        self.system.measure_pairs(self.pairs, motion, self.candidates)
        closed = self.candidates.gap < self.law.reach
        if self.waits:
            closed &= self.start.gap < self.law.reach
        self._select(np.flatnonzero(closed))
        if len(self.active) == 0:
            return
        localise(
            self.active,
            self.candidates,
            self.start,
            self.tangent,
            self.system.bodies,
            motion,
            moved,
            turned,
            self.frames,
        )
        f = self.frames
        contact = Contact(
            f.overlap,
            f.rate,
            f.increment,
            np.zeros_like(f.overlap),
            self.history[self.active],
            f.radius,
            f.mass,
            h,
            f.branch,
            f.body[:, 0] * self.system.size + f.body[:, 1],
            f.radius_a,
            f.fraction,
            f.area,
            self.candidates.a[self.active],
            self.candidates.b[self.active],
        )
        self.law(contact, self.response)

    def late(self) -> Floats:
        """Overlap and normal force over effective mass (K, 2) of the contacts that closed in this step."""
        new = self.start.gap[self.active] >= self.law.reach
        overlap = self.frames.overlap + self.law.reach
        return np.column_stack([overlap, self.response.force[:, 0] / self.frames.mass])[new]

    def places(self, pattern: Pattern) -> Ints | None:
        """`pattern.of_contacts` of the last evaluation, found anew only for other contacts."""
        known = self._placed
        if known is None or known[0] is not pattern or not np.array_equal(known[1], self.frames.body):
            known = self._placed = pattern, self.frames.body.copy(), pattern.of_contacts(self.frames.body)
        return known[2]

    def commit(self) -> None:
        """Keep tangents and histories of the contacts that are closed, forget all others."""
        open_now = np.ones(len(self.tangent), bool)
        open_now[self.active] = False
        self.opened += self.history[open_now].sum(axis=0)
        self.tangent[:], self.history[:] = 0.0, 0.0
        self.tangent[self.active] = self.frames.E[:, 1]
        self.history[self.active] = self.response.history


class Compliant:
    """All compliant contacts of a run; falsy if the model has none."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.groups = [Group(element, system) for element in system.compliant]
        self._pattern: Pattern | None = None
        self._coupling: Coupling | None = None
        self._work = no_work()

    def __bool__(self) -> bool:
        return bool(self.groups)

    def find(self, motion: Motion, reach: float) -> None:
        """New candidate pairs with gaps below `reach` [m] at `motion`."""
        for group in self.groups:
            group.find(motion.x, reach)

    def begin(self, old: Motion) -> None:
        """Measure the start of a step; `evaluate` refers to it until the next call."""
        for group in self.groups:
            group.begin(old)

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> Floats:
        """Wrenches (N, 6) on the bodies at `motion`, the end of a step of `h` [s] and `increment` (B, 6)."""
        self._last = motion, increment, h
        self._moved = np.ascontiguousarray(increment[:, :3])
        self._turned = np.ascontiguousarray(increment[:, 3:])
        wrench = np.zeros((self.system.size, 6))
        for group in self.groups:
            group.evaluate(motion, self._moved, self._turned, h)
            add_wrenches(group.frames, group.response.force, wrench)
        return wrench[: self.system.count]

    def wait(self) -> None:
        """Until the next `begin`, contacts that were open at the start of the step have no force."""
        for group in self.groups:
            group.waits = True

    def may_wait(self, factor_q: float) -> bool:
        """Whether every contact that waits would be open with its force: by `factor_q` f/m."""
        for group in self.groups:
            group.waits = False
        self.evaluate(*self._last)
        late = np.concatenate([group.late() for group in self.groups])
        self.wait()
        self.evaluate(*self._last)
        return bool((late[:, 0] <= factor_q * late[:, 1]).all())

    def largest(self) -> float:
        """Largest local force of the last evaluation [N]."""
        return max(
            (float(np.abs(g.response.force[:, :3]).max(initial=0.0)) for g in self.groups), default=0.0
        )

    def tangents(self, factor_q: float, factor_v: float) -> tuple[Pattern, Floats]:
        """`factor_q K + factor_v C` of the last evaluation as values on a pattern, see tangent.py."""
        known = self._pattern
        places = [g.places(known) for g in self.groups] if known is not None else [None]
        if known is None or any(place is None for place in places):
            none = np.empty((0, 2), np.int64)
            known = Pattern(self.system.count, np.concatenate([none, *(g.frames.body for g in self.groups)]))
            places = [g.places(known) for g in self.groups]
        self._pattern = known
        values = known.zeros()
        for group, place in zip(self.groups, places, strict=True):
            fill(
                group.frames,
                group.response,
                self._last[0],
                self._moved,
                self._turned,
                factor_q,
                factor_v,
                place,
                known.indptr,
                self._work,
                values,
            )
        return known, values

    def damping(self, velocity: Floats) -> Floats:
        """`C v` (N, 6) of the last evaluation for `velocity` v (N, 6) of the bodies, see tangent.py."""
        linear, angular = np.zeros((2, self.system.size, 3))
        linear[: self.system.count], angular[: self.system.count] = velocity[:, :3], velocity[:, 3:]
        wrench = np.zeros((self.system.size, 6))
        for group in self.groups:
            rate = np.zeros_like(group.frames.rate)
            rates(group.frames, linear, angular, rate)
            add_wrenches(group.frames, -np.einsum("cij,cj->ci", group.response.by_rate, rate), wrench)
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

    def memory(self) -> list[tuple[Floats, Floats, Floats]]:
        """Copies of all that is remembered, for `restore`."""
        return [(group.tangent.copy(), group.history.copy(), group.opened.copy()) for group in self.groups]

    def restore(self, memory: list[tuple[Floats, Floats, Floats]]) -> None:
        """Go back to what `memory` returned, with the same candidates."""
        for group, (tangent, history, opened) in zip(self.groups, memory, strict=True):
            group.tangent[:], group.history[:], group.opened[:] = tangent, history, opened

    def history(self) -> ContactHistory | None:
        """What is remembered, as part of a state; None if no law has a history."""
        width = max((group.law.history for group in self.groups), default=0)
        if width == 0:
            return None
        pair, tangent, values = [], [], []
        opened = np.zeros((len(self.groups), width))
        for number, group in enumerate(self.groups):
            known = np.flatnonzero(group.tangent.any(axis=1))
            c = group.candidates
            pair.append(
                np.column_stack([np.full_like(known, number), c.a[known], c.b[known], c.plane[known]])
            )
            tangent.append(group.tangent[known])
            values.append(np.pad(group.history[known], ((0, 0), (0, width - group.law.history))))
            opened[number, : group.law.history] = group.opened
        return ContactHistory(np.concatenate(pair), np.concatenate(tangent), np.concatenate(values), opened)

    def remember(self, history: ContactHistory) -> None:
        """Take over what `history` returned.

        Raises ValueError if it has a pair or a length that this model does not have.
        """
        for number, group in enumerate(self.groups):
            rows = np.flatnonzero(history.pair[:, 0] == number)
            c, columns = group.candidates, group.law.history
            pairs = {pair: k for k, pair in enumerate(zip(c.a, c.b, c.plane, strict=True))}
            try:
                place = [pairs[tuple(pair)] for pair in history.pair[rows, 1:]]
                group.tangent[place] = history.tangent[rows]
                group.history[place] = history.values[rows, :columns]
                group.opened[:] = history.opened[number, :columns]
            except (KeyError, ValueError, IndexError):
                raise ValueError(
                    "state.contacts: must be of pairs and laws of this model; use a state of the same model"
                ) from None

    @property
    def closed(self) -> int:
        """Number of contacts in the last evaluation."""
        return sum(len(group.active) for group in self.groups)

    @property
    def energy(self) -> float:
        """Stored energy of the last evaluation [J]."""
        return sum(float(group.response.energy.sum()) for group in self.groups)


def _remeasured(candidates: Candidates) -> Candidates:
    """The same pairs, with measures of their own."""
    measures = {name: getattr(candidates, name).copy() for name in ("gap", "normal", "lever")}
    return candidates._replace(**measures)
