"""Steps that end at impacts and where contacts stop sliding, of the generalized-alpha scheme.

    trial      an ordinary step without impacts: trial_stepper.py
    locate     trials to the first impact within, by first_hits and Newton's method with the measured rate
    stop       trials to where a contact sticks or turns back: friction is then smooth within
    narrow     trials to where bodies run off each other, or beyond which none has a solution
    strike     all impacts at that pose, without time, and a consistent restart

A contact that touches where no step led to its bodies may approach, and strikes at once. One whose rebound
would not reach LOWEST is handed over: it is held from the start of its step on, in which others may strike.
A circle that rocks on its lowest point and falls flat may have no trial beyond that. The point jumps across
it, and the rest of its rim flies. The least such step is an ordinary one, in which all contacts act.
Steps also end when bodies come and go (OpenBoundaries). After one that ended early the next one has
consistent accelerations and unknown forces: it is taken twice. Springs, bonds and compliant contacts act on
the way, and have no part in an impact. All of this follows from the state alone: else a continued run would
differ.
docs/design/impacts.md
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nsgalpha.arrays import MARKERS, Floats
from nsgalpha.checks import refuse
from nsgalpha.constraints.jointed_response import accept_joints
from nsgalpha.contact.impacts.impact_times import LOWEST
from nsgalpha.contact.impacts.velocity_problem import no_impulses
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.rows.marker_rows import PART, keep_angles
from nsgalpha.contact.rows.sliding_rates import stops_sliding
from nsgalpha.geometry.narrow_phase import TOUCH
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.time_function import Table
from nsgalpha.schemes.generalized_alpha.corrections import correct_velocity
from nsgalpha.schemes.generalized_alpha.flying_contacts import STOPPED, note_crowds
from nsgalpha.schemes.generalized_alpha.sliding_stops import first_stop
from nsgalpha.schemes.generalized_alpha.trial_stepper import AGAIN, NONE, UNSOLVED, TrialStepper, find_slot
from nsgalpha.schemes.scheme_settings import DELASSUS, GeneralizedAlpha
from nsgalpha.schemes.stepper_interface import Advance, Recorder
from nsgalpha.stepping.poses import rotate_inertias
from nsgalpha.stepping.record_kernels import (
    BOTH,
    CONTACTS,
    FOUND,
    HANDED,
    LOCATED,
    MISSED,
    SIZE,
    TRIALS,
    is_full,
)
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_motion import accept, follow_step
from nsgalpha.stepping.step_outcome import FULL, LOCATE, NO_ROOM, POSITION, VELOCITY
from nsgalpha.stepping.step_times import LEAST, Steps, time_after
from nsgalpha.system.consistent_start import FORWARD, begin_joints

GENTLE = 1e-12  # [m/s^2] least closing acceleration
MOST_TRIALS, BISECTED = 30, 4  # for one impact; every so many halve the bracket
SAME = 1e-9  # of a step: difference of two sizes that are the same
SHORT = 1e-6  # least part of a step that ends before an impact
MOST_IN_ALL = 10000  # trials since the last step of full size, from which on nothing is located


class LocatedStepper(TrialStepper):
    """Steps from `state` on, of at most `h` [s], which end at the first event within."""

    ends_early = True

    def __init__(self, model: Model, state: State, h: float, scheme: GeneralizedAlpha, tol: float) -> None:
        if scheme.formulation != DELASSUS:
            raise self._refused(f"formulation = {scheme.formulation!r}")
        super().__init__(model, state, h, scheme, tol)
        lacking = ""
        if self.system.model.joints and (self.system.joints.friction[:, PART] > 0.0).any():
            lacking = "joint friction in proportion to a reaction"
        if lacking:
            raise self._refused(lacking)
        self.spent = 0  # trials since the last step of full size
        self.there = self.system.inactive.present
        tables = (drive.motion for drive in model.drives if isinstance(drive.motion, Table))
        corners = [self.system.joints.speed[:, 0], *(table.corners for table in tables)]
        self.corners = np.unique(np.concatenate(corners))  # times [s] of tables of loads and motors

    def _refused(self, what: str) -> ValueError:
        """The ValueError to raise for `what` cannot be located."""
        return refuse("impacts", "located", f"'fixed' with {what}", 'take impacts="fixed"')

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See Stepper. Compiled steps without impacts; a step that may end early."""
        now, step = self.now, steps.first
        if steps.records(step) and is_full(recorder.block, now.candidates):
            return Advance(step, NO_ROOM)
        free = self._until_boundary(steps)
        if self.compiled and not self.hard and free.last > step:
            done = self._fly(free, frames, stats, recorder)
            if done.outcome != LOCATE:
                return done
            step, frames, stats = done.done, frames[done.done - step :], stats[done.done - step :]
        t, h, row = steps.t(step), steps.h(step), stats[:1]
        self.trials, self.planned = 0, self._until_due(t, h)
        given = frames[:2] if self.planned == h else None
        found, s = self._first_event(t, h, given, row, recorder)
        if found == UNSOLVED:
            return self.failed._replace(done=step)
        row = row[0]
        row[TRIALS], row[HANDED], row[SIZE] = self.trials, self.handed, s
        note_crowds(self.contacts, row)
        end = time_after(t, s, 1) if s != h else steps.t(step + 1)
        if found >= 0:
            row[LOCATED] = BOTH if row[LOCATED] == MISSED else FOUND
            if not self._strike(end, s, h, row):
                return Advance(step, VELOCITY)
        self.given[:] = False
        now.forces.fly(np.zeros(len(now.candidates.a), bool))
        if steps.records(step):
            self.record(end, s, recorder)
        self.spent = self.spent + self.trials if s < self.planned else 0
        now.h = self._following(s, h)
        return Advance(step + 1, size=s, following=now.h)

    def _next_due(self, t: float, h: float) -> float:
        """The next time [s] at which a body is due, or a table has a corner.

        It is after the time `t` [s], where a step of `h` [s] begins.
        """
        corner = self.corners[self.corners > t + 4.0 * np.spacing(abs(t) + h)][:1].min(initial=np.inf)
        return min(corner, self.boundaries.next_time(t, h)) if self.boundaries is not None else corner

    def _until_due(self, t: float, h: float) -> float:
        """Size [s] of a step of `h` from `t` on, or until something is due."""
        rest = self._next_due(t, h) - t
        return float(rest) if rest < (1.0 + LEAST) * h else h

    def _until_boundary(self, steps: Steps) -> Steps:
        """The `steps` before the first that may end when something is due."""
        first, t, h = steps.first, steps.t(steps.first), steps.h(steps.first)
        if self.boundaries is not None and self.boundaries.near:
            return steps._replace(last=first)
        last = self._next_due(t, h) - (1.0 + LEAST) * h  # start of a step
        free = int(np.searchsorted(steps.level, last, side="right"))
        return steps._replace(last=min(steps.last, first + free))

    def _until_change(self, t: float, s: float) -> float:
        """Size [s] of a step of `s` from `t` on, or until one may come or go."""
        if self.boundaries is None:
            return s
        change = self.boundaries.first_change(t, s, self.start.motion, self.now.old)
        change += 4.0 * np.spacing(abs(t) + s)
        return change if change < (1.0 - SAME) * s else s

    def renew(self) -> None:
        """See Stepper. Bodies that have come may strike at once, and forces are those of others."""
        super().renew()
        before, self.there = self.there, self.system.inactive.present
        self.given[: self.system.count] |= self.there & ~before
        self.now.forces.unknown = True

    def _following(self, s: float, h: float) -> float:
        """Size [s] of the step after one of `s` that was to have `h`."""
        return h

    def _begin(self, t: float, h: float) -> None:
        """Consistent accelerations where the last step ended early."""
        if self.now.size[0] != h:
            self._restart(t, h, h)
            self.now.forces.unknown = True

    def _first_event(
        self, t: float, h: float, frames: Floats | None, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """A step from `t` of at most `planned` [s], to its first event; see `_step`, but for AGAIN.

        h: its size [s] if no body were due.
        """
        self._begin(t, self.planned)
        found, s = AGAIN, h
        while found == AGAIN:
            given = frames if self.planned == h else None
            found, s = self._step_to_change(t, self.planned, given, row, recorder)
            found, s = self._stop(t, found, s, row, recorder)
        return found, s

    def _step_to_change(
        self, t: float, h: float, frames: Floats | None, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """`_step`, which ends when a body enters an outlet or leaves the place of another."""
        self.stopped = False
        found, s = self._step(t, h, frames, row, recorder)
        while found >= NONE and (sooner := self._until_change(t, s)) < s:
            self._undo(self.start)
            self.planned, self.stopped = sooner, True
            found, s = self._step(t, sooner, None, row, recorder)
        return found, s

    def _stop(self, t: float, first: int, s: float, row: Floats, recorder: Recorder) -> tuple[int, float]:
        """End a step of `s` from `t` [s] to its `first` impact where a contact stops sliding; see `_step`."""
        if first < NONE or self._is_exhausted():
            return first, s
        now, system, old = self.now, self.system, self.start.motion
        least, candidates = STOPPED * self._speed(old), now.candidates
        given = candidates, system.laws, system.bodies.joints, self._flight(), now.lever, least
        if not stops_sliding(*given, (t, old), (t + s, now.old)):
            return first, s
        end, velocity = self._keep(row), self._sliding(t, old, least)
        before = np.sqrt((velocity**2).sum(axis=2))
        direction = velocity / np.where(before > 0.0, before, 1.0)[..., None]

        def rates(t: float) -> Floats:
            return (self._sliding(t, now.old, least) * direction).sum(axis=2)

        def after(at: float) -> Floats | None:
            self._undo(self.start)
            return rates(t + at) if self._trial(t, at, None, row, recorder) >= NONE else None

        stops = (before > 0.0) & (rates(t + s) <= 0.0)
        stop = first_stop(after, before, stops, s, 4.0 * np.spacing(abs(t) + s))
        if now.candidates is not candidates:
            return AGAIN, s
        if stop == s:
            self._return_to(end, row)
            return first, s
        self._undo(self.start)
        self.stopped = True
        return self._step(t, stop, None, row, recorder)

    def _fly(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """Compiled steps up to the first with an event, which is not taken."""
        self._begin(steps.t(steps.first), steps.h(steps.first))
        self._look(steps.h(steps.first))
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
        if len(taken):
            self.spent, self.given[:] = 0, False
        return done

    def _step(
        self, t: float, h: float, frames: Floats | None, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """A step of at most `h` [s] to its first impact.

        Returns the contact and the size of the step; NONE, UNSOLVED or AGAIN in place of a contact.
        """
        self._look(h)
        self.handed, self.start, held = 0, self._start(), self.held

        def trial(s: float) -> int:
            return self._trial(t, s, frames if s == h else None, row, recorder)

        missed, late = False, h
        while not missed and not self._is_exhausted():
            found, s = trial(h), h
            if found >= 0 and not self._replaces(found, s):
                found, s, missed = self._locate(trial, h, found, 4.0 * np.spacing(abs(t) + h))
            unsolved = found == UNSOLVED and self.failed.outcome in (POSITION, FULL)
            if unsolved or (found >= NONE and not missed and self._runs_off()):
                low, high = self._narrow(trial, s)
                if low == high:
                    return AGAIN, s
                if unsolved:
                    late = high if low > 0.0 else h
                    break
                s = low if low > 0.0 else s
                self.stopped |= s < h
                found = trial(s)
            if not missed and (found < 0 or not (self._replaces(found, s) or self._is_low(found, s))):
                return found, s
            slots = self._slots(max(found, 0))
            missed |= bool(held[slots].all())
            if not missed:
                self.handed += 1
                held[slots] = True
            self._undo(self.start)
            if not missed:
                self.now.forces.unknown = True
                self.start = self.start._replace(unknown=True)
        held[:] = True  # an ordinary step, to just behind the impact if a trial beyond it has no solution
        found = trial(late)
        row[0, LOCATED] = MISSED if late == h else FOUND
        self.stopped |= late < h
        return found, late

    def _is_exhausted(self) -> bool:
        return self.spent + self.trials >= MOST_IN_ALL

    def _narrow(self, trial: Callable[[float], int], h: float) -> tuple[float, float]:
        """Sizes [s] between which a step of `h` meets its event, or begins to have no solution.

        (0, h) where that is so from its start on, (h, h) if its candidates change.
        """
        low, high, s = 0.0, h, SHORT * h
        while high - low > SHORT * h:
            self._undo(self.start)
            found = trial(s)
            if found == AGAIN:
                return h, h
            passed = found != NONE or self._runs_off()
            if passed and low == 0.0:
                break
            low, high = (low, s) if passed else (s, high)
            s = 0.5 * (low + high)
        self._undo(self.start)
        return low, high

    def _locate(
        self, trial: Callable[[float], int], h: float, first: int, least: float
    ) -> tuple[int, float, bool]:
        """Find the impact of the contact `first`, or an earlier one.

        Returns that contact, the size of the step to it, and whether it was missed. One whose gap does not
        follow its rate, as friction has just changed, may be NONE: the step ends before it.
        """
        c = self.now.candidates
        s, low, high, key = h * self.fraction[first], 0.0, h, c.feature[first]
        for k in range(MOST_TRIALS):
            s = min(max(s, least), np.nextafter(h, 0.0))
            self._undo(self.start)
            earlier = trial(s)
            if earlier < NONE:
                return earlier, s, False
            if earlier >= 0 and self._replaces(earlier, s):
                return earlier, s, False
            first, selected = find_slot(c, first, key)
            gap, touching = c.gap[first] if selected else np.inf, TOUCH * c.length
            self.closing = -self._rates()[first] if selected else 0.0
            at_once = s <= least and self.given.any()
            arrives = earlier in (NONE, first) and self.closing > 0.0 and abs(gap) <= touching[first]
            if arrives or at_once:
                return first, s, False
            overlaps = earlier >= 0 and c.gap[earlier] < -touching[earlier]
            if overlaps or (earlier >= 0 and self.fraction[earlier] < 1.0 - 1e-9):
                first, key, high = earlier, c.feature[earlier], min(high, s)
                s = min(s * self.fraction[earlier], s - 1e-13 * h)
                if k % BISECTED == BISECTED - 1:  # guesses may creep
                    s = 0.5 * (low + high)
                continue
            if abs(gap) <= touching[first]:
                return first, s, False
            low = max(low, s)
            s += gap / self.closing if self.closing > 0.0 else 0.0
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
        known = self._is_known(first)
        acceleration = abs(self.closing + self.rate[first]) / s if known else self._pull(first)
        acceleration = max(acceleration, GENTLE)
        return bool(0.5 * self.closing**2 < LOWEST * acceleration)

    def _strike(self, t: float, s: float, h: float, row: Floats) -> bool:
        """The impacts of all contacts that touch, and a consistent restart; True if solved."""
        now, c, system = self.now, self.now.candidates, self.system
        near = (np.abs(c.gap) <= 2.0 * TOUCH * c.length) | (self.given.any() & (c.gap < 0.0))
        closed = np.flatnonzero(near | (now.forces.past.touched & np.isfinite(c.gap)))
        accept(now.old, now.new)
        now.increment[:] = 0.0
        rotate_inertias(system.bodies, now.new.q, system.work)
        now.set_friction()
        rows = closed_rows(closed, c, system.laws, system.bodies, system.work)
        impulses, stats = no_impulses(len(rows.G)), np.zeros_like(row)
        _, solved = correct_velocity(now, t, 0.0, np.zeros((system.count, 6)), rows, impulses, stats)
        np.maximum(row, stats, out=row)
        if not solved:
            return False
        accept(now.new, now.old)
        struck = now.forces.past.struck.copy()  # of contacts that are held or crowded
        now.forces.store_impacts(rows, impulses.impact)
        now.forces.past.struck[:] += struck
        row[CONTACTS] = np.count_nonzero(now.forces.acting() & (c.plane >= MARKERS))
        self._restart(t, s, h)
        return True

    def _restart(self, t: float, s: float, h: float) -> None:
        """Accelerations and reactions that are consistent with the velocities after an impact at `t` [s]."""
        now, system = self.now, self.system
        loads = now.loads_near(t)
        if system.model.joints:
            joints, (alpha_m, alpha_f, *_) = system.joints, now.scheme
            struck = joints.struck.copy()
            ahead = np.where(joints.number[: system.count] >= 0, alpha_m - alpha_f, 0.0)
            begin_joints(system, now.old, t, h, ahead, loads, stencil=FORWARD)
            accept_joints(joints, h, now.old)
            joints.acted[: len(struck), 2] = struck
            keep_angles(system.options, joints)
        else:
            accelerations(system.bodies, now.old, loads(t, now.old))
        now.size[0] = h
        follow_step(now.old, s, now.size)
