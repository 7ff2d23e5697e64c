"""Impulses of the closed contacts of a step, all at once, with Newton's impact law.

    u = G v + G M^-1 G^T P,    P in its sets against  u + e G v_k,    e_N, e_T by row

Impacts occur in islands that approach faster than the loads explain (`begin_impacts` in
contact/impacts/impact_sequence.py). There the impulse of a contact, less the force of the last step, is a
part of an impact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.contact.impacts.impact_sequence import NO_IMPACT, Rates, begin_impacts, restitution_rates
from nsgalpha.contact.impacts.velocity_problem import (
    Impulses,
    apply_impulses,
    begin_velocities,
    no_impulses,
    opening_rates,
    react,
    settle,
)
from nsgalpha.contact.islands.island_response import Effort, Inertia
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.islands.large_island import INNER, Graphs
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.running_surfaces import fastest_surface
from nsgalpha.stepping.poses import rotate_inertias
from nsgalpha.stepping.step_constants import Constants
from nsgalpha.system.step_candidates import StepCandidates

CLOSED_GAP = 1e-6  # a gap below this part of the length of a contact is closed
ROUNDING, HELD = 1e-15, 1e-14  # of a rate, over the velocities it is computed from, without and with joints


class Closed(NamedTuple):
    """The closed contacts of a step."""

    rows: Rows
    target: Floats  # (R,) e G v_k
    before: Floats  # (R,) G v_k
    start: Floats  # (R,) impulses from which the solver starts
    floor: Floats  # (R,) rounding errors of the rates


class Percussions:
    """Impulses of contacts and joints in the steps of `now`."""

    def __init__(self, now: StepCandidates, constants: Constants, effort: float) -> None:
        self.now, self.constants, self.graphs = now, constants, Graphs(effort)
        self.joints = now.system.bodies.joints

    def closed(self) -> Ints:
        """Candidates (K,) that are closed at the pose at which they have been measured.

        Errors of the solver add up to small gaps of contacts that persist: these are closed too.
        """
        c = self.now.candidates
        return np.flatnonzero(c.gap <= np.maximum(CLOSED_GAP * c.length, c.rounding))

    def begin(self, closed: Ints, at: Motion, w: Floats) -> Closed:
        """The contacts `closed` (K,) with rows at the pose of `at`, where they have been measured.

        `w` (N, 3) are the angular velocities before the step, at that pose.
        """
        now, system = self.now, self.now.system
        closed = closed[now.candidates.gap[closed] < math.inf]
        rotate_inertias(system.bodies, at.q, system.work)
        rows = closed_rows(closed, now.candidates, system.laws, system.bodies, system.work)
        n = system.count
        at.v[:n], at.w[:n] = now.old.v[:n], w
        at.v[n:], at.w[n:] = now.new.v[n:], now.new.w[n:]
        speed = np.abs(at.v).max() + (np.abs(at.w).max(axis=1) * system.bodies.extent).max()
        speed = max(speed, fastest_surface(rows))
        floor = np.full(len(rows.G), (ROUNDING if self.joints is None else HELD) * speed)
        self._project(at)
        at.v[n:], at.w[n:] = now.old.v[n:], now.old.w[n:]
        before, target = opening_rates(rows, at, np.zeros(len(rows.G))), np.zeros(len(rows.G))
        restitution_rates(rows, system.laws, before, target)
        at.v[n:], at.w[n:] = now.new.v[n:], now.new.w[n:]
        return Closed(rows, target, before, now.h * now.forces.recall(rows), floor)

    def _project(self, at: Motion) -> None:
        """Project the velocities of `at` onto those that joints allow, whose impulses are set."""
        if self.joints is not None:
            instant = self.now.instant._replace(new=at)
            self.joints.multiplier[:] = self.joints.impulse[:] = self.joints.struck[:] = 0.0
            begin_velocities(self.joints, self.constants, self.now.h, instant)

    def solve(self, contacts: Closed, at: Motion) -> tuple[Impulses, Effort]:
        """Add effects of contacts and joints to the velocities of `at`; returns impulses and statistics."""
        rows, tol, effort = contacts.rows, self.constants.tol, Effort()
        self._project(at)
        free = opening_rates(rows, at, np.zeros(len(rows.G)))
        impulses = no_impulses(len(rows.G))
        impulses.load[:] = contacts.start
        bodies, inverse = self.now.system.bodies, self.now.system.work
        response = Inertia(bodies, inverse, self.graphs, "impulses", tol, before=contacts.before)
        response.solve(rows, free + contacts.target, impulses.load, INNER * tol, contacts.floor, effort)
        apply_impulses(rows, impulses.load, at)
        rates = Rates(free, contacts.before, np.zeros_like(free), contacts.floor)
        struck = np.zeros(len(rows.island) - 1, np.bool_)
        for i, (first, last) in enumerate(zip(rows.island[:-1], rows.island[1:], strict=True)):
            limit = begin_impacts(rows, first, last, self.constants, rates)[1]
            struck[i] = limit > NO_IMPACT
        settle(rows, contacts.start, struck, impulses)
        effort.impacts = int(struck.any())
        if self.joints is not None:
            react(self.joints, rows, impulses)
        return impulses, effort
