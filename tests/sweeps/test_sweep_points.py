"""Grids, lists, scattered samples."""

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.sweeps.sweep_points import points_of


def test_a_grid_is_all_combinations_and_the_last_name_runs_fastest():
    points = points_of({"a": [1, 2], "b": np.array([0.5, 1.5])})
    assert points == [{"a": 1, "b": 0.5}, {"a": 1, "b": 1.5}, {"a": 2, "b": 0.5}, {"a": 2, "b": 1.5}]


def test_points_of_a_list_are_as_given():
    given = [{"a": 1, "b": "x"}, {"b": "y", "a": 2}]
    assert points_of(given) == given


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "at least one point"),
        ({"a": []}, "at least one point"),
        ([], "at least one point"),
        ({"a": 1.0}, r"parameters\['a'\] = 1.0: must be a list or an array of values"),
        ({"a": "abc"}, r"parameters\['a'\] = 'abc'"),
        ([{"a": 1}, {"b": 1}], r"parameters\[1\] = \{'b': 1\}: must be a point with the names a"),
        ([1], r"parameters\[0\] = 1: must be a dict"),
        ({"two words": [1]}, "parameters = 'two words'"),
        ({"seconds": [1]}, "not 'outcome', 'message', 'seconds' or 'tries'"),
    ],
)
def test_bad_points_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        points_of(parameters)


def test_more_samples_continue_the_earlier_ones():
    assert ns.sample_points(20, seed=3, a=(0, 1), b=(2, 3))[:5] == ns.sample_points(
        5, seed=3, a=(0, 1), b=(2, 3)
    )


def test_a_sample_is_not_changed_by_other_parameters_and_is_by_the_seed():
    alone = [point["a"] for point in ns.sample_points(50, seed=3, a=(0, 1))]
    assert alone == [point["a"] for point in ns.sample_points(50, seed=3, b=(0, 1), a=(0, 1))]
    assert not set(alone) & {point["a"] for point in ns.sample_points(50, seed=4, a=(0, 1))}
    assert not set(alone) & {point["b"] for point in ns.sample_points(50, seed=3, b=(0, 1))}


def test_an_interval_is_filled_evenly_and_a_function_draws_by_itself():
    points = ns.sample_points(4000, seed=1, a=(-2, 4), b=lambda generator: generator.normal(1.0, 0.5))
    a, b = (np.array([point[name] for point in points]) for name in "ab")
    assert -2 < a.min() < -1.98
    assert 3.98 < a.max() < 4
    # four standard errors
    assert abs(a.mean() - 1.0) < 4 * 6 / np.sqrt(12 * 4000)
    assert abs(b.mean() - 1.0) < 4 * 0.5 / np.sqrt(4000)
    assert abs(b.std() - 0.5) < 4 * 0.5 / np.sqrt(8000)


@pytest.mark.parametrize(
    ("arguments", "draws", "message"),
    [
        ((0,), {"a": (0, 1)}, "n = 0: must be an integer >= 1"),
        ((3, -1), {"a": (0, 1)}, "seed = -1"),
        ((3, 0.5), {"a": (0, 1)}, "seed = 0.5"),
        ((3,), {}, "draws: must be given"),
        ((3,), {"a": (1, 0)}, r"a = \(1, 0\): must be an interval"),
        ((3,), {"a": (0, np.inf)}, "both finite"),
        ((3,), {"a": 5}, "a = 5: must be the two ends"),
        ((3,), {"a": (1, 2, 3)}, "a = .*: must be the two ends"),
    ],
)
def test_bad_draws_are_refused(arguments, draws, message):
    with pytest.raises(ValueError, match=message):
        ns.sample_points(*arguments, **draws)
