"""Step data: arrays and objects of the steps of the generalized-alpha scheme."""

from __future__ import annotations

from operator import is_not

import numpy as np

from nsgalpha.arrays import Floats, Motion, empty_motion, no_candidates
from nsgalpha.constraints.coordinate_loads import add_efforts
from nsgalpha.constraints.jointed_response import accept_joints
from nsgalpha.constraints.saddle_point import Saddles
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.compliant_law import INSTANT
from nsgalpha.jit.addresses import named
from nsgalpha.jit.argument_types import remember_types
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.system import System
from nsgalpha.run.scheme_settings import Coefficients
from nsgalpha.schemes.generalized_alpha.consistent_start import (
    begin_coordinates,
    begin_joints,
    refuse_violation,
)
from nsgalpha.schemes.generalized_alpha.large_island import Graphs
from nsgalpha.stepping.broad_phase import reach_of
from nsgalpha.stepping.marker_rows import keep_angles
from nsgalpha.stepping.poses import mark_touching
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_constants import Constants, Instant
from nsgalpha.stepping.warm_start import Memory


@kernel
def _add_efforts(joints, motion, wrench):
    add_efforts(joints, motion, wrench)


class StepData:
    """System, motion before and after a step, candidates and what is remembered of them, from `state` on."""

    def __init__(self, model: Model, state: State, h: float, scheme: Coefficients, tol: float) -> None:
        remember_types()
        self.system = System(model)
        self.system.refuse_massless("GeneralizedAlpha")
        self.levers = self.system.levers()
        self.lever = float(self.levers.max())
        system = self.system
        self.h, self.tol, self.scheme = h, tol, scheme
        self.constants = named(
            Constants(system.bodies, system.weight, system.laws, system.frictionless, scheme, tol)
        )
        self._parts: Instant | None = None
        self.old = named(self.system.motion(state))  # the last accepted state
        self.new = named(empty_motion(self.system.size))
        self.increment = np.zeros((self.system.size, 6))
        self.graphs = Graphs()
        self.saddles = Saddles()
        self.forces = Memory()
        self.compliant = CompliantForces(self.system)
        self.driven = len(self.system.joints.efforts.coordinate) > 0  # by loads on coordinates of joints
        self.follow = bool(self.compliant or model.loads or self.driven)  # whether forces follow the motion
        self.stiff = bool(self.compliant)  # whether tangents are used
        self.candidates = named(no_candidates())
        self.unresolved = False  # whether a step or a part was too long for an impact of compliant contacts
        self.lost: tuple[str, str] | None = None  # bodies with one centre in a step that failed
        self.find(0)
        self.system.refuse_overlap(self.candidates)
        if state.forces is not None:
            self.forces.begin(state.forces, self.candidates)
        if state.contacts is not None:
            self.compliant.remember(state.contacts)
        if self.compliant and state.acceleration is None:
            self._accelerate(state.t)
        if model.joints:
            self._begin_joints(state)

    @property
    def instant(self) -> Instant:
        """The arrays of a step."""
        parts = Instant(
            self.old,
            self.new,
            self.increment,
            self.system.work,
            self.candidates,
            self.forces.past,
            self.forces.unknown,
            self.anchor,
            self.reach,
        )
        if self._parts is None or any(map(is_not, self._parts, parts)):
            self._parts, self._instant = parts, named(parts)
        return self._instant

    def find(self, tries: int) -> None:
        """Broad phase at the present positions, with a skin that lasts for several steps."""
        places = self.system.places
        self.reach = 4.0**tries * reach_of(
            self.old.v[:places], self.system.bodies.extent[: self.system.count], self.h
        )
        self.anchor = self.old.x[:places].copy()
        before, self.candidates = self.candidates, self.system.candidates(self.old.x, self.reach)
        self.forces.follow(before, self.candidates)
        self.mark_touching()
        self.compliant.find(self.old, self.reach)

    def mark_touching(self) -> None:
        """Note which candidates touch in the last accepted state."""
        self.system.measure(self.old, self.candidates)
        mark_touching(self.candidates, self.forces.past)

    def coincident(self) -> tuple[str, str] | None:
        """Bodies, if any, that have no normal between them in the step that has just failed."""
        c = self.candidates
        lost = np.flatnonzero(np.isnan(c.normal).any(axis=1) & np.isfinite(c.gap))
        return self.names(int(lost[0])) if len(lost) else None

    def names(self, candidate: int) -> tuple[str, str]:
        """Names of the two sides of a candidate."""
        c = self.candidates
        return self.system.pair_names(int(c.a[candidate]), int(c.b[candidate]), int(c.plane[candidate]))

    def _accelerate(self, t: float) -> None:
        """Accelerations and histories of the start, consistent with the forces of the compliant contacts."""
        self.compliant.begin(self.old)
        f = self.wrenches(t, self.old, self.old, np.zeros_like(self.increment), INSTANT)
        accelerations(self.system.bodies, self.old, f)
        self.compliant.commit()  # contacts that are closed at the start begin their histories here

    def _begin_joints(self, state: State) -> None:
        """Joints hold at the start; accelerations and reactions are consistent, or those of `state`."""
        begin_coordinates(self.system, self.old, state.joints)
        refuse_violation(self.system, self.old, self.h)
        if state.acceleration is not None and state.joints is not None:
            self.system.joints.acted[:] = state.joints
            return
        self.compliant.begin(self.old)
        contacts = self._contacts(state.t, self.old, np.zeros_like(self.increment), INSTANT)

        def wrenches(t: float, motion: Motion) -> Floats:
            if self.compliant.closes:  # forces that set in, or are stiff, have no slope
                return self._given(t, motion, motion) + contacts
            return self.wrenches(t, motion, motion, np.zeros_like(self.increment), INSTANT)

        alpha_m, alpha_f, *_ = self.scheme
        held = self.system.joints.number[: self.system.count] >= 0
        ahead = np.where(held, alpha_m - alpha_f, 0.0)  # others begin as they do without joints
        begin_joints(self.system, self.old, state.t, self.h, ahead, wrenches)
        accept_joints(self.system.joints, self.h, self.old)
        keep_angles(self.system.options, self.system.joints)

    def wrenches(self, t: float, pose: Motion, velocity: Motion, increment: Floats, h: float) -> Floats:
        """Gravity, loads, compliant contacts (N, 6) at the pose of one motion, the velocities of another.

        `increment` (B, 6) leads to the pose from the start of a step of `h` [s].
        """
        total = self._given(t, pose, velocity)
        if self.compliant:
            total += self._contacts(t, pose._replace(v=velocity.v, w=velocity.w), increment, h)
        return total

    def _given(self, t: float, pose: Motion, velocity: Motion) -> Floats:
        """`wrenches` without those of compliant contacts."""
        n = self.system.count
        total = self.system.weight.copy()
        if self.system.model.loads:
            state = State(
                t, pose.x[:n].copy(), pose.q[:n].copy(), velocity.v[:n].copy(), velocity.w[:n].copy()
            )
            total = self.system.loads(state)
        if self.driven:
            _add_efforts(self.system.joints, pose._replace(v=velocity.v, w=velocity.w), total)
        return total

    def _contacts(self, t: float, motion: Motion, increment: Floats, h: float) -> Floats:
        """`wrenches` of compliant contacts."""
        self.compliant.set_time(t)
        return self.compliant.evaluate(motion, increment, h)
