"""Linearly implicit steps: broad phase, forces, one sparse system, and the motion over a step.

    x_{n+1} = x_n o exp(h v*),     v* see implicit_velocities.py

Forces and tangents are those at the start of the step. The history of laws in a state is that of the step
before, whose displacement is h v*. Loads, forces that change with time alone, and prescribed frames are ahead
of the bodies by lambda h. The motion of a frame over the step is then felt as that of the bodies is. One
evaluation and one system in a step. A step for which forces grow too much with the motion, see
implicit_velocities.py, is taken in halves. Each of them is such a step, and may be halved again. A step
in which bodies are moved, as nodes of a dividing cell, is taken up to that time. Small parts follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nsgalpha.arrays import Floats, Motion, copy_motion
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.force_element import JumpingElement
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.forces_stepper import ForcesStepper
from nsgalpha.schemes.implicit.implicit_velocities import Free, Inert, Velocities
from nsgalpha.schemes.scheme_settings import Overdamped, SemiImplicit
from nsgalpha.schemes.stepper_interface import Advance, Failure, Recorder
from nsgalpha.stepping.interrupts import serve
from nsgalpha.stepping.poses import displace
from nsgalpha.stepping.record_kernels import CONTACTS, DIVIDED, SIZE, SMOOTH_ITERATIONS
from nsgalpha.stepping.step_motion import accept, finite, move_frames
from nsgalpha.stepping.step_outcome import NOT_FINITE, SMOOTH, SOLVED
from nsgalpha.stepping.step_times import Steps, time_after

HALVINGS = 20  # of a step that fails, and of its halves
PARTS = 2000  # at most
SOON = 1e-6  # of a step: a jump that is so near to its start is there
FOLDED = 0.9 * np.pi  # [rad] between the normals of two triangles at an edge
AFTER_JUMP = 16  # parts of the rest of that step, as contacts begin where nothing is pressed yet


class ImplicitStepper(ForcesStepper):
    """Steps from `state` on, the first of `h` [s]."""

    contacts: CompliantForces

    def __init__(self, model: Model, state: State, h: float, scheme: Overdamped | SemiImplicit) -> None:
        super().__init__(model, state, h, type(scheme).__name__)
        system, self.implicitness = self.system, scheme.implicitness
        self.has_inertia = isinstance(scheme, SemiImplicit)
        self.begins = state.acceleration is None and state.forces is None
        self.ahead, self.h = self.implicitness, h if self.begins else state.h or h  # of the step before
        system.place_frames(self.motion, state.t + self.ahead * self.h)
        self.contacts = CompliantForces(system)
        self.velocities: Velocities
        if isinstance(scheme, SemiImplicit):
            self.velocities = Inert(system, self.contacts, scheme)
        else:
            self.velocities = Free(system, self.contacts, scheme, self.motion)
        self.increment = np.zeros((system.size, 6))
        self.elapsed = INSTANT  # of the step before, there is none
        self.before = copy_motion(self.motion)  # the poses of the step before
        self.jumping = [each for each in model.elements if isinstance(each, JumpingElement)]
        self.find()
        if not self.begins:  # a step has led to it
            self._look_back()
            self._place_frames(state.t, self.ahead * self.h)
        if state.contacts is not None:
            self.contacts.remember(state.contacts)

    def _place_frames(self, t: float, ahead: float) -> None:
        """Let frames be `ahead` [s] of the bodies, at `t` [s] and before the last step."""
        n, now = self.system.count, self._frames(t + ahead)
        self.system.place_frames(self.before, time_after(t, self.h, -1) + ahead)
        for part, earlier in zip(self.motion, self.before, strict=True):
            part[n:] = earlier[n:]
        move_frames(now, n, self.h, self.motion, self.increment)

    def _look_back(self) -> None:
        """Find the last displacement, and the poses before it, from the state alone.

        A run that is continued from the state finds the same, to the bit.
        """
        n, self.elapsed = self.system.count, self.h
        self.increment[:n] = self.h * self.velocities.last(self.motion, self.h)
        x, q = self.motion.x[:n], self.motion.q[:n]
        displace(x, q, -self.increment[:n], Motion._make(part[:n] for part in self.before))

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """See Stepper."""
        for step in range(steps.first, steps.last):
            serve()
            k, t, h = step - steps.first, steps.t(step), steps.h(step)
            if h != self.h:
                self._place_frames(t, self.ahead * h)
                self.h = h
            stats[k, SIZE] = h
            jumps = self._jumps(t) if self.jumping else []
            outcome = self._step(t, h, frames[k + 1], stats[k]) if not jumps else SMOOTH
            if outcome == SOLVED:
                self._look_back()
            if outcome == SMOOTH:
                outcome = self._in_parts(t, frames[k + 1], stats[k], jumps)
            if outcome != SOLVED:
                return Advance(step, outcome)
            self.last_h = h
            if steps.records(step):
                self.record(steps.t(step + 1), h, recorder)
        return Advance(steps.last)

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """See Stepper."""
        singular = (self._folded() or self.velocities.singular) if outcome == SMOOTH else ""
        return Failure(outcome, reason=singular or self.contacts.failure_reason())

    def _folded(self) -> str:
        """The reason of a failure where a mesh has folded, or none."""
        x = self.motion.x[: self.system.count]
        for surface in self.system.model.surfaces:
            if np.abs(surface.at(x).angle).max(initial=0.0) > FOLDED:
                remedy = "give it a viscosity, a stiffness against bending, or a finer mesh"
                return f"the mesh of {surface.name!r} has folded, two triangles lie on each other: {remedy}"
        return ""

    def _step(self, t: float, h: float, frames: Floats, stats: Floats) -> int:
        """One step from `t` to `t + h`, `frames` (F, 13) at its end; where it fails nothing has moved."""
        system, n, ahead = self.system, self.system.count, self.implicitness * h
        if self.out_of_reach():
            self.find()
        self.contacts.begin(self.before)
        wrench = system.loads(system.state(t + ahead, self.motion))
        memory = self.contacts.memory()
        self.contacts.set_time(t + ahead)
        contacts = self.contacts.evaluate(self.motion, self.increment, self.elapsed)
        if self.contacts.flows and ahead > 0.0:
            contacts = self.contacts.foresee(self.motion, ahead)
        wrench += contacts
        if not np.isfinite(wrench).all():
            self.contacts.restore(memory)
            return NOT_FINITE
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                mean, change, stats[SMOOTH_ITERATIONS] = self.velocities.solve(self.motion, wrench, h)
        except np.linalg.LinAlgError:
            self.contacts.restore(memory)
            return SMOOTH
        accept(self.motion, self.before)
        self.elapsed = h
        self.increment[:n], self.increment[n:] = h * mean, 0.0
        displace(self.before.x, self.before.q, self.increment, self.motion)
        self.velocities.accept(self.before, change, h, self.motion)
        move_frames(frames, n, h, self.motion, self.increment)
        if not finite(self.motion):
            accept(self.before, self.motion)
            self.contacts.restore(memory)
            return NOT_FINITE
        self.contacts.commit()
        stats[CONTACTS] = self.contacts.closed
        return SOLVED

    def _jumps(self, t: float) -> list[float]:
        """Times [s] of jumps in the step from `t` on, without its end."""
        times = np.unique(np.concatenate([each.times for each in self.jumping]))
        early, late = (t + (side - SOON) * self.h for side in (0.0, 1.0))
        return [float(each) for each in times if early < each <= late]

    def _jump(self, t: float) -> None:
        """Put bodies where elements say that they are from the time `t` [s] on, at rest."""
        moved = np.concatenate([each.jump(t, self.motion.x) for each in self.jumping])
        self.motion.v[moved] = self.increment[moved] = 0.0
        self.before.x[moved] = self.motion.x[moved]
        self.find()

    def _spans(self, t: float, jumps: Sequence[float]) -> Iterator[tuple[float, float]]:
        """Starts and lengths [s] of a step's first parts from `t` on, between `jumps`."""
        start, end = t, t + self.h
        for each in jumps:
            if each - start > SOON * self.h:
                yield start, each - start
                start = each
            self._jump(each)
        parts = AFTER_JUMP if jumps else 2
        for k in range(parts):
            yield start + k * (end - start) / parts, (end - start) / parts

    def _in_parts(self, t: float, frames: Floats, stats: Floats, jumps: Sequence[float] = ()) -> int:
        """The step from `t` on that failed, or has `jumps`, in parts; `frames` (F, 13) at its end.

        Where it fails nothing has moved.
        """
        motion, before, memory = copy_motion(self.motion), copy_motion(self.before), self.contacts.memory()
        increment, elapsed = self.increment.copy(), self.elapsed
        outcome, planned = SMOOTH, 0
        for start, h in self._spans(t, jumps):
            outcome, planned = self._halve(start, h, HALVINGS - 1, stats), planned + 1
            if outcome != SOLVED:
                break
        if outcome == SOLVED:
            if jumps and stats[DIVIDED] == planned:
                stats[DIVIDED] = 0  # nothing has failed
            self._lead(frames)
            return SOLVED
        accept(motion, self.motion)
        accept(before, self.before)
        self.increment[:], self.elapsed = increment, elapsed
        self.contacts.restore(memory)
        self.find()
        return outcome

    def _halve(self, t: float, h: float, halvings: int, stats: Floats) -> int:
        """A part from `t` to `t + h`, and if it fails its halves, no more than `halvings` times."""
        ahead = self.implicitness * h
        self._lead(self._frames(t + ahead))
        row = np.zeros_like(stats)
        outcome = self._step(t, h, self._frames(t + h + ahead), row)
        parts = stats[DIVIDED] + (outcome == SOLVED)
        np.maximum(stats, row, out=stats)
        stats[DIVIDED] = parts
        if outcome != SMOOTH or halvings == 0 or parts >= PARTS:
            return outcome
        outcome = self._halve(t, 0.5 * h, halvings - 1, stats)
        return outcome if outcome != SOLVED else self._halve(t + 0.5 * h, 0.5 * h, halvings - 1, stats)

    def _frames(self, t: float) -> Floats:
        """Frames (F, 13) at `t` [s], within a step whose ends are valid."""
        frames, invalid = self.system.frames_at([t])
        if invalid:
            raise ValueError(invalid)
        return frames[0]

    def _lead(self, frames: Floats) -> None:
        """Put the frames (F, 13), ahead of the next step, at the end of the last."""
        n = self.system.count
        if self.elapsed == INSTANT:
            move_frames(frames, n, INSTANT, self.before, self.increment)
        for part, earlier in zip(self.motion[:4], self.before[:4], strict=True):
            part[n:] = earlier[n:]
        move_frames(frames, n, self.elapsed, self.motion, self.increment)
