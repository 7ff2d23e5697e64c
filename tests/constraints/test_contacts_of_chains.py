"""The unformed operator of jointed bodies' contacts agrees with the matrix."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import Gear, Revolute, Rigid, SpherePlane, SphereSphere, Spherical
from nsgalpha.constraints.joint_factor import solve_mechanism
from nsgalpha.constraints.jointed_delassus import subtract_joint_response
from nsgalpha.contact import friction_cone, solver_strategy
from nsgalpha.contact.delassus_interface import Analysis
from nsgalpha.contact.islands import jointed_contacts
from nsgalpha.contact.islands.islands import closed_rows, island_problem
from nsgalpha.contact.islands.large_island import LargeIsland
from nsgalpha.contact.multiplier_sets import restrict
from nsgalpha.jit.addresses import named
from tests.kernel_calls import measure_joints, measured_candidates
from verification.benchmarks.chains import falling
from verification.mechanisms.rows import violation

TIGHT = 1e-12


def tangled(links=9):
    """Two touching chains of balls on a floor, with hinges, gears and a weld."""
    model = ns.Model(gravity=(0, 0, -10))
    chains = []
    for side in range(2):
        balls = [
            model.add_sphere(
                radius=0.05,
                mass=0.1 + 0.01 * k,
                position=(0.1 * k, 0.1 * side, 0.05 + 1e-3 * (-1) ** k),
            )
            for k in range(links)
        ]
        chains.append(balls)
        hinges = [
            model.add(Revolute(one, two, point=0.5 * (one.position + two.position), axis=(0.6, 0.8, 0)))
            if k % 3 == 0
            else model.add(Spherical(one, two, point=0.5 * (one.position + two.position)))
            for k, (one, two) in enumerate(pairwise(balls))
        ]
        model.add(Gear(hinges[0], hinges[3], ratio=-2.0))
    model.add(Rigid(chains[0][-1], chains[0][-2], point=(0, 0, 0)))
    model.add(SphereSphere(between=(chains[0], chains[1]), mu=0.4))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    return model


def island(model, known=None):
    """The large island of all candidates of `model`, and its dense operator on the same scale."""
    system, motion, candidates = measured_candidates(model)
    measure_joints(system, motion)
    closed = np.flatnonzero(candidates.gap < 0.02)
    rows = closed_rows(closed, candidates, system.laws, system.bodies, system.work)
    assert len(rows.island) == 2
    found = LargeIsland(system.bodies, system.work, rows, 0, len(closed), known)
    dense = island_problem(rows, system.bodies, 0, len(closed))
    ratio = dense.scale / found.scale
    return found, dense.W * ratio * ratio[:, None]


@pytest.fixture(scope="module")
def of_tangle():
    return island(tangled())


@pytest.fixture
def both(of_tangle):
    """An island and its operator (n, n) as a matrix, and random numbers."""
    found, W = of_tangle
    return found.problem, W, np.random.default_rng(0)


def test_four_answers_at_a_time_are_those_of_one_each_to_the_bit():
    system, motion, candidates = measured_candidates(tangled())
    measure_joints(system, motion)
    closed, joints = np.flatnonzero(candidates.gap < 0.02), system.joints
    rows = closed_rows(closed, candidates, system.laws, system.bodies, system.work)
    body, G, number = rows.body[np.repeat(np.arange(len(closed)), np.diff(rows.row))], rows.G, joints.number
    pattern, factor = named(joints.pattern), named(joints.factor)
    W = 100.0 * np.eye(len(G))  # joints hold none of these rows
    expected = W.copy()
    subtract_joint_response(joints, rows, np.arange(len(closed)), rows.row, W)
    for i, own in enumerate(body):
        for m in dict.fromkeys(number[own][number[own] >= 0]):
            V, x = np.zeros((len(number), 6)), np.zeros(len(joints.rows.g))
            V[own[number[own] == m]] = rows.MG[i, number[own] == m]
            for r, j in enumerate(np.repeat(np.arange(len(joints.table.body)), np.diff(joints.table.row))):
                x[r] = sum((joints.rows.G[r] * V[joints.table.body[j]]).ravel().tolist())
            solve_mechanism(pattern, joints.rows.G, joints.rows.MG, factor, m, x)
            moved = np.where((number == m)[:, None], joints.factor.velocity, 0.0)
            products = G[:, 0] * moved[body[:, 0]] + G[:, 1] * moved[body[:, 1]]
            expected[i] -= [sum(each) for each in products.tolist()]
    assert len(G) > 40
    assert np.array_equal(W, expected)


def test_products_agree(both):
    problem, W, rng = both
    r = rng.normal(size=len(W))
    assert np.abs(W).max() > 0.1
    assert problem.W @ r == pytest.approx(W @ r, abs=TIGHT)


def test_inverses_agree(both):
    problem, W, rng = both
    y, z = rng.normal(size=(2, len(W)))
    blocks = problem.function(friction_cone.ROOT, y, 10.0, 0.9)
    T = np.zeros_like(W)
    for k, block in enumerate(blocks):
        rows = np.arange(problem.sets.row[problem.block[k]], len(W))[:3]
        T[np.ix_(rows, rows)] = block[:3, :3]
    expected = np.linalg.solve(np.eye(len(W)) + T @ W @ T, z)
    assert problem.W.inverse(blocks, problem.cones, Analysis())(z) == pytest.approx(expected, abs=1e-10)


def test_parts_agree(both):
    problem, W, rng = both
    chosen = np.flatnonzero(np.repeat(rng.uniform(size=len(W) // 3) < 0.4, 3))
    r = rng.normal(size=len(chosen))
    part = problem.W.part(chosen)
    own = W[np.ix_(chosen, chosen)]
    assert part @ r == pytest.approx(own @ r, abs=TIGHT)
    active = np.isin(np.arange(len(W))[::3], chosen)
    sets, block, _ = restrict(problem.sets, problem.block, active, len(r) // 3, np.empty(len(W), int))
    T = np.zeros((len(r) // 3, 6, 6))
    T[:] = 2.0 * np.eye(6)
    expected = np.linalg.solve(np.eye(len(r)) + 4.0 * own, r)
    assert part.inverse(T, (sets, block), Analysis())(r) == pytest.approx(expected, abs=1e-10)


def test_sweeps_and_newton_find_the_same(both):
    problem, W, rng = both
    problem.q = -W @ rng.uniform(size=len(W)) + 0.1 * rng.normal(size=len(W))
    size = np.abs(problem.q).max()
    r = np.zeros(len(W))
    before = problem.residual(r, problem.rates(r))
    problem.W.sweep(problem.q, problem.cones, r, 1e-10, 1.0, 200)
    assert problem.residual(r, problem.rates(r)) < 0.1 * before
    outcome = solver_strategy.solve(problem, r, 1e-10 * size)
    assert outcome.solved
    assert problem.residual(r, W @ r + problem.q) <= 2e-10 * size


def chain(balls, e_n=0.0, velocity=(0, 0, 0), z=0.0505, welded=False):
    model = ns.Model(gravity=(0, 0, -10))
    row = [
        model.add_sphere(radius=0.05, mass=0.1 * (1 + k % 3), position=(0.12 * k, 0, z), velocity=velocity)
        for k in range(balls)
    ]
    for one, two in pairwise(row):
        model.add(Spherical(one, two, point=0.5 * (one.position + two.position)))
    if welded:
        place = row[0].position - (0.1, 0, 0)
        row.append(model.add_sphere(radius=0.05, mass=0.1, position=place, velocity=velocity))
        model.add(Rigid(row[0], row[-1], point=place))
        model.add(SphereSphere(pairs=[(row[0], row[-1])], mu=0.4))
    model.add(SpherePlane(row, model.add_plane(normal=(0, 0, 1)), mu=0.3, e_n=e_n))
    return model


@property
def as_matrix(operator):
    return np.array([operator @ row for row in np.eye(operator.rows.shape[1])]).T


def test_a_sliding_chain_moves_as_with_a_matrix(monkeypatch):
    """Two of its balls touch and are welded, so that their load is shared arbitrarily."""
    runs = []
    for dense in (None, as_matrix):
        monkeypatch.setattr(jointed_contacts.JointedOperator, "dense", dense)
        model = chain(36, velocity=(0.5, 0.3, -0.2), welded=True)
        runs.append(ns.simulate(model, t_end=0.04, h=2e-3))
    through, with_matrix = runs
    assert with_matrix.status.ok
    assert through.status.ok
    assert with_matrix.stats.contacts.max() == 38
    assert np.ptp(with_matrix.velocity[-1, :, 1]) > 1e-2
    assert through.velocity == pytest.approx(with_matrix.velocity, abs=1e-8)
    points = slice(3 * 35)
    assert through.joints[:, points] == pytest.approx(with_matrix.joints[:, points], abs=1e-6)
    for result in runs:
        g, rate = violation(result)
        assert g < 1e-12
        assert rate < 1e-12


@pytest.mark.parametrize("balls", [30, 70])
def test_a_large_impact_of_a_chain_is_that_of_its_balls(balls):
    """All strike at once and stop sliding: the normal velocity is reversed."""
    result = ns.simulate(chain(balls, e_n=1.0, velocity=(0.5, 0, -2), z=0.051), t_end=2e-3, h=2e-3)
    assert result.status.ok
    assert result.stats.sub_impacts.max() == 1
    assert np.abs(result.velocity[-1] - (0.0, 0.0, 2.0)).max() < 0.03


def test_a_chain_gains_energy_between_impacts_by_the_second_order_of_the_scheme_alone():
    """One end strikes the floor at 14 ms and lies there, the next at 39 ms."""
    gained = []
    for h, tol in ((1e-3, 1e-10), (1e-3, 1e-12), (5e-4, 1e-10)):
        result = ns.simulate(falling(40), t_end=0.03, h=h, tol=tol)
        begin = round(0.02 / h)
        assert not result.stats.sub_impacts[begin:].any()
        assert result.stats.contacts[begin:].all()
        gained.append(result.energy()[-1] - result.energy()[begin])
    assert gained[1] == pytest.approx(gained[0], rel=1e-4)
    assert gained[0] / gained[2] == pytest.approx(4.0, abs=0.3)
