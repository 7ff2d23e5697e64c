"""The operator through the bodies agrees with the matrix."""

import numpy as np
import pytest
from problems import LAWS

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.contact import ContactProblem
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph, trim_rotation
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.multiplier_sets import scale_half_rows
from nsgalpha.contact.rows.scaled_rows import half_rows
from nsgalpha.contact.solver import _Island
from tests.kernel_calls import measured_candidates

CONTACTS, MOVING = 25, 8
TIGHT = 1e-12


def both(rows, size, seed=0):
    """A scaled problem with W as a matrix, and the same operator through the bodies."""
    rng = np.random.default_rng(seed)
    body = np.array([rng.choice(MOVING, 2, replace=False) for _ in range(CONTACTS)])
    body[rng.uniform(size=CONTACTS) < 0.3, 1] = FIXED
    n = rows * CONTACTS
    H = rng.normal(size=(n, 2, size))
    wide = np.zeros((n, MOVING + 1, size))
    for k in range(CONTACTS):
        for side in range(2):
            wide[k * rows : (k + 1) * rows, body[k, side]] += H[k * rows : (k + 1) * rows, side]
    G = wide[:, :MOVING].reshape(n, -1)
    mu, rolling, drilling = rng.uniform(0.1, 0.8, (3, CONTACTS))
    radii = (
        mu,
        rolling if LAWS[rows][0] else None,
        drilling if LAWS[rows][1] else None,
    )
    problem = ContactProblem(G @ G.T, G @ rng.normal(size=G.shape[1]), *radii)
    island = _Island(problem, np.arange(CONTACTS))
    H[np.repeat(body[:, 1] == FIXED, rows), 1] = 0.0
    sets, _ = problem.cones
    scale = np.empty(n)
    scale_half_rows(H, sets, scale)
    assert scale == pytest.approx(island.scale, rel=TIGHT)
    assert sets.radius == pytest.approx(island.problem.sets.radius, rel=TIGHT)
    return island.problem, BodyOperator(Graph(body, rows * np.arange(CONTACTS + 1), size), H), rng


some = pytest.mark.parametrize(("rows", "size"), [(2, 3), (3, 6), (3, 3), (4, 6), (5, 6), (6, 6)])


@some
def test_products_agree(rows, size):
    problem, bodies, rng = both(rows, size)
    r = rng.normal(size=len(problem.q))
    assert bodies @ r == pytest.approx(problem.W @ r, abs=1e-11)


@some
@pytest.mark.parametrize("relaxation", [1.0, 1.4])
def test_sweeps_agree(rows, size, relaxation):
    problem, bodies, _ = both(rows, size)
    start = np.zeros(len(problem.q))
    found = []
    for W in (problem.W, bodies):
        r = start.copy()
        W.sweep(problem.q, problem.cones, r, 1e-12, relaxation, 5)
        found.append(r)
    assert np.abs(found[0]).max() > 1e-2
    assert found[1] == pytest.approx(found[0], abs=1e-9)


@some
def test_parts_agree(rows, size):
    problem, bodies, rng = both(rows, size)
    contacts = np.flatnonzero(rng.uniform(size=CONTACTS) < 0.4)
    chosen = (rows * contacts[:, None] + np.arange(rows)).ravel()
    r = rng.normal(size=len(chosen))
    assert bodies.part(chosen) @ r == pytest.approx(problem.W.part(chosen) @ r, abs=1e-11)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_half_rows_give_the_operator_of_the_rows(mu):
    """H H^T = G M^-1 G^T, for a body whose inertia is no sphere's among others."""
    model = ns.Model()
    for k in range(4):
        inertia = np.diag([1.0, 2.0, 2.5]) if k == 1 else None
        position = (2.0 * k, 0.1 * k, 1.0)
        model.add_sphere(radius=1.0, mass=1.0 + k, position=position, inertia=inertia)
    model.add(SphereSphere(among=model.spheres, mu=mu))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=mu))
    system, _, candidates = measured_candidates(model)
    closed = np.array([c for c in range(len(candidates.a)) if candidates.gap[c] < 0.1])
    rows = closed_rows(closed, candidates, system.laws, system.bodies, system.work)
    H = half_rows(rows, system.bodies, system.work, 0, len(closed))
    assert trim_rotation(H).shape[2] == (6 if mu else 3)
    n, count = len(rows.G), len(system.bodies.mass)
    G, MG, half = np.zeros((3, n, count, 6))
    for k in range(len(closed)):
        for j in range(rows.row[k], rows.row[k + 1]):
            for side in range(2):
                b = rows.body[k, side]
                G[j, b], MG[j, b], half[j, b] = rows.G[j, side], rows.MG[j, side], H[j, side]
    expected = np.einsum("ibd,jbd->ij", G, MG)
    assert np.linalg.matrix_rank(expected) > 4
    assert np.einsum("ibd,jbd->ij", half, half) == pytest.approx(expected, abs=1e-12)
