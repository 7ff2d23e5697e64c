"""Steps that end at impacts, of the generalized-alpha scheme.

    trial      an ordinary step in which only contacts that are held touch: no impact can happen in it
    locate     trials to the first impact within, by first_hits and Newton's method with the measured rate
    strike     all impacts at that pose, without time, and a consistent restart

A contact is held if it touches and does not open. Where no step led to the state it may approach, and strikes
at once. One whose rebound would not reach LOWEST is handed over: it is held from the start of its step on, in
which others may strike. After a step that ended early the next one has consistent accelerations and unknown
forces: it is taken twice. All of this follows from the state alone: else a continued run would differ.
docs/design/impacts.md
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import MARKERS, Flags, Floats, Motion, copy_motion
from nsgalpha.checks import refuse
from nsgalpha.constraints.jointed_response import accept_joints
from nsgalpha.contact.impacts.impact_times import first_hits, opening_rates
from nsgalpha.contact.impacts.velocity_problem import no_impulses
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.rows.marker_rows import PART, keep_angles
from nsgalpha.geometry.narrow_phase import TOUCH
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.schemes.generalized_alpha.corrections import correct_velocity
from nsgalpha.schemes.generalized_alpha.flying_contacts import OPENING, SLOW, located, look
from nsgalpha.schemes.scheme_settings import DELASSUS, GeneralizedAlpha
from nsgalpha.schemes.stepper_interface import Advance, Recorder
from nsgalpha.stepping.poses import rotate_inertias
from nsgalpha.stepping.record_kernels import CONTACTS, FAST, HANDED, LOCATED, SIZE, TRIALS, is_full
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_motion import accept, follow_step
from nsgalpha.stepping.step_outcome import LOCATE, NO_ROOM, SOLVED, VELOCITY
from nsgalpha.stepping.step_times import Steps, time_after
from nsgalpha.system.consistent_start import begin_joints

LOWEST = 1e-10  # [m] height of a rebound
GENTLE = 1e-12  # [m/s^2] least closing acceleration
MOST_TRIALS, BISECTED = 30, 4  # for one impact; every so many halve the bracket
SHORT = 1e-6  # least part of a step that ends before an impact
MOST_IMPACTS = 1000  # since the last step of full size
NEVER = 1 << 40  # no trial is recorded
NONE, UNSOLVED, AGAIN = -1, -2, -3  # in place of the first hit


class TrialStart(NamedTuple):
    """Copies of the arrays that a trial step changes."""

    motion: Motion
    past: list[Floats | Flags]
    size: Floats
    acted: Floats
    options: Floats
    unknown: bool


def refuse_unlocated(model: Model, scheme: GeneralizedAlpha) -> None:
    """ValueError if the impacts of the model cannot be located."""
    lacking, remedy = "", 'take impacts="fixed"'
    if scheme.formulation != DELASSUS:
        lacking = f"formulation = {scheme.formulation!r}"
    elif model.open_boundaries:
        lacking = f"bodies that come and go ({model.open_boundaries[0].name})"
    if lacking:
        raise refuse("impacts", "located", f"'fixed' with {lacking}", remedy)


class LocatedStepper(GeneralizedAlphaStepper):
    """Steps from `state` on, of at most `h` [s], which end at the first impact within."""

    def __init__(self, model: Model, state: State, h: float, scheme: GeneralizedAlpha, tol: float) -> None:
        refuse_unlocated(model, scheme)
        super().__init__(model, state, h, scheme, tol)
        lacking = ""
        if self.now.compliant:
            lacking = "forces with stiffness or memory: compliant contacts, springs, bonds"
        elif self.system.model.joints and (self.system.joints.friction[:, PART] > 0.0).any():
            lacking = "joint friction in proportion to a reaction"
        elif self.system.element_tables.selection is not None:
            lacking = "contacts whose geometry selects features"
        if lacking:
            raise refuse("impacts", "located", f"'fixed' with {lacking}", 'take impacts="fixed"')
        self.impacts = 0  # since the last step of full size
        self.contacts = located(0, self.now.old)
        self.given = self.now.forces.unknown  # whether contacts that touch may approach: no step led here
        self.failed = Advance(0)  # the outcome of a trial that was not solved
        spheres = self.system.bodies.radius[: self.system.count] > 0.0
        self.all_passages = bool(spheres.all()) and not len(self.system.bodies.cell)

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See Stepper. Compiled steps without impacts; a step that may end early."""
        now, step = self.now, steps.first
        if steps.records(step) and is_full(recorder.block, now.candidates):
            return Advance(step, NO_ROOM)
        if self.compiled and not self.hard:
            done = self._fly(steps, frames, stats, recorder)
            if done.outcome != LOCATE:
                return done
            step, frames, stats = done.done, frames[done.done - step :], stats[done.done - step :]
        t, h, row = steps.t(step), steps.h(step), stats[:1]
        self.trials = 0
        found, s = self._first_impact(t, h, frames[:2], row, recorder)
        if found == UNSOLVED:
            return self.failed._replace(done=step)
        row = row[0]
        row[TRIALS], row[HANDED], row[SIZE] = self.trials, self.handed, s
        if self.all_passages:
            row[FAST] = 0.0  # spheres meet however far they move
        end = time_after(t, s, 1) if s != h else steps.t(step + 1)
        if found >= 0:
            row[LOCATED] = 1.0
            if not self._strike(end, s, h, row):
                return Advance(step, VELOCITY)
        self.given = False
        now.forces.fly(np.zeros(len(now.candidates.a), bool))
        if steps.records(step):
            self.record(end, s, recorder)
        self.impacts = self.impacts + 1 if s < h else 0
        return Advance(step + 1, size=s, following=self._following(s, h))

    def _following(self, s: float, h: float) -> float:
        """Size [s] of the step after one of `s` that was to have `h`."""
        return h

    def _begin(self, t: float, h: float) -> None:
        """Consistent accelerations where the last step ended early."""
        if self.now.size[0] != h:
            self._restart(t, h, h)
            self.now.forces.unknown = True

    def _first_impact(
        self, t: float, h: float, frames: Floats, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """A step from `t` of at most `h` [s], to its first impact; see `_step`, but for AGAIN."""
        self._begin(t, h)
        found, s = AGAIN, h
        while found == AGAIN:
            found, s = self._step(t, h, frames, row, recorder)
        return found, s

    def _fly(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """Compiled steps up to the first with an impact, which is not taken."""
        self._begin(steps.t(steps.first), steps.h(steps.first))
        self._look()
        self.located, forces = self.contacts, self.now.forces
        past, wrench = forces.past, forces.wrench.copy()
        done = super().advance(steps, frames, stats, recorder)
        self.located = None
        forces.fly(np.zeros(len(forces.wrench), bool))
        if forces.unknown and forces.past is past:  # a step that is taken twice has changed its forces
            forces.wrench[:] = wrench
            if self.hard:
                self.hard, done = False, done._replace(outcome=LOCATE)
        taken = stats[: done.done - steps.first]
        taken[:, TRIALS] = 1.0
        if self.all_passages:
            taken[:, FAST] = 0.0  # spheres meet however far they move
        if len(taken):
            self.impacts, self.given = 0, False
        return done

    def _step(
        self, t: float, h: float, frames: Floats | None, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """A step of at most `h` [s] to its first impact.

        Returns the contact and the size of the step; NONE, UNSOLVED or AGAIN in place of a contact.
        """
        self._look()
        self.handed, self.start, held = 0, self._start(), self.held

        def trial(s: float) -> int:
            return self._trial(t, s, frames if s == h else None, row, recorder)

        missed = self.impacts >= MOST_IMPACTS
        while not missed:
            found = trial(h)
            if found < 0:
                return found, h
            found, s, missed = self._locate(trial, h, found, 4.0 * np.spacing(abs(t) + h))
            if found < 0:
                return found, s
            if not missed and not self._is_low(found, s):
                return found, s
            self._undo(self.start)
            if not missed:
                self.handed += 1
                held[found] = self.now.forces.unknown = True
                self.start = self.start._replace(unknown=True)
        held[:] = True  # an ordinary step
        found = trial(h)
        row[0, LOCATED] = -1.0
        return found, h

    def _locate(
        self, trial: Callable[[float], int], h: float, first: int, least: float
    ) -> tuple[int, float, bool]:
        """Find the impact of the contact `first`, or an earlier one.

        Returns that contact, the size of the step to it, and whether it was missed. One whose gap does not
        follow its rate, as friction has just changed, may be NONE: the step ends before it.
        """
        c = self.now.candidates
        s, low, high = h * self.fraction[first], 0.0, h
        for k in range(MOST_TRIALS):
            s = min(max(s, least), np.nextafter(h, 0.0))
            self._undo(self.start)
            earlier = trial(s)
            if earlier < NONE:
                return earlier, s, False
            gap, touching = c.gap, TOUCH * c.length
            self.closing = -self._rates()[first]
            at_once = self.given and s <= least
            arrives = earlier in (NONE, first) and self.closing > 0.0 and abs(gap[first]) <= touching[first]
            if arrives or at_once:
                return first, s, False
            overlaps = earlier >= 0 and gap[earlier] < -touching[earlier]
            if overlaps or (earlier >= 0 and self.fraction[earlier] < 1.0 - 1e-9):
                first, high = earlier, min(high, s)
                s = min(s * self.fraction[earlier], s - 1e-13 * h)
                if k % BISECTED == BISECTED - 1:  # guesses may creep
                    s = 0.5 * (low + high)
                continue
            if abs(gap[first]) <= touching[first]:
                return first, s, False
            low = max(low, s)
            s += gap[first] / self.closing if self.closing > 0.0 else 0.0
            s = s if low < s <= high else 0.5 * (low + high)
        if abs(c.gap[first]) <= TOUCH * c.length[first]:  # a hop of rounding errors
            self.closing = 0.0
            return first, s, False
        if low < SHORT * h:
            return first, s, True
        self._undo(self.start)
        return trial(low), low, False

    def _is_low(self, first: int, s: float) -> bool:
        """True if the rebound of the contact `first` after `s` [s] would not reach LOWEST."""
        acceleration = max(abs(self.closing + self.rate[first]) / s, GENTLE)
        return bool(0.5 * self.closing**2 < LOWEST * acceleration)

    def _look(self) -> None:
        """Gaps and rates of the accepted state; contacts that are held, and those that rebound."""
        now = self.now
        if len(self.contacts.fraction) != len(now.candidates.a):
            self.contacts = located(len(now.candidates.a), now.old)
        flight, self.fraction = self.contacts.flight, self.contacts.fraction
        self.system.measure(now.old, now.candidates)
        flight.way[:] = np.inf  # rates of all
        look(now.candidates, now.forces.past, self.contacts)
        self.gap, self.rate, self.rebounding = flight.gap, flight.rate, flight.rebounding
        if self.given:
            closing = OPENING * max(SLOW, float(np.abs(now.old.v).max(initial=0.0)))
            flight.flying[now.forces.past.touched & (flight.rate < -closing)] = True
        self.held = ~flight.flying

    def _rates(self) -> Floats:
        rate = np.empty(len(self.now.candidates.a))
        opening_rates(self.now.candidates, self.now.old, rate)
        return rate

    def _start(self) -> TrialStart:
        now, joints = self.now, self.system.joints
        past = [part.copy() for part in now.forces.past]
        memory = now.size.copy(), joints.acted.copy(), self.system.options.copy(), now.forces.unknown
        return TrialStart(copy_motion(now.old), past, *memory)

    def _undo(self, start: TrialStart, past: bool = True) -> None:
        """Take a trial back; its `past` only while the candidates are the same."""
        now = self.now
        pairs = [*zip(now.old, start.motion, strict=True), (now.size, start.size)]
        pairs += [(self.system.joints.acted, start.acted), (self.system.options, start.options)]
        for array, values in pairs:
            array[:] = values
        for part, kept in zip(now.forces.past, start.past, strict=True) if past else ():
            part[:] = kept
        now.forces.unknown = start.unknown

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
        done = Advance(0)
        while done.done == 0:
            done = super().advance(steps, frames, row, recorder)
            if done.outcome != SOLVED:
                self.failed = done
                return UNSOLVED
            if now.candidates is not candidates:
                self._undo(start, past=False)
                return AGAIN
        self.system.measure(now.old, candidates)
        flight = self.contacts.flight._replace(
            flying=~held, rebounding=self.rebounding & ~held, motion=start.motion
        )
        given = candidates, self.system.bodies, flight, now.old, s
        return int(first_hits(*given, self.fraction))

    def _strike(self, t: float, s: float, h: float, row: Floats) -> bool:
        """The impacts of all contacts that touch, and a consistent restart; True if solved."""
        now, c, system = self.now, self.now.candidates, self.system
        near = (np.abs(c.gap) <= 2.0 * TOUCH * c.length) | (self.given & (c.gap < 0.0))
        closed = np.flatnonzero(near | (now.forces.past.touched & np.isfinite(c.gap)))
        accept(now.old, now.new)
        now.increment[:] = 0.0
        rotate_inertias(system.bodies, now.new.q, system.work)
        rows = closed_rows(closed, c, system.laws, system.bodies, system.work)
        impulses, stats = no_impulses(len(rows.G)), np.zeros_like(row)
        _, solved = correct_velocity(now, t, 0.0, np.zeros((system.count, 6)), rows, impulses, stats)
        np.maximum(row, stats, out=row)
        if not solved:
            return False
        accept(now.new, now.old)
        now.forces.store_impacts(rows, impulses.impact)
        row[CONTACTS] = np.count_nonzero(now.forces.acting() & (c.plane >= MARKERS))
        self._restart(t, s, h)
        return True

    def _restart(self, t: float, s: float, h: float) -> None:
        """Accelerations and reactions that are consistent with the velocities after an impact at `t` [s]."""
        now, system = self.now, self.system
        still = np.zeros_like(now.increment)

        def loads(t: float, motion: Motion) -> Floats:
            return now.wrenches(t, motion, motion, still, INSTANT)

        if system.model.joints:
            joints, (alpha_m, alpha_f, *_) = system.joints, now.scheme
            struck = joints.struck.copy()
            ahead = np.where(joints.number[: system.count] >= 0, alpha_m - alpha_f, 0.0)
            begin_joints(system, now.old, t, h, ahead, loads)
            accept_joints(joints, h, now.old)
            joints.acted[: len(struck), 2] = struck
            keep_angles(system.options, joints)
        else:
            accelerations(system.bodies, now.old, loads(t, now.old))
        now.size[0] = h
        follow_step(now.old, s, now.size)
