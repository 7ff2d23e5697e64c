"""Broad phase of primitives: near pairs of axis-aligned boxes, by a sweep.

Boxes are sorted by their lower ends along the axis on which they are spread most; each meets those whose
intervals overlap its own.
"""

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.geometry.broad_phase import check_room
from nsgalpha.jit.decorators import kernel


@kernel
def _sweep(low, high, side, order, axis, among, out):
    """Write pairs of boxes of different sides (`among`: any) to `out`; their number."""
    found = 0
    for k in range(order.shape[0]):
        i = order[k]
        for m in range(k + 1, order.shape[0]):
            j = order[m]
            if low[j, axis] > high[i, axis]:
                break
            if not among and side[i] == side[j]:
                continue
            apart = False
            for d in range(3):
                apart |= low[j, d] > high[i, d] or low[i, d] > high[j, d]
            if apart:
                continue
            if found < out.shape[0]:
                first = min(i, j)
                out[found, 0] = first
                out[found, 1] = i + j - first
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
    side = (np.arange(count) >= split).astype(np.int64)
    out = np.empty((8 * count, 2), np.int64)
    found = _sweep(low, high, side, order, axis, split == count, out)
    if found > len(out):
        check_room(found)
        out = np.empty((found, 2), np.int64)
        found = _sweep(low, high, side, order, axis, split == count, out)
    out = out[:found]
    return out[np.lexsort((out[:, 1], out[:, 0]))]
