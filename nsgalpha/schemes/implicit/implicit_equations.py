"""Systems of the bodies and the tangents of their contacts: sparse, symmetric where the laws are.

    (B + c_q K + c_v C) x = b

B are blocks of the bodies, masses or resistances, K = -dF/dx and C = -dF/dv the tangents of the contacts, all
wrenches inertial. Friction that slips makes C and K unsymmetric. A symmetric matrix must be positive
definite, or the step is too long, see implicit_velocities.py: Cholesky's factorisation finds that out, and
conjugate gradients by the curvature p . A p of their directions. Without friction so must the symmetric part
of an unsymmetric one, less the part SOFT of B: then |x|_B <= |B^-1 b|_B/SOFT.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, bicgstab, cg

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.block_pattern import Pattern
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.low_rank import LowRank, Sum, factorised, summed, updated

#: Tangents of all forces: values on a pattern, and their terms of low rank.
Tangents = tuple[Pattern, Floats, LowRank | None]

SYMMETRIC = 1e-12  # asymmetry, over the largest entry, that is rounding
SOFT = 0.5  # part of the resistance to a motion that growing forces may make up for
DIRECT = 6000  # unknowns up to which a symmetric system is factorised,
FEW = 300  # and one that is not
ITERATIONS = 1000  # most of the conjugate gradients
RESIDUAL = 1e-12  # to which they go, over the load


@kernel
def _restrict(indptr, indices, size, kept, rows):
    """The entries `kept` of blocks of six: of `size` rows and columns of each, and their new `rows`."""
    found = 0
    for column in range(indptr.shape[0] - 1):
        if column % 6 >= size:
            continue
        for place in range(indptr[column], indptr[column + 1]):
            if indices[place] % 6 < size:
                kept[found] = place
                rows[found] = indices[place] // 6 * size + indices[place] % 6
                found += 1


@kernel
def _is_symmetric(data, across):
    """True if all of `data` are to rounding what is `across` the diagonal."""
    largest, apart = 0.0, 0.0
    for k in range(data.shape[0]):
        difference = abs(data[k] - data[across[k]])
        if difference != difference:  # not finite
            return False
        largest, apart = max(largest, abs(data[k])), max(apart, difference)
    return apart <= SYMMETRIC * largest


class Equations:
    """Systems on one pattern; without `turning` only the three rows of translation of each body count.

    `direct`: matrices are factorised, whatever their size, and may be indefinite.
    """

    def __init__(self, pattern: Pattern, turning: bool, direct: bool = False) -> None:
        self.pattern, self.size, self.direct = pattern, 6 if turning else 3, direct
        self._indptr, self._indices = pattern.indptr, pattern.indices
        self._kept: Ints | slice = slice(None)
        if pattern.size != self.size:
            width = np.diff(pattern.indptr)[::6] * self.size // 6  # of the columns of each body
            self._indptr = np.concatenate([[0], np.cumsum(np.repeat(width, self.size))])
            self._kept, self._indices = np.empty((2, self._indptr[-1]), np.int64)
            _restrict(pattern.indptr, pattern.indices, self.size, self._kept, self._indices)
        n, place = len(self._indptr) - 1, np.arange(self._indptr[-1], dtype=np.int32)
        numbered = sparse.csr_array((place, self._indices, self._indptr), shape=(n, n))
        self._transposed = numbered.tocsc().data  # place of the entry across the diagonal
        self._solvers: dict[str, linalg.Solver] = {}
        self._last: sparse.csc_array | Sum | None = None

    def work(self, motion: Floats) -> float:
        """`u . A u` for `motion` u (N, 6), A the matrix of the last solution."""
        assert self._last is not None
        u = motion[:, : self.size].ravel()
        return float(u @ (self._last @ u))

    def solve(
        self,
        blocks: Floats,
        values: Floats,
        load: Floats,
        start: Floats,
        frictionless: bool = False,
        low: LowRank | None = None,
    ) -> tuple[Floats, int]:
        """The solution (N, 6) for the `load` (N, 6) with `blocks` (N, 6, 6) of the bodies plus `values`.

        `low` are terms of low rank besides. `start` (N, 6) is a guess. Returns the solution and the number of
        iterations, 1 where the system is factorised. Raises linalg.SingularMatrixError where there is none,
        and for a symmetric matrix that is not positive definite, unless `direct`; `frictionless` ones see
        above.
        """
        m = self.size
        data = self.pattern.assemble(blocks, values).data[self._kept]
        n = len(self._indptr) - 1
        A = sparse.csc_array((data, self._indices, self._indptr), shape=(n, n))
        b = load[:, :m].ravel()
        symmetric = _is_symmetric(data, self._transposed)
        if low is not None:
            low = low if m == 6 else low.of_translations()
            symmetric &= low.symmetric
        self._last = summed(A, low)
        if frictionless and not symmetric and n <= DIRECT:
            softer = self.pattern.assemble(-SOFT * blocks, values.copy()).data[self._kept]
            self._refuse_indefinite(softer, low)
        x, iterations = None, 0
        if not self.direct and n > (DIRECT if symmetric else FEW):
            x, iterations = self._iterate(A, low, b, start[:, :m].ravel(), symmetric)
        if x is None:
            x, iterations = self._factorised(A, low, symmetric).solve(b), iterations + 1
        found = np.zeros_like(load)
        found[:, :m] = x.reshape(-1, m)
        return found, iterations

    def _refuse_indefinite(self, values: Floats, low: LowRank | None) -> None:
        """SingularMatrixError if the symmetric part of the matrix with `values` is not positive definite."""
        n = len(self._indptr) - 1
        A = sparse.csr_array((values, self._indices, self._indptr), shape=(n, n)).tocsc()
        A.data = 0.5 * (A.data + values)
        self._definite(A, None if low is None else low.symmetric_part)

    def _factorised(self, A: sparse.csc_array, low: LowRank | None, symmetric: bool) -> linalg.Factor:
        """A symmetric matrix by CHOLMOD, others by SuperLU."""
        if symmetric:
            try:
                return self._definite(A, low)
            except linalg.SingularMatrixError:
                if not self.direct:
                    raise
        return updated(self._solver(A, "general").factorise(A), low)

    def _definite(self, A: sparse.csc_array, low: LowRank | None) -> linalg.Factor:
        """The factor of the symmetric `A + low`; SingularMatrixError unless it is positive definite."""
        if low is None or (low.c > 0.0).all():
            try:
                return updated(self._solver(A, "spd").factorise(A), low)
            except linalg.SingularMatrixError:
                if low is None:
                    raise
        factor, negative = factorised(A, low)
        if negative:
            raise linalg.SingularMatrixError("A is not positive definite")
        return factor

    def _iterate(
        self, A: sparse.csc_array, low: LowRank | None, b: Floats, start: Floats, symmetric: bool
    ) -> tuple[Floats | None, int]:
        """`(A + low) x = b` by conjugate gradients, or their stabilised kind for matrices without symmetry.

        Preconditioned with the blocks of the bodies. None, and the iterations, where they do not converge.
        Raises linalg.SingularMatrixError where the former meet a negative curvature.
        """
        m, count = self.size, 0
        try:
            inverse = np.linalg.inv(self._blocks(A.data))
        except np.linalg.LinAlgError:
            return None, 0

        def counted(_: Floats) -> None:
            nonlocal count
            count += 1

        def precondition(x: Floats) -> Floats:
            return np.einsum("bij,bj->bi", inverse, x.reshape(-1, m)).ravel()

        rows = summed(A.T if symmetric else A.tocsr(), low)

        def product(p: Floats) -> Floats:
            Ap = rows @ p
            if p @ Ap < 0.0:
                raise linalg.SingularMatrixError("A is not positive definite")
            return Ap

        M = LinearOperator(A.shape, matvec=precondition, dtype=float)
        method = cg if symmetric else bicgstab
        matvec = product if symmetric else rows.__matmul__
        operator = LinearOperator(A.shape, matvec=matvec, dtype=float)
        x, info = method(operator, b, start, rtol=RESIDUAL, maxiter=ITERATIONS, M=M, callback=counted)
        return (x if info == 0 else None), count

    def _blocks(self, data: Floats) -> Floats:
        """Blocks (N, m, m) of the bodies on the diagonal of the matrix with the values `data`."""
        m = self.size
        first = self._indptr[:-1].reshape(-1, m) + m * self.pattern.own[:, None]
        return data[first[:, None, :] + np.arange(m)[:, None]]

    def _solver(self, A: sparse.csc_array, kind: str) -> linalg.Solver:
        if kind not in self._solvers:
            self._solvers[kind] = linalg.analyse(A, kind=kind)
        return self._solvers[kind]


def equations_on(pattern: Pattern, known: Equations | None, turning: bool, direct: bool = False) -> Equations:
    """The equations on `pattern`, the `known` ones if they are."""
    if known is None or known.pattern is not pattern:
        return Equations(pattern, turning, direct)
    return known
