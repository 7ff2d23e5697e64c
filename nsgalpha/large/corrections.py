"""Position and velocity correction driven from Python: as in integrator.py, for islands of any size.

Small islands are solved by the kernels; what they leave goes to contact/strategy.py, sparse, and starts
from the multipliers of the last step.

The rows of a packing depend on each other, and the exact gaps differ by second-order terms from the
motion over the step: then no multipliers fulfil the gaps and the friction rows alike. So a step with an
island that the kernels leave is corrected in two parts. First friction moves the bodies, with the forces that
the contacts had in the last step. Then the normal multipliers alone are solved for the exact gaps.

An island whose velocities stay above the tolerance, but within what is acceptable (large_island.py), counts
as relaxed in the statistics, which hold its residual; beyond that the step has failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, Laws
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import restrict
from nsgalpha.contact.strategy import Outcome
from nsgalpha.large.large_island import ACCEPTABLE, Island, solve_relative
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
from nsgalpha.stepping.islands import closed_rows
from nsgalpha.stepping.kinematics import Rows, scatter_rows
from nsgalpha.stepping.position import (
    MAX_ITERATIONS,
    Correction,
    begin_correction,
    correct_position,
    displace,
    end_correction,
    keep_spin,
    linearise,
    move,
    solve_islands,
)
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

INNER = 0.3  # tolerance of the linearised problems, over that of the correction
ROUGH = 3e-4  # the same, over the residual before, at most 1
CLOSING = 0.5  # gap over the largest overlap up to which a contact may close in the correction


def correct(run: Run, h: float, stats: Floats) -> tuple[int, int, Rows, Floats]:
    """Position and velocity correction of the smooth motion in `run.new` over a step of `h` [s].

    Fills `stats` (a row of STATISTICS); returns like `in_turn`.
    """
    return in_turn(
        run,
        stats,
        lambda: _correct_position(run, h, stats),
        lambda rows, impulse: _correct_velocity(run, h, rows, impulse, stats),
    )


def in_turn(
    run: Run,
    stats: Floats,
    position: Callable[[], tuple[Ints, int, bool]],
    velocity: Callable[[Rows, Floats], tuple[int, bool]],
) -> tuple[int, int, Rows, Floats]:
    """Both corrections of the smooth motion in `run.new`, one after the other.

    position: returns (closed contacts, worst candidate, solved). velocity: fills the impulses (R,) of the
    rows of these contacts, returns (worst candidate, solved).

    Returns (outcome, worst candidate, rows, impulses).
    """
    system, new = run.system, run.new
    far = reached(new.x, run.anchor, run.reach)
    closed, worst, solved = position()
    stats[POSITION_ITERATIONS] = max(stats[POSITION_ITERATIONS], 1)
    stats[CONTACTS] = len(closed)
    rows = closed_rows(closed, run.candidates, system.laws, system.bodies, system.work)
    impulse = np.zeros(len(rows.G))
    if far or reached(new.x, run.anchor, run.reach):
        return OUT_OF_REACH, -1, rows, impulse
    if not solved:
        return POSITION, worst, rows, impulse
    stats[PENETRATION] = penetration(run.candidates, system.bodies)
    worst, solved = velocity(rows, impulse)
    if not solved:
        return VELOCITY, worst, rows, impulse
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulse


def _islands(rows: Rows, unsolved: Flags) -> list[tuple[int, int]]:
    """First and last contact of the unsolved islands."""
    return [(int(rows.island[i]), int(rows.island[i + 1])) for i in np.flatnonzero(unsolved)]


def _correct_position(run: Run, h: float, stats: Floats) -> tuple[Ints, int, bool]:
    """As `position.position_correction`. Returns (closed contacts, worst candidate, solved)."""
    system, new = run.system, run.new
    solved = False
    if system.model.loads:
        # this step comes from Python for its loads, and may well be one for the kernels
        x, q, increment = new.x.copy(), new.q.copy(), run.increment.copy()
        closed, iterations, residual, worst, solved = correct_position(
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

    Returns (iterations, a contact of the worst island, its residual).
    """
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
    most, _ = solve_islands(rows, run.system.bodies, b, r, tol, floor, unsolved)
    contact, residual = -1, 0.0
    for number, (first, last) in enumerate(_islands(rows, unsolved)):
        island = run.graphs.island("gaps", number, run.system, rows, first, last)
        outcome = island.solve(b, r, tol, floor)
        most = max(most, outcome.iterations)
        if outcome.residual >= residual:
            contact, residual = int(rows.contact[first]), outcome.residual
    return most, contact, residual


def _correct_velocity(run: Run, h: float, rows: Rows, impulse: Floats, stats: Floats) -> tuple[int, bool]:
    """As `velocity.velocity_correction`. Returns (a contact of an unsolved island or -1, solved)."""
    system = run.system
    after, before, floor = rates_of_rows(rows, system.bodies, run.old, run.new)
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
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
    remembered = h * run.forces.recall(rows)
    for number, (first, last) in enumerate(_islands(rows, unsolved)):
        island = run.graphs.island("impulses", number, system, rows, first, last)
        sequence = impact_sequence(run, rows, island, after, before, floor, remembered)
        most, impacts = max(most, sequence.iterations), max(impacts, sequence.impacts)
        residual, capped = max(residual, sequence.residual), capped + sequence.capped
        stats[RELAXED] += sequence.relaxed
        if not sequence.acceptable:
            stats[VELOCITY_RESIDUAL] = residual
            return int(rows.contact[first]), False
        impulse[island.part] = sequence.impulse
    stats[VELOCITY_ITERATIONS] = max(most, 1)
    stats[SUB_IMPACTS] = impacts
    stats[VELOCITY_RESIDUAL] = residual
    stats[CAPPED] = capped
    apply_impulses(rows, impulse, run.new)
    return -1, True


class Impacts(NamedTuple):
    """A sequence of impacts in one large island."""

    impulse: Floats  # (n,) of its rows
    iterations: int
    impacts: int
    residual: float  # largest, relative
    capped: bool
    relaxed: bool
    acceptable: bool  # whether the step may go on with it


def impact_sequence(
    run: Run, rows: Rows, island: Island, after: Floats, before: Floats, floor: float, start: Floats
) -> Impacts:
    """As in `velocity.solve_sequences`; `start` (R,) are impulses to begin a simultaneous solution from."""
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
    total, passes, worst, relaxed, acceptable = 0, 0, 0.0, False, True
    while passes <= limit:
        count = next_impact(problem.sets, problem.block, island.scale, sequence, tol_v, limit, passes)
        if count == 0:
            break
        change = np.zeros_like(sequence.after)
        if limit == 0:
            change[:] = start[island.part] * island.scale
        outcome = _impact(run, island, sequence, count, floor, change)
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
    return Impacts(impulse, total, passes, worst, limit > 0 and passes > limit, relaxed, acceptable)


def _impact(run: Run, island: Island, sequence: Sequence, count: int, floor: float, L: Floats) -> Outcome:
    """Solve the `count` active contacts for the impulses `L` (n,), the start on entry."""
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
    return outcome
