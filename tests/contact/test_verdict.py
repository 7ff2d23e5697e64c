"""The verdict on a solution: free of units, and no success where rounding decides."""

import numpy as np
import pytest
from definition import balls, natural_map
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import LAWS, laws, random_problem
from test_recorded_problems import FILES

from nsgalpha.contact import ContactProblem, solve
from nsgalpha.io import fclib

seeds = st.integers(0, 10**6)


def in_units(problem, operator=1.0, speed=1.0, kinds=None):
    """The problem with `operator` W and `speed` q, and other units of its rows.

    `kinds` (rows,), one number for each set, multiplies rates and divides impulses. Returns it with the
    factor (K, rows) that its impulses have.
    """
    kinds = np.ones(problem.rows) if kinds is None else np.asarray(kinds)
    all_kinds = np.tile(kinds, problem.contacts)
    W = operator * all_kinds[:, None] * problem.W.toarray() * all_kinds
    mu, rolling, drilling = laws(problem)
    radii = [
        mu * kinds[0] / kinds[1],
        rolling if rolling is None else rolling * kinds[0] / kinds[3],
        drilling if drilling is None else drilling * kinds[0] / kinds[-1],
    ]
    other = ContactProblem(W, speed * all_kinds * problem.q, *radii)
    return other, np.broadcast_to(speed / operator / kinds, (problem.contacts, problem.rows))


def chosen_kinds(rng, rows, base):
    """A random power of `base` for the rows of each set."""
    parts = [slice(0, 1), *balls(rows, rows >= 5, rows in (4, 6))]
    kinds = np.empty(rows)
    for part in parts:
        kinds[part] = float(base) ** rng.integers(-12 if base == 10 else -40, 13 if base == 10 else 41)
    return kinds


@pytest.mark.parametrize("rows", LAWS)
@given(seed=seeds, operator=st.integers(-12, 12), speed=st.integers(-12, 12))
@settings(max_examples=15)
def test_the_verdict_is_the_same_in_all_units(rows, seed, operator, speed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 4, rows, freedom=6)
    kinds = chosen_kinds(rng, rows, 10)
    other, factor = in_units(problem, 10.0**operator, 10.0**speed, kinds)
    first, second = solve(problem), solve(other)
    assert first.status
    assert second.status
    converted = second.impulses / factor
    assert problem.residual(converted) == pytest.approx(second.residual, abs=2.0 * second.rounding)
    # a start that is off by some tenths has the same residual too
    r = rng.uniform(0.0, 2.0, first.impulses.shape)
    assert other.residual(r * factor) == pytest.approx(problem.residual(r), rel=1e-9)


@pytest.mark.parametrize("rows", LAWS)
@given(seed=seeds, operator=st.integers(-20, 20), speed=st.integers(-40, 40))
@settings(max_examples=15)
def test_powers_of_two_change_no_bit(rows, seed, operator, speed):
    """W by a power of four: its scale is a power of two."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 4, rows, freedom=6)
    other, factor = in_units(problem, 4.0**operator, 2.0**speed, chosen_kinds(rng, rows, 2))
    first, second = solve(problem), solve(other)
    assert np.array_equal(second.impulses, first.impulses * factor)
    assert second.residual == first.residual
    assert second.rounding == first.rounding


@pytest.mark.parametrize("exponents", [(12, -12), (-12, 12), (-12, -12), (12, 12)])
@pytest.mark.parametrize("path", FILES[::4], ids=lambda path: path.stem)
def test_recorded_problems_are_solved_in_all_units(path, exponents):
    problem = fclib.read(path)
    kinds = np.repeat([1.0, 1e3], [3, problem.rows - 3])
    other, _ = in_units(problem, *(10.0**k for k in exponents), kinds)
    assert solve(other).status


def exact_residual(problem, r):
    """The residual in extended precision, for contacts of three rows."""
    W, q = (np.asarray(part, np.longdouble) for part in (problem.W.toarray(), problem.q))
    d = np.sqrt(np.diag(W).reshape(-1, 3))
    d[:, 1:] = np.sqrt(np.diag(W).reshape(-1, 3)[:, 1:].mean(axis=1))[:, None]
    radii = (problem.mu * d[:, 1] / d[:, 0])[:, None]
    d = d.ravel()
    F = natural_map(W / d[:, None] / d, q / d, radii, balls(3, False, False), np.ravel(r) * d)
    return float(np.sqrt((F**2).sum() / ((q / d) ** 2).sum()))


@given(seed=seeds, size=st.integers(0, 18), freedom=st.integers(3, 12))
def test_rounding_changes_the_residual_by_less_than_its_bound(seed, size, freedom):
    """Impulses of any size, on redundant contacts: they cancel, or nearly."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 5, freedom=freedom)
    r = solve(problem).impulses.ravel()
    _, values, vectors = np.linalg.svd(problem.W.toarray())
    r = r + 10.0**size * vectors[values < 1e-10].sum(axis=0)
    error = abs(problem.residual(r) - exact_residual(problem, r))
    assert error <= problem.rounding(r)


def test_the_bound_of_rounding_is_not_far_above_the_error():
    rng, errors = np.random.default_rng(0), []
    for _ in range(4):
        problem = random_problem(rng, 5, freedom=6)
        _, values, vectors = np.linalg.svd(problem.W.toarray())
        null = vectors[values < 1e-10]
        for _ in range(20):
            r = 1e6 * rng.normal(size=len(vectors)) @ null.T @ null  # for any basis of it
            errors.append(abs(problem.residual(r) - exact_residual(problem, r)) / problem.rounding(r))
    assert max(errors) > 0.003


def pressed(gap):
    """A body between two walls that close in on it: the impulses are 1/gap."""
    W = np.eye(6)
    W[0, 3] = W[3, 0] = gap - 1.0
    return ContactProblem(W, np.r_[-1.0, 0.0, 0.0, -1.0, 0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize(("gap", "solved"), [(1e-2, True), (1e-5, True), (1e-9, False), (2.0**-52, False)])
def test_what_rounding_decides_is_no_solution(gap, solved):
    """With impulses of 1e16 the rates are known to within some units, for any residual."""
    problem = pressed(gap)
    solution = solve(problem)
    assert bool(solution.status) is solved
    r = np.zeros((2, 3))
    r[:, 0] = 1.0 / gap
    assert problem.rounding(r) == pytest.approx(2.0**-53 * 40.0 / gap, rel=0.5)
    assert problem.residual(r) <= 0.1 * problem.rounding(r)
    assert bool(solve(problem, warm_start=r).status) is solved
    if gap == 1e-9:
        assert "the residual is 0.0e+00, but rounding may change it by 4.7e-06" in str(solution.status)


def test_a_start_that_is_lost_in_rounding_is_not_used():
    """Impulses of 1e20 that hold each other: their residual comes out as anything, here as nothing."""
    problem = ContactProblem(
        np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(3)), np.r_[np.zeros(4), 1e-3, 0], [0, 0]
    )
    start = np.zeros((2, 3))
    start[:, 0] = 1e20
    assert problem.residual(start) < 10.0 * problem.rounding(start)
    assert problem.rounding(start) > 1e6
    solution = solve(problem, warm_start=start)
    assert solution.status
    assert np.abs(solution.impulses).max() < 1.0


@pytest.mark.parametrize(
    ("operator", "speed"), [(1e-308, 1.0), (1.0, 1e308), (1e16, 1e-308), (5e-324, 1.0), (1e308, 1.0)]
)
def test_numbers_at_the_ends_of_their_range_are_not_solved_and_raise_nothing(operator, speed):
    solution = solve(ContactProblem(operator * np.eye(3), [-speed, 0.5 * speed, 0.0], [0.2]))
    assert not solution.status
    assert "too large or too small for floating-point numbers" in str(solution.status)
    (recovered,) = solve(ContactProblem(1e-200 * np.eye(3), [-1e50, 5e49, 0.0], [0.2])).impulses
    assert recovered == pytest.approx([1e250, -2e249, 0.0], rel=1e-12)
