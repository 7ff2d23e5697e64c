"""Position correction of a step with islands that the kernels leave: that of stepping/position.py, sparse."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.large.large_island import ACCEPTABLE, INNER, left, worst_contact
from nsgalpha.large.present import Present
from nsgalpha.stepping.islands import LARGE, closed_rows
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.pose import forces_of, hold_friction, loaded, rotate_inertias
from nsgalpha.stepping.position import (
    MAX_ITERATIONS,
    begin_gaps,
    end_correction,
    linearise,
    move,
    solve_islands,
    undefined,
)
from nsgalpha.stepping.position import correct_position as by_kernels
from nsgalpha.stepping.record import POSITION_ITERATIONS, POSITION_RESIDUAL

ROUGH = 3e-4  # tolerance of the linearised problems, over the residual before, at most 1; see INNER
CLOSING = 0.5  # gap over the largest overlap up to which a contact may close in the correction


def correct_position(now: Present, h: float, stats: Floats) -> tuple[Ints, int, bool]:
    """As `position.position_correction`. Returns (closed contacts, worst candidate, solved)."""
    system, new = now.system, now.new
    solved = False
    if system.model.loads:
        # this step comes from Python for its loads, and may well be one for the kernels
        x, q, w, increment = new.x.copy(), new.q.copy(), new.w.copy(), now.increment.copy()
        closed, iterations, residual, worst, solved = by_kernels(
            system.elements_of(), now.constants, now.instant, h
        )
        if not solved:
            new.x[:], new.q[:], new.w[:], now.increment[:] = x, q, w, increment
    if not solved:
        closed, iterations, residual, worst, solved = _solve(now, h)
    stats[POSITION_ITERATIONS] = iterations
    stats[POSITION_RESIDUAL] = residual
    return closed, worst, solved


def _solve(now: Present, h: float) -> tuple[Ints, int, float, int, bool]:
    """`position.position_correction` with islands of any size."""
    system, new, candidates, past = now.system, now.new, now.candidates, now.forces.past
    system.measure(new, candidates)
    rotate_inertias(system.bodies, new.q, system.work)
    last, force = forces_of(loaded(past), past, candidates, system.laws, system.bodies, system.work)
    hold_friction(last, force, h, system.bodies, now.increment, new)
    correction = begin_gaps(last, force, h, candidates, system.frictionless, system.bodies, system.work, new)
    _admit_near(now, correction.member)
    total, residual, worst, solved = 0, 0.0, -1, False
    for iteration in range(MAX_ITERATIONS):
        system.measure(new, candidates)
        rows, b, r, residual, worst, solved = linearise(
            candidates,
            system.frictionless,
            system.bodies,
            system.work,
            now.tol,
            iteration,
            new,
            correction,
        )
        if solved or undefined(b):
            break
        tolerance = max(INNER * now.tol, ROUGH * min(residual or 1.0, 1.0))
        steps, worst, residual = _solve_gaps(now, rows, b, r, tolerance, correction.floor)
        total += steps
        if residual > max(now.tol, ACCEPTABLE):
            break
        move(rows, r, iteration, new, correction)
    closed = end_correction(now.instant, system.bodies, correction)
    return closed, total, residual, worst, solved


def _admit_near(now: Present, member: Flags) -> None:
    """Mark what may close in large islands as a member; in small ones the kernels admit what overlaps."""
    system, candidates = now.system, now.candidates
    near = np.flatnonzero(candidates.gap <= -CLOSING * candidates.gap.min(initial=0.0))
    rows = closed_rows(near, candidates, system.frictionless, system.bodies, system.work)
    contacts = np.diff(rows.island)
    member[rows.contact[np.repeat(contacts > LARGE, contacts)]] = True


def _solve_gaps(
    now: Present, rows: Rows, b: Floats, r: Floats, tol: float, floor: float
) -> tuple[int, int, float]:
    """Solve for the normal multipliers `r` (R,) of all islands, where sparse to the relative residual `tol`.

    Returns (iterations, the worst contact of the worst island, the island's residual).
    """
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
    most, _ = solve_islands(rows, now.system.bodies, b, r, 0.1 * now.tol, floor, unsolved)
    contact, residual = -1, 0.0
    for number, (first, last) in enumerate(left(rows, unsolved)):
        island = now.graphs.island("gaps", number, now.system, rows, first, last)
        outcome = island.solve(b, r, tol, floor)
        most = max(most, outcome.iterations)
        if outcome.residual >= residual:
            k = 0 if outcome.solved else worst_contact(island.problem, r[island.part] * island.scale)
            contact, residual = int(rows.contact[first + k]), outcome.residual
    return most, contact, residual
