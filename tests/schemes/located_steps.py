"""A loop of steps that end at impacts, without files and records.

    trial      a step in which only contacts that are held touch
    locate     trials to the first impact, by first_hits and Newton's method
    strike     the impacts at that pose, and a consistent restart

A closing contact whose rebound would not reach LOWEST is held from the start of its step on.
"""

from typing import Any, NamedTuple

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import copy_motion
from nsgalpha.constraints.jointed_response import accept_joints
from nsgalpha.contact.impacts.impact_times import Flight, first_hits, opening_rates
from nsgalpha.contact.impacts.velocity_problem import no_impulses
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.rows.marker_rows import keep_angles
from nsgalpha.geometry.narrow_phase import TOUCH
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.run.run_progress import Run
from nsgalpha.run.run_records import STATISTICS
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.schemes.generalized_alpha.corrections import correct_velocity
from nsgalpha.stepping.poses import rotate_inertias
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_motion import accept
from nsgalpha.stepping.step_times import Steps, StepTimes
from nsgalpha.system.consistent_start import begin_joints

LOWEST = 1e-10  # [m] height of a rebound
OPENING = 1e-9  # rate over the largest velocity, from which on a contact that touches flies
TRIALS = 60  # for one impact


class Start(NamedTuple):
    """Copies of the arrays that a trial step changes."""

    motion: Any
    past: list[Any]
    size: Any
    acted: Any
    options: Any
    unknown: bool


class LocatedSteps:
    """Steps of at most `h` [s] of a model, which end at the first impact within."""

    def __init__(self, model: ns.Model, h: float) -> None:
        state = model.initial_state()
        self.h, self.t = h, state.t
        self.stepper = GeneralizedAlphaStepper(model, state, h, ns.GeneralizedAlpha(), 1e-10)
        self.recorder = Run(self.stepper, StepTimes(state.t, h)).recorder
        self.now, self.system = self.stepper.now, self.stepper.system
        self.steps = self.trials = self.impacts = self.handed = 0
        self._look()

    def advance(self, end: float) -> None:
        """Steps to the time `end` [s]."""
        while self.t < end - 1e-12:
            struck = self._locate(min(self.h, end - self.t), self.held.copy())
            self.t, self.steps = self.t + self.last, self.steps + 1
            self._look()
            if struck:
                self._strike()

    def _look(self) -> None:
        """Gaps and rates of the accepted state; contacts that are held, and those that rebound."""
        now = self.now
        now.forces.fly(np.zeros(len(now.candidates.a), bool))
        now.mark_touching()
        self.gap, self.rate = now.candidates.gap.copy(), self._rates()
        touched = now.forces.past.touched
        opens = self.rate > OPENING * max(1e-3, float(np.abs(now.old.v).max()))
        self.held, self.rebounding = touched & ~opens, touched & opens

    def _rates(self) -> Any:
        rate = np.empty(len(self.now.candidates.a))
        opening_rates(self.now.candidates, self.now.old, rate)
        return rate

    def _start(self) -> Start:
        now, joints = self.now, self.system.joints
        past = [part.copy() for part in now.forces.past]
        memory = now.size.copy(), joints.acted.copy(), self.system.options.copy(), now.forces.unknown
        return Start(copy_motion(now.old), past, *memory)

    def _undo(self, start: Start) -> None:
        now = self.now
        arrays = [*now.old, *now.forces.past, now.size, self.system.joints.acted, self.system.options]
        kept = [*start.motion, *start.past, start.size, start.acted, start.options]
        for array, values in zip(arrays, kept, strict=True):
            array[:] = values
        now.forces.unknown = start.unknown

    def _trial(self, h: float, held: Any) -> int:
        """A step of `h` [s] in which only contacts that are `held` touch; its first impact or -1."""
        now, candidates = self.now, self.now.candidates
        now.forces.fly(~held)
        flight = Flight(~held, self.rebounding & ~held, self.gap, self.rate, copy_motion(now.old))
        level = np.array([self.t, self.t + h])
        frames, _ = self.system.frames_at(level)
        stats = np.zeros((1, len(STATISTICS)))
        self.trials += 1
        steps = Steps(level, np.array([h]), 0, 1, 5, 1 << 40)  # nothing is recorded
        done = self.stepper.advance(steps, frames, stats, self.recorder).done
        assert done == 1
        assert now.candidates is candidates  # these scenes are small: all pairs are known at once
        self.system.measure(now.old, candidates)
        self.fraction = np.empty(len(candidates.a))
        return int(first_hits(candidates, self.system.bodies, flight, now.old, h, self.fraction))

    def _locate(self, h: float, held: Any) -> bool:
        """A step of at most `h` [s], `last`, to the first impact; True if there is one."""
        start, c = self._start(), self.now.candidates
        self.last = h
        first = self._trial(h, held)
        if first < 0:
            return False
        s, low, high = h * self.fraction[first], 0.0, h
        for _ in range(TRIALS):
            self._undo(start)
            earlier, gap, rate = self._trial(s, held), c.gap, self._rates()
            least = TOUCH * c.length
            if earlier >= 0 and (gap[earlier] < -least[earlier] or self.fraction[earlier] < 1.0 - 1e-9):
                first, high = earlier, min(high, s)
                s = min(s * self.fraction[earlier], s - 1e-13 * h)
                continue
            if abs(gap[first]) <= least[first]:
                break
            low = max(low, s)
            s -= gap[first] / rate[first] if rate[first] < 0.0 else 0.0
            s = s if low < s <= high else 0.5 * (low + high)
        else:
            raise RuntimeError(f"the impact at t = {self.t:g} s was not found")
        self.last, closing = s, -rate[first]
        if 0.5 * closing**2 < LOWEST * max(abs(rate[first] - self.rate[first]) / s, 1e-12):
            self._undo(start)
            self.handed += 1
            held[first] = True
            return self._locate(h, held)
        return True

    def _strike(self) -> None:
        """The impacts of all contacts that touch, and a consistent restart."""
        now, c, system = self.now, self.now.candidates, self.system
        near = np.abs(c.gap) <= 2.0 * TOUCH * c.length
        closed = np.flatnonzero(near | (now.forces.past.touched & np.isfinite(c.gap)))
        accept(now.old, now.new)
        now.increment[:] = 0.0
        rotate_inertias(system.bodies, now.new.q, system.work)
        rows = closed_rows(closed, c, system.laws, system.bodies, system.work)
        impulses, stats = no_impulses(len(rows.G)), np.zeros(len(STATISTICS))
        _, solved = correct_velocity(now, self.t, 0.0, np.zeros((system.count, 6)), rows, impulses, stats)
        assert solved
        accept(now.new, now.old)
        self.impacts += 1
        still = np.zeros_like(now.increment)
        if system.model.joints:
            alpha_m, alpha_f, *_ = now.scheme

            def loads(t, motion):
                return now.wrenches(t, motion, motion, still, INSTANT)

            ahead = np.where(system.joints.number[: system.count] >= 0, alpha_m - alpha_f, 0.0)
            begin_joints(system, now.old, self.t, self.h, ahead, loads)
            accept_joints(system.joints, self.h, now.old)
            keep_angles(system.options, system.joints)
        else:
            accelerations(system.bodies, now.old, now.wrenches(self.t, now.old, now.old, still, INSTANT))
        now.size[0], now.forces.unknown = self.h, True
        self._look()
