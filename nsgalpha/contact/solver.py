"""Contact problems that stand alone: `solve(ContactProblem(W, q, mu))`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, instance, positive
from nsgalpha.contact import strategy
from nsgalpha.contact.contact_problem import ContactProblem
from nsgalpha.contact.delassus import Delassus
from nsgalpha.contact.methods.single import solve_single
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import scale_sparse
from nsgalpha.contact.strategy import Outcome

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
        impulses: (K, rows) multipliers `r`.
        velocities: (K, rows) rates `u = W r + q`.
        residual: scaled natural map, see `ContactProblem.residual`.
        rounding: bound of the error in it, see `ContactProblem.rounding`.
        status: true if the residual, with its rounding error, is within the tolerance, and a sentence.
        method: that finished the hardest island.
        islands: number of independent parts.
        newton, proximal, sweeps: iterations of each method, summed over the islands.
    """

    impulses: Floats
    velocities: Floats
    residual: float
    rounding: float
    status: ContactStatus
    method: str
    islands: int
    newton: int
    proximal: int
    sweeps: int


class _Island:
    """The contacts `contacts` of a problem that no other contact acts on, scaled."""

    def __init__(self, problem: ContactProblem, contacts: np.ndarray) -> None:
        rows = problem.rows
        self.contacts = contacts
        chosen = (contacts[:, None] * rows + np.arange(rows)).ravel()
        W = problem.W[chosen][:, chosen] if len(chosen) < len(problem.q) else problem.W.copy()
        W = _block_pattern(W, rows)
        self.sets, self.block = problem.sets(contacts)
        self.scale = np.empty(len(chosen))
        scale_sparse(W.indptr, W.indices, W.data, self.sets, self.scale)
        with np.errstate(over="ignore", invalid="ignore"):
            q = problem.q[chosen] / self.scale
        self.size = float(np.abs(q).max(initial=0.0))
        scaled = np.isfinite(self.scale).all() and np.isfinite(W.data).all()
        self.known = bool(scaled and 0.0 < self.size < np.inf)
        # a power of two: rates of about 1, without rounding
        self.unit = 2.0 ** (math.frexp(self.size)[1] - 1) if self.known else 1.0
        self.problem = ScaledProblem(Delassus(W), q / self.unit, self.sets, self.block)
        self.chosen = chosen

    def solve(self, r: Floats, tol: float) -> Outcome:
        """Improve the multipliers `r` (n,) of the whole problem in place, to `tol` times the largest rate."""
        if not self.known:
            r[self.chosen] = 0.0
            return Outcome("no approach", self.size == 0.0, 0.0, 0, 0, 0)
        tolerance = tol * self.size / self.unit
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = r[self.chosen] * self.scale / self.unit
            outcome = solve_single(self.problem, scaled, tolerance) if len(self.contacts) == 1 else None
            if outcome is None:
                outcome = strategy.solve(self.problem, scaled, tolerance)
            r[self.chosen] = scaled / self.scale * self.unit
        return outcome


def solve(problem: ContactProblem, tol: float = 1e-8, warm_start: ArrayLike | None = None) -> ContactSolution:
    """Find impulses `r` and rates `u = W r + q` that fulfil unilateral contact with friction.

    Args:
        problem: what is to be solved.
        tol: largest scaled natural map of a solution, > 0: `problem.residual` with its rounding error.
        warm_start: impulses (K, rows) to start from; zero by default, and if rounding errors at these would
            be above `tol`.

    The solution's status says whether `tol` was reached; the best impulses found are there in any case.

    Raises ValueError for a tolerance or a start that cannot be used.

    >>> solution = solve(ContactProblem(W=np.eye(3), q=[-1.0, 0.5, 0.0], mu=[0.2]))
    >>> print(solution.status.ok, solution.impulses.round(9) + 0.0, solution.velocities.round(9) + 0.0)
    True [[ 1.  -0.2  0. ]] [[0.  0.3 0. ]]
    """
    instance("problem", problem, ContactProblem, "a ContactProblem")
    tol = positive("tol", tol)
    shape = (problem.contacts, problem.rows)
    r = np.zeros(len(problem.q))
    if warm_start is not None:
        start = _start(warm_start, shape)
        if problem.rounding(start) <= tol:  # larger ones could not be told from a solution
            r[:] = start
    islands = [_Island(problem, contacts) for contacts in _components(problem)]
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
    return ContactSolution(
        r.reshape(shape),
        problem.velocities(r).reshape(shape),
        residual,
        rounding,
        _status(residual, rounding, tol, problem, r),
        method,
        len(islands),
        *map(int, counts),
    )


def _block_pattern(W: sparse.csr_array, rows: int) -> sparse.csr_array:
    """W on a pattern of full blocks, with those on the diagonal whatever their values."""
    stored, n = W.tocoo(), W.shape[0]
    i, j = (np.concatenate([part, np.arange(n)]) for part in stored.coords)
    filled = sparse.coo_array((np.concatenate([stored.data, np.zeros(n)]), (i, j)), shape=W.shape).tocsr()
    blocks = sparse.csr_array(filled.tobsr(blocksize=(rows, rows)).tocsr())
    blocks.sort_indices()
    return blocks


def _start(warm_start: ArrayLike, shape: tuple[int, int]) -> Floats:
    """The start as a vector."""
    start = floats("warm_start", warm_start, f"impulses {shape}")
    if start.shape != shape:
        raise ValueError(f"warm_start: has shape {start.shape}, must be impulses {shape}")
    if not np.isfinite(start).all():
        raise ValueError(f"warm_start: has entries that are not finite, must be impulses {shape}")
    return start.ravel()


def _status(
    residual: float, rounding: float, tol: float, problem: ContactProblem, r: Floats
) -> ContactStatus:
    """Solved if the exact residual is within the tolerance, whatever rounding makes of it."""
    taken = f"; W was symmetrised by {problem.asymmetry:.1e} of its diagonal" if problem.symmetrised else ""
    if residual + rounding <= tol:
        return ContactStatus(True, f"solved: the residual is {residual:.1e}, within {tol:.1e}{taken}")
    if not np.isfinite(residual + rounding):
        text = "not solved: W, q or the impulses are too large or too small for floating-point numbers"
        return ContactStatus(False, f"{text}{taken}; state them in other units")
    worst = int(np.abs(problem.natural_map(r)).reshape(-1, problem.rows).max(axis=1).argmax())
    if residual - rounding <= tol:
        text = (
            f"not solved: the residual is {residual:.1e}, but rounding may change it by {rounding:.1e}, more "
            f"than {tol:.1e}: contacts hold impulses against each other that are too large beside q"
        )
        return ContactStatus(False, f"{text}; the worst contact is {worst}{taken}. Raise tol")
    return ContactStatus(
        False,
        f"not solved: the residual is {residual:.1e}, more than {tol:.1e}; the worst contact is "
        f"{worst}{taken}. Raise tol, or check that W is the Delassus operator of the contacts in this order",
    )


def _components(problem: ContactProblem) -> list[np.ndarray]:
    """Contacts of each independent part, ascending."""
    W = problem.W.tocoo()
    row, column = W.coords
    linked = sparse.coo_array(
        (np.ones(len(row)), (row // problem.rows, column // problem.rows)), shape=(problem.contacts,) * 2
    )
    count, label = connected_components(linked, directed=False)
    return [np.flatnonzero(label == i) for i in range(count)]
