"""The operator of hard contacts between coupled bodies agrees with the matrix."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSphereSphere, ExudynNormal, RegularisedCoulomb, SpherePlane, SphereSphere
from nsgalpha.constraints.saddle_point import movable
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Analysis
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.schemes.generalized_alpha import correction_operators
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha

H, TIGHT = 1e-3, 1e-12
RADIUS, MASS = 0.1, 0.5


def packing(*, mu=0.3, order=None):
    """18 hard balls on a table, 9 under 18 soft ones; `order` of bodies and elements."""
    rng = np.random.default_rng(3)
    places = [(i, j, k) for k in range(4) for i in range(3) for j in range(3)]
    where = RADIUS * (np.array([2.02, 2.02, 2.0]) * places + [0, 0, 1.02])
    where[:18] += 0.005 * RADIUS * rng.uniform(-1, 1, size=(18, 3))  # gaps from 0.01 to 0.03 radii
    where[18:] += RADIUS * (0.02 * rng.normal(size=(18, 3)) - [0, 0, 0.02])
    where[:18, 2] += 0.01 * RADIUS * np.array(places)[:18, 2]
    velocity = 0.1 * rng.normal(size=(36, 3))
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = {}
    for b in np.arange(36) if order is None else order:
        balls[b] = model.add_sphere(radius=RADIUS, mass=MASS, position=where[b], velocity=velocity[b])
    hard, soft = [balls[b] for b in range(18)], [balls[b] for b in range(18, 36)]
    friction = RegularisedCoulomb(mu=mu, velocity_zone=0.05) if mu else None
    law = {"normal": ExudynNormal(stiffness=1e5), "tangential": friction}
    elements = [
        SphereSphere(among=hard, mu=mu),
        SpherePlane(hard, model.add_plane(normal=(0, 0, 1)), mu=mu),
        CompliantSphereSphere(among=soft, **law),
        CompliantSphereSphere(between=(hard, soft), **law),
    ]
    for element in elements if order is None else elements[::-1]:
        model.add(element)
    return model


def operator(*, mu=0.3, h=H):
    """Scaled problem of the first contacts, G scaled and A as arrays; step `h`."""
    return flexible_operator(packing(mu=mu), 0.05 * RADIUS, H, h)[:3]


def flexible_operator(model, near, step, h):
    """Scaled problem of contacts with gaps below `near` after data of a `step`, with coefficients of `h`.

    Returns it, G scaled, A without terms of low rank, and the flexibility.
    """
    now = StepData(model, model.initial_state(), step, GeneralizedAlpha(0.8), 1e-8)
    system = now.system
    closed = np.flatnonzero(now.candidates.gap < near)
    rows = closed_rows(closed, now.candidates, system.laws, system.bodies, system.work)
    now.wrenches(0.0, now.old, now.old, now.increment, step)
    flexible = correction_operators.Flexible(now, now.old, h * h, h)
    problem, scale = flexible._through_bodies(rows)
    A = flexible._pattern.matrix(flexible._values).toarray()
    G = np.zeros((len(rows.G), system.size, 6))
    for k in range(len(closed)):
        for i in range(rows.row[k], rows.row[k + 1]):
            for side in range(2):
                G[i, rows.body[k, side]] += rows.G[i, side] / scale[i]
    G *= movable(system.bodies)  # points do not turn
    return problem, G[:, : system.count].reshape(len(G), -1), A, flexible


def formed(G, A):
    return G @ np.linalg.solve(A, G.T)


def as_array(W, n):
    return np.array([W @ unit for unit in np.eye(n)]).T


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_products_agree(mu):
    problem, G, A = operator(mu=mu)
    expected = formed(G, A)
    assert len(G) > 30
    assert np.diag(expected).min() < 0.95  # soft contacts add to the mass
    assert as_array(problem.W, len(G)) == pytest.approx(expected, abs=TIGHT)


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_inverse_and_what_it_leaves_out_agree(mu):
    problem, G, A = operator(mu=mu)
    n = len(G)
    y, z = np.random.default_rng(0).normal(size=(2, n))
    S = formed(G, 0.5 * (A + A.T))
    left_out = formed(G, A) - S
    if mu:
        assert np.abs(left_out).max() > 1e-3
        assert as_array(problem.W.unsymmetric, n) == pytest.approx(left_out, abs=TIGHT)
    blocks = problem.function(friction_cone.ROOT, y, 10.0, 0.9)
    T = np.array([problem.apply(blocks, unit) for unit in np.eye(n)]).T
    expected = np.linalg.solve(np.eye(n) + T @ S @ T, z)
    found = problem.W.inverse(blocks, problem.cones, Analysis())(z)
    assert found == pytest.approx(expected, abs=TIGHT * np.abs(z).max() * 10)


def test_the_inverse_is_its_own_where_the_symmetric_part_is_indefinite():
    problem, G, A = operator(h=0.1)
    assert np.linalg.eigvalsh(0.5 * (A + A.T)).min() < 0.0
    assert problem.W.unsymmetric is None
    n = len(G)
    y, z = np.random.default_rng(0).normal(size=(2, n))
    blocks = problem.function(friction_cone.ROOT, y, 10.0, 0.9)
    T = np.array([problem.apply(blocks, unit) for unit in np.eye(n)]).T
    expected = np.linalg.solve(np.eye(n) + T @ formed(G, A) @ T, z)
    found = problem.W.inverse(blocks, problem.cones, Analysis())(z)
    assert found == pytest.approx(expected, abs=TIGHT * np.abs(expected).max() * 10)


def test_parts_agree():
    problem, G, A = operator()
    contacts = np.arange(0, len(G) // 3, 2)
    chosen = (3 * contacts[:, None] + np.arange(3)).ravel()
    part = problem.W.part(chosen)
    assert as_array(part, len(chosen)) == pytest.approx(formed(G, A)[np.ix_(chosen, chosen)], abs=TIGHT)
    blocks = problem.function(friction_cone.ROOT, np.ones(len(G)))[contacts]
    assert len(blocks) == len(part.body)


def test_sweeps_lead_to_the_solution():
    problem, G, _ = operator()
    problem.q = G @ np.random.default_rng(1).normal(size=G.shape[1])
    r = np.zeros(len(G))
    residuals = []
    for _ in range(4):
        problem.W.sweep(problem.q, problem.cones, r, 1e-14, 1.0, 20)
        residuals.append(problem.residual(r, problem.rates(r)))
    assert np.abs(r).max() > 0.1 * np.abs(problem.q).max()
    assert residuals[0] < 0.1 * np.abs(problem.q).max()
    assert residuals[-1] < 1e-3 * residuals[0]


def positions(model, steps=20):
    result = ns.simulate(model, t_end=steps * H, h=H)
    assert result.status, result.status
    assert result.stats.relaxed.max() == 0
    return result.position[-1]


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_both_forms_give_the_same_motion(mu, monkeypatch):
    found = []
    for most in (0, 10**6):
        monkeypatch.setattr(correction_operators, "FORMED", most)
        found.append(positions(packing(mu=mu)))
    assert np.abs(found[1] - packing(mu=mu).initial_state().position).max() > 1e-3
    assert found[0] == pytest.approx(found[1], abs=1e-11)


def test_the_order_of_bodies_and_elements_does_not_matter(monkeypatch):
    monkeypatch.setattr(correction_operators, "FORMED", 0)
    order = np.random.default_rng(5).permutation(36)
    straight, permuted = positions(packing()), positions(packing(order=order))
    assert permuted == pytest.approx(straight[order], abs=1e-11)
