"""Steps to an accuracy, of the generalized-alpha scheme.

A step to its first event is taken once as a whole and once in two halves. The difference tells the error;
the whole step is kept, as it ends at the event. Forces of held contacts are found in the step itself, which
is taken twice for that. Forces of the last step may not hold in a much longer one.

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

from nsgalpha.arrays import FRICTION, Flags, Floats, Motion
from nsgalpha.checks import refuse
from nsgalpha.contact.impacts.impact_times import first_dip
from nsgalpha.geometry.narrow_phase import TOUCH
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.generalized_alpha.located_stepper import LocatedStepper
from nsgalpha.schemes.generalized_alpha.trial_stepper import AGAIN, NONE, UNSOLVED
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.schemes.stepper_interface import Advance, Failure, Recorder
from nsgalpha.stepping.error_control import ErrorControl
from nsgalpha.stepping.record_kernels import ERROR, FAST, FOLLOWING, SPEED
from nsgalpha.stepping.step_motion import too_fast
from nsgalpha.stepping.step_outcome import INACCURATE, LOCATE
from nsgalpha.stepping.step_times import Steps

SLOW = 1e-3  # part of the speed that the acceleration gives over the length
MOST_TOUCHES = 30  # trials for the first touch of a compliant contact
LATE, BEYOND = 1e-10, 1e-3  # of a step: that after a touch, and of an estimate of it
SOONER = 0.99  # part of the way to a touch, of which a smaller step is taken


class Plan(NamedTuple):
    """A step to try."""

    size: float  # [s]
    late: float = 0.0  # time [s] since a first touch in it, where the step is to end
    stopped: bool = False  # whether it is short for another reason than its error


class Attempt(NamedTuple):
    """A step that was tried."""

    found: int  # its impact, or NONE, UNSOLVED, AGAIN
    size: float  # [s]
    plan: Plan
    late: float  # time [s] since a compliant contact began in it
    touches: bool  # whether it ends there
    waited: bool  # whether a contact that began has no force yet
    short: bool  # whether a compliant contact is not resolved, or passed
    stopped: bool


class AccurateStepper(LocatedStepper):
    """Steps from `state` on whose sizes the `control` finds."""

    crowd = 1 << 40  # contacts, more than any model has

    def __init__(
        self,
        model: Model,
        state: State,
        h: float,
        scheme: GeneralizedAlpha,
        control: ErrorControl,
    ) -> None:
        self.control, self.speed = control, control.speed
        super().__init__(model, state, h, scheme, control.solved)
        places = model.initial_state().position
        arms = np.linalg.norm(self.system.joints.table.point, axis=2)
        widths = np.ptp(places, axis=0)
        self.length = max(float(np.linalg.norm(widths)), self.now.lever, float(arms.max(initial=0.0)))
        self.turning = self._turning()
        #: error of a step in which contacts of solids end and others begin, whose gaps are as wide
        self.noise = 0.0 if self.system.element_tables.selection is None else TOUCH
        self.body = 0  # with the largest error of the last step
        self.rejected = False  # whether no smaller step is left

    def _refused(self, what: str) -> ValueError:
        """See LocatedStepper."""
        return refuse("accuracy", self.control.accuracy, f"left out with {what}", "state h")

    def _turning(self) -> Flags:
        """Bodies (N,) whose rotation is seen."""
        system, n = self.system, self.system.count
        bodies = system.bodies
        seen = (bodies.extent[:n] > bodies.radius[:n]) | (bodies.radius[:n] == 0.0)
        return (system.joints.number[:n] >= 0) | ~bodies.isotropic[:n] | seen

    def renew(self) -> None:
        """See LocatedStepper."""
        super().renew()
        self.turning = self._turning()

    def _following(self, s: float, h: float) -> float:
        """See LocatedStepper. A step may end early at any time, so that nothing is counted."""
        self.spent = 0
        return self.control.until_end(self.end, self.next)

    def _begin(self, t: float, h: float) -> None:
        """See LocatedStepper: accelerations follow steps of any size, and forces are always unknown."""

    def _fly(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See LocatedStepper: no step is taken without its error."""
        return Advance(steps.first, LOCATE)

    def _first_event(
        self, t: float, h: float, frames: Floats | None, row: Floats, recorder: Recorder
    ) -> tuple[int, float]:
        """See LocatedStepper; tried with smaller steps until the error passes."""
        planned = self.control.until_end(t, h)
        due = self._until_due(t, planned)
        plan: Plan | None = Plan(due, stopped=due < planned)
        while plan is not None:
            attempt = self._attempt(t, plan, row, recorder)
            plan = self._judge(t, attempt, row, recorder)
        found, taken = attempt.found, attempt.size
        if self.rejected:
            return UNSOLVED, taken
        self.now.waits = False
        if attempt.touches:
            self._restart(t + taken, taken, taken)
        self.end = t + taken
        limit = planned if taken < attempt.plan.size or attempt.stopped else 0.0
        self.next = self.control.following(taken, self.error, limit)
        self.speed = max(self._speed(self.start.motion), self._speed(self.now.old))
        row[0, ERROR], row[0, FOLLOWING], row[0, SPEED] = self.error, self.next, self.speed
        return found, taken

    def _attempt(self, t: float, plan: Plan, row: Floats, recorder: Recorder) -> Attempt:
        """The step of a `plan` from `t` [s], without its error."""
        now, s = self.now, plan.size
        now.h = s
        touches = now.waits = plan.late > 0.0
        if touches:
            found, whole = self._touch(t, s, plan.late, row, recorder)
            self.stopped = True
        else:
            found, whole = self._step_to_change(t, s, None, row, recorder)
        late = self._late(whole) if found >= NONE and not touches else 0.0
        waited = now.compliant.waited
        short = now.unresolved or (found >= NONE and self._misses())
        found, taken = self._stop(t, found, whole, row, recorder)
        late = max(late - (whole - taken), 0.0)
        touches, waited = touches and taken == whole, waited and late > 0.0
        return Attempt(found, taken, plan, late, touches, waited, short, plan.stopped or self.stopped)

    def _judge(self, t: float, attempt: Attempt, row: Floats, recorder: Recorder) -> Plan | None:
        """The plan that follows an `attempt`; None if that passes, or is `rejected`.

        It is rejected where no smaller step is left.
        """
        found, taken, plan, late = attempt[:4]
        least, self.rejected = self.control.least, False
        if found == AGAIN:
            return Plan(plan.size, stopped=attempt.stopped)
        lowest = self._lowest(taken) if found >= NONE else np.inf
        if least < lowest < taken:
            self._undo(self.start)
            return Plan(lowest, stopped=True)
        if found != UNSOLVED and not self._compare(t, taken, row, recorder):
            return Plan(plan.size, stopped=attempt.stopped)
        fast = row[0, FAST] > 0.0 and not self.all_passages  # impacts may be missed
        fast |= attempt.short  # so may compliant contacts, or they were not resolved
        error = self.error if found != UNSOLVED else np.inf
        if not fast and not attempt.waited and self.control.passes(taken, error, self.noise):
            return None
        self._undo(self.start)
        s = self.control.smaller(taken, error)
        if late > 0.0 and (attempt.waited or s > SOONER * (taken - late)):
            return Plan(taken, late, attempt.stopped)
        s = min(s, 0.5 * taken) if fast else s
        self.rejected = s < least or t + s == t
        if self.rejected and found != UNSOLVED:
            self.failed = Advance(0, INACCURATE)
        return None if self.rejected else Plan(s)

    def _lowest(self, s: float) -> float:
        """Time [s] in a step of `s` [s] at which a held contact that opens overlaps most."""
        return s * float(first_dip(self.now.candidates, self._flight(), self.now.old, s))

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
        for _ in range(MOST_TOUCHES):
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

    def _look(self, h: float) -> None:
        super()._look(h)
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
