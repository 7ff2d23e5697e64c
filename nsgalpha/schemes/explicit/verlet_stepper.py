"""Steps of the velocity Verlet scheme, compiled or with user code in numpy."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.forces.compiled_forces import CompiledForces
from nsgalpha.forces.force_kernels import ForceArrays, Moving
from nsgalpha.forces.force_shares import WORTH, ForceShares
from nsgalpha.jit.addresses import named
from nsgalpha.jit.thread_team import Team
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.explicit.slider_bodies import guide, note_sliders, sliders_of
from nsgalpha.schemes.explicit.velocity_verlet import (
    WORK,
    Prescribed,
    Share,
    Skin,
    StepWorkspace,
    advance_verlet,
    drift,
    keep,
    kick,
)
from nsgalpha.schemes.forces_stepper import ForcesStepper
from nsgalpha.schemes.stepper_interface import Advance, Failure, Recorder
from nsgalpha.stepping.interrupts import serve
from nsgalpha.stepping.record_kernels import CONTACTS, SIZE, SMOOTH_ITERATIONS
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_motion import move_frames
from nsgalpha.stepping.step_outcome import NO_ROOM, NOT_FINITE, OUT_OF_REACH, PRESCRIBED, SOLVED, UNLISTED
from nsgalpha.stepping.step_times import Steps
from nsgalpha.system.stressed_cell import CellSteps, ends_short, hold_stress, move_cell, record_cell


class VerletStepper(ForcesStepper):
    """Steps from `state` on, the first of `h` [s], by several `threads` where there are many contacts."""

    contacts: CompiledForces
    explicit = has_sliders = True

    def __init__(self, model: Model, state: State, h: float, threads: int = 1) -> None:
        super().__init__(model, state, h, "VelocityVerlet")
        system = self.system
        system.refuse_massless("VelocityVerlet")
        self.sliders = sliders_of(system, self.motion, state, h)
        self.drifted = False  # the poses are those of the end of the step, the velocities expected ones
        self.increment = np.zeros((system.size, 6))
        self.wrench = np.zeros((system.size, 6))
        self.weight = np.zeros((system.size, 6))
        self.weight[: system.count] = system.weight
        self.work = np.zeros(WORK)
        self.bodies, all_bodies = np.arange(system.count), np.arange(system.size)
        self.share = named(Share(all_bodies, self.bodies, all_bodies, 0, 1, None, None))
        self.pushed = np.zeros((0, 6))  # see `impulse`; none before that is asked
        self.contacts = CompiledForces(system)
        self.find()
        self.contacts.set_time(state.t)
        self.contacts.start(self.motion, state.contacts)
        if state.acceleration is None:
            self._accelerate(state.t)
        self.compiled = self.contacts.compiled and not model.loads
        self.threads = threads if self.compiled and self.contacts.divisible else 1
        self.team = Team(1)
        self.shares: ForceShares | None = None

    def _accelerate(self, t: float) -> None:
        """Accelerations of the start that are consistent with the forces."""
        accelerations(self.system.bodies, self.motion, self.forces(t))

    def forces(self, t: float) -> Floats:
        """See Stepper."""
        memory, opened = self.contacts.table.memory.copy(), self.contacts.opened.copy()
        self.contacts.begin(self.motion)
        self.increment[:] = 0.0
        self._forces(t, INSTANT)
        self.contacts.table.memory[:], self.contacts.opened[:] = memory, opened  # nothing opens here
        return self.wrench[: self.system.count].copy()

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See Stepper."""
        if self.contacts.width:  # histories are recorded here
            until = (steps.first // steps.every + 1) * steps.every
            steps = steps._replace(last=min(steps.last, until))
        self.h = steps.h(steps.first)
        self.contacts.set_time(steps.t(steps.first))  # elements may have been switched between steps
        compiled = self.compiled and self.contacts.surfaces_act
        take = self._compiled if compiled else self._from_python
        done, outcome = take(steps, frames, stats, recorder)
        if self.system.frames.cell is not None:
            self.system.frames.cell.t = steps.t(done)
        self.drifted, self.h = outcome in (OUT_OF_REACH, UNLISTED), steps.h(done)
        note_sliders(self.sliders, self.motion)
        if done > steps.first:
            self.last_h = steps.h(done - 1)
        if outcome == SOLVED and steps.records(done - 1):
            recorder.add_history(self.history())
        elif self.drifted and np.isfinite(self.motion.x).all() and np.isfinite(self.motion.q).all():
            if outcome == OUT_OF_REACH:
                self.find()
        elif self.drifted or outcome == NOT_FINITE:
            self.intact = False
            return Advance(done, NOT_FINITE)
        return Advance(done, outcome if outcome in (NO_ROOM, PRESCRIBED) else SOLVED)

    def _compiled(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> tuple[int, int]:
        prescribed = Prescribed(self.weight, frames, self._cell_steps(steps))
        moving = Moving(self.motion, self.increment)
        skin, record = Skin(self.anchor, self.reach, self.images), (stats, recorder.block)
        if not self.drifted:
            self.contacts.begin(self.motion)
        before, (forces, workspaces) = self.shares, self._divide()
        arguments = [
            (each, prescribed, skin, moving, steps, self.drifted, workspace, record)
            for each, workspace in zip(forces, workspaces, strict=True)
        ]
        if self.shares is not before:  # threads do not compile
            none = steps._replace(last=steps.first)
            advance_verlet(forces[0], prescribed, skin, moving, none, self.drifted, workspaces[0], record)
        done, outcome = self.team.run(advance_verlet, arguments)
        if self.contacts.surfaces:
            self.contacts.complete()
        if self.shares is not None:
            self.shares.collect()
        return done, outcome

    def _divide(self) -> tuple[list[ForceArrays], list[StepWorkspace]]:
        """Forces and workspace of each thread, of as many as are worth it."""
        contacts = self.contacts
        threads = max(1, min(self.threads, len(contacts.table.a) // WORTH))
        if threads == 1:
            self.shares = None
            return [contacts.forces], [
                StepWorkspace(
                    *(self.wrench, self.wrench, self.pushed, self.work, self.share),
                    *(contacts.surfaces_of_steps(), self.sliders),
                )
            ]
        shares, asked = self.shares, len(self.pushed) > 0
        if shares is None or shares.table is not contacts.table or shares.frames != asked:
            self.shares = shares = ForceShares(contacts, self.motion.x, threads, asked)
            if self.team.size != threads:
                self.team = Team(threads)
            count, size = self.system.count, self.system.size
            self.workspaces = []
            for t, moved in enumerate(np.array_split(self.bodies, threads)):
                swept = np.concatenate([moved, np.arange(count, size if t == 0 else count)])
                thread = t, threads, self.team.meetings, shares.settlement
                share = named(Share(shares.own[t], moved, swept, *thread))
                wrench, total = shares.wrenches[t], shares.wrenches[0]
                own = wrench, total, self.pushed, np.zeros(WORK), share, None, self.sliders
                self.workspaces.append(StepWorkspace(*own))
        return shares.forces, self.workspaces

    def _from_python(
        self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder
    ) -> tuple[int, int]:
        """As `advance_verlet`, with loads and with laws of any kind."""
        system, block, cell = self.system, recorder.block, self._cell_steps(steps)
        for step in range(steps.first, steps.last):
            serve()
            if steps.records(step) and block.filled[0] == len(block.t):
                return step, NO_ROOM
            k = step - steps.first
            h, row = steps.h(step), stats[k]
            if step > steps.first or not self.drifted:
                if ends_short(cell, k):
                    return step, PRESCRIBED
                self.contacts.begin(self.motion)
                drift(system.bodies, h, self.bodies, self.motion, self.increment, self.work)
                move_cell(cell, k, frames[k + 1])
                move_frames(frames[k + 1], system.count, h, self.motion, self.increment)
                if self.out_of_reach():
                    return step, OUT_OF_REACH
            t = steps.t(step + 1)
            row[SIZE], row[CONTACTS] = h, self._forces(t, h)
            if len(self.pushed):
                self.pushed += h * self.touched
            row[SMOOTH_ITERATIONS] = 1
            if not kick(system.bodies, h, self.bodies, self.wrench, self.motion, self.work):
                return step, NOT_FINITE
            self.contacts.commit()
            hold_stress(cell, k, self.wrench, self.wrench - self.touched, self.motion)
            if steps.records(step):
                record_cell(block, cell)
                keep(block, t, h, self.motion, self.sliders)
        return steps.last, SOLVED

    def _forces(self, t: float, h: float) -> int:
        """Weight, loads and contacts after a step of `h` [s] to `wrench`; returns the number of contacts."""
        self.wrench[:] = self.weight
        if self.system.model.loads:
            self.wrench[: self.system.count] = self.system.loads(self.system.state(t, self.motion))
        self.contacts.set_time(t)
        others = self.wrench.copy()
        closed = self.contacts.evaluate(self.motion, self.increment, h, self.wrench)
        self.touched = self.wrench - others
        guide(self.sliders, self.motion, self.bodies, self.wrench)
        return closed

    def _cell_steps(self, steps: Steps) -> CellSteps | None:
        """The cell under target stresses over the `steps`, None without any."""
        if not self.system.frames.rows:
            return None
        assert self.system.frames.cell is not None
        cell = self.system.frames.cell.steps.after(steps.t(steps.first))
        mass = np.where(self.system.inactive.still, 0.0, self.system.bodies.mass[: self.system.count])
        return cell._replace(mass=mass)

    def renew(self) -> None:
        """See Stepper."""
        self.weight[: self.system.count] = self.system.weight
        self.find()

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """See Stepper."""
        if outcome == PRESCRIBED:
            assert self.system.frames.cell is not None
            t = self.system.frames.cell.t
            return Failure(outcome, reason=self.system.frames_at([t, t + self.h])[1])
        return Failure(outcome, reason=self.contacts.surfaces.failure_reason())

    def impulse(self) -> Floats:
        """See Stepper."""
        if not len(self.pushed):
            self.pushed = np.zeros((self.system.size, 6))
        return self.pushed.copy()
