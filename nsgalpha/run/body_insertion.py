"""Insertion and removal of bodies between steps, by feeders and outlets.

Before a step, at its first state, bodies whose centre is in an outlet leave. Bodies of feeders that are due
come where their place is free. Steps are taken several at once as long as no body can reach an outlet and
none is due. The changes follow from the state and the time alone, so that a run continued from a file has the
same.

Steps that may end early do so where a body is due, enters an outlet, or leaves the stated place of one that
waits. Places of bodies that are due then do not follow from the sizes of the steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from nsgalpha.arrays import Bodies, Candidates, Flags, Floats, Ints, Motion
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.inlets_outlets import GONE, PRESENT, TO_COME, Feeder, Outlet, bodies_of, stages
from nsgalpha.model.periodic_cell import nearest_images, placed_cell, wrapped
from nsgalpha.model.regions import Ball, Box, Cylinder, Region
from nsgalpha.model.switched_elements import timed
from nsgalpha.run.region_entry import control_points, first_entry, lengths
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_times import StepTimes
from nsgalpha.system.system import System

TRIES = 20  # random places for a body in a step
MOST = 256  # steps at once
FASTER = 4.0  # times the fastest body now: faster none becomes until the next look
SOON = 1e-6  # of a step
APART = 1.0 + 1e-12  # distance of two spheres that do not overlap, over that of two that touch

Change = tuple[int, int, int]  # body, stage from now on, open boundary


class BodyInsertion:
    """The outlets and feeders of a `system`; steps may end early where bodies come and go."""

    def __init__(self, system: System, ends_early: bool) -> None:
        self.system, self.ends_early = system, ends_early
        model, open_boundaries = system.model, list(enumerate(system.model.open_boundaries))
        #: numbers, open boundaries, and the numbers (K,) of bodies that may pass them
        self.outlets = [(k, g, bodies_of(model, g)) for k, g in open_boundaries if isinstance(g, Outlet)]
        self.feeders = [(k, g, bodies_of(model, g)) for k, g in open_boundaries if isinstance(g, Feeder)]
        self.next = -1  # step before which they are looked at again
        self.near = True  # whether one may reach an outlet in the next step, or leave the place of another
        self._ways: list[float] = []  # [m] of the nearest body to each outlet
        self._waiting: list[int] = []  # bodies whose stated places are taken
        self._cell = system.cell  # where a step begins
        timed_elements = [each for each in model.elements if timed(each)]
        driving = system.moving_planes, model.loads, model.drives, system.markers, timed_elements
        self._driven = any(len(each) > 0 for each in driving)  # bodies at rest may start to move
        periods = [(0.0,) if each is None else (0.0, -each, each) for each in model.periodic or (None,) * 3]
        self._shifts = [np.array(each) for each in product(*periods)]
        self._homes = {id(g): _home(g.region, system.cell) for _, g, _ in self.outlets}
        start = stages(model)
        differ = np.flatnonzero(start != system.inactive.stage).tolist()
        #: changes before the start: body, stage, no open boundary
        self.before = [(body, int(system.inactive.stage[body]), -1) for body in differ]

    def due(self, t: float, h: float, motion: Motion) -> list[Change]:
        """Bodies that leave, or come at their places, at `t` [s] before a step of `h` [s]."""
        stage, soon = self.system.inactive.stage.copy(), self._soon(t, h)
        done: list[Change] = []
        self._ways, self._waiting, self.near = [], [], True
        for number, boundary, bodies in self.outlets:
            there = bodies[stage[bodies] == PRESENT]
            depth = self._depth(boundary, motion.x[there])
            self._ways.append(-float(depth.max(initial=-np.inf)))
            if self._ways[-1] <= 0.0 and t >= boundary.start - soon:
                for body in there[depth >= 0.0].tolist():
                    stage[body] = GONE
                    done.append((body, GONE, number))
        for number, feeder, bodies in self.feeders:
            waiting = np.flatnonzero(stage[bodies] == TO_COME)
            for k in waiting[feeder.times[waiting] <= t + soon].tolist():
                body, look = int(bodies[k]), self._look(t, h, float(feeder.times[k]))
                if not self._put(feeder, k, body, stage, look, motion):
                    self._waiting += [body] if feeder.region is None else []
                    break
                stage[body] = PRESENT
                done.append((body, PRESENT, number))
        return done

    def _soon(self, t: float, h: float) -> float:
        """Difference [s] of two times that are the same, where a step of `h` begins at `t`."""
        return 4.0 * float(np.spacing(abs(t) + h)) if self.ends_early else SOON * h

    def _look(self, t: float, h: float, due: float) -> int:
        """Number of a set of random places, 0 for a body that is `due` [s] now."""
        if not self.ends_early:
            return round(t / h)
        return int(np.float64(t - due).view(np.int64)) if t - due > self._soon(t, h) else 0

    def next_time(self, t: float, h: float) -> float:
        """See OpenBoundaries."""
        stage = self.system.inactive.stage
        times = [feeder.times[stage[bodies] == TO_COME] for _, feeder, bodies in self.feeders]
        known = np.concatenate([*times, [outlet.start for _, outlet, _ in self.outlets]])
        return float(known[known > t + self._soon(t, h)].min(initial=math.inf))

    def first_change(self, t: float, h: float, before: Motion, after: Motion) -> float:
        """See OpenBoundaries."""
        if not self.outlets and not self._waiting:
            return math.inf
        there, soon = self.system.inactive.present, self._soon(t, h)
        self._cell = placed_cell(self.system.cell, before.x)
        curves = control_points(before.x, before.v, after.x, after.v, h)
        ways, parts = lengths(curves), [math.inf]
        for _, outlet, bodies in self.outlets:
            if t >= outlet.start - soon:
                k = bodies[there[bodies]]
                k = k[self._depth(outlet, before.x[k]) >= -ways[k]]
                parts.append(first_entry(partial(self._depth, outlet), curves[k]))
        for body in self._waiting:
            for k in self._in_the_way(body, there, before).tolist():
                parts.append(first_entry(partial(self._away, body, k), curves[k : k + 1]))
        return min(parts) * h

    def _away(self, body: int, other: int, x: Floats) -> Floats:
        """Depth (K,) [m] of an `other` body at `x` (K, 3) in the region beside a `body` as it is stated."""
        radius, place = self.system.bodies.radius, self.system.model.bodies[body].position
        away = np.linalg.norm(nearest_images(x - place, self._cell), axis=1)
        return np.asarray(away - APART * (radius[body] + radius[other]))

    def _depth(self, boundary: Outlet, x: Floats) -> Floats:
        """Depth (K,) [m] of centres `x` (K, 3) in an outlet's region or an image."""
        if len(self._shifts) == 1:
            return boundary.depth(x)
        inside = wrapped(x, self.system.cell) + self._homes[id(boundary)]  # it does not move
        return np.array([boundary.depth(inside + shift) for shift in self._shifts]).max(axis=0)

    def apply(self, changes: Sequence[Change], motion: Motion) -> None:
        """Let bodies leave, and come with the velocities that the model states."""
        inactive = self.system.inactive
        stage = inactive.stage.copy()
        for body, now, _ in changes:
            stage[body] = now
        inactive.set_stage(stage)
        inactive.stop(motion)
        for body, now, _ in changes:
            if now == PRESENT:
                handle = self.system.model.bodies[body]
                motion.v[body], motion.w[body] = handle.velocity, handle.angular_velocity

    def quiet(self, step: int, times: StepTimes, motion: Motion) -> int:
        """Steps from `step` on without work for an open boundary, at least 1.

        As `due` has just seen the bodies, without any change.
        """
        there = self.system.inactive.present
        fastest = float(np.sqrt((motion.v[: len(there)] ** 2).sum(axis=1).max()))
        speed = math.inf if self._driven else FASTER * fastest
        pull = float(np.sqrt((motion.dv[: len(there), :3] ** 2).sum(axis=1).max()))
        fall = max(float(np.linalg.norm(self.system.model.gravity)), pull)
        level, size = times.levels(step, step + MOST)
        after, steps = level - level[0], MOST
        for (_, boundary, _), way in zip(self.outlets, self._ways, strict=True):
            wait = max(boundary.start - level[0], 0.0)
            span = max(_time_for(way, speed, fall), wait)
            steps = min(steps, int(np.searchsorted(after, span, side="right")) - 1)
        self.near = steps < 1 or len(self._waiting) > 0
        stage = self.system.inactive.stage
        for _, feeder, bodies in self.feeders:
            due = feeder.times[stage[bodies] == TO_COME]
            ready = after[1:] + SOON * size >= due.min(initial=np.inf) - level[0]
            steps = min(steps, int(np.argmax(ready)) + 1) if ready.any() else steps
        return max(steps, 1)

    def _put(self, boundary: Feeder, k: int, body: int, stage: Ints, look: int, motion: Motion) -> bool:
        """Put `body`, number `k` of a feeder, at a free place in a `look`; False without one."""
        kept = motion.x[body].copy()
        for place in self._places(boundary, k, body, look):
            motion.x[body] = place
            if self._is_free(body, stage == PRESENT, motion):
                return True
        motion.x[body] = kept
        return False

    def _places(self, boundary: Feeder, k: int, body: int, look: int) -> Floats:
        """Places (n, 3) [m] to try."""
        if boundary.region is None:
            return self.system.model.bodies[body].position[None]
        random = np.random.default_rng([boundary.seed, k, abs(look)])
        return np.array([boundary.region.draw(random) for _ in range(TRIES)])

    def _in_the_way(self, body: int, there: Flags, motion: Motion) -> Ints:
        """Numbers (K,) of the bodies that are `there` with spheres that overlap with that of `body`."""
        system, n = self.system, self.system.count
        radius = system.bodies.radius[:n]
        cell = placed_cell(system.cell, motion.x)
        away = np.linalg.norm(nearest_images(motion.x[:n] - motion.x[body], cell), axis=1)
        near = there & (radius > 0.0) & (away < radius + radius[body])
        near[body] = False
        return np.flatnonzero(near)

    def _is_free(self, body: int, there: Flags, motion: Motion) -> bool:
        """True if `body` overlaps at its place with no body `there` and no plane."""
        system = self.system
        if len(self._in_the_way(body, there, motion)):
            return False
        known = system.inactive.stage
        tried = np.where(there, PRESENT, known)
        tried[body] = PRESENT
        system.inactive.set_stage(tried)
        try:
            return not any((found.gap[rows] < 0.0).any() for found, rows in self._tables(body, motion))
        finally:
            system.inactive.set_stage(known)

    def _tables(self, body: int, motion: Motion) -> Iterator[tuple[Candidates, Flags]]:
        """Measured candidates that may overlap, set-valued and compliant, and the rows of the `body`."""
        system = self.system
        kinds = system.kinds.copy()  # of the candidates of the run, which are others
        hard = system.candidates(motion.x, 0.0, motion.q)
        system.select(motion, hard)
        system.measure(motion, hard)
        system.kinds[:] = kinds
        of_joints = np.array([isinstance(each, MarkerContact) for each in system.elements], bool)
        yield hard, ((hard.a == body) | (hard.b == body)) & ~of_joints[hard.law]
        for each in system.compliant:
            if np.isfinite(each.law.reach):
                found = system.table(each.pairs, motion.x, 0.0, motion.q)
                system.measure_pairs(each.pairs, motion, found)
                yield found, (found.a == body) | (found.b == body)


def _home(region: Region | None, cell: Floats) -> Floats:
    """Corner (3,) [m] of the period with the middle of a `region`; 0 for other regions."""
    middle = np.zeros(3)
    if isinstance(region, Ball):
        middle = np.asarray(region.centre, float)
    elif isinstance(region, Box):
        middle = 0.5 * (np.asarray(region.low) + np.asarray(region.high))
    elif isinstance(region, Cylinder):
        middle = np.asarray(region.ends, float).mean(axis=0)
    return middle - wrapped(middle, cell)


def restart(bodies: Bodies, motion: Motion, come: Sequence[int], before: Floats, after: Floats) -> None:
    """Let accelerations follow a sudden change of forces, the wrenches (N, 6).

    The bodies that `come` begin with consistent ones; all others keep their memory of the integrator.
    """
    memory = motion.dv.copy(), motion.a.copy()
    accelerations(bodies, motion, before)
    first = motion.dv.copy()
    accelerations(bodies, motion, after)
    last = motion.dv.copy()
    changed = np.flatnonzero((before != after).any(axis=1))
    for part, known in zip((motion.dv, motion.a), memory, strict=True):
        part[:] = known
        part[changed] += (last - first)[changed]
        part[come] = last[come]


def _time_for(way: float, v: float, a: float) -> float:
    """Time [s] in which no body gets further than `way` [m] at the speed `v` and acceleration `a`."""
    if way <= 0.0 or way == math.inf:  # of no body
        return max(way, 0.0)
    return 2.0 * way / (v + math.sqrt(v * v + 2.0 * a * way)) if v > 0.0 or a > 0.0 else math.inf
