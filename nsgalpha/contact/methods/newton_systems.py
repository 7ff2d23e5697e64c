"""The linear systems of Newton's method for the natural map of the cones.

    (I - c D + a D (I + e_N ds/du) W) d = -F,    c < 1

`ds/du`, sliding friction, makes the matrix unsymmetric. Few rows are solved dense. For many, outside of
the range of D `d = -F`, and on it `d = T v` with  `T^2 = a D (I - c D)^-1`:

    (I + T W T) v + Q C W d = -Q F - T W d_0,    Q = T^-1 (I - c D)^-1,    C = a D e_N ds/du

`d_0` being the part outside. The symmetric matrix is factorised; GMRES takes care of C, and of the
asymmetry of a W that has some.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from nsgalpha import linalg
from nsgalpha.arrays import Floats
from nsgalpha.contact import friction_cone
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.linalg.krylov import gmres

LINEAR = 1e-6, 1e-2  # least and largest residual of GMRES, relative; between them that of the problem
KRYLOV = 60  # its most iterations


def direction(problem: ScaledProblem, F: Floats, y: Floats, u: Floats, a: float, c: float) -> Floats:
    """The Newton step `d` (n,) from `F`, with D at `y` and the shift at `u` (n,).

    Raises linalg.SingularMatrixError.
    """
    D = problem.function(friction_cone.DERIVATIVE, y)
    C = np.empty_like(D)
    friction_cone.shift_derivative(*problem.cones, D, u, a, C)
    if problem.invertible.dense is not None:
        return _dense(problem, problem.invertible.dense, F, D, C, a, c)
    return _sparse(problem, F, y, D, C, a, c)


def _dense(problem: ScaledProblem, W: Floats, F: Floats, D: Floats, C: Floats, a: float, c: float) -> Floats:
    J = np.empty_like(W)
    friction_cone.fill_jacobian(*problem.cones, D, C, a, c, W, J)
    *_, d, info = lapack.dgesv(J, -F, overwrite_a=True)
    if info != 0 or not np.isfinite(d).all():
        raise linalg.SingularMatrixError("the generalized Jacobian is singular")
    return d


def _sparse(problem: ScaledProblem, F: Floats, y: Floats, D: Floats, C: Floats, a: float, c: float) -> Floats:
    F, E = F.copy(), np.empty_like(C)
    friction_cone.symmetrise(*problem.cones, D, a, c, C, E, F)
    T = problem.function(friction_cone.ROOT, y, a, c)
    Q = problem.function(friction_cone.LOAD, y, a, c)
    inverse = problem.inverse(T)
    linear = float(np.clip(np.abs(F).max() / np.abs(problem.q).max(), *LINEAR))
    QC, QE = Q @ C, Q @ E
    outside = problem.apply(problem.function(friction_cone.RANGE, y), F) - F
    rates = problem.W @ outside
    load = -problem.apply(Q, F) - problem.apply(T, rates) - problem.apply(QC, rates)

    def product(z: Floats) -> Floats:
        d = problem.apply(T, inverse(z))
        result = z + problem.apply(QC, problem.W @ d) + problem.apply(QE, d)
        if problem.invertible.unsymmetric is not None:
            result += problem.apply(T, problem.invertible.unsymmetric @ d)
        return result

    # preconditioned from the right, where GMRES minimises the residual itself
    z = gmres(product, load, linear, KRYLOV)
    return outside + problem.apply(T, inverse(z))


def bilateral(problem: ScaledProblem, sigma: float) -> Floats:
    """Multipliers (n,) that hold all rows at rest, `(I/sigma + W) r = -q`.

    Raises linalg.SingularMatrixError.
    """
    T = np.sqrt(sigma) * np.broadcast_to(
        np.eye(friction_cone.MOST_ROWS),
        (len(problem.block) - 1, friction_cone.MOST_ROWS, friction_cone.MOST_ROWS),
    )
    return problem.inverse(T)(-sigma * problem.q)
