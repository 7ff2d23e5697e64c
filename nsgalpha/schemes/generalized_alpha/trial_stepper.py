"""Trial steps of the generalized-alpha scheme, which are undone to the bit.

A trial is an ordinary step in which only contacts that are held touch: no impact can happen in it. A contact
is held if it touches and does not open. Where no step led to its bodies it may approach, and flies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats, Ints, Motion, copy_motion
from nsgalpha.contact.impacts.crowds import CROWD
from nsgalpha.contact.impacts.impact_times import Flight, first_hits, opening_rates
from nsgalpha.contact.rows.sliding_rates import all_sliding_velocities
from nsgalpha.forces.contact_group import GroupMemory
from nsgalpha.jit.addresses import named
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.schemes.generalized_alpha.flying_contacts import OPENING, SLOW, Located, located, look, run_off
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.schemes.stepper_interface import Advance, Recorder
from nsgalpha.stepping.step_outcome import SOLVED
from nsgalpha.stepping.step_times import Steps
from nsgalpha.stepping.warm_start import Past

NEVER = 1 << 40  # no trial is recorded
NONE, UNSOLVED, AGAIN = -1, -2, -3  # in place of the first hit
PULLED = 2.0  # velocity over that which loads give in a step, up to which a contact replaces another


def of_pair(candidates: Candidates, c: int) -> Flags:
    """Candidates (C,) of the same two bodies, or body and plane, as `c`."""
    one, two, plane = candidates.a, candidates.b, candidates.plane
    same: Flags = (one == one[c]) & (two == two[c]) & (plane == plane[c])
    return same


def find_slot(candidates: Candidates, c: int, key: int) -> tuple[int, bool]:
    """The slot, in the pair of `c`, of the features `key`; False if they are not selected."""
    if candidates.feature[c] == key:
        return c, True
    found = np.flatnonzero(of_pair(candidates, c) & (candidates.feature == key))
    return (int(found[0]), True) if len(found) else (c, False)


class TrialStart(NamedTuple):
    """Copies of the arrays that a trial step changes."""

    motion: Motion
    candidates: Candidates  # themselves
    feature: Ints  # of these
    kinds: Ints  # offsets of their runs
    past: Past
    compliant: list[GroupMemory]
    springs: Floats  # memory of those in the compiled loop,
    known: bool  # and whether that has it
    size: Floats
    acted: Floats
    options: Floats
    unknown: bool


class TrialEnd(NamedTuple):
    """The end of a trial step, to which others return."""

    start: TrialStart
    row: Floats
    fraction: Floats


class TrialStepper(GeneralizedAlphaStepper):
    """Trials from the `start` of a step, the last accepted state."""

    start: TrialStart
    crowd = CROWD

    def __init__(self, model: Model, state: State, h: float, scheme: GeneralizedAlpha, tol: float) -> None:
        super().__init__(model, state, h, scheme, tol)
        spheres = self.system.bodies.radius[: self.system.count] > 0.0
        self.all_passages = bool(spheres.all()) and not len(self.system.bodies.cell)
        self.contacts = self._contacts(0)
        #: bodies whose contacts may approach where they touch: no step led them here
        self.given = np.full(self.system.size, self.now.forces.unknown)
        self.failed = Advance(0)  # the outcome of a trial that was not solved
        self.trials = 0

    def _contacts(self, count: int) -> Located:
        return located(count, self.now.old, self.now.lever, self.crowd, self.all_passages)

    def _look(self, h: float) -> None:
        """Gaps, rates and flags of the contacts where a step of `h` [s] begins."""
        now = self.now
        now.select()
        if len(self.contacts.fraction) != len(now.candidates.a):
            self.contacts = self._contacts(len(now.candidates.a))
        flight, self.fraction = self.contacts.flight, self.contacts.fraction
        self.system.measure(now.old, now.candidates)
        flight.way[:] = np.inf  # rates of all
        look(now.candidates, self.system.bodies, now.forces.past, self.contacts, h)
        self.gap, self.rate, self.rebounding = flight.gap, flight.rate, flight.rebounding
        if self.given.any():
            closing = OPENING * max(SLOW, float(np.abs(now.old.v).max(initial=0.0)))
            given = self.given[now.candidates.a] | self.given[now.candidates.b]
            approach = given & now.forces.past.touched & (flight.rate < -closing)
            flight.flying[approach & ~flight.crowded] = True
        self.held = ~flight.flying

    def _rates(self) -> Floats:
        rate = np.empty(len(self.now.candidates.a))
        opening_rates(self.now.candidates, self.now.old, rate)
        return rate

    def _start(self) -> TrialStart:
        now, joints = self.now, self.system.joints
        past = Past._make(part.copy() for part in now.forces.past)
        springs = self.loads.arrays.memory.copy() if self.loads is not None else np.empty(0)
        forces = past, now.compliant.memory(), springs, self.known
        rest = now.size.copy(), joints.acted.copy(), self.system.options.copy(), now.forces.unknown
        feature, kinds = now.candidates.feature.copy(), self.system.kinds.copy()
        return TrialStart(copy_motion(now.old), now.candidates, feature, kinds, *forces, *rest)

    def _undo(self, start: TrialStart) -> None:
        """Undo a trial; candidates that were found in it are found again from its start."""
        now = self.now
        again = now.candidates is not start.candidates
        if again:
            now.candidates, now.forces.past = start.candidates, named(start.past)
            self.system.kinds[:] = start.kinds
        now.candidates.feature[:] = start.feature
        pairs = [*zip(now.old, start.motion, strict=True), (now.size, start.size)]
        pairs += [(self.system.joints.acted, start.acted), (self.system.options, start.options)]
        for array, values in pairs:
            array[:] = values
        for part, kept in zip(now.forces.past, start.past, strict=True):
            part[:] = kept
        if self.loads is not None:
            self.loads.arrays.memory[:] = start.springs
        now.compliant.restore(start.compliant)
        self.known, now.forces.unknown = start.known, start.unknown
        if again:
            now.find(max(self.tries - 1, 0))  # as far as then

    def _keep(self, row: Floats) -> TrialEnd:
        return TrialEnd(self._start(), row.copy(), self.fraction.copy())

    def _return_to(self, end: TrialEnd, row: Floats) -> None:
        """Take back all trials since `end`."""
        self._undo(end.start)
        self.system.measure(self.now.old, self.now.candidates)
        row[:], self.fraction[:] = end.row, end.fraction

    def _trial(self, t: float, s: float, frames: Floats | None, row: Floats, recorder: Recorder) -> int:
        """A step of `s` from `t` [s] in which only contacts that are held touch.

        Returns its first hit, or NONE, UNSOLVED, AGAIN.
        """
        now, candidates, held, start = self.now, self.now.candidates, self.held, self.start
        if frames is None:
            frames, _ = self.system.frames_at(np.array([t, t + s]))
        steps = Steps(np.array([t, t + s]), np.array([s]), 0, 1, NEVER, NEVER)
        now.forces.fly(~held)
        self.trials += 1
        now.unresolved = False
        done = Advance(0)
        while done.done == 0:
            done = super().advance(steps, frames, row, recorder)
            if done.outcome != SOLVED:
                self.failed = done
                return UNSOLVED
            if now.candidates is not candidates:
                self._undo(start)
                return AGAIN
        self.system.measure(now.old, candidates)
        given = candidates, self.system.bodies, self._flight(), now.old, s
        return int(first_hits(*given, self.fraction))

    def _flight(self) -> Flight:
        """The contacts that fly in trials from `start` on."""
        flying, motion = ~self.held, self.start.motion
        return self.contacts.flight._replace(
            flying=flying, rebounding=self.rebounding & flying, motion=motion
        )

    def _sliding(self, t: float, motion: Motion, least: float) -> Floats:
        """Velocities (C, 3, 3) [m/s] of sliding, rolling, drilling at `t` [s]; 0 up to `least`."""
        now, system = self.now, self.system
        velocities = np.empty((len(now.candidates.a), 3, 3))
        given = now.candidates, system.laws, system.bodies.joints, (t, motion), self._flight(), now.lever
        all_sliding_velocities(*given, least, velocities)
        return velocities

    def _runs_off(self) -> bool:
        """True if bodies that pushed each other part in the last trial because features end."""
        return bool(run_off(self.now.candidates, self._flight(), self.now.old, self.start.past.wrench))

    def _is_known(self, c: int) -> bool:
        """True if slot `c` had its features where the step began."""
        return bool(self.now.candidates.feature[c] == self.contacts.flight.feature[c])

    def _slots(self, c: int) -> Ints:
        """Slot `c`, and if its features are new all that they may take."""
        new = of_pair(self.now.candidates, c) & (self.start.feature < 0) & (not self._is_known(c))
        return np.append(np.flatnonzero(new), c)

    def _pull(self, c: int) -> float:
        """Bound of the acceleration [m/s^2] with which the loads close contact `c`."""
        bodies, total = [self.now.candidates.a[c], self.now.candidates.b[c]], 0.0
        for dv, extent in zip(self.now.old.dv[bodies], self.system.bodies.extent[bodies], strict=True):
            total += float(np.linalg.norm(dv[:3]) + extent * np.linalg.norm(dv[3:]))
        return total

    def _replaces(self, c: int, s: float) -> bool:
        """True if the features of `c` take the place of others in a step of `s` [s].

        Those were held, and end. Without their force the loads close the contact. One that closes faster is
        an impact.
        """
        candidates, before = self.now.candidates, self.contacts.flight.feature
        if self._is_known(c):
            return False
        ended = self.held & (before >= 0) & (candidates.feature == ~before)
        if not (ended & of_pair(candidates, c)).any():
            return False
        return bool(-self._rates()[c] <= PULLED * self._pull(c) * s)

    def _speed(self, motion: Motion) -> float:
        """The largest velocity [m/s] of a `motion`, rotations times the lever; at least SLOW."""
        v, w = (np.abs(part).max(initial=0.0) for part in (motion.v, motion.w))
        return float(max(v, self.now.lever * w, SLOW))
