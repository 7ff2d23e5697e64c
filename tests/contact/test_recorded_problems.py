"""Problems recorded by other programs are solved; the residual is computed again."""

from pathlib import Path

import pytest
from definition import residual
from plain_reader import read_plainly
from scipy import sparse

from nsgalpha.contact import ContactProblem, solve
from nsgalpha.io import fclib

FILES = sorted((Path(__file__).parent / "data").glob("*.hdf5"))


def test_all_problems_are_there():
    assert len(FILES) == 27


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_problem_is_solved(path):
    solution = solve(fclib.read(path))
    assert solution.status.ok
    W, q, mu, mu_r = read_plainly(path)
    problem = ContactProblem(sparse.csr_array(W), q, mu, mu_r)
    assert residual(problem, solution.impulses) <= 1e-8
    assert solution.velocities.ravel() == pytest.approx(W @ solution.impulses.ravel() + q, abs=1e-9)


@pytest.mark.parametrize("name", ["OneObject-i1028-138", "RFC3D_cube_1"])
def test_an_impulse_that_is_off_is_noticed(name):
    (path,) = (path for path in FILES if path.stem == name)
    problem = fclib.read(path)
    r = solve(problem).impulses * (1.0 + 1e-4)
    assert residual(problem, r) > 1e-7
    assert problem.residual(r) == pytest.approx(residual(problem, r), rel=1e-6)
