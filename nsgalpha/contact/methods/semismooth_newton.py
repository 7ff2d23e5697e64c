"""Semismooth Newton for the natural map of the cones: fast near the solution.

    F(r) = r - P(r - a (u + s e_N)),     dF = I - D + a D (I + e_N ds/du) W

A proximal term, a part of I - D, is added to W in dF, never in F. Redundant rows make W singular, and the
steps then so long in its null space that |F| grows along them; the term takes care of that. It is a `weight`
times the residual over the data, so that it goes to `PROXIMAL[0]` on the way to the solution.
"""

import numpy as np

from nsgalpha import linalg
from nsgalpha.arrays import Floats
from nsgalpha.contact.methods.linear import direction
from nsgalpha.contact.scaled_problem import ScaledProblem

PROXIMAL = 1e-9, 1e-2  # least and most, over the unit diagonal of W
HALVINGS = 10
PATIENCE = 5  # steps after which the residual must be
HOPE = 0.5  # times that at the start, or the method ends
AIM = 0.1  # part of the tolerance where it ends in any case: the next step of a run then starts within it
FAST = 0.1  # residual after a step, over that before
DECREASE = 1e-4  # of |F|, over the step


def natural_map(problem: ScaledProblem, r: Floats, u: Floats, a: float) -> tuple[Floats, Floats]:
    """F (n,) and the point `y` (n,) that is projected."""
    y = r - a * problem.shifted(u)
    return r - problem.project(y), y


def newton(
    problem: ScaledProblem, r: Floats, a: float, weight: float, tolerance: float, limit: int
) -> tuple[Floats, int, float]:
    """At most `limit` steps from `r` (n,) until the residual is <= `tolerance`, and on while it falls fast.

    `a` is the augmentation, `weight` that of the proximal term. Returns the best r, the number of steps
    and the residual of it. A step is halved until |F| decreases; when even the smallest does not, the
    method has stalled and ends.
    """
    u = problem.rates(r)
    best, lowest = r, problem.residual(r, u)
    F, y = natural_map(problem, r, u, a)
    size, scale = np.linalg.norm(F), np.abs(problem.q).max()
    before = start = lowest
    for iteration in range(limit):
        if lowest <= AIM * tolerance or (lowest <= tolerance and lowest > FAST * before):
            return best, iteration, lowest
        if iteration >= PATIENCE and lowest > HOPE * start:
            return best, iteration, lowest
        before = lowest
        try:
            proximal = min(max(weight * lowest / scale, PROXIMAL[0]), PROXIMAL[1])
            d = direction(problem, F, y, u, a, 1.0 - proximal)
        except linalg.SingularMatrixError:
            return best, iteration, lowest
        t = 1.0
        for _ in range(HALVINGS):
            new = r + t * d
            u = problem.rates(new)
            F, y = natural_map(problem, new, u, a)
            new_size = np.linalg.norm(F)
            if new_size <= (1.0 - DECREASE * t) * size:
                break
            t *= 0.5
        stalled = not new_size < size
        r, size = new, new_size
        residual = problem.residual(r, u)
        if residual < lowest:
            best, lowest = r, residual
        elif stalled:
            return best, iteration + 1, lowest
    return best, limit, lowest
