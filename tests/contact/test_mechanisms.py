"""Joints, motors and contacts in one problem: closed forms, elimination by hand, units, every method."""

import numpy as np
import pytest
from definition import residual as residual_by_definition
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms import eliminated, mechanism, through_bodies
from scipy import sparse

from nsgalpha.contact import ContactProblem, body_strategy, solve, solver_strategy
from nsgalpha.contact.methods import proximal_point
from nsgalpha.contact.methods.body_newton import BodyProblem, BodySteps, newton_bodies
from nsgalpha.contact.methods.cone_newton import newton
from nsgalpha.contact.methods.dense_newton import PROXIMAL, NewtonSteps
from nsgalpha.contact.methods.dense_newton import newton as newton_of_arrays
from nsgalpha.contact.methods.row_elimination import Eliminated, can_eliminate, full_rows
from nsgalpha.contact.multiplier_sets import FREE, INTERVAL
from nsgalpha.contact.solver import _Island
from nsgalpha.contact.sparse_delassus import Delassus

seeds = st.integers(0, 10**6)
TIGHT = 1e-10


def rod_and_wall(joint, b):
    """Bodies of 1 kg and 2 kg with a rod at 3 m/s; one hits a wall."""
    M = np.diag([1.0] * 3 + [2.0] * 3)
    H, rod = np.zeros((6, 3)), np.zeros((6, 1))
    H[3, 0], H[4, 1], H[5, 2] = -1.0, 1.0, 1.0
    rod[0], rod[3] = -1.0, 1.0
    f = M @ [3.0, 0.0, 0.0, 3.0, 0.5, 0.0]
    return ContactProblem.from_global(M, H, f, np.zeros(3), [0.1], G=rod @ joint, b=b)


def test_a_rod_carries_the_first_body_through_the_impact_of_the_second():
    """Both stop: the wall takes 9 N s, the rod 3 N s, friction 0.9 N s of the 1 N s that slide."""
    solution = solve(rod_and_wall(np.ones((1, 1)), [0.0]), tol=1e-12)
    assert solution.status.ok
    assert solution.impulses[0] == pytest.approx([9.0, -0.9, 0.0], abs=1e-10)
    assert solution.velocities[0] == pytest.approx([0.0, 0.05, 0.0], abs=1e-10)
    assert solution.reactions == pytest.approx([3.0], abs=1e-10)


def test_a_redundant_joint_changes_nothing_but_its_own_reactions():
    """Rows 1, 2 and 1 times that of the rod: together they carry its load."""
    solution = solve(rod_and_wall(np.array([[1.0, 2.0, 1.0]]), np.zeros(3)), tol=1e-12)
    assert solution.status.ok
    assert solution.impulses[0] == pytest.approx([9.0, -0.9, 0.0], abs=1e-10)
    assert [1.0, 2.0, 1.0] @ solution.reactions == pytest.approx(3.0, abs=1e-10)


def test_rows_that_contradict_each_other_are_named():
    """The rod's length must grow at 0 and at 1 m/s."""
    solution = solve(rod_and_wall(np.array([[1.0, 1.0]]), [0.0, 1.0]))
    assert not solution.status.ok
    assert "the worst bilateral row is" in solution.status.message
    assert "that bilateral rows do not contradict each other" in solution.status.message


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("bound", [0.0, 0.3, 100.0])
def test_a_bounded_row_alone_sticks_or_slips(rows, bound):
    """W = 2 I: r = -q/2, cut to the bound, along q."""
    q = np.array([3.0, -2.0, 1.0])[:rows]
    solution = solve(ContactProblem(2.0 * np.eye(rows), q, [], bounds=[bound], bound_rows=[rows]), tol=1e-12)
    expected = -q * min(0.5, bound / np.linalg.norm(q))
    assert solution.status.ok
    assert solution.bounded == pytest.approx(expected, abs=1e-11)
    assert solution.slip == pytest.approx(q + 2.0 * expected, abs=1e-11)


def test_a_joint_and_a_motor_are_a_problem():
    """The motor slips, u = 2 - 0.75/2 - 0.5; the joint holds, r + 1 - 0.5/2 = 0."""
    solution = solve(ContactProblem([[1.0, 0.5], [0.5, 1.0]], [1.0, 2.0], [], bilateral=1, bounds=[0.5]))
    assert solution.status.ok
    assert solution.multipliers == pytest.approx([-0.75, -0.5])
    assert solution.slip == pytest.approx([1.125])


@pytest.mark.parametrize("bound", [1.0, 5.0])
def test_a_motor_pushes_against_a_wall_up_to_its_limit(bound):
    """A body of 1.5 kg is to move at 2 m/s: 3 N s would do. At a wall that pushes back all of the bound."""
    W = (
        np.array([[1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 1.0]])
        / 1.5
    )
    free = solve(ContactProblem(W[3:, 3:], [-2.0], [], bounds=[bound]), tol=1e-12)
    assert free.bounded == pytest.approx([min(bound, 3.0)], abs=1e-11)
    held = solve(ContactProblem(W, [0.0, 0.4, 0.0, -2.0], [0.3], bounds=[bound]), tol=1e-12)
    assert held.bounded == pytest.approx([bound], abs=1e-11)  # it never reaches its speed
    assert held.impulses[0, 0] == pytest.approx(bound, abs=1e-11)
    assert held.impulses[0, 1] == pytest.approx(-min(0.3 * bound, 0.6), abs=1e-11)


@given(seed=seeds, contacts=st.integers(1, 6), joints=st.integers(1, 4))
@settings(max_examples=40)
def test_the_contacts_of_a_mechanism_are_those_with_the_joints_eliminated(seed, contacts, joints):
    """Little friction, for which the solution is unique."""
    made = mechanism(np.random.default_rng(seed), 5, contacts, joints, mu=0.1)
    alone = eliminated(made.problem)
    solution = solve(made.problem, tol=1e-11)
    assert solution.status.ok
    assert alone.residual(solution.impulses) < 1e-9
    reference = solve(alone, tol=1e-11)
    assert solution.velocities == pytest.approx(reference.velocities, abs=1e-7)


@given(seed=seeds)
@settings(max_examples=30)
def test_the_residual_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    problem = mechanism(rng, 5, 3, 3, 4).problem
    for r in (rng.normal(size=len(problem.q)), solve(problem, tol=1e-11).multipliers):
        assert problem.residual(r) == pytest.approx(residual_by_definition(problem, r), rel=1e-9, abs=1e-12)


@given(seed=seeds)
@settings(max_examples=30)
def test_units_make_no_difference(seed):
    """Each joint row and other set has its units, lengths and masses have others."""
    rng = np.random.default_rng(seed)
    problem = mechanism(rng, 4, 2, 2, 3).problem
    units = np.exp(rng.uniform(-7.0, 7.0, len(problem.q)))
    for k, rows in enumerate(np.split(np.arange(len(units)), np.cumsum(problem.block_rows)[:-1])):
        if k < 2 or k >= len(problem.block_rows) - 3:
            units[rows] = units[rows[0]]
    bounds = (
        problem.bounds / units[-sum(problem.bound_rows) :][np.cumsum(problem.bound_rows) - problem.bound_rows]
    )
    other = ContactProblem(
        units[:, None] * problem.W.toarray() * units,
        units * problem.q,
        problem.mu,
        bilateral=problem.bilateral,
        bounds=bounds,
        bound_rows=problem.bound_rows,
    )
    r = rng.normal(size=len(units))
    assert other.residual(r / units) == pytest.approx(problem.residual(r), rel=1e-9)
    assert other.rounding(r / units) == pytest.approx(problem.rounding(r), rel=1e-6)
    mine, theirs = solve(problem, tol=1e-11), solve(other, tol=1e-11)
    assert mine.status.ok
    assert theirs.status.ok
    assert problem.residual(theirs.multipliers * units) < 1e-10


# every method by itself, on both operators


def scaled(operator, seed=0, sizes=(8, 5, 5, 4)):
    made = mechanism(np.random.default_rng(seed), *sizes, mu=0.3)
    if operator == "bodies":
        return through_bodies(made)
    return _Island(made.problem, np.arange(len(made.problem.block_rows))).problem


def by_dense_newton(problem, r):
    steps = NewtonSteps(60, True, PROXIMAL)
    newton_of_arrays(problem.W.dense, problem.q, problem.sets, r, 1e-13, steps)


def by_sweeps(problem, r):
    problem.W.sweep(problem.q, problem.cones, r, 1e-13, 1.2, 5000)


def by_semismooth_newton(problem, r):
    r[:], _, _ = newton(problem, r, 1.0, 1e1, 1e-12, 60)


def by_proximal_points(problem, r):
    sigma = 10.0
    for _ in range(60):
        r[:], _, sigma = proximal_point.step(problem, r, sigma, 1e-12)


def by_elimination(problem, r):
    assert solver_strategy._without_free_rows(problem, r, 1e-12, 100).solved


def by_rounds(problem, r):
    assert solver_strategy._in_rounds(problem, r, 1e-12, 100).solved


def by_body_strategy(problem, r):
    assert body_strategy.solve(problem, r, 1e-12, 10).solved


METHODS = [by_dense_newton, by_sweeps, by_semismooth_newton, by_proximal_points, by_elimination, by_rounds]


OF_BODIES = [by_sweeps, by_body_strategy]


@pytest.mark.parametrize(
    ("operator", "method"), [("matrix", each) for each in METHODS] + [("bodies", each) for each in OF_BODIES]
)
def test_every_method_solves_a_mechanism(operator, method):
    problem = scaled(operator)
    r = np.zeros(len(problem.q))
    assert problem.residual(r, problem.rates(r)) > 0.1
    method(problem, r)
    assert problem.residual(r, problem.rates(r)) < TIGHT


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_and_its_motor_may_be_one_block(method):
    problem = scaled("matrix", 5, (8, 4, 4, 1))
    assert problem.sets.parent[-2:].tolist() == [FREE, INTERVAL]
    problem.block = np.delete(problem.block, -2)
    problem.W = Delassus(full_rows(problem.W.dense))
    r = np.zeros(len(problem.q))
    method(problem, r)
    assert problem.residual(r, problem.rates(r)) < TIGHT


@pytest.mark.parametrize("operator", ["matrix", "bodies"])
def test_newtons_sparse_matrix_takes_joints_and_motors(operator):
    problem = scaled(operator, 1, (90, 60, 60, 20))
    r = np.zeros(len(problem.q))
    problem.W.sweep(problem.q, problem.cones, r, 1e-4, 1.2, 100)
    before = problem.residual(r, problem.rates(r))
    if operator == "matrix":
        assert problem.W.dense is None
        by_semismooth_newton(problem, r)
    else:
        graph = problem.W.graph
        compiled = BodyProblem(problem.W.rows, problem.q, *problem.cones)
        newton_bodies(compiled, graph.elimination, graph.factor, r, 1e-12, BodySteps(60, 10, 2.0))
    assert problem.residual(r, problem.rates(r)) < TIGHT < before


@pytest.mark.parametrize("size", [(8, 5, 5, 4), (40, 20, 30, 6)])
def test_operators_agree_on_joints(size):
    matrix, bodies = scaled("matrix", 3, size), scaled("bodies", 3, size)
    rng = np.random.default_rng(0)
    r = rng.normal(size=len(matrix.q))
    unit = np.where(matrix.sets.parent == INTERVAL, bodies.q[0] / matrix.q[0], 1.0)
    assert bodies.sets.radius == pytest.approx(matrix.sets.radius * unit, rel=1e-12)
    assert bodies.W @ r == pytest.approx(matrix.W @ r, abs=1e-11)
    whole = np.repeat(
        rng.uniform(size=len(matrix.block) - 1) < 0.3, np.diff(np.r_[matrix.sets.row, len(r)][matrix.block])
    )
    chosen = np.flatnonzero(whole)
    assert bodies.W.part(chosen) @ r[chosen] == pytest.approx(matrix.W.part(chosen) @ r[chosen], abs=1e-11)


def test_the_operator_without_free_rows_is_that_of_dense_algebra():
    problem = scaled("matrix")
    others = Eliminated(problem)
    W, F, C = problem.W.dense, others.free, others.rows
    held = W[np.ix_(C, F)] @ np.linalg.pinv(W[np.ix_(F, F)], rcond=1e-11) @ W[np.ix_(F, C)]
    expected = (W[np.ix_(C, C)] - held) / others.scale[:, None] / others.scale
    r = np.random.default_rng(0).normal(size=len(problem.q))
    u = others.solve_free(r)
    assert np.abs(u[F]).max() < 1e-12
    part = others.problem(r, u)
    assert part.W.dense == pytest.approx(expected, abs=1e-7)
    assert part.rates(r[C] * others.scale) == pytest.approx(u[C] / others.scale, abs=1e-10)


def chain(links, every, seed=0):
    """Links on pins, with contact of every few with the ground."""
    rng = np.random.default_rng(seed)
    M = sparse.block_diag([sparse.coo_array(np.diag([1.0, 1.0, 1.0, 0.01, 0.09, 0.09]))] * links)
    axes = [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]]

    def point(lever):
        x, y, z = lever
        return np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]])

    G = sparse.lil_array((6 * links, 5 * (links - 1)))
    for k in range(links - 1):
        rows = slice(5 * k, 5 * k + 5)
        G[6 * k : 6 * k + 6, rows] = -np.vstack([point([0.5, 0, 0]), axes]).T
        G[6 * k + 6 : 6 * k + 12, rows] = np.vstack([point([-0.5, 0, 0]), axes]).T
    ground = range(0, links, every)
    H = sparse.lil_array((6 * links, 3 * len(ground)))
    for j, k in enumerate(ground):
        H[6 * k : 6 * k + 6, 3 * j : 3 * j + 3] = point([0.2, 0, -0.05])[[2, 0, 1]].T
    v = 0.3 * rng.normal(size=6 * links)
    return ContactProblem.from_global(
        M, H, M @ v, np.zeros(H.shape[1]), np.full(len(ground), 0.5), G=G, b=np.zeros(G.shape[1])
    )


def test_a_chain_of_a_thousand_rows_is_solved():
    """201 links like a stiff beam: the least eigenvalue of W is 1e-9."""
    problem = chain(201, 4)
    assert problem.bilateral == 1000
    solution = solve(problem, tol=TIGHT)
    assert solution.status.ok
    assert solution.sweeps < 500
    assert solution.newton < 50
    assert np.count_nonzero(solution.impulses[:, 0] > 0.0) > 10


def test_the_memory_of_an_elimination_serves_the_next_problem():
    """Other rates on the same pattern, with the analysis of the first."""
    problem = scaled("matrix", 2)
    for factor in (1.0, -0.7):
        problem.q *= factor
        r = np.zeros(len(problem.q))
        by_elimination(problem, r)
        assert problem.residual(r, problem.rates(r)) < TIGHT


@pytest.mark.parametrize(
    ("contacts", "joints", "eliminated"), [(1, 0, False), (40, 1, True), (60, 1, False), (60, 25, True)]
)
def test_free_rows_are_eliminated_where_there_are_few_others(contacts, joints, eliminated):
    problem = mechanism(np.random.default_rng(0), 40, contacts, joints).problem
    assert can_eliminate(_Island(problem, np.arange(len(problem.block_rows))).problem) is eliminated
    assert solve(problem).status.ok


def test_a_solution_is_a_start_for_the_same_problem():
    problem = mechanism(np.random.default_rng(4), 5, 3, 3, 4).problem
    solution = solve(problem)
    again = solve(problem, tol=1e-6, warm_start=solution.multipliers)
    assert again.newton + again.proximal + again.sweeps == 0
    assert np.array_equal(problem.velocities(solution.multipliers)[-len(solution.slip) :], solution.slip)
    with pytest.raises(ValueError, match=r"warm_start: has shape \(3, 3\), must be impulses \(\d+,\)"):
        solve(problem, warm_start=solution.impulses)


def test_joints_between_contacts_make_one_island():
    """Two contacts that nothing couples but a joint, and a motor elsewhere."""
    G = np.zeros((8, 8))
    G[:3, :3], G[3:6, 3:6], G[6, 0], G[6, 3], G[7, 7] = np.eye(3), np.eye(3), 1.0, -1.0, 1.0
    q = G @ [-1.0, 0.2, 0.0, 0.5, 0.1, 0.0, 0.0, 2.0]
    solution = solve(ContactProblem(G @ G.T, q, [0.3, 0.3], bilateral=1, bounds=[0.5]), tol=1e-12)
    assert solution.islands == 2
    assert solution.bounded == pytest.approx([-0.5], abs=1e-12)
    assert solution.impulses[:, 0] @ [1.0, -1.0] + 2.0 * solution.reactions[0] == pytest.approx(
        1.5, abs=1e-11
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bilateral": -1}, "bilateral = -1"),
        ({"bilateral": 1.5}, "bilateral = 1.5"),
        ({"bilateral": 3}, "q: has 4 entries, must have 5 or 6.*, and 3 of bilateral and bounds"),
        ({"bounds": [-1.0]}, r"bounds\[0\] = -1: must be >= 0"),
        ({"bounds": [np.nan]}, "bounds: entry 0 is nan"),
        ({"bounds": [1.0], "bound_rows": [4]}, r"bound_rows = \[4\]: must be 1 to 3"),
        ({"bounds": [1.0], "bound_rows": [1, 1]}, r"bound_rows: has shape \(2,\), must be \(1,\) as bounds"),
        ({"bounds": [1.0], "bound_rows": [0.5]}, "bound_rows = "),
    ],
)
def test_wrong_rows_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        ContactProblem(np.eye(4), np.ones(4), [0.5], **arguments)


def test_joints_need_both_their_matrix_and_their_rates():
    with pytest.raises(ValueError, match="G, b: the one is given without the other"):
        ContactProblem.from_global(np.eye(3), np.eye(3), np.zeros(3), np.zeros(3), [0.5], G=np.eye(3))
