"""The proximal point method: problems that are regular, each solved by Newton's method.

From `r_k` a step finds `p` with

    F(p) = p - P(r_k - sigma (u + s e_N)) = 0,    u = W p + q

which is the contact problem with `W + I/sigma` and `q - r_k/sigma`. It is regular for any redundancy of the
rows. For small sigma the sliding friction in the shift `s` is a small part, and Newton's method converges
from anywhere. At the fixed point, `r_{k+1} = r_k`, the term in 1/sigma is gone for any sigma; it grows while
the steps are easy.
"""

import numpy as np

from nsgalpha import linalg
from nsgalpha.arrays import Floats
from nsgalpha.contact.methods.newton_systems import direction
from nsgalpha.contact.scaled_problem import ScaledProblem

INNER = 0.1  # |F| of a step over the residual that it starts from
DECREASE = 1e-4  # of |F|, over the step
HALVINGS = 12
ITERATIONS = 30
STALLS = 2  # line searches without a decrease after which a step is given up
GROWTH = 3.0  # of sigma, less half the iterations that the step took
REDUCTION = 3.0
SIGMA = 0.1, 1e10  # range, over the unit diagonal of W


def step(problem: ScaledProblem, r: Floats, sigma: float, tolerance: float) -> tuple[Floats, int, float]:
    """One step from `r` (n,). Returns (r, Newton iterations, sigma of the next step)."""
    p, u = r, problem.rates(r)
    start = problem.residual(r, u)
    goal = max(0.1 * tolerance, INNER * start)
    y = r - sigma * problem.shifted(u)
    P = problem.project(y)
    F = p - P
    iterations = stalls = 0
    while not problem.largest(F) <= goal:
        if iterations == ITERATIONS or stalls == STALLS:
            # the residual may still be smaller, at points that are no solution of the step
            worth = problem.residual(P, problem.rates(P)) < start
            return P if worth else r, iterations, max(sigma / REDUCTION, SIGMA[0])
        iterations += 1
        try:
            d = direction(problem, F, y, u, sigma, 0.0)
        except linalg.SingularMatrixError:  # W is not quite semidefinite: smaller sigma hides it
            return r, iterations, max(sigma / REDUCTION, SIGMA[0])
        size, t = np.linalg.norm(F), 1.0
        for _ in range(HALVINGS):
            new = p + t * d
            u = problem.rates(new)
            y = r - sigma * problem.shifted(u)
            P = problem.project(y)
            F = new - P
            if np.linalg.norm(F) <= (1.0 - DECREASE * t) * size:
                break
            t *= 0.5
        else:
            stalls += 1
        p = new
    return P, iterations, min(sigma * max(1.0, GROWTH - iterations / 2.0), SIGMA[1])
