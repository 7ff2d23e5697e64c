"""Strategy for contacts of free bodies: compiled, in the space of the bodies.

    Gauss-Seidel        from the last step, in batches that cost about as much as a step of Newton's method,
                        while each is worth it
    semismooth Newton   where that is close to the solution, or nothing has friction; before the sweeps where
                        the last step is close
    rounds              the interior point method, from the middle of the cones and slightly inside in turn,
                        finds the active set, but cannot polish; Newton's method polishes
    more Newton steps   where a residual is small, but above the goal. Multipliers of redundant contacts drift
                        along the null space of W then, until a contact slips. The proximal term keeps them,
                        but contacts that slide slowly need a light one. So a heavy and a light one take turns

Joints and intervals take Gauss-Seidel in the place of the interior point method.
"""

import math
from typing import cast

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.contact.body_delassus import BodyOperator, Graph
from nsgalpha.contact.methods.block_factor import velocities
from nsgalpha.contact.methods.body_newton import AIM, BodyProblem, BodySteps, newton_bodies, rates_of
from nsgalpha.contact.methods.gauss_seidel import Sweeps, make_room, sweep_bodies
from nsgalpha.contact.methods.interior_point import has_interior, interior_point
from nsgalpha.contact.multiplier_sets import natural_map
from nsgalpha.contact.scaled_problem import ScaledProblem, SolverOutcome
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, largest

BATCH, FEWEST = 0.08, 5  # sweeps, times the number of bodies, and at least
FAST = 0.5  # residual after a batch, over that before, up to which another follows
RELAXATION = 1.6, 1.3  # of the first sweeps, which end where it is too much, and of others
ALONE = 0.1, 0.03  # contacts are solved to these parts of the goal and of the residual
CLOSE = 1e-4  # residual, over the largest rate, from which Newton's method is tried before the rounds,
START = 1e-3  # and before the sweeps
FIRST_STEPS, STEPS = 30, 40  # of Newton's method, with this patience and change of the proximal term:
PATIENCE, HEAVIER = 10, 2.0
INTERIOR = 25  # steps of the interior point method at most,
FINE = 1e-4  # to this residual, over the largest rate
FIRST_ROUNDS = 2
ADEQUATE = 1e-6  # residual, over the largest rate, for which there are no more than these, or a third of all
POLISH = (20, 10.0), (60, 2.0), (20, 10.0), (60, 2.0), (120, 1.5)  # steps then, and their `heavier`
INSIDE = 0.03, 0.01, 0.1, 0.0, 0.003, 0.3  # starts of the rounds in turn, see interior_point.py
SWEPT = 1e-3  # residual after the sweeps of a round, over that before
SWEEPS = 400  # of a round, in the place of the interior point method, and of a problem that is only swept,
MOST_SWEEPS = 2000  # or until it is acceptable
DIVERGED = 3.0  # residual after a batch, over the first, from which on there is less relaxation
ALL = np.iinfo(np.int64).max


@kernel
def sweep(problem, V, r, goal, fast, most):
    """At most `most` sweeps of `r` (n,), in batches, while each leaves at most `fast` of the residual.

    `fast` is infinite for sweeps that continue in any case.

    Returns (sweeps, residual); `r` is the best point met. `V` (N, m) is workspace.
    """
    n, K = r.shape[0], problem.rows.body.shape[0]
    vectors, room = np.empty((4, n)), make_room()
    x, u, F = vectors[0], vectors[1], vectors[2]
    changed, solved = np.zeros(V.shape[0], np.int64), np.empty(K, np.int64)
    copy_into(x, r)
    rates_of(problem, x, V, u)
    residual = lowest = natural_map(problem.sets, x, u, F)
    first, before, relaxation = residual, np.inf, RELAXATION[0 if fast < 1.0 else 1]
    done, batch = 0, max(int(BATCH * V.shape[0]), FEWEST)
    while goal < residual <= fast * before and done < most:
        before = residual
        changed[:] = 0
        solved[:] = -1
        passes = Sweeps(max(ALONE[0] * goal, ALONE[1] * residual), relaxation, batch)
        cones, marks = (problem.sets, problem.block), (changed, solved)
        done += sweep_bodies(problem.rows, problem.q, cones, x, V, passes, room, marks)
        rates_of(problem, x, V, u)
        residual = natural_map(problem.sets, x, u, F)
        if residual < lowest:
            lowest = residual
            copy_into(r, x)
        if residual > DIVERGED * first:
            relaxation = max(relaxation - 0.1, 1.0)
    return done, lowest


@kernel
def solve_rounds(problem, pattern, factor, r, residual, goal, rounds):
    """Improve `r` (n,), whose residual is given, until that is <= `goal`, in at most so many rounds.

    Returns (residual, steps of Newton's and the interior point method, sweeps).
    """
    sets, block = problem.sets, problem.block
    size, x = largest(problem.q), np.empty_like(r)
    inner, frictionless = has_interior(sets), r.shape[0] == block.shape[0] - 1
    total = swept = 0
    if frictionless or residual <= CLOSE * size:
        total, residual = newton_bodies(
            problem, pattern, factor, r, goal, BodySteps(FIRST_STEPS, PATIENCE, HEAVIER)
        )
    for k in range(rounds):
        if residual <= goal or (k >= max(FIRST_ROUNDS, rounds // 3) and residual <= ADEQUATE * size):
            break
        copy_into(x, r)
        if inner:
            aim, inside = max(goal, FINE * size), INSIDE[k % len(INSIDE)]
            steps, after = interior_point(problem, pattern, factor, inside, x, aim, INTERIOR)
            total += steps
        else:
            steps, after = sweep(problem, velocities(factor), x, max(goal, SWEPT * residual), np.inf, SWEEPS)
            swept += steps
        if after > goal:
            steps, after = newton_bodies(
                problem, pattern, factor, x, goal, BodySteps(STEPS, PATIENCE, HEAVIER)
            )
            total += steps
        if after < residual:
            residual = after
            copy_into(r, x)
    for limit, heavier in POLISH:
        if goal < residual <= ADEQUATE * size and rounds > FIRST_ROUNDS:
            steps = BodySteps(limit, limit, heavier)
            more, residual = newton_bodies(problem, pattern, factor, r, goal, steps)
            total += more
    return residual, total, swept


def solve(
    problem: ScaledProblem, r: Floats, goal: float, rounds: int, near: float = math.inf
) -> SolverOutcome:
    """Improve the start `r` (n,) in place until its residual is <= `goal`, or rounding error.

    Where no round gets there, `r` is the best point met. There are rounds only if the first sweeps end at a
    residual below `near`.
    """
    own, graph = _compiled(problem)
    V, frictionless = np.empty((graph.count, graph.size)), len(r) == len(problem.block) - 1
    aim = max(AIM * goal, problem.rounding(r))  # also within the goal: an error that is kept would last
    sweeps, residual = sweep(own, V, r, aim, FAST, 0)
    steps, method = 0, "semismooth Newton"
    if frictionless or residual <= START * np.abs(problem.q).max(initial=0.0):
        steps, residual = newton_bodies(
            own, graph.elimination, graph.factor, r, aim, BodySteps(FIRST_STEPS, PATIENCE, HEAVIER)
        )
    if residual > aim:
        method = "Gauss-Seidel"
        sweeps, residual = sweep(own, V, r, aim, FAST, ALL)
    if residual > max(goal, problem.rounding(r)):
        method, rounds = "semismooth Newton", rounds if residual <= near else 0
        residual, more, further = solve_rounds(
            own, graph.elimination, graph.factor, r, residual, goal, rounds
        )
        steps, sweeps = steps + more, sweeps + further
    solved = residual <= max(goal, problem.rounding(r))
    return SolverOutcome(method, bool(solved), residual, steps, 0, sweeps)


def settle(problem: ScaledProblem, r: Floats, goal: float, acceptable: float) -> SolverOutcome:
    """Gauss-Seidel alone on `r` (n,): to the `goal` in SWEEPS, or to `acceptable` in MOST_SWEEPS."""
    own, graph = _compiled(problem)
    V = np.empty((graph.count, graph.size))
    sweeps, residual = sweep(own, V, r, goal, math.inf, SWEEPS)
    more, residual = sweep(own, V, r, acceptable, math.inf, MOST_SWEEPS - sweeps)
    return SolverOutcome("Gauss-Seidel", False, residual, 0, 0, sweeps + more)


def _compiled(problem: ScaledProblem) -> tuple[BodyProblem, Graph]:
    """The problem as the kernels take it, and its graph; its operator is a BodyOperator."""
    W = cast("BodyOperator", problem.W)
    return BodyProblem(W.rows, problem.q, *problem.cones), W.graph
