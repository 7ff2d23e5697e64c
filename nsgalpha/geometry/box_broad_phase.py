"""Broad phase of primitives: near pairs of axis-aligned boxes, by a sweep.

Boxes are sorted by their lower ends along the axis on which they are spread most; each meets those whose
intervals overlap its own.
"""

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.geometry.broad_phase import check_room
from nsgalpha.jit.decorators import kernel


@kernel
def _sweep(low, high, members, others, first, axis, out, found):
    """Write pairs of boxes, `members[k]` and those of the `others` from `first[k]` on, behind the `found`.

    Both are sorted along the axis. Returns how many pairs there are, also of those that do not fit.
    """
    for k in range(members.shape[0]):
        i = members[k]
        for m in range(first[k], others.shape[0]):
            j = others[m]
            if low[j, axis] > high[i, axis]:
                break
            apart = False
            for d in range(3):
                apart |= low[j, d] > high[i, d] or low[i, d] > high[j, d]
            if apart:
                continue
            if found < out.shape[0]:
                out[found, 0] = min(i, j)
                out[found, 1] = max(i, j)
            found += 1
    return found


def near_boxes(low: Floats, high: Floats, split: int) -> Ints:
    """Pairs (n, 2), in order, of boxes from `low` to `high` (K, 3) that have a point in common.

    Boxes before `split` are paired with the others; with `split` = K all are paired among each other.

    Raises MemoryError as `broadphase.near_pairs` does.
    """
    count = len(low)
    if count == 0:
        return np.empty((0, 2), np.int64)
    axis = int((low + high).std(axis=0).argmax())
    order = np.argsort(low[:, axis], kind="stable")
    sweeps = [(order, order, np.arange(1, count + 1))]
    if split < count:
        one, two = order[order < split], order[order >= split]
        begin, other = low[one, axis], low[two, axis]
        sweeps = [
            (one, two, np.searchsorted(other, begin)),
            (two, one, np.searchsorted(begin, other, side="right")),
        ]
    out = np.empty((8 * count, 2), np.int64)
    while (found := _pairs(low, high, sweeps, axis, out)) > len(out):
        check_room(found)
        out = np.empty((found, 2), np.int64)
    out = out[:found]
    return out[np.lexsort((out[:, 1], out[:, 0]))]


def images_beside(one: tuple[Floats, Floats], two: tuple[Floats, Floats], ways: Floats) -> tuple[Ints, Ints]:
    """Numbers (n,) of ways (W, 3) and boxes of `two` that may meet boxes of `one` there."""
    (first, last), (low, high) = one, two
    met = low + ways[:, None] <= last.max(axis=0, initial=-np.inf)
    met &= high + ways[:, None] >= first.min(axis=0, initial=np.inf)
    way, number = np.nonzero(met.all(axis=2))
    return way, number


def near_box_images(low: Floats, high: Floats, split: int, ways: Floats) -> Ints:
    """`near_boxes` of boxes in a periodic cell and of their images on the `ways` around it.

    A pair is there once, and boxes do not meet images of themselves.
    """
    among, count = split == len(low), len(low)
    of = slice(0 if among else split, count)
    ways = ways[: len(ways) // 2] if among else ways
    way, number = images_beside((low[:split], high[:split]), (low[of], high[of]), ways)
    pairs = near_boxes(low, high, split)
    if len(number):
        images = low[of][number] + ways[way], high[of][number] + ways[way]
        ends = np.append(low[:split], images[0], axis=0), np.append(high[:split], images[1], axis=0)
        a, b = near_boxes(*ends, split).T
        b = number[b - split] + of.start
        pairs = np.append(pairs, np.stack([np.minimum(a, b), np.maximum(a, b)], axis=1)[a != b], axis=0)
    return np.unique(pairs, axis=0)


def _pairs(low: Floats, high: Floats, sweeps: list[tuple[Ints, Ints, Ints]], axis: int, out: Ints) -> int:
    """Write the pairs of the `sweeps` to `out`; returns their number."""
    found = 0
    for members, others, first in sweeps:
        found = _sweep(low, high, members, others, first, axis, out, found)
    return found
