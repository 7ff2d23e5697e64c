"""Families of problems as simulations meet them: well posed, and solved by the definition's residual."""

import numpy as np
import pytest
from definition import residual
from problems import chosen
from scipy.spatial.transform import Rotation

from nsgalpha.contact import solve
from verification.contact_problems.families import FAMILIES
from verification.contact_problems.sample import draw
from verification.contact_problems.scene import FIXED, Scene


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(100, 103))
def test_a_problem_of_the_family_is_solved(family, seed):
    _, problem = draw(family, seed, 25)
    solution = solve(problem)
    assert solution.status
    assert residual(problem, solution.impulses) <= 1e-8


@pytest.mark.parametrize("family", FAMILIES)
def test_impulses_add_no_energy(family):
    """r.(u + q)/2 is the gain of energy."""
    _, problem = draw(family, 104, 25)
    solution = solve(problem, tol=1e-10)
    r, u = solution.impulses.ravel(), solution.velocities.ravel()
    assert r @ (u + problem.q) <= 1e-9 * np.abs(r).max() * np.abs(problem.q).max()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_repeats_itself_and_follows_the_seed(family):
    (name, first), (again, second), (other, _) = draw(family, 3, 30), draw(family, 3, 30), draw(family, 4, 30)
    assert name == again != other
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.W.toarray(), second.W.toarray())


@pytest.mark.parametrize("family", ["brick wall", "rock pile"])
def test_a_solution_in_another_order_is_one(family):
    """Impulses are not unique, and rates need not be with friction: the residual judges."""
    _, problem = draw(family, 105, 25)
    order = np.random.default_rng(0).permutation(problem.contacts)
    r = np.empty((problem.contacts, problem.rows))
    r[order] = solve(chosen(problem, order)).impulses
    assert residual(problem, r) <= 1e-8


@pytest.mark.parametrize("rows", [3, 5])
def test_the_rows_of_a_scene_are_relative_velocities(rows):
    rng = np.random.default_rng(rows)
    scene = Scene()
    for _ in range(2):
        scene.body(rng.normal(size=3), 2.0, np.array([1.0, 2.0, 2.5]), Rotation.random(None, rng))
    point, normal = rng.normal(size=(2, 3))
    scene.contact(0, 1, point, normal)
    scene.contact(1, FIXED, point, normal, gap=0.1)
    H = scene.directions(rows).toarray()
    v = rng.normal(size=(2, 6))
    rates = (H.T @ v.ravel()).reshape(2, rows)
    at = [v[k, :3] + np.cross(v[k, 3:], point - scene.position[k]) for k in range(2)]
    n = normal / np.linalg.norm(normal)
    expected = [(at[0] - at[1], v[0, 3:] - v[1, 3:]), (at[1], v[1, 3:])]
    for row, (relative, spin) in zip(rates, expected, strict=True):
        assert row[0] == pytest.approx(n @ relative, abs=1e-12)
        assert np.linalg.norm(row[:3]) == pytest.approx(np.linalg.norm(relative), abs=1e-12)
        if rows == 5:
            assert np.linalg.norm(row[3:]) == pytest.approx(np.linalg.norm(spin - n * (n @ spin)), abs=1e-12)
    gaps = scene.problem(np.zeros((2, 6)), 0.3, step=0.01).q.reshape(2, 3)
    assert gaps[:, 0] == pytest.approx([0.0, 10.0])


def test_masses_and_inertias_are_those_of_a_box():
    scene = Scene()
    scene.box(np.zeros(3), np.array([0.5, 1.0, 1.5]), density=2.0)
    expected = [1 / 12, 1 / 12, 1 / 12, 1 / 13, 1 / 10, 1 / 5]
    assert np.diag(scene.inverse_mass[0]) == pytest.approx(expected)
