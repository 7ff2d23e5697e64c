"""Gauss-Seidel through the bodies."""

import numpy as np
import pytest
from scipy import sparse

from nsgalpha.contact import body_strategy, friction_cone
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph
from nsgalpha.contact.methods.gauss_seidel import SEPARATE, SLIDING, Sweeps, _kinds, sweep_matrix
from nsgalpha.contact.multiplier_sets import Sets, scale_half_rows
from nsgalpha.contact.scaled_problem import ScaledProblem

LINKS, ROWS = 120, 3
TIGHT = 1e-10


def chain(separate=0):
    """Bodies in a row, in contact with neighbours and the ground, under random loads.

    The rows of the first `separate` contacts do not act on each other.
    """
    mu, rng = 0.5, np.random.default_rng(0)
    links = [(i, i + 1) for i in range(LINKS)] + [(i, FIXED) for i in range(0, LINKS + 1, 3)]
    body, count = np.array(links), len(links)
    H = rng.normal(size=(ROWS * count, 2, 6))
    H[np.repeat(body[:, 1] == FIXED, ROWS), 1] = 0.0
    for k in range(separate):
        part = slice(ROWS * k, ROWS * (k + 1))
        H[part] = np.linalg.qr(H[part].reshape(ROWS, 12).T)[0].T.reshape(ROWS, 2, 6)
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
    assert body_strategy.solve(problem, r, TIGHT, rounds=6).solved
    return r


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


@pytest.mark.parametrize("relaxation", [1.0, 1.6])
def test_contacts_of_separate_rows_are_solved_as_all_others(relaxation):
    """Against the sweeps over the matrix, which know no separate rows: open, sticking, sliding."""
    problem = chain(separate=80)
    kinds = _kinds(problem.W.rows.own, *problem.cones)
    assert kinds.tolist() == [SEPARATE] * 80 + [SLIDING] * (len(kinds) - 80)
    W = sparse.csr_array(np.column_stack([problem.W @ e for e in np.eye(len(problem.q))]))
    for passes in (1, 7):
        r, expected = np.zeros((2, len(problem.q)))
        sweep_matrix(
            (W.indptr, W.indices, W.data),
            problem.q,
            problem.cones,
            expected,
            Sweeps(1e-15, relaxation, passes),
        )
        problem.W.sweep(problem.q, problem.cones, r, 1e-15, relaxation, passes)
        assert r == pytest.approx(expected, abs=1e-12)
    normal = r[:240:3]
    slip = np.hypot(r[1:240:3], r[2:240:3]) / np.maximum(normal, 1e-300)
    for some in (normal == 0.0, slip[normal > 0.0] < 0.49, slip > 0.4999):
        assert some.any()


def test_entries_that_a_matrix_lacks_are_zero():
    """Contacts of which every second one has rows that do not act on each other."""
    mu, rng, count = 0.5, np.random.default_rng(4), 10
    first = ROWS * np.arange(count)
    row, parent = (np.column_stack(pair).ravel() for pair in ((first, first + 1), (first * 0 - 1, first)))
    sets = Sets(row, np.tile([1, 2], count), parent, np.tile([1.0, mu], count), np.ones(2 * count))
    full = np.full((ROWS, ROWS), 0.3) + np.eye(ROWS)
    dense = sparse.block_diag([full, np.eye(ROWS)] * (count // 2)).toarray()
    q, r, found = rng.normal(size=ROWS * count), np.zeros(ROWS * count), []
    q[::ROWS] = -np.abs(q[::ROWS])
    for W in (sparse.csr_array(dense), sparse.csr_array(np.where(dense == 0.0, np.nan, dense))):
        W.data[np.isnan(W.data)] = 0.0
        r[:] = 0.0
        sweep_matrix(
            (W.indptr, W.indices, W.data), q, (sets, 2 * np.arange(count + 1)), r, Sweeps(1e-15, 1.0, 9)
        )
        found.append(r.copy())
    assert np.array_equal(*found)
    assert (np.abs(found[0]) > 0.1).mean() > 0.5


def test_a_separate_contact_within_the_tolerance_is_left():
    problem = chain(separate=LINKS)
    r = solved(problem)
    r[0] += 1e-9
    before = r.copy()
    assert problem.W.sweep(problem.q, problem.cones, r, 1e-8, 1.0, 50) == 1
    assert np.array_equal(r, before)
