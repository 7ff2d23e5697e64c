"""Response of bodies to multipliers, and the contact problem of all islands.

Small islands are solved dense and compiled (small_islands.py), others sparse (large_island.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nsgalpha.arrays import Bodies, Floats, Ints
from nsgalpha.constraints.jointed_response import project_velocities
from nsgalpha.contact.islands.large_island import Graphs, worst_contact
from nsgalpha.contact.islands.small_islands import solve_islands
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.rows.contact_kinematics import Rows, scatter
from nsgalpha.contact.scaled_problem import ScaledProblem, SolverOutcome
from nsgalpha.geometry.twists import divide


@dataclass(kw_only=True)
class Effort:
    """Statistics of the contact problems of a correction, and where they failed."""

    iterations: int = 0
    impacts: int = 0
    residual: float = 0.0  # largest, relative
    error: float = 0.0  # largest violation of the law of a contact that was not solved [m/s]
    capped: int = 0
    relaxed: int = 0  # problems that stay above the tolerance, but acceptable
    resting: int = 0  # large islands that keep their multipliers
    acceptable: bool = True  # whether the step may continue
    worst: int = -1  # candidate of the contact with the largest residual, where one is not solved

    def note(self, outcome: SolverOutcome, problem: ScaledProblem, r: Floats, contacts: Ints) -> None:
        """Count the `outcome` of a scaled `problem` of the candidates `contacts` (K,), solved by `r` (n,)."""
        if not outcome.solved and outcome.residual >= self.residual:
            self.worst = int(contacts[worst_contact(problem, r)])
        self.residual = max(self.residual, outcome.residual)
        self.relaxed += not outcome.solved
        self.error = max(self.error, 0.0 if outcome.solved else outcome.error)
        self.acceptable &= outcome.solved or outcome.acceptable


class BodyResponse(Protocol):
    """The operator A of a correction."""

    stiff: bool  # whether it follows the forces: then each iterate has its own

    def free(self, wrench: Floats, U: Floats) -> Floats:
        """The next iterate after `U` (B, 6), `U + A^-1 (wrench - M U)`, without contacts; `wrench` (N, 6)."""

    def respond(self, rows: Rows, r: Floats) -> Floats:
        """`A^-1 G^T r` (B, 6) to the multipliers `r` (R,)."""

    def solve(self, rows: Rows, b: Floats, r: Floats, tol: float, floor: Floats, effort: Effort) -> None:
        """Solve `u = G A^-1 G^T r + b` for `r` (R,), the start on entry; adds to the `effort`.

        `tol` is relative to the largest rate of an island, `floor` (R,) the rounding errors of `b`.
        """


class Inertia:
    """A = M, at the `inverse_inertia` (B, 3, 3), inertial; `graphs` are reusable data of large islands.

    `purpose` says which islands stand from one problem to the next; `tol` is the tolerance of small islands.
    `before` (R,) are the rates before the loads; None: zero.
    """

    stiff = False

    def __init__(
        self,
        bodies: Bodies,
        inverse_inertia: Floats,
        graphs: Graphs,
        purpose: str,
        tol: float,
        proximal: float = PROXIMAL,
        before: Floats | None = None,
    ) -> None:
        self._bodies, self._inverse_inertia = bodies, inverse_inertia
        self._graphs, self._purpose, self._tol, self._proximal = graphs, purpose, tol, proximal
        self._before = before

    def free(self, wrench: Floats, U: Floats) -> Floats:
        """See BodyResponse."""
        out = np.zeros_like(U)
        divide(self._bodies, self._inverse_inertia, 1.0, wrench, out)
        project_velocities(self._bodies.joints, out)
        return out

    def respond(self, rows: Rows, r: Floats) -> Floats:
        """See BodyResponse."""
        out = np.zeros((len(self._bodies.mass), 6))
        scatter(rows, r, out)
        return out

    def solve(self, rows: Rows, b: Floats, r: Floats, tol: float, floor: Floats, effort: Effort) -> None:
        """See BodyResponse."""
        unsolved = np.empty(len(rows.island) - 1, np.bool_)
        tolerance = 0.1 * self._tol, floor
        before = np.zeros_like(b) if self._before is None else self._before
        given = rows, self._bodies, (b, before), r, tolerance, self._proximal
        most, residual, left, effort.resting = solve_islands((None, False), *given, unsolved)
        effort.residual = max(effort.residual, residual)
        large = self._graphs.islands(self._purpose, self._bodies, self._inverse_inertia, rows, unsolved)
        for island in large if left else ():
            outcome = island.solve(b, r, tol, floor)
            most = max(most, outcome.iterations)
            contacts = rows.contact[island.first : island.last]
            effort.note(outcome, island.problem, r[island.part] * island.scale, contacts)
            if not effort.acceptable:
                break
        effort.iterations += most
