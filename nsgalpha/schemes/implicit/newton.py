"""Newton's method for the balance of forces, F(u) = 0, from the displacements u = 0 on.

    (K + s S) du = F(u),    K = -dF/du,    S = diag(1, 1, 1, R^2, R^2, R^2)

s is next to nothing, FLOOR times the largest stiffness, which keeps floating parts where they are. Where a
step is too long, or climbs, s grows: the step is then one of a motion against resistance, implicit in time,
and goes down in energy (pseudo-transient continuation: Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508).
s shrinks with the residual, so that convergence is quadratic. What happens in a resisted step is a motion,
which laws remember. Friction has no energy, and laws need not state theirs: a step climbs if the mean of the
forces before and after works against it, and the residual grows too.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.compliant.pattern import Pattern
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.schemes.implicit.equations import SYMMETRIC, Equations, equations_on
from nsgalpha.schemes.implicit.modes import free_and_unstable

FLOOR = 1e-12  # least s, over the largest stiffness,
FIRST = 1e-4  # and that after the first step that climbs
GROWTH, DECAY = 4.0, 0.5  # of s after steps that are refused, accepted
WORK = 1e-3  # least part of the work that the force before the step would do
IDLE = 1e-12  # stiffness against a rotation, over the largest, that is none
ROUNDING = 4e-16  # change of a position, over the largest, that is none,
ROUNDED = 1e-6  # if the residual is at most this
RESISTED = 1e-8  # s, over the largest stiffness, from which on a step is a motion
TRIALS = 60  # of one step
MAX_ITERATIONS = 1000


class Balance(Protocol):
    """Wrenches on the bodies at displacements (N, 6), inertial."""

    lever: Floats  # (N,) [m] by which rotations and torques are compared with displacements and forces
    limit: float  # [m] longest displacement in one iteration

    def force(self, u: Floats) -> Floats:
        """Wrenches (N, 6) at the displacements `u`."""

    def keep(self) -> None:
        """The last displacements are a motion that has happened: further ones begin there."""

    def stiffness(self) -> tuple[Pattern, Floats]:
        """Tangents K of the last wrenches as values on a pattern."""

    def residual(self, force: Floats) -> float:
        """The largest component of `force` over the forces that balance."""


class NewtonOutcome(NamedTuple):
    """How the iterations ended; all is that of the last one."""

    solved: bool
    u: Floats  # (N, 6)
    force: Floats  # (N, 6) not balanced
    residuals: list[float]  # of all iterations, the start included


class Tangent:
    """K at one iterate, and the steps that follow from it."""

    def __init__(self, balance: Balance, force: Floats, known: Equations | None) -> None:
        pattern, self.values = balance.stiffness()
        self.equations = equations_on(pattern, known, turning=True, direct=True)
        self.weight = np.ones_like(force)
        self.weight[:, 3:] = np.square(balance.lever)[:, None]
        self.matrix = pattern.matrix(self.values).copy()
        stiffness = np.abs(self.matrix.diagonal()).reshape(force.shape)
        forces = float(np.abs(force[:, :3]).max())
        self.largest = float(stiffness[:, :3].max()) or forces / balance.limit or 1.0
        # what turns without meeting anything, as smooth spheres do, is held
        idle = stiffness[:, 3:].max(axis=1) <= IDLE * self.largest * self.weight[:, 3]
        self.held = np.zeros_like(force)
        self.held[idle, 3:] = self.largest * self.weight[idle, 3:]

    def step(self, force: Floats, shift: float) -> Floats | None:
        """Displacements (N, 6), or None where there is no solution."""
        blocks = (shift * self.weight + self.held)[:, :, None] * np.eye(6)
        try:
            return self.equations.solve(blocks, self.values.copy(), force, np.zeros_like(force))[0]
        except SingularMatrixError:
            return None

    def modes(self) -> tuple[int, int] | None:
        """Numbers of free and of unstable directions, see modes.py."""
        K = self.matrix + sparse.diags_array(self.held.ravel())
        return free_and_unstable(K, self.weight.ravel(), self.largest)

    @property
    def symmetric(self) -> bool:
        """True if forces have an energy here: no contact slips."""
        return bool(abs(self.matrix - self.matrix.T).max() <= SYMMETRIC * self.largest)

    def length(self, u: Floats) -> float:
        """Largest displacement in `u` (N, 6) [m], rotations times their lever."""
        return float((np.abs(u) * np.sqrt(self.weight)).max())


def solve(balance: Balance, count: int, tol: float, largest: float) -> NewtonOutcome:
    """Displacements of `count` bodies at which forces balance to `tol`; `largest` is a coordinate [m]."""
    u = np.zeros((count, 6))
    force, shift, tangent = balance.force(u), 0.0, None
    residuals = [balance.residual(force)]
    while residuals[-1] > tol and len(residuals) <= MAX_ITERATIONS:
        tangent = Tangent(balance, force, None if tangent is None else tangent.equations)
        shift = max(shift, FLOOR * tangent.largest)
        for _ in range(TRIALS):
            du = tangent.step(force, shift)
            length = np.inf if du is None else tangent.length(du)
            if du is None or length > balance.limit:
                longer = length / balance.limit if np.isfinite(length) else FIRST / FLOOR
                shift *= max(2.0, longer)
                continue
            new = balance.force(u + du)
            residual = balance.residual(new)
            if residual < residuals[-1] or _descends(force, new, du):
                break
            shift = max(GROWTH * shift, FIRST * tangent.largest)
        else:
            return NewtonOutcome(False, u, force, residuals)
        u, force = u + du, new
        if shift > RESISTED * tangent.largest:
            balance.keep()
            u = np.zeros_like(u)
        shift *= min(DECAY, residual / residuals[-1])
        residuals.append(residual)
        if length <= ROUNDING * largest and residual <= ROUNDED:
            return NewtonOutcome(True, u, force, residuals)
    return NewtonOutcome(residuals[-1] <= tol, u, force, residuals)


def _descends(before: Floats, after: Floats, du: Floats) -> bool:
    """True if the energy falls over the displacement `du`, by the trapezoidal rule."""
    first, last = float((before * du).sum()), float((after * du).sum())
    return first > 0.0 and 0.5 * (first + last) >= WORK * first
