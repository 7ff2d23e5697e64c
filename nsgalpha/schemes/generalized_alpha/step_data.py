"""Step data: arrays and objects of the steps of the generalized-alpha scheme."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.constraints.coordinate_loads import add_efforts
from nsgalpha.constraints.jointed_response import accept_joints
from nsgalpha.constraints.saddle_point import Saddles
from nsgalpha.contact.impacts.impact_sequence import SIMULTANEOUS, UNTIL_IT_ENDS
from nsgalpha.contact.islands.large_island import Graphs
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.marker_rows import keep_angles
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.jit.addresses import named
from nsgalpha.jit.argument_types import remember_types
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_constants import Constants
from nsgalpha.system.consistent_start import Wrenches, begin_coordinates, begin_joints, refuse_violation
from nsgalpha.system.step_candidates import StepCandidates
from nsgalpha.system.system import System


class StepData(StepCandidates):
    """Data of a step from `state` on: system, motions, candidates and their memory."""

    def __init__(self, model: Model, state: State, h: float, scheme: GeneralizedAlpha, tol: float) -> None:
        remember_types(Rows)
        super().__init__(System(model), state, h)
        self.system.refuse_massless("GeneralizedAlpha")
        self.levers = self.system.levers()
        self.lever = float(self.levers.max())
        system = self.system
        self.tol, self.scheme = tol, scheme.coefficients
        law = SIMULTANEOUS if scheme.impact_law == "simultaneous" else scheme.max_impacts or UNTIL_IT_ENDS
        laws = system.laws, system.frictionless
        self.constants = named(Constants(system.bodies, system.weight, *laws, self.scheme, tol, law))
        self.graphs = Graphs(scheme.effort)
        self.saddles = Saddles()
        self.compliant = CompliantForces(self.system)
        self.driven = len(self.system.joints.efforts.coordinate) > 0  # by loads on coordinates of joints
        self.follow = bool(self.compliant or model.loads or self.driven)  # whether forces follow the motion
        self.stiff = bool(self.compliant)  # whether tangents are used
        self.waits = False  # whether compliant contacts that begin in a step have no force in it
        self.unresolved = False  # whether a step or a part was too long for an impact of compliant contacts
        self.penalty: float | None = None  # of the paper's system, where that is the formulation
        self.lost: tuple[str, str] | None = None  # bodies with one centre in a step that failed
        self.find(0)
        if state.forces is not None:
            self.forces.begin(state.forces, self.candidates)
        if state.contacts is not None:
            self.compliant.remember(state.contacts)
        if self.compliant and state.acceleration is None:
            self._accelerate(state.t)
        if model.joints:
            self._begin_joints(state)

    def find(self, tries: int) -> None:
        """See StepCandidates; of compliant contacts, too."""
        super().find(tries)
        self.compliant.find(self.old, self.reach)

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
        alpha_m, alpha_f, *_ = self.scheme
        held = self.system.joints.number[: self.system.count] >= 0
        ahead = np.where(held, alpha_m - alpha_f, 0.0)  # others begin as they do without joints
        begin_joints(self.system, self.old, state.t, self.h, ahead, self.loads_near(state.t))
        accept_joints(self.system.joints, self.h, self.old)
        keep_angles(self.system.options, self.system.joints)

    def loads_near(self, t: float) -> Wrenches:
        """`wrenches` at times and motions near those of the last accepted state at `t` [s]."""
        self.compliant.begin(self.old)
        still = np.zeros_like(self.increment)
        contacts = self._contacts(t, self.old, still, INSTANT)

        def loads(t: float, motion: Motion) -> Floats:
            if self.compliant.closes:  # forces that set in, or are stiff, have no slope
                return self._given(t, motion, motion) + contacts
            return self.wrenches(t, motion, motion, still, INSTANT)

        return loads

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
            add_efforts(self.system.joints, pose._replace(v=velocity.v, w=velocity.w), total)
        return total

    def _contacts(self, t: float, motion: Motion, increment: Floats, h: float) -> Floats:
        """`wrenches` of compliant contacts."""
        self.compliant.set_time(t)
        return self.compliant.evaluate(motion, increment, h)
