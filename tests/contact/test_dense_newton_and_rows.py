"""The contact problem of the natural map: its generalized Jacobian, its solvers, redundant rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from nsgalpha.contact import multiplier_sets, solver_strategy
from nsgalpha.contact.islands.small_islands import solve_impulses
from nsgalpha.contact.methods import dense_newton
from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE, INTERVAL, Sets
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sparse_delassus import Delassus

seeds = st.integers(0, 10**6)


def natural_map(problem, r, u):
    F = np.empty_like(r)
    multiplier_sets.natural_map(problem, r, u, F)
    return F


def jacobian(W, problem, r, u):
    J = np.empty_like(W)
    dense_newton.jacobian(W, problem, r, u, 0.0, J)
    return J


def solve_dense(W, b, problem, r, tolerance):
    steps = dense_newton.NewtonSteps(30, True, dense_newton.PROXIMAL)
    return dense_newton.newton(W, b, problem, r, tolerance, steps)


def scale_problem(W, problem):
    scale = np.empty(W.shape[0])
    multiplier_sets.scale_problem(W, problem, scale)
    return scale


def random_sets(rng, contacts):
    """Sets of contacts with random laws, a joint, an interval; block offsets."""
    rows, blocks, n = [], [0], 0
    for _ in range(contacts):
        parent = n
        rows.append((n, 1, HALF_LINE, 0.0))
        n += 1
        for size, scale in ((2, 0.5), (2, 0.1), (1, 0.05)):
            if rng.uniform() < (0.9 if scale == 0.5 else 0.3):
                rows.append((n, size, parent, scale * rng.uniform(0.2, 1.5)))
                n += size
        blocks.append(len(rows))
    for kind in (FREE, INTERVAL):
        size = int(rng.integers(1, 7 if kind == FREE else 4))
        rows.append((n, size, kind, rng.uniform(0.1, 2.0) if kind == INTERVAL else 0.0))
        blocks.append(len(rows))
        n += size
    row, size, parent, radius = zip(*rows, strict=True)
    problem = Sets(
        *(np.array(part, np.int64) for part in (row, size, parent)), np.array(radius), np.ones(len(row))
    )
    return problem, np.array(blocks), n


def random_problem(rng, contacts, freedom):
    """W = G G^T with `freedom` columns, unit diagonal, and rates that a motion of the bodies causes."""
    problem, block, n = random_sets(rng, contacts)
    G = rng.normal(size=(n, freedom))
    W = G @ G.T
    scale = scale_problem(W, problem)
    b = (G @ rng.normal(size=freedom)) / scale
    return W, b, problem, block


def solve(W, b, problem, block, r, tolerance=1e-10):
    """The way of the large islands: Newton, Gauss-Seidel, proximal point in turn."""
    n = len(b)
    full = sparse.csr_array(
        (W.ravel().copy(), np.tile(np.arange(n, dtype=np.int32), n), n * np.arange(n + 1, dtype=np.int32)),
        shape=(n, n),
    )
    outcome = solver_strategy.solve(ScaledProblem(Delassus(full), b, problem, block), r, tolerance)
    return outcome.iterations, outcome.residual


def violation(W, b, problem, r):
    """Largest violation of the contact conditions, written as such and not as a projection."""
    u = W @ r + b
    worst = 0.0
    for i, size, parent, radius, _ in zip(*problem, strict=True):
        part = slice(i, i + size)
        if parent == HALF_LINE:
            worst = max(worst, -r[i], -u[i], abs(r[i] * u[i]))
            continue
        if parent == FREE:
            worst = max(worst, np.abs(u[part]).max())
            continue
        bound = radius * r[parent] if parent >= 0 else radius
        force, slip = np.linalg.norm(r[part]), np.linalg.norm(u[part])
        worst = max(worst, force - bound)
        # opposite to the slip, and at its limit when there is slip:  r.u = -bound |u|
        worst = max(worst, abs(r[part] @ u[part] + bound * slip))
    return worst


@given(seed=seeds, contacts=st.integers(1, 4))
def test_jacobian_of_the_natural_map_is_its_derivative_away_from_kinks(seed, contacts):
    rng = np.random.default_rng(seed)
    problem, _, n = random_sets(rng, contacts)
    A = rng.normal(size=(n, n))
    W, b = A @ A.T, rng.normal(size=n)
    r, direction = rng.normal(size=(2, n))

    def residual(s):
        at = r + s * direction
        return natural_map(problem, at, W @ at + b)

    eps = 1e-6
    ahead, behind, here = residual(eps), residual(-eps), residual(0.0)
    u = W @ r + b
    exact = jacobian(W, problem, r, u) @ direction
    if np.abs((ahead - here) - (here - behind)).max() > 1e-6 * eps**0.5 * np.abs(direction).max():
        return  # a kink within eps
    assert np.abs((ahead - behind) / (2 * eps) - exact).max() < 1e-5 * (1.0 + np.abs(exact).max())


def test_jacobian_in_each_regime_by_hand():
    problem = Sets(
        np.array([0, 1]), np.array([1, 2]), np.array([HALF_LINE, 0]), np.array([0.0, 0.5]), np.ones(2)
    )
    W, eye = np.zeros((3, 3)), np.eye(3)
    zero = np.zeros(3)
    open_contact = jacobian(W, problem, np.array([-1.0, 0.2, 0.1]), zero)
    assert np.array_equal(open_contact, eye)
    stick = jacobian(eye, problem, np.array([1.0, 0.2, 0.1]), zero)
    assert stick == pytest.approx(eye, abs=1e-9)
    # s_T = (3, 4), |s_T| = 5, bound 0.5: D = 0.1 (I - tau tau^T) + 0.5 tau e_N^T
    slip = jacobian(W, problem, np.array([1.0, 3.0, 4.0]), zero)
    tau = np.array([0.6, 0.8])
    expected = eye.copy()
    expected[0, 0] = 0.0
    expected[1:, 1:] -= 0.1 * (np.eye(2) - np.outer(tau, tau))
    expected[1:, 0] -= 0.5 * tau
    assert slip == pytest.approx(expected, abs=1e-9)


@given(seed=seeds)
def test_the_natural_map_vanishes_exactly_at_solutions(seed):
    """A solution made by hand: open, sticking and slipping contacts."""
    rng = np.random.default_rng(seed)
    problem, _, n = random_sets(rng, 6)
    r, u = np.zeros(n), np.zeros(n)
    for i, size, parent, radius, _ in zip(*problem, strict=True):
        part = slice(i, i + size)
        if parent == HALF_LINE:
            (r if rng.uniform() < 0.7 else u)[i] = rng.uniform(0.1, 2.0)
            continue
        if parent == FREE:
            r[part] = rng.normal(size=size)
            continue
        direction = rng.normal(size=size)
        direction /= np.linalg.norm(direction)
        bound = radius * r[parent] if parent >= 0 else radius
        if bound == 0.0 or rng.uniform() < 0.5:  # slip, or open and moving
            r[part] = bound * direction
            u[part] = -rng.uniform(0.1, 2.0) * direction
        else:
            r[part] = rng.uniform(0.0, 0.99) * bound * direction
    assert np.abs(natural_map(problem, r, u)).max() < 1e-15
    assert np.abs(natural_map(problem, r + 0.01, u + 0.01)).max() > 1e-3


@settings(max_examples=60)
@given(seed=seeds, contacts=st.integers(1, 8))
def test_random_problems_are_solved(seed, contacts):
    rng = np.random.default_rng(seed)
    W, b, problem, block = random_problem(rng, contacts, 60)
    r = np.zeros(len(b))
    _, residual = solve(W, b, problem, block, r)
    assert residual <= 1e-10
    assert violation(W, b, problem, r) < 1e-9


@settings(max_examples=60)
@given(seed=seeds, contacts=st.integers(3, 10))
def test_rates_of_hyperstatic_problems_do_not_depend_on_the_start(seed, contacts):
    """More rows than degrees of freedom: multipliers are not unique, frictionless rates are."""
    rng = np.random.default_rng(seed)
    n, freedom = contacts, max(1, contacts // 2)
    problem = Sets(np.arange(n), np.ones(n, np.int64), np.full(n, HALF_LINE), np.zeros(n), np.ones(n))
    G = rng.normal(size=(n, freedom))
    W = G @ G.T
    scale = scale_problem(W, problem)
    b = (G @ rng.normal(size=freedom)) / scale
    found = []
    for start in (np.zeros(n), rng.uniform(0.0, 2.0, n), rng.normal(size=n)):
        r = start.copy()
        _, residual = solve(W, b, problem, np.arange(n + 1), r)
        assert residual <= 1e-10
        found.append(W @ r + b)
    assert np.abs(found[1] - found[0]).max() < 1e-7
    assert np.abs(found[2] - found[0]).max() < 1e-7


def test_a_sticking_contact_listed_twice_shares_the_load():
    """The simplest hyperstatic problem: W is exactly singular, the proximal term only picks a sharing."""
    W1 = np.array([[1.0, 0.2, 0.0], [0.2, 1.0, 0.1], [0.0, 0.1, 1.0]])
    W = np.tile(W1, (2, 2))
    b = np.tile([-1.0, 0.1, 0.05], 2)
    problem = Sets(
        np.array([0, 1, 3, 4]),
        np.array([1, 2, 1, 2]),
        np.array([HALF_LINE, 0, HALF_LINE, 3]),
        np.array([0.0, 0.6, 0.0, 0.6]),
        np.ones(4),
    )
    r = np.zeros(6)
    _, residual = solve_dense(W, b, problem, r, 1e-13)
    assert residual <= 1e-13
    exact = np.linalg.solve(W1, -b[:3])
    assert r[:3] + r[3:] == pytest.approx(exact, abs=1e-12)
    assert np.abs(W @ r + b).max() < 1e-13  # the rates hold no trace of the proximal term


@given(seed=seeds)
def test_the_proximal_term_leaves_the_solution_alone(seed):
    """Sticking rows, four times as many as needed: rates vanish to rounding."""
    rng = np.random.default_rng(seed)
    contacts, freedom = 8, 6
    n = 3 * contacts
    rows = [(3 * k, 1, HALF_LINE, 0.0) for k in range(contacts)]
    rows += [(3 * k + 1, 2, 3 * k, 1e6) for k in range(contacts)]
    order = sorted(rows)
    row, size, parent, radius = zip(*order, strict=True)
    problem = Sets(
        *(np.array(part, np.int64) for part in (row, size, parent)), np.array(radius), np.ones(len(row))
    )
    # positive multipliers hold the bodies: b = -W r0 with r0 > 0 in the normals
    G = rng.normal(size=(n, freedom))
    W = G @ G.T
    scale_problem(W, problem)
    r0 = rng.normal(size=n)
    r0[::3] = 5.0
    b = -W @ r0
    r = r0 * 1.5
    _, residual = solve_dense(W, b, problem, r, 1e-12)
    assert residual <= 1e-12
    assert np.abs(W @ r + b).max() < 1e-11


@given(seed=seeds)
def test_scaling_gives_a_unit_diagonal_and_the_same_problem(seed):
    rng = np.random.default_rng(seed)
    problem, block, n = random_sets(rng, 4)
    units = np.empty(n)
    for k, (i, size, parent, *_) in enumerate(zip(*problem, strict=True)):
        units[i : i + size] = 10.0 ** rng.uniform(-4, 4, size if parent == FREE else 1)
        problem.radius[k] *= (units[parent] if parent >= 0 else 1.0) / units[i]
    A = rng.normal(size=(n, n)) * units[:, None]
    W = A @ A.T
    b = rng.normal(size=n) * units
    scaled_problem = Sets(*(part.copy() for part in problem))
    scaled_W = W.copy()
    scale = scale_problem(scaled_W, scaled_problem)
    for i, size, parent, *_ in zip(*problem, strict=True):
        diagonal = np.diag(scaled_W)[i : i + size]
        assert (diagonal if parent == FREE else diagonal.mean()) == pytest.approx(1.0, abs=1e-12)
        assert parent == FREE or np.ptp(scale[i : i + size]) == 0.0
    r = np.zeros(n)
    _, residual = solve(scaled_W, b / scale, scaled_problem, block, r, 1e-10)
    assert residual <= 1e-10
    r /= scale
    u = W @ r + b
    for i, size, parent, radius, _ in zip(*problem, strict=True):
        part = slice(i, i + size)
        if parent == HALF_LINE:
            assert r[i] * scale[i] >= -1e-9
            assert u[i] / scale[i] >= -1e-9
        elif parent == FREE:
            assert np.abs(u[part] / scale[part]).max() <= 1e-9
        else:
            bound = radius * (r[parent] if parent >= 0 else 1.0)
            assert np.linalg.norm(r[part]) * scale[i] <= bound * scale[i] + 1e-8 * max(1, scale[i])


@given(seed=seeds, factor=st.floats(0.1, 10.0))
def test_one_contact_by_hand(seed, factor):
    """One contact with a diagonal W: stick if mu (-b_N) exceeds |b_T|, else slip along -b_T."""
    rng = np.random.default_rng(seed)
    problem = Sets(
        np.array([0, 1]), np.array([1, 2]), np.array([HALF_LINE, 0]), np.array([0.0, 0.5]), np.ones(2)
    )
    b = np.array([-1.0, *rng.normal(size=2)])
    b[1:] *= factor
    r = np.zeros(3)
    _, residual = solve_dense(np.eye(3), b, problem, r, 1e-14)
    assert residual <= 1e-14
    tangential = np.linalg.norm(b[1:])
    expected = -b[1:] * min(1.0, 0.5 / tangential)
    assert r == pytest.approx([1.0, *expected], abs=1e-13)


def nearly_redundant(rng, contacts, freedom, angle):
    """W, b, sets and a solution: all contacts slip, at `angle` times the speed 1e-5 of one motion."""
    n, mu = 3 * contacts, 0.6
    first = 3 * np.arange(contacts)
    parents = np.ravel([(HALF_LINE, i) for i in first])
    problem = Sets(
        np.ravel([(i, i + 1) for i in first]),
        np.tile([1, 2], contacts),
        parents,
        np.where(parents < 0, 0.0, mu),
        np.ones(2 * contacts),
    )
    G = rng.normal(size=(n, freedom))
    G[:, -1] *= angle
    G[::3, -1] = 0.0
    square = (G * G).sum(axis=1).reshape(-1, 3)
    G /= np.sqrt(np.repeat(np.c_[square[:, 0], square[:, 1:].mean(axis=1)], [1, 2], axis=1)).reshape(-1, 1)
    u, r, W = 1e-5 * G[:, -1], np.zeros(n), G @ G.T
    r[::3] = rng.uniform(0.05, 0.5, contacts)
    slip = u.reshape(-1, 3)[:, 1:]
    r.reshape(-1, 3)[:, 1:] = -mu * r[::3, None] * slip / np.linalg.norm(slip, axis=1)[:, None]
    return W, u - W @ r, problem, r


def test_nearly_redundant_contacts_are_solved():
    """An eigenvalue 1e-8 of W. Without the augmented method none of the 30 problems is solved."""
    solved = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        W, b, problem, exact = nearly_redundant(rng, 8, 12, 1e-4)
        assert np.abs(natural_map(problem, exact, W @ exact + b)).max() < 1e-14
        r = exact * (1.0 + 0.1 * rng.normal(size=len(b)))
        iterations, residual, reached = solve_impulses(W, b, problem, (1e-11, 0.0), r, dense_newton.PROXIMAL)
        F = np.abs(natural_map(problem, r, W @ r + b)).max()
        assert residual == pytest.approx(F / np.abs(b).max(), abs=1e-13)
        assert reached == (residual <= 1e-11)
        assert iterations < 220
        solved += reached
    assert solved >= 24
