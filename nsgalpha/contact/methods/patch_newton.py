"""Newton's method on patches: contacts where Gauss-Seidel has stopped, and their neighbours.

In a large problem most contacts are soon in order. The residual stays large at spots of a few contacts that
depend on each other. A Newton iteration for all contacts costs as much as hundreds of sweeps; a patch has
tens of rows. Their surroundings are fixed; the sweeps that follow spread the change.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.contact.methods.cone_newton import natural_map, newton
from nsgalpha.contact.multiplier_sets import restrict
from nsgalpha.contact.scaled_problem import ScaledProblem

FEWEST = 300  # rows from which on it is worth it: for fewer Newton's method takes them all as quickly
SEED = 0.1  # entry of the natural map, over the largest, from which on a row is in a patch
RINGS = 3  # of contacts around it
MOST = 0.2  # part of all rows that the patches may have: then it is no matter of spots
SETTINGS = (1.0, 1e1), (1.0, 0.0)  # augmentation and proximal weight of Newton's method, in turn
ITERATIONS = 30
WORTH = 0.1  # residual of a patch after it, over that before, up to which its solution is taken
AIM = 0.3  # residual of a patch, over the tolerance


def solve_patches(problem: ScaledProblem, r: Floats, tolerance: float) -> int:
    """Improve `r` (n,) at spots of large residual; the iterations, 0 without spots."""
    if len(r) < FEWEST:
        return 0
    u = problem.rates(r)
    F = problem.weight * np.abs(natural_map(problem, r, u, 1.0)[0])
    region = max(SEED * F.max(initial=0.0), tolerance) < F
    for _ in range(RINGS):
        region = problem.W.coupled(region)
    if np.count_nonzero(region) > MOST * len(r):
        return 0
    return sum(_solve(problem, r, u, patch, tolerance) for patch in _connected(problem, region))


def _connected(problem: ScaledProblem, region: Flags) -> Iterator[Flags]:
    """The parts of `region` (n,) that are not coupled with each other."""
    left = region.copy()
    while left.any():
        patch = np.zeros_like(left)
        patch[np.argmax(left)] = True
        size = 0
        while np.count_nonzero(patch) > size:
            size = int(np.count_nonzero(patch))
            patch = problem.W.coupled(patch) & left
        left &= ~patch
        yield patch


def _solve(problem: ScaledProblem, r: Floats, u: Floats, patch: Flags, tolerance: float) -> int:
    """Solve the contacts of `patch` (n,), all others held, at the rates `u` (n,) of `r`; the iterations."""
    active = patch[problem.sets.row[problem.block[:-1]]]
    rows = np.flatnonzero(patch)
    sets, block, _ = restrict(problem.sets, problem.block, active, np.count_nonzero(active), rows)
    W, own = problem.W.part(rows), r[rows]
    part = ScaledProblem(W, u[rows] - W @ own, sets, block)
    residual, total = part.residual(own, u[rows]), 0
    for a, weight in SETTINGS:
        better, iterations, lowest = newton(part, own, a, weight, AIM * tolerance, ITERATIONS)
        total += iterations
        if lowest <= max(WORTH * residual, tolerance):
            r[rows] = better
            break
    return total
