"""Contacts of free bodies: block LU, Newton's method, the interior point method, and their strategy."""

from pathlib import Path

import numpy as np
import pytest
from definition import natural_map
from definition import residual as residual_by_definition
from problems import LAWS
from test_operators import both

from nsgalpha.contact import ContactProblem, body_strategy, solver_strategy
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph
from nsgalpha.contact.body_rows import BodyRows, own_blocks
from nsgalpha.contact.islands import large_island
from nsgalpha.contact.methods import interior_point as interior
from nsgalpha.contact.methods.block_factor import assemble, block_pattern, empty_factor, factorise, substitute
from nsgalpha.contact.methods.body_newton import BodyProblem, BodySteps, newton_bodies, solve_condensed
from nsgalpha.contact.methods.conjugate_gradients import solve_gradients
from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE, Sets
from nsgalpha.contact.scaled_problem import ScaledProblem

TIGHT = 1e-10
GENERAL = 100  # rounds of the other strategy


def free(rows, size, seed=0):
    """Two scaled problems of the same contacts: with W as a matrix, and through the bodies."""
    problem, bodies, rng = both(rows, size, seed)
    return problem, ScaledProblem(bodies, problem.q, *problem.cones), rng


def compiled(problem):
    return BodyProblem(problem.W.rows, problem.q, *problem.cones)


def wide(graph, H):
    """H (n, N m)."""
    out = np.zeros((len(H), graph.count, graph.size))
    of_row = np.repeat(graph.body, np.diff(graph.row), axis=0)
    for side in range(2):
        moving = of_row[:, side] != FIXED
        out[np.flatnonzero(moving), of_row[moving, side]] += H[moving, side]
    return out.reshape(len(H), -1)


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize(("bodies", "contacts"), [(1, 2), (5, 8), (60, 110)])
def test_the_block_factor_solves_as_dense_algebra(size, bodies, contacts):
    """Unsymmetric blocks, open contacts, contacts with fixed things and with an own image."""
    rng = np.random.default_rng(contacts)
    body = rng.integers(0, bodies, (contacts, 2))
    body[rng.uniform(size=contacts) < 0.2, 1] = FIXED
    graph = Graph(body, 3 * np.arange(contacts + 1), size)
    H = rng.normal(size=(3 * contacts, 2, size))
    A = np.zeros((contacts, 6, 6))
    A[:, :3, :3] = 2.0 * np.eye(3) + 0.3 * rng.normal(size=(contacts, 3, 3))
    A[::3] = 0.0
    rows, pattern = (
        BodyRows(graph.body, graph.row, H, own_blocks(graph.body, graph.row, H)),
        graph.elimination,
    )
    factor, V = empty_factor(pattern, size), rng.normal(size=(graph.count, size))
    x = V.copy()
    assemble(rows, pattern, A, factor)
    assert factorise(pattern, factor)
    substitute(pattern, factor, x)
    G = wide(graph, H)
    B = np.eye(G.shape[1]) + sum(
        G[3 * k : 3 * k + 3].T @ A[k, :3, :3] @ G[3 * k : 3 * k + 3] for k in range(contacts)
    )
    assert x.ravel() == pytest.approx(np.linalg.solve(B, V.ravel()), abs=1e-10)
    assert contacts < 100 or factor.filled.sum() < len(factor.filled)  # open contacts are passed over


def test_a_singular_block_is_noticed():
    graph = Graph(np.array([[0, FIXED]]), np.array([0, 1]), 3)
    rows = BodyRows(graph.body, graph.row, np.array([[[1.0, 0, 0], [0, 0, 0]]]), np.zeros((1, 6, 6)))
    A, factor = np.zeros((1, 6, 6)), empty_factor(graph.elimination, 3)
    A[0, 0, 0] = -1.0
    assemble(rows, graph.elimination, A, factor)
    assert not factorise(graph.elimination, factor)


def test_a_chain_is_eliminated_without_fill():
    body = np.column_stack([np.arange(99), np.arange(1, 100)])
    assert len(block_pattern(body[np.random.default_rng(0).permutation(99)], 100).row) == 99


@pytest.mark.parametrize(("rows", "size"), [(2, 3), (3, 6), (4, 6), (5, 6), (6, 6)])
def test_a_step_of_newtons_method_is_that_of_the_rows(rows, size):
    """Against the matrix by differences; the proximal term is 1e-8 of the diagonal at least."""
    problem, through, rng = free(rows, size)
    r = np.zeros(len(problem.q))
    assert body_strategy.solve(through, r, 1e-12, 20).solved
    r += 1e-5 * rng.normal(size=len(r))  # no kink is crossed

    def natural_map(r):
        return r - problem.project(r - problem.shifted(problem.rates(r)))

    steps = 1e-8 * np.eye(len(r))
    J = np.column_stack([(natural_map(r + s) - natural_map(r - s)) / 2e-8 for s in steps])
    found, graph = r.copy(), through.W.graph
    newton_bodies(compiled(through), graph.elimination, graph.factor, found, 1e-30, BodySteps(1, 10, 2.0))
    assert np.abs(found - r).max() > 1e-6
    F = natural_map(r)
    assert np.abs(F + J @ (found - r)).max() < 1e-2 * np.abs(F).max()


@pytest.mark.parametrize(("rows", "size"), [(2, 3), (3, 6), (3, 3), (4, 6), (5, 6), (6, 6)])
@pytest.mark.parametrize("seed", range(4))
def test_the_solution_is_that_of_the_other_methods(rows, size, seed):
    """Rates, unique for little friction, agree; the residual is that of the definition."""
    problem, through, _ = free(rows, size, seed)
    for part in (problem, through):
        part.sets.radius[:] *= 0.2
    found, expected = np.zeros((2, len(problem.q)))
    assert body_strategy.solve(through, found, TIGHT, 12).solved
    assert solver_strategy.solve(problem, expected, TIGHT, GENERAL).solved
    assert problem.residual(found, problem.rates(found)) <= 1.1 * TIGHT
    assert through.rates(found) == pytest.approx(problem.rates(expected), abs=1e-7)


def test_the_residual_of_a_solution_is_that_of_the_definition():
    problem, through, _ = free(3, 6, 7)
    r = np.zeros(len(problem.q))
    assert body_strategy.solve(through, r, TIGHT, 12).solved
    plain = ContactProblem(problem.W.matrix, problem.q, problem.sets.radius[1::2])
    assert residual_by_definition(plain, r.reshape(-1, 3)) < 1e-9
    assert residual_by_definition(plain, 1.001 * r.reshape(-1, 3)) > 1e-5


def inside(rng, count):
    """Points (count, 3) inside the second-order cone."""
    y = rng.uniform(-0.9, 0.9, (count, 3))
    y[:, 0] = rng.uniform(1.5, 3.0, count)
    return y


def product(a, b):
    """Of the Jordan algebra of the second-order cone."""
    return np.r_[a @ b, a[0] * b[1:] + b[0] * a[1:]]


def test_the_scaling_takes_one_point_to_the_other():
    rng = np.random.default_rng(0)
    for x, z in zip(inside(rng, 20), inside(rng, 20), strict=True):
        theta = np.empty((3, 3, 3))
        interior._scaling(x, z, theta)
        W, inverse, square = theta
        assert W @ inverse == pytest.approx(np.eye(3), abs=1e-12)
        assert W @ z == pytest.approx(inverse @ x, abs=1e-12)
        assert square @ z == pytest.approx(x, abs=1e-12)


def test_the_longest_step_ends_at_the_boundary():
    rng = np.random.default_rng(0)
    for x in inside(rng, 50):
        d = rng.normal(size=3)
        t = interior._longest(x, d)
        end = x + t * d
        assert t == interior.FARTHEST or end[0] == pytest.approx(np.hypot(*end[1:]), abs=1e-9)
        near = x + 0.999 * t * d
        assert near[0] > np.hypot(*near[1:])


def test_the_corrector_is_the_product_of_the_scaled_steps():
    rng = np.random.default_rng(0)
    x, z = inside(rng, 20), inside(rng, 20)
    corrector, dx, dz = rng.normal(size=(3, 20, 3))
    theta = np.empty((20, 3, 3, 3))
    for k in range(20):
        interior._scaling(x[k], z[k], theta[k])
    interior._correct(np.ones(20), theta, z, dx, dz, corrector)
    for k in range(20):
        W, inverse, _ = theta[k]
        expected = product(inverse @ dx[k], W @ dz[k])
        assert product(W @ z[k], inverse @ corrector[k]) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("rows", "size"), [(1, 3), (3, 6), (4, 6), (5, 6), (6, 6)])
def test_a_step_of_the_interior_point_method_solves_its_linear_system(rows, size):
    """`dx + Theta dz = c` of all balls, and the sums of z at rates ahead, by differences of the shift."""
    _, through, rng = free(max(rows, 2), size)
    problem, graph, sets, block = compiled(through), through.W.graph, through.sets, through.block
    if rows == 1:
        sets.radius[1:] *= sets.parent[1:] < 0  # no friction: a half line each
    radius, S, n = interior.cone_radii(sets, block), len(sets.row), len(through.q)
    balls = np.flatnonzero(radius)
    assert len(balls) == (len(block) - 1) * max(LAWS[rows].count(True) + 1 if rows > 1 else 1, 1)
    x, z, theta = np.zeros((S, 3)), np.zeros((S, 3)), np.zeros((S, 3, 3, 3))
    r, u = rng.normal(size=(2, n))
    own = np.where(sets.parent < 0, sets.row, sets.parent)
    r[own] = 10.0
    for s in balls:
        width = sets.size[s] if sets.parent[s] >= 0 else 0
        x[s, 0], x[s, 1 : 1 + width] = radius[s] * r[own[s]], 0.1 * radius[s] * r[sets.row[s] :][:width]
        z[s] = inside(rng, 1)[0] * (np.arange(3) <= width)
        interior._scaling(x[s], z[s], theta[s])
    A, (g, d, du), (c, dx, dz) = np.zeros((len(block) - 1, 6, 6)), np.empty((3, n)), np.zeros((3, S, 3))
    c[balls] = rng.normal(size=(len(balls), 3)) * (x[balls] != 0.0)
    interior.linearise(problem, radius, theta, u, 1.0, A)
    assemble(problem.rows, graph.elimination, A, graph.factor)
    assert factorise(graph.elimination, graph.factor)
    interior.right_side(problem, radius, theta, u, z, c, g)
    V = np.empty((graph.count, size))
    solve_condensed(problem.rows, graph.elimination, A, g, graph.factor, V, du, d)
    interior.move_cones(problem, radius, theta, (u, du, d), c, z, (dx, dz))
    assert through.W @ d == pytest.approx(du, abs=1e-8)
    left = dx + np.einsum("sij,sj->si", theta[:, 2], dz)
    assert left[balls] == pytest.approx(c[balls], abs=1e-8)
    shift = (through.shifted(u + 1e-6 * du) - through.shifted(u - 1e-6 * du)) / 2e-6 + through.shifted(u)
    for s in balls:
        width = sets.size[s] if sets.parent[s] >= 0 else 0
        rows_of = slice(sets.row[s], sets.row[s] + width)
        assert dx[s, 0] == pytest.approx(radius[s] * d[own[s]])
        assert dx[s, 1 : 1 + width] == pytest.approx(d[rows_of])
        assert (z + dz)[s, 1 : 1 + width] == pytest.approx(radius[s] * (u + du)[rows_of], abs=1e-9)
    for k in range(len(block) - 1):
        total = (z + dz)[block[k] : block[k + 1], 0][radius[block[k] : block[k + 1]] > 0.0].sum()
        assert total == pytest.approx(shift[sets.row[block[k]]], abs=1e-5)


@pytest.mark.parametrize(("rows", "size"), [(2, 6), (3, 3), (3, 6), (4, 6), (5, 6), (6, 6)])
@pytest.mark.parametrize("start", [0.0, 0.1])
def test_the_interior_point_method_comes_near_from_anywhere(start, rows, size):
    for seed in range(5):
        _, through, rng = free(rows, size, seed)
        graph, largest = through.W.graph, np.abs(through.q).max()
        r = through.project(rng.normal(size=len(through.q)))
        problem = compiled(through)
        steps, residual = interior.interior_point(
            problem, graph.elimination, graph.factor, start, r, 1e-3 * largest, 40
        )
        assert steps < 40
        assert residual == pytest.approx(through.residual(r, through.rates(r)))
        assert residual <= 1e-3 * largest


def test_contacts_without_friction_among_others_have_a_half_line():
    _, through, _ = free(3, 6)
    through.sets.radius[1::4] = 0.0
    r = np.zeros(len(through.q))
    assert body_strategy.solve(through, r, TIGHT, 12).solved
    assert not r.reshape(-1, 3)[::2, 1:].any()
    assert r.reshape(-1, 3)[::2, 0].any()


def test_joints_have_no_interior():
    _, through, _ = free(6, 6)
    assert interior.has_interior(through.sets)
    through.sets.parent[3] = FREE
    assert not interior.has_interior(through.sets)


def test_the_best_point_is_kept_where_rounds_are_few():
    _, through, _ = free(6, 6)
    r = np.zeros(len(through.q))
    before = through.residual(r, through.rates(r))
    outcome = body_strategy.solve(through, r, TIGHT, 0)
    assert not outcome.solved
    assert outcome.residual == pytest.approx(through.residual(r, through.rates(r)))
    assert TIGHT < outcome.residual < before


def test_a_jam_is_swept_until_it_is_acceptable():
    _, through, _ = free(3, 6)
    r = np.zeros(len(through.q))
    outcome = body_strategy.settle(through, r, 1e-9, 1e-2)
    assert outcome.newton == 0 < outcome.sweeps
    assert outcome.residual == pytest.approx(through.residual(r, through.rates(r)))
    assert outcome.residual <= 1e-2
    assert isinstance(through.W, BodyOperator)


def test_another_attempt_at_a_jam_is_due_at_some_steps(monkeypatch):
    """Their number follows from the cost, and says which they are."""
    _, through, _ = free(3, 6)
    contacts = len(through.block) - 1
    monkeypatch.setattr(large_island, "JAMMED", (1, 1))
    monkeypatch.setattr(large_island, "RETRY", (20, through.W.graph.products / (7 * contacts)))
    solved = []
    for step in range(15):
        through.carried.unsolved, through.carried.step = True, step
        r, scale = np.zeros(len(through.q)), np.ones(len(through.q))
        solved.append(large_island.solve_relative(through, scale, r, TIGHT, 0.0).newton > 0)
    assert np.flatnonzero(solved).tolist() == [0, 7, 14]


def boxes():
    """Scaled problem of 29 contacts of boxes in a pile, and a start."""
    known = np.load(Path(__file__).parent / "data" / "boxes_29.npz")
    count = len(known["radius"])
    graph = Graph(known["body"], 3 * np.arange(count + 1), 6)
    normal = 3 * np.arange(count)
    sets = Sets(
        np.column_stack([normal, normal + 1]).ravel(),
        np.tile([1, 2], count),
        np.column_stack([np.full(count, HALF_LINE), normal]).ravel(),
        np.column_stack([np.zeros(count), known["radius"]]).ravel(),
        np.ones(2 * count),
    )
    through = BodyOperator(graph, known["H"])
    return ScaledProblem(through, known["q"], sets, 2 * np.arange(count + 1)), known["start"]


def test_an_almost_solved_problem_of_faces_is_solved_by_more_steps():
    """With two rounds alone it ends above the tolerance; the solution is one by definition."""
    through, start = boxes()
    size = np.abs(through.q).max()
    few, r = start.copy(), start.copy()
    assert not body_strategy.solve(through, few, 0.3 * TIGHT * size, body_strategy.FIRST_ROUNDS).solved
    assert through.residual(few, through.rates(few)) < body_strategy.ADEQUATE * size
    assert body_strategy.solve(through, r, 0.3 * TIGHT * size, body_strategy.FIRST_ROUNDS + 1).solved
    G, radii = wide(through.W.graph, through.W.H), through.sets.radius[1::2, None]
    assert np.linalg.matrix_rank(G) < len(G) - 40
    assert np.abs(natural_map(G @ G.T, through.q, radii, [slice(1, 3)], r)).max() <= 0.4 * TIGHT * size


def gaps(edge, seed=0):
    """Scaled gaps of a lattice of `edge`^3 balls, some of them open, on a plane."""
    rng, number = np.random.default_rng(seed), np.arange(edge**3).reshape((edge,) * 3)
    body = [
        np.stack([np.delete(number, 0, d).ravel(), np.delete(number, -1, d).ravel()], 1) for d in range(3)
    ]
    body = np.concatenate([*body, np.column_stack([number[:, :, 0].ravel(), np.full(edge**2, FIXED)])])
    n = rng.normal(size=(len(body), 3))
    H = np.stack([n, -n], axis=1) / np.linalg.norm(n, axis=1)[:, None, None] / np.sqrt(2.0)
    H[body[:, 1] == FIXED, 1], count = 0.0, len(body)
    H[body[:, 1] == FIXED] *= np.sqrt(2.0)
    W, one = BodyOperator(Graph(body, np.arange(count + 1), 3), H), np.ones(count)
    sets = Sets(np.arange(count), one.astype(int), np.full(count, HALF_LINE), 0.0 * one, one)
    return ScaledProblem(W, rng.normal(size=count) - 0.5, sets, np.arange(count + 1))


def test_conjugate_gradients_take_the_step_of_the_factor():
    problem = gaps(5)
    graph, n, rng = problem.W.graph, len(problem.q), np.random.default_rng(1)
    A, g, work = np.zeros((n, 6, 6)), rng.normal(size=n), np.empty((3, n))
    A[:, 0, 0] = np.where(rng.uniform(size=n) < 0.3, 0.0, 100.0)
    V, du, expected, d = np.empty((graph.count, 3)), *np.empty((3, n))
    assemble(problem.W.rows, graph.elimination, A, graph.factor)
    assert factorise(graph.elimination, graph.factor)
    solve_condensed(problem.W.rows, graph.elimination, A, g, graph.factor, V, du, expected)
    assert solve_gradients(problem.W.rows, A, g, 1e-12, 500, work, V, d)
    assert d == pytest.approx(expected, abs=1e-9)
    assert not solve_gradients(problem.W.rows, A, g, 1e-12, 3, work, V, d)


@pytest.mark.parametrize("edge", [4, 9])
def test_gaps_of_many_bodies_are_solved_as_those_of_few(edge):
    """By factors of few, by conjugate gradients of many, whose factor would cost more."""
    problem = gaps(edge)
    graph, r = problem.W.graph, np.zeros(len(problem.q))
    graph.factor.pivot[:] = np.nan
    assert body_strategy.solve(problem, r, 1e-9, 4).solved
    assert np.isnan(graph.factor.pivot).all() == (edge == 9)
    assert problem.residual(r, problem.rates(r)) <= 1e-9
    assert 0.2 < np.mean(r > 0.0) < 0.9
