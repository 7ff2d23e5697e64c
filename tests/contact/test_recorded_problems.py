"""Problems recorded from simulations by other programs are solved; the residual is computed anew."""

from pathlib import Path

import h5py
import numpy as np
import pytest
from definition import residual
from scipy import sparse

from nsgalpha.contact import ContactProblem, solve
from nsgalpha.io import fclib

FILES = sorted((Path(__file__).parent / "data").glob("*.hdf5"))


def read_plainly(path):
    """W (n, n), q, mu, mu_r of a file, entry by entry and without the reader of the package."""

    def matrix(group):
        m, n, nz = (int(group[key][0]) for key in ("m", "n", "nz"))
        p, i, x = (group[key][()] for key in ("p", "i", "x"))
        A = np.zeros((m, n))
        if nz >= 0:
            for row, column, value in zip(i[:nz], p[:nz], x[:nz], strict=True):
                A[row, column] += value
            return A
        for line in range(len(p) - 1):
            for z in range(p[line], p[line + 1]):
                A[(i[z], line) if nz == -1 else (line, i[z])] += x[z]
        return A

    with h5py.File(path) as file:
        local = "fclib_local" in file
        group = file["fclib_local" if local else "fclib_global"]
        vectors = {key: value[()].ravel() for key, value in group["vectors"].items()}
        if local:
            W, q = matrix(group["W"]), vectors["q"]
        else:
            M, H = matrix(group["M"]), matrix(group["H"])
            W, q = H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, vectors["f"]) + vectors["w"]
    return W, q, vectors["mu"], vectors.get("mu_r")


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
