"""A run in progress, under any scheme: times, steps, records, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.model.inlets_outlets import PRESENT
from nsgalpha.model.state import State
from nsgalpha.run.body_insertion import BodyInsertion, restart
from nsgalpha.run.cell_control import control_of
from nsgalpha.run.missed_contacts import MissedContacts
from nsgalpha.run.recorder import Recorder
from nsgalpha.run.result import Result
from nsgalpha.schemes.stepper_interface import Stepper
from nsgalpha.stepping.record_kernels import BOTH, CAPPED, DIVIDED, FAST, LOCATED, MISSED, RELAXED, SINGULAR
from nsgalpha.stepping.status import Status, StepRemarks, failed
from nsgalpha.stepping.step_outcome import NO_ROOM, PRESCRIBED, SOLVED
from nsgalpha.stepping.step_times import Steps, StepTimes
from nsgalpha.system.system import System


class Run:
    """The steps that a `stepper` takes at the `times`, from step `first` on, and their recorder.

    again: the stepper of the scheme from another state on in steps of a size [s], where steps may be too long
    to see all impacts.
    """

    def __init__(
        self,
        stepper: Stepper,
        times: StepTimes,
        again: Callable[[State, float], Stepper] | None = None,
        first: int = 0,
    ) -> None:
        self.stepper, self.times, self.again = stepper, times, again
        motion, count = stepper.motion, self.system.count
        self.unseen = MissedContacts(self.system, motion.x[:count], motion.q[:count], times.t(first))
        self.step = self.first = first  # its state is recorded already
        self.troubles = StepRemarks()
        history = stepper.history()
        self.recorder = Recorder(self.system, history is not None)
        stepper.begin_recording(self.recorder)
        self.recorder.begins = stepper.begins
        self.recorder.record(self.t, times.size_before(first), stepper.motion, history)
        self.control = control_of(stepper)
        if self.control is not None:
            self.control.note(self.recorder)
        boundaries = len(self.system.model.open_boundaries) > 0
        self.insertion = BodyInsertion(self.system, stepper.ends_early) if boundaries else None
        stepper.boundaries = self.insertion
        if self.insertion is not None:
            self.recorder.add_changes(-np.inf, self.insertion.before)

    @property
    def system(self) -> System:
        """The arrays of the model."""
        return self.stepper.system

    @property
    def t(self) -> float:
        """Time of the last accepted state [s]."""
        return self.times.t(self.step)

    def plan(self, steps: int, every: int) -> None:
        """The run has `steps` steps, of which every `every`-th and the last are recorded."""
        self.steps, self.every = steps, every

    def state(self) -> State:
        """The last accepted state."""
        return self.stepper.state(self.t)

    def impulse(self) -> Floats | None:
        """Impulses (B, 6) of compliant contacts since the first call, see Stepper."""
        return self.stepper.impulse()

    def advance(self, first: int, last: int) -> tuple[int, Status | None]:
        """Steps `first` to `last` - 1, only one with a `control`.

        Returns (steps done, status if a step failed).
        """
        done, failure = self._advance(first, last)
        if self.control is not None and done > first and failure is None:
            self.control.follow(self.t, self.times.size_before(self.step), self.recorder)
        return done, failure

    def _advance(self, first: int, last: int) -> tuple[int, Status | None]:
        """The steps of `advance`."""
        stepper = self.stepper
        level, size = self.times.levels(first, last)
        ahead = stepper.ahead * np.concatenate([size[:1], size])
        frames, ending = self.system.frames_at(level + ahead)
        last = first + len(frames) - 1
        before, begun = self.state() if self.again is not None else None, self.step
        stats = self.recorder.begin_steps(last - first)
        while self.step < last:
            done = self.step - first
            until = last if self.insertion is None else self._pass(self.insertion, last)
            steps = Steps(level[done:], size[done:], self.step, until, self.steps, self.every)
            given = frames[done:], stats[done:], self.recorder
            self.step, outcome, worst, taken, following = stepper.advance(steps, *given)
            if taken is not None and self.times.take(self.step - 1, taken, following):
                last, ending = self.step, ""
                stats = stats[: last - first]
                if self.insertion is not None:
                    self.insertion.next = last
            elif outcome == NO_ROOM:
                stepper.make_room(self.recorder)
            elif outcome != SOLVED:
                done = self.step - first
                self._keep(stats[:done])
                self._look(before, stats[:done], begun)
                failure = stepper.failure(outcome, worst, stats[done])
                return self.step, self._failed(*failure)
        self._keep(stats)
        self._look(before, stats, begun)
        return last, self._failed(PRESCRIBED, None, 0.0, ending) if ending else None

    def _pass(self, insertion: BodyInsertion, last: int) -> int:
        """Insert and remove bodies; returns the first step, up to `last`, before the next check."""
        motion = self.stepper.motion
        if self.step >= insertion.next:
            changes = insertion.due(self.t, self.times.size(self.step), motion)
            if changes:
                self.recorder.add_changes(self.t, changes)
                before = self.stepper.forces(self.t)
                insertion.apply(changes, motion)
                self.stepper.renew()
                come = [body for body, stage, _ in changes if stage == PRESENT]
                restart(self.system.bodies, motion, come, before, self.stepper.forces(self.t))
            quiet = 1 if changes else insertion.quiet(self.step, self.times, motion)
            insertion.next = self.step + quiet
        return min(last, insertion.next)

    def _failed(self, outcome: int, contact: tuple[str, str] | None, residual: float, reason: str) -> Status:
        return failed(outcome, self.t + self.times.size(self.step), contact, residual, reason)

    def _look(self, before: State | None, stats: Floats, begun: int) -> None:
        """Look for missed contacts in the steps since the state `before`."""
        fast = np.flatnonzero(stats[:, FAST])
        if before is not None and len(fast):
            self.unseen.fast(partial(self._once_more, begun), before, fast)

    def _once_more(
        self, first: int, state: State, steps: int
    ) -> Iterator[tuple[float, Floats, Floats, Flags]]:
        """Times [s], positions, velocities (B, 3), bodies that are present: at `state`, after each step.

        The state is that before step `first`.
        """
        assert self.again is not None
        run = Run(self.again(state, self.times.size(first)), self.times, first=first)
        count, last = self.system.count, first + steps
        run.plan(last, last)
        for k in range(first, last + 1):
            if k > first and run.advance(k - 1, k)[1] is not None:
                return
            if run.insertion is not None:
                run._pass(run.insertion, k + 1)  # bodies that are due appear at the places of their insertion
            x, v = (part[:count].copy() for part in (run.stepper.motion.x, run.stepper.motion.v))
            yield run.t, x, v, run.system.inactive.present

    def _keep(self, stats: Floats) -> None:
        self.recorder.end_steps(stats)
        fast, near = (stats[stats[:, column] > 0.0, column] for column in (FAST, SINGULAR))
        capped, relaxed, divided = (
            int(np.count_nonzero(stats[:, column])) for column in (CAPPED, RELAXED, DIVIDED)
        )
        body = self.system.model.bodies[int(fast[-1]) - 1].name if len(fast) else ""
        counts, pivot = (capped, relaxed, divided, len(fast)), float(near.min(initial=1.0))
        missed = int(np.isin(stats[:, LOCATED], (MISSED, BOTH)).sum())
        self.troubles = StepRemarks(*counts, body, len(near), pivot, missed).after(self.troubles)

    def result(self, status: Status) -> Result:
        """The result of all that was recorded, with the last accepted state as its end."""
        recorded = self.step % self.every == 0 or self.step in (self.first, self.steps)
        if not recorded and self.stepper.intact:
            self.stepper.record(self.t, self.times.size_before(self.step), self.recorder)
            if self.control is not None:
                self.control.note(self.recorder)
        return self.recorder.result(status)
