"""GMRES: residual asked for, singular systems, agreement with SciPy's iterates."""

import numpy as np
import pytest
from scipy.sparse.linalg import gmres as scipy_gmres

from nsgalpha.linalg.krylov import gmres


def system(n, seed=0):
    rng = np.random.default_rng(seed)
    return 3.0 * np.eye(n) + rng.normal(size=(n, n)) / np.sqrt(n), rng.normal(size=n)


@pytest.mark.parametrize("n", [1, 3, 50, 300])
@pytest.mark.parametrize("rtol", [1e-2, 1e-6, 1e-11])
def test_the_residual_asked_for_is_reached(n, rtol):
    A, b = system(n)
    x = gmres(lambda v: A @ v, b, rtol, 60)
    assert np.linalg.norm(A @ x - b) <= 1.01 * rtol * np.linalg.norm(b)


@pytest.mark.parametrize("limit", [1, 4, 9])
def test_the_iterates_are_those_of_gmres(limit):
    A, b = system(40, seed=1)
    expected, _ = scipy_gmres(A, b, rtol=1e-14, restart=limit, maxiter=1)
    assert gmres(lambda v: A @ v, b, 0.0, limit) == pytest.approx(expected, abs=1e-13)


def test_no_more_products_than_needed():
    A, b = np.diag([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 0.0])
    products = []
    x = gmres(lambda v: products.append(1) or A @ v, b, 1e-14, 60)
    assert x == pytest.approx([1.0, 0.5, 0.0])
    assert len(products) == 2


def test_a_singular_operator_leaves_what_is_out_of_reach():
    A, b = np.diag([1.0, 0.0]), np.array([2.0, 1.0])
    x = gmres(lambda v: A @ v, b, 1e-12, 10)
    assert np.isfinite(x).all()
    assert np.linalg.norm(A @ x - b) == pytest.approx(1.0)


@pytest.mark.parametrize("b", [np.zeros(3), np.full(3, np.nan), np.full(3, np.inf)])
def test_without_a_finite_load_there_is_no_solution_but_zero(b):
    assert (gmres(lambda v: v, b, 1e-6, 5) == 0.0).all()
