"""Steps of the generalized-alpha scheme: compiled, or from Python outside of the kernels' range."""

from __future__ import annotations

import math

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from nsgalpha.forces.step_size import contact_time
from nsgalpha.jit.addresses import named
from nsgalpha.jit.work_sharing import Crew
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.model import Model
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.schemes.contact_stepper import ContactStepper
from nsgalpha.schemes.generalized_alpha.compiled_loads import RECORDS, CompiledLoads, are_compiled
from nsgalpha.schemes.generalized_alpha.compiled_loop import advance
from nsgalpha.schemes.generalized_alpha.flying_contacts import Located
from nsgalpha.schemes.generalized_alpha.python_step import advance_stepwise, finish_step
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.schemes.scheme_settings import AUGMENTED, DELASSUS, PENALTY, GeneralizedAlpha
from nsgalpha.schemes.stepper_interface import Advance, Failure, Recorder
from nsgalpha.stepping.record_kernels import POSITION_RESIDUAL, VELOCITY_RESIDUAL
from nsgalpha.stepping.step_constants import Elements
from nsgalpha.stepping.step_outcome import FULL, LARGE_LEFT, NOT_FINITE, POSITION, SMOOTH, VELOCITY
from nsgalpha.stepping.step_times import Steps

WORTH = 1000  # candidates from which on several threads are faster than one


class GeneralizedAlphaStepper(ContactStepper):
    """Steps from `state` on, compiled ones by several `threads` where there are many contacts."""

    starts_apart = True  # whether overlaps of the first state are refused

    def __init__(self, model: Model, state: State, h: float, scheme: GeneralizedAlpha, tol: float) -> None:
        self.now = StepData(model, state, h, scheme, tol)
        super().__init__(self.now)
        if self.starts_apart:
            self.system.refuse_overlap(self.now.candidates)
        augmented = scheme.formulation == AUGMENTED
        if augmented and self.now.stiff:
            allowed = f"{DELASSUS!r} for models with compliant contact or springs"
            raise refuse("formulation", scheme.formulation, allowed, "leave it out")
        self.now.penalty = (scheme.penalty or PENALTY) if augmented else None
        self.compiled = are_compiled(self.system) and not augmented
        acts = self.compiled and self.now.follow
        self.loads = CompiledLoads(self.system) if acts else None  # that follow the motion
        self.located: Located | None = None  # contacts of steps that end at impacts
        self.known = False  # whether the compiled loop has the histories of the springs
        self.threads = 1
        self.crew: Crew | None = None  # of the threads
        self.hard = False  # whether the compiled loop could not solve the next step

    def history(self) -> ContactHistory | None:
        """The memory of compliant contacts."""
        return self.now.compliant.history()

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See Stepper. The way of a step follows from the state alone: else a continued run would differ."""
        now = self.now
        now.h = steps.h(steps.first)
        stepwise = not self.compiled or self.hard
        if not stepwise:
            done, outcome, worst = self._compiled(steps, frames, stats, recorder)
            if outcome == LARGE_LEFT:
                done, outcome, worst = finish_step(now, steps, done, stats, recorder)
        else:
            if self.compiled:
                steps, self.known = steps._replace(last=steps.first + 1), False
            done, outcome, worst = advance_stepwise(now, steps, frames, stats, recorder)
        moved, now.h = done > steps.first, steps.h(done)
        self.tries = 0 if moved else self.tries
        self.hard &= not moved
        now.forces.unknown &= not moved
        if outcome in (SMOOTH, POSITION, FULL, VELOCITY) and not stepwise:
            self.hard = True
            return Advance(done)
        if self.find_again(outcome):
            return Advance(done)
        return Advance(done, outcome, worst)

    def _compiled(
        self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder
    ) -> tuple[int, int, int]:
        now, loads = self.now, self.loads
        if loads is not None and not self.known:
            loads.begin(now.old, self.history())
            self.known = True
        if loads is not None:
            loads.springs.set_time(steps.t(steps.first))
        if loads is not None and loads.springs.width:
            steps = steps._replace(last=min(steps.last, steps.first + (RECORDS - 1) * steps.every))
        acting = loads.handle if loads is not None else None
        crew, tables = self._share()
        before = tables, now.constants, acting, self.located, now.instant
        given = *before, steps, (frames, stats), recorder.filling
        done, outcome, worst = advance(*given) if crew is None else crew.run(advance, given)
        if loads is not None and loads.springs.width:
            for history in loads.histories():
                recorder.add_history(history)
            now.compliant.remember(loads.history())
        return done, outcome, worst

    def _share(self) -> tuple[Crew | None, Elements]:
        """The threads if they are worth it, and the element tables with their board."""
        tables = self.system.element_tables
        if self.threads == 1 or len(self.now.candidates.gap) < WORTH:
            return None, tables
        if self.crew is None:
            self.crew = Crew(self.threads)
            self.shared = named(Elements(*tables)._replace(board=self.crew.board))
        return self.crew, self.shared

    def forces(self, t: float) -> Floats:
        """See Stepper."""
        now = self.now
        now.compliant.begin(now.old)
        return now.wrenches(t, now.old, now.old, np.zeros_like(now.increment), INSTANT)

    def renew(self) -> None:
        """See Stepper."""
        self.now.find(0)
        if self.loads is not None:
            self.loads, self.known = CompiledLoads(self.system), False

    def _contradiction(self, worst: int) -> str:
        """Reason of the `worst` contact's failure if a joint holds its two bodies."""
        now, system = self.now, self.system
        pair = {int(now.candidates.a[worst]), int(now.candidates.b[worst])}
        for joint, sides in zip(system.model.joints, system.numbers.tolist(), strict=True):
            if set(sides) == pair and joint.rows and now.candidates.plane[worst] >= -1:
                one, two = now.names(worst)
                return (
                    f"the contact of {one!r} and {two!r} and {joint.name}, which joins them, do not hold "
                    "both; leave one of them out, or reduce h"
                )
        return ""

    def _cycles(self, contact: tuple[str, str] | None) -> str:
        """Reason of a failure of the augmented Lagrangian, whose `contact` is furthest from its solution."""
        if self.now.penalty is None or contact is None:
            return ""
        return (
            f"Newton's method for the augmented Lagrangian did not converge, worst contact between "
            f"{contact[0]!r} and {contact[1]!r}; reduce the penalty, {self.now.penalty:g}, or leave the "
            "formulation out"
        )

    def _too_stiff(self) -> str:
        """Reason of diverged smooth motion if the step exceeds 1/omega of the contacts."""
        try:
            resolved = contact_time(self.system.model) / math.pi
        except ValueError:  # no compliant law has a stiffness
            return ""
        if self.now.h <= resolved:
            return ""
        return (
            f"the smooth motion did not converge; reduce h from {self.now.h:.2g} s to about "
            f"{resolved:.2g} s, at which it resolves the stiffest compliant contact: h^2 k/m = 1"
        )

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """See Stepper."""
        now = self.now
        contact = now.names(worst) if worst >= 0 else None
        if outcome != SMOOTH and not all(np.isfinite(part).all() for part in now.new):
            outcome = NOT_FINITE
        reason = ""
        if now.lost is not None:
            contact = now.lost
            reason = (
                f"the centres of {contact[0]!r} and {contact[1]!r} coincide, so that their contact has no "
                "normal; reduce h"
            )
        elif worst >= 0 and outcome in (POSITION, VELOCITY):
            reason = self._contradiction(worst)
            reason = reason or self._cycles(contact)
        reason = reason or now.compliant.failure_reason()
        if outcome == SMOOTH and not reason:
            reason = self._too_stiff()
        return Failure(outcome, contact, float(max(row[POSITION_RESIDUAL], row[VELOCITY_RESIDUAL])), reason)
