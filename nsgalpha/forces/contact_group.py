"""One compliant element in a run: candidates, histories, and last evaluation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats, Ints, Motion, no_candidates
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.forces.bonded_pairs import add_recorded, has_bond, keep_bonded
from nsgalpha.forces.contact_frames import Twists, add_wrenches, localise, no_frames, rates
from nsgalpha.forces.contact_tangents import Columns, Factors, fill
from nsgalpha.forces.step_work import Rates, Span, Work, closing_columns, strikes, work_of
from nsgalpha.geometry.contact_identity import carried
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import fill as fill_vector
from nsgalpha.model.compliant_law import CompliantLaw, Contact, Response, Traits, no_response
from nsgalpha.model.contact_element import CompliantElement
from nsgalpha.model.state import ContactHistory
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.system.system import System

TINY = 1e-300  # gap [m] of bodies that touch next


@kernel
def note_local(body, force, size):
    """`size` (B,): at least the largest entry of the local forces (C, 6) on each body."""
    for c in range(body.shape[0]):
        largest = max(abs(force[c, 0]), abs(force[c, 1]), abs(force[c, 2]))
        for s in range(body.shape[1]):
            size[body[c, s]] = max(size[body[c, s]], largest)


@kernel
def remember(active, n, new, kept):
    """Keep tangents and histories of the first `n` of the `active` candidates, and forget all others.

    `active` are in order. `new`: tangents (n, 3) and histories (n, k) of contacts. `kept`: those of all
    candidates, and the sums of histories that have ended (k,).
    """
    (new_tangent, new_history), (tangent, history, opened) = new, kept
    width = history.shape[1]
    for j in range(width):
        ended, k = 0.0, 0
        for c in range(history.shape[0]):
            if k < n and active[k] == c:
                history[c, j] = new_history[k, j]
                k += 1
            else:
                ended += history[c, j]
                history[c, j] = 0.0
        opened[j] += ended
    fill_vector(tangent, 0.0)
    if width > 0:  # else any tangent serves, and states have none
        for k in range(n):
            for i in range(3):
                tangent[active[k], i] = new_tangent[k, i]


class GroupMemory(NamedTuple):
    """The memory of a group."""

    candidates: Candidates
    tangent: Floats
    history: Floats
    opened: Floats


def identities(candidates: Candidates) -> Ints:
    """Numbers (C, 4) by which a history knows contacts: all of `pair` but the element, and `feature`."""
    return np.column_stack([candidates.a, candidates.b, candidates.plane, candidates.feature])


def other_model() -> ValueError:
    """The error to raise for a history that does not fit."""
    return ValueError(
        "state.contacts: must be of pairs and laws of this model; use a state of the same model"
    )


def places_of(history: ContactHistory, rows: Ints, identity: Ints) -> Ints:
    """Places of the contacts in `rows` of a history among those of `identity` (C, 4), or `other_model`."""
    both = np.concatenate([identity, np.column_stack([history.pair[rows, 1:], history.feature[rows]])])
    order = np.lexsort(both.T)  # a contact of the history stands behind the same one of the model
    alike = (both[order[1:]] == both[order[:-1]]).all(axis=1)
    place = np.full(len(both), len(both))
    place[order[1:][alike]] = order[:-1][alike]
    found = place[len(identity) :]
    if (found >= len(identity)).any():
        raise other_model()
    return found


class HasMemory(Protocol):
    """The part of a law of any kind that a group needs."""

    @property
    def history(self) -> int:
        """Numbers that it keeps for a contact."""

    @property
    def traits(self) -> Sequence[Traits]:
        """The attributes of its parts."""


class Group(ABC):
    """The common part of contacts (PairGroup, surface_contacts.py) and of force elements
    (force_element_group.py): their memory.
    """

    body: (
        Ints  # (C, S) frames that the active contacts act on; those from the number of bodies on do not move
    )

    def __init__(self, law: HasMemory, system: System) -> None:
        self.history_width, self.system = law.history, system
        self.candidates = no_candidates()
        self.flows = any(traits.flows for traits in law.traits)
        self.ahead = False  # the evaluation is of a time to come, and not to be kept
        self.waits = False  # contacts that close in this step wait for the next one
        self.tangent = np.zeros((0, 3))  # t1 at the last accepted state, 0: was open, or has no history
        self.history = np.zeros((0, self.history_width))
        self.opened = np.zeros(self.history_width)  # sum of the histories of opened contacts
        self._placed: tuple[Pattern, Ints, Ints | None] | None = None
        self.active = np.empty(0, np.int64)
        self.t = 0.0  # [s] of evaluations

    def _follow(self, candidates: Candidates) -> None:
        """Replace the candidates; histories go with the pairs."""
        before, self.candidates = self.candidates, candidates
        self.tangent = carried(before, candidates, self.tangent)
        self.history = carried(before, candidates, self.history)

    def memory(self) -> GroupMemory:
        """A copy of all histories, for `restore`."""
        return GroupMemory(self.candidates, self.tangent.copy(), self.history.copy(), self.opened.copy())

    def restore(self, memory: GroupMemory) -> None:
        """Restore a return value of `memory`."""
        self.ahead = False
        self.candidates, self.tangent = memory.candidates, memory.tangent.copy()
        self.history, self.opened = memory.history.copy(), memory.opened.copy()

    @abstractmethod
    def find(self, motion: Motion, reach: float) -> None:
        """List the candidates, with gaps below `reach` [m] at `motion`."""

    @abstractmethod
    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""

    @abstractmethod
    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Geometry, local motion and laws at the end of a step of `h` [s] and the `increment` (B, 6)."""

    @abstractmethod
    def add_wrenches(self, wrench: Floats) -> None:
        """Add the wrenches (B, 6) of the last evaluation."""

    @abstractmethod
    def closed_contacts(self) -> Floats:
        """Columns (K, 5) of the contacts that closed in this step, see `closing_columns`."""

    @property
    def strikes(self) -> bool:
        """False if no contact of the last evaluation can be an impact."""
        return False

    @abstractmethod
    def work(self, span: Span) -> Work | None:
        """The work of the forces of the last evaluation over the `span`, None without contacts."""

    @abstractmethod
    def fill(self, pattern: Pattern, place: Ints, factor_q: float, factor_v: float, values: Floats) -> None:
        """Add `factor_q K + factor_v C` of the last evaluation to `values` on the pattern."""

    @abstractmethod
    def add_damping(self, velocity: Floats, wrench: Floats) -> None:
        """Add `C v` (B, 6) of the last evaluation to `wrench`, for the `velocity` v (B, 6) of the frames."""

    @abstractmethod
    def commit(self) -> None:
        """Keep tangents and histories of the last evaluation."""

    @property
    def identity(self) -> Ints:
        """Numbers (C, 4) by which a history knows the candidates."""
        return identities(self.candidates)

    @property
    def pairs(self) -> Ints:
        """Pairs (K, 2) of frames that the active contacts couple."""
        i, j = np.triu_indices(self.body.shape[1], 1)
        return np.column_stack([self.body[:, i].ravel(), self.body[:, j].ravel()])

    def places(self, pattern: Pattern) -> Ints | None:
        """`pattern.of_contacts` of the last evaluation, found again only for other contacts."""
        known = self._placed
        if known is None or known[0] is not pattern or not np.array_equal(known[1], self.body):
            known = self._placed = pattern, self.body.copy(), pattern.of_contacts(self.body)
        return known[2]

    @property
    @abstractmethod
    def energy(self) -> float:
        """Stored energy of the last evaluation [J]."""

    @property
    @abstractmethod
    def closed(self) -> int:
        """Number of contacts in the last evaluation."""

    @property
    @abstractmethod
    def slides(self) -> bool:
        """True if contacts of the last evaluation have other forces than along their normals."""

    @abstractmethod
    def note_largest(self, size: Floats) -> None:
        """`size` (B,): at least the largest force of the last evaluation on each body [N]."""

    def _commit(self, tangent: Floats, history: Floats) -> None:
        """Keep `tangent` (C, 3) and `history` of the contacts that are closed, forget all others."""
        if self.ahead:
            self.ahead = False
            return
        kept = self.tangent, self.history, self.opened
        remember(self.active, len(self.active), (tangent, history), kept)


class ContactGroup(Group):
    """Contacts, which open and close, of pairs of bodies or of primitives (surface_contacts.py)."""

    def __init__(self, law: CompliantLaw, system: System) -> None:
        super().__init__(law, system)
        self.law = law
        self.response: Response = no_response(0, 6, law.history)

    @abstractmethod
    def overlaps(self) -> tuple[Floats, Floats]:
        """Overlaps (C,) [m] of the active contacts at the start and end of the step; -inf: none there."""

    @property
    def strikes(self) -> bool:
        """See Group."""
        return strikes(self.response, *self.overlaps())

    @property
    def energy(self) -> float:
        """Stored energy of the last evaluation [J]."""
        return float(self.response.energy.sum())

    @property
    def closed(self) -> int:
        """Number of contacts in the last evaluation."""
        return len(self.active)

    @property
    def slides(self) -> bool:
        """True if the last evaluation has other forces than along the normals of both sides."""
        return self._one_sided or bool(self.response.force[:, 1:].any())

    @property
    def _one_sided(self) -> bool:
        return min(self.law.on) == 0.0

    def note_largest(self, size: Floats) -> None:
        """`size` (B,): at least the largest local force of the last evaluation on each body [N]."""
        note_local(self.body, self.response.force, size)


class PairGroup(ContactGroup):
    """The contacts of an element of pairs of bodies, or of bodies and planes."""

    def __init__(self, element: CompliantElement, system: System) -> None:
        super().__init__(element.law, system)
        self.element, self.owner = element.pairs, element
        self.start = no_candidates()
        self._rows = 6 if any(last > 3 for _, _, last in self.law.parts) else 3
        self._select(self.active)

    def _select(self, active: Ints) -> None:
        self.active = active
        self.frames = no_frames(len(active), len(self.system.cell) > 2)
        self.body = self.frames.body
        self.response = no_response(len(active), 6, self.law.history)

    def find(self, motion: Motion, reach: float) -> None:
        """List the pairs with gaps below `reach` [m] at `motion`, and those that are held."""
        near = self.system.table(self.element, motion.x, reach + self.law.reach)
        kept = has_bond(self.history, self.law.holds)
        self._take(keep_bonded(self.system, self.candidates, near, kept))
        self._found = motion

    def expect(self, history: ContactHistory, rows: Ints) -> None:
        """The contacts in the `rows` of a `history` are candidates if they are held, however far apart."""
        kept = rows[has_bond(history.values[rows], self.law.holds)]
        if len(kept):
            known = add_recorded(self.system, self.element, self._found, self.candidates, history, kept)
            self._take(known)

    def _take(self, candidates: Candidates) -> None:
        self._follow(candidates)
        own = {name: getattr(self.candidates, name).copy() for name in ("gap", "normal", "lever", "image")}
        self.start = self.candidates._replace(**own)
        self._select(np.empty(0, np.int64))

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self.waits = False
        self.system.measure_pairs(self.element, old, self.start)

    def evaluate(self, motion: Motion, increment: Floats, h: float) -> None:
        """Geometry, frames and laws at the end of a step of `h` [s] and the `increment` (B, 6)."""
        self.system.measure_pairs(self.element, motion, self.candidates)
        closed = self.candidates.gap < self.law.reach
        if self.waits:
            closed &= self.start.gap < self.law.reach
        closed |= has_bond(self.history, self.law.holds)
        closed &= acts_at(self.owner, self.t)
        self._select(np.flatnonzero(closed))
        self._moved = Twists(increment[:, :3].copy(), increment[:, 3:].copy())
        self._velocity = Twists(motion.v, motion.w)
        if len(self.active) == 0:
            return
        found = self.active, self.candidates, self.start, self.tangent
        localise(*found, self.system.bodies, motion, self._moved, self.frames)
        f, none = self.frames, np.zeros_like(self.frames.overlap)
        if self.system.by_images(self.element):  # of the nearest images
            arms = self.candidates.lever[self.active, 1] - self.candidates.lever[self.active, 0]
            f.distance[:] = np.einsum("ci,ci->c", f.E[:, 0], arms) - f.overlap
        moved = f.overlap, f.rate, f.increment, none, self.history[self.active]
        pair = f.body[:, 0] * self.system.size + f.body[:, 1]
        sides = f.radius, f.mass, h, f.branch, pair, f.radius_a, f.fraction, f.area
        a, b = self.candidates.a[self.active], self.candidates.b[self.active]
        values = *moved, *sides, a, b, none, np.ones_like(none)
        self._contact = contact = Contact(*values)
        self.law(contact, self.response)
        if self.waits:
            self._wait(contact, (self.start.gap[self.active] > 0.0) & (f.overlap >= 0.0))

    def _wait(self, contact: Contact, touching: Flags) -> None:
        """New `touching` contacts (C,) within reach wait where a force sets in there.

        They have none just before they touch, and one that pushes then.
        """
        pushing = touching & (self.response.force[:, 0] > 0.0)
        if not pushing.any():
            return
        before = self._evaluated(contact, pushing)
        pushing &= before.force[:, 0] == 0.0
        self.response = self._evaluated(contact, pushing)
        self.response.by_overlap[pushing] = 0.0

    def _evaluated(self, contact: Contact, apart: Flags) -> Response:
        """The law of the active contacts, of which some (C,) are just `apart`."""
        response = no_response(len(self.active), 6, self.law.history)
        self.law(contact._replace(overlap=np.where(apart, -TINY, contact.overlap)), response)
        return response

    def add_wrenches(self, wrench: Floats) -> None:
        """Add the wrenches (B, 6) of the last evaluation."""
        add_wrenches(self.frames, self.response.force, self.law.on, wrench)

    def closed_contacts(self) -> Floats:
        """Columns (K, 5) of the contacts that closed in this step, see `closing_columns`."""
        if len(self.active) == 0:
            return np.empty((0, 5))  # the law was not evaluated
        gap, overlap = self.start.gap[self.active], self.frames.overlap
        far = (gap >= self.law.reach) & ~has_bond(self.history[self.active], self.law.holds)
        near = ~far & (gap > 0.0) & (overlap >= 0.0) & (self.response.force[:, 0] > 0.0)
        near[near] = self._evaluated(self._contact, near).force[near, 0] == 0.0
        beyond = np.where(far, overlap + self.law.reach, overlap)
        f = self.frames
        return closing_columns(self.response, (beyond, overlap), f.mass, f.rate[:, 0])[far | near]

    def overlaps(self) -> tuple[Floats, Floats]:
        """See ContactGroup."""
        return -self.start.gap[self.active], self.frames.overlap

    def work(self, span: Span) -> Work | None:
        """See Group; bonds and attraction across a gap may return their energy."""
        if self._one_sided or len(self.active) == 0:
            return None
        local = np.zeros((2, *self.frames.rate.shape))
        for velocities, rate in zip((span.before, span.after), local, strict=True):
            rates(self.frames, *velocities, rate)
        judged = ~has_bond(self.history[self.active], self.law.holds)
        overlaps = self.overlaps()
        if self.law.reach > 0.0:
            judged &= overlaps[0] <= -self.law.reach
        return work_of(self.frames.body, self.response, overlaps, Rates(local[0], local[1], span), judged)

    def fill(self, pattern: Pattern, place: Ints, factor_q: float, factor_v: float, values: Floats) -> None:
        """Add the tangents of the last evaluation, see contact_tangents.py, to `values` on the pattern."""
        columns = Columns(self._of_sides(place), pattern.indptr, values)
        factors = Factors(factor_q, factor_v)
        fill(self.frames, self.response, self._rows, self._velocity, self._moved, factors, columns)

    def _of_sides(self, place: Ints) -> Ints:
        """`place` (C, 2, 2), without the rows of a side that feels nothing."""
        if not self._one_sided:
            return place
        felt = np.array(self.law.on) > 0.0
        return np.where(felt[None, :, None], place, -1)

    def add_damping(self, velocity: Floats, wrench: Floats) -> None:
        """Add `C v` (B, 6) of the last evaluation to `wrench`."""
        rate = np.zeros_like(self.frames.rate)
        linear, angular = np.ascontiguousarray(velocity[:, :3]), np.ascontiguousarray(velocity[:, 3:])
        rates(self.frames, linear, angular, rate)
        force = -np.einsum("cij,cj->ci", self.response.by_rate, rate)
        add_wrenches(self.frames, force, self.law.on, wrench)

    def commit(self) -> None:
        """Keep tangents and histories of the last evaluation."""
        self._commit(self.frames.E[:, 1], self.response.history)
