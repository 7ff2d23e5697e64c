"""The cell list finds exactly the pairs that brute force finds."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsgalpha.geometry.broad_phase import ALL_PAIRS, near_pairs


def brute_force(x, radius, members, reach):
    distance = np.linalg.norm(x[members][:, None] - x[members][None, :], axis=-1)
    gap = distance - radius[members][:, None] - radius[members][None, :]
    i, j = np.nonzero(np.triu(gap < reach, 1))
    return {frozenset((int(members[a]), int(members[b]))) for a, b in zip(i, j, strict=True)}


def nearest_images(x, radius, members, reach, periods):
    """As `brute_force`, by all images within two periods."""
    d = x[members][:, None] - x[members][None, :]
    distance = np.full(d.shape[:2], np.inf)
    wrapped = d - periods * np.round(d / np.where(periods > 0.0, periods, 1.0))
    for k in itertools.product((-1, 0, 1), repeat=3):
        distance = np.minimum(distance, np.linalg.norm(wrapped + np.array(k) * periods, axis=-1))
    gap = distance - radius[members][:, None] - radius[members][None, :]
    i, j = np.nonzero(np.triu(gap < reach, 1))
    return {frozenset((int(members[a]), int(members[b]))) for a, b in zip(i, j, strict=True)}


def as_set(pairs):
    found = [frozenset((int(a), int(b))) for a, b in pairs]
    assert len(found) == len(set(found)), "a pair is listed twice"
    return set(found)


@given(
    seed=st.integers(0, 10**6),
    count=st.integers(ALL_PAIRS + 1, 300),
    spread=st.floats(0.0, 2.0),
    reach=st.floats(0.0, 3.0),
    shape=st.sampled_from([(1, 1, 1), (10, 1, 0), (50, 0, 0), (3, 3, 1e-3)]),
)
def test_pairs_of_a_polydisperse_cloud(seed, count, spread, reach, shape):
    rng = np.random.default_rng(seed)
    radius = 0.1 * 10.0 ** rng.uniform(-spread, 0.0, count + 5)
    x = rng.uniform(-2.0, 2.0, (count + 5, 3)) * shape + 100.0 * rng.normal(size=3)
    members = rng.permutation(count + 5)[:count]
    assert as_set(near_pairs(x, radius, members, reach)) == brute_force(x, radius, members, reach)


@given(
    seed=st.integers(0, 10**6),
    count=st.integers(ALL_PAIRS + 1, 200),
    cells=st.tuples(*[st.sampled_from([0, 1.001, 1.9, 2.0, 2.001, 2.999, 3.0, 3.5, 7.3, 40.0])] * 3),
    reach=st.floats(0.0, 0.5),
    ways=st.sampled_from([0, 1, 1000]),
    least=st.sampled_from([0.05, 0.002]),
)
def test_pairs_of_nearest_images(seed, count, cells, reach, ways, least):
    """Periods of 1, 2, 3 and more cells of the list, spheres many periods away from each other."""
    rng = np.random.default_rng(seed)
    radius = np.exp(rng.uniform(np.log(least), np.log(0.1), count + 5))
    members = rng.permutation(count + 5)[:count]
    periods = (2.0 * radius[members].max() + reach) * np.array(cells)
    span = np.where(periods > 0.0, periods, 1.0)
    x = rng.uniform(0.0, 1.0, (count + 5, 3)) * span + rng.integers(-ways, ways + 1, (count + 5, 3)) * periods
    with np.errstate(divide="ignore"):
        cell = np.array([periods, np.where(periods > 0.0, 1.0 / periods, 0.0)])
    pairs = near_pairs(x, radius, members, reach, cell)
    assert as_set(pairs) == nearest_images(x, radius, members, reach, periods)
    place = np.empty(count + 5, int)
    place[members] = np.arange(count)
    keys = [tuple(place[p]) for p in pairs]
    assert keys == sorted(keys)


@given(seed=st.integers(0, 10**6), periodic=st.booleans())
def test_large_spheres_among_small_ones_and_points(seed, periodic):
    """A large sphere covers many cells of small ones, and may lie outside their grid."""
    rng = np.random.default_rng(seed)
    radius = np.repeat([0.0, 0.01, 0.011, 0.3, 1.0], [20, 200, 200, 5, 2])
    members = rng.permutation(len(radius))
    periods = np.array([0.0, 2.5, 3.0]) * periodic
    x = rng.uniform(-1.0, 1.0, (len(radius), 3)) * np.where(radius >= 0.3, 2.0, 1.0)[:, None]
    with np.errstate(divide="ignore"):
        cell = np.array([periods, np.where(periods > 0.0, 1.0 / periods, 0.0)])
    pairs = near_pairs(x, radius, members, 0.02, cell)
    assert as_set(pairs) == nearest_images(x, radius, members, 0.02, periods)


def test_a_single_far_away_sphere_does_not_cost_the_others():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (200, 3))
    x[17] = 1e9
    radius = np.full(200, 0.02)
    members = np.arange(200)
    assert as_set(near_pairs(x, radius, members, 0.01)) == brute_force(x, radius, members, 0.01)


def test_coincident_spheres_all_pair():
    members = np.arange(60)
    pairs = near_pairs(np.zeros((60, 3)), np.full(60, 0.1), members, 0.0)
    assert len(as_set(pairs)) == 60 * 59 // 2


@pytest.mark.parametrize("count", [0, 1, 2, ALL_PAIRS])
def test_few_spheres_give_all_pairs_whatever_their_distance(count):
    x = 1e3 * np.arange(count)[:, None] * np.ones(3)
    pairs = near_pairs(x, np.ones(count), np.arange(count), 0.0)
    assert pairs.shape == (count * (count - 1) // 2, 2)


def test_the_order_of_the_pairs_does_not_depend_on_the_place():
    """A pair list that changed its order with cells would change last digits."""
    rng = np.random.default_rng(2)
    x = rng.uniform(0.0, 1.0, (1000, 3))
    radius = np.full(1000, 0.03)
    members = np.arange(1000)
    pairs = near_pairs(x, radius, members, 0.05)
    keys = [tuple(p) for p in pairs]
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert keys == sorted(keys)
