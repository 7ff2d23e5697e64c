"""Position and velocity correction where set-valued contacts and compliant ones act in one model.

    M U - h^2 [f(q_{n+1}, v~) - f(q~, v~)] - G^T nu = 0                          (7) of the theory
    M W - h [f(q_{n+1}, v_{n+1}) - f(q~, v~)] - G^T Lambda = 0                   (10)

The compliant forces f may be stiff: both are solved by Newton's method with their tangents. Linearised,

    U = U_k + A^-1 (h^2 [f - f~] - M U_k + G^T nu),    A = M + h^2 K
    W = W_k + B^-1 (h [f - f~] - M W_k + G^T Lambda),  B = M + h C

so that the contact problem has the operator G A^-1 G^T (G B^-1 G^T) instead of G M^-1 G^T. Compliant
contacts couple all bodies: there are no islands, and the operator is dense.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.compliant.newton import inertia_blocks
from nsgalpha.contact.residual import relative_residual
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import scale_sparse
from nsgalpha.contact.strategy import Outcome
from nsgalpha.large.corrections import INNER, impact_sequence
from nsgalpha.large.large_island import ACCEPTABLE, solve_relative
from nsgalpha.linalg import Factor, SingularMatrixError
from nsgalpha.run.status import NOT_FINITE, OUT_OF_REACH, POSITION, SOLVED, VELOCITY
from nsgalpha.stepping.integrator import (
    CAPPED,
    CONTACTS,
    PENETRATION,
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    RELAXED,
    SUB_IMPACTS,
    VELOCITY_ITERATIONS,
    VELOCITY_RESIDUAL,
    finite,
    penetration,
    reached,
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
ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change


class Coupled:
    """The contact problem of all `rows` with the operator `G A^-1 G^T`; a large_island.Island."""

    def __init__(self, rows: Rows, count: int, factor: Factor) -> None:
        self.first, self.last = 0, len(rows.contact)
        n = len(rows.G)
        self.part = slice(0, n)
        self.G = _gradient(rows, count)
        self.response = factor.solve(self.G.T.toarray())  # (6 N, R)
        values = (self.G @ self.response).ravel()
        indptr, indices = n * np.arange(n + 1), np.tile(np.arange(n), n)
        sets, block = island_sets(rows, 0, self.last)
        self.scale = np.empty(n)
        scale_sparse(indptr, indices, values, sets, self.scale)
        W = sparse.csr_array((values, indices, indptr), shape=(n, n))
        self.problem = ScaledProblem(W, np.zeros(n), sets, block)

    def solve(self, b: Floats, r: Floats, tol: float, floor: float) -> Outcome:
        """Solve `u = W r + b` for the multipliers `r` (R,), the start on entry; see LargeIsland.solve."""
        self.problem.q = b / self.scale
        scaled = r * self.scale
        outcome = solve_relative(self.problem, scaled, tol, floor / float(self.scale.min()))
        r[:] = scaled / self.scale
        return outcome

    def moved(self, r: Floats) -> Floats:
        """What the multipliers `r` (R,) do to the bodies, `A^-1 G^T r` (N, 6)."""
        return (self.response @ r).reshape(-1, 6)


def _gradient(rows: Rows, count: int) -> sparse.csr_array:
    """`G` (R, 6 N) of the bodies; columns of frames are left out."""
    contact = np.repeat(np.arange(len(rows.contact)), np.diff(rows.row))
    body = rows.body[contact]  # (R, 2)
    r, side = np.nonzero(body < count)
    column = 6 * body[r, side][:, None] + np.arange(6)
    row = np.repeat(r, 6)
    shape = len(rows.G), 6 * count
    return sparse.csr_array((rows.G[r, side].ravel(), (row, column.ravel())), shape=shape)


def correct_mixture(
    run: Run, t: float, h: float, loads: Floats, stats: Floats
) -> tuple[int, int, Rows | None, Floats]:
    """Both corrections of the smooth motion in `run.new`, on which `loads` (N, 6) acted.

    Fills `stats` (a row of STATISTICS); returns like `corrections.correct`.
    """
    system, new = run.system, run.new
    far = reached(new.x, run.anchor, run.reach)
    try:
        closed, worst, solved = _correct_position(run, t, h, loads, stats)
        rows = closed_rows(closed, run.candidates, system.laws, system.bodies, system.work)
        impulse = np.zeros(len(rows.G))
        stats[CONTACTS] = len(closed)
        if far or reached(new.x, run.anchor, run.reach):
            return OUT_OF_REACH, -1, rows, impulse
        if not solved:
            return POSITION, worst, rows, impulse
        stats[PENETRATION] = penetration(run.candidates, system.bodies)
        worst, solved = _correct_velocity(run, t, h, loads, rows, impulse, stats)
    except SingularMatrixError:
        return POSITION, -1, None, np.empty(0)
    if not solved:
        return VELOCITY, worst, rows, impulse
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulse


def _masses(run: Run, motion: Motion) -> Floats:
    """Inertial mass matrices (N, 6, 6) of the bodies."""
    blocks = np.empty((run.system.count, 6, 6))
    inertia_blocks(run.system.bodies, motion, np.zeros((run.system.count, 6)), 0.0, 0.0, blocks)
    return blocks


def _correct_position(run: Run, t: float, h: float, loads: Floats, stats: Floats) -> tuple[Ints, int, bool]:
    """Solve (7). Returns (closed contacts, worst candidate, solved)."""
    system, new, candidates, n = run.system, run.new, run.candidates, run.system.count
    correction, floor = begin_correction(candidates, system.bodies, system.work, new)
    mass = _masses(run, new)
    velocity = new._replace(v=new.v.copy(), w=new.w.copy())
    total, residual, worst, solved = 0, 0.0, -1, False
    for _ in range(MAX_ITERATIONS):
        system.measure(new, candidates)
        members, grown = admit(candidates, system.bodies, correction.member)
        f = run.wrenches(t, new, velocity, run.increment + correction.U, h)
        rows = closed_rows(
            chosen(correction.member, members), candidates, system.laws, system.bodies, system.work
        )
        pattern, values = run.compliant.tangents(h * h, 0.0)
        factor = pattern.factorise(mass, values)
        problem = Coupled(rows, n, factor)
        d = h * h * (f - loads) - np.einsum("bij,bj->bi", mass, correction.U[:n])
        change = factor.solve(d.ravel()).reshape(-1, 6)  # of U without multipliers
        r = _multipliers(rows, correction)
        b = np.empty(len(r))
        position_rates(rows, candidates, run.increment, np.zeros_like(correction.U), b)
        linear = problem.G @ (correction.U[:n] + change).ravel()
        linear[rows.row[:-1]] = (problem.G @ change.ravel())[rows.row[:-1]]  # these gaps are exact
        b += linear
        step = change + problem.moved(r)
        still = np.abs(step).max() <= max(run.tol * np.abs(run.increment).max(), floor)
        if len(r):
            u = problem.G @ problem.moved(r).ravel() + b
            residual, k, good = relative_residual(rows, r, u, b, run.tol, floor)
            worst = int(rows.contact[k])
        solved = bool(still and not grown and (len(r) == 0 or good))
        if solved:
            break
        if len(r):
            outcome = problem.solve(b, r, INNER * run.tol, floor)
            total += outcome.newton + outcome.proximal
            if outcome.residual > max(run.tol, ACCEPTABLE):
                break
        _move(rows, r, correction, change + problem.moved(r), new)
    closed = end_correction(candidates, system.bodies, system.work, run.increment, new, correction)
    stats[POSITION_ITERATIONS], stats[POSITION_RESIDUAL] = max(total, 1), residual
    return closed, worst, solved


def _multipliers(rows: Rows, correction: Correction) -> Floats:
    """Multipliers (R,) of the rows at the last iterate."""
    contact = np.repeat(np.arange(len(rows.contact)), np.diff(rows.row))
    return correction.multiplier[rows.contact[contact], np.arange(len(rows.G)) - rows.row[contact]]


def _move(rows: Rows, r: Floats, correction: Correction, change: Floats, new: Motion) -> None:
    """Next iterate: the multipliers `r` (R,) and U changed by `change` (N, 6)."""
    contact = np.repeat(np.arange(len(rows.contact)), np.diff(rows.row))
    correction.multiplier[rows.contact[contact], np.arange(len(rows.G)) - rows.row[contact]] = r
    correction.U[: len(change)] += change
    displace(correction.x, correction.q, correction.U, new)


def _correct_velocity(
    run: Run, t: float, h: float, loads: Floats, rows: Rows, impulse: Floats, stats: Floats
) -> tuple[int, bool]:
    """Solve (10) with the sequence of impacts; fills `impulse` (R,). Returns (worst candidate, solved)."""
    system, new, n = run.system, run.new, run.system.count
    mass = _masses(run, new)
    start = np.hstack([new.v, new.w])[:n]
    W = np.zeros_like(start)
    stats[VELOCITY_ITERATIONS] = 1
    for _ in range(MAX_ITERATIONS):
        f = run.wrenches(t, new, new, run.increment, h)
        pattern, values = run.compliant.tangents(0.0, h)
        factor = pattern.factorise(mass, values)
        problem = Coupled(rows, n, factor)
        d = h * (f - loads) - np.einsum("bij,bj->bi", mass, W)
        change = factor.solve(d.ravel()).reshape(-1, 6)
        step = change + problem.moved(impulse)
        if np.abs(step).max() <= max(run.tol * np.abs(W).max(), ROUNDING * np.abs(start).max()):
            return -1, True
        _set_velocity(new, start + W + change)
        if len(impulse):
            after, before, floor = rates_of_rows(rows, system.bodies, run.old, new)
            sequence = impact_sequence(run, rows, problem, after, before, floor, impulse)
            stats[VELOCITY_ITERATIONS] += sequence.iterations
            stats[SUB_IMPACTS], stats[CAPPED] = sequence.impacts, sequence.capped
            stats[RELAXED], stats[VELOCITY_RESIDUAL] = sequence.relaxed, sequence.residual
            if sequence.residual > max(run.tol, ACCEPTABLE):
                return int(rows.contact[0]), False
            impulse[:] = sequence.impulse
        W += change + problem.moved(impulse)
        _set_velocity(new, start + W)
    return -1, False


def _set_velocity(motion: Motion, twist: Floats) -> None:
    """Velocities of the bodies from `twist` (N, 6)."""
    motion.v[: len(twist)], motion.w[: len(twist)] = twist[:, :3], twist[:, 3:]
