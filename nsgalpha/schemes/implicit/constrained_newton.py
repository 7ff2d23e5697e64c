"""Steps of Newton's method for bodies that joints hold, and the stability of their balance.

    [K + s D   G^T] [du]     [r]
    [G          0 ] [. ]  =  [0]                r, D, G: static_constraints.py

K is the stiffness of the contacts and of all that joints exert: with that of the multipliers (joints/
geometric_stiffness.py) convergence is quadratic. The state is stable if K is positive definite on the null
space of G: its eigenvalues there, in the metric D, are counted. A step that works against r, towards a
balance that is not stable, is refused: bodies fall, they do not climb.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from nsgalpha import linalg
from nsgalpha.arrays import Floats, LowRank
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.linalg.low_rank import updated
from nsgalpha.schemes.implicit.implicit_equations import SYMMETRIC, Tangents
from nsgalpha.schemes.implicit.static_constraints import StaticConstraints

IDLE = 1e-12  # stiffness against a rotation, over the largest, that is none
NONE = 1e-10  # stiffness of a direction, over the largest, that is none
DENSE = 2000  # unknowns up to which free and unstable directions are counted


class JointedTangent:
    """K at one iterate with the `tangents` of the forces, and its steps.

    `own` (6 N, 6 N) is the stiffness of the loads of `held`, `limit` [m] the longest step.
    """

    falls = True

    def __init__(
        self, held: StaticConstraints, tangents: Tangents, own: sparse.csc_array, force: Floats, limit: float
    ) -> None:
        pattern, values, low = tangents
        contacts = pattern.matrix(values)
        self.scale = np.ones_like(force)  # D^(-1/2)
        self.scale[:, 3:] = 1.0 / held.lever[:, None]
        D = sparse.diags_array(self.scale.ravel())
        A, G = D @ (contacts + own) @ D, held.rows() @ D
        size = float(abs(A).max())
        self.largest = size or float(np.abs(self.scale * force).max()) / limit or 1.0
        self.low = None if low is None else _scaled(low, self.scale.ravel(), self.largest)
        whole = low is None or low.symmetric
        self.symmetric = whole and bool(abs(contacts - contacts.T).max() <= SYMMETRIC * self.largest)
        length = np.sqrt(np.asarray(G.multiply(G).sum(axis=1)).ravel())
        self.G = sparse.csr_array(sparse.diags_array(1.0 / length) @ G)
        self.A = sparse.csc_array(A / self.largest)
        # free rotations, as of smooth spheres, are held
        met = np.asarray(abs(self.A).sum(axis=0) + abs(self.A).sum(axis=1) + abs(self.G).sum(axis=0)).ravel()
        idle = (met.reshape(force.shape)[:, 3:] <= IDLE).all(axis=1)
        self.held = np.zeros(force.shape, bool)
        self.held[idle | ~held.system.turns, 3:] = True

    def step(self, force: Floats, shift: float) -> Floats | None:
        """Displacements (N, 6), or None where there is no solution."""
        n, m = self.A.shape[0], self.G.shape[0]
        diagonal = shift / self.largest + self.held.ravel()
        saddle = sparse.block_array(
            [[self.A + sparse.diags_array(diagonal), self.G.T], [self.G, sparse.csr_array((m, m))]],
            format="csc",
        )
        load = np.concatenate([(self.scale * force).ravel() / self.largest, np.zeros(m)])
        low = None if self.low is None else self.low._replace(size=n + m)
        try:
            factor = linalg.analyse(saddle, kind="general").factorise(saddle)
            du = updated(factor, low).solve(load)[:n]
        except SingularMatrixError:
            return None
        return self.scale * du.reshape(force.shape)

    def length(self, u: Floats) -> float:
        """Largest displacement in `u` (N, 6) [m], rotations times their lever."""
        return float((np.abs(u) / self.scale).max())

    def modes(self) -> tuple[int, int] | None:
        """Numbers of free and unstable directions; None if there are too many."""
        there = ~self.held.ravel()
        if there.sum() > DENSE:
            return None
        A = self.A.toarray()
        if self.low is not None:
            A += self.low @ np.eye(len(A))
        A, G = A[np.ix_(there, there)], self.G.toarray()[:, there]
        Q = qr(G.T)[0] if len(G) else np.eye(len(A))
        Z = Q[:, len(G) :]
        eigenvalues = np.linalg.eigvalsh(0.5 * Z.T @ (A + A.T) @ Z)
        return int((np.abs(eigenvalues) <= NONE).sum()), int((eigenvalues < -NONE).sum())


def _scaled(low: LowRank, scale: Floats, largest: float) -> LowRank:
    """`D low D / largest` with the diagonal `scale` (n,) of D."""
    g = low.g * scale[low.row]
    w = g if low.symmetric else low.w * scale[low.row]
    return low._replace(c=low.c / largest, w=w, g=g)
