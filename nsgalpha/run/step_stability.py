"""Stability of explicit steps in the contacts of a run.

Without it forces are noise, and no other number shows that.

Velocity Verlet takes damping forces at v_n + h a_n. A mode of the stiffness K and the damping C then grows,
with alternating signs, as soon as

    det( 4 M - h^2 K - 4 h C ) = 0,    or    h^2 k + 4 h c > 4

with k = u^T K u and c = u^T C u of a vector u, u^T M u = 1. Open contacts bound the growth: the energy does
not rise, and the run goes to its end with forces that are noise. Many contacts of a body add up, in a dense
packing to six times those of a pair. K and C are those of the recorded contacts (contact_tangents.py); the
largest eigenvalue by Lanczos' method is approached from below, so that no stable step is named. Resistances
that friction bounds tremble and do not grow: they are left out.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from scipy.sparse import bsr_array, csc_array
from scipy.sparse.linalg import ArpackError, eigsh

from nsgalpha.arrays import Floats, turned
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.forces.step_size import contact_time
from nsgalpha.model.compliant_law import SENSES
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.recorder import Recorded, spread_over
from nsgalpha.system.system import System

LIMIT = 4.0
FEWEST = 20.0  # steps in a contact: with 12 neighbours each, and at most critical damping, they are stable
LOOKS = 4  # states that are looked at, of a run or of a part that is written
PRECISION = 1e-3  # of an eigenvalue


class StepStability:
    """The looks at the contacts of a run of `system` in steps of `h` [s], which are `explicit` ones."""

    def __init__(self, system: System, h: float, explicit: bool) -> None:
        self.system, self.h = system, h
        self._stable: bool | None = None if explicit else True  # without a look; None: not known yet
        #: the shortest stable step [s] that was seen, and when [s]
        self.shortest: tuple[float, float] | None = None

    def look(self, seen: Recorded) -> None:
        """Find the stable steps of some of the states."""
        if self._stable is None:
            self._stable = FEWEST * self.h <= _contact_time(self.system.model)
        if self._stable:
            return
        for k in spread_over(len(seen.t), LOOKS).tolist():
            if all(np.isfinite(part[k]).all() for part in (seen.x, seen.q, seen.v, seen.w)):
                stable = stable_step(self._evaluated, seen.state(k), self.h)
                if stable < (self.h if self.shortest is None else self.shortest[0]):
                    self.shortest = stable, float(seen.t[k])

    @cached_property
    def _evaluated(self) -> System:
        """The system of the evaluations, beside that of the run."""
        return System(self.system.model)

    def __str__(self) -> str:
        """Sentence of the status; empty if the steps were stable."""
        if self.shortest is None:
            return ""
        stable, t = self.shortest
        return (
            f"the step is {self.h / stable:.3g} times the longest that is stable in the contacts of "
            f"t = {t:g} s, whose forces become noise: take h = {0.5 * stable:.1g} s or less"
        )


def _contact_time(model: Model) -> float:
    """`contact_time`, inf without a stiffness."""
    try:
        return contact_time(model)
    except ValueError:
        return np.inf


def stable_step(system: System, state: State, h: float) -> float:
    """The longest stable step [s] in the contacts of a `state`; inf if `h` is stable."""
    forces, motion, _ = evaluated(system, state)
    if not any(group.closed for group in forces.groups):
        return np.inf
    for group in (*forces.pairs, *forces.surfaces):
        group.response.by_rate[:, 1:] = 0.0
    root = _inverse_root(system, motion.q)
    K, C = (root.T @ _matrix(forces, *of) @ root for of in ((1.0, 0.0), (0.0, 1.0)))
    start = np.random.default_rng(0).standard_normal(root.shape[0])
    try:
        (largest,), u = eigsh(h * h * K + 4.0 * h * C, 1, which="LA", v0=start, tol=PRECISION)
    except ArpackError:  # it has not converged: nothing is known
        return np.inf
    k, c = (float(u[:, 0] @ (each @ u[:, 0])) for each in (K, C))
    return np.inf if largest <= LIMIT else LIMIT / (2.0 * c + math.sqrt(4.0 * c * c + LIMIT * k))


def _matrix(forces: CompliantForces, factor_q: float, factor_v: float) -> csc_array:
    """The symmetric part of `factor_q K + factor_v C` (6 N, 6 N)."""
    pattern, values = forces.tangents(factor_q, factor_v)
    matrix = pattern.matrix(values).copy()
    return csc_array(0.5 * (matrix + matrix.T))


def _inverse_root(system: System, q: Floats) -> bsr_array:
    """L (6 N, 6 N) with L L^T = M^-1; 0 of bodies that forces do not move, or that joints guide."""
    count, bodies = system.count, system.bodies
    blocks = np.zeros((count, SENSES, SENSES))
    blocks[:, :3, :3] = np.sqrt(bodies.inverse_mass[:count, None, None]) * np.eye(3)
    values, own = np.linalg.eigh(bodies.inverse_inertia[:count])
    axes: Floats = np.ascontiguousarray(own.transpose(0, 2, 1))  # a row each
    inertial = turned(q[:count, None], axes)
    blocks[:, 3:, 3:] = inertial.transpose(0, 2, 1) * np.sqrt(np.maximum(values, 0.0))[:, None]
    blocks[system.numbers[system.numbers < count]] = 0.0
    return bsr_array((blocks, np.arange(count), np.arange(count + 1)))
