"""`nsgalpha.contact.solve`: properties of any contact problem."""

import numpy as np
import pytest
from definition import residual
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import LAWS, chosen, laws, random_problem
from scipy import sparse

from nsgalpha.contact import ContactProblem, solve

seeds = st.integers(0, 10**6)


def check(problem, solution, tol=1e-8):
    assert solution.status, str(solution.status)
    assert residual(problem, solution.impulses) <= tol
    assert solution.residual == pytest.approx(residual(problem, solution.impulses), abs=1e-3 * tol)
    return solution


@pytest.mark.parametrize("rows", LAWS)
@given(seed=seeds, contacts=st.integers(1, 12), freedom=st.integers(2, 40))
@settings(max_examples=25)
def test_random_problems_of_every_law_are_solved(rows, seed, contacts, freedom):
    problem = random_problem(np.random.default_rng(seed), contacts, rows, freedom)
    check(problem, solve(problem))


@given(seed=seeds, contacts=st.integers(5, 20), mu=st.floats(0.0, 1.0))
@settings(max_examples=60)
def test_hyperstatic_problems_are_solved(seed, contacts, mu):
    """Several times as many rows as degrees of freedom."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, contacts, freedom=int(rng.integers(3, 2 * contacts)), mu=mu)
    check(problem, solve(problem))


@given(seed=seeds, contacts=st.integers(4, 12))
def test_rates_without_friction_do_not_depend_on_the_start(seed, contacts):
    """Impulses of redundant contacts are not unique, rates are: the problem is convex."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, contacts, freedom=contacts // 2, mu=0.0)
    first = solve(problem, tol=1e-11)
    second = solve(problem, tol=1e-11, warm_start=rng.uniform(0.0, 2.0, first.impulses.shape))
    assert first.status
    assert second.status
    assert second.velocities == pytest.approx(first.velocities, abs=1e-6 * np.abs(problem.q).max())


def sticking(rng, contacts, freedom=6):
    """Impulses deep in the cones that stop all rows of a hyperstatic problem."""
    G = rng.normal(size=(freedom, 3 * contacts))
    r = 0.1 * rng.normal(size=3 * contacts)
    r[::3] = rng.uniform(1.0, 2.0, contacts)
    return ContactProblem(G.T @ G, -G.T @ (G @ r), np.full(contacts, 1.0))


@given(seed=seeds, contacts=st.integers(4, 15))
def test_sticking_rates_of_a_hyperstatic_problem_vanish_from_any_start(seed, contacts):
    rng = np.random.default_rng(seed)
    problem = sticking(rng, contacts)
    for start in (None, rng.uniform(0.0, 2.0, (contacts, 3))):
        solution = check(problem, solve(problem, tol=1e-10, warm_start=start), 1e-10)
        assert np.abs(solution.velocities).max() < 1e-6 * np.abs(problem.q).max()


@given(seed=seeds)
def test_contacts_without_friction_feel_no_tangential_impulse(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 6, freedom=12)
    problem.mu[::2] = 0.0
    solution = check(problem, solve(problem))
    assert np.abs(solution.impulses[::2, 1:]).max() < 1e-8 * (1.0 + np.abs(solution.impulses).max())


@given(seed=seeds, rows=st.sampled_from(list(LAWS)), contacts=st.integers(2, 8))
def test_the_order_of_the_contacts_is_of_no_influence(seed, rows, contacts):
    """W regular and friction small: the solution is unique."""
    rng = np.random.default_rng(seed)
    n = rows * contacts
    problem = random_problem(rng, contacts, rows, freedom=3 * n, mu=0.1)
    order = rng.permutation(contacts)
    first = check(problem, solve(problem, tol=1e-11), 1e-11)
    second = solve(chosen(problem, order), tol=1e-11)
    assert second.velocities == pytest.approx(first.velocities[order], abs=1e-8 * np.abs(problem.q).max())


@given(seed=seeds, rows=st.sampled_from([2, 3, 5, 6]), contacts=st.integers(1, 6))
def test_units_are_of_no_influence(seed, rows, contacts):
    """Impulses, velocities and torques in other units of mass, time and length."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, contacts, rows, freedom=3 * rows * contacts, mu=0.2)
    mass, length, time = 10.0 ** rng.uniform(-4.0, 4.0, 3)
    speed = np.full((contacts, rows), length / time)
    speed[:, 3:] = 1.0 / time  # spins
    force = np.full((contacts, rows), mass * length / time)
    force[:, 3:] *= length
    W = problem.W.toarray() * speed.ravel()[:, None] / force.ravel()
    mu, *radii = laws(problem)
    radii = (radius if radius is None else radius * length for radius in radii)
    other = ContactProblem(W, problem.q * speed.ravel(), mu, *radii)
    first, second = solve(problem, tol=1e-11), solve(other, tol=1e-11)
    assert first.status
    expected = first.impulses
    # the residual of `other` weighs force and torque by their units, hence the comparison in the first
    assert second.impulses / force == pytest.approx(expected, abs=1e-5 * (1.0 + np.abs(expected).max()))


@given(seed=seeds, parts=st.integers(2, 4), rows=st.sampled_from(list(LAWS)))
def test_islands_are_independent_of_each_other(seed, parts, rows):
    rng = np.random.default_rng(seed)
    problems = [random_problem(rng, int(rng.integers(1, 4)), rows, 20, mu=0.3) for _ in range(parts)]
    radii = zip(*map(laws, problems), strict=True)
    joined = [None if part[0] is None else np.concatenate(part) for part in radii]
    W = sparse.block_diag([problem.W for problem in problems])
    whole = ContactProblem(W, np.concatenate([problem.q for problem in problems]), *joined)
    contacts = np.concatenate([np.full(problem.contacts, k) for k, problem in enumerate(problems)])
    order = rng.permutation(len(contacts))
    solution = check(whole, solve(whole))
    assert solution.islands == parts
    mixed = check(chosen(whole, order), solve(chosen(whole, order)))
    assert mixed.islands == parts
    for k, problem in enumerate(problems):
        r = solution.impulses[contacts == k]
        assert problem.residual(r) <= 1e-8 * np.linalg.norm(whole.q) / np.linalg.norm(problem.q)


def test_an_island_does_not_change_when_another_one_does():
    rng = np.random.default_rng(3)
    first, second = random_problem(rng, 3), random_problem(rng, 4)
    W = sparse.block_diag([first.W, second.W])
    mu = np.r_[first.mu, second.mu]
    loaded = solve(ContactProblem(W, np.r_[first.q, second.q], mu))
    idle = solve(ContactProblem(W, np.r_[first.q, np.tile([1.0, 0.0, 0.0], 4)], mu))
    assert np.array_equal(loaded.impulses[:3], idle.impulses[:3])
    assert not idle.impulses[3:].any()


@given(seed=seeds, rows=st.sampled_from(list(LAWS)), contacts=st.integers(2, 10))
def test_a_solution_as_start_is_left_alone(seed, rows, contacts):
    problem = random_problem(np.random.default_rng(seed), contacts, rows, freedom=2 * contacts)
    first = solve(problem, tol=1e-9)
    again = solve(problem, tol=1e-7, warm_start=first.impulses)
    assert again.newton == again.proximal == again.sweeps == 0
    assert np.array_equal(again.impulses, first.impulses)


@given(seed=seeds, contacts=st.integers(1, 8))
def test_a_planar_problem_is_one_in_space_without_motion_sideways(seed, contacts):
    problem = random_problem(np.random.default_rng(seed), contacts, rows=2, freedom=6 * contacts, mu=0.3)
    W, q = np.zeros((contacts, 3, contacts, 3)), np.zeros((contacts, 3))
    W[:, :2, :, :2] = problem.W.toarray().reshape(contacts, 2, contacts, 2)
    W[np.arange(contacts), 2, np.arange(contacts), 2] = 1.0
    q[:, :2] = problem.q.reshape(contacts, 2)
    space = ContactProblem(W.reshape(3 * contacts, -1), q.ravel(), problem.mu)
    planar = check(problem, solve(problem, tol=1e-11), 1e-11)
    embedded = check(space, solve(space, tol=1e-11), 1e-11)
    scale = 1e-8 * np.abs(problem.q).max()
    assert np.abs(embedded.impulses[:, 2]).max() < 1e-9 * (1.0 + np.abs(embedded.impulses).max())
    assert embedded.velocities[:, :2] == pytest.approx(planar.velocities, abs=scale)


@pytest.mark.parametrize(("rows", "ball"), [(4, slice(3, 4)), (5, slice(3, 5)), (6, slice(5, 6))])
@pytest.mark.parametrize("spin", [0.3, 5.0])
def test_rolling_and_drilling_stop_or_reach_their_limit(rows, ball, spin):
    """A unit W: a torque against the spin, at most radius times the normal impulse."""
    radius, q = 0.4, np.zeros(rows)
    q[0] = -2.0
    q[ball] = spin
    radii = [np.array([radius]) if given else None for given in LAWS[rows]]
    problem = ContactProblem(np.eye(rows), q, [0.5], *radii)
    (r,), (u,) = (solve(problem).impulses, solve(problem).velocities)
    length = np.linalg.norm(q[ball])
    assert r[0] == pytest.approx(2.0, abs=1e-8)
    assert r[ball] == pytest.approx(-q[ball] / length * min(length, radius * 2.0), abs=1e-8)
    assert u[ball] == pytest.approx(q[ball] + r[ball], abs=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_rows_that_nothing_can_move(rows):
    """Between bodies without inverse mass W vanishes: no impulse, if nothing approaches."""
    rest = random_problem(np.random.default_rng(1), 2)
    W = sparse.block_diag([rest.W, np.zeros((3, 3))]).toarray()
    W[6:9, 6:9] = np.diag(np.r_[np.zeros(rows), np.ones(3 - rows)])
    problem = ContactProblem(W, np.r_[rest.q, 1.0, 0.2, 0.0], np.r_[rest.mu, 0.5])
    solution = check(problem, solve(problem))
    assert not solution.impulses[2].any()


def test_a_problem_without_solution_is_not_solved():
    """Two fixed bodies that approach each other."""
    problem = ContactProblem(np.zeros((3, 3)), [-1.0, 0.0, 0.0], [0.5])
    solution = solve(problem)
    assert not solution.status
    assert "not solved" in str(solution.status)
    assert np.isfinite(solution.impulses).all()


@pytest.mark.parametrize("rows", [3, 6])
@pytest.mark.parametrize("contacts", [4, 30])
@pytest.mark.parametrize("eigenvalue", [1e-7, 5e-7, 9.9e-7])
def test_operators_that_rounding_made_indefinite_raise_nothing(rows, contacts, eigenvalue):
    """A negative eigenvalue that `ContactProblem` lets pass; a factorisation may meet it."""
    problem = random_problem(np.random.default_rng(0), contacts, rows, freedom=2 * rows)
    W = problem.W.toarray() / np.linalg.eigvalsh(problem.W.toarray())[-1]
    assert np.linalg.eigvalsh(W)[0] > -1e-14
    W -= eigenvalue * np.diag(np.diag(W))
    solution = solve(ContactProblem(W, problem.q, *laws(problem)), tol=1e-4)
    assert solution.status
