"""An overdamped run in progress: broad phase, forces, velocities, and the motion over a step.

    x_{n+1} = x_n + h v,     (Gamma + C + lambda h K) v = F(x_n, v_n) + C v_n

lambda = 0 is Euler's explicit method, 1/2 of second order, 1 for stiff contacts; see equations.py. What laws
remember in a state is that of the step before, whose displacement is h v. Prescribed frames are ahead of the
bodies by lambda h, so that their motion over the step is felt as that of the bodies is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.compliant.contacts import Compliant
from nsgalpha.explicit.verlet import move_frames
from nsgalpha.implicit.equations import Equations
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.model.prescribed import frames_at
from nsgalpha.run.forces_run import ForcesRun
from nsgalpha.run.status import NOT_FINITE, PRESCRIBED, SMOOTH, Status, failed
from nsgalpha.stepping.integrator import CONTACTS, SMOOTH_ITERATIONS, STATISTICS, reached
from nsgalpha.stepping.position import displace

if TYPE_CHECKING:
    from nsgalpha.model.model import Model
    from nsgalpha.model.state import State
    from nsgalpha.run.scheme import Overdamped


class OverdampedRun(ForcesRun):
    """System, state, contacts and recorder of one run from `state` on (None: the model's)."""

    contacts: Compliant

    def __init__(self, model: Model, state: State | None, h: float, scheme: Overdamped) -> None:
        state = model.initial_state() if state is None else state
        super().__init__(model, state, h, "Overdamped")
        system, self.scheme = self.system, scheme
        system.place_frames(self.motion, state.t + scheme.implicitness * h)
        self.turning = bool(self._resistances()[:, 3:, 3:].any())
        if not self.turning:
            self.motion.w[: system.count] = 0.0
        self.increment = np.zeros((system.size, 6))
        self.before = Motion(*(part.copy() for part in self.motion))  # the poses of the step before
        self.contacts = Compliant(system)
        self.equations: Equations | None = None
        self.find()
        if state.contacts is not None:
            self._go_back(state.t)
            self.contacts.remember(state.contacts)
        self.begin_recording()

    def _go_back(self, t: float) -> None:
        """The poses before the step that led to the state at `t` [s], which its memory is of."""
        n, h = self.system.count, self.h
        self.increment[:n] = h * np.hstack([self.motion.v[:n], self.motion.w[:n]])
        displace(self.motion.x, self.motion.q, -self.increment, self.before)
        self.system.place_frames(self.before, t + (self.scheme.implicitness - 1.0) * h)
        now = np.hstack([part[n:] for part in self.motion[:4]])
        for part, earlier in zip(self.motion, self.before, strict=True):
            part[n:] = earlier[n:]
        move_frames(now, n, h, self.motion, self.increment)

    def advance(self, first: int, last: int) -> tuple[int, Status | None]:
        """Steps `first` to `last` - 1. Returns (steps done, status if a step failed)."""
        levels = (self.t0 + self.h * (np.arange(first, last + 1) + self.scheme.implicitness)).tolist()
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
        wrench = np.hstack(system.loads(system.state(t, self.motion)))
        wrench += self.contacts.evaluate(self.motion, self.increment, self.h)
        old = np.hstack([self.motion.v[:n], self.motion.w[:n]])
        try:
            v, stats[SMOOTH_ITERATIONS] = self._velocities(wrench, old)
        except SingularMatrixError:
            reason = (
                "the resistances do not determine the velocities: give every body one, or reduce h where "
                "adhesion makes the tangents indefinite"
            )
            return failed(SMOOTH, t + self.h, None, 0.0, reason)
        if not np.isfinite(v).all():
            return failed(NOT_FINITE, t + self.h, None, 0.0)
        self.contacts.commit()
        stats[CONTACTS] = self.contacts.closed
        for old_part, part in zip(self.before, self.motion, strict=True):
            old_part[:] = part
        self.increment[:n], self.increment[n:] = self.h * v, 0.0
        displace(self.before.x, self.before.q, self.increment, self.motion)
        self.motion.v[:n], self.motion.w[:n] = v[:, :3], v[:, 3:]
        move_frames(frames, n, self.h, self.motion, self.increment)
        return None

    def _resistances(self) -> Floats:
        """Resistances (N, 6, 6) of the bodies at the present poses."""
        total = np.zeros((self.system.count, 6, 6))
        for resistance in self.scheme.resistances:
            total += resistance.matrix(self.motion, self.system.bodies)
        return total

    def _velocities(self, wrench: Floats, old: Floats) -> tuple[Floats, int]:
        """Velocities (N, 6) and the iterations; see equations.py."""
        factor = self.scheme.implicitness * self.h
        if old.any():
            pattern, slope = self.contacts.tangents(0.0, 1.0)
            wrench = wrench + (pattern.matrix(slope) @ old.ravel()).reshape(old.shape)
        if factor > 0.0 or not old.any():
            pattern, values = self.contacts.tangents(factor, 1.0)
        else:
            values = slope
        if self.equations is None or self.equations.pattern is not pattern:
            self.equations = Equations(pattern, self.turning)
        return self.equations.solve(self._resistances(), values, wrench, old)
