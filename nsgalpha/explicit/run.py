"""An explicit run in progress: arrays, broad phase, and the steps, compiled or with user code in numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.compliant.law import INSTANT
from nsgalpha.explicit.contacts import Contacts
from nsgalpha.explicit.verlet import WORK, advance_verlet, drift, keep, kick, move_frames
from nsgalpha.run.forces_run import ForcesRun
from nsgalpha.run.interrupts import serve
from nsgalpha.run.status import NO_ROOM, NOT_FINITE, OUT_OF_REACH, PRESCRIBED, SOLVED, Status, failed
from nsgalpha.stepping.integrator import reached
from nsgalpha.stepping.record import CONTACTS, SMOOTH_ITERATIONS
from nsgalpha.stepping.smooth import accelerations

if TYPE_CHECKING:
    from nsgalpha.model.model import Model
    from nsgalpha.model.state import State


class ExplicitRun(ForcesRun):
    """System, state, contacts and recorder of one run from `state` on (None: the model's)."""

    contacts: Contacts

    def __init__(self, model: Model, state: State | None, h: float) -> None:
        state = model.initial_state() if state is None else state
        super().__init__(model, state, h, "VelocityVerlet")
        system = self.system
        system.refuse_massless("VelocityVerlet")
        self.drifted = False  # the poses are those of the end of the step, the velocities expected ones
        self.increment = np.zeros((system.size, 6))
        self.wrench = np.zeros((system.size, 6))
        self.weight = np.zeros((system.size, 6))
        self.weight[: system.count, :3] = system.gravity_force
        self.work = np.zeros(WORK)
        self.contacts = Contacts(system)
        self.find()
        self.contacts.start(self.motion, state.contacts)
        if state.acceleration is None:
            self._accelerate(state.t)
        self.begin_recording()

    def _accelerate(self, t: float) -> None:
        """Accelerations of the start that are consistent with the forces."""
        memory = self.contacts.table.memory.copy()  # nothing opens here
        self.contacts.begin(self.motion)
        self._forces(t, INSTANT)
        self.contacts.table.memory[:] = memory
        force, torque = self.wrench[: self.system.count, :3], self.wrench[: self.system.count, 3:]
        accelerations(
            self.system.bodies, self.motion, np.ascontiguousarray(force), np.ascontiguousarray(torque)
        )

    def plan(self, steps: int, every: int) -> None:
        """The run has `steps` steps, of which every `every`-th and the last are recorded."""
        super().plan(steps, every)
        self.compiled = self.contacts.compiled and not self.system.model.loads

    def advance(self, first: int, last: int) -> tuple[int, Status | None]:
        """Steps `first` to `last` - 1. Returns (steps done, status if a step failed)."""
        levels = (self.t0 + self.h * np.arange(first, last + 1)).tolist()
        frames, ending = self.system.frames_at(levels)
        last = first + len(frames) - 1
        stats = self.recorder.begin_steps(last - first)
        while self.step < last:
            until = last
            if self.contacts.width:  # histories are recorded here
                until = min(last, (self.step // self.every + 1) * self.every)
            done, outcome = (self._compiled if self.compiled else self._from_python)(
                until, frames[self.step - first :], stats[self.step - first :]
            )
            self.step, self.drifted = done, outcome == OUT_OF_REACH
            if outcome == SOLVED:
                if done % self.every == 0 or done == self.steps:
                    self.recorder.add_history(self.contacts.history())
            elif outcome == NO_ROOM:
                self.recorder.make_room(0)
            elif outcome == OUT_OF_REACH and np.isfinite(self.motion.x).all():
                self.find()
            else:
                self.recorder.end_steps(stats[: done - first])
                self.failed = True
                return done, failed(NOT_FINITE, self.t + self.h, None, 0.0)
        self.recorder.end_steps(stats)
        if ending:
            return last, failed(PRESCRIBED, self.t + self.h, None, 0.0, ending)
        return last, None

    def _compiled(self, last: int, frames: Floats, stats: Floats) -> tuple[int, int]:
        system, contacts = self.system, self.contacts
        done, outcome = advance_verlet(
            contacts.table,
            contacts.parts,
            system.planes,
            system.bodies,
            contacts.block,
            self.t0,
            self.h,
            self.step,
            last,
            self.steps,
            self.every,
            self.drifted,
            self.weight,
            frames,
            self.anchor,
            self.reach,
            self.motion,
            self.increment,
            self.wrench,
            stats,
            self.recorder.block,
            self.work,
        )
        return done, outcome

    def _from_python(self, last: int, frames: Floats, stats: Floats) -> tuple[int, int]:
        """As `advance_verlet`, with loads and with laws of any kind."""
        system, block = self.system, self.recorder.block
        for step in range(self.step, last):
            serve()
            recording = (step + 1) % self.every == 0 or step + 1 == self.steps
            if recording and block.filled[0] == len(block.t):
                return step, NO_ROOM
            if step > self.step or not self.drifted:
                self.contacts.begin(self.motion)
                drift(system.bodies, self.h, system.count, self.motion, self.increment, self.work)
                now = frames[step - self.step + 1]
                move_frames(now, system.count, self.h, self.motion, self.increment)
                if reached(self.motion.x, self.anchor, self.reach):
                    return step, OUT_OF_REACH
            t = self.t0 + (step + 1) * self.h
            stats[step - self.step, CONTACTS] = self._forces(t, self.h)
            stats[step - self.step, SMOOTH_ITERATIONS] = 1
            if not kick(system.bodies, self.h, system.count, self.wrench, self.motion, self.work):
                return step, NOT_FINITE
            self.contacts.commit()
            if recording:
                keep(block, t, self.motion)
        return last, SOLVED

    def _forces(self, t: float, h: float) -> int:
        """Weight, loads and contacts after a step of `h` [s] to `wrench`; returns the number of contacts."""
        self.wrench[:] = self.weight
        if self.system.model.loads:
            loads = self.system.loads(self.system.state(t, self.motion))
            self.wrench[: self.system.count] = np.hstack(loads)
        return self.contacts.evaluate(self.motion, self.increment, h, self.wrench)
