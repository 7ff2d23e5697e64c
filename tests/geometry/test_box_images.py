"""Pairs of boxes in a periodic cell are those of all nearest images."""

import numpy as np
import pytest

from nsgalpha.geometry.turned_boxes import Boxes, boxes_around, near_turned_boxes
from nsgalpha.model.periodic_cell import cell_of, nearest_images, placed_cell

N, K, LENGTH = 50, 60, np.array([2.0, 1.7, 2.3])


def scene(rng, periodic, strain):
    """Boxes on bodies that have moved many periods, and their placed cell, sheared by a `strain`."""
    length = LENGTH * periodic
    x, q = rng.uniform(-6, 6, (N, 3)), rng.normal(size=(N, 4))
    x[:, ~np.array(periodic, bool)] *= 0.15
    cell = cell_of(tuple(each or None for each in length))
    if strain is not None:
        ways = np.diag(length)
        ways[1, 0] = strain * length[1]
        x, q = np.vstack([x, ways]), np.vstack([q, np.tile([1.0, 0, 0, 0], (3, 1))])
        cell = placed_cell(np.vstack([cell, np.ones(3)]), x)
    corners = [rng.uniform(-0.12, 0.12, (8, 3)) for _ in range(K)]
    boxes = boxes_around(np.arange(K) % N, corners, rng.uniform(0, 0.05, K))
    return boxes, x, q / np.linalg.norm(q, axis=1)[:, None], cell


def pairs_by_images(one, two, x, q, reach, cell):
    """Pairs, each found alone: with the second body at the nearest image."""
    found = []
    for i, body in enumerate(one.body):
        for j, other in enumerate(two.body):
            if body == other or (one is two and j <= i):
                continue
            apart = x[body] - x[other]
            placed = x.copy()
            placed[other] = x[body] - nearest_images(apart, cell)
            a, b = (Boxes(*(c[k : k + 1] for c in side)) for side, k in ((one, i), (two, j)))
            found += [(i, j)] * len(near_turned_boxes(a, b, placed, q, reach)[0])
    return found


@pytest.mark.parametrize("periodic", [(1, 1, 1), (1, 1, 0), (0, 1, 0)])
@pytest.mark.parametrize("strain", [None, 0.3, -4.49, 7.0])
def test_pairs_are_those_of_nearest_images(periodic, strain):
    rng = np.random.default_rng(7)
    if strain is not None and not periodic[0]:
        strain = 0.0
    boxes, x, q, cell = scene(rng, periodic, strain)
    sides = [(boxes, boxes), tuple(Boxes(*(c[part] for c in boxes)) for part in (slice(25), slice(25, K)))]
    for one, two in sides:
        a, b = near_turned_boxes(one, two, x, q, 0.2, cell)
        exact = pairs_by_images(one, two, x, q, 0.2, cell)
        assert len(exact) > 5
        assert list(zip(a.tolist(), b.tolist(), strict=True)) == exact
