"""Scenes far from the origin: effects of coordinate rounding alone."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

R = 0.125  # coordinates here have few binary digits: places far away are rounded as those at the origin are
KM, FAR = 2.0**10, 2.0**20  # [m]
PLACES = [(KM, 0, 0), (0, 0, -FAR), (FAR, 0, 0), (FAR, -FAR, FAR)]


def stack(place):
    """Three balls on each other, and one that rolls towards them."""
    model = ns.Model(gravity=(0, 0, -9.8125))
    for i in range(3):
        model.add_sphere(radius=R, mass=1.0 + i, position=place + np.array([0, 0, R + 2 * R * i]))
    spin = 0, -2.0 / R, 0
    at = place + np.array([0.75, 0, R])
    model.add_sphere(radius=R, mass=1.0, position=at, velocity=(-2, 0, 0), angular_velocity=spin)
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1), offset=place[2]), mu=0.25))
    model.add(SphereSphere(model.spheres, mu=0.25))
    return model


def slope(place):
    """Two balls that slide and roll down, across as well."""
    normal, down = np.array([0.6, 0, 0.8]), np.array([0.8, 0, -0.6])
    model = ns.Model(gravity=(0, 0, -9.8125))
    for i in range(2):
        at = place + R * normal + 0.5 * i * down + np.array([0, 0.25 * i, 0])
        model.add_sphere(radius=R, mass=1.0, position=at, velocity=(0, 0.5, 0))
    model.add(
        SpherePlane(model.spheres, model.add_plane(normal=normal, offset=float(normal @ place)), mu=0.1)
    )
    return model


def run(model):
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.status.ok, result.status
    return result


@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("scene", [stack, slope])
def test_a_scene_far_away_moves_as_one_at_the_origin(scene, place):
    near, far = run(scene(np.zeros(3))), run(scene(np.array(place, float)))
    digit = np.spacing(np.abs(place).max())
    assert np.abs(far.position[-1] - place - near.position[-1]).max() <= 500 * digit  # of 200 steps
    assert np.abs(far.velocity[-1] - near.velocity[-1]).max() <= 5000 * digit
    assert len(far.contacts.gap) == len(near.contacts.gap)


def test_a_body_far_away_leaves_the_others_alone():
    alone, model = run(stack(np.zeros(3))), stack(np.zeros(3))
    model.add_sphere(radius=R, mass=1.0, position=(1e7, 1e7, 1e7))
    beside = run(model)
    assert np.array_equal(beside.position[:, :4], alone.position)
    assert np.array_equal(beside.velocity[:, :4], alone.velocity)
