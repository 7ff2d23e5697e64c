"""Projection on the cones, its derivative, functions of it, and their linear systems."""

import numpy as np
import pytest
from definition import balls, project_cones
from hypothesis import given
from hypothesis import strategies as st
from mechanisms import mechanism
from problems import LAWS, laws, random_problem
from scipy import sparse
from scipy.linalg import block_diag

from nsgalpha.contact import friction_cone, sparse_delassus
from nsgalpha.contact.methods import newton_systems
from nsgalpha.contact.solver import _Island

seeds = st.integers(0, 10**6)
MIXED = "contacts, joints and motors"
some_rows, some_laws = st.sampled_from(list(LAWS)), st.sampled_from([*LAWS, MIXED])
A, C = 3.7, 0.6  # augmentation and shift of the functions of D


def scaled(seed, rows, contacts=3, freedom=None):
    """A random generator and the scaled problem of all contacts, made of one island."""
    rng = np.random.default_rng(seed)
    problem = (
        mechanism(rng, 4, 2, 2, 3).problem if rows == MIXED else random_problem(rng, contacts, rows, freedom)
    )
    return rng, _Island(problem, np.arange(len(problem.block_rows))).problem


def expand(problem, blocks):
    """Blocks (K, 6, 6) as one matrix (n, n)."""
    sizes = np.diff(np.r_[problem.sets.row, len(problem.q)][problem.block])
    return block_diag(*(block[:n, :n] for n, block in zip(sizes, blocks, strict=True)))


def derivative(function, x, eps=1e-6):
    """Central differences of `function`, and whether one-sided ones agree: no kink nearby."""
    columns, smooth, here = [], True, function(x)
    for step in eps * np.eye(len(x)):
        ahead, behind = function(x + step), function(x - step)
        columns.append((ahead - behind) / (2 * eps))
        smooth &= np.abs(ahead + behind - 2 * here).max() < 1e-3 * eps
    return np.column_stack(columns), smooth


@given(seed=seeds, rows=some_rows)
def test_the_projection_is_that_of_the_definition(seed, rows):
    rng, problem = scaled(seed, rows, contacts=1)
    y = rng.normal(size=rows)
    parts = balls(rows, *LAWS[rows])
    assert problem.project(y) == pytest.approx(project_cones(y, parts, problem.sets.radius[1:]), abs=1e-12)


@given(seed=seeds, rows=some_laws)
def test_the_projection_is_the_closest_point_of_the_cone(seed, rows):
    """No point of K is on the side of y - P, and P is in K."""
    rng, problem = scaled(seed, rows)
    y = rng.normal(size=len(problem.q))
    P = problem.project(y)
    assert problem.project(P) == pytest.approx(P, abs=1e-13)
    assert rows == MIXED or (y - P) @ P == pytest.approx(0.0, abs=1e-12)
    for _ in range(20):
        assert (y - P) @ (problem.project(3.0 * rng.normal(size=len(problem.q))) - P) < 1e-12


@given(seed=seeds, rows=some_laws)
def test_the_derivative_of_the_projection_agrees_with_differences(seed, rows):
    rng, problem = scaled(seed, rows)
    y = rng.normal(size=len(problem.q))
    expected, smooth = derivative(problem.project, y)
    if smooth:
        D = expand(problem, problem.function(friction_cone.DERIVATIVE, y))
        assert pytest.approx(expected, abs=1e-8) == D


def test_differences_meet_every_regime():
    """Inside, outside, in the polar cone: the test above has seen them all."""
    seen = set()
    for seed in range(30):
        rng, problem = scaled(seed, 3)
        P = problem.project(y := rng.normal(size=9))
        seen |= {"open" if not p.any() else "stick" if (p == z).all() else "slip"
                 for p, z in zip(P.reshape(3, 3), y.reshape(3, 3), strict=True)}  # fmt: skip
    assert seen == {"open", "stick", "slip"}


@given(seed=seeds, rows=some_laws)
def test_functions_of_the_derivative_fulfil_their_definitions(seed, rows):
    rng, problem = scaled(seed, rows)
    y = rng.normal(size=len(problem.q))
    D, T, Q, R = (
        expand(problem, problem.function(which, y, A, C))
        for which in (friction_cone.DERIVATIVE, friction_cone.ROOT, friction_cone.LOAD, friction_cone.RANGE)
    )
    eye = np.eye(len(problem.q))
    values = np.linalg.eigvalsh(D)
    assert pytest.approx(D.T, abs=1e-14) == D
    assert values.min() > -1e-13
    assert values.max() < 1.0 + 1e-13
    # T^2 = a D (I - c D)^-1;  T Q = (I - c D)^-1 on the range;  R projects on it
    assert T @ T @ (eye - C * D) == pytest.approx(A * D, abs=1e-11)
    assert T @ Q @ (eye - C * D) == pytest.approx(R, abs=1e-11)
    assert pytest.approx(R, abs=1e-13) == R @ R
    assert pytest.approx(D, abs=1e-13) == R @ D
    assert np.trace(R) == pytest.approx(np.linalg.matrix_rank(D, tol=1e-12), abs=1e-12)


@given(seed=seeds, rows=some_laws)
def test_the_derivative_of_the_shift_agrees_with_differences(seed, rows):
    rng, problem = scaled(seed, rows)
    n = len(problem.q)
    u, y = rng.normal(size=(2, n))
    D = problem.function(friction_cone.DERIVATIVE, y)
    slope = np.empty_like(D)
    friction_cone.shift_derivative(*problem.cones, D, u, A, slope)
    expected, smooth = derivative(problem.shifted, u)
    assert smooth
    assert expand(problem, slope) == pytest.approx(A * expand(problem, D) @ (expected - np.eye(n)), abs=1e-7)


@given(seed=seeds, rows=some_laws)
def test_blocks_are_applied_as_the_matrix_that_they_form(seed, rows):
    rng, problem = scaled(seed, rows)
    D = problem.function(friction_cone.DERIVATIVE, rng.normal(size=len(problem.q)))
    x = rng.normal(size=len(problem.q))
    assert problem.apply(D, x) == pytest.approx(expand(problem, D) @ x, abs=1e-14)


def chain(rng, contacts, rows):
    """A problem whose contacts act on their neighbours only, so that W has a pattern."""
    G = np.zeros((contacts + 1, rows, contacts, rows))
    for k in range(contacts):
        G[k : k + 2, :, k] = rng.normal(size=(2, rows, rows))
    G = G.reshape((contacts + 1) * rows, -1)
    problem = random_problem(rng, contacts, rows)
    return type(problem)(sparse.csr_array(G.T @ G), problem.q, *laws(problem))


@given(seed=seeds, rows=some_rows)
def test_the_congruence_on_the_pattern_is_the_dense_one(seed, rows):
    rng = np.random.default_rng(seed)
    problem = _Island(chain(rng, 5, rows), np.arange(5)).problem
    T = problem.function(friction_cone.ROOT, rng.normal(size=5 * rows), A, C)
    W = problem.W.matrix
    values = np.empty_like(W.data)
    friction_cone.fill_congruence(W.indptr, W.indices, W.data, *problem.cones, T, values)
    filled = sparse.csr_array((values, W.indices, W.indptr), shape=W.shape)
    dense = expand(problem, T)
    expected = np.eye(5 * rows) + dense @ problem.W.dense @ dense
    assert filled.toarray() == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())
    assert filled.nnz < expected.size


@pytest.mark.parametrize("rows", LAWS)
@pytest.mark.parametrize("unsymmetric", [0.0, 1e-3])
def test_many_rows_are_solved_as_few(rows, unsymmetric, monkeypatch):
    rng = np.random.default_rng(rows)
    problem = _Island(chain(rng, 30, rows), np.arange(30)).problem
    W = problem.W.matrix
    W.data *= 1.0 + unsymmetric * rng.normal(size=W.nnz)
    F, r, u = rng.normal(size=(3, 30 * rows))
    y = r - A * problem.shifted(u)
    dense = newton_systems.direction(problem, F, y, u, A, C)
    monkeypatch.setattr(sparse_delassus, "DENSE", 0)
    problem.W = sparse_delassus.Delassus(W)
    monkeypatch.setattr(newton_systems, "LINEAR", (1e-8, 1e-8))
    assert newton_systems.direction(problem, F, y, u, A, C) == pytest.approx(
        dense, abs=1e-6 * np.abs(dense).max()
    )


@pytest.mark.parametrize("rows", [*LAWS, MIXED])
def test_the_newton_step_is_that_of_the_natural_map(rows):
    """(I - D + a D (I + e_N ds/du) W) d = -F, the matrix by differences."""
    for seed in range(20):
        rng, problem = scaled(seed, rows, contacts=4)
        r = rng.normal(size=len(problem.q))

        def natural_map(r, problem=problem):
            y = r - A * problem.shifted(problem.rates(r))
            return r - problem.project(y)

        J, smooth = derivative(natural_map, r)
        if not smooth:
            continue
        u, F = problem.rates(r), natural_map(r)
        d = newton_systems.direction(problem, F, r - A * problem.shifted(u), u, A, 1.0)
        assert pytest.approx(-F, abs=1e-6 * (1.0 + np.abs(d).max())) == J @ d
        return
    pytest.fail("no smooth point")
