"""A run in progress: the arrays, the broad phase, and the steps, compiled or with the user's loads."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Motion, empty_motion, no_candidates
from nsgalpha.compliant.contacts import Compliant
from nsgalpha.compliant.law import INSTANT
from nsgalpha.contact.cone import MOST_ROWS
from nsgalpha.large.large_island import Graphs
from nsgalpha.large.stepwise import advance_stepwise
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.system import System
from nsgalpha.run.quiet import quiet
from nsgalpha.run.recorder import Recorder
from nsgalpha.run.result import Result
from nsgalpha.run.scheme import GeneralizedAlpha
from nsgalpha.run.status import (
    NO_ROOM,
    NOT_FINITE,
    OUT_OF_REACH,
    POSITION,
    PRESCRIBED,
    SMOOTH,
    SOLVED,
    VELOCITY,
    Status,
    failed,
)
from nsgalpha.stepping.broadphase import reach_of
from nsgalpha.stepping.integrator import advance
from nsgalpha.stepping.islands import LARGE, closed_rows
from nsgalpha.stepping.pose import note_touching
from nsgalpha.stepping.record import (
    CAPPED,
    DIVIDED,
    FAST,
    POSITION_RESIDUAL,
    RELAXED,
    VELOCITY_RESIDUAL,
    record_contacts,
)
from nsgalpha.stepping.smooth import accelerations
from nsgalpha.stepping.velocity import no_impulses
from nsgalpha.stepping.warm_start import Memory


class Run:
    """System, state, candidates and recorder of one run from `state` on (None: the model's)."""

    def __init__(
        self, model: Model, state: State | None, h: float, scheme: GeneralizedAlpha, tol: float
    ) -> None:
        self.system = System(model)
        self.system.refuse_massless("GeneralizedAlpha")
        self.lever = float(self.system.levers().max())
        self.h = h
        self.tol = tol
        self.scheme = scheme.coefficients
        state = model.initial_state() if state is None else state
        self.t0 = state.t
        self.old = self.system.motion(state)
        self.new = empty_motion(self.system.size)
        self.increment = np.zeros((self.system.size, 6))
        self.graphs = Graphs()
        self.forces = Memory()
        self.compliant = Compliant(self.system)
        self.step = self.first = 0  # the state of the first is recorded already
        self.from_python = bool(model.loads) or bool(self.compliant)
        self.coincident: tuple[str, str] | None = None  # bodies with one centre in a step that failed
        self.hard = False  # whether the compiled loop could not solve the next step
        self.capped = self.relaxed = self.divided = 0
        self.fast = 0, ""  # steps in which a body moved too far to see all impacts, and which one
        self.candidates = no_candidates()
        self.find_candidates(0)
        self.system.refuse_overlap(self.candidates)
        if state.forces is not None:
            self.forces.begin(state.forces, self.candidates)
        if state.contacts is not None:
            self.compliant.remember(state.contacts)
        if self.compliant and state.acceleration is None:
            self._accelerate(state.t)
        history = self.compliant.history()
        self.recorder = Recorder(self.system, history is not None)
        self.recorder.add_acting(self.candidates, self.forces.wrench)
        self.recorder.record(state.t, self.old, history)

    def plan(self, steps: int, every: int) -> None:
        """The run has `steps` steps, of which every `every`-th and the last are recorded."""
        self.steps = steps
        self.every = every

    @property
    def t(self) -> float:
        """Time of the last accepted state [s]."""
        return self.t0 + self.step * self.h

    @property
    def troubles(self) -> tuple[int, int, int]:
        """Steps that were capped, relaxed, divided."""
        return self.capped, self.relaxed, self.divided

    def state(self) -> State:
        """The last accepted state."""
        return self.system.state(
            self.t, self.old, self.compliant.history(), self.forces.contacts(self.candidates)
        )

    def find_candidates(self, tries: int) -> None:
        """Broad phase at the present positions, with a skin that lasts for several steps."""
        self.reach = 4.0**tries * reach_of(self.old.v, self.system.bodies.radius[: self.system.count], self.h)
        self.anchor = self.old.x.copy()
        before, self.candidates = self.candidates, self.system.candidates(self.old.x, self.reach)
        self.forces.follow(before, self.candidates)
        self.note_touching()
        self.compliant.find(self.old, self.reach)

    def note_touching(self) -> None:
        """Note which candidates touch in the last accepted state."""
        with quiet():
            self.system.measure(self.old, self.candidates)
        note_touching(self.candidates, self.system.bodies, self.forces.past)

    def _accelerate(self, t: float) -> None:
        """Accelerations and histories of the start, consistent with the forces of the compliant contacts."""
        self.compliant.begin(self.old)
        f = self.wrenches(t, self.old, self.old, np.zeros_like(self.increment), INSTANT)
        force, torque = np.ascontiguousarray(f[:, :3]), np.ascontiguousarray(f[:, 3:])
        accelerations(self.system.bodies, self.old, force, torque)
        self.compliant.commit()  # contacts that are closed at the start begin their histories here

    def wrenches(self, t: float, pose: Motion, velocity: Motion, increment: Floats, h: float) -> Floats:
        """Gravity, loads, compliant contacts (N, 6) at the pose of one motion, the velocities of another.

        `increment` (B, 6) leads to the pose from the start of a step of `h` [s].
        """
        n = self.system.count
        total = np.zeros((n, 6))
        if self.system.model.loads:
            state = State(
                t, pose.x[:n].copy(), pose.q[:n].copy(), velocity.v[:n].copy(), velocity.w[:n].copy()
            )
            total[:, :3], total[:, 3:] = self.system.loads(state)
        else:
            total[:, :3] = self.system.gravity_force
        if self.compliant:
            motion = pose._replace(v=velocity.v, w=velocity.w)
            total += self.compliant.evaluate(motion, increment, h)
        return total

    def advance(self, first: int, last: int) -> tuple[int, Status | None]:
        """Steps `first` to `last` - 1. Returns (steps done, status if a step failed)."""
        frames, ending = self.system.frames_at([self.t0 + level * self.h for level in range(first, last + 1)])
        last = first + len(frames) - 1
        stats = self.recorder.begin_steps(last - first)
        tries = 0
        while self.step < last:
            # how a step is taken follows from the state alone: else a run that goes on from it would differ
            stepwise = self.from_python or self.hard or self._has_large_island()
            until = self.step + 1 if stepwise and not self.from_python else last
            with quiet():
                done, outcome, worst = (self._from_python if stepwise else self._compiled)(
                    until, frames[self.step - first :], stats[self.step - first :]
                )
            tries = 0 if done > self.step else tries + 1
            self.hard &= done == self.step
            self.forces.unknown &= done == self.first
            self.step = done
            if outcome == SOLVED:
                continue
            if outcome in (SMOOTH, POSITION, VELOCITY) and not stepwise:
                self.hard = True
            elif outcome == NO_ROOM:
                self.recorder.make_room(len(self.candidates.a))
            elif outcome == OUT_OF_REACH and tries < 6 and np.isfinite(self.new.x).all():
                self.find_candidates(tries)
            else:
                self._keep(stats[: done - first])
                return done, self._failure(outcome, worst, stats[done - first])
        self._keep(stats)
        if ending:
            return last, failed(PRESCRIBED, self.t + self.h, None, 0.0, ending)
        return last, None

    def note_coincident(self) -> None:
        """Note which bodies, if any, have no normal between them in the step that has just failed."""
        c = self.candidates
        lost = np.flatnonzero(np.isnan(c.normal).any(axis=1) & np.isfinite(c.gap))
        pairs = [self.system.pair_names(int(c.a[k]), int(c.b[k]), int(c.plane[k])) for k in lost[:1]]
        self.coincident = pairs[0] if pairs else None

    def _has_large_island(self) -> bool:
        """Whether the contacts that touch have an island that the kernels leave."""
        touching = np.flatnonzero(self.forces.past.touched)
        if MOST_ROWS * len(touching) <= LARGE:
            return False
        system = self.system
        rows = closed_rows(touching, self.candidates, system.laws, system.bodies, system.work)
        return bool(np.diff(rows.row[rows.island]).max() > LARGE)

    def _from_python(self, last: int, frames: Floats, stats: Floats) -> tuple[int, int, int]:
        return advance_stepwise(self, last, frames, stats)

    def _compiled(self, last: int, frames: Floats, stats: Floats) -> tuple[int, int, int]:
        system = self.system
        return advance(
            *system.elements_of(),
            self.candidates,
            system.laws,
            system.frictionless,
            system.bodies,
            system.work,
            self.scheme,
            self.t0,
            self.h,
            self.step,
            last,
            self.steps,
            self.every,
            system.gravity_force,
            system.no_torque,
            frames,
            self.anchor,
            self.reach,
            self.tol,
            self.old,
            self.new,
            self.increment,
            self.forces.past,
            self.forces.unknown,
            stats,
            self.recorder.block,
        )

    def _keep(self, stats: Floats) -> None:
        self.recorder.end_steps(stats)
        self.capped += int(np.count_nonzero(stats[:, CAPPED]))
        self.relaxed += int(np.count_nonzero(stats[:, RELAXED]))
        self.divided += int(np.count_nonzero(stats[:, DIVIDED]))
        fast = stats[stats[:, FAST] > 0.0, FAST]
        if len(fast):
            self.fast = self.fast[0] + len(fast), self.system.model.bodies[int(fast[-1]) - 1].name

    def _failure(self, outcome: int, worst: int, row: Floats) -> Status:
        """Status of the step after the present one, which ended with `outcome`."""
        contact = None
        if worst >= 0:
            c = self.candidates
            contact = self.system.pair_names(int(c.a[worst]), int(c.b[worst]), int(c.plane[worst]))
        if outcome != SMOOTH and not all(np.isfinite(part).all() for part in self.new):
            outcome = NOT_FINITE
        reason = ""
        if self.coincident is not None:
            contact = self.coincident
            reason = (
                f"the centres of {contact[0]!r} and {contact[1]!r} coincide, so that their contact has no "
                "normal; reduce h"
            )
        residual = float(max(row[POSITION_RESIDUAL], row[VELOCITY_RESIDUAL]))
        return failed(outcome, self.t + self.h, contact, residual, reason)

    def result(self, status: Status) -> Result:
        """What was recorded, with the last accepted state as its end."""
        recorded = self.step % self.every == 0 or self.step in (self.first, self.steps)
        if not recorded:
            self.recorder.make_room(len(self.candidates.a))
            self._record_contacts()
            self.recorder.record(self.t, self.old, self.compliant.history())
        return self.recorder.result(status)

    def _record_contacts(self) -> None:
        """Record the contacts of the last accepted state."""
        system, candidates, wrench = self.system, self.candidates, self.forces.wrench
        with quiet():
            system.measure(self.old, candidates)
        note_touching(candidates, system.bodies, self.forces.past)
        closed = np.flatnonzero(self.forces.acting())
        rows = closed_rows(closed, candidates, system.laws, system.bodies, system.work)
        impulses = no_impulses(len(rows.G))
        impulses.load[:] = self.h * self.forces.recall(rows)
        impulses.impact[:] = self.forces.recall_impacts(rows)
        block = self.recorder.block
        record_contacts(block, candidates, system.laws, system.bodies, rows, impulses, wrench)
