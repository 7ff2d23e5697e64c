"""Semismooth Newton for the natural map of the cones: fast near the solution.

    F(r) = r - P(r - a (u + s e_N)),     dF = I - D + a D (I + e_N ds/du) W

A proximal term, a part of I - D, is added to W in dF, never in F. Redundant rows make W singular, and the
steps then so long in its null space that |F| grows along them; the term takes care of that. It is a `weight`
times the residual over the data, so that it goes to `PROXIMAL[0]` on the way to the solution. The weight
falls while the residual does, and rises with it. |F| may grow for some steps: where it must fall in every
one, the kinks of the natural map stop the method far from the solution.
"""

from collections import deque

import numpy as np

from nsgalpha import linalg
from nsgalpha.arrays import Floats
from nsgalpha.contact.methods.newton_systems import direction
from nsgalpha.contact.scaled_problem import ScaledProblem

PROXIMAL = 1e-9, 1e-2  # least and most, over the unit diagonal of W
LIGHTER, HEAVIER = 0.3, 4.0  # factors of the weight after a step that takes the residual
FALLEN, RISEN = 0.7, 2.0  # below or above these parts of that before
LIGHTEST = 10.0
HALVINGS = 10
DECREASE = 1e-4  # of |F|, over the step
MEMORY = 5  # steps whose largest |F|,
GROWTH = 3.0  # so many times, a step may come to
AIM = 0.1  # part of the tolerance where it ends in any case: the next step of a run then starts within it
FAST = 0.1  # residual after a step, over that before
PATIENCE = 10  # steps after which the residual must be
HOPE = 0.5  # times that at the start, or the method ends


def natural_map(problem: ScaledProblem, r: Floats, u: Floats, a: float) -> tuple[Floats, Floats]:
    """F (n,) and the point `y` (n,) that is projected."""
    y = r - a * problem.shifted(u)
    return r - problem.project(y), y


def newton(
    problem: ScaledProblem, r: Floats, a: float, weight: float, tolerance: float, limit: int
) -> tuple[Floats, int, float]:
    """At most `limit` steps from `r` (n,) until the residual is <= `tolerance`, and on while it falls fast.

    `a` is the augmentation, `weight` that of the proximal term at the start, 0 for none. Returns the best r,
    the number of steps and the residual of it.
    """
    u = problem.rates(r)
    residual = before = start = lowest = problem.residual(r, u)
    best = r
    F, y = natural_map(problem, r, u, a)
    sizes, scale = deque([np.linalg.norm(F)], MEMORY), np.abs(problem.q).max()
    for iteration in range(limit):
        if lowest <= AIM * tolerance or (lowest <= tolerance and residual > FAST * before):
            return best, iteration, lowest
        if iteration >= PATIENCE and lowest > HOPE * start:
            return best, iteration, lowest
        try:
            proximal = min(max(weight * residual / scale, PROXIMAL[0]), PROXIMAL[1])
            d = direction(problem, F, y, u, a, 1.0 - proximal)
        except linalg.SingularMatrixError:
            return best, iteration, lowest
        t, allowed = 1.0, GROWTH * max(sizes)
        for _ in range(HALVINGS):
            new = r + t * d
            u = problem.rates(new)
            F, y = natural_map(problem, new, u, a)
            size = np.linalg.norm(F)
            if size <= (1.0 - DECREASE * t) * allowed:
                break
            t *= 0.5
        r, before, residual = new, residual, problem.residual(new, u)
        sizes.append(size)
        if weight > 0.0 and residual < FALLEN * before:
            weight = max(LIGHTER * weight, LIGHTEST)
        elif residual > RISEN * before:
            weight *= HEAVIER
        if residual < lowest:
            best, lowest = r, residual
    return best, limit, lowest
