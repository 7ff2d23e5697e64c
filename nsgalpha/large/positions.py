"""Position correction of a step with islands that the kernels leave.

The rows of a packing depend on each other, and the exact gaps differ by second-order terms from the
motion over the step: then no multipliers fulfil the gaps and the friction rows alike. So such a step is
corrected in two parts. First friction moves the bodies, with the forces that the contacts had in the last
step. Then the normal multipliers alone are solved for the exact gaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nsgalpha.arrays import Floats, Ints, Laws
from nsgalpha.large.large_island import ACCEPTABLE, INNER, left, worst_contact
from nsgalpha.stepping.integrator import POSITION_ITERATIONS, POSITION_RESIDUAL
from nsgalpha.stepping.islands import closed_rows
from nsgalpha.stepping.kinematics import Rows, scatter_rows
from nsgalpha.stepping.position import (
    MAX_ITERATIONS,
    Correction,
    begin_correction,
    displace,
    end_correction,
    keep_spin,
    linearise,
    move,
    solve_islands,
)
from nsgalpha.stepping.position import correct_position as by_kernels

if TYPE_CHECKING:
    from nsgalpha.run.run import Run

ROUGH = 3e-4  # tolerance of the linearised problems, over the residual before, at most 1; see INNER
CLOSING = 0.5  # gap over the largest overlap up to which a contact may close in the correction


def correct_position(run: Run, h: float, stats: Floats) -> tuple[Ints, int, bool]:
    """As `position.position_correction`. Returns (closed contacts, worst candidate, solved)."""
    system, new = run.system, run.new
    solved = False
    if system.model.loads:
        # this step comes from Python for its loads, and may well be one for the kernels
        x, q, increment = new.x.copy(), new.q.copy(), run.increment.copy()
        closed, iterations, residual, worst, solved = by_kernels(
            *system.elements_of(),
            run.candidates,
            system.laws,
            system.bodies,
            system.work,
            run.increment,
            run.tol,
            new,
        )
        if not solved:
            new.x[:], new.q[:], run.increment[:] = x, q, increment
    if not solved:
        closed, iterations, residual, worst, solved = _in_two_parts(run, h, stats)
    stats[POSITION_ITERATIONS] = iterations
    stats[POSITION_RESIDUAL] = residual
    return closed, worst, solved


def _in_two_parts(run: Run, h: float, stats: Floats) -> tuple[Ints, int, float, int, bool]:
    """The correction in two parts; returns like `position.position_correction`."""
    system, new, candidates = run.system, run.new, run.candidates
    # friction moves the bodies as the forces of the last step do in half of h^2
    system.measure(new, candidates)
    begin_correction(candidates, system.bodies, system.work, new)
    rows = closed_rows(run.forces.known(), candidates, system.laws, system.bodies, system.work)
    r = 0.5 * h**2 * run.forces.recall(rows)
    run.forces.taken = True
    normal = rows.row[:-1]
    contacts, start = rows.contact, r[normal]
    r[normal] = 0.0
    held = np.zeros_like(run.increment)
    scatter_rows(rows, r, held)
    x, q = new.x.copy(), new.q.copy()
    displace(x, q, held, new)
    keep_spin(system.bodies, q, new)
    run.increment += held
    # the normal multipliers fulfil the gaps
    correction, floor = begin_correction(candidates, system.bodies, system.work, new)
    correction.member[contacts] = True
    correction.member[candidates.gap <= -CLOSING * candidates.gap.min(initial=0.0)] = True
    correction.multiplier[contacts, 0] = start
    rows = closed_rows(contacts, candidates, system.frictionless, system.bodies, system.work)
    move(rows, correction.multiplier[rows.contact, 0], new, correction)
    total, residual, worst, solved = 0, 0.0, -1, False
    for _ in range(MAX_ITERATIONS):
        rows, b, r, residual, worst, solved = _linearise(run, system.frictionless, correction, floor)
        if solved:
            break
        tolerance = max(INNER * run.tol, ROUGH * min(residual or 1.0, 1.0))
        iterations, worst, residual = _solve_gaps(run, rows, b, r, tolerance, floor)
        total += iterations
        if residual > max(run.tol, ACCEPTABLE):
            break
        move(rows, r, new, correction)
    closed = end_correction(candidates, system.bodies, system.work, run.increment, new, correction)
    return closed, total, residual, worst, solved


def _linearise(run: Run, laws: Laws, correction: Correction, floor: float) -> tuple[Any, ...]:
    """`position.linearise` at the present pose of `run.new`."""
    system = run.system
    system.measure(run.new, run.candidates)
    return linearise(
        run.candidates, laws, system.bodies, system.work, run.increment, run.tol, floor, run.new, correction
    )


def _solve_gaps(
    run: Run, rows: Rows, b: Floats, r: Floats, tol: float, floor: float
) -> tuple[int, int, float]:
    """Improve the normal multipliers `r` (R,) of all islands to the relative residual `tol`.

    Returns (iterations, the worst contact of the worst island, the island's residual).
    """
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
    most, _ = solve_islands(rows, run.system.bodies, b, r, tol, floor, unsolved)
    contact, residual = -1, 0.0
    for number, (first, last) in enumerate(left(rows, unsolved)):
        island = run.graphs.island("gaps", number, run.system, rows, first, last)
        outcome = island.solve(b, r, tol, floor)
        most = max(most, outcome.iterations)
        if outcome.residual >= residual:
            k = 0 if outcome.solved else worst_contact(island.problem, r[island.part] * island.scale)
            contact, residual = int(rows.contact[first + k]), outcome.residual
    return most, contact, residual
