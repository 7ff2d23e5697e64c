"""Steps to an accuracy, of the generalized-alpha scheme.

A step to its first impact is taken once as a whole and once in two halves. The difference tells the error;
the whole step is kept, as it ends at the impact. A step also ends where a contact begins to stick: its
friction is then smooth within. Forces of held contacts are found in the step itself, which is taken twice for
that. Forces of the last step may not hold in a much longer one.

Forces of compliant contacts may jump at touch, as a dashpot's. No step across that is accurate, and of a
contact that waits (compliant_motion.py) the difference tells nothing. Such a step is not accepted. It ends at
the first touch instead, with consistent accelerations for the next one.

    error    max(dx / L, dv / V) / 3 of all bodies, rotations times the lever
    L        size of the scene as stated, or the longest way of the step
    V        largest speed so far, at least 1e-3 of that which the acceleration gives over L: sqrt(a L)

The next size follows from the last step, and both are in the statistics: a continued run has the same steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import FRICTION, Floats, Motion
from nsgalpha.contact.rows.sliding_rates import sliding_rates
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.generalized_alpha.located_stepper import (
    AGAIN,
    NONE,
    UNSOLVED,
    LocatedStepper,
    TrialStart,
)
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.schemes.stepper_interface import Advance, Failure, Recorder
from nsgalpha.stepping.error_control import ErrorControl
from nsgalpha.stepping.record_kernels import ERROR, FAST, FOLLOWING, SPEED
from nsgalpha.stepping.step_motion import too_fast
from nsgalpha.stepping.step_outcome import INACCURATE, LOCATE
from nsgalpha.stepping.step_times import Steps

STOPPED = 1e-8  # rate over the speed, below which a contact sticks
SLOW = 1e-3  # part of the speed that the acceleration gives over the length
MOST_STOPS = 30  # trials for the first contact that begins to stick
NEAR = 1e-8  # of a step: change of that time which ends the search
SHORT = 0.99  # part of the way to the extrapolated time, at which rates are found again
LATE, BEYOND = 1e-10, 1e-3  # of a step: that after a touch, and of an estimate of it


class _End(NamedTuple):
    """The end of a trial step, to which others return."""

    start: TrialStart
    row: Floats
    fraction: Floats


class AccurateStepper(LocatedStepper):
    """Steps from `state` on whose sizes the `control` finds."""

    def __init__(
        self,
        model: Model,
        state: State,
        h: float,
        scheme: GeneralizedAlpha,
        control: ErrorControl,
    ) -> None:
        super().__init__(model, state, h, scheme, control.solved)
        self.control, self.speed = control, control.speed
        places = model.initial_state().position
        arms = np.linalg.norm(self.system.joints.table.point, axis=2)
        widths = np.ptp(places, axis=0)
        self.length = max(float(np.linalg.norm(widths)), self.now.lever, float(arms.max(initial=0.0)))
        bodies, n = self.system.bodies, self.system.count
        turning = (
            (self.system.joints.number[:n] >= 0)
            | ~bodies.isotropic[:n]
            | (bodies.extent[:n] > bodies.radius[:n])
        )
        self.turning = turning | (bodies.radius[:n] == 0.0)  # bodies whose rotation is seen
        self.body = 0  # with the largest error of the last step

    def _following(self, s: float, h: float) -> float:
        """See LocatedStepper. A step may end early at any time, so that nothing is counted."""
        self.impacts = 0
        return self.control.until_end(self.end, self.next)

    def _begin(self, t: float, h: float) -> None:
        """See LocatedStepper: accelerations follow steps of any size, and forces are always unknown."""

    def _fly(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See LocatedStepper: no step is taken without its error."""
        return Advance(steps.first, LOCATE)

    def _first_impact(
        self, t: float, h: float, frames: Floats, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """See LocatedStepper; tried with smaller steps until the error passes."""
        planned = s = self.control.until_end(t, h)
        stopped, late = False, 0.0
        while True:
            self.now.h = s
            touches = self.now.waits = late > 0.0
            if touches:
                found, taken = self._touch(t, s, late, row, recorder)
            else:
                found, taken = self._step(t, s, None, row, recorder)
            stopped |= touches
            late = self._late(taken) if found >= NONE and not touches else 0.0
            waited = late > 0.0 and self.now.compliant.waited
            short = self.now.unresolved or (found >= NONE and self._misses())
            if found >= NONE:
                found, stop = self._stop(t, found, taken, row, recorder)
                stopped |= stop < taken
                touches &= stop == taken
                taken = stop
            if found == AGAIN:
                s, late = min(s, taken), 0.0
                continue
            if found != UNSOLVED and not self._compare(t, taken, row, recorder):
                late = 0.0
                continue
            fast = row[0, FAST] > 0.0 and not self.all_passages  # impacts may be missed
            fast |= short  # so may compliant contacts, or they were not resolved
            passes = found != UNSOLVED and not fast and not waited
            if passes and self.control.passes(taken, self.error):
                break
            self._undo(self.start)
            small = self.control.smaller(taken, self.error if found != UNSOLVED else np.inf)
            if late > 0.0 and (waited or small > SHORT * (taken - late)):
                s = taken
                continue
            s, late, stopped = min(small, 0.5 * taken) if fast else small, 0.0, False
            if s < self.control.least or t + s == t:
                if found != UNSOLVED:
                    self.failed = Advance(0, INACCURATE)
                return UNSOLVED, s
        self.now.waits = False
        if touches:
            self._restart(t + taken, taken, taken)
        self.end = t + taken
        self.next = self.control.following(taken, self.error, planned if taken < s or stopped else 0.0)
        self.speed = max(self._speed(self.start.motion), self._speed(self.now.old))
        row[0, ERROR], row[0, FOLLOWING], row[0, SPEED] = self.error, self.next, self.speed
        return found, taken

    def _misses(self) -> bool:
        """True if bodies may have passed through a compliant contact in the last step."""
        soft = (group.candidates for group in self.now.compliant.pairs if group.law.reach < np.inf)
        motions = self.system.bodies, self.start.motion, self.now.old
        return any(too_fast(candidates, *motions) for candidates in soft)

    def _late(self, s: float) -> float:
        """Time [s] since a compliant contact began in the last step, of `s` [s]; 0 next to its end."""
        late = self.now.compliant.since_touch(s)
        return late if late > max(LATE * s, self.control.least) else 0.0

    def _touch(self, t: float, s: float, late: float, row: Floats, recorder: Recorder) -> tuple[int, float]:
        """End a step of `s` from `t` [s] where its first compliant contact has begun, some `late` [s] before.

        Newton's method with the measured rate. Returns like `_step`.
        """
        low, high, at = 0.0, s, s
        for _ in range(MOST_STOPS):
            if not late > 0.0:
                break
            at = high - (1.0 - BEYOND) * late
            at = at if low < at < high else 0.5 * (low + high)
            found = self._trial(t, at, None, row, recorder)
            if found != NONE:
                return found if found < NONE else AGAIN, at
            since = self.now.compliant.since_touch(at)
            if since > 0.0:
                high, late = at, self._late(at)
            else:
                low = at
            self._undo(self.start)
        return self._trial(t, high, None, row, recorder), high

    def _stop(self, t: float, first: int, s: float, row: Floats, recorder: Recorder) -> tuple[int, float]:
        """End a step of `s` from `t` [s] where a contact in it begins to stick.

        Rates before are extrapolated to zero, until that time does not change. Returns the `first` impact and
        the size of the step that is taken. AGAIN: none is taken, as there may be others in one of this size.
        """
        before = self._sliding(t, self.start.motion)
        sticks = (before > 0.0) & (self._sliding(t + s, self.now.old) == 0.0)
        if not sticks.any():
            return first, s
        end = self._keep(row)
        low, high, at, stop, found = 0.0, s, 0.5 * s, np.inf, False
        for _ in range(MOST_STOPS):
            if at <= 4.0 * np.spacing(abs(t) + s):
                break
            self._undo(self.start)
            hit = self._trial(t, at, None, row, recorder)
            if hit == AGAIN:
                return AGAIN, s
            if hit == UNSOLVED:
                break
            if found and hit >= 0:
                self._undo(self.start)
                return AGAIN, at
            if found:
                return NONE, at
            after = self._sliding(t + at, self.now.old)
            if (after[sticks] == 0.0).any():
                high, at = at, 0.5 * (low + at)
                found, at = (True, high) if high <= NEAR * s else (False, at)
                continue
            falls = sticks & (after < before)
            rest = after[falls] / (before[falls] - after[falls])
            known, stop = stop, at + (at - low) * float(rest.min(initial=np.inf))
            low, before = at, after
            found = stop < high and abs(stop - known) <= NEAR * s
            near = stop if found else low + SHORT * (stop - low)
            at = near if stop < high else 0.5 * (low + high)
        self._return_to(end, row)
        return first, s

    def _sliding(self, t: float, motion: Motion) -> Floats:
        """Rates (C, 3) of sliding, rolling and drilling at `t` [s]; 0 where they are next to nothing."""
        now, system = self.now, self.system
        rates = np.empty((len(now.candidates.a), 3))
        given = now.candidates, system.laws, system.bodies.joints, t, motion, self.held, now.lever
        sliding_rates(*given, rates)
        rates[rates <= STOPPED * self._speed(motion)] = 0.0
        return rates

    def _look(self) -> None:
        super()._look()
        self.now.forces.unknown = bool((self.held | (self.now.candidates.plane <= FRICTION)).any())

    def _compare(self, t: float, s: float, row: Floats, recorder: Recorder) -> bool:
        """Find the error of a step of `s` from `t` [s]; False if its candidates are not all."""
        end, found = self._keep(row), NONE
        self._undo(self.start)
        for at, until in ((t, t + 0.5 * s), (t + 0.5 * s, t + s)):
            self.now.forces.unknown = self.start.unknown
            found = self._trial(at, until - at, None, row, recorder)
            if self.now.unresolved:
                found = UNSOLVED
            if found < NONE:
                break
        if found == AGAIN:
            return False
        self.error = np.inf if found == UNSOLVED else self._difference(end.start.motion, self.now.old)
        self._return_to(end, row)
        return True

    def _keep(self, row: Floats) -> _End:
        return _End(self._start(), row.copy(), self.fraction.copy())

    def _return_to(self, end: _End, row: Floats) -> None:
        """Take back all trials since `end`."""
        self._undo(end.start)
        self.system.measure(self.now.old, self.now.candidates)
        row[:], self.fraction[:] = end.row, end.fraction

    def _difference(self, whole: Motion, halves: Motion) -> float:
        """The relative error of the `whole` step."""
        n, lever, start = self.system.count, self.now.lever, self.start.motion
        x, q, v, w, *_ = (np.abs(a[:n] - b[:n]).max(axis=1) for a, b in zip(whole, halves, strict=True))
        way = float(np.abs(whole.x[:n] - start.x[:n]).max(initial=0.0))
        errors = np.maximum(x, 2.0 * lever * q * self.turning) / max(self.length, way)
        speed = max(self._speed(whole), self._speed(start))
        if speed > 0.0:
            errors = np.maximum(errors, np.maximum(v, lever * w) / speed)
        self.body = int(np.argmax(errors)) if n else 0
        return float(errors.max(initial=0.0)) / 3.0

    def _speed(self, motion: Motion) -> float:
        """Largest speed so far and in `motion`, or SLOW times that which its acceleration gives over L."""
        n, lever = self.system.count, self.now.lever
        v, w, dv = (np.abs(part[:n]) for part in (motion.v, motion.w, motion.dv))
        rate = max(dv[:, :3].max(initial=0.0), lever * dv[:, 3:].max(initial=0.0))
        slow = SLOW * np.sqrt(rate * self.length)
        return float(max(self.speed, v.max(initial=0.0), lever * w.max(initial=0.0), slow))

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """See Stepper."""
        if outcome != INACCURATE:
            return super().failure(outcome, worst, row)
        name = self.system.model.bodies[self.body].name
        reason = (
            f"the error of {name!r} stays at {self.error:.1e} in steps down to {self.control.least:.1e} s, "
            f"above its share of accuracy = {self.control.accuracy:g}; take a larger accuracy"
        )
        return Failure(INACCURATE, None, self.error, reason)
