"""Random scenes stated in other ways, and bodies that are too fast for the step."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import SphereSphere
from verification.random_scenes.differences import differences
from verification.random_scenes.scenes import random_scene

#: Without friction of 0.8 in corners, where Coulomb's law has several solutions.
SEEDS = (1, 2, 3, 7, 11, 14, 15, 16, 22)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_scene_moves_the_same_however_it_is_stated(seed):
    result, apart = differences(random_scene(seed), seed)
    assert result.status.ok, result.status
    assert not apart


def head_on(v, h, start=-1.0):
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(start, 0, 0), velocity=(v, 0, 0), name="bullet")
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    return ns.simulate(model, t_end=20 * h, h=h)


def test_a_body_that_may_pass_another_unseen_is_counted_and_named():
    result = head_on(35.0, 1e-2)
    assert np.count_nonzero(result.stats.fast) in (1, 2)
    assert "'bullet'" in result.status.message
    slow = head_on(9.0, 1e-2)
    assert not slow.stats.fast.any()
    assert "radius" not in slow.status.message


def test_bodies_with_one_centre_are_named():
    result = head_on(40.0, 0.1, start=-4.0)  # also in eight parts of the step
    assert not result.status.ok
    assert result.status.contact == ("bullet", "sphere 1")
    assert "centres" in result.status.message
