"""One contact in closed form, against a scan of directions and the general solver."""

import numpy as np
import pytest
from definition import residual
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import LAWS, random_problem

from nsgalpha.contact import ContactProblem, solve, solver, solver_strategy

seeds = st.integers(0, 10**6)


def scan(W, q, mu):
    """Impulse (3,) by cases; slip by bisection of `angle of u_T - angle of -r_T` over a scan of angles."""
    if q[0] >= 0.0:
        return np.zeros(3)
    stick = np.linalg.solve(W, -q)
    if np.hypot(*stick[1:]) <= mu * stick[0]:
        return stick

    def state(angle):
        direction = np.array([1.0, mu * np.cos(angle), mu * np.sin(angle)])
        height = -q[0] / (W[0] @ direction)
        r = height * direction
        u = W @ r + q
        return r, u, np.cos(angle) * u[2] - np.sin(angle) * u[1]

    angles = np.linspace(0.0, 2.0 * np.pi, 2001)
    across = [state(angle)[2] for angle in angles]
    found = []
    for k in np.flatnonzero(np.sign(across[:-1]) != np.sign(across[1:])):
        low, high = angles[k], angles[k + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if state(middle)[2] * state(low)[2] > 0.0 else (low, middle)
        r, u, _ = state(0.5 * (low + high))
        if r[0] > 0.0 and r[1:] @ u[1:] < 0.0:
            found.append(r)
    assert len(found) == 1
    return found[0]


def contact(rng, height):
    """W well conditioned, friction low enough that the solution is unique, and `q_N = height`."""
    A = rng.normal(size=(3, 5))
    W = A @ A.T + np.diag([3.0, 1.0, 1.0])
    return W, np.r_[height, rng.normal(size=2)], rng.uniform(0.05, 0.6)


@given(seed=seeds, height=st.sampled_from([-3.0, -1.0, -0.1, 0.0, 1.0]))
@settings(max_examples=100)
def test_a_single_contact_agrees_with_a_scan(seed, height):
    W, q, mu = contact(np.random.default_rng(seed), height)
    solution = solve(ContactProblem(W, q, [mu]), tol=1e-12)
    assert solution.method == "closed form"
    assert solution.impulses[0] == pytest.approx(scan(W, q, mu), abs=1e-8)


def test_the_scan_meets_open_stick_and_slip():
    seen = set()
    for seed in range(60):
        W, q, mu = contact(np.random.default_rng(seed), (1.0, -1.0, -9.0)[seed % 3])
        r = scan(W, q, mu)
        ratio = np.hypot(*r[1:]) / (mu * r[0]) if r[0] else 0.0
        seen.add("open" if not r.any() else "slip" if ratio > 1.0 - 1e-9 else "stick")
    assert seen == {"open", "stick", "slip"}


@given(seed=seeds)
def test_the_general_solver_finds_the_closed_form(seed):
    W, q, mu = contact(np.random.default_rng(seed), -1.0)
    problem = ContactProblem(W, q, [mu])
    island = solver._Island(problem, np.arange(1))
    r = np.zeros(3)
    outcome = solver_strategy.solve(island.problem, r, 1e-12)
    assert outcome.solved
    assert r / island.scale * island.unit == pytest.approx(solve(problem).impulses[0], abs=1e-7)


@pytest.mark.parametrize("rows", LAWS)
@given(seed=seeds)
def test_a_single_contact_of_any_law_is_solved(rows, seed):
    problem = random_problem(np.random.default_rng(seed), 1, rows)
    solution = solve(problem)
    assert solution.status
    assert residual(problem, solution.impulses) <= 1e-8


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.999, 1.0, 5.0])
def test_a_single_contact_with_coupled_rows_and_any_friction(mu):
    """Strong coupling of normal and sliding rows, where slip may even push towards the contact."""
    for coupling in np.linspace(-0.95, 0.95, 20):
        W = np.array([[1.0, coupling, 0.1], [coupling, 1.0, 0.0], [0.1, 0.0, 1.0]])
        W += 0.01 * np.eye(3)
        problem = ContactProblem(W, [-1.0, 0.4, -0.2], [mu])
        solution = solve(problem)
        assert solution.status, (coupling, str(solution.status))
        assert residual(problem, solution.impulses) <= 1e-8
