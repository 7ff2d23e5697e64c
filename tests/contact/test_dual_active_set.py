"""Contacts without friction whose normals are redundant: dual active sets, against least squares."""

import numpy as np
import pytest
from scipy.optimize import nnls

from nsgalpha.contact.methods.dual_active_set import solve_half_lines


def problem(rng, rows, unknowns, repeats):
    """Unit normals G, some of them redundant, and rates before the contacts; all can open."""
    G = rng.normal(size=(rows, unknowns))
    for k in range(repeats):
        G[rows - 1 - k] = G[k] if k % 2 else G[k] + G[k + 1]
    G /= np.linalg.norm(G, axis=1)[:, None]
    G[G @ rng.normal(size=unknowns) < 0.0] *= -1.0
    return G, G @ rng.normal(size=unknowns)


@pytest.mark.parametrize("shape", [(4, 6, 0), (20, 12, 0), (40, 12, 10), (60, 30, 30), (150, 90, 60)])
def test_rates_are_those_of_least_squares(shape):
    rng, added = np.random.default_rng(2), 0
    for _ in range(20):
        G, b = problem(rng, *shape)
        W, r = G @ G.T, np.zeros(shape[0])
        more, solved = solve_half_lines(W, b, r, 1e-13)
        assert solved
        added += more
        u = W @ r + b
        assert r.min() >= 0.0
        assert u.min() > -1e-10
        assert np.abs(r * u).max() < 1e-10 * max(r.max(), 1.0)
        free, *_ = np.linalg.lstsq(G, b, rcond=1e-12)
        expected, _ = nnls(G.T, -free, maxiter=10_000)
        assert u == pytest.approx(W @ expected + b, abs=1e-8)
    assert added > 0


def test_a_solution_is_a_start_that_stays():
    rng = np.random.default_rng(4)
    G, b = problem(rng, 60, 30, 30)
    W, r = G @ G.T, np.zeros(60)
    assert solve_half_lines(W, b, r, 1e-13)[0] > 3
    again = r.copy()
    assert solve_half_lines(W, b, again, 1e-12) == (0, True)
    assert again == pytest.approx(r, abs=1e-12)
    wrong = rng.uniform(size=60)
    assert solve_half_lines(W, b, wrong, 1e-13)[1]
    assert W @ wrong == pytest.approx(W @ r, abs=1e-9)


def test_contacts_that_cannot_open_are_told():
    """Two normals against each other, both closing."""
    W, r = np.array([(1.0, -1.0), (-1.0, 1.0)]), np.array([0.0, 0.5])
    assert not solve_half_lines(W, np.array([-1.0, -1.0]), r, 1e-13)[1]
    assert r.tolist() == [0.0, 0.5]
