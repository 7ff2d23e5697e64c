"""Strategy for islands that are large, or on which the compiled Newton method fails.

Free rows are eliminated first where few others are left. Each round tries, in this order, and leaves as soon
as the residual is small enough:

    semismooth Newton      before the rounds, a few iterations from a start that is close
    bilateral start        where no start is known: all contacts closed and sticking
    block Gauss-Seidel     before them, while every batch of sweeps takes enough off the residual
    semismooth Newton      fast when it is close, and without cones; first after a good warm start only, and
                           where sweeps are slow (`Operator.direct`)
    block Gauss-Seidel     cheap sweeps that find most of the active set; they go on where they were
    proximal point         steps of the regularised problem, where the sweeps have come to a halt

Newton's augmentation `a` differs from round to round, since the kinks of the natural map lie elsewhere then.
So does the weight of its proximal term: redundant contacts need it, ill-conditioned columns do not.
"""

import math

import numpy as np

from nsgalpha import linalg
from nsgalpha.arrays import Floats
from nsgalpha.contact.methods import proximal_point
from nsgalpha.contact.methods.cone_newton import newton
from nsgalpha.contact.methods.newton_systems import bilateral
from nsgalpha.contact.methods.row_elimination import Eliminated, can_eliminate
from nsgalpha.contact.scaled_problem import ScaledProblem, SolverOutcome

ROUNDS = 100
NEWTON_ITERATIONS = 30
SWEEPS = 100  # of Gauss-Seidel in a batch, at most: until each contact is solved by itself,
ALONE = 0.1, 0.03  # to these parts of the tolerance and of the residual before
MOST_SWEEPS = 400  # in a round
FAST = 0.8  # residual after a batch, over that before, up to which sweeping is faster than Newton's method
RELAXATION = 1.6  # of the first sweeps: above 1 they are faster, and may diverge
DIVERGED = 3.0  # residual after a batch, over that before the round, from which on there is less of it
REDUCED = 0.1  # residual at which the sweeps of a later round end, over that at its start
SWEPT_ROUNDS = 5  # first rounds without the proximal point method
WORTH_SWEEPING = 0.5  # residual after the sweeps of a round, over that before, up to which they continue then
PROXIMAL_STEPS = 2
FIRST_SIGMA = 10.0
CLOSE = 1e-2  # residual over the largest rate from which on Newton's method is tried first,
FIRST_ITERATIONS = 6  # and before all sweeps, as it may be all it takes, with so many iterations
SWEPT = 1e-3  # at which Gauss-Seidel leaves the rest to it
FEW = 10  # blocks for which it is in any case, and for those without balls that a normal row scales
CORRECTIONS = 5  # solutions without the free rows, at most,
CORRECTED = 0.5  # to this part of the tolerance
ATTEMPTS = (1.0, 1e1), (1.0, 0.0), (3.0, 3e1), (10.0, 1e2)  # augmentation, proximal weight, in turn
BILATERAL = 1e6  # sigma of `I/sigma + W` for the bilateral start
WORTH = 0.1  # a Newton attempt is kept if it brings the residual below this part


def _bilateral_start(problem: ScaledProblem) -> Floats:
    """Multipliers (n,) in their cones; zero if W is not semidefinite enough for the factorisation."""
    try:
        return problem.project(bilateral(problem, BILATERAL))
    except linalg.SingularMatrixError:
        return np.zeros_like(problem.q)


class _Sweeps:
    """Gauss-Seidel that continues: residuals rise while the active set changes, and fall again."""

    def __init__(self, problem: ScaledProblem) -> None:
        self.problem = problem
        self.relaxation = RELAXATION
        self.count = 0

    def while_fast(self, r: Floats, residual: float, goal: float) -> float:
        """Sweeps of `r` (n,), in place, while each batch is `FAST`; the residual, not above that before."""
        start, before, first = r.copy(), math.inf, residual
        while goal < residual <= FAST * before:
            before = residual
            residual = self.go_on(r, residual, goal, SWEEPS)
        if residual > first:
            r[:], residual = start, first
        return residual

    def go_on(self, r: Floats, residual: float, goal: float, most: int) -> float:
        """At most `most` sweeps of `r` (n,), in place, until its residual is <= `goal`; the residual."""
        problem, start, done = self.problem, residual, 0
        while residual > goal and done < most:
            alone = max(ALONE[0] * goal, ALONE[1] * residual)
            done += problem.W.sweep(problem.q, problem.cones, r, alone, self.relaxation, SWEEPS)
            residual = problem.residual(r, problem.rates(r))
            if residual > DIVERGED * start:
                self.relaxation = max(self.relaxation - 0.1, 1.0)
        self.count += done
        return residual


def settle(problem: ScaledProblem, r: Floats, goal: float, acceptable: float) -> SolverOutcome:
    """Gauss-Seidel alone on `r` (n,), to `goal` or an acceptable residual.

    That is after the sweeps of a round; they continue for those of SWEPT_ROUNDS if it is not.
    """
    sweeps = _Sweeps(problem)
    residual = sweeps.while_fast(r, problem.residual(r, problem.rates(r)), goal)
    residual = sweeps.go_on(r, residual, goal, MOST_SWEEPS - sweeps.count)
    residual = sweeps.go_on(r, residual, acceptable, SWEPT_ROUNDS * MOST_SWEEPS - sweeps.count)
    return SolverOutcome("Gauss-Seidel", False, residual, 0, 0, sweeps.count)


def solve(
    problem: ScaledProblem, r: Floats, tolerance: float, rounds: int = ROUNDS, near: float = math.inf
) -> SolverOutcome:
    """Improve the start `r` (n,) in place until its residual is <= `tolerance`, or rounding error.

    Where no round gets there, `r` is the best point met. There are rounds only if the first sweeps end at a
    residual below `near`.
    """
    if can_eliminate(problem):
        outcome = _without_free_rows(problem, r, tolerance, rounds)
        if outcome.solved:
            return outcome
    return _in_rounds(problem, r, tolerance, rounds, near)


def _without_free_rows(problem: ScaledProblem, r: Floats, tolerance: float, rounds: int) -> SolverOutcome:
    """Improve `r` (n,) in place by solutions of the problem without the free rows."""
    residual, counts = problem.residual(r, problem.rates(r)), np.zeros(3, int)
    method = "elimination"
    try:
        others = Eliminated(problem)
    except linalg.SingularMatrixError:
        return SolverOutcome(method, False, residual, 0, 0, 0)
    better = r.copy()
    u = others.solve_free(better)
    for correction in range(CORRECTIONS + 1):
        before, now = residual, problem.residual(better, u)
        if now < residual or correction == 0:
            r[:], residual = better, now
        solved = residual <= max(tolerance, problem.rounding(r))
        if solved or correction == CORRECTIONS or (correction > 1 and not residual <= WORTH * before):
            break
        own = better[others.rows] * others.scale
        outcome = _in_rounds(others.problem(better, u), own, CORRECTED * tolerance, rounds)
        method = outcome.method
        counts += outcome.newton, outcome.proximal, outcome.sweeps
        better[others.rows] = own / others.scale
        u = others.solve_free(better)
    newton, proximal, sweeps = map(int, counts)
    return SolverOutcome(method, bool(solved), residual, newton, proximal, sweeps)


def _in_rounds(
    problem: ScaledProblem, r: Floats, tolerance: float, rounds: int, near: float = math.inf
) -> SolverOutcome:
    """`solve` with all rows."""
    residual = problem.residual(r, problem.rates(r))
    counts = {"newton": 0, "proximal": 0}
    method, sweeps, sweeping = "start", _Sweeps(problem), True
    sigma = problem.carried.sigma or FIRST_SIGMA
    size = np.abs(problem.q).max(initial=0.0)
    close = CLOSE * size
    many = len(problem.block) - 1 > FEW
    easy = not many or bool((problem.sets.parent < 0).all())
    attempt = max(problem.carried.attempt, int(easy))  # those do without a proximal term
    if residual > max(tolerance, close) and not r.any():
        joined = _bilateral_start(problem)
        lowest = problem.residual(joined, problem.rates(joined))
        if lowest < residual:
            r[:], residual, method = joined, lowest, "bilateral start"
    if many and tolerance < residual <= close and not problem.carried.attempt:
        better, counts["newton"], lowest = newton(problem, r, *ATTEMPTS[0], tolerance, FIRST_ITERATIONS)
        if lowest <= tolerance:
            r[:], residual, method = better, lowest, "semismooth Newton"
    if many and not problem.W.direct:
        residual = sweeps.while_fast(r, residual, tolerance)
        method = "Gauss-Seidel" if sweeps.count else method
    best, lowest_met = r.copy(), residual
    for k in range(rounds if residual <= near else 0):
        if residual <= max(tolerance, problem.rounding(r)):
            break
        if k > 0 or residual <= close or easy or problem.W.direct:
            a, weight = ATTEMPTS[attempt % len(ATTEMPTS)]
            attempt += 1
            better, iterations, lowest = newton(problem, r, a, weight, tolerance, NEWTON_ITERATIONS)
            counts["newton"] += iterations
            if lowest < lowest_met:
                best, lowest_met = better, lowest
            if lowest <= max(tolerance, WORTH * residual):
                r[:], residual, method = better, lowest, "semismooth Newton"
                continue
        if not sweeping:
            for _ in range(PROXIMAL_STEPS):
                r[:], iterations, sigma = proximal_point.step(problem, r, sigma, tolerance)
                counts["proximal"] += iterations
                residual = problem.residual(r, problem.rates(r))
                method = "proximal point"
                if residual <= tolerance:
                    break
        else:
            goal = max(tolerance, SWEPT * size if k == 0 else REDUCED * residual)
            before, residual = residual, sweeps.go_on(r, residual, goal, MOST_SWEEPS)
            sweeping = k < SWEPT_ROUNDS or residual <= WORTH_SWEEPING * before
            method = "Gauss-Seidel"
        if residual < lowest_met:
            best, lowest_met = r.copy(), residual
    if lowest_met < residual:
        r[:], residual = best, lowest_met
    solved = residual <= max(tolerance, problem.rounding(r))
    problem.carried.sigma = None if solved else sigma
    problem.carried.attempt = 0 if solved else attempt
    return SolverOutcome(method, bool(solved), residual, counts["newton"], counts["proximal"], sweeps.count)
