"""Contact problems that stand alone: `solve(ContactProblem(W, q, mu))`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, instance, named, positive
from nsgalpha.contact import solver_strategy
from nsgalpha.contact.contact_problem import ContactProblem
from nsgalpha.contact.methods.single_contact import solve_single
from nsgalpha.contact.multiplier_sets import INTERVAL, restrict, scale_sparse
from nsgalpha.contact.scaled_problem import ScaledProblem, SolverOutcome
from nsgalpha.contact.sparse_delassus import Delassus

REFINEMENTS = 6  # times that the tolerance of the scaled problem is tightened
TIGHTER = 0.1
LEAST = 1e-15  # tolerance of a scaled problem, over its largest rate


@dataclass(frozen=True, slots=True)
class ContactStatus:
    """`ok`, and a sentence."""

    ok: bool
    message: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class ContactSolution:
    """Solution of a contact problem.

    Attributes:
        impulses: (K, rows) multipliers `r` of the contacts.
        velocities: (K, rows) their rates `u = W r + q`.
        reactions: (p,) multipliers of the bilateral rows.
        bounded: (m,) multipliers of the bounded rows.
        slip: (m,) their rates.
        residual: scaled natural map, see `ContactProblem.residual`.
        rounding: bound of the error in it, see `ContactProblem.rounding`.
        status: true if the residual, with its rounding error, is within the tolerance, and a sentence.
        method: that finished the hardest island.
        islands: number of independent parts.
        newton, proximal, sweeps: iterations of each method, summed over the islands.
    """

    impulses: Floats
    velocities: Floats
    reactions: Floats
    bounded: Floats
    slip: Floats
    residual: float
    rounding: float
    status: ContactStatus
    method: str
    islands: int
    newton: int
    proximal: int
    sweeps: int

    @property
    def multipliers(self) -> Floats:
        """Multipliers (n,) of all rows, in the order of the problem."""
        return np.concatenate([self.impulses.ravel(), self.reactions, self.bounded])


class _Island:
    """The blocks `blocks` of a problem that no other one acts on, scaled."""

    def __init__(self, problem: ContactProblem, blocks: Ints) -> None:
        (sets, block), active = problem.cones, np.zeros(len(problem.block_rows), bool)
        active[blocks] = True
        chosen = np.empty(len(problem.q), np.int64)
        self.sets, self.block, count = restrict(sets, block, active, len(blocks), chosen)
        chosen = chosen[:count]
        W = problem.W[chosen][:, chosen] if len(chosen) < len(problem.q) else problem.W.copy()
        W = _block_pattern(W, problem.block_rows[blocks])
        self.scale = np.empty(len(chosen))
        scale_sparse(W.indptr, W.indices, W.data, self.sets, self.scale)
        with np.errstate(over="ignore", invalid="ignore"):
            q = problem.q[chosen] / self.scale
        self.size = float(np.abs(q).max(initial=0.0))
        scaled = np.isfinite(self.scale).all() and np.isfinite(W.data).all()
        self.known = bool(scaled and 0.0 < self.size < np.inf)
        # a power of two: rates of about 1, without rounding
        self.unit = 2.0 ** (math.frexp(self.size)[1] - 1) if self.known else 1.0
        self.sets.radius[self.sets.parent == INTERVAL] /= self.unit
        self.problem = ScaledProblem(Delassus(W), q / self.unit, self.sets, self.block)
        self.chosen = chosen

    def solve(self, r: Floats, tol: float) -> SolverOutcome:
        """Improve the multipliers `r` (n,) of the whole problem in place, to `tol` times the largest rate."""
        if not self.known:
            r[self.chosen] = 0.0
            return SolverOutcome("no approach", self.size == 0.0, 0.0, 0, 0, 0)
        tolerance = tol * self.size / self.unit
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = r[self.chosen] * self.scale / self.unit
            outcome = solve_single(self.problem, scaled, tolerance) if len(self.block) == 2 else None
            if outcome is None:
                outcome = solver_strategy.solve(self.problem, scaled, tolerance)
            r[self.chosen] = scaled / self.scale * self.unit
        return outcome


@named
def solve(problem: ContactProblem, tol: float = 1e-8, warm_start: ArrayLike | None = None) -> ContactSolution:
    """Find impulses `r` and rates `u = W r + q` that fulfil unilateral contact with friction.

    Args:
        problem: what is to be solved.
        tol: largest scaled natural map of a solution, > 0: `problem.residual` with its rounding error.
        warm_start: impulses (K, rows), or those of all rows (n,), to start from; zero by default, and if
            rounding errors at these would be above `tol`.

    The solution's status says whether `tol` was reached; the best impulses found are there in any case.

    Raises ValueError for a tolerance or a start that cannot be used.

    >>> solution = solve(ContactProblem(W=np.eye(3), q=[-1.0, 0.5, 0.0], mu=[0.2]))
    >>> print(solution.status.ok, solution.impulses.round(9) + 0.0, solution.velocities.round(9) + 0.0)
    True [[ 1.  -0.2  0. ]] [[0.  0.3 0. ]]
    """
    instance("problem", problem, ContactProblem, "a ContactProblem")
    tol = positive("tol", tol)
    r = np.zeros(len(problem.q))
    if warm_start is not None:
        start = _start(warm_start, problem)
        if problem.rounding(start) <= tol:  # larger ones could not be distinguished from a solution
            r[:] = start
    islands = [_Island(problem, blocks) for blocks in _components(problem)]
    counts = np.zeros(3, int)
    method, hardest, inner = "none", -1, tol
    for _ in range(REFINEMENTS):
        for island in islands:
            outcome = island.solve(r, max(inner, LEAST))
            counts += outcome.newton, outcome.proximal, outcome.sweeps
            if outcome.iterations > hardest:
                method, hardest = outcome.method, outcome.iterations
        residual, rounding = problem.residual(r), problem.rounding(r)
        if not residual + rounding > tol:
            break
        inner *= TIGHTER
    shape = problem.contacts, problem.rows
    ends = np.cumsum([problem.contacts * problem.rows, problem.bilateral])
    impulses, reactions, bounded = np.split(r, ends)
    velocities, _, slip = np.split(problem.velocities(r), ends)
    found = impulses.reshape(shape), velocities.reshape(shape), reactions, bounded, slip
    verdict = residual, rounding, _status(residual, rounding, tol, problem, r)
    newton, proximal, sweeps = map(int, counts)
    return ContactSolution(*found, *verdict, method, len(islands), newton, proximal, sweeps)


def _block_pattern(W: sparse.csr_array, rows: Ints) -> sparse.csr_array:
    """W on a pattern of full blocks of the given sizes, including the diagonal."""
    n = W.shape[0]
    member = sparse.csr_array((np.ones(n), np.repeat(np.arange(len(rows)), rows), np.arange(n + 1)))
    stored = W.tocoo()
    linked = member.T @ sparse.csr_array((np.ones(W.nnz), W.indices, W.indptr), shape=W.shape) @ member
    full = (member @ (linked + sparse.eye_array(len(rows))) @ member.T).tocoo()
    i, j = np.concatenate([stored.row, full.row]), np.concatenate([stored.col, full.col])
    values = np.concatenate([stored.data, np.zeros(full.nnz)])
    blocks = sparse.coo_array((values, (i, j)), shape=W.shape).tocsr()
    blocks.sort_indices()
    return blocks


def _start(warm_start: ArrayLike, problem: ContactProblem) -> Floats:
    """The start as a vector."""
    expected = " or ".join(map(str, problem.shapes[::-1]))
    start = floats("warm_start", warm_start, f"impulses {expected}")
    if start.shape not in problem.shapes:
        raise ValueError(f"warm_start: has shape {start.shape}, must be impulses {expected}")
    if not np.isfinite(start).all():
        raise ValueError(f"warm_start: has entries that are not finite, must be impulses {expected}")
    return start.ravel()


def _status(
    residual: float, rounding: float, tol: float, problem: ContactProblem, r: Floats
) -> ContactStatus:
    """Solved if the exact residual is within the tolerance, for any rounding."""
    taken = f"; W was symmetrised by {problem.asymmetry:.1e} of its diagonal" if problem.symmetrised else ""
    if residual + rounding <= tol:
        return ContactStatus(True, f"solved: the residual is {residual:.1e}, within {tol:.1e}{taken}")
    if not np.isfinite(residual + rounding):
        text = "not solved: W, q or the impulses are too large or too small for floating-point numbers"
        return ContactStatus(False, f"{text}{taken}; state them in other units")
    worst = _name(problem, int(np.abs(problem.natural_map(r)).argmax()))
    if residual - rounding <= tol:
        text = (
            f"not solved: the residual is {residual:.1e}, but rounding may change it by {rounding:.1e}, more "
            f"than {tol:.1e}: contacts hold impulses against each other that are too large beside q"
        )
        return ContactStatus(False, f"{text}; the worst {worst}{taken}. Raise tol")
    joints = ", and that bilateral rows do not contradict each other" if problem.bilateral else ""
    return ContactStatus(
        False,
        f"not solved: the residual is {residual:.1e}, more than {tol:.1e}; the worst {worst}{taken}. Raise "
        f"tol, or check that W is the Delassus operator of the contacts in this order{joints}",
    )


def _name(problem: ContactProblem, row: int) -> str:
    """`contact is 3`: where the row is."""
    if (other := row - problem.contacts * problem.rows) < 0:
        return f"contact is {row // problem.rows}"
    bounded = other - problem.bilateral
    return f"bilateral row is {other}" if bounded < 0 else f"bounded row is {bounded}"


def _components(problem: ContactProblem) -> list[np.ndarray]:
    """Blocks of each independent part, ascending."""
    W, blocks = problem.W.tocoo(), len(problem.block_rows)
    block = np.repeat(np.arange(blocks), problem.block_rows)
    where = block[W.row], block[W.col]
    linked = sparse.coo_array((np.ones(W.nnz), where), shape=(blocks, blocks))
    count, label = connected_components(linked, directed=False)
    return [np.flatnonzero(label == i) for i in range(count)]
