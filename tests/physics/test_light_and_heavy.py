"""Light bodies on heavy ones move as on fixed ground, at every step."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.contact.islands.islands import LARGE
from nsgalpha.contact.multiplier_sets import HALF_LINE, SPREAD, Sets, weigh_all
from tests.physics.scenes import G

HEAVY = 1e12  # [kg]


def on_ground(mass, balls, h, t_end, python=False, **law):
    """`balls` of (position, velocity, spin) with 1 kg on a plane that a body of the `mass` carries.

    It lies on a floor; None: it is fixed.
    """
    model = ns.Model(gravity=(0, 0, -G))
    fixed = mass is None
    ground = model.add_sphere(
        radius=1.0, mass=mass or 1.0, inertia=mass or 1.0, position=(0, 0, -1), fixed=fixed
    )
    for x, v, w in balls:
        model.add_sphere(radius=0.1, mass=1.0, position=x, velocity=v, angular_velocity=w)
    top = model.add_plane(normal=(0, 0, 1), offset=1.0, body=ground)
    model.add(SpherePlane(model.spheres[1:], top, mu=0.3, **law))
    model.add(SphereSphere(model.spheres[1:], mu=0.3))
    if not fixed:
        model.add(SpherePlane(ground, model.add_plane(normal=(0, 0, 1), offset=-2.0), mu=1.0))
    if python:
        model.add_load(lambda t, state: np.zeros((len(model.bodies), 3)))
    result = ns.simulate(model, t_end=t_end, h=h)
    assert result.status.ok, result.status
    return result


SCENES = {
    "slides": ([((0, 0, 0.1), (3, 0.2, 0), (0, -3, 1))], {"rolling_radius": 1e-3}),
    "bounces": ([((0, 0, 0.2), (1, 0.2, -1), (0, -3, 1))], {"e_n": 0.5}),
    "tower": ([((0, 0, 0.1 + 0.2 * k), (0, 0, 0), (0, 0, 0)) for k in range(4)], {}),
}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("python", [False, True], ids=["compiled", "from Python"])
def test_a_light_body_moves_on_a_heavy_one_as_on_a_fixed_one(scene, python):
    balls, law = SCENES[scene]
    fixed, free = (on_ground(mass, balls, 5e-4, 0.1, python, **law) for mass in (None, HEAVY))
    assert free.velocity[-1, 1:] == pytest.approx(fixed.velocity[-1, 1:], abs=1e-10)
    assert free.position[-1, 1:] == pytest.approx(fixed.position[-1, 1:], abs=1e-11)


def test_light_bodies_of_a_large_island_move_on_a_heavy_one_as_on_a_fixed_one():
    still = 0, 0, 0
    grid = [(i, j, k) for i in range(6) for j in range(6) for k in range(2)]
    balls = [((0.2 * i, 0.2 * j, 0.1 + 0.2 * k), (0.1 * (k + 1), 0.05 * i, 0), still) for i, j, k in grid]
    fixed, free = (on_ground(mass, balls, 1e-3, 0.02) for mass in (None, HEAVY))
    assert 3 * free.stats.contacts.max() > LARGE
    assert free.velocity[-1, 1:] == pytest.approx(fixed.velocity[-1, 1:], abs=1e-11)


def test_rates_of_light_and_heavy_bodies_are_judged_by_the_fastest_of_the_island():
    """Residuals of scaled problems, times the weights, are those of rates, SPREAD times as large."""
    scale = np.array([1e-6, 1.0, 1.0, 1.0, 0.2])  # heavy, light with friction, between
    rates = np.array([2e-3, 1e-3, 0.0, 0.0, 1e-3])
    sets = Sets(
        np.array([0, 1, 2, 4]),
        np.array([1, 1, 2, 1]),
        np.array([HALF_LINE, HALF_LINE, 1, HALF_LINE]),
        np.array([0.0, 0.0, 0.3, 0.0]),
        np.ones(4),
    )
    weigh_all(sets, scale, rates / scale)
    assert sets.weight == pytest.approx(np.array([SPREAD, 1e6, 1e6, 2e5]) / SPREAD)
    scale[0] = 0.15  # masses that are alike
    weigh_all(sets, scale, rates / scale)
    assert (sets.weight == 1.0).all()
