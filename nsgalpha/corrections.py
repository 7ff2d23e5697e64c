"""Position and velocity correction driven from Python: as in integrator.py, for islands of any size.

Small islands are solved by the kernels; what they leave goes to contact/strategy.py, sparse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nsgalpha.arrays import Floats, Ints
from nsgalpha.assembly import Pattern, fill_values, find_pattern
from nsgalpha.contact import strategy
from nsgalpha.contact.sets import scale_sparse
from nsgalpha.contact.strategy import SparseProblem
from nsgalpha.integrator import (
    CAPPED,
    CONTACTS,
    PENETRATION,
    POSITION_ITERATIONS,
    POSITION_RESIDUAL,
    SUB_IMPACTS,
    VELOCITY_ITERATIONS,
    VELOCITY_RESIDUAL,
    finite,
    penetration,
    reached,
)
from nsgalpha.islands import closed_rows, island_sets
from nsgalpha.kinematics import Rows
from nsgalpha.position import (
    MAX_ITERATIONS,
    begin_correction,
    end_correction,
    linearise,
    move,
    solve_islands,
)
from nsgalpha.status import NOT_FINITE, OUT_OF_REACH, POSITION, SOLVED, VELOCITY
from nsgalpha.system import System
from nsgalpha.velocity import (
    apply_impulses,
    begin_sequence,
    next_impact,
    rates_of_rows,
    restrict,
    solve_sequences,
)

if TYPE_CHECKING:
    from nsgalpha.run import Run


class LargeIsland:
    """The scaled sparse problem of the contacts `first` to `last` - 1 of `rows`."""

    def __init__(self, system: System, rows: Rows, first: int, last: int, known: Pattern | None) -> None:
        self.first, self.last = first, last
        self.part = slice(rows.row[first], rows.row[last])
        self.pattern = find_pattern(rows, system.bodies, first, last, known)
        values = fill_values(self.pattern, rows, system.bodies, first, last)
        sets, block = island_sets(rows, first, last)
        n = len(self.pattern.indptr) - 1
        self.scale = np.empty(n)
        scale_sparse(self.pattern.indptr, self.pattern.indices, values, sets, self.scale)
        W = sparse.csr_array((values, self.pattern.indices, self.pattern.indptr), shape=(n, n))
        self.problem = SparseProblem(W, sets, block)

    def solve(self, b: Floats, r: Floats, tol: float, floor: float) -> tuple[int, bool]:
        """Solve for the multipliers `r` (R,) of all rows at `b` (R,); returns (iterations, solved)."""
        scaled_b = b[self.part] / self.scale
        scaled_r = r[self.part] * self.scale
        tolerance = max(tol * np.abs(scaled_b).max(), floor / self.scale.min())
        iterations, residual = strategy.solve(self.problem, scaled_b, scaled_r, tolerance)
        r[self.part] = scaled_r / self.scale
        return iterations, residual <= tolerance


def correct(run: Run, stats: Floats) -> tuple[int, int, Rows, Floats]:
    """Position and velocity correction of the smooth motion in `run.new`.

    Fills `stats` (a row of STATISTICS). Returns (outcome, worst candidate, rows of the closed
    contacts, their impulses).
    """
    system, new = run.system, run.new
    far = reached(new.x, run.anchor, run.reach)
    closed, worst, solved = _correct_position(run, stats)
    stats[CONTACTS] = len(closed)
    rows = closed_rows(closed, run.candidates, system.laws, system.bodies, system.work)
    impulse = np.zeros(len(rows.G))
    if far or reached(new.x, run.anchor, run.reach):
        return OUT_OF_REACH, -1, rows, impulse
    if not solved:
        return POSITION, worst, rows, impulse
    stats[PENETRATION] = penetration(run.candidates, system.bodies)
    worst = _correct_velocity(run, rows, impulse, stats)
    if worst >= 0:
        return VELOCITY, worst, rows, impulse
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulse


def _islands(rows: Rows, unsolved: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last contact of the unsolved islands."""
    return [(int(rows.island[i]), int(rows.island[i + 1])) for i in np.flatnonzero(unsolved)]


def _correct_position(run: Run, stats: Floats) -> tuple[Ints, int, bool]:
    """As `position.position_correction`. Returns (closed contacts, worst candidate, solved)."""
    system, new = run.system, run.new
    correction, floor = begin_correction(run.candidates, system.bodies, system.work, new)
    worst, solved, total = -1, False, 0
    for _ in range(MAX_ITERATIONS):
        rows, b, r, residual, worst, solved = linearise(
            *system.elements_of(),
            run.candidates,
            system.laws,
            system.bodies,
            system.work,
            run.increment,
            run.tol,
            floor,
            new,
            correction,
        )
        stats[POSITION_RESIDUAL] = residual
        if solved:
            break
        unsolved = np.empty(len(rows.island) - 1, np.bool_)
        most, _ = solve_islands(rows, system.bodies, b, r, 0.1 * run.tol, floor, unsolved)
        for first, last in _islands(rows, unsolved):
            island = LargeIsland(system, rows, first, last, run.pattern)
            run.pattern = island.pattern
            iterations, done = island.solve(b, r, 0.1 * run.tol, floor)
            most = max(most, iterations)
            if not done:
                return np.empty(0, np.int64), int(rows.contact[first]), False
        total += most
        move(rows, r, new, correction)
    stats[POSITION_ITERATIONS] = max(total, 1)
    return (
        end_correction(run.candidates, system.bodies, system.work, run.increment, new, correction),
        worst,
        solved,
    )


def _correct_velocity(run: Run, rows: Rows, impulse: Floats, stats: Floats) -> int:
    """As `velocity.velocity_correction`. Returns a contact of an unsolved island, or -1."""
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
    for first, last in _islands(rows, unsolved):
        island = LargeIsland(system, rows, first, last, run.pattern)
        run.pattern = island.pattern
        iterations, passes, ended, solved = _sequence(run, rows, island, after, before, floor, impulse)
        if not solved:
            return int(rows.contact[first])
        most, impacts, capped = max(most, iterations), max(impacts, passes), capped + ended
    stats[VELOCITY_ITERATIONS] = max(most, 1)
    stats[SUB_IMPACTS] = impacts
    stats[VELOCITY_RESIDUAL] = residual
    stats[CAPPED] = capped
    apply_impulses(rows, impulse, run.new)
    return -1


def _sequence(
    run: Run, rows: Rows, island: LargeIsland, after: Floats, before: Floats, floor: float, impulse: Floats
) -> tuple[int, int, bool, bool]:
    """The sequence of impacts of one large island. Returns (iterations, impacts, capped, solved)."""
    W, sets, block = island.problem
    sequence, tol_v, limit = begin_sequence(
        rows,
        island.first,
        island.last,
        run.system.laws,
        run.candidates,
        sets,
        block,
        island.scale,
        after,
        before,
        floor,
    )
    total, passes, solved = 0, 0, True
    while solved and passes <= limit:
        count = next_impact(sets, block, island.scale, sequence, tol_v, limit, passes)
        if count == 0:
            break
        chosen = np.empty(len(sequence.after), np.int64)
        part, part_block, n = restrict(sets, block, sequence.active, count, chosen)
        chosen = chosen[:n]
        problem = island.problem
        if n < len(sequence.after):
            problem = SparseProblem(W[chosen][:, chosen], part, part_block)
        b = (sequence.after + sequence.target)[chosen]
        L = np.zeros(n)
        tolerance = max(0.1 * run.tol * np.abs(b).max(), floor / island.scale.min())
        iterations, residual = strategy.solve(problem, b, L, tolerance)
        solved = residual <= tolerance
        change = np.zeros_like(sequence.after)
        change[chosen] = L
        sequence.impulse[:] += change
        response = W @ change
        sequence.after[:] += response
        sequence.before[:] += response
        total += iterations
        passes += 1
    impulse[island.part] = sequence.impulse / island.scale
    return total, passes, limit > 0 and passes > limit, solved
