"""The scaled contact problem that the methods of this package work on, and its residual.

    u = W r + q,     r in K,     u + s e_N in K*,    orthogonal

with unit diagonal W (sets.py) in compressed rows, on a pattern of full blocks of the contacts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact import cone
from nsgalpha.contact.sets import Sets, scaled_natural_map

SYMMETRIC = 1e-13  # asymmetry, relative to the unit diagonal, that is rounding


@dataclass
class Carried:
    """What carries over between problems on one pattern."""

    solver: linalg.Solver | None = None  # symbolic factorisation, once it is known
    sigma: float | None = None  # of the proximal point method, where a problem was left unsolved

    def factorise(self, A: sparse.csc_array) -> linalg.Factor:
        """Factorise `A`, positive definite, whose pattern is always the same."""
        if self.solver is None:
            self.solver = linalg.analyse(A, kind="spd")
        return self.solver.factorise(A)


@dataclass
class ScaledProblem:
    """W (n, n) scaled to a unit diagonal; `block` (K + 1,) are the offsets of the contacts' sets."""

    W: sparse.csr_array
    q: Floats
    sets: Sets
    block: Ints
    carried: Carried = field(default_factory=Carried)

    @property
    def cones(self) -> tuple[Sets, Ints]:
        """What the functions of cone.py take first."""
        return self.sets, self.block

    def rates(self, r: Floats) -> Floats:
        """`u = W r + q` (n,)."""
        return self.W @ r + self.q

    def residual(self, r: Floats, u: Floats) -> float:
        """Largest entry of the natural map of sets.py: 0 at the solutions."""
        return scaled_natural_map(self.sets, r, u, np.empty_like(r))

    def project(self, y: Floats) -> Floats:
        """Projection of `y` (n,) on the cones."""
        P = np.empty_like(y)
        cone.project(*self.cones, y, P)
        return P

    def shifted(self, u: Floats) -> Floats:
        """`u + s e_N` (n,)."""
        out = np.empty_like(u)
        cone.shift(*self.cones, u, out)
        return out

    def function(self, which: int, y: Floats, a: float = 1.0, c: float = 0.0) -> Floats:
        """Blocks (K, 6, 6) of a function of the derivative D of the projection at `y`; see cone.spectral."""
        out = np.empty((len(self.block) - 1, cone.MOST_ROWS, cone.MOST_ROWS))
        cone.spectral(*self.cones, y, which, a, c, out)
        return out

    def apply(self, D: Floats, x: Floats) -> Floats:
        """`D x` for blocks `D` (K, 6, 6)."""
        out = np.empty_like(x)
        cone.apply_blocks(*self.cones, D, x, out)
        return out

    @cached_property
    def dense(self) -> Floats:
        """W (n, n) as an array."""
        return self.W.toarray()

    @cached_property
    def unsymmetric(self) -> sparse.csr_array | None:
        """`W - symmetric`, None where that is rounding."""
        return None if self.symmetric is self.W else self.W - self.symmetric

    @cached_property
    def symmetric(self) -> sparse.csr_array:
        """The symmetric part of W, on its pattern; W itself where they agree to rounding."""
        transposed = self.W.T.tocsr()
        transposed.sort_indices()
        if np.abs(self.W.data - transposed.data).max(initial=0.0) <= SYMMETRIC:
            return self.W
        values = 0.5 * (self.W.data + transposed.data)
        return sparse.csr_array((values, self.W.indices, self.W.indptr), shape=self.W.shape)
