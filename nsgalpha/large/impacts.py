"""Velocity correction of a step with islands that the kernels leave: sequences of impacts.

An island whose velocities stay above the tolerance, but within what is acceptable (large_island.py), counts
as relaxed in the statistics, which hold its residual; beyond that the step has failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import restrict
from nsgalpha.contact.strategy import Outcome
from nsgalpha.large.large_island import INNER, Island, left, solve_relative, worst_contact
from nsgalpha.stepping.integrator import CAPPED, RELAXED, SUB_IMPACTS, VELOCITY_ITERATIONS, VELOCITY_RESIDUAL
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.velocity import (
    Sequence,
    apply_impulses,
    begin_sequence,
    next_impact,
    rates_of_rows,
    solve_sequences,
)

if TYPE_CHECKING:
    from nsgalpha.run.run import Run


def correct_velocity(run: Run, h: float, rows: Rows, impulse: Floats, stats: Floats) -> tuple[int, bool]:
    """As `velocity.velocity_correction`. Returns (a contact of an unsolved island or -1, solved)."""
    system = run.system
    after, before, floor = rates_of_rows(rows, system.bodies, run.old, run.new)
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
    remembered = h * run.forces.recall(rows)
    impulse[:] = remembered
    most, impacts, residual, capped, _ = solve_sequences(
        rows,
        run.candidates,
        system.laws,
        system.bodies,
        after,
        before,
        run.tol,
        floor,
        impulse,
        unsolved,
    )
    for number, (first, last) in enumerate(left(rows, unsolved)):
        island = run.graphs.island("impulses", number, system, rows, first, last)
        sequence = impact_sequence(run, rows, island, after, before, floor, remembered, island.small_impacts)
        most, impacts = max(most, sequence.iterations), max(impacts, sequence.impacts)
        residual, capped = max(residual, sequence.residual), capped + sequence.capped
        stats[RELAXED] += sequence.relaxed
        if not sequence.acceptable:
            stats[VELOCITY_RESIDUAL] = residual
            return int(rows.contact[first + sequence.worst]), False
        impulse[island.part] = sequence.impulse
    stats[VELOCITY_ITERATIONS] = max(most, 1)
    stats[SUB_IMPACTS] = impacts
    stats[VELOCITY_RESIDUAL] = residual
    stats[CAPPED] = capped
    apply_impulses(rows, impulse, run.new)
    return -1, True


#: `LargeIsland.small_impacts`.
SmallImpacts = Callable[[Sequence, float, int, int, float, float], tuple[int, int, float]]


class Impacts(NamedTuple):
    """A sequence of impacts in one large island."""

    impulse: Floats  # (n,) of its rows
    iterations: int
    impacts: int
    residual: float  # largest, relative
    capped: bool
    relaxed: bool
    acceptable: bool  # whether the step may go on with it
    worst: int  # contact of the island with the largest residual, if it is not acceptable


def impact_sequence(
    run: Run,
    rows: Rows,
    island: Island,
    after: Floats,
    before: Floats,
    floor: float,
    start: Floats,
    small_impacts: SmallImpacts | None = None,
) -> Impacts:
    """As in `velocity.solve_sequences`; `start` (R,) are impulses to begin a simultaneous solution from.

    `small_impacts` goes on with the sequence as far as it can, see `LargeIsland.small_impacts`.
    """
    problem = island.problem
    sequence, tol_v, limit = begin_sequence(
        rows,
        island.first,
        island.last,
        run.system.laws,
        run.candidates,
        problem.sets,
        problem.block,
        island.scale,
        after,
        before,
        floor,
    )
    total, passes, worst, contact, relaxed, acceptable = 0, 0, 0.0, 0, False, True
    bottom, tol = floor / float(island.scale.min()), INNER * run.tol
    while passes <= limit:
        if passes < limit and small_impacts is not None:
            iterations, passes, residual = small_impacts(sequence, tol_v, limit, passes, tol, bottom)
            total, worst = total + iterations, max(worst, residual)
        count = next_impact(problem.sets, problem.block, island.scale, sequence, tol_v, limit, passes)
        if count == 0:
            break
        change = np.zeros_like(sequence.after)
        if limit == 0:
            change[:] = start[island.part] * island.scale
        outcome, contact = _impact(run, island, sequence, count, floor, change)
        total += outcome.iterations
        if not outcome.solved and limit > passes and sequence.target.any():
            # restitution may ask for rates that no impulses give: close the sequence without it
            passes = limit
            continue
        worst = max(worst, outcome.residual)
        relaxed |= not outcome.solved
        acceptable = outcome.solved or outcome.acceptable
        if not acceptable:
            break
        sequence.impulse[:] += change
        response = problem.W @ change
        sequence.after[:] += response
        sequence.before[:] += response
        passes += 1
    impulse = sequence.impulse / island.scale
    capped = limit > 0 and passes > limit
    return Impacts(impulse, total, passes, worst, capped, relaxed, acceptable, contact)


def _impact(
    run: Run, island: Island, sequence: Sequence, count: int, floor: float, L: Floats
) -> tuple[Outcome, int]:
    """Solve the `count` active contacts for the impulses `L` (n,), the start on entry.

    Returns the outcome and, where it is not acceptable, the contact with the largest residual.
    """
    whole = island.problem
    chosen = np.empty(len(L), np.int64)
    part, block, n = restrict(whole.sets, whole.block, sequence.active, count, chosen)
    chosen = chosen[:n]
    b = (sequence.after + sequence.target)[chosen]
    if n < len(L):
        problem = ScaledProblem(whole.W.part(chosen), b, part, block)
    else:
        problem, problem.q = whole, b
    r = L[chosen]
    outcome = solve_relative(problem, r, INNER * run.tol, floor / float(island.scale.min()))
    L[chosen] = r
    acceptable = outcome.solved or outcome.acceptable
    worst = 0 if acceptable else int(np.flatnonzero(sequence.active)[worst_contact(problem, r)])
    return outcome, worst
