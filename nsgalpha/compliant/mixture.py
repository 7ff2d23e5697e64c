"""Position and velocity correction where set-valued contacts and compliant ones act in one model.

    M U - h^2 [f(q_{n+1}, v~) - f(q~, v~)] - G^T nu = 0                          (7) of the theory
    M W - h [f(q_{n+1}, v_{n+1}) - f(q~, v~)] - G^T Lambda = 0                   (10)

The compliant forces f may be stiff: both are solved by Newton's method with their tangents. Linearised,

    U = U_k + A^-1 (h^2 [f - f~] - M U_k + G^T nu),    A = M + h^2 K
    W = W_k + B^-1 (h [f - f~] - M W_k + G^T Lambda),  B = M + h C

so that the contact problem has the operator G A^-1 G^T (G B^-1 G^T) instead of G M^-1 G^T. Compliant
contacts couple all bodies: there are no islands. For few rows the operator is a matrix; for many it is never
formed (flexibility.py).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.compliant.flexibility import Flexibility, Mass, wide
from nsgalpha.compliant.newton import inertia_blocks
from nsgalpha.compliant.pattern import Pattern
from nsgalpha.contact.bodies import FIXED, Bodies, Graph
from nsgalpha.contact.delassus import Delassus
from nsgalpha.contact.residual import relative_residual
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import scale_half_rows, scale_sparse
from nsgalpha.contact.strategy import Outcome
from nsgalpha.large.assembly import half_rows
from nsgalpha.large.corrections import in_turn
from nsgalpha.large.impacts import impact_sequence
from nsgalpha.large.large_island import ACCEPTABLE, INNER, solve_relative
from nsgalpha.linalg import Factor, SingularMatrixError
from nsgalpha.run.status import POSITION
from nsgalpha.stepping.integrator import (
    CAPPED,
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    RELAXED,
    SUB_IMPACTS,
    VELOCITY_ITERATIONS,
    VELOCITY_RESIDUAL,
)
from nsgalpha.stepping.islands import closed_rows, island_sets
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.position import (
    Correction,
    admit,
    begin_correction,
    chosen,
    displace,
    end_correction,
    position_rates,
)
from nsgalpha.stepping.velocity import rates_of_rows

if TYPE_CHECKING:
    from nsgalpha.run.run import Run

MAX_ITERATIONS = 40
FORMED = 100  # rows up to which the operator is a matrix, which is then faster
ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change


class Coupled:
    """The contact problem of all `rows` with the operator `G A^-1 G^T`; a large_island.Island.

    `values` are those of A on its `pattern`. The operator is made when it is first asked for: to see that an
    iterate is good takes one solution.
    """

    def __init__(self, run: Run, rows: Rows, pattern: Pattern, values: Floats, factor: Factor) -> None:
        self.first, self.last = 0, len(rows.contact)
        self.part = slice(0, len(rows.G))
        self.G = wide(rows.body, rows.row, rows.G, pattern.count)
        self._run, self._rows, self._pattern, self._values, self._factor = run, rows, pattern, values, factor

    @cached_property
    def _scaled(self) -> tuple[Floats, ScaledProblem]:
        return self._formed() if len(self._rows.G) <= FORMED else self._through_bodies()

    def _formed(self) -> tuple[Floats, ScaledProblem]:
        """Scale and problem with W as a matrix."""
        n = len(self._rows.G)
        # refinement is for single solutions: it costs three times as much and changes the last digits
        values = (self.G @ self._factor.approximate(self.G.T.toarray(order="F"))).ravel()
        indptr, indices = n * np.arange(n + 1), np.tile(np.arange(n), n)
        sets, block = island_sets(self._rows, 0, self.last)
        scale = np.empty(n)
        scale_sparse(indptr, indices, values, sets, scale)
        W = sparse.csr_array((values, indices, indptr), shape=(n, n))
        return scale, ScaledProblem(Delassus(W), np.zeros(n), sets, block)

    def _through_bodies(self) -> tuple[Floats, ScaledProblem]:
        """Scale and problem with W that is not formed."""
        run, rows = self._run, self._rows
        H = half_rows(rows, run.system.bodies, run.system.work, 0, self.last)
        sets, block = island_sets(rows, 0, self.last)
        scale = np.empty(len(H))
        scale_half_rows(H, sets, scale)
        moving = np.where(rows.body < self._pattern.count, rows.body, FIXED)
        bound = Bodies(Graph(moving, rows.row, 6), H)
        mass = Mass(run.compliant.coupling(self._pattern, rows.body), self._values, self._factor)
        W = Flexibility(mass, rows.body, rows.G / scale[:, None, None], bound)
        return scale, ScaledProblem(W, np.zeros(len(H)), sets, block)

    @property
    def scale(self) -> Floats:
        """Scale of the rows (R,)."""
        return self._scaled[0]

    @property
    def problem(self) -> ScaledProblem:
        """The scaled problem."""
        return self._scaled[1]

    def solve(self, b: Floats, r: Floats, tol: float, floor: float) -> Outcome:
        """Solve `u = W r + b` for the multipliers `r` (R,), the start on entry; see LargeIsland.solve."""
        self.problem.q = b / self.scale
        scaled = r * self.scale
        outcome = solve_relative(self.problem, scaled, tol, floor / float(self.scale.min()))
        r[:] = scaled / self.scale
        return outcome

    def moved(self, r: Floats) -> Floats:
        """What the multipliers `r` (R,) do to the bodies, `A^-1 G^T r` (N, 6)."""
        return self._factor.solve(self.G.T @ r).reshape(-1, 6)


def correct_mixture(
    run: Run, t: float, h: float, loads: Floats, stats: Floats
) -> tuple[int, int, Rows | None, Floats]:
    """Both corrections of the smooth motion in `run.new`, on which `loads` (N, 6) acted.

    Fills `stats` (a row of STATISTICS); returns like `corrections.in_turn`.
    """
    try:
        return in_turn(
            run,
            stats,
            lambda: _correct_position(run, t, h, loads, stats),
            lambda rows, impulse: _correct_velocity(run, t, h, loads, rows, impulse, stats),
        )
    except SingularMatrixError:
        return POSITION, -1, None, np.empty(0)


def _masses(run: Run, motion: Motion) -> Floats:
    """Inertial mass matrices (N, 6, 6) of the bodies."""
    blocks = np.empty((run.system.count, 6, 6))
    inertia_blocks(run.system.bodies, motion, np.zeros((run.system.count, 6)), 0.0, 0.0, blocks)
    return blocks


def _correct_position(run: Run, t: float, h: float, loads: Floats, stats: Floats) -> tuple[Ints, int, bool]:
    """Solve (7). Returns (closed contacts, worst candidate, solved)."""
    system, new, candidates, n = run.system, run.new, run.candidates, run.system.count
    system.measure(new, candidates)
    correction, floor = begin_correction(candidates, system.bodies, system.work, new)
    _remember(run, h, correction)
    mass = _masses(run, new)
    velocity = new._replace(v=new.v.copy(), w=new.w.copy())
    total, residual, worst, settled, solved = 0, 0.0, -1, False, False
    for iteration in range(MAX_ITERATIONS):
        system.measure(new, candidates)
        members, grown = admit(candidates, system.bodies, correction.member)
        f = run.wrenches(t, new, velocity, run.increment + correction.U, h)
        rows = closed_rows(
            chosen(correction.member, members), candidates, system.laws, system.bodies, system.work
        )
        pattern, values = run.compliant.tangents(h * h, 0.0)
        factor = pattern.factorise(mass, values)
        problem = Coupled(run, rows, pattern, values, factor)
        d = h * h * (f - loads) - np.einsum("bij,bj->bi", mass, correction.U[:n])
        change = factor.solve(d.ravel()).reshape(-1, 6)  # of U without multipliers
        r = _multipliers(rows, correction)
        b = np.empty(len(r))
        position_rates(rows, candidates, run.increment, np.zeros_like(correction.U), b)
        linear = problem.G @ (correction.U[:n] + change).ravel()
        linear[rows.row[:-1]] = (problem.G @ change.ravel())[rows.row[:-1]]  # these gaps are exact
        b += linear
        before = problem.moved(r)
        still = np.abs(change + before).max() <= max(run.tol * np.abs(run.increment).max(), floor)
        if len(r):
            u = problem.G @ before.ravel() + b
            residual, k, _ = relative_residual(rows, r, u, b, run.tol, floor)
            worst = int(rows.contact[k])
        if still and not grown and (iteration > 0 or len(r) == 0):
            solved = settled or len(r) == 0
            break
        if len(r):
            outcome = problem.solve(b, r, INNER * run.tol, floor)
            total += outcome.newton + outcome.proximal
            settled = outcome.residual <= run.tol
            if outcome.residual > max(run.tol, ACCEPTABLE):
                break
        _keep(rows, r, correction)
        correction.U[:n] += change + problem.moved(r)
        displace(correction.x, correction.q, correction.U, new)
    closed = end_correction(candidates, system.bodies, system.work, run.increment, new, correction)
    stats[POSITION_ITERATIONS], stats[POSITION_RESIDUAL] = total, residual
    return closed, worst, solved


def _remember(run: Run, h: float, correction: Correction) -> None:
    """Begin with the contacts and forces of the last step: what closes one by one takes an iteration each."""
    system = run.system
    rows = closed_rows(run.forces.known(), run.candidates, system.laws, system.bodies, system.work)
    correction.member[rows.contact] = True
    _keep(rows, 0.5 * h * h * run.forces.recall(rows), correction)


def _places(rows: Rows) -> tuple[Ints, Ints]:
    """Candidate, and place among its rows, of each row."""
    contact = np.repeat(np.arange(len(rows.contact)), np.diff(rows.row))
    return rows.contact[contact], np.arange(len(rows.G)) - rows.row[contact]


def _multipliers(rows: Rows, correction: Correction) -> Floats:
    """Multipliers (R,) of the rows at the last iterate."""
    return correction.multiplier[_places(rows)]


def _keep(rows: Rows, r: Floats, correction: Correction) -> None:
    """Multipliers `r` (R,) of the next iterate."""
    correction.multiplier[_places(rows)] = r


def _correct_velocity(
    run: Run, t: float, h: float, loads: Floats, rows: Rows, impulse: Floats, stats: Floats
) -> tuple[int, bool]:
    """Solve (10) with the sequence of impacts; fills `impulse` (R,). Returns (worst candidate, solved)."""
    system, new, n = run.system, run.new, run.system.count
    mass = _masses(run, new)
    start = np.hstack([new.v, new.w])[:n]
    W = np.zeros_like(start)
    impulse[:] = h * run.forces.recall(rows)
    stats[VELOCITY_ITERATIONS] = 1
    for iteration in range(MAX_ITERATIONS):
        f = run.wrenches(t, new, new, run.increment, h)
        pattern, values = run.compliant.tangents(0.0, h)
        factor = pattern.factorise(mass, values)
        problem = Coupled(run, rows, pattern, values, factor)
        d = h * (f - loads) - np.einsum("bij,bj->bi", mass, W)
        change = factor.solve(d.ravel()).reshape(-1, 6)
        step = np.abs(change + problem.moved(impulse)).max()
        still = step <= max(run.tol * np.abs(W).max(), ROUNDING * np.abs(start).max())
        if still and (iteration > 0 or len(impulse) == 0):
            return -1, True
        _set_velocity(new, start + W + change)
        if len(impulse):
            after, before, floor = rates_of_rows(rows, system.bodies, run.old, new)
            sequence = impact_sequence(run, rows, problem, after, before, floor, impulse)
            stats[VELOCITY_ITERATIONS] += sequence.iterations
            stats[SUB_IMPACTS], stats[CAPPED] = sequence.impacts, sequence.capped
            stats[RELAXED], stats[VELOCITY_RESIDUAL] = sequence.relaxed, sequence.residual
            if not sequence.acceptable:
                return int(rows.contact[0]), False
            impulse[:] = sequence.impulse
        W += change + problem.moved(impulse)
        _set_velocity(new, start + W)
    return -1, False


def _set_velocity(motion: Motion, twist: Floats) -> None:
    """Velocities of the bodies from `twist` (N, 6)."""
    motion.v[: len(twist)], motion.w[: len(twist)] = twist[:, :3], twist[:, 3:]
