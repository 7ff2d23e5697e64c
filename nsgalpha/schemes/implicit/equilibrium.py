"""Equilibrium: the state in which the forces on all bodies balance.

    F(x) + G^T lambda = 0,    g(x) = 0          F: gravity, loads, compliant contacts, springs and motors

A load step is to the laws like a time step. Friction springs see the displacements since its start, and
histories are kept when the forces balance. No time passes in it, unless it leads to another time. Where
Newton's method takes a step against resistance, it starts again (balance_newton.py). Each state fulfils the
constraints g of joints, and has their multipliers lambda (static_constraints.py, constrained_newton.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nsgalpha.arrays import Floats, copy_motion
from nsgalpha.checks import count, instance, named, number, positive, refuse
from nsgalpha.constraints.marker_outputs import JointOutputs, JointRecords, of_forces, record_of
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.geometry.broad_phase import reach_of, speeds
from nsgalpha.linalg.single_thread import one_thread
from nsgalpha.model.compliant_law import INSTANT
from nsgalpha.model.contact_element import AnchoredPairs
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import images_of
from nsgalpha.model.state import State
from nsgalpha.schemes.implicit.balance_newton import (
    MAX_ITERATIONS,
    ROUNDED,
    NewtonOutcome,
    Steps,
    Tangent,
    solve,
)
from nsgalpha.schemes.implicit.constrained_newton import JointedTangent
from nsgalpha.schemes.implicit.implicit_equations import Tangents
from nsgalpha.schemes.implicit.static_constraints import StaticConstraints
from nsgalpha.schemes.implicit.unilateral_equilibrium import refuse_others
from nsgalpha.stepping.poses import displace
from nsgalpha.stepping.status import Status
from nsgalpha.stepping.step_motion import move_frames, reached
from nsgalpha.system.periodic_checks import touching_distance
from nsgalpha.system.system import System

STEP = 0.2  # longest displacement in one iteration, over the smallest radius
PATIENCE = 20  # iterations in which mechanisms without contact may move on under a constant force
FURTHEST = 0.5  # by which joints follow their drives in a load step, over the smallest lever
ROUNDING = 4e-16  # of a coordinate, times the stiffness: the error of a force


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium(JointOutputs):
    """A state in which forces balance; true if they do. `status` says how it was found, or why not."""

    state: State  # of the last load step that balances
    status: Status
    residuals: list[Floats]  # by load step, of every iteration: largest unbalanced part of a body's forces
    free: int | None  # directions that meet no stiffness; smooth rotations do not count; None: not known
    unstable: int | None  # directions in which the state falls over; where contacts slip, may fall over
    model: Model

    def __bool__(self) -> bool:
        return self.status.ok

    @property
    def iterations(self) -> int:
        """Of all load steps."""
        return sum(len(residuals) - 1 for residuals in self.residuals)

    def _records(self) -> JointRecords:
        return record_of(self.model, self.state, of_forces(self.state.forces))


@named
@one_thread()
def equilibrium(
    model: Model,
    state: State | None = None,
    *,
    t: float | None = None,
    load_steps: int = 1,
    tol: float = 1e-10,
) -> Equilibrium:
    """The state in which the forces of `model` balance, found from `state` (default: the model's) on.

    Contacts must be compliant; velocities count as 0, dampers do nothing. Joints hold in it, and must in
    `state`; stops push and ropes pull where they have to. t [s]: time whose loads, drives and prescribed
    planes act, default that of the state. load_steps: parts in which gravity, loads and motors are applied
    one after the other, from nothing on; with `t`, parts of the time to it. tol: largest unbalanced force on
    a body over the largest force on it. Torques are over the distance from the centre to the surface, or to
    the furthest joint. Forces that are rounding errors of the coordinates times the stiffness balance.

    Where there is none, or it is not found, the status says so. Raises ValueError for an argument out of
    range, for joints that are open or on a wrong branch in `state`, and for passed stops. Also raises it for
    friction and brakes of joints, which bear any load up to their bound, and for other set-valued contacts.

    >>> from elements import CompliantSpherePlane, SpringDashpot
    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    >>> spring = SpringDashpot(stiffness=1e4)
    >>> element = model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=spring))
    >>> found = ns.equilibrium(model)
    >>> found.status.ok, found.state.position[ball].round(9)  # 0.1 - m g / k
    (True, array([0.   , 0.   , 0.099]))
    """
    instance("model", model, Model, "a Model")
    instance("state", state, State | None, "a State", "such as result.state()")
    steps = count("load_steps", load_steps)
    if not 1e-14 <= positive("tol", tol) <= 1e-3:
        raise refuse("tol", tol, "in [1e-14, 1e-3]", "1e-10 is a good choice")
    state = model.initial_state() if state is None else state
    end = state.t if t is None else number("t", t)
    if not np.isfinite(end):
        raise refuse("t" if t is not None else "state.t", end, "finite")
    loading = Loading(model, state, end)
    residuals = []
    for k in range(1, steps + 1):
        part = k / steps
        outcome = loading.advance(part if t is None else 1.0, state.t + part * (end - state.t), tol)
        residuals.append(np.array(outcome.residuals))
        if not outcome.solved:
            status = loading.failure(outcome, k, steps)
            return Equilibrium(loading.state, status, residuals, None, None, model)
    return loading.finished(residuals)


class Loading:
    """The bodies under loads that change in steps."""

    def __init__(self, model: Model, state: State, end: float) -> None:
        self.system = system = System(model)
        refuse_others(system, end)
        self.motion = system.motion(state)
        n = system.count
        self.motion.v[:], self.motion.w[:n], self.motion.dv[:], self.motion.a[:] = 0.0, 0.0, 0.0, 0.0
        self.t, self.part = state.t, 1.0
        self.lever, self.limit = system.levers(), STEP * system.thinnest
        self.patience = MAX_ITERATIONS
        self.held: StaticConstraints | None = None
        if system.model.joints or system.elements:
            self.patience = MAX_ITERATIONS if _touching(system) or system.elements else PATIENCE
            self.lever = np.maximum(system.joints.lever, np.where(system.joints.lever > 0.0, 0.0, self.lever))
            self.limit = STEP * (system.thinnest if _touching(system) else float(self.lever.min()))
            self.held = StaticConstraints(system, self.motion, state.joints, self.lever)
        self.contacts = CompliantForces(system)
        self.increment = np.zeros((system.size, 6))
        self.rounding: Floats | None = None  # (N,) errors of the forces at the last tangent
        self.before = copy_motion(self.motion)
        self.frames = system.frames_at([state.t])[0][0]
        self._find()
        if state.contacts is not None:
            self.contacts.remember(state.contacts)
        else:
            self._here()
            self.contacts.commit()  # contacts that are closed at the start begin their histories here
        self.state = self._state()

    def _state(self) -> State:
        state = self.system.state(self.t, self.motion, self.contacts.history())
        return state if self.held is None else replace(state, forces=self.held.stops.contacts())

    def _here(self) -> Floats:
        """Wrenches of the contacts where the bodies are, without a displacement."""
        self.increment[:] = 0.0
        self.contacts.set_time(self.t)
        return self.contacts.evaluate(self.motion, self.increment, INSTANT)

    def _find(self) -> None:
        """Broad phase at the present positions, which the step began at those before."""
        self.reach = reach_of(speeds(self.motion.v), self.system.bodies.extent[: self.system.count], 1.0)
        self.anchor = self.motion.x.copy()
        self.images = images_of(self.system.cell, self.anchor, touching_distance(self.system) + self.reach)
        self.contacts.find(self.motion, self.reach)
        self.contacts.begin(self.before)

    def advance(self, part: float, t: float, tol: float) -> NewtonOutcome:
        """Balance under the `part` of the loads at the time `t` [s]; kept if it is found."""
        frames, ending = self.system.frames_at([t])
        if ending:
            raise ValueError(ending)
        self.before, self.memory = copy_motion(self.motion), self.frames
        self.h, self.t, self.part, self.frames = t - self.t, t, part, frames[0]
        self.contacts.begin(self.before)
        if self.held is not None:
            self.held.stops.begin(t, part)
        still = np.zeros((self.system.count, 6))
        self._go(still)
        furthest = FURTHEST * float(self.lever.min())
        start = still if self.held is None else self.held.moved(self.motion, still, still, furthest)
        if start is None:
            return NewtonOutcome(False, still, still, [np.inf])
        outcome = solve(self, start, tol, float(np.abs(self.motion.x).max()))
        if outcome.solved:
            self.contacts.commit()
            if self.held is not None:
                self.held.keep(self.motion)
            self.state = self._state()
        return outcome

    def moved(self, u: Floats, du: Floats) -> Floats | None:
        """The displacements (N, 6) after `u` and then `du`; None if joints do not hold there."""
        if self.held is None:
            return u + du
        self._go(u)
        return self.held.moved(self.motion, u, du, self.limit)

    def _go(self, u: Floats) -> None:
        """The bodies where the displacements `u` (N, 6) of this load step lead, frames at its end."""
        n, motion = self.system.count, self.motion
        self.increment[:n], self.increment[n:] = u, 0.0
        displace(self.before.x, self.before.q, self.increment, motion)
        motion.w[n:] = self.memory[:, 10:]
        move_frames(self.frames, n, self.h, motion, self.increment)
        motion.v[n:], motion.w[n:] = 0.0, 0.0

    def force(self, u: Floats) -> Floats:
        """Wrenches (N, 6) at the displacements `u` (N, 6) of this load step, less the joints' part."""
        self._go(u)
        motion = self.motion
        if reached(motion.x, self.anchor, self.images, self.reach):
            self._find()
        self.loads = self.part * self.system.loads(self.system.state(self.t, motion))
        self.contacts.set_time(self.t)
        total = self.loads + self.contacts.evaluate(motion, self.increment, self.h or INSTANT)
        return total if self.held is None else self.held.balance(motion, total, self.part)

    def keep(self) -> None:
        """The bodies have moved, and continue from there, under the same loads."""
        self.contacts.commit()
        self.before, self.memory, self.h = copy_motion(self.motion), self.frames, 0.0
        self.contacts.begin(self.before)

    def tangent(self, force: Floats, known: Steps | None) -> Tangent | JointedTangent:
        """The steps of Newton's method at the last `force`."""
        tangents = self._tangents()
        self.rounding = self._rounding(tangents)
        if self.held is not None:
            own = self.held.stiffness(self.motion)
            return JointedTangent(self.held, tangents, own, force, self.limit)
        equations = known.equations if isinstance(known, Tangent) else None
        tangent = Tangent(tangents, force, self.lever, self.limit, equations)
        tangent.fix(self.system.inactive.still)
        return tangent

    def _tangents(self) -> Tangents:
        return *self.contacts.tangents(1.0, 0.0), self.contacts.low_rank(1.0, 0.0)

    def _rounding(self, tangents: Tangents) -> Floats:
        """Errors (N,) [N] that rounding of the coordinates makes in forces with these `tangents`."""
        pattern, values, low = tangents
        places = np.ones((self.system.count, 6))  # [rad]
        places[:, :3] = np.abs(self.motion.x[: self.system.count])
        errors = abs(pattern.matrix(values)) @ places.ravel()
        if low is not None:
            errors += low._replace(c=np.abs(low.c), w=np.abs(low.w), g=np.abs(low.g)) @ places.ravel()
        return ROUNDING * self._largest(errors.reshape(-1, 6))

    def residual(self, force: Floats) -> float:
        """Largest part of the forces on a body, loads, contacts or joints, that `force` (N, 6) is."""
        return float(self._parts(force).max(initial=0.0)) if np.isfinite(force).all() else np.inf

    def _parts(self, force: Floats) -> Floats:
        """`residual` (N,) of all bodies; 0 where forces are hardly more than rounding errors."""
        own = np.maximum(self._largest(self.loads), self.contacts.largest())
        if self.held is not None:
            own = np.maximum(own, self.held.largest)
        if self.rounding is None:
            self.rounding = self._rounding(self._tangents())
        unbalanced = self._largest(force)
        scale = np.where(own > 0.0, own, max(own.max(initial=0.0), np.finfo(float).tiny))
        rounded = (unbalanced <= self.rounding) & (ROUNDED * own <= self.rounding)
        return np.where(rounded, 0.0, unbalanced / scale)

    def _largest(self, wrench: Floats) -> Floats:
        """Largest component (N,) of wrenches (N, 6) [N], torques over their lever."""
        return np.abs(np.hstack([wrench[:, :3], wrench[:, 3:] / self.lever[:, None]])).max(axis=1)

    def failure(self, outcome: NewtonOutcome, k: int, steps: int) -> Status:
        """Why load step `k` has no balance."""
        unbalanced = self._largest(outcome.force)
        worst = int((self._parts(outcome.force) if np.isfinite(unbalanced).all() else unbalanced).argmax())
        name = self.system.model.bodies[worst].name
        held = any((group.body == worst).any() for group in self.contacts.groups)
        held = held or bool((self.system.joints.table.body == worst).any())
        held = held or (self.held is not None and worst in self.held.stops.bodies())
        if not np.isfinite(outcome.residuals[0]):
            reason = "the joints do not close where drives and frames have moved to; take more load_steps"
        elif not held:
            reason = f"nothing holds {name!r}, on which {unbalanced[worst]:.3g} N act; hold it, or unload it"
        else:
            nearer = "begin nearer to it" if self.held else "begin with the end of a run under Overdamped"
            reason = (
                f"{outcome.residuals[-1]:.1e} of the forces is unbalanced after {len(outcome.residuals) - 1} "
                f"iterations, most on {name!r}; take more load_steps, {nearer}, or see whether anything can "
                "hold this body"
            )
        where = f"load step {k} of {steps}: " if steps > 1 else ""
        return Status(False, where + reason, self.t, "equilibrium", None, outcome.residuals[-1])

    def finished(self, residuals: list[Floats]) -> Equilibrium:
        """The result once all load steps balance."""
        self.before = copy_motion(self.motion)
        self.contacts.begin(self.before)
        force = self._here()
        if self.held is not None:
            force = self.held.balance(self.motion, self.loads + force, self.part)
        tangent = self.tangent(force, None)
        modes = tangent.modes()
        total = sum(len(each) - 1 for each in residuals)
        text = f"forces balance after {total} iterations"
        free, unstable = (None, None) if modes is None else modes
        if unstable:
            sure = "is not" if tangent.symmetric else "may not be"
            text += f"; it {sure} stable: {unstable} directions fall over; disturb it and solve again"
        if free:
            text += f"; it is not unique: {free} directions meet no stiffness"
        status = Status(True, text, self.t)
        return Equilibrium(self.state, status, residuals, free, unstable, self.system.model)


def _touching(system: System) -> bool:
    """True if bodies have surfaces that touch others; springs between points have none."""
    return bool(system.surfaces) or any(
        not isinstance(element.pairs, AnchoredPairs) for element in system.compliant
    )
