"""The velocities of a linearly implicit step, without inertia and with it.

    (Gamma + C + lambda h K) v* = F + C v_n                                       without: v_{n+1} = v*
    (M + lambda h (Gamma + C) + lambda^2 h^2 K) dv = h (F - Gamma v_n - lambda h K v_n)        with:
    v* = v_n + lambda dv,    v_{n+1} = v_n + dv

F(x_n, v_n) are the forces, at t_n + lambda h where they depend on time, K = -dF/dx, C = -dF/dv the tangents
of the contacts, Gamma the resistances of the bodies. The second is a step of Newton's method from the start
of the step for

    M dv = h F(x_n + lambda h v*, v*),    x_{n+1} = x_n + h v*

a Rosenbrock method of one stage: of second order for lambda = 1/2, the linearly implicit midpoint rule, of
first for others. With M = 0 both have the same v*.

Forces may grow in the direction of a motion, for example by adhesion. Across the normal of a contact pressed
with F, whose centres are D apart, the stiffness is -F/D. A body that leaves along such a direction leaves
like e^(z t/h), with z = h F/(Gamma D); the step multiplies by 1/(1 - z), is infinite for z = 1, and goes the
other way beyond. Growing forces may cancel the part SOFT of the resistance to a motion u,

    -lambda h u . K u  <=  SOFT u . (Gamma + C) u            without inertia,
    -lambda^2 h^2 u . K u  <=  SOFT u . (M + lambda h (Gamma + C)) u            with,

tested on the solution, and on the solution with every body weighted by its speed. In the latter many bodies
do not hide the few that are thrown. A step that fails is taken in parts: the left sides vanish with h faster
than the right ones.

Bodies whose inertia has a direction turn in their own frame, as in stepping/smooth_motion.py; see
rigid_rotation.py.

Source: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, sec. IV.7.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.linalg.low_rank import summed
from nsgalpha.model.handles import own_all
from nsgalpha.schemes.implicit.implicit_equations import SOFT, Equations, equations_on
from nsgalpha.schemes.implicit.rigid_rotation import add_gyroscopic, carry, inertial_accelerations
from nsgalpha.schemes.scheme_settings import MotionResistance, Overdamped, SemiImplicit
from nsgalpha.stepping.smooth_motion import inertia_blocks
from nsgalpha.system.system import System

NAMED = 5  # bodies of a message


class Velocities(Protocol):
    """The velocities of one scheme."""

    @property
    def singular(self) -> str:
        """Message where they are not determined."""

    def solve(self, motion: Motion, wrench: Floats, h: float) -> tuple[Floats, Floats, int]:
        """Velocities v* and changes dv (N, 6), inertial at `motion`, under `wrench` (N, 6); iterations.

        For a step of `h` [s]; raises SingularMatrixError where it is too long, or nothing resists.
        """

    def accept(self, before: Motion, change: Floats, h: float, motion: Motion) -> None:
        """Write the velocities after the step of `h` [s] from `before` to the poses in `motion`."""

    def last(self, motion: Motion, h: float) -> Floats:
        """v* (N, 6) of the step of `h` [s] that led to `motion`."""


class Free:
    """Without inertia."""

    def __init__(self, system: System, contacts: CompliantForces, scheme: Overdamped, motion: Motion) -> None:
        self.contacts, self.resistances = contacts, Resistances(system, scheme.resistances)
        self.implicitness, self.count = scheme.implicitness, system.count
        self.turning = bool(self.resistances.at(motion)[:, 3:, 3:].any())
        if not self.turning:
            motion.w[: self.count] = 0.0
        self.equations: Equations | None = None

    @property
    def singular(self) -> str:
        """See Velocities; with the names of bodies that no resistance slows down."""
        return (
            f"the resistances do not determine the velocities{self.resistances.missing()}: give every body "
            "one, and more or a smaller h where contacts pull, or press on bodies that can slip out sideways"
        )

    def blocks(self, motion: Motion) -> Floats:
        """Resistances (N, 6, 6), and stiffnesses that stop rotations of other bodies."""
        return self.resistances.at(motion) + self.resistances.held

    def solve(self, motion: Motion, wrench: Floats, h: float) -> tuple[Floats, Floats, int]:
        """See Velocities."""
        old = twist(motion, self.count)
        wrench = wrench + self.contacts.damping(old)
        blocks = self.blocks(motion)
        pattern, values = self.contacts.tangents(self.implicitness * h, 1.0, self.turning)
        low = self.contacts.low_rank(self.implicitness * h, 1.0)
        self.equations = equations_on(pattern, self.equations, self.turning)
        v, iterations = self.equations.solve(blocks, values, wrench, old, self.contacts.frictionless, low)
        refuse_growth(self.equations, blocks, self.contacts, 1.0, v)
        return v, v - old, iterations

    def accept(self, before: Motion, change: Floats, h: float, motion: Motion) -> None:
        """See Velocities."""
        n = self.count
        motion.v[:n], motion.w[:n] = before.v[:n] + change[:, :3], before.w[:n] + change[:, 3:]

    def last(self, motion: Motion, h: float) -> Floats:
        """See Velocities."""
        return twist(motion, self.count)


class Inert:
    """With inertia; `motion.dv` and `a` keep dv/h, its rotation in the frame of smooth_motion.py."""

    singular = (
        "inertia and resistances do not determine the velocities; reduce h where contacts pull, or press on "
        "bodies that can slip out sideways, and give every body a mass or a resistance"
    )

    def __init__(self, system: System, contacts: CompliantForces, scheme: SemiImplicit) -> None:
        self.system, self.contacts = system, contacts
        self.resistances = Resistances(system, scheme.resistances)
        self.implicitness = scheme.implicitness
        self.equations: Equations | None = None

    def solve(self, motion: Motion, wrench: Floats, h: float) -> tuple[Floats, Floats, int]:
        """See Velocities."""
        n, factor = self.system.count, self.implicitness * h
        old, resistance = twist(motion, n), self.resistances.at(motion)
        load = wrench - np.einsum("bij,bj->bi", resistance, old)
        blocks = np.empty((n, 6, 6))
        inertia_blocks(self.system.bodies, motion, load, factor * factor, factor, blocks)
        blocks += factor * resistance + self.resistances.held
        add_gyroscopic(self.system.bodies, motion, factor, load)
        if factor == 0.0:
            change = np.linalg.solve(blocks, h * load[:, :, None])[:, :, 0]
            return old, change, 1
        pattern, values = self.contacts.tangents(factor * factor, factor)
        low = self.contacts.low_rank(factor * factor, factor)
        # lambda h K v of the sum lambda h (lambda h K + C)
        product = summed(pattern.matrix(values), low) @ old.ravel()
        load += self.contacts.damping(old) - product.reshape(n, 6) / factor
        self.equations = equations_on(pattern, self.equations, turning=True)
        change, iterations = self.equations.solve(
            blocks, values, h * load, h * self._accelerations(motion), self.contacts.frictionless, low
        )
        refuse_growth(self.equations, blocks, self.contacts, factor, change)
        return old + self.implicitness * change, change, iterations

    def accept(self, before: Motion, change: Floats, h: float, motion: Motion) -> None:
        """See Velocities."""
        carry(self.system.bodies, before, change, h, motion)

    def last(self, motion: Motion, h: float) -> Floats:
        """See Velocities."""
        back = (1.0 - self.implicitness) * h
        return twist(motion, self.system.count) - back * self._accelerations(motion)

    def _accelerations(self, motion: Motion) -> Floats:
        """dv/h (N, 6) of the step before, inertial."""
        out = np.empty((self.system.count, 6))
        inertial_accelerations(self.system.bodies, motion, out)
        return out


class Resistances:
    """Resistances of the bodies, added up; ValueError for those that refer to another model."""

    def __init__(self, system: System, resistances: list[MotionResistance]) -> None:
        for each in resistances:
            own_all(system.model, f"resistance {type(each).__name__}", each)
        self.system, self.resistances = system, resistances
        self.total = np.zeros((system.count, 6, 6))  # at the last poses
        self.held = np.zeros((system.count, 6, 6))  # on the rotations of bodies that do not turn
        self.held[~system.turns, 3:, 3:] = np.eye(3)
        self.held[system.inactive.still] = np.eye(6)

    def at(self, motion: Motion) -> Floats:
        """Their sum (N, 6, 6) at the poses in `motion`."""
        total = np.zeros((self.system.count, 6, 6))
        for resistance in self.resistances:
            total += resistance.matrix(motion, self.system.bodies)
        self.total = total
        return total

    def missing(self) -> str:
        """`; 'a', 'b' and 3 more have none`, of bodies that move freely; empty without such bodies."""
        free = ~(self.total + self.held)[:, :3, :3].any(axis=(1, 2))
        names = [repr(self.system.model.bodies[k].name) for k in np.flatnonzero(free).tolist()]
        if not names:
            return ""
        shown = [*names[:NAMED], *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]
        return f"; {', '.join(shown)} {'has' if len(names) == 1 else 'have'} none"


def refuse_growth(
    equations: Equations, blocks: Floats, contacts: CompliantForces, factor_v: float, u: Floats
) -> None:
    """SingularMatrixError if forces grow too much in the direction of their solution `u` (N, 6), see above.

    `equations` have the matrix of the step with `blocks` (N, 6, 6) of the bodies and `factor_v` C.
    """
    speed = np.sqrt(np.abs(np.einsum("bi,bij,bj->b", u, blocks, u)))[:, None]
    largest = speed.max(initial=0.0)
    if largest == 0.0:
        return
    for motion in (u, speed / largest * u):
        bodies = float(np.einsum("bi,bij,bj->", motion, blocks, motion))
        resisted = bodies + factor_v * float((motion * contacts.damping(motion)).sum())
        growth = resisted - equations.work(motion)
        if growth > SOFT * max(bodies, resisted):
            raise SingularMatrixError("forces grow in the direction of the motion as much as it is resisted")


def twist(motion: Motion, count: int) -> Floats:
    """Velocities (N, 6) of `count` bodies."""
    return np.hstack([motion.v[:count], motion.w[:count]])
