"""Position and velocity correction driven from Python: as in integrator.py, for islands of any size.

Small islands are solved by the kernels; what they leave goes to contact/strategy.py, sparse.

A position correction that cannot be solved is split in two. Stick and gap rows of a hyperstatic island
depend on each other, and the exact gaps differ by second-order terms from the motion over the step:
then no multipliers fulfil all rows. First all rows are solved for the motion over the step, which is
compatible, with `b_N = G_N increment` where the contact was closed before; then the gaps alone,
exactly and without friction. Where even that fails, or the velocity correction does, an island goes
without friction for the step. Such islands are counted in the statistics as relaxed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nsgalpha.arrays import Floats, Ints, Laws
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
    RELAXED,
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
    Correction,
    begin_correction,
    end_correction,
    linearise,
    measure,
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

INNER = 0.3  # tolerance of the linearised problems, over that of the correction
NEAR = 1e-6  # a gap below this part of the radius belongs to a contact that was closed before


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

    def solve(self, b: Floats, r: Floats, tol: float, floor: float) -> tuple[int, float, bool]:
        """Solve for the multipliers `r` (R,) of all rows at `b` (R,).

        Returns (iterations, relative residual, solved); `r` is kept where it is not solved.
        """
        scaled_b = b[self.part] / self.scale
        scaled_r = r[self.part] * self.scale
        size = float(np.abs(scaled_b).max())
        tolerance = max(tol * size, floor / float(self.scale.min()))
        iterations, residual = strategy.solve(self.problem, scaled_b, scaled_r, tolerance)
        solved = residual <= tolerance
        if solved:
            r[self.part] = scaled_r / self.scale
        return iterations, residual / max(size, 1e-300), solved


def correct(run: Run, stats: Floats) -> tuple[int, int, Rows, Floats]:
    """Position and velocity correction of the smooth motion in `run.new`.

    Fills `stats` (a row of STATISTICS). Returns (outcome, worst candidate, rows of the closed
    contacts, their impulses).
    """
    system, new = run.system, run.new
    far = reached(new.x, run.anchor, run.reach)
    stats[POSITION_ITERATIONS] = 0
    closed, worst, solved = _correct_position(run, stats)
    stats[POSITION_ITERATIONS] = max(stats[POSITION_ITERATIONS], 1)
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


class PositionFailed(Exception):
    """An island has no solution that was found; `contact` is one of its candidates."""

    def __init__(self, contact: int, residual: float) -> None:
        super().__init__()
        self.contact = contact
        self.residual = residual


def _correct_position(run: Run, stats: Floats) -> tuple[Ints, int, bool]:
    """As `position.position_correction`. Returns (closed contacts, worst candidate, solved)."""
    system, new = run.system, run.new
    x, q = new.x.copy(), new.q.copy()
    try:
        correction = _solve_position(run, system.laws, stats)
        return _end(run, correction), -1, True
    except PositionFailed:
        new.x[:], new.q[:] = x, q
    try:
        return _split_position(run, stats), -1, True
    except PositionFailed as failure:
        stats[POSITION_RESIDUAL] = failure.residual
        return np.empty(0, np.int64), failure.contact, False


def _linearise(
    run: Run, laws: Laws, correction: Correction, floor: float
) -> tuple[Rows, Floats, Floats, float, int, bool]:
    system = run.system
    return linearise(
        *system.elements_of(),
        run.candidates,
        laws,
        system.bodies,
        system.work,
        run.increment,
        run.tol,
        floor,
        run.new,
        correction,
    )


def _end(run: Run, correction: Correction) -> Ints:
    system = run.system
    return end_correction(run.candidates, system.bodies, system.work, run.increment, run.new, correction)


def _solve_rows(run: Run, rows: Rows, b: Floats, r: Floats, floor: float) -> tuple[int, list[PositionFailed]]:
    """Solve all islands for `r` (R,). Returns (iterations, failures); failed islands keep their `r`."""
    unsolved = np.empty(len(rows.island) - 1, np.bool_)
    most, _ = solve_islands(rows, run.system.bodies, b, r, INNER * run.tol, floor, unsolved)
    failures = []
    for first, last in _islands(rows, unsolved):
        island = LargeIsland(run.system, rows, first, last, run.pattern)
        run.pattern = island.pattern
        iterations, residual, solved = island.solve(b, r, INNER * run.tol, floor)
        most = max(most, iterations)
        if not solved:
            failures.append(PositionFailed(int(rows.contact[first]), residual))
    return most, failures


def _solve_position(run: Run, laws: Laws, stats: Floats) -> Correction:
    """Successive linearisation under `laws`; raises PositionFailed."""
    correction, floor = begin_correction(run.candidates, run.system.bodies, run.system.work, run.new)
    worst, residual = -1, 0.0
    for _ in range(MAX_ITERATIONS):
        rows, b, r, residual, worst, solved = _linearise(run, laws, correction, floor)
        if solved:
            stats[POSITION_RESIDUAL] = residual
            return correction
        iterations, failures = _solve_rows(run, rows, b, r, floor)
        stats[POSITION_ITERATIONS] += iterations
        if failures:
            raise failures[0]
        move(rows, r, run.new, correction)
    raise PositionFailed(worst, residual)


def _split_position(run: Run, stats: Floats) -> Ints:
    """The split correction of the module's text; returns the closed contacts, or raises PositionFailed."""
    system, candidates = run.system, run.candidates
    radius = system.bodies.radius[candidates.a]
    measure(*system.elements_of(), system.bodies, run.old, candidates)
    persistent = candidates.gap <= NEAR * radius
    correction, floor = begin_correction(candidates, system.bodies, system.work, run.new)
    rows, b, r, *_ = _linearise(run, system.laws, correction, floor)
    normal = rows.row[:-1]
    motion = np.einsum("ksi,ksi->k", rows.G[normal], run.increment[rows.body])
    b[normal] = np.where(persistent[rows.contact], motion, b[normal])
    r[:] = 0.0
    iterations, failures = _solve_rows(run, rows, b, r, floor)
    stats[POSITION_ITERATIONS] += iterations
    stats[RELAXED] += max(len(failures), 1)
    move(rows, r, run.new, correction)
    _end(run, correction)
    pushed = correction.multiplier[:, 0] > 0.0
    closed = _end(run, _solve_position(run, system.frictionless, stats))
    also = np.flatnonzero(pushed & (candidates.gap <= NEAR * radius))
    return np.union1d(closed, also)


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
            # the step goes on without friction in this island, and says so
            stats[RELAXED] += 1
            island.problem.sets.radius[:] = 0.0
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
        tolerance = max(INNER * run.tol * np.abs(b).max(), floor / island.scale.min())
        iterations, residual = strategy.solve(problem, b, L, tolerance)
        solved = residual <= tolerance
        if not solved and limit > 0 and sequence.target.any():
            # restitution may ask for rates that no impulses give: close the sequence without it
            passes, solved = limit, True
            continue
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
