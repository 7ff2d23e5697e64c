"""Contact problems refuse meaningless arguments by name, with the fault."""

import re

import numpy as np
import pytest
from problems import random_problem
from scipy import sparse

from nsgalpha.contact import ContactProblem, solve
from nsgalpha.contact.problem_arguments import few_pairs

W = np.eye(6)
Q = np.array([-1.0, 0.2, 0.1, -0.5, 0.0, 0.3])
MU = np.array([0.3, 0.5])


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


INDEFINITE = np.kron(np.eye(2), [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(5), Q, MU), "W: has shape (5, 5), must be (6, 6)"),
        ((np.ones(6), Q, MU), "W: "),
        (("text", Q, MU), "W = 'text': must be a matrix of numbers"),
        ((changed(W, (1, 1), np.nan), Q, MU), "W: entry 1 is nan, must be finite"),
        ((sparse.csr_array(changed(W, (1, 1), np.inf)), Q, MU), "W: entry 1 is inf, must be finite"),
        ((changed(W, (2, 2), -1.0), Q, MU), "W[2, 2] = -1: W must be positive semidefinite"),
        ((INDEFINITE, Q, MU), "W: has a negative eigenvalue; it must be positive semidefinite"),
        ((changed(W, (0, 1), 0.5), Q, MU), "W[0, 1] = 0.5, W[1, 0] = 0: W must be symmetric"),
        ((W, Q[:5], MU), "q: has 5 entries, must have 4 or 6: 2 or 3 rows for each of the 2 contacts of mu"),
        ((W, Q[None], MU), "q: has shape (1, 6), must be a vector"),
        ((W, changed(Q, 4, np.nan), MU), "q: entry 4 is nan, must be finite"),
        ((W, "text", MU), "q = 'text': must be a vector of numbers"),
        ((W, Q, [0.3, -0.1]), "mu[1] = -0.1: must be >= 0"),
        ((W, Q, [0.3, np.inf]), "mu: entry 1 is inf, must be finite"),
        ((W, Q, [0.3, None]), "mu = [0.3, None]: must be a vector of numbers"),
        ((W, Q, MU, [0.1, 0.1]), "q: has 6 entries, must have 10: 5 rows"),
        ((W, Q, MU, None, [0.1, 0.1]), "q: has 6 entries, must have 8: 4 rows"),
        ((W, Q, MU, [0.1, 0.1], [0.1, 0.1]), "q: has 6 entries, must have 12: 6 rows"),
        ((W, Q, MU, [0.1]), "rolling_radius: has 1 entries, must have one per contact, 2"),
        ((W, Q, MU, None, [0.1, -2.0]), "drilling_radius[1] = -2: must be >= 0"),
    ],
)
def test_a_wrong_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ContactProblem(*arguments)


@pytest.mark.parametrize("rows", [10, 8, 12])
def test_five_rows_without_a_radius_are_refused(rows):
    with pytest.raises(ValueError, match=r"q: has .* with the radii given"):
        ContactProblem(np.eye(rows), np.ones(rows), MU)


def test_small_asymmetry_as_programs_record_it_is_kept():
    recorded = changed(W, (0, 1), 5e-3)
    assert ContactProblem(recorded, Q, MU).W[0, 1] == 5e-3


@pytest.mark.parametrize("part", [5e-3, 0.02, 1.0])
def test_an_asymmetry_is_taken_away_if_told(part):
    given = changed(2.0 * W, (0, 1), 2.0 * part)
    problem = ContactProblem(given, Q, MU, symmetrise=True)
    assert problem.asymmetry == pytest.approx(part)
    assert problem.symmetrised
    assert np.array_equal(problem.W.toarray(), (given + given.T) / 2)
    assert f"W was symmetrised by {part:.1e} of its diagonal" in str(solve(problem).status)
    whole = ContactProblem(W, Q, MU, symmetrise=True)
    assert not whole.symmetrised
    assert whole.asymmetry == 0.0
    assert "symmetrised" not in str(solve(whole).status)


def test_an_asymmetry_is_measured_by_the_rows_that_it_is_in():
    """A light body beside a heavy one: 2 % of its diagonal, 2e-10 of the other."""
    given = np.kron(np.diag([1e8, 1.0]), np.eye(3))
    with pytest.raises(
        ValueError, match=re.escape("W[3, 4] = 0.02, W[4, 3] = 0: W must be symmetric to 0.01")
    ):
        ContactProblem(changed(given, (3, 4), 0.02), Q, MU)


def test_a_mass_matrix_is_symmetrised_too():
    M, H = changed(np.eye(6), (0, 1), 0.04), np.eye(6)[:, :3]
    problem = ContactProblem.from_global(M, H, np.zeros(6), Q[:3], MU[:1], symmetrise=True)
    assert problem.asymmetry == pytest.approx(0.04)
    assert problem.symmetrised
    assert problem.W.toarray() == pytest.approx(np.linalg.inv((M + M.T) / 2)[:3, :3])


def test_singular_operators_are_welcome():
    problem = ContactProblem(np.ones((6, 6)), -np.ones(6), MU)
    assert solve(problem).status


def test_arguments_are_copied():
    q, mu = Q.copy(), MU.copy()
    problem = ContactProblem(W, q, mu)
    q[:], mu[:] = np.nan, np.nan
    assert np.isfinite(problem.q).all()
    assert np.isfinite(problem.mu).all()


def bodies(rng, count):
    """Blocks of a mass matrix, and the matrix."""
    blocks = []
    for _ in range(count):
        A = rng.normal(size=(6, 6))
        blocks.append(A @ A.T + np.eye(6))
    return sparse.block_diag([sparse.coo_array(each) for each in blocks], format="csr")


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("storage", [sparse.csr_array, sparse.coo_array, np.asarray])
def test_the_global_form_is_reduced(rows, storage):
    rng = np.random.default_rng(rows)
    M, H = bodies(rng, 3).toarray(), rng.normal(size=(18, 4 * rows))
    f, w = rng.normal(size=18), rng.normal(size=4 * rows)
    mu, radius = np.full(4, 0.4), np.full(4, 0.1) if rows == 5 else None
    problem = ContactProblem.from_global(storage(M), storage(H), f, w, mu, radius)
    assert problem.rows == rows
    assert problem.W.toarray() == pytest.approx(H.T @ np.linalg.solve(M, H), abs=1e-10)
    assert problem.q == pytest.approx(H.T @ np.linalg.solve(M, f) + w, abs=1e-10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"M": np.diag([1.0] * 5 + [0.0])}, "M: the part with the rows [5] is not positive definite"),
        ({"M": np.diag([1.0] * 5 + [-1.0])}, "M: the part with the rows [5] is not positive definite"),
        ({"M": changed(np.eye(6), (0, 1), 0.5)}, "M[0, 1] = 0.5, M[1, 0] = 0: M must be symmetric"),
        ({"M": np.eye(5)}, "M: has shape (5, 5), must be (6, 6)"),
        ({"H": np.ones((6, 5))}, "H: has shape (6, 5), must be (6, 3)"),
        ({"f": np.full(6, np.nan)}, "f: entry 0 is nan, must be finite"),
        ({"w": np.zeros(4), "H": np.ones((6, 4))}, "w: has 4 entries, must have 2 or 3"),
        ({"mu": [-1.0]}, "mu[0] = -1: must be >= 0"),
    ],
)
def test_a_wrong_argument_of_the_global_form_is_named(change, message):
    good = {"M": np.eye(6), "H": np.ones((6, 3)), "f": np.zeros(6), "w": np.zeros(3), "mu": [0.5]}
    assert ContactProblem.from_global(**good).rows == 3
    with pytest.raises(ValueError, match=re.escape(message)):
        ContactProblem.from_global(**good | change)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_of_contacts_are_counted_in_pieces(seed):
    """This holds for any limit, and so any size of the pieces."""
    rng = np.random.default_rng(seed)
    acting = sparse.csr_array(rng.random((40, 15)) < 0.1)
    pairs = int(((acting.toarray().astype(int) @ acting.toarray().T) > 0).sum())
    for most in (1, 7, pairs - 1, pairs, pairs + 1, 10 * pairs):
        assert few_pairs(acting, most) is (pairs <= most)


def test_an_operator_with_too_many_entries_is_not_formed():
    """One body under 2000 contacts: W would be full."""
    n = 6000
    arguments = np.eye(6), np.ones((6, n)), np.zeros(6), np.zeros(n), np.zeros(n // 3)
    with pytest.raises(
        ValueError, match=r"H: 2000 contacts act on so many rows .* W would have more than 1e\+07"
    ):
        ContactProblem.from_global(*arguments)


@pytest.mark.parametrize("tol", [0.0, -1.0, np.nan, np.inf, "small"])
def test_a_tolerance_that_cannot_be_meant_is_refused(tol):
    with pytest.raises(ValueError, match="tol = "):
        solve(ContactProblem(W, Q, MU), tol=tol)


@pytest.mark.parametrize("start", [np.zeros(5), np.zeros((3, 2)), np.full((2, 3), np.nan), "start"])
def test_a_start_that_does_not_fit_is_refused(start):
    with pytest.raises(ValueError, match=r"warm_start.* \(2, 3\)"):
        solve(ContactProblem(W, Q, MU), warm_start=start)


def test_impulses_that_do_not_fit_have_no_residual():
    with pytest.raises(ValueError, match=r"r: has shape \(4,\), must be \(6,\) or \(2, 3\)"):
        ContactProblem(W, Q, MU).residual(np.zeros(4))


def test_no_contact_is_solved_by_nothing():
    solution = solve(ContactProblem(np.zeros((0, 0)), [], []))
    assert solution.status
    assert solution.residual == 0.0
    assert solution.impulses.size == 0


def test_a_tolerance_below_rounding_is_a_status_and_not_an_error():
    problem = random_problem(np.random.default_rng(0), 5, freedom=6)
    solution = solve(problem, tol=1e-30)
    assert not solution.status
    assert "not solved: the residual is" in str(solution.status)
    assert "the worst contact is" in solution.status.message
    assert solution.residual < 1e-12
