"""The operator `A = M + c_q K + c_v C` of corrections with compliant contacts, beside rows of joints.

Without them A is M (contact/islands/island_response.py). Compliant contacts couple all bodies: there are no
islands. For few rows the operator is a matrix; for many it
is never formed (forces/coupled_delassus.py).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, Ints, LowRank, Motion
from nsgalpha.constraints.saddle_point import Saddle, compliances, movable, owners, sparse_rows
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph
from nsgalpha.contact.body_rows import scatter
from nsgalpha.contact.impacts.velocity_problem import NEARLY_NONE
from nsgalpha.contact.islands.contact_residual import relative_residual
from nsgalpha.contact.islands.coupled_problem import dense_rows, solve_dense
from nsgalpha.contact.islands.island_response import Effort
from nsgalpha.contact.islands.islands import island_sets
from nsgalpha.contact.islands.large_island import solve_scaled
from nsgalpha.contact.multiplier_sets import scale_half_rows, scale_sparse
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.scaled_rows import half_rows
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sparse_delassus import Delassus
from nsgalpha.forces.coupled_delassus import Flexibility, Mass
from nsgalpha.linalg import Factor
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.stepping.smooth_motion import inertia_blocks

STRICTER, TIMES = 0.01, 3  # tolerance over the last, and how often, where coupled bodies have small islands
HELD = 1e-11  # part of G_c M^-1 G_c^T that rounding leaves of a row which joints hold
FORMED = 100  # rows up to which the operator of coupled bodies is a matrix, which is then faster


class Flexible:
    """A = M + `factor_q` K + `factor_v` C of the last evaluation of the compliant contacts."""

    stiff = True

    def __init__(self, now: StepData, motion: Motion, factor_q: float, factor_v: float) -> None:
        n = now.system.count
        self._now = now
        self._moves = movable(now.system.bodies)  # A has a mass where they do not, so that it is regular
        self._mass = np.empty((n, 6, 6))
        inertia_blocks(now.system.bodies, motion, np.zeros((n, 6)), 0.0, 0.0, self._mass)
        self._pattern, self._values = now.compliant.tangents(factor_q, factor_v)
        self._low = now.compliant.low_rank(factor_q, factor_v)
        self._soft: sparse.csr_array | None = None  # soft rows of joints
        self._factor: Factor | Saddle
        if now.system.model.joints:
            self._factor = self._jointed(factor_q, factor_v)
        else:
            self._factor = self._pattern.factorise(self._mass, self._values, self._low)

    def _jointed(self, factor_q: float, factor_v: float) -> Saddle:
        """The factor beside the rows of joints."""
        system, joints = self._now.system, self._now.system.joints
        c = compliances(joints, max(factor_q, NEARLY_NONE * factor_v**2), factor_v)
        self._compliance, soft = c, np.flatnonzero(c)
        if len(soft):
            G = sparse_rows(owners(joints)[soft], joints.rows.G[soft], system.count)
            self._soft = sparse.csr_array(G.T @ sparse.diags_array(1.0 / c[soft]) @ G)
        return self.beside_joints(c, self._pattern.assemble(self._mass, self._values), self._low)

    def beside_joints(self, c: Floats, A: sparse.csc_array, low: LowRank | None) -> Saddle:
        """`A` plus `low` beside the rows of joints with the compliances `c` (R,)."""
        system = self._now.system
        return Saddle(self._now.saddles, system.joints, system.bodies, c, A, low)

    def _through(self, wrench: Floats) -> Floats:
        out = np.zeros((self._now.system.size, 6))
        out[: self._now.system.count] = self._factor.solve(wrench).reshape(-1, 6)
        return out

    def free(self, wrench: Floats, U: Floats) -> Floats:
        """See BodyResponse."""
        rest = wrench - np.einsum("bij,bj->bi", self._mass, U[: len(wrench)])
        if self._soft is not None:
            rest -= (self._soft @ U[: len(wrench)].ravel()).reshape(-1, 6)
        return U + self._through(rest.ravel())

    def respond(self, rows: Rows, r: Floats) -> Floats:
        """See BodyResponse."""
        wrench = np.empty((self._pattern.count, 6))
        scatter(self._moving(rows), rows.row, rows.G, r, wrench)
        wrench *= self._moves[: self._pattern.count]
        return self._through(wrench.ravel())

    def solve(self, rows: Rows, b: Floats, r: Floats, tol: float, floor: Floats, effort: Effort) -> None:
        """See BodyResponse."""
        if not len(b):
            return
        W = self._formed(rows) if len(b) <= FORMED else None
        if W is not None and self._solve_dense(rows, W, b, r, tol, floor, effort):
            return
        problem, scale = self._through_bodies(rows) if W is None else self._scaled(rows, W)
        outcome = solve_scaled(problem, scale, b, r, tol, floor)
        effort.iterations += outcome.iterations
        effort.note(outcome, problem, r * scale, rows.contact)
        part = 1.0
        for _ in range(TIMES):  # by the largest rate of all, contacts of light bodies would be solved anyhow
            u = scale * problem.rates(r * scale)
            if not outcome.solved or relative_residual(rows, r, u, b, tol, floor)[2]:
                break
            part *= STRICTER
            outcome = solve_scaled(problem, scale, b, r, part * tol, part * floor)
            effort.iterations += outcome.iterations

    def _formed(self, rows: Rows) -> Floats:
        """W (n, n)."""
        G = np.zeros((len(rows.G), 6 * self._pattern.count))
        dense_rows(rows, G)
        G *= self._moves[: self._pattern.count].ravel()
        # refinement is for single solutions: it costs three times as much and changes the last digits
        W = np.ascontiguousarray(G @ self._factor.approximate(G.T))
        if self._now.system.model.joints:
            free = np.einsum("rsi,rsi->r", rows.G, rows.MG)
            held = W.diagonal() <= HELD * free
            W[held], W[:, held] = 0.0, 0.0
        return W

    def _solve_dense(
        self, rows: Rows, W: Floats, b: Floats, r: Floats, tol: float, floor: Floats, effort: Effort
    ) -> bool:
        """`solve` by the compiled method of small islands; True if it is solved."""
        part, found = 1.0, r.copy()
        for _ in range(1 + TIMES):
            iterations, residual, solved = solve_dense(rows, W, b, found, part * tol, part * floor)
            effort.iterations += iterations
            if not solved:
                return False
            if relative_residual(rows, found, W @ found + b, b, tol, floor)[2]:
                break
            part *= STRICTER
        r[:] = found
        effort.residual = max(effort.residual, residual)
        return True

    def _scaled(self, rows: Rows, W: Floats) -> tuple[ScaledProblem, Floats]:
        """Problem, and scale of its rows, with `W` (n, n)."""
        n, values = len(W), W.ravel()
        indptr, indices = n * np.arange(n + 1), np.tile(np.arange(n), n)
        sets, block = island_sets(rows, 0, len(rows.contact))
        scale = np.empty(n)
        scale_sparse(indptr, indices, values, sets, scale)
        matrix = sparse.csr_array((values, indices, indptr), shape=(n, n))
        return ScaledProblem(Delassus(matrix), np.zeros(n), sets, block), scale

    def _through_bodies(self, rows: Rows) -> tuple[ScaledProblem, Floats]:
        """Problem, and scale of its rows, with W that is not formed."""
        now, n = self._now, len(rows.G)
        H = half_rows(rows, now.system.bodies, now.system.work, 0, len(rows.contact))
        sets, block = island_sets(rows, 0, len(rows.contact))
        scale = np.empty(n)
        scale_half_rows(H, sets, scale)
        bound = BodyOperator(Graph(self._moving(rows), rows.row, 6), H)
        coupling = now.compliant.coupling(self._pattern, rows.body)
        beside = None
        if now.system.model.joints:
            beside = partial(self.beside_joints, self._compliance)
        mass = Mass(coupling, self._values, self._factor, self._low, beside)
        moves = np.repeat(self._moves[rows.body], np.diff(rows.row), axis=0)
        G = moves * rows.G / scale[:, None, None]
        W = Flexibility(mass, rows.body, G, bound)
        return ScaledProblem(W, np.zeros(n), sets, block), scale

    def _moving(self, rows: Rows) -> Ints:
        """Bodies (K, 2) of the contacts, FIXED for frames."""
        return np.where(rows.body < self._pattern.count, rows.body, FIXED)
