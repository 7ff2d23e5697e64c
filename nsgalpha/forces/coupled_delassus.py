"""The Delassus operator of bodies that compliant contacts couple, `W = G A^-1 G^T`, never formed.

A, the mass with tangents of the compliant contacts (generalized_alpha/correction_operators.py), is
factorised, and a product takes one solution. Newton's matrix has the unknowns of the bodies: by Woodbury's
identity

    (I + T W T)^-1 = I - T G (A + G^T T^2 G)^-1 G^T T

Friction makes A unsymmetric, and general factorisations take ten times as long. So `inverse` is that of

    S = G A_s^-1 G^T,    A_s = (A + A^T)/2,

if A_s is positive definite, and GMRES takes care of W - S (newton_systems.py); else it is W's own.

Gauss-Seidel needs the rows of W: it takes those of a bound (contact/body_delassus.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse

from nsgalpha.arrays import Floats, Ints, LowRank
from nsgalpha.contact import friction_cone
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Bounded
from nsgalpha.contact.body_rows import gather, scatter
from nsgalpha.contact.delassus_interface import Analysis, Cones, Inverse
from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg import SingularMatrixError, analyse
from nsgalpha.linalg.low_rank import updated

SYMMETRIC = 1e-13  # asymmetry of A, over its largest entry, that is rounding


class Inverted(Protocol):
    """A factor, or one beside rows of joints."""

    def approximate(self, b: Floats, /) -> Floats:
        """`A^-1 b`, without refinement."""


#: Factorises a matrix plus terms of low rank beside the rows of joints.
Beside = Callable[[sparse.csc_array, LowRank | None], Inverted]


class Coupling:
    """The pattern of `A + G^T T^2 G`, valid for the same bodies, or fewer, in contact."""

    def __init__(self, of_A: Pattern, body: Ints) -> None:
        self.of_A, self.joint = of_A, of_A.joined(body)
        self.place = self.joint.of_pattern(of_A)  # of the entries of A in the joint pattern
        self.mass, self.newton = Analysis(), Analysis()  # of A_s, and of Newton's matrix

    def stands(self, of_A: Pattern, body: Ints) -> bool:
        """True if it serves for an A of the pattern `of_A`, and contacts of the bodies (K, 2)."""
        return of_A is self.of_A and self.joint.of_contacts(body) is not None


class Mass:
    """A (6 N, 6 N): `values` on the first pattern of `coupling` plus `low`, and its factor.

    `beside` factorises a matrix plus terms of low rank beside rows of joints. W then has P_A of
    constraints/saddle_point.py in the place of A^-1, and so has its inverse.
    """

    def __init__(
        self,
        coupling: Coupling,
        values: Floats,
        factor: Inverted,
        low: LowRank | None = None,
        beside: Beside | None = None,
    ) -> None:
        self.coupling, self.values, self.factor = coupling, values, factor
        self.low, self.beside = low, beside

    @cached_property
    def symmetric(self) -> Floats:
        """Values of A_s; those of A where they agree to rounding. Terms of low rank count as symmetric."""
        A = self.coupling.of_A.matrix(self.values)
        transposed = A.T.tocsc()
        transposed.sort_indices()
        if np.abs(A.data - transposed.data).max() <= SYMMETRIC * np.abs(A.data).max():
            return self.values
        return 0.5 * (A.data + transposed.data)

    @cached_property
    def half(self) -> Inverted | None:
        """Factor of A_s, or of A if symmetric; None if indefinite or with joints."""
        if self.beside is not None:
            return None
        if self.symmetric is self.values:
            return self.factor
        try:
            half = self.coupling.mass.factorise(self.coupling.of_A.matrix(self.symmetric))
            return updated(half, self.low)
        except SingularMatrixError:
            return None


@kernel
def fill_normal(body, row, H, T, indptr, place, values):
    """Values of `H^T T^2 H`, `place` are the places (K, 2, 2) of the blocks in its columns."""
    size = H.shape[2]
    for z in range(values.shape[0]):
        values[z] = 0.0
    TH = np.empty((2, MOST_ROWS, size))
    for k in range(body.shape[0]):
        rows = row[k + 1] - row[k]
        for side in range(2):
            for i in range(rows):
                for d in range(size):
                    total = 0.0
                    for j in range(rows):
                        total += T[k, i, j] * H[row[k] + j, side, d]
                    TH[side, i, d] = total
        for si in range(2):
            for sj in range(2):
                b = body[k, sj]
                if body[k, si] < 0 or b < 0:
                    continue
                for c in range(size):
                    z = indptr[b * size + c] + place[k, si, sj]
                    for d in range(size):
                        total = 0.0
                        for i in range(rows):
                            total += TH[si, i, d] * TH[sj, i, c]
                        values[z + d] += total


class CoupledProduct:
    """The matrix of `apply`."""

    def __init__(self, apply: Callable[[Floats], Floats]) -> None:
        self._apply = apply

    def __matmul__(self, r: Floats) -> Floats:
        return self._apply(r)


class Flexibility(Bounded):
    """`W = G A^-1 G^T` (n, n) with the rows `G` (n, 2, 6) of contacts of the bodies (K, 2), frames from N on.

    `bound` is W_M; both are scaled by the diagonal of W_M.
    """

    dense = None
    direct = False

    def __init__(self, mass: Mass, body: Ints, G: Floats, bound: BodyOperator) -> None:
        self.mass, self.body, self.G, self.bound = mass, body, G, bound
        self._moving = np.where(body < mass.coupling.of_A.count, body, FIXED)

    def __matmul__(self, r: Floats) -> Floats:
        return self._through(self.mass.factor, r)

    def _through(self, factor: Inverted, r: Floats) -> Floats:
        row, wrench, u = self.bound.graph.row, np.empty((self.mass.coupling.of_A.count, 6)), np.empty_like(r)
        scatter(self._moving, row, self.G, r, wrench)
        gather(self._moving, row, self.G, factor.approximate(wrench.ravel()).reshape(-1, 6), u)
        return u

    @cached_property
    def unsymmetric(self) -> CoupledProduct | None:
        """`W - S`, None if nothing."""
        half = self.mass.half
        if half is None or half is self.mass.factor:
            return None
        return CoupledProduct(lambda r: self @ r - self._through(half, r))

    @cached_property
    def _place(self) -> Ints:
        """Where the blocks (K, 2, 2) of the contacts begin in the columns of Newton's matrix."""
        joint = self.mass.coupling.joint
        sides = [[joint.places(self.body[:, i], self.body[:, j]) for j in range(2)] for i in range(2)]
        return 6 * np.array(sides).transpose(2, 0, 1)

    def inverse(self, T: Floats, cones: Cones, analysis: Analysis) -> Inverse:
        """`z -> (I + T S T)^-1 z`, analysed in the coupling; raises linalg.SingularMatrixError."""
        coupling, mass = self.mass.coupling, self.mass
        joint = coupling.joint
        values = joint.zeros()
        fill_normal(self._moving, self.bound.graph.row, self.G, T, joint.indptr, self._place, values)
        values[coupling.place] += mass.values if mass.half is None else mass.symmetric
        matrix = joint.matrix(values)
        B: Inverted
        if mass.beside is not None:
            B = mass.beside(matrix, mass.low)
            return self._applied(B, T, cones)
        general = mass.half is None or mass.low is not None  # without its terms it may be indefinite
        solver = analyse(matrix, kind="general") if general else coupling.newton
        B = solver.factorise(matrix)
        return self._applied(updated(B, mass.low), T, cones)

    def _applied(self, B: Inverted, T: Floats, cones: Cones) -> Inverse:
        """`z -> z - T G B^-1 G^T T z`."""

        def apply(z: Floats) -> Floats:
            Tz, Tu = np.empty_like(z), np.empty_like(z)
            friction_cone.apply_blocks(*cones, T, z, Tz)
            friction_cone.apply_blocks(*cones, T, self._through(B, Tz), Tu)
            return z - Tu

        return apply

    def part(self, rows: Ints) -> Flexibility:
        """The operator of some rows, those of whole contacts."""
        of_row = np.repeat(np.arange(len(self.body)), np.diff(self.bound.graph.row))
        body = self.body[np.unique(of_row[rows])]
        return Flexibility(self.mass, body, np.ascontiguousarray(self.G[rows]), self.bound.part(rows))


def wide(body: Ints, row: Ints, G: Floats, count: int) -> sparse.csr_array:
    """`G` (n, 2, 6) of the contacts as a matrix (n, 6 `count`), without columns for frames."""
    of_row = np.repeat(body, np.diff(row), axis=0)  # (n, 2)
    r, side = np.nonzero(of_row < count)
    column = 6 * of_row[r, side][:, None] + np.arange(6)
    shape = len(G), 6 * count
    return sparse.csr_array((G[r, side].ravel(), (np.repeat(r, 6), column.ravel())), shape=shape)
