"""The contact problem of one contact with friction, in closed form.

    open     q_N >= 0: r = 0
    stick    r = -W^-1 q, where that lies in the cone
    slip     u_N = 0, u_T = -alpha r_T with alpha > 0, |r_T| = mu r_N

For slip the normal row gives `r_N = -(q_N + W_NT r_T)/W_NN` and the others `(A + alpha I) r_T = -b` with
`A = W_TT - W_TN W_NT/W_NN`, `b = q_T - W_TN q_N/W_NN`. With two sliding rows, by Cramer's rule,

    r_T = -(adj A + alpha I) b / det(A + alpha I)

so that `|r_T|^2 = mu^2 r_N^2` is a polynomial of degree 4 in alpha (Bonnefon and Daviet 2011).
"""

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.contact.multiplier_sets import HALF_LINE
from nsgalpha.contact.scaled_problem import ScaledProblem, SolverOutcome

REAL = 1e-6  # imaginary part of a double root, relative


def solve_single(problem: ScaledProblem, r: Floats, tolerance: float) -> SolverOutcome | None:
    """Solve a problem of one contact for `r` (n,).

    None if it has other sets, its law has no closed form, or rounding spoils it.
    """
    W, q, parent = problem.invertible.dense, problem.q, problem.sets.parent
    if W is None or parent[0] != HALF_LINE or (parent[1:] < 0).any():
        return None
    for guess in _guesses(W, q, problem.sets.radius[1:]):
        residual = problem.residual(guess, problem.rates(guess))
        if residual <= tolerance:
            r[:] = guess
            return SolverOutcome("closed form", True, residual, 0, 0, 0)
    return None


def _guesses(W: Floats, q: Floats, radii: Floats) -> list[Floats]:
    """Candidates (n,) for the solution, one of which it is."""
    guesses: list[Floats] = [np.zeros_like(q)]
    if W[0, 0] > 0.0:
        guesses.append(np.r_[max(-q[0], 0.0) / W[0, 0], np.zeros(len(q) - 1)])
    try:
        guesses += [np.linalg.solve(W, -q).astype(float)]
    except np.linalg.LinAlgError:
        return guesses
    if len(q) == 3:
        guesses += _sliding(W, q, radii[0])
    return guesses


def _sliding(W: Floats, q: Floats, mu: float) -> list[Floats]:
    """Impulses (3,) at all roots of the slip polynomial."""
    normal, coupling = W[0, 0], W[0, 1:]
    A = W[1:, 1:] - np.outer(W[1:, 0], coupling) / normal
    b = q[1:] - W[1:, 0] * q[0] / normal
    adjoint = np.array([[A[1, 1], -A[0, 1]], [-A[1, 0], A[0, 0]]])
    determinant = np.poly1d([1.0, A[0, 0] + A[1, 1], A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]])
    # -det r_T and -det W_NN r_N as polynomials in alpha
    x, y = (np.poly1d([b[i], adjoint[i] @ b]) for i in range(2))
    height = determinant * q[0] - x * coupling[0] - y * coupling[1]
    found = []
    for root in np.roots(((x * x + y * y) * normal**2 - height * height * mu**2).coeffs):
        if abs(root.imag) > REAL * (1.0 + abs(root)) or root.real < 0.0:
            continue
        alpha = root.real
        tangential = -np.array([x(alpha), y(alpha)]) / determinant(alpha)
        found.append(np.r_[-(q[0] + coupling @ tangential) / normal, tangential])
    return found
