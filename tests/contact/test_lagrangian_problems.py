"""Recorded contact problems by the augmented Lagrangian: where Newton's method converges, the same rates."""

from pathlib import Path

import numpy as np
import pytest
from definition import residual

from nsgalpha.contact import ContactProblem
from nsgalpha.contact import solve as solve_contacts
from nsgalpha.io import fclib
from verification.augmented_lagrangian.problem_system import directions, solve

DATA = Path(__file__).parent / "data"
CYCLES = {  # full steps from rest
    "OneObject-i100000-499",
    "OneObject-i1028-138",
    "Rover1041",
    "Rover4396",
    "rockfall_14_25792",
}
OPEN = {"LMGC_100_PR_PerioBox-i00361-60-03000"}  # rounding decides, which processors have their own way of
MOST_ROWS = 250  # the factor G of W is dense
FILES = [path for path in sorted(DATA.glob("*.hdf5")) if not path.stem.startswith("Capsules")]


def semidefinite(path):
    """The problem of a file with the nearest operator `G G^T`: some are slightly indefinite."""
    stored = fclib.read(path, symmetrise=True)
    G = directions(stored.W.toarray())
    return ContactProblem(G @ G.T, stored.q, stored.mu, stored.rolling_radius, stored.drilling_radius)


def test_all_other_problems_are_too_large():
    assert len(FILES) == 24
    assert all(len(fclib.read(path).q) > MOST_ROWS for path in DATA.glob("Capsules*.hdf5"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_problem_has_the_solution_of_the_package(path):
    problem = semidefinite(path)
    end = solve(problem, 1e-10, penalty=1.0)
    assert path.stem in OPEN or end.solved == (path.stem not in CYCLES)
    if not end.solved:
        assert end.residual > 1e-8
        return
    assert residual(problem, end.r) <= 2e-10
    usual = solve_contacts(problem, tol=1e-10)
    rates = problem.velocities(end.r) - problem.velocities(usual.impulses.ravel())
    assert np.abs(rates).max() <= 1e-8 * np.abs(problem.q).max()
