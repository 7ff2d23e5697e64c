"""Position and velocity correction where set-valued contacts and compliant ones act in one model.

    M U - h^2/2 [f(q_{n+1}, v~ + 2 U/h) - f(q~, v~)] - G^T nu = 0                (7) of the theory
    M W - h [f(q_{n+1}, v_{n+1}) - f(q~, v~)] - G^T (P + Lambda) = 0             (10)

In (7) the correction stands for a force that acts over the step: at rest U = h W/2, and with it the
compliant forces of (7) are those of (10). Impacts P have no duration, so that compliant forces have no part
in them: they are those of large/impacts.py. The forces f may be stiff: both equations are solved by Newton's
method with their tangents. Linearised,

    U = U_k + A^-1 (h^2/2 [f - f~] - M U_k + G^T nu),              A = M + h^2/2 K + h C
    W = W_k + B^-1 (h [f - f~] - M W_k + G^T (P + Lambda)),        B = M + h C

so that the contact problem has the operator G A^-1 G^T (G B^-1 G^T) instead of G M^-1 G^T. Compliant
contacts couple all bodies: there are no islands. For few rows the operator is a matrix; for many it is never
formed (flexibility.py).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.compliant.flexibility import Flexibility, Mass, wide
from nsgalpha.compliant.pattern import Pattern
from nsgalpha.contact.bodies import FIXED, BodyOperator, Graph
from nsgalpha.contact.delassus import Delassus
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import scale_half_rows, scale_sparse
from nsgalpha.contact.strategy import SolverOutcome
from nsgalpha.large.assembly import half_rows
from nsgalpha.large.corrections import in_turn
from nsgalpha.large.impacts import solve_islands
from nsgalpha.large.large_island import ACCEPTABLE, INNER, solve_relative, worst_contact
from nsgalpha.large.present import Present
from nsgalpha.linalg import Factor, SingularMatrixError
from nsgalpha.stepping.islands import closed_rows, island_sets
from nsgalpha.stepping.kinematics import Rows, scatter_rows
from nsgalpha.stepping.outcome import POSITION
from nsgalpha.stepping.pose import chosen, displace, forces_of, loaded
from nsgalpha.stepping.position import Correction, admit, begin_correction, end_correction
from nsgalpha.stepping.record import (
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    RELAXED,
    VELOCITY_ITERATIONS,
    VELOCITY_RESIDUAL,
)
from nsgalpha.stepping.residual import relative_residual
from nsgalpha.stepping.smooth import inertia_blocks
from nsgalpha.stepping.velocity import Impulses, rates_of_rows, settle

MAX_ITERATIONS = 40
FORMED = 100  # rows up to which the operator is a matrix, which is then faster
ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change


class Coupled:
    """The contact problem of all `rows` with the operator `G A^-1 G^T`; a large_island.Island.

    `values` are those of A on its `pattern`. The operator is made when it is first asked for: to see that an
    iterate is good takes one solution.
    """

    def __init__(self, now: Present, rows: Rows, pattern: Pattern, values: Floats, factor: Factor) -> None:
        self.first, self.last = 0, len(rows.contact)
        self.part = slice(0, len(rows.G))
        self.G = wide(rows.body, rows.row, rows.G, pattern.count)
        self._now, self._rows, self._pattern, self._values, self._factor = now, rows, pattern, values, factor

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
        now, rows = self._now, self._rows
        H = half_rows(rows, now.system.bodies, now.system.work, 0, self.last)
        sets, block = island_sets(rows, 0, self.last)
        scale = np.empty(len(H))
        scale_half_rows(H, sets, scale)
        moving = np.where(rows.body < self._pattern.count, rows.body, FIXED)
        bound = BodyOperator(Graph(moving, rows.row, 6), H)
        mass = Mass(now.compliant.coupling(self._pattern, rows.body), self._values, self._factor)
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

    def solve(self, b: Floats, r: Floats, tol: float, floor: float) -> SolverOutcome:
        """Solve `u = W r + b` for the multipliers `r` (R,), the start on entry; see LargeIsland.solve."""
        self.problem.q = b / self.scale
        scaled = r * self.scale
        outcome = solve_relative(self.problem, scaled, tol, floor / float(self.scale.min()))
        r[:] = scaled / self.scale
        return outcome

    def moved(self, r: Floats) -> Floats:
        """The response of the bodies to the multipliers `r` (R,), `A^-1 G^T r` (N, 6)."""
        return self._factor.solve(self.G.T @ r).reshape(-1, 6)


def correct_mixture(
    now: Present, t: float, h: float, loads: Floats, stats: Floats
) -> tuple[int, int, Rows | None, Impulses | None]:
    """Both corrections of the smooth motion in `now.new`, on which `loads` (N, 6) acted.

    Fills `stats` (a row of STATISTICS); returns like `corrections.in_turn`.
    """
    try:
        return in_turn(
            now,
            stats,
            lambda: _correct_position(now, t, h, loads, stats),
            lambda rows, impulses: _correct_velocity(now, t, h, loads, rows, impulses, stats),
        )
    except SingularMatrixError:
        return POSITION, -1, None, None


def _masses(now: Present, motion: Motion) -> Floats:
    """Inertial mass matrices (N, 6, 6) of the bodies."""
    blocks = np.empty((now.system.count, 6, 6))
    inertia_blocks(now.system.bodies, motion, np.zeros((now.system.count, 6)), 0.0, 0.0, blocks)
    return blocks


def _correct_position(
    now: Present, t: float, h: float, loads: Floats, stats: Floats
) -> tuple[Ints, int, bool]:
    """Solve (7). Returns (closed contacts, worst candidate, solved)."""
    system, new, candidates, n = now.system, now.new, now.candidates, now.system.count
    correction, friction = _begin(now, h)
    mass = _masses(now, new)
    smooth = np.hstack([new.v, new.w])
    velocity = new._replace(v=new.v.copy(), w=new.w.copy())
    total, residual, worst, settled, solved = 0, 0.0, -1, False, False
    for iteration in range(MAX_ITERATIONS):
        system.measure(new, candidates)
        members, grown = admit(candidates, correction.member)
        _set_velocity(velocity, smooth + 2.0 / h * correction.U)
        f = now.wrenches(t, new, velocity, now.increment + correction.U, h)
        rows = closed_rows(
            chosen(correction.member, members), candidates, system.frictionless, system.bodies, system.work
        )
        pattern, values = now.compliant.tangents(0.5 * h * h, h)
        factor = pattern.factorise(mass, values)
        problem = Coupled(now, rows, pattern, values, factor)
        d = 0.5 * h * h * (f - loads) + friction - np.einsum("bij,bj->bi", mass, correction.U[:n])
        change = factor.solve(d.ravel()).reshape(-1, 6)  # of U without multipliers
        r = correction.multiplier[rows.contact]
        b = candidates.gap[rows.contact] + problem.G @ change.ravel()
        before = problem.moved(r)
        still = np.abs(change + before).max() <= max(now.tol * np.abs(now.increment).max(), correction.floor)
        if len(r):
            u = problem.G @ before.ravel() + b
            residual, k, _ = relative_residual(rows, r, u, b, now.tol, correction.floor)
            worst = int(rows.contact[k])
        if still and not grown and (iteration > 0 or len(r) == 0):
            solved = settled or len(r) == 0
            break
        if len(r):
            outcome = problem.solve(b, r, INNER * now.tol, correction.floor)
            total += outcome.newton + outcome.proximal
            settled = outcome.residual <= now.tol
            if outcome.residual > max(now.tol, ACCEPTABLE):
                break
        correction.multiplier[rows.contact] = r
        correction.U[:n] += change + problem.moved(r)
        displace(correction.x, correction.q, correction.U, new)
    closed = end_correction(now.instant, system.bodies, correction)
    stats[POSITION_ITERATIONS], stats[POSITION_RESIDUAL] = total, residual
    return closed, worst, solved


def _begin(now: Present, h: float) -> tuple[Correction, Floats]:
    """The correction at the smooth motion, and the friction (N, 6) in (7).

    It begins with the contacts of the last step: what closes one by one takes an iteration each.
    """
    system, new, candidates = now.system, now.new, now.candidates
    system.measure(new, candidates)
    correction = begin_correction(candidates, system.bodies, system.work, new)
    past = now.forces.past
    rows, force = forces_of(loaded(past), past, candidates, system.laws, system.bodies, system.work)
    r = 0.5 * h * h * force
    correction.member[rows.contact] = True
    correction.multiplier[rows.contact] = r[rows.row[:-1]]
    r[rows.row[:-1]] = 0.0
    friction = wide(rows.body, rows.row, rows.G, system.count).T @ r
    return correction, friction.reshape(-1, 6)


def _correct_velocity(
    now: Present, t: float, h: float, loads: Floats, rows: Rows, impulses: Impulses, stats: Floats
) -> tuple[int, bool]:
    """Solve (10), impacts first; fills the `impulses`. Returns (worst candidate, solved)."""
    system, new, n = now.system, now.new, now.system.count
    effort = solve_islands(now, rows, impulses, loaded=False)
    effort.write(stats)
    if not effort.acceptable:
        return effort.worst, False
    mass = _masses(now, new)
    start = np.hstack([new.v, new.w])[:n]
    struck = np.zeros((system.size, 6))
    scatter_rows(rows, impulses.impact, struck)
    W = struck[:n].copy()
    _set_velocity(new, start + W)
    r = impulses.load
    r[:] = h * now.forces.recall(rows)
    for iteration in range(MAX_ITERATIONS):
        f = now.wrenches(t, new, new, now.increment, h)
        pattern, values = now.compliant.tangents(0.0, h)
        factor = pattern.factorise(mass, values)
        problem = Coupled(now, rows, pattern, values, factor)
        d = h * (f - loads) - np.einsum("bij,bj->bi", mass, W - struck[:n])
        change = factor.solve(d.ravel()).reshape(-1, 6)
        step = np.abs(change + problem.moved(r)).max()
        still = step <= max(now.tol * np.abs(W).max(), ROUNDING * np.abs(start).max())
        if still and (iteration > 0 or len(r) == 0):
            settle(rows, impulses)
            return -1, True
        _set_velocity(new, start + W + change)
        if len(r):
            rates = rates_of_rows(rows, system.bodies, now.old, new)
            outcome = problem.solve(rates.after - impulses.rebound, r, INNER * now.tol, rates.floor)
            stats[VELOCITY_ITERATIONS] += outcome.iterations
            stats[VELOCITY_RESIDUAL] = max(effort.residual, outcome.residual)
            stats[RELAXED] = effort.relaxed + (not outcome.solved)
            if not (outcome.solved or outcome.acceptable):
                scaled = r * problem.scale
                return int(rows.contact[worst_contact(problem.problem, scaled)]), False
        W += change + problem.moved(r)
        _set_velocity(new, start + W)
    return -1, False


def _set_velocity(motion: Motion, twist: Floats) -> None:
    """Velocities of the first bodies from `twist` (n, 6)."""
    motion.v[: len(twist)], motion.w[: len(twist)] = twist[:, :3], twist[:, 3:]
