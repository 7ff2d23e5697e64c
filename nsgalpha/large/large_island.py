"""The contact problem of an island that is large, or that Newton's method left: sparse."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.contact import strategy
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import ROUNDING, scale_sparse
from nsgalpha.contact.strategy import Outcome
from nsgalpha.large.assembly import Pattern, fill_values, find_pattern
from nsgalpha.model.system import System
from nsgalpha.stepping.islands import island_sets
from nsgalpha.stepping.kinematics import Rows

TINY = 1e-300
ROUNDS = 6, 30  # fewest and most of contact/strategy.py: towards the tolerance, then what is acceptable
EFFORT = 3000  # rows times rounds, between these
ACCEPTABLE = 1e-3  # residual, relative, with which a step may go on


def solve_relative(problem: ScaledProblem, r: Floats, tol: float, floor: float) -> Outcome:
    """Solve to `tol` times the largest rate, or the rounding error `floor`; `r` (n,) is the start.

    The residual of the outcome is relative to the largest rate, and 0 within rounding error.
    """
    size = float(np.abs(problem.q).max())
    rounds = min(max(EFFORT // len(r), ROUNDS[0]), ROUNDS[1])
    outcome = strategy.solve(problem, r, max(tol * size, floor), rounds)
    if outcome.residual > ACCEPTABLE * size:
        more = strategy.solve(problem, r, max(ACCEPTABLE * size, floor), rounds)
        outcome = more._replace(
            solved=False,
            newton=outcome.newton + more.newton,
            proximal=outcome.proximal + more.proximal,
            sweeps=outcome.sweeps + more.sweeps,
        )
    rounding = max(floor, ROUNDING * float(np.abs(r).max()))
    residual = outcome.residual / max(size, TINY) if outcome.residual > rounding else 0.0
    return outcome._replace(residual=residual)


class Island(Protocol):
    """The scaled problem of the contacts `first` to `last` - 1, rows `part`, and the scale of the rows."""

    first: int
    last: int
    part: slice

    @property
    def scale(self) -> Floats:
        """Scale of the rows (n,)."""

    @property
    def problem(self) -> ScaledProblem:
        """The scaled problem."""


class LargeIsland:
    """The scaled problem of the contacts `first` to `last` - 1 of `rows`; `known` is a pattern to reuse."""

    def __init__(self, system: System, rows: Rows, first: int, last: int, known: Pattern | None) -> None:
        self.first, self.last = first, last
        self.part = slice(rows.row[first], rows.row[last])
        self.pattern = find_pattern(rows, system.bodies, first, last, known)
        values = fill_values(self.pattern, rows, system.bodies, first, last)
        sets, block = island_sets(rows, first, last)
        n = len(self.pattern.indptr) - 1
        self.scale = np.empty(n)
        scale_sparse(self.pattern.indptr, self.pattern.indices, values, sets, self.scale)
        W = sparse.csr_array((values, self.pattern.indices, self.pattern.indptr), shape=(n, n))
        self.problem = ScaledProblem(W, np.zeros(n), sets, block, self.pattern.carried)

    def solve(self, b: Floats, r: Floats, tol: float, floor: float) -> Outcome:
        """Solve `u = W r + b` for the multipliers `r` (R,), the start on entry, of all rows.

        `tol` is relative to the largest rate, `floor` the rounding error of the rates. The residual
        of the outcome is relative.
        """
        problem = self.problem
        problem.q = b[self.part] / self.scale
        scaled = r[self.part] * self.scale
        outcome = solve_relative(problem, scaled, tol, floor / float(self.scale.min()))
        r[self.part] = scaled / self.scale
        return outcome


class Patterns:
    """Patterns of the last large islands, by what they are for and their number among these."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Pattern] = {}

    def island(self, purpose: str, number: int, system: System, rows: Rows, k0: int, k1: int) -> LargeIsland:
        """The island of the contacts `k0` to `k1` - 1, on the pattern that stands if it still does."""
        island = LargeIsland(system, rows, k0, k1, self._known.get((purpose, number)))
        self._known[purpose, number] = island.pattern
        return island
