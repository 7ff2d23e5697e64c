"""The scaled contact problem that the methods of this package work on, and its residual.

    u = W r + q,     r in K,     u + s e_N in K*,    orthogonal

with an operator W of unit diagonal (multiplier_sets.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Analysis, Cones, Inverse, Invertible, Operator
from nsgalpha.contact.multiplier_sets import ROUNDING, Sets, natural_map


@dataclass
class Carried:
    """The memory between problems on one pattern."""

    analysis: Analysis = field(default_factory=Analysis)
    held: Analysis = field(default_factory=Analysis)  # of the free rows alone
    sigma: float | None = None  # of the proximal point method, where a problem was left unsolved
    unsolved: bool = False  # whether the last problem was, or nearly
    step: int = 0  # number of the step, see large_island.py
    effort: float = 1.0  # factor of the work that a solution may take, see large_island.py
    attempt: int = 0  # which of its settings Newton's method is to try next on an unsolved problem


@dataclass
class ScaledProblem:
    """W (n, n) scaled to a unit diagonal; `block` (K + 1,) are the offsets of the contacts' sets."""

    W: Operator
    q: Floats
    sets: Sets
    block: Ints
    carried: Carried = field(default_factory=Carried)

    @property
    def cones(self) -> Cones:
        """The first arguments of the functions of friction_cone.py."""
        return self.sets, self.block

    @property
    def invertible(self) -> Invertible:
        """W, where it is not that of free bodies (body_strategy.py)."""
        return cast("Invertible", self.W)

    def rates(self, r: Floats) -> Floats:
        """`u = W r + q` (n,)."""
        return self.W @ r + self.q

    def residual(self, r: Floats, u: Floats) -> float:
        """Largest entry of the natural map of multiplier_sets.py, by weight: 0 at the solutions."""
        return natural_map(self.sets, r, u, np.empty_like(r))

    def largest(self, F: Floats) -> float:
        """Largest entry of `F` (n,), by weight."""
        return float((self.weight * np.abs(F)).max(initial=0.0))

    def rounding(self, r: Floats) -> float:
        """Error that rounding makes in `residual` at the multipliers `r` (n,)."""
        return ROUNDING * self.largest(r)

    @property
    def weight(self) -> Floats:
        """Weights (n,) of the rows."""
        return np.repeat(self.sets.weight, self.sets.size)

    def project(self, y: Floats) -> Floats:
        """Projection of `y` (n,) on the cones."""
        P = np.empty_like(y)
        friction_cone.project(*self.cones, y, P)
        return P

    def shifted(self, u: Floats) -> Floats:
        """`u + s e_N` (n,)."""
        out = np.empty_like(u)
        friction_cone.shift(*self.cones, u, out)
        return out

    def function(self, which: int, y: Floats, a: float = 1.0, c: float = 0.0) -> Floats:
        """Blocks (K, 6, 6) of a function of the derivative D of the projection at `y`; see cone.spectral."""
        out = np.empty((len(self.block) - 1, friction_cone.MOST_ROWS, friction_cone.MOST_ROWS))
        friction_cone.spectral(*self.cones, y, which, a, c, out)
        return out

    def apply(self, D: Floats, x: Floats) -> Floats:
        """`D x` for blocks `D` (K, 6, 6)."""
        out = np.empty_like(x)
        friction_cone.apply_blocks(*self.cones, D, x, out)
        return out

    def inverse(self, T: Floats) -> Inverse:
        """`z -> (I + T W T)^-1 z` for symmetric blocks `T` (K, 6, 6); raises linalg.SingularMatrixError."""
        return self.invertible.inverse(T, self.cones, self.carried.analysis)


class SolverOutcome(NamedTuple):
    """The effort of a solution. `residual` is the largest entry of the natural map."""

    method: str  # that finished
    solved: bool
    residual: float
    newton: int  # iterations, also of the interior point method
    proximal: int  # Newton iterations in steps of the proximal point method
    sweeps: int  # of Gauss-Seidel
    error: float = 0.0  # violation of the law of a contact [m/s] that the residual stands for, in a step
    acceptable: bool = False  # whether the step of a run may continue with it, see large_island.py

    @property
    def iterations(self) -> int:
        """Sum of the iterations of all methods."""
        return self.newton + self.proximal + self.sweeps
