"""Equilibrium: the state in which the forces on all bodies balance, without a motion that leads there.

    F(x) = 0,    F: gravity, loads, and compliant contacts at rest

A load step is to the laws what a time step is: friction springs see the displacements since its start, and
what laws remember is kept when the forces balance. No time passes in it, unless it leads to another time.
Where Newton's method takes a step against resistance, it begins anew. See newton.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.checks import count, instance, number, positive, refuse
from nsgalpha.compliant.contacts import CompliantForces
from nsgalpha.compliant.law import INSTANT
from nsgalpha.compliant.pattern import Pattern
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.system import System
from nsgalpha.run.forces_stepper import refuse_set_valued
from nsgalpha.run.status import Status
from nsgalpha.schemes.explicit.verlet import move_frames
from nsgalpha.schemes.implicit.newton import NewtonOutcome, Tangent, solve
from nsgalpha.stepping.broadphase import reach_of
from nsgalpha.stepping.motion import reached
from nsgalpha.stepping.pose import displace

STEP = 0.2  # longest displacement in one iteration, over the smallest radius


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """A state in which forces balance; true if they do. `status` says how it was found, or why not."""

    state: State  # of the last load step that balances
    status: Status
    residuals: list[Floats]  # by load step, of every iteration: the largest unbalanced force over the forces
    free: int | None  # directions that meet no stiffness; smooth rotations do not count; None: not known
    unstable: int | None  # directions in which the state falls over; where contacts slip, may fall over

    def __bool__(self) -> bool:
        return self.status.ok

    @property
    def iterations(self) -> int:
        """Of all load steps."""
        return sum(len(residuals) - 1 for residuals in self.residuals)


def equilibrium(
    model: Model,
    state: State | None = None,
    *,
    t: float | None = None,
    load_steps: int = 1,
    tol: float = 1e-10,
) -> Equilibrium:
    """The state in which the forces of `model` balance, found from `state` (default: the model's) on.

    Contacts must be compliant; velocities count as 0. t [s]: time whose loads and prescribed planes act,
    default that of the state. load_steps: parts in which gravity and loads are applied one after the other,
    from nothing on; with `t`, parts of the time to it. tol: largest unbalanced force over the largest force,
    torques over the distance from the centre to the surface.

    Where there is none, or it is not found, the status says so. Raises ValueError for an argument out of
    range, for set-valued contacts and for joints.

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
            return Equilibrium(loading.state, loading.failure(outcome, k, steps), residuals, None, None)
    return loading.finished(residuals)


class Loading:
    """The bodies under loads that change in steps."""

    def __init__(self, model: Model, state: State, end: float) -> None:
        self.system = system = System(model)
        refuse_set_valued(system, "equilibrium")
        system.refuse_joints("equilibrium")
        self.motion = system.motion(state)
        n = system.count
        self.motion.v[:], self.motion.w[:n], self.motion.dv[:], self.motion.a[:] = 0.0, 0.0, 0.0, 0.0
        self.t, self.part = state.t, 1.0
        self.lever, self.limit = system.levers(), STEP * system.thinnest
        self.contacts = CompliantForces(system)
        self.increment = np.zeros((system.size, 6))
        self.before = _copy(self.motion)
        self.frames = system.frames_at([state.t])[0][0]
        self._find()
        if state.contacts is not None:
            self.contacts.remember(state.contacts)
        else:
            self._here()
            self.contacts.commit()  # contacts that are closed at the start begin their histories here
        self.state = self._state()

    def _state(self) -> State:
        return self.system.state(self.t, self.motion, self.contacts.history())

    def _here(self) -> Floats:
        """Wrenches of the contacts where the bodies are, without a displacement."""
        self.increment[:] = 0.0
        return self.contacts.evaluate(self.motion, self.increment, INSTANT)

    def _find(self) -> None:
        """Broad phase at the present positions, which the step began at those before."""
        self.reach = reach_of(self.motion.v, self.system.bodies.extent[: self.system.count], 1.0)
        self.anchor = self.motion.x.copy()
        self.contacts.find(self.motion, self.reach)
        self.contacts.begin(self.before)

    def advance(self, part: float, t: float, tol: float) -> NewtonOutcome:
        """Balance under the `part` of the loads at the time `t` [s]; kept if it is found."""
        frames, ending = self.system.frames_at([t])
        if ending:
            raise ValueError(ending)
        self.before, self.memory = _copy(self.motion), self.frames
        self.h, self.t, self.part, self.frames = t - self.t, t, part, frames[0]
        self.contacts.begin(self.before)
        outcome = solve(self, self.system.count, tol, float(np.abs(self.motion.x).max()))
        if outcome.solved:
            self.contacts.commit()
            self.state = self._state()
        return outcome

    def force(self, u: Floats) -> Floats:
        """Wrenches (N, 6) at the displacements `u` (N, 6) of this load step."""
        n, motion = self.system.count, self.motion
        self.increment[:n], self.increment[n:] = u, 0.0
        displace(self.before.x, self.before.q, self.increment, motion)
        motion.w[n:] = self.memory[:, 10:]
        move_frames(self.frames, n, self.h, motion, self.increment)
        motion.v[n:], motion.w[n:] = 0.0, 0.0
        if reached(motion.x, self.anchor, self.reach):
            self._find()
        self.loads = self.part * self.system.loads(self.system.state(self.t, motion))
        return self.loads + self.contacts.evaluate(motion, self.increment, self.h or INSTANT)

    def keep(self) -> None:
        """The bodies have moved to where they are, and go on from there, under the same loads."""
        self.contacts.commit()
        self.before, self.memory, self.h = _copy(self.motion), self.frames, 0.0
        self.contacts.begin(self.before)

    def stiffness(self) -> tuple[Pattern, Floats]:
        """Tangents of the contacts in the last evaluation."""
        return self.contacts.tangents(1.0, 0.0)

    def residual(self, force: Floats) -> float:
        """Largest component of `force` (N, 6) over the largest load or force of a contact."""
        if not np.isfinite(force).all():
            return np.inf
        scale = max(self._largest(self.loads), float(self.contacts.largest().max()))
        unbalanced = self._largest(force)
        return unbalanced / scale if scale > 0.0 else 0.0

    def _largest(self, wrench: Floats) -> float:
        return float(np.abs(self._by_lever(wrench)).max())

    def _by_lever(self, wrench: Floats) -> Floats:
        """Forces, and torques over their lever (N, 6) [N]."""
        return np.hstack([wrench[:, :3], wrench[:, 3:] / self.lever[:, None]])

    def failure(self, outcome: NewtonOutcome, k: int, steps: int) -> Status:
        """Why load step `k` has no balance."""
        unbalanced = np.abs(self._by_lever(outcome.force)).max(axis=1)
        worst = int(unbalanced.argmax())
        name = self.system.model.bodies[worst].name
        held = any((group.body == worst).any() for group in self.contacts.groups)
        if not held:
            reason = f"nothing holds {name!r}, on which {unbalanced[worst]:.3g} N act; hold it, or unload it"
        else:
            reason = (
                f"{outcome.residuals[-1]:.1e} of the forces is unbalanced after {len(outcome.residuals) - 1} "
                f"iterations, most on {name!r}; take more load_steps, begin with the end of a run under "
                "Overdamped, or see whether anything can hold this body"
            )
        where = f"load step {k} of {steps}: " if steps > 1 else ""
        return Status(False, where + reason, self.t, "equilibrium", None, outcome.residuals[-1])

    def finished(self, residuals: list[Floats]) -> Equilibrium:
        """The result once all load steps balance."""
        self.before = _copy(self.motion)
        self.contacts.begin(self.before)
        tangent = Tangent(self, self._here(), None)
        modes = tangent.modes()
        total = sum(len(each) - 1 for each in residuals)
        text = f"forces balance after {total} iterations"
        free, unstable = (None, None) if modes is None else modes
        if unstable:
            sure = "is not" if tangent.symmetric else "may not be"
            text += f"; it {sure} stable: {unstable} directions fall over; disturb it and solve again"
        if free:
            text += f"; it is not unique: {free} directions meet no stiffness"
        return Equilibrium(self.state, Status(True, text, self.t), residuals, free, unstable)


def _copy(motion: Motion) -> Motion:
    return Motion(*(part.copy() for part in motion))
