"""Newton's method for the balance of forces, F(u) = 0, from the displacements u = 0 on.

    (K + s S) du = F(u),    K = -dF/du,    S = c diag(1, 1, 1, R^2, R^2, R^2)

The shift s is next to nothing, FLOOR times the largest stiffness, which keeps floating parts in place. The
factor c is 1, but for bodies that are held SOFTER times less than others, as light ones on heavy ones, which
it would stop. Where a step is too long, or climbs, s grows. The step is then one of a motion against
resistance, implicit in time, and goes down in energy (pseudo-transient continuation: Kelley and Keyes, SIAM
J. Numer. Anal. 35 (1998) 508). s shrinks with the residual, so that convergence is quadratic. A resisted step
is a motion, which histories record. Friction has no energy, and laws need not state theirs. A step climbs if
the mean of the forces before and after works against it, and the residual grows too.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Flags, Floats
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.schemes.implicit.implicit_equations import SYMMETRIC, Equations, Tangents, equations_on
from nsgalpha.schemes.implicit.stability_modes import free_and_unstable

FLOOR = 1e-12  # least s, over the largest stiffness,
FIRST = 1e-4  # and that after the first step that climbs
SOFTER = 1e4  # stiffness over that of a body from which on its part of S is less
GROWTH, DECAY = 4.0, 0.5  # of s after steps that are refused, accepted
WORK = 1e-3  # least part of the work that the force before the step would do
IDLE = 1e-12  # stiffness against a rotation, over the largest, that is none
ROUNDING = 4e-16  # change of a position, over the largest, that is none,
ROUNDED = 1e-6  # if the residual is at most this
RESISTED = 1e-8  # s, over the largest stiffness, from which on a step is a motion
TRIALS = 60  # of one step
SAME = 1e-9  # change of a residual that is none
MAX_ITERATIONS = 1000


class Steps(Protocol):
    """Steps of Newton's method at one iterate."""

    largest: float  # stiffness
    falls: bool  # whether a step must not work against the force

    def step(self, force: Floats, shift: float) -> Floats | None:
        """Displacements (N, 6) for the `force` (N, 6) with the `shift` s, or None if there is no solution."""

    def length(self, u: Floats) -> float:
        """Largest displacement in `u` (N, 6) [m], rotations times their lever."""


class Balance(Protocol):
    """Wrenches on the bodies at displacements (N, 6), inertial."""

    limit: float  # [m] longest displacement in one iteration
    patience: int  # iterations with one and the same residual after which nothing more is to be expected

    def force(self, u: Floats) -> Floats:
        """Wrenches (N, 6) at the displacements `u`."""

    def keep(self) -> None:
        """The last displacements are a motion that has happened: further ones begin there."""

    def moved(self, u: Floats, du: Floats) -> Floats | None:
        """The displacements after `u` and then `du`; None if joints do not hold there."""

    def tangent(self, force: Floats, known: Steps | None) -> Steps:
        """The steps at the last `force`; `known` are those of the iterate before."""

    def residual(self, force: Floats) -> float:
        """The largest component of `force` over the forces that balance."""


class NewtonOutcome(NamedTuple):
    """How the iterations ended; all is that of the last one."""

    solved: bool
    u: Floats  # (N, 6)
    force: Floats  # (N, 6) not balanced
    residuals: list[float]  # of all iterations, the start included


class Tangent:
    """K at one iterate, the `tangents` of the forces, and the steps that follow from it.

    `lever` (N,) [m] compares rotations with displacements, `limit` [m] is the longest step.
    """

    falls = False

    def __init__(
        self, tangents: Tangents, force: Floats, lever: Floats, limit: float, known: Equations | None = None
    ) -> None:
        pattern, self.values, self.low = tangents
        self.equations = equations_on(pattern, known, turning=True, direct=True)
        self.weight = np.ones_like(force)
        self.weight[:, 3:] = np.square(lever)[:, None]
        self.matrix = pattern.matrix(self.values).copy()
        stiffness = np.abs(self.matrix.diagonal()).reshape(force.shape)
        forces = float(np.abs(force[:, :3]).max())
        self.largest = float(stiffness[:, :3].max()) or forces / limit or 1.0
        # free rotations, as of smooth spheres, are held
        idle = stiffness[:, 3:].max(axis=1) <= IDLE * self.largest * self.weight[:, 3]
        # the stiffness of a body, or that which its force would need within a step
        own = np.maximum(stiffness[:, :3].max(axis=1), np.abs(force[:, :3]).max(axis=1) / limit)
        soft = np.where(own > 0.0, np.minimum(SOFTER * own / self.largest, 1.0), 1.0)
        self.resistance = self.weight * soft[:, None]
        self.held = np.zeros_like(force)
        self.held[idle, 3:] = self.largest * self.weight[idle, 3:]

    def fix(self, body: Flags) -> None:
        """The bodies (N,) stand still under any load."""
        self.held[body] = self.largest * self.weight[body]

    def step(self, force: Floats, shift: float) -> Floats | None:
        """Displacements (N, 6), or None where there is no solution."""
        blocks = (shift * self.resistance + self.held)[:, :, None] * np.eye(6)
        try:
            none = np.zeros_like(force)
            return self.equations.solve(blocks, self.values.copy(), force, none, low=self.low)[0]
        except SingularMatrixError:
            return None

    def modes(self) -> tuple[int, int] | None:
        """Numbers of free and of unstable directions, see stability_modes.py."""
        K = self.matrix + sparse.diags_array(self.held.ravel())
        return free_and_unstable(K, self.low, self.weight.ravel(), self.largest)

    @property
    def symmetric(self) -> bool:
        """True if forces have an energy here: no contact slips."""
        whole = self.low is None or self.low.symmetric
        return whole and bool(abs(self.matrix - self.matrix.T).max() <= SYMMETRIC * self.largest)

    def length(self, u: Floats) -> float:
        """Largest displacement in `u` (N, 6) [m], rotations times their lever."""
        return float((np.abs(u) * np.sqrt(self.weight)).max())


def solve(balance: Balance, u: Floats, tol: float, largest: float) -> NewtonOutcome:
    """Displacements after `u` (N, 6) at which forces balance to `tol`; `largest` is a coordinate [m]."""
    force, shift, tangent = balance.force(u), 0.0, None
    residuals = [balance.residual(force)]
    while residuals[-1] > tol and len(residuals) <= MAX_ITERATIONS:
        tangent = balance.tangent(force, tangent)
        shift = max(shift, FLOOR * tangent.largest)
        for _ in range(TRIALS):
            du = tangent.step(force, shift)
            length = np.inf if du is None else tangent.length(du)
            if du is None or length > balance.limit:
                longer = length / balance.limit if np.isfinite(length) else FIRST / FLOOR
                shift *= max(2.0, longer)
                continue
            there = None if tangent.falls and not float((force * du).sum()) > 0.0 else balance.moved(u, du)
            if there is not None:
                new = balance.force(there)
                residual = balance.residual(new)
                if residual < residuals[-1] or _descends(force, new, du):
                    break
            shift = max(GROWTH * shift, FIRST * tangent.largest)
        else:
            return NewtonOutcome(False, u, force, residuals)
        u, force = there, new
        if shift > RESISTED * tangent.largest:
            balance.keep()
            u = np.zeros_like(u)
        shift *= min(DECAY, residual / residuals[-1])
        residuals.append(residual)
        last = residuals[-1 - balance.patience :]  # the same: bodies move on under a constant force
        if len(last) > balance.patience and max(last) - min(last) <= SAME * last[-1]:
            break
        if length <= ROUNDING * largest and residual <= ROUNDED:
            return NewtonOutcome(True, u, force, residuals)
    return NewtonOutcome(residuals[-1] <= tol, u, force, residuals)


def _descends(before: Floats, after: Floats, du: Floats) -> bool:
    """True if the energy falls over the displacement `du`, by the trapezoidal rule."""
    first, last = float((before * du).sum()), float((after * du).sum())
    return first > 0.0 and 0.5 * (first + last) >= WORK * first
