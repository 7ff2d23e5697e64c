"""One contact with friction in three rows: Newton's method without arrays against the general one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsgalpha.contact.methods.dense_newton import PROXIMAL, NewtonSteps, newton
from nsgalpha.contact.methods.sliding_newton import solve_sliding
from nsgalpha.contact.multiplier_sets import HALF_LINE, Sets, natural_map


def solve_both(W, b, sets, r, tolerance):
    own = r.copy()
    solved = solve_sliding(W, b, sets.radius[1], own, tolerance)
    general = r.copy()
    _, residual = newton(W, b, sets, general, tolerance, NewtonSteps(30, True, PROXIMAL))
    F = np.empty(3)
    return solved, own, natural_map(sets, own, W @ own + b, F), general, residual


def contact(rng, mu):
    G = rng.normal(size=(3, 5))
    d = np.sqrt(np.diag(G @ G.T))
    d[1:] = np.sqrt((d[1:] ** 2).mean())
    sets = Sets(np.array([0, 1]), np.array([1, 2]), np.array([HALF_LINE, 0]), np.array([0.0, mu]), np.ones(2))
    return G @ G.T / np.outer(d, d), sets


@given(seed=st.integers(0, 10**6), mu=st.floats(0.0, 1.5))
def test_a_solved_contact_fulfils_the_law_and_is_the_general_solution(seed, mu):
    rng = np.random.default_rng(seed)
    W, sets = contact(rng, mu)
    solved, own, size, general, residual = solve_both(W, rng.normal(size=3), sets, rng.normal(size=3), 1e-12)
    if solved:
        assert size <= 1e-12
        if residual <= 1e-12 and mu < 0.3:  # unique for little friction
            assert own == pytest.approx(general, abs=1e-8)


def test_most_contacts_are_solved_and_all_statuses_occur():
    rng = np.random.default_rng(1)
    solved, statuses = 0, {"open": 0, "sticking": 0, "sliding": 0}
    for _ in range(500):
        W, sets = contact(rng, 0.5)
        ok, r, *_ = solve_both(W, rng.normal(size=3) * (4.0, 1.0, 1.0), sets, np.zeros(3), 1e-12)
        solved += ok
        slack = 0.5 * r[0] - np.hypot(r[1], r[2])
        statuses["open" if r[0] == 0.0 else "sticking" if slack > 1e-9 else "sliding"] += ok
    assert solved > 480
    assert min(statuses.values()) > 20


def test_a_start_is_kept_where_no_solution_is_found():
    sets = Sets(
        np.array([0, 1]), np.array([1, 2]), np.array([HALF_LINE, 0]), np.array([0.0, 0.5]), np.ones(2)
    )
    start = np.array([0.3, 0.1, 0.2])
    solved, own, *_ = solve_both(np.zeros((3, 3)), np.array([-1.0, 0.0, 0.0]), sets, start, 1e-12)
    assert not solved
    assert np.array_equal(own, start)
