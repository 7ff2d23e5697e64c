"""A cell between hard planes: the operator with low rank is the matrix."""

import numpy as np
import pytest
from shell_meshes import icosphere

import nsgalpha as ns
from elements import GlobalArea, ShellSprings, SpherePlane, Volume
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Analysis
from nsgalpha.schemes.generalized_alpha import correction_operators
from tests.forces.test_flexibility import flexible_operator

H = 5e-3


def squeezed(mu=0.3):
    """A cell between two planes, the upper descending; pressure and tension."""
    v, f = icosphere(1)
    model = ns.Model(gravity=(0, 0, -1.0))
    nodes = [model.add_point(position=np.add(x, (0, 0, 1.02)), mass=0.01, radius=0.02) for x in v]
    cell = model.add_surface(nodes, f, thickness=0.1)
    model.add(ShellSprings(cell, modulus=20.0))
    model.add(GlobalArea(cell, stiffness=5.0, tension=0.1))
    model.add(Volume(cell, stiffness=200.0))
    lid = model.add_plane(normal=(0, 0, -1), motion=lambda t: ((0, 0, 2.04 - 0.5 * t), (0, 0, -0.5)))
    model.add(SpherePlane(nodes, model.add_plane(normal=(0, 0, 1)), mu=mu))
    model.add(SpherePlane(nodes, lid, mu=mu))
    return model


def operator():
    """Scaled problem, G scaled and A with its terms of low rank as arrays."""
    problem, G, sparse_part, flexible = flexible_operator(squeezed(), 0.5, H, H)
    return problem, G, sparse_part + flexible._low @ np.eye(len(sparse_part)), sparse_part


def test_products_and_inverse_agree_with_the_matrix():
    problem, G, A, sparse_part = operator()
    n = len(G)
    expected = G @ np.linalg.solve(A, G.T)
    found = np.array([problem.W @ unit for unit in np.eye(n)]).T
    assert n >= 30
    assert found == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())
    without = G @ np.linalg.solve(sparse_part, G.T)
    assert np.abs(without - expected).max() > 1e-3 * np.abs(expected).max()  # the terms do count
    y, z = np.random.default_rng(0).normal(size=(2, n))
    blocks = problem.function(friction_cone.ROOT, y, 10.0, 0.9)
    T = np.array([problem.apply(blocks, unit) for unit in np.eye(n)]).T
    solved = np.linalg.solve(np.eye(n) + T @ expected @ T, z)
    assert problem.W.inverse(blocks, problem.cones, Analysis())(z) == pytest.approx(
        solved, abs=1e-11 * np.abs(solved).max()
    )


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_both_forms_give_the_same_motion(mu, monkeypatch):
    found = []
    for most in (0, 10**6):
        monkeypatch.setattr(correction_operators, "FORMED", most)
        model = squeezed(mu)
        result = ns.simulate(model, t_end=60 * H, h=H)
        assert result.status, result.status
        assert len(result.contacts.multipliers) > 20
        found.append(result.position[-1])
    assert np.ptp(found[0][:, 2]) < 1.96
    assert found[0] == pytest.approx(found[1], abs=1e-9)
