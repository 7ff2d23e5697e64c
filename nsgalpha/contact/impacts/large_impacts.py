"""Impacts in islands outside of the kernels' range: sequences with large impacts.

Impacts of free bodies are solved in their space (body_impacts.py). With joints an impact of up to 200 rows is
solved dense and compiled, as in a small island (impact_sequence.py). One of more rows is solved sparse
(large_island.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.contact.body_delassus import BodyOperator
from nsgalpha.contact.impacts.body_impacts import EXACT, FreeBodies
from nsgalpha.contact.impacts.impact_sequence import (
    Rates,
    Sequence,
    add_impulses,
    begin_impacts,
    begin_sequence,
    end_sequence,
    next_impact,
    rounded,
    run_sequence,
)
from nsgalpha.contact.impacts.velocity_problem import Impulses
from nsgalpha.contact.islands.island_response import Effort
from nsgalpha.contact.islands.islands import LARGE
from nsgalpha.contact.islands.large_island import INNER, LargeIsland, solve_relative
from nsgalpha.contact.multiplier_sets import restrict, weigh_all
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.scaled_problem import Carried, ScaledProblem, SolverOutcome


def solve_sequence(
    rows: Rows, constants: Any, island: LargeIsland, rates: Rates, impulses: Impulses, effort: Effort
) -> None:
    """The impacts of an island of any size, as `velocity_problem.solve_impacts`; adds to the `effort`."""
    bodies, tol = constants.bodies, INNER * constants.tol
    first, last = island.first, island.last
    limits = begin_impacts(rows, first, last, constants, rates)
    sequence = begin_sequence(rows, first, last, constants, rates, *limits)
    bottom, limit, passes, total = rounded(sequence, rates, island.part.start), sequence.limit, 0, 0
    V, free = np.zeros((len(bodies.mass), 6)), _free_bodies(island)
    while passes <= limit:
        iterations, passes, residual, ended = run_sequence(
            rows, bodies, sequence, passes, (tol, bottom), free
        )
        total += iterations
        effort.residual = max(effort.residual, residual)
        if ended:
            break
        count = next_impact(sequence, passes)
        L = np.zeros_like(sequence.rates)
        problem, outcome, r = _impact(island, sequence, count, tol, bottom, L)
        total += outcome.iterations
        if not outcome.solved and limit > passes and sequence.target.any():
            # restitution may ask for rates that no impulses give: close the sequence without it
            passes = limit
            continue
        effort.note(outcome, problem, r, rows.contact[first:last][sequence.active])
        if not effort.acceptable:
            break
        add_impulses(rows, sequence, L, V)
        passes += 1
    end_sequence(rows, sequence, impulses)
    effort.iterations = max(effort.iterations, total)
    effort.impacts = max(effort.impacts, passes)
    effort.capped += passes > limit and not sequence.simultaneous


def _free_bodies(island: LargeIsland) -> FreeBodies | None:
    """The island for compiled impacts of free bodies; None with joints or few rows."""
    W = island.problem.W
    if len(island.H) <= LARGE or not isinstance(W, BodyOperator):
        return None
    return FreeBodies(W.rows, W.graph.elimination, W.graph.factor)


def _impact(
    island: LargeIsland, sequence: Sequence, count: int, tol: float, bottom: float, L: Floats
) -> tuple[ScaledProblem, SolverOutcome, Floats]:
    """Solve the `count` active contacts for the impulses `L` (n,), zero on entry.

    Returns their problem, its outcome and its solution.
    """
    whole = island.problem
    chosen = np.empty(len(L), np.int64)
    part, block, n = restrict(whole.sets, whole.block, sequence.active, count, chosen)
    chosen = chosen[:n]
    b = (sequence.rates + sequence.target)[chosen]
    if n < len(L):
        carried = Carried(effort=whole.carried.effort)
        problem = ScaledProblem(whole.W.part(chosen), b, part, block, carried)
    else:
        problem, problem.q = whole, b
    scale = sequence.scale[chosen]
    weigh_all(problem.sets, scale, b)
    r = problem.project(-b)  # each contact as if it were alone
    if isinstance(whole.W, BodyOperator):  # as in body_impacts.py
        bottom = max(bottom, EXACT * sequence.tol_v / scale.max())
    outcome = solve_relative(problem, scale, r, tol, bottom)
    L[chosen] = r
    return problem, outcome, r
