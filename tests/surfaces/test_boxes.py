"""The broad phase of primitives finds the pairs of a full comparison."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nsgalpha.geometry.box_broad_phase import near_boxes


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_near_boxes_are_those_of_all_pairs(seed, first, second, among):
    rng = np.random.default_rng(seed)
    count = first + second
    low = rng.uniform(0.0, 1.0, (count, 3))
    high = low + rng.exponential(0.15, (count, 3))
    split = count if among else first
    i, j = np.triu_indices(count, 1)
    if not among:
        i, j = i[(i < first) & (j >= first)], j[(i < first) & (j >= first)]
    near = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
    assert np.array_equal(near_boxes(low, high, split), np.column_stack([i[near], j[near]]))


def test_more_pairs_than_expected_are_found():
    low = np.zeros((40, 3))
    assert len(near_boxes(low, low + 1.0, 40)) == 40 * 39 // 2
    assert len(near_boxes(low, low + 1.0, 15)) == 15 * 25
    assert near_boxes(low[:0], low[:0], 0).shape == (0, 2)
