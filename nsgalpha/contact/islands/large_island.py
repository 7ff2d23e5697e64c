"""The contact problem of an island that is large, or that Newton's method left: sparse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nsgalpha.arrays import Bodies, Flags, Floats, Ints
from nsgalpha.contact import body_strategy, solver_strategy
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph, trim_rotation
from nsgalpha.contact.delassus_interface import Operator
from nsgalpha.contact.islands.islands import LARGE, island_sets
from nsgalpha.contact.islands.jointed_contacts import Coupling, JointedOperator
from nsgalpha.contact.methods.cone_newton import natural_map
from nsgalpha.contact.multiplier_sets import HALF_LINE, scale_half_rows, weigh_all
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.contact.rows.scaled_rows import half_rows
from nsgalpha.contact.scaled_problem import Carried, ScaledProblem, SolverOutcome

TINY = 1e-300
INNER = 0.3  # tolerance of the problems of a correction, over its own
# Pairs are those of the strategies in general, and for free bodies. The cost of a problem is its number of
# rows, or of products of blocks in the factor.
ROUNDS = (4, 30), (1, 12)  # fewest and most rounds towards the tolerance, then an acceptable residual,
WORK = 2000, 15_000  # whose number times the cost is this, between these, and times the effort,
ACCEPTABLE = 1e-3  # residual, over the largest rate or multiplier, with which a step may continue
JAMMED = 1000, 15_000  # cost from which on an island with friction that was unsolved in the last step,
COSTLY = 200_000, 1_000_000  # or has more iterations of Newton's method times their cost, is only swept,
SWEPT = 0.3  # to this part of the acceptable residual, or that,
ROUNDS_OF_RETRY = 2  # but every so many steps solved, in so many rounds if sweeps make it acceptable:
RETRY = 20, 4  # as many as this, or as the cost over this times the number of contacts,
NEAR = 1e-4  # and always after a residual, over the largest rate, of this
LOOSE = 3.0  # factor of the acceptable residual, where one iteration of Newton's method is too much


def solve_relative(
    problem: ScaledProblem, scale: Floats, r: Floats, tol: float, floor: float
) -> SolverOutcome:
    """Solve to `tol` times the largest rate, or the rounding error `floor`; `r` (n,) is the start.

    `scale` (n,) is that of the rows.

    Residuals are those by weight, and the weights of `problem` those of its rates.

    In a jam of many bodies one step after the other stays unsolved, or takes all the effort. Then
    Gauss-Seidel alone serves, which brings them to an acceptable residual at a tenth of the cost. The number
    of the step says when another attempt is due; all of them take a fifth of the time of the sweeps. The
    residual of the outcome is relative to the largest rate, and 0 within rounding error.

    The largest entry of many thousand contacts goes up and down as they are swept. Where they are swept in
    every step, up to LOOSE times the acceptable residual is kept.
    """
    free, effort = isinstance(problem.W, BodyOperator), problem.carried.effort
    strategy: Any = body_strategy if free else solver_strategy
    size = float(np.abs(problem.q).max())
    acceptable = max(ACCEPTABLE * max(size, problem.largest(r)), floor)
    cost = problem.W.graph.products if isinstance(problem.W, BodyOperator) else len(r)
    fewest, most = ROUNDS[free]
    rounds = int(effort * min(max(WORK[free] / cost, fewest), most))
    frictionless = len(r) == len(problem.block) - 1
    unsolved = problem.carried.unsolved or cost > effort * COSTLY[free]
    many = cost >= effort * JAMMED[free]
    many = many and not (frictionless or problem.W.direct)
    enough = acceptable * (LOOSE if many and cost > max(effort, 1.0) * COSTLY[free] else 1.0)
    if many and unsolved and problem.carried.step % _wait(problem, cost):
        outcome = strategy.settle(problem, r, SWEPT * acceptable, enough)
    else:
        again = many and unsolved
        near = acceptable if again else np.inf
        number = min(ROUNDS_OF_RETRY, rounds) if again else rounds
        outcome = strategy.solve(problem, r, max(tol * size, floor), number, near)
    solved = outcome.solved or outcome.residual <= NEAR * size
    problem.carried.unsolved = not solved or outcome.newton * cost > effort * COSTLY[free]
    for settles in (True, False) if free else (False,):
        if outcome.residual <= enough:
            break
        if settles:
            more = strategy.settle(problem, r, enough, enough)
        else:
            more = strategy.solve(problem, r, enough, max(rounds, fewest))
        outcome = more._replace(
            solved=False,
            newton=outcome.newton + more.newton,
            proximal=outcome.proximal + more.proximal,
            sweeps=outcome.sweeps + more.sweeps,
        )
    rounding = max(floor, problem.rounding(r))
    residual = outcome.residual / max(size, TINY) if outcome.residual > rounding else 0.0
    error = residual * _approach(problem, scale)
    return outcome._replace(residual=residual, error=error, acceptable=outcome.residual <= enough)


def _wait(problem: ScaledProblem, cost: int) -> int:
    """Steps from one attempt to solve a jam to the next."""
    if isinstance(problem.W, BodyOperator):
        return max(cost // (RETRY[True] * (len(problem.block) - 1)), 1)
    return RETRY[False]


def _approach(problem: ScaledProblem, scale: Floats) -> float:
    """Largest rate of a normal row without multipliers [m/s], with which residuals are compared."""
    normal = problem.sets.row[problem.sets.parent == HALF_LINE]
    return float(np.abs(problem.q[normal] * scale[normal]).max(initial=0.0))


class LargeIsland:
    """The scaled problem of the contacts `first` to `last` - 1 of `rows`; `known` is reusable data.

    `inverse_inertia` (B, 3, 3) of the `bodies` is inertial.
    """

    def __init__(
        self, bodies: Bodies, inverse_inertia: Floats, rows: Rows, first: int, last: int, known: Pairs | None
    ) -> None:
        self.first, self.last = first, last
        self.part = slice(rows.row[first], rows.row[last])
        joints = bodies.joints
        jointed = joints is not None and bool((joints.number[rows.body[first:last]] >= 0).any())
        H = half_rows(rows, bodies, inverse_inertia, first, last)
        self.H = H = H if jointed else trim_rotation(H)
        sets, block = island_sets(rows, first, last)
        self.scale = np.empty(len(H))
        scale_half_rows(H, sets, self.scale)
        moving = bodies.inverse_mass > 0.0
        body = np.where(moving, np.arange(len(moving)), FIXED)[rows.body[first:last]]
        row = rows.row[first : last + 1] - rows.row[first]
        if known is None or not known.stands(body, row, H.shape[2]):
            known = Pairs(body, row, H.shape[2], known)
        self.known = known
        free = BodyOperator(self.known.graph, H)
        W: Operator = self._jointed(bodies, rows, free) if jointed else free
        self.problem = ScaledProblem(W, np.zeros(len(H)), sets, block, self.known.carried)

    def _jointed(self, bodies: Bodies, rows: Rows, bound: BodyOperator) -> JointedOperator:
        """The operator of bodies that joints connect; without them it is `bound`."""
        body, row, coupling = rows.body[self.first : self.last], bound.graph.row, self.known.coupling
        which = coupling.find(body, row) if coupling is not None else None
        if coupling is None or which is None:
            all_of = coupling.joined_by(body, row) if coupling is not None else (body, row)
            self.known.coupling = coupling = Coupling(bodies.joints, bodies.inverse_mass > 0.0, *all_of)
            which = np.arange(len(body))
        both = np.stack([rows.G[self.part], rows.MG[self.part]]) / self.scale[:, None, None]
        return JointedOperator(bodies.joints, coupling, which, both, bound)

    def solve(self, b: Floats, r: Floats, tol: float, floor: Floats) -> SolverOutcome:
        """Solve `u = W r + b` for the multipliers `r` (R,), the start on entry, of all rows.

        `tol` is relative to the largest rate, `floor` (R,) the rounding errors of the rates. The residual
        of the outcome is relative.
        """
        return solve_scaled(self.problem, self.scale, b[self.part], r[self.part], tol, floor[self.part])


def solve_scaled(
    problem: ScaledProblem, scale: Floats, b: Floats, r: Floats, tol: float, floor: Floats
) -> SolverOutcome:
    """`solve_relative` of the problem with the `scale` (n,), for `b` and `r` (n,) that are not scaled."""
    problem.q = b / scale
    weigh_all(problem.sets, scale, problem.q)
    scaled = r * scale
    outcome = solve_relative(problem, scale, scaled, tol, float((floor / scale).max()))
    r[:] = scaled / scale
    return outcome


def worst_contact(problem: ScaledProblem, r: Floats) -> int:
    """Number of the contact with the largest entry of the natural map at `r` (n,)."""
    F = problem.weight * np.abs(natural_map(problem, r, problem.rates(r), 1.0)[0])
    first = problem.sets.row[problem.block[:-1]]
    return int(np.searchsorted(first, np.argmax(F), side="right")) - 1


class Pairs:
    """The pairs of bodies of the contacts, and their reusable data."""

    def __init__(self, body: Ints, row: Ints, size: int, before: Pairs | None) -> None:
        self.body, self.size = body, size
        self.graph = Graph(body, row, size)
        known = Carried() if before is None else before.carried
        self.carried: Carried = Carried(unsolved=known.unsolved, attempt=known.attempt)  # for another pattern
        #: with joints, if there are any
        self.coupling: Coupling | None = None if before is None else before.coupling

    def stands(self, body: Ints, row: Ints, size: int) -> bool:
        """True if these are the same contacts."""
        return size == self.size and np.array_equal(self.body, body) and np.array_equal(self.graph.row, row)


class Graphs:
    """Graphs of the last large islands, by purpose and number; `effort` is that of their solutions.

    Attributes:
        step: number of the present step.
    """

    def __init__(self, effort: float = 1.0) -> None:
        self._effort, self.step = effort, 0
        self._known: dict[tuple[str, int], Pairs] = {}

    def islands(
        self, purpose: str, bodies: Bodies, inverse_inertia: Floats, rows: Rows, unsolved: Flags
    ) -> Iterator[LargeIsland]:
        """The islands `unsolved` (I,) of the rows, on the graphs that stand if they still do."""
        large = np.cumsum(np.diff(rows.row[rows.island]) > LARGE)
        for i in np.flatnonzero(unsolved):
            key = purpose, int(large[i])
            first, last = int(rows.island[i]), int(rows.island[i + 1])
            island = LargeIsland(bodies, inverse_inertia, rows, first, last, self._known.get(key))
            island.known.carried.effort, island.known.carried.step = self._effort, self.step
            self._known[key] = island.known
            yield island
