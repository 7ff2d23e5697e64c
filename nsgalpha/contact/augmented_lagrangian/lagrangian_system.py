"""One sparse system of all velocities and multipliers, and Newton's method for it.

    M V - sum G^T Pi(sigma) = 0,      k/p (Pi(sigma) - k L) = 0,      sigma = k L - p (G V + c)

`V = v - v~` is the correction of velocities, or of positions, that the contacts make. Steps are full ones, as
in the paper: nothing makes them converge from far away. After the first, V belongs to the multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.augmented_lagrangian.contact_elements import Elements, residual_and_tangent

MAX_ITERATIONS = 50

#: Residual at impulses and gaps, the worst contact, and whether it is below the tolerance.
Judgement = Callable[[Floats, Floats], tuple[float, int, bool]]


class Newton(NamedTuple):
    """The end of Newton's method."""

    V: Floats  # (m,)
    r: Floats  # (n,) impulses k L
    iterations: int
    residual: float
    worst: int  # contact
    solved: bool


class LagrangianSystem:
    """The mass `M` (m, m) and groups of elements, whose rows are 0 to n - 1."""

    def __init__(self, M: sparse.coo_array, groups: Sequence[Elements]) -> None:
        self.M, self.groups = M.tocsr(), groups
        m = M.shape[0]
        self.size = m, sum(elements.row.size for elements in groups)
        self.k = np.ones(self.size[1])
        places = [np.stack([M.row, M.col])]
        self._unknown: list[Ints] = []
        for elements in groups:
            self.k[elements.row] = elements.k
            unknown = np.concatenate([elements.dof, m + elements.row], axis=1)
            shape = (*unknown.shape, unknown.shape[1])
            both = np.broadcast_to(unknown[:, :, None], shape), np.broadcast_to(unknown[:, None, :], shape)
            places.append(np.stack([each.ravel() for each in both]))
            self._unknown.append(unknown)
        row, column = np.concatenate(places, axis=1)
        self._moves = (row >= 0) & (column >= 0)
        total = sum(self.size)
        code, self._entry = np.unique((column * total + row)[self._moves], return_inverse=True)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(code // total, minlength=total))])
        pattern = np.zeros(len(code)), (code % total).astype(np.int32), indptr.astype(np.int32)
        self._tangent = sparse.csc_array(pattern, shape=(total, total))
        self._solver: linalg.Solver | None = None

    def gaps(self, V: Floats, c: Floats) -> Floats:
        """`G V + c` (n,)."""
        g, V = c.copy(), np.append(V, 0.0)
        for elements in self.groups:
            g[elements.row] += (elements.G @ V[elements.dof][:, :, None])[:, :, 0]
        return g

    def assemble(self, V: Floats, L: Floats, c: Floats) -> tuple[Floats, sparse.csc_array]:
        """Residual (m + n,) and tangent at `V` (m,), `L` (n,), with the gaps `c` (n,) at V = 0."""
        m, _ = self.size
        F = np.zeros(sum(self.size) + 1)  # fixed velocities collect in the last entry
        F[:m] = self.M @ V
        values, known = [self.M.tocoo().data], np.append(V, 0.0)
        for elements, unknown in zip(self.groups, self._unknown, strict=True):
            row = elements.row
            F_V, F_L, K = residual_and_tangent(elements, known[elements.dof], L[row], c[row])
            np.add.at(F, unknown, np.concatenate([F_V, F_L], axis=1))
            values.append(K.ravel())
        entries = np.concatenate(values)[self._moves]
        self._tangent.data = np.bincount(self._entry, entries, len(self._tangent.data))
        return F[:-1], self._tangent

    def newton(self, c: Floats, r: Floats, judge: Judgement) -> Newton:
        """At most MAX_ITERATIONS full steps of Newton's method from V = 0 and the impulses `r` (n,).

        It ends where `judge` says so, or a tangent is singular.
        """
        m, _ = self.size
        V, L = np.zeros(m), r / self.k
        residual, worst = 1.0, 0
        for iteration in range(1, MAX_ITERATIONS + 1):
            F, K = self.assemble(V, L, c)
            self._solver = self._solver or linalg.analyse(K, kind="general")
            try:
                step = self._solver.factorise(K).solve(-F)
            except linalg.SingularMatrixError:
                return Newton(V, self.k * L, iteration, residual, worst, False)
            V, L = V + step[:m], L + step[m:]
            residual, worst, solved = judge(self.k * L, self.gaps(V, c))
            if solved:
                return Newton(V, self.k * L, iteration, residual, worst, True)
        return Newton(V, self.k * L, MAX_ITERATIONS, residual, worst, False)
