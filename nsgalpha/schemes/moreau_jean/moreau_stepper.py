"""Steps of the scheme of Moreau and Jean."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, copy_motion
from nsgalpha.checks import refuse
from nsgalpha.constraints.jointed_response import accept_joints
from nsgalpha.contact.impacts.impact_sequence import SIMULTANEOUS
from nsgalpha.contact.impacts.velocity_problem import Impulses
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.marker_rows import keep_angles
from nsgalpha.geometry.twists import size_of
from nsgalpha.jit.addresses import named
from nsgalpha.jit.argument_types import remember_types
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.contact_stepper import ContactStepper
from nsgalpha.schemes.moreau_jean.moreau_jean import MoreauJean
from nsgalpha.schemes.moreau_jean.percussions import Closed, Percussions
from nsgalpha.schemes.moreau_jean.theta_method import ThetaMethod
from nsgalpha.schemes.stepper_interface import Advance, Failure, Recorder
from nsgalpha.stepping import record_kernels
from nsgalpha.stepping.interrupts import serve
from nsgalpha.stepping.poses import mark_touching
from nsgalpha.stepping.step_constants import Constants
from nsgalpha.stepping.step_motion import accept, finite, outdated, penetration, place_frames, too_fast
from nsgalpha.stepping.step_outcome import FULL, NO_ROOM, NOT_FINITE, OUT_OF_REACH, SMOOTH, SOLVED, VELOCITY
from nsgalpha.stepping.step_times import Steps
from nsgalpha.system.consistent_start import begin_coordinates, measure_start, refuse_violation
from nsgalpha.system.step_candidates import StepCandidates
from nsgalpha.system.system import System

NAME = "MoreauJean"
MAX_ITERATIONS = 60  # of forces that follow the motion
ROUNDING = 1e-15  # of a velocity

Step = tuple[int, int, Rows | None, Impulses | None]  # outcome, worst candidate, rows, their impulses


def refuse_others(system: System) -> None:
    """ValueError if a part of the model has no place in the scheme."""
    model = system.model
    system.refuse_massless(NAME)
    set_valued = {id(each) for each in system.elements}
    soft = [type(each).__name__ for each in model.elements if id(each) not in set_valued]
    friction = [each.name for each in system.markers if each.friction() is not None]
    for found, what in (
        (soft, "compliant contact and force elements"),
        ([drive.name for drive in model.drives], "drives"),
        (friction, "friction in joints"),
        ([gate.name for gate in model.open_boundaries], "bodies that come and go"),
    ):
        if found:
            raise refuse("scheme", NAME, f"GeneralizedAlpha for {what} ({found[0]})", "leave the scheme out")


class MoreauJeanStepper(ContactStepper):
    """Steps from `state` on, the first of `h` [s]."""

    def __init__(self, model: Model, state: State, h: float, scheme: MoreauJean, tol: float) -> None:
        remember_types(Rows)
        system = System(model)
        refuse_others(system)
        self.now = now = StepCandidates(system, state, h)
        super().__init__(now)
        self.gamma, self.along = scheme.gamma, 1.5 - scheme.theta
        self.tol, self.levers = tol, system.levers()
        weights = 0.0, 0.0, scheme.theta, scheme.theta**2  # as numbers of the generalized-alpha scheme
        laws = system.laws, system.frictionless
        constants = named(Constants(system.bodies, system.weight, *laws, weights, tol, SIMULTANEOUS))
        self.method, self.percussions = (
            ThetaMethod(system, h, scheme.theta),
            Percussions(now, constants, scheme.effort),
        )
        self.at = named(copy_motion(now.old))  # the pose of the rows, and velocities there
        now.find(0)
        fresh = state.acceleration is None
        if fresh:  # later states overlap, and their joints drift, by errors of the scheme
            system.refuse_overlap(now.candidates)
        if state.forces is not None:
            now.forces.begin(state.forces, now.candidates)
        if model.joints:
            begin_coordinates(system, now.old, state.joints)
            if fresh:
                refuse_violation(system, now.old, h)
            if state.joints is not None:
                system.joints.acted[:] = state.joints
            measure_start(system, now.old)
            keep_angles(system.options, system.joints)

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See Stepper."""
        for step in range(steps.first, steps.last):
            serve()
            row, h = stats[step - steps.first], steps.h(step)
            self.now.h = self.method.h = h
            if steps.records(step) and record_kernels.is_full(recorder.block, self.now.candidates):
                return Advance(step, NO_ROOM)
            outcome, worst, rows, impulses = self._step(steps.t(step), frames[step - steps.first + 1], row)
            self.tries = 0 if outcome == SOLVED else self.tries
            if self.find_again(outcome):
                return Advance(step)
            if outcome != SOLVED or rows is None or impulses is None:
                return Advance(step, outcome, worst)
            if steps.records(step):
                self.now.record_step(recorder.filling, steps.t(step + 1), rows, impulses)
        return Advance(steps.last)

    def _step(self, t: float, frames: Floats, row: Floats) -> Step:
        """One step from `t` on; `frames` (F, 13) at its end. Accepted if it is solved."""
        now, system, method, h = self.now, self.system, self.method, self.now.h
        self.percussions.graphs.step = round(t / h)
        row[:] = 0.0
        row[record_kernels.SIZE] = h
        place_frames(frames, system.count, h, now.old, now.new, now.increment)
        method.predict(now.old, now.increment, self.gamma, self.at)
        if (full := now.select(self.at)) >= 0:
            return FULL, full, None, None
        a_old = method.accelerate(t, now.old)
        a_new, contacts = a_old, self._close()
        if outdated(self.at, now.listing):
            return OUT_OF_REACH, -1, None, None
        for iteration in range(1, MAX_ITERATIONS + 1):
            method.free(now.old, a_old, a_new, self.at)
            impulses, effort = self.percussions.solve(contacts, self.at)
            row[record_kernels.SMOOTH_ITERATIONS] = iteration
            record_kernels.note_effort(effort, row)
            if not effort.acceptable:
                return VELOCITY, effort.worst, None, None
            method.move(now.old, self.at, now.increment, now.new)
            before, a_new = a_new, method.accelerate(t + h, now.new)
            if not np.isfinite(a_new).all() or not finite(now.new):
                return (NOT_FINITE if iteration <= 2 else SMOOTH), -1, None, None
            if not method.follows or self._negligible(a_new - before):
                break
        else:
            return SMOOTH, -1, None, None
        return self._accept(contacts, impulses, row)

    def _close(self) -> Closed:
        """The closed contacts, with their rows, of a step that is predicted in `at`."""
        now, method = self.now, self.method
        self.system.measure(self.at, now.candidates)
        closed = self.percussions.closed()
        if self.along != self.gamma:
            method.predict(now.old, now.increment, self.along, self.at)
            self.system.measure(self.at, now.candidates)
        n = self.system.count
        return self.percussions.begin(
            closed, self.at, method.turn(now.old.w[:n], now.old.q[:n], self.at.q[:n])
        )

    def _accept(self, contacts: Closed, impulses: Impulses, row: Floats) -> Step:
        """Accept the step in `now.new` unless bodies have left the reach of the candidates."""
        now, system, rows = self.now, self.system, contacts.rows
        if outdated(now.new, now.listing):
            return OUT_OF_REACH, -1, None, None
        row[record_kernels.FAST] = too_fast(now.candidates, system.bodies, now.old, now.new)
        system.measure(now.new, now.candidates)
        row[record_kernels.PENETRATION] = penetration(now.candidates)
        closed = record_kernels.count_closed(now.candidates, now.forces.past, rows, impulses)
        row[record_kernels.CONTACTS] = closed
        accept(now.new, now.old)
        now.size[0] = now.h
        now.forces.store(rows, impulses.load, now.h)
        now.forces.store_impacts(rows, impulses.impact)
        mark_touching(now.candidates, now.forces.past)
        if system.model.joints:
            row[record_kernels.SINGULAR] = self._note_joints()
        return SOLVED, -1, rows, impulses

    def _note_joints(self) -> float:
        """Keep the results of joints in an accepted step; returns as `accept_joints` does."""
        system, old = self.system, self.now.old
        measure_start(system, old)
        singular = accept_joints(system.joints, self.now.h, old)
        keep_angles(system.options, system.joints)
        return float(singular)

    def _negligible(self, change: Floats) -> bool:
        """True if a `change` (N, 6) of accelerations hardly changes the velocities of the step."""
        now, n = self.now, self.system.count
        v = np.hstack([now.new.v[:n], now.new.w[:n]])
        gained = v - np.hstack([now.old.v[:n], now.old.w[:n]])
        least = max(self.tol * size_of(self.levers, gained), ROUNDING * size_of(self.levers, v))
        return bool(now.h * size_of(self.levers, change) <= least)

    def renew(self) -> None:
        """See Stepper."""
        self.now.find(0)

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """See Stepper."""
        now = self.now
        contact, reason = now.names(worst) if worst >= 0 else None, ""
        lost = now.coincident()
        if lost is not None:
            contact, reason = lost, f"the centres of {lost[0]!r} and {lost[1]!r} coincide; reduce h"
        elif outcome == SMOOTH:
            reason = f"the loads do not settle in {MAX_ITERATIONS} iterations of a step; reduce h"
        return Failure(outcome, contact, float(row[record_kernels.VELOCITY_RESIDUAL]), reason)
