"""The interface of the operator W of a scaled problem, for any storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from scipy import sparse

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.multiplier_sets import Sets

Cones = tuple[Sets, Ints]  # sets, and offsets (K + 1,) of each contact's
Inverse = Callable[[Floats], Floats]


class Product(Protocol):
    """A matrix (n, n) that is multiplied by."""

    def __matmul__(self, r: Floats) -> Floats:
        """Of `r` (n,)."""


class Operator(Protocol):
    """W (n, n), positive semidefinite with a diagonal up to 1, as that of free bodies (body_delassus.py)."""

    direct: bool  # whether Newton's method is to come before Gauss-Seidel, which is slow

    def __matmul__(self, r: Floats) -> Floats:
        """`W r` (n,)."""

    def sweep(
        self, q: Floats, cones: Cones, r: Floats, tolerance: float, relaxation: float, sweeps: int
    ) -> int:
        """At most so many block Gauss-Seidel sweeps on `r` (n,) in place; their number.

        They end where every contact by itself is solved to `tolerance`. `relaxation` 1 is none.
        """

    def part(self, rows: Ints) -> Operator:
        """The operator of some rows, those of whole sets."""


class Invertible(Operator, Protocol):
    """An operator for the methods in the space of the rows.

    It is a matrix (sparse_delassus.py), or goes through bodies that compliant contacts couple
    (forces/coupled_delassus.py), or those of joints (contact/islands/jointed_contacts.py).
    """

    @property
    def dense(self) -> Floats | None:
        """W (n, n) as an array, for problems whose matrix in Newton's method is dense."""

    @property
    def unsymmetric(self) -> Product | None:
        """The part that `inverse` leaves out, None if nothing."""

    def inverse(self, T: Floats, cones: Cones, analysis: Analysis) -> Inverse:
        """`z -> (I + T W T)^-1 z` for symmetric blocks `T` (K, 6, 6); raises linalg.SingularMatrixError."""

    def part(self, rows: Ints) -> Invertible:
        """The operator of some rows, those of whole sets."""


class Analysis:
    """The symbolic part of a factorisation, kept while the pattern stands."""

    def __init__(self) -> None:
        self._solver: linalg.Solver | None = None

    def factorise(self, A: sparse.csc_array) -> linalg.Factor:
        """Factorise `A`, positive definite, whose pattern is always the same."""
        if self._solver is None:
            self._solver = linalg.analyse(A, kind="spd")
        return self._solver.factorise(A)
