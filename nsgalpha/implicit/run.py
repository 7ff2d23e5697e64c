"""A linearly implicit run in progress: broad phase, forces, one sparse system, and the motion over a step.

    x_{n+1} = x_n o exp(h v*),     v* see velocities.py

Forces and tangents are those at the start of the step; what laws remember in a state is that of the step
before, whose displacement is h v*. Loads, forces that change with time alone, and prescribed frames are ahead
of the bodies by lambda h, so that the motion of a frame over the step is felt as that of the bodies is. One
evaluation and one system in a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.compliant.contacts import Compliant
from nsgalpha.compliant.law import INSTANT
from nsgalpha.explicit.verlet import move_frames
from nsgalpha.implicit.velocities import Free, Inert, Velocities
from nsgalpha.model.prescribed import frames_at
from nsgalpha.run.forces_run import ForcesRun
from nsgalpha.run.scheme import Overdamped, SemiImplicit
from nsgalpha.run.status import NOT_FINITE, PRESCRIBED, SMOOTH, Status, failed
from nsgalpha.stepping.integrator import CONTACTS, SMOOTH_ITERATIONS, STATISTICS, reached
from nsgalpha.stepping.position import displace

if TYPE_CHECKING:
    from nsgalpha.model.model import Model
    from nsgalpha.model.state import State


class ImplicitRun(ForcesRun):
    """System, state, contacts and recorder of one run from `state` on (None: the model's)."""

    contacts: Compliant

    def __init__(
        self, model: Model, state: State | None, h: float, scheme: Overdamped | SemiImplicit
    ) -> None:
        state = model.initial_state() if state is None else state
        super().__init__(model, state, h, type(scheme).__name__)
        system, self.ahead = self.system, scheme.implicitness * h
        system.place_frames(self.motion, state.t + self.ahead)
        self.contacts = Compliant(system)
        self.velocities: Velocities
        if isinstance(scheme, SemiImplicit):
            self.velocities = Inert(system, self.contacts, scheme, h)
        else:
            self.velocities = Free(system, self.contacts, scheme, h, self.motion)
        self.increment = np.zeros((system.size, 6))
        self.elapsed = INSTANT  # of the step before, there is none
        self.before = Motion(*(part.copy() for part in self.motion))  # the poses of the step before
        self.find()
        if state.contacts is not None:
            self._go_back(state.t)
            self.contacts.remember(state.contacts)
        self.begin_recording()

    def _go_back(self, t: float) -> None:
        """The poses before the step that led to the state at `t` [s], which its memory is of."""
        n, h = self.system.count, self.h
        self.elapsed = h
        self.increment[:n] = h * self.velocities.last(self.motion)
        displace(self.motion.x, self.motion.q, -self.increment, self.before)
        self.system.place_frames(self.before, t + self.ahead - h)
        now = np.hstack([part[n:] for part in self.motion[:4]])
        for part, earlier in zip(self.motion, self.before, strict=True):
            part[n:] = earlier[n:]
        move_frames(now, n, h, self.motion, self.increment)

    def advance(self, first: int, last: int) -> tuple[int, Status | None]:
        """Steps `first` to `last` - 1. Returns (steps done, status if a step failed)."""
        levels = (self.t0 + self.h * np.arange(first, last + 1) + self.ahead).tolist()
        frames, ending = frames_at(self.system, levels)
        last = first + len(frames) - 1
        stats = np.zeros((last - first, len(STATISTICS)))
        for step in range(first, last):
            status = self._step(frames[step + 1 - first], stats[step - first])
            if status is not None:
                self.recorder.add_statistics(stats[: step - first])
                self.failed = True
                return step, status
            self.step = step + 1
            if self.step % self.every == 0 or self.step == self.steps:
                self.record()
        self.recorder.add_statistics(stats)
        if ending:
            return last, failed(PRESCRIBED, self.t + self.h, None, 0.0, ending)
        return last, None

    def _step(self, frames: Floats, stats: Floats) -> Status | None:
        """One step; None, or why it failed, the motion being that before it."""
        system, n, t = self.system, self.system.count, self.t
        if reached(self.motion.x, self.anchor, self.reach):
            self.find()
        self.contacts.begin(self.before)
        wrench = np.hstack(system.loads(system.state(t + self.ahead, self.motion)))
        memory = self.contacts.memory()
        contacts = self.contacts.evaluate(self.motion, self.increment, self.elapsed)
        if self.contacts.flows and self.ahead > 0.0:
            contacts = self.contacts.foresee(self.motion, self.ahead)
        wrench += contacts
        if not np.isfinite(wrench).all():
            self.contacts.restore(memory)
            return failed(NOT_FINITE, t + self.h, None, 0.0)
        try:
            mean, change, stats[SMOOTH_ITERATIONS] = self.velocities.solve(self.motion, wrench)
        except np.linalg.LinAlgError:
            self.contacts.restore(memory)
            return failed(SMOOTH, t + self.h, None, 0.0, self.velocities.singular)
        if not np.isfinite(mean).all():
            self.contacts.restore(memory)
            return failed(NOT_FINITE, t + self.h, None, 0.0)
        self.contacts.commit()
        stats[CONTACTS] = self.contacts.closed
        for old_part, part in zip(self.before, self.motion, strict=True):
            old_part[:] = part
        self.elapsed = self.h
        self.increment[:n], self.increment[n:] = self.h * mean, 0.0
        displace(self.before.x, self.before.q, self.increment, self.motion)
        self.velocities.accept(self.before, change, self.motion)
        move_frames(frames, n, self.h, self.motion, self.increment)
        return None
