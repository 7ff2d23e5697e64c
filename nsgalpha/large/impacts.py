"""Velocity correction of a step with islands that the kernels leave: impacts, then the loads.

An island whose velocities stay above the tolerance, but within what is acceptable (large_island.py), counts
as relaxed in the statistics, which hold its residual; beyond that the step has failed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import restrict
from nsgalpha.contact.strategy import SolverOutcome
from nsgalpha.large.large_island import INNER, Island, LargeIsland, left, solve_relative, worst_contact
from nsgalpha.large.present import Present
from nsgalpha.stepping.impacts import Rates, Sequence, begin_sequence, next_impact, rebound_rates
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.record import CAPPED, RELAXED, SUB_IMPACTS, VELOCITY_ITERATIONS, VELOCITY_RESIDUAL
from nsgalpha.stepping.velocity import Impulses, apply_impulses, rates_of_rows, settle, solve_velocities


@dataclass
class Effort:
    """Statistics of a velocity correction, and where it failed."""

    iterations: int = 0
    impacts: int = 0
    residual: float = 0.0  # largest, relative
    capped: int = 0
    relaxed: int = 0
    worst: int = -1  # candidate of the contact with the largest residual, where that is not acceptable

    @property
    def acceptable(self) -> bool:
        """True if the step may go on."""
        return self.worst < 0

    def note(self, outcome: SolverOutcome, rows: Rows, island: Island, contact: int) -> bool:
        """Count an `outcome` with the worst `contact` of an island; returns whether it is acceptable."""
        self.residual = max(self.residual, outcome.residual)
        if not (outcome.solved or outcome.acceptable):
            self.worst = int(rows.contact[island.first + contact])
        return self.acceptable

    def write(self, stats: Floats) -> None:
        """Put the statistics into `stats`, a row of STATISTICS."""
        stats[VELOCITY_ITERATIONS] = max(self.iterations, 1)
        stats[SUB_IMPACTS], stats[CAPPED] = self.impacts, self.capped
        stats[VELOCITY_RESIDUAL] = self.residual
        stats[RELAXED] += self.relaxed


def correct_velocity(
    now: Present, h: float, rows: Rows, impulses: Impulses, stats: Floats
) -> tuple[int, bool]:
    """As `velocity.velocity_correction`. Returns (a contact of an unsolved island or -1, solved)."""
    impulses.load[:] = h * now.forces.recall(rows)
    effort = solve_islands(now, rows, impulses, loaded=True)
    effort.write(stats)
    if effort.acceptable:
        settle(rows, impulses)
        apply_impulses(rows, impulses.impact + impulses.load, now.new)
    return effort.worst, effort.acceptable


def solve_islands(now: Present, rows: Rows, impulses: Impulses, *, loaded: bool) -> Effort:
    """The impacts of all islands, and the loads if `loaded`, for which `impulses.load` is a start."""
    system = now.system
    rates = rates_of_rows(rows, system.bodies, now.old, now.new)
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
    remembered = impulses.load.copy()
    most, impacts, residual, capped, _ = solve_velocities(
        rows, system.laws, system.bodies, rates, now.tol, loaded, impulses, unsolved
    )
    effort = Effort(most, impacts, residual, capped)
    for number, (first, last) in enumerate(left(rows, unsolved)):
        island = now.graphs.island("impulses", number, system, rows, first, last)
        impulses.load[island.part] = remembered[island.part]
        _solve_island(now, rows, island, rates, loaded, impulses, effort)
        if not effort.acceptable:
            break
    return effort


def _solve_island(
    now: Present,
    rows: Rows,
    island: LargeIsland,
    rates: Rates,
    loaded: bool,
    impulses: Impulses,
    effort: Effort,
) -> None:
    """As `velocity.solve_island`, for an island of any size; adds to the `effort`."""
    sets, scale, part = island.problem.sets, island.scale, island.part
    sequence = begin_sequence(rows, island.first, island.last, now.system.laws, scale, rates, now.tol)
    bottom = rates.floor / float(scale.min())
    own = Effort()
    together = loaded and sequence.limit == 0
    if not together:
        run_sequence(now, rows, island, sequence, bottom, own)
    rebound = np.zeros_like(scale)
    if own.impacts:
        rebound_rates(sets, scale, sequence, rebound)
    load = np.zeros_like(scale)
    if own.acceptable and loaded:
        b = sequence.rates + (rates.after - rates.before)[part] / scale - rebound
        normal = sets.row[island.problem.block[:-1]]
        if b[normal].min() < -bottom:
            load = impulses.load[part] * scale
            island.problem.q = b
            outcome = solve_relative(island.problem, load, INNER * now.tol, bottom)
            own.iterations += outcome.iterations
            own.relaxed |= not outcome.solved
            ok = outcome.solved or outcome.acceptable
            own.note(outcome, rows, island, 0 if ok else worst_contact(island.problem, load))
    if together:
        impulses.impact[part] = load / scale - impulses.load[part]
        own.impacts = 1
    else:
        impulses.impact[part] = sequence.impulse / scale
        impulses.load[part] = load / scale
    impulses.rebound[part] = rebound * scale
    effort.iterations = max(effort.iterations, own.iterations)
    effort.impacts = max(effort.impacts, own.impacts)
    effort.residual = max(effort.residual, own.residual)
    effort.capped += own.capped
    effort.relaxed += own.relaxed
    effort.worst = own.worst


def run_sequence(
    now: Present,
    rows: Rows,
    island: LargeIsland,
    sequence: Sequence,
    bottom: float,
    effort: Effort,
) -> None:
    """As `impacts.run_sequence`; `bottom` is the rounding error of the scaled rates."""
    problem, limit, passes = island.problem, sequence.limit, 0
    while passes <= limit:
        if passes < limit:
            iterations, passes, residual = island.small_impacts(sequence, passes, INNER * now.tol, bottom)
            effort.iterations += iterations
            effort.residual = max(effort.residual, residual)
        count = next_impact(problem.sets, problem.block, island.scale, sequence, passes)
        if count == 0:
            break
        change = np.zeros_like(sequence.rates)
        outcome, contact = _impact(now, island, sequence, count, bottom, change)
        effort.iterations += outcome.iterations
        if not outcome.solved and limit > passes and sequence.target.any():
            # restitution may ask for rates that no impulses give: close the sequence without it
            passes = limit
            continue
        effort.relaxed |= not outcome.solved
        if not effort.note(outcome, rows, island, contact):
            break
        sequence.impulse[:] += change
        sequence.rates[:] += problem.W @ change
        passes += 1
    effort.impacts = passes
    effort.capped = int(limit > 0 and passes > limit)


def _impact(
    now: Present, island: Island, sequence: Sequence, count: int, bottom: float, L: Floats
) -> tuple[SolverOutcome, int]:
    """Solve the `count` active contacts for the impulses `L` (n,), zero on entry.

    Returns the outcome and, where it is not acceptable, the contact with the largest residual.
    """
    whole = island.problem
    chosen = np.empty(len(L), np.int64)
    part, block, n = restrict(whole.sets, whole.block, sequence.active, count, chosen)
    chosen = chosen[:n]
    b = (sequence.rates + sequence.target)[chosen]
    if n < len(L):
        problem = ScaledProblem(whole.W.part(chosen), b, part, block)
    else:
        problem, problem.q = whole, b
    r = problem.project(-b)  # each contact as if it were alone
    outcome = solve_relative(problem, r, INNER * now.tol, bottom)
    L[chosen] = r
    acceptable = outcome.solved or outcome.acceptable
    worst = 0 if acceptable else int(np.flatnonzero(sequence.active)[worst_contact(problem, r)])
    return outcome, worst
