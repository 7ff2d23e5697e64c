"""Gauss-Seidel, and Newton's method on the patches where it has come to a halt."""

import numpy as np
import pytest

from nsgalpha.contact import friction_cone, solver_strategy
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph
from nsgalpha.contact.methods import patch_newton
from nsgalpha.contact.multiplier_sets import Sets, scale_half_rows
from nsgalpha.contact.scaled_problem import ScaledProblem

LINKS, ROWS = 120, 3
TIGHT = 1e-10


def chain(seed=0, mu=0.5):
    """Bodies in a row, in contact with neighbours and the ground, under random loads."""
    rng = np.random.default_rng(seed)
    links = [(i, i + 1) for i in range(LINKS)] + [(i, FIXED) for i in range(0, LINKS + 1, 3)]
    body, count = np.array(links), len(links)
    H = rng.normal(size=(ROWS * count, 2, 6))
    H[np.repeat(body[:, 1] == FIXED, ROWS), 1] = 0.0
    first = ROWS * np.arange(count)
    row = np.column_stack([first, first + 1]).ravel()
    size, parent = np.tile([1, 2], count), np.column_stack([np.full(count, -1), first]).ravel()
    sets = Sets(row, size, parent, np.tile([1.0, mu], count), np.ones(2 * count))
    scale_half_rows(H, sets, np.empty(len(H)))
    W = BodyOperator(Graph(body, ROWS * np.arange(count + 1), 6), H)
    q = W._rates(rng.normal(size=(LINKS + 1, 6)))
    return ScaledProblem(W, q, sets, 2 * np.arange(count + 1))


def solved(problem):
    r = np.zeros_like(problem.q)
    assert solver_strategy.solve(problem, r, TIGHT).solved
    return r


def residual(problem, r):
    return problem.residual(r, problem.rates(r))


@pytest.mark.parametrize("mu", [0.3, 1.0])
@pytest.mark.parametrize("spots", [[60], [20, 100]])
def test_patches_mend_spots_and_touch_nothing_else(mu, spots):
    problem = chain(mu=mu)
    exact = solved(problem)
    r = exact.copy()
    for k in spots:
        r[ROWS * k : ROWS * (k + 1)] += 0.3
    assert residual(problem, r) > 1e-2
    assert patch_newton.solve_patches(problem, r, TIGHT) >= len(spots)
    assert residual(problem, r) <= TIGHT
    near = np.repeat(np.min([np.abs(problem.W.graph.body[:, 0] - k) for k in spots], axis=0), ROWS)
    assert np.array_equal(r[near > 8], exact[near > 8])


def test_patches_leave_what_is_wrong_everywhere():
    problem = chain()
    r = np.zeros_like(problem.q)
    assert patch_newton.solve_patches(problem, r, TIGHT) == 0
    assert not r.any()


def test_a_spot_that_sweeps_cannot_mend_needs_no_newton_for_all(monkeypatch):
    """Eight contacts are nearly the same: sweeps pass the load to and fro."""
    problem, rng = chain(mu=1.0), np.random.default_rng(1)
    W, first = problem.W, ROWS * (LINKS // 2)
    for k in range(LINKS // 2 + 1, LINKS // 2 + 8):
        W.graph.body[k] = W.graph.body[LINKS // 2]
        W.H[ROWS * k : ROWS * (k + 1)] = W.H[first : first + ROWS] + 0.1 * rng.normal(size=(ROWS, 2, 6))
    problem.q[:] = W._rates(rng.normal(size=W._V.shape))
    r = np.zeros_like(problem.q)
    outcome = solver_strategy.solve(problem, r, 1e-9, rounds=0)  # none of Newton's method for all contacts
    assert outcome.solved
    assert outcome.patches > 0
    assert residual(problem, r) <= 1e-9
    monkeypatch.setattr(solver_strategy, "solve_patches", lambda *_: 0)
    assert not solver_strategy.solve(problem, np.zeros_like(r), 1e-9, rounds=0).solved


@pytest.mark.parametrize("relaxation", [1.0, 1.5, 1.9])
def test_sweeps_stay_in_the_cones(relaxation):
    problem = chain()
    r = np.zeros_like(problem.q)
    problem.W.sweep(problem.q, problem.cones, r, 1e-12, relaxation, 3)
    assert np.abs(r).max() > 0.1
    assert problem.project(r) == pytest.approx(r, abs=1e-14)


def test_sweeps_end_when_every_contact_is_solved():
    problem = chain()
    r = solved(problem)
    before = r.copy()
    assert problem.W.sweep(problem.q, problem.cones, r, 1e-8, 1.0, 50) == 1
    assert np.array_equal(r, before)
    r[:] = 0.0
    count = problem.W.sweep(problem.q, problem.cones, r, 1e-3, 1.0, 500)
    assert 1 < count < 500
    y = r - problem.shifted(problem.rates(r))
    assert np.abs(r - problem.project(y)).max() < 1e-2
    assert problem.function(friction_cone.DERIVATIVE, y).any()
