"""Random scenes stated in other ways, and bodies that are too fast for the step."""

from dataclasses import replace

import numpy as np
import pytest

import nsgalpha as ns
from elements import SphereSphere
from verification.random_scenes.differences import differences, several_solutions
from verification.random_scenes.problems import problems
from verification.random_scenes.scenes import random_scene
from verification.random_scenes.statements import statements

SEEDS = (1, 2, 3, 7, 11, 14, 15, 16, 22)
#: A first step that the compiled loop leaves after its first pass; a balance of stick and slip in a corner.
#: An impulse of 1e-16, deep overlaps beside a raft, and a column that buckles.
HARD = (146, 313, 390, 113, 862)


@pytest.mark.parametrize("seed", SEEDS + HARD)
def test_a_scene_moves_the_same_however_it_is_stated(seed):
    result, apart = differences(random_scene(seed), seed)
    assert result.status.ok, result.status
    assert not apart


def test_a_column_with_deep_overlaps_finishes():
    result = statements(random_scene(358), 358)[0].run()
    assert result.status.ok, result.status
    assert not result.stats.divided.any()
    assert result.stats.penetration.max() < 1e-10


@pytest.mark.parametrize("seed", [295, 36])
def test_a_light_ball_between_heavy_ones_is_not_capped(seed):
    scene = random_scene(seed)
    loaded, free = (statements(each, seed)[0].run() for each in (scene, replace(scene, gravity=np.zeros(3))))
    assert not loaded.stats.capped.any()
    assert not free.stats.capped.any()
    assert free.stats.sub_impacts.max() > 100  # without loads a sequence ends at 1e-9 of the first approach


def test_both_solutions_of_a_problem_are_shown_to_be_solutions():
    scene = random_scene(98)
    first, other = (s for s in statements(scene, 98) if s.way in ("as it is", "permuted"))
    a, b = first.run(), other.run()
    residual = several_solutions(first, a, other, b, 1)
    assert residual is not None
    assert residual < 1e-11
    # with its solution changed by 1e-6 the problem is no longer solved
    problem = problems(first, None)[0]
    assert problem.residual(problem.b, problem.L) < 1e-11
    assert problem.residual(problem.b, problem.L * (1.0 + 1e-6)) > 1e-8


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
