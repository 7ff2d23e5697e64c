"""Free rows eliminated: the problem of the other rows alone.

The free rows F, those of joints, are at rest, for any multipliers of the others C, with

    r_F = -W_FF^-1 (q_F + W_FC r_C)

which leaves a problem of C with `W_C = W_CC - W_CF W_FF^-1 W_FC`. Long chains of joints move in ways that
hardly change any single row. As rows among others they take Gauss-Seidel thousands of sweeps, and the
proximal terms of Newton's method hide them.

Rows of overconstrained joints are redundant. So `W_FF + c I` is factorised, and the proximal term is in the
steps alone, which are taken until rounding ends them:

    r_F <- r_F - (W_FF + c I)^-1 u_F

The W_C made of two such steps is an upper bound. The problem of C is stated for changes of r_C, from the
exact rates u_C, and stated again if its solution leaves a residual.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Cones
from nsgalpha.contact.multiplier_sets import FREE, Sets, scale_sparse
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sparse_delassus import Delassus

FEW, MOST = 150, 1500  # rows C, whose operator is an array: few are worth it, and up to the most,
RATIO = 2  # so many for each free row
LIGHT = 1e-11  # c, over the unit diagonal of W
RIDGE = 1e-9  # added to the diagonal of W_C: rows that joints hold have rounding there
STEPS = 20  # for the free rows, at most,
HALVED = 0.5  # while they reduce the rates to this part


def can_eliminate(problem: ScaledProblem) -> bool:
    """True if there are free rows, and not too many others beside them."""
    free = problem.sets.parent == FREE
    held = int(problem.sets.size[free].sum())
    return held > 0 and len(problem.q) - held <= min(MOST, max(FEW, RATIO * held))


class Eliminated:
    """The problem of the rows that are not free.

    Attributes:
        rows: (C,) these rows.
        free: (F,) the others.

    Raises linalg.SingularMatrixError if W is not semidefinite enough.
    """

    def __init__(self, problem: ScaledProblem) -> None:
        self._whole = problem
        free = problem.sets.parent == FREE
        self.free, cones = _some(problem.cones, free)
        self.rows, self._cones = _some(problem.cones, ~free)
        T = np.zeros((len(cones[1]) - 1, friction_cone.MOST_ROWS, friction_cone.MOST_ROWS))
        T[:] = np.eye(friction_cone.MOST_ROWS) / np.sqrt(LIGHT)
        self._held = problem.invertible.part(self.free)
        self._inverse = self._held.inverse(T, cones, problem.carried.held)  # of I + W_FF / c
        W = np.empty((len(self.rows), len(self.rows)))
        for j, row in enumerate(self.rows):
            r = np.zeros_like(problem.q)
            r[row] = 1.0
            r[self.free] = self._step((problem.W @ r)[self.free])
            W[:, j] = (problem.W @ r)[self.rows]
        W[np.diag_indices_from(W)] += RIDGE
        matrix = full_rows(0.5 * (W + W.T) if problem.invertible.unsymmetric is None else W)
        self.scale = np.empty(len(W))
        scale_sparse(matrix.indptr, matrix.indices, matrix.data, self._cones[0], self.scale)
        self._W = Delassus(matrix)

    def _step(self, u: Floats) -> Floats:
        """About `-W_FF^-1 u`: two steps with `(W_FF + c I)^-1` from zero."""
        r = -self._inverse(u) / LIGHT
        return r - self._inverse(u + self._held @ r) / LIGHT

    def solve_free(self, r: Floats) -> Floats:
        """Bring the free rows to rest by their multipliers, in place in `r` (n,); the rates (n,) then."""
        u = self._whole.rates(r)
        size = np.abs(u[self.free]).max(initial=0.0)
        for _ in range(STEPS):
            better = r.copy()
            better[self.free] += self._step(u[self.free])
            rates = self._whole.rates(better)
            before, size = size, np.abs(rates[self.free]).max(initial=0.0)
            if not size < before:
                break
            r[:], u = better, rates
            if size > HALVED * before:
                break
        return u

    def problem(self, r: Floats, u: Floats) -> ScaledProblem:
        """The problem of the rows C, scaled, where all rows have the multipliers `r` and rates `u` (n,)."""
        q = u[self.rows] / self.scale - self._W @ (r[self.rows] * self.scale)
        return ScaledProblem(self._W, q, *self._cones)


def _some(cones: Cones, chosen: Flags) -> tuple[Ints, Cones]:
    """Rows of the sets `chosen` (S,), and these sets and their blocks by themselves."""
    sets, block = cones
    taken = np.repeat(chosen, sets.size)
    place = np.cumsum(taken) - 1  # of a row among those taken
    parent = sets.parent[chosen]
    parent = np.where(parent < 0, parent, place[np.maximum(parent, 0)])
    rows = place[sets.row[chosen]], sets.size[chosen], parent
    own = Sets(*rows, sets.radius[chosen], sets.weight[chosen])
    ends = np.r_[0, np.cumsum(chosen)][block]
    return np.flatnonzero(taken), (own, np.unique(ends))


def full_rows(W: Floats) -> sparse.csr_array:
    """`W` (n, n) in compressed rows with all entries, zeros too."""
    n = len(W)
    indices = np.tile(np.arange(n, dtype=np.int32), n)
    return sparse.csr_array((W.ravel(), indices, n * np.arange(n + 1, dtype=np.int32)), shape=(n, n))
