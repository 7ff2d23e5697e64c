"""Contacts of free bodies: block LU, Newton's method, the interior point method, and their strategy."""

import numpy as np
import pytest
from definition import residual as residual_by_definition
from problems import LAWS
from test_operators import both

from nsgalpha.contact import ContactProblem, body_strategy, solver_strategy
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph
from nsgalpha.contact.body_rows import BodyRows, own_blocks
from nsgalpha.contact.methods import interior_point as interior
from nsgalpha.contact.methods.block_factor import assemble, block_pattern, empty_factor, factorise, substitute
from nsgalpha.contact.methods.body_newton import BodyProblem, newton_bodies
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
    """Unsymmetric blocks, contacts that are open, with fixed things, and of a body with its own image."""
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
    newton_bodies(compiled(through), graph.elimination, graph.factor, found, 1e-30, 1)
    assert np.abs(found - r).max() > 1e-6
    F = natural_map(r)
    assert np.abs(F + J @ (found - r)).max() < 1e-2 * np.abs(F).max()


@pytest.mark.parametrize(("rows", "size"), [(2, 3), (3, 6), (3, 3), (4, 6), (5, 6), (6, 6)])
@pytest.mark.parametrize("seed", range(4))
def test_the_solution_is_that_of_the_other_methods(rows, size, seed):
    """The rates agree, which are unique for little friction; the residual is computed by its definition."""
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


def cones(through, rng):
    """Points x, z (K, 3) inside the cones."""
    x, z = rng.uniform(1.5, 3.0, (2, len(through.block) - 1, 1)) * [1.0, 0.0, 0.0]
    x[:, 1:], z[:, 1:] = rng.uniform(-0.9, 0.9, (2, len(x), 2))
    return x, z


def test_the_scaling_takes_one_point_to_the_other():
    _, through, rng = free(3, 6)
    for x, z in zip(*cones(through, rng), strict=True):
        W, inverse = np.empty((2, 3, 3))
        interior._scaling(x, z, W, inverse)
        assert W @ inverse == pytest.approx(np.eye(3), abs=1e-12)
        assert W @ z == pytest.approx(inverse @ x, abs=1e-12)


def test_the_longest_step_ends_at_the_boundary():
    _, through, rng = free(3, 6)
    for x, _ in zip(*cones(through, rng), strict=True):
        d = rng.normal(size=3)
        t = interior._longest(x, d)
        end = x + t * d
        assert t == interior.FARTHEST or end[0] == pytest.approx(np.hypot(*end[1:]), abs=1e-9)
        inside = x + 0.999 * t * d
        assert inside[0] > np.hypot(*inside[1:])


def test_a_step_of_the_interior_point_method_solves_its_linear_system():
    """dx + Theta dz and dz by differences of z(u), for the centre of the path and Mehrotra's corrector."""
    _, through, rng = free(3, 6)
    problem, graph, K = compiled(through), through.W.graph, len(through.block) - 1
    x, z = cones(through, rng)
    rest, dx, dz, corrector = np.zeros((4, K, 3))
    scalings, A, n = np.empty((2, K, 3, 3)), np.zeros((K, 6, 6)), 3 * K
    mu = through.sets.radius[1::2]

    def slack(u):
        u = u.reshape(K, 3)
        return np.column_stack([u[:, 0] + mu * np.hypot(u[:, 1], u[:, 2]), mu[:, None] * u[:, 1:]])

    r = (x / np.column_stack([mu, np.ones((K, 2))])).ravel()
    u = through.rates(r)
    interior._linearise(problem, u, x, z, 1.0, rest, scalings, A)
    assert rest == pytest.approx(slack(u) - z, abs=1e-12)
    assemble(problem.rows, graph.elimination, A, graph.factor)
    assert factorise(graph.elimination, graph.factor)
    g, d, du = np.empty((3, n))
    corrector[:] = 0.1 * rng.normal(size=(K, 3))
    interior._right_side(problem, x, z, rest, corrector, scalings, 0.3, g)
    interior.solve_condensed(
        problem.rows, graph.elimination, A, g, graph.factor, np.empty((graph.count, 6)), du, d
    )
    interior._steps(problem, (u, du), d, (x, z), rest, 1.0, (dx, dz))
    assert through.W @ d == pytest.approx(du, abs=1e-9)
    assert dz == pytest.approx(slack(u) - z + (slack(u + 1e-6 * du) - slack(u - 1e-6 * du)) / 2e-6, abs=1e-6)
    theta = scalings[0] @ scalings[0]
    determinant = z[:, 0] ** 2 - z[:, 1] ** 2 - z[:, 2] ** 2
    inverse = z * [1.0, -1.0, -1.0] / determinant[:, None]
    left = dx + np.einsum("kij,kj->ki", theta, dz)
    assert left == pytest.approx(0.3 * inverse - x - corrector, abs=1e-9)


def test_the_corrector_is_the_product_of_the_scaled_steps():
    _, through, rng = free(3, 6)
    x, z = cones(through, rng)
    corrector, dx, dz = rng.normal(size=(3, len(x), 3))
    scalings = np.empty((2, len(x), 3, 3))

    def product(a, b):
        return np.r_[a @ b, a[0] * b[1:] + b[0] * a[1:]]

    for k in range(len(x)):
        interior._scaling(x[k], z[k], scalings[0, k], scalings[1, k])
    interior._correct(z, dx, dz, scalings, corrector)
    for k in range(len(x)):
        W, inverse = scalings[:, k]
        expected = product(inverse @ dx[k], W @ dz[k])
        assert product(W @ z[k], inverse @ corrector[k]) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("inside", [0.0, 0.1])
def test_the_interior_point_method_comes_near_from_anywhere(inside):
    for seed in range(5):
        _, through, rng = free(3, 6, seed)
        graph, size = through.W.graph, np.abs(through.q).max()
        r = through.project(rng.normal(size=len(through.q)))
        problem = compiled(through)
        steps, residual = interior.interior_point(
            problem, graph.elimination, graph.factor, inside, r, 1e-3 * size, 40
        )
        assert steps < 40
        assert residual == pytest.approx(through.residual(r, through.rates(r)))
        assert residual <= 1e-3 * size


@pytest.mark.parametrize(("rows", "sliding"), [(2, False), (3, True), (4, False), (5, False)])
def test_the_interior_point_method_is_for_sliding_alone(rows, sliding):
    _, through, _ = free(rows, 6)
    assert rows in LAWS
    assert interior.is_sliding(*through.cones) is sliding


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
