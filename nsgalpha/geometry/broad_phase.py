"""Broad phase: which spheres are near each other, by cell lists.

Spheres are sorted into classes, in which radii differ by at most a factor of 2. Each class has a grid, whose
cells are at least as wide as the largest distance at which two of its spheres count as near. In it look the
spheres of the class, in at most 3 cells along each axis, and larger ones, in as many as they cover. Cost and
memory are linear in the number of spheres; the number of cells is bounded by widening them in sparse scenes.
In a periodic cell the nearest images count; a pair is listed once, however many of its images are near.
"""

import math

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.geometry.nearest_images import nearest_image
from nsgalpha.jit.decorators import fused, inlined, kernel

ALL_PAIRS = 40  # spheres up to which all pairs are listed,
ALL_ROWS = 780  # and contacts of shapes; as many as pairs of these spheres
RATIO, CLASSES = 2.0, 20  # of the radii in a class of sizes; classes, the last with all that are smaller
SKIN = 0.2  # least reach, over the mean radius
MOST = 50_000_000  # pairs; more is no scene, but bodies in one place, or far too fast
LOOK_AHEAD = 10  # steps that the fastest body may take within the reach,
SLOTS_AHEAD = 3  # where geometries select features: each pair has many slots, which all steps measure


def reach_of(speed: Floats, size: Floats, h: float, few: bool = True, ahead: int = LOOK_AHEAD) -> float:
    """Gap [m] below which bodies are listed that have the `speed` (B,), for some steps of `h` [s] `ahead`.

    size: (N,) [m] radii or widths, 0 of points. All pairs are listed if they are `few`, of few bodies.
    """
    sizes = size[size > 0.0]
    if few and len(sizes) <= ALL_PAIRS:
        return np.inf
    return max(SKIN * float(sizes.mean()), 2.0 * ahead * h * float(speed.max()))


def speeds(v: Floats) -> Floats:
    """Speeds (B,) of the velocities `v` (B, 3)."""
    return np.hypot(np.hypot(v[:, 0], v[:, 1]), v[:, 2])


def check_room(pairs: int) -> None:
    """MemoryError if there are more `pairs` than any scene has."""
    if pairs > MOST:
        raise MemoryError(
            f"{pairs:.3g} pairs are near each other: must be at most {MOST:.0e}; move the bodies apart, "
            "or take a shorter step"
        )


@inlined
def _grid(x, members, least, cell):
    """Lowest corner (3,), widths (3,) and numbers (3,) of cells at least as wide as `least` [m].

    A period of the `cell` has a whole number of them.
    """
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for m in members:
        for i in range(3):
            low[i] = min(low[i], x[m, i])
            high[i] = max(high[i], x[m, i])
    for i in range(3):
        if cell[0, i] > 0.0:
            low[i], high[i] = 0.0, cell[0, i]
    count, width = np.ones(3, np.int64), np.empty(3)
    while True:
        total = 1.0
        for i in range(3):
            size = np.floor((high[i] - low[i]) / least)
            size = max(size, 1.0) if cell[0, i] > 0.0 else size + 1.0
            total *= size
            count[i] = np.int64(min(size, 1e6))
        if total <= 8.0 * members.shape[0] + 64.0:
            break
        least *= 1.26
    for i in range(3):
        width[i] = cell[0, i] / count[i] if cell[0, i] > 0.0 else least
    return low, width, count


@fused
def _at(x, b, low, width, cell, i):
    """The coordinate of `x[b]` [m] along the axis `i`, in the `cell`, in cells of the grid.

    In one that moves it is taken along the ways to the images, which are less than half a period askew.
    """
    at = x[b, i] - x[b, int(cell[2, 0])] * cell[6, i] if cell.shape[0] > 2 else x[b, i]
    return (at - cell[0, i] * math.floor(at * cell[1, i]) - low[i]) / width[i]


@inlined
def _sorted(place, cells):
    """Offsets of the `cells` (3,) along the axes, and the members in them, by `place` (n, 3)."""
    n = place.shape[0]
    start = np.zeros(cells[0] * cells[1] * cells[2] + 1, np.int64)
    for k in range(n):
        start[(place[k, 0] * cells[1] + place[k, 1]) * cells[2] + place[k, 2] + 1] += 1
    for c in range(start.shape[0] - 1):
        start[c + 1] += start[c]
    free, order = start.copy(), np.empty(n, np.int64)
    for k in range(n):
        c = (place[k, 0] * cells[1] + place[k, 1]) * cells[2] + place[k, 2]
        order[free[c]] = k
        free[c] += 1
    return start, order


@kernel
def _class_pairs(x, radius, members, count, reach, cell, out, found):
    """Write near pairs of the first `count` of the `members` (n,) with all to `out`, behind the `found`.

    Radii of the others are larger. Returns how many pairs there are, also of those that do not fit.
    """
    own, largest, periodic = members[:count], 0.0, cell[0].any()
    for m in own:
        largest = max(largest, radius[m])
    low, width, cells = _grid(x, own, 2.0 * largest + reach, cell)
    place = np.empty((count, 3), np.int64)
    for k in range(count):
        for i in range(3):
            at = np.int64(_at(x, own[k], low, width, cell, i))
            place[k, i] = min(max(at, 0), cells[i] - 1)
    start, order = _sorted(place, cells)
    first, many = np.empty(3, np.int64), np.empty(3, np.int64)  # cells to visit along each axis
    for k in range(members.shape[0]):
        a = members[k]
        for i in range(3):
            at, span = _at(x, a, low, width, cell, i), (radius[a] + largest + reach) / width[i]
            if cell.shape[0] > 2:
                span *= 1.0 + abs(cell[6, i])
            begin, end = math.floor(at - span), math.floor(at + span)
            if cell[0, i] > 0.0:
                first[i], many[i] = np.int64(begin) % cells[i], np.int64(min(end - begin + 1, cells[i]))
            else:
                first[i] = np.int64(max(begin, 0))
                many[i] = np.int64(min(end, cells[i] - 1)) - first[i] + 1
        for cx in range(first[0], first[0] + many[0]):
            for cy in range(first[1], first[1] + many[1]):
                row = ((cx % cells[0]) * cells[1] + cy % cells[1]) * cells[2]
                last = first[2] + many[2]
                # a run of cells along z continues at the other face
                for z0, z1 in ((first[2], min(last, cells[2])), (0, last - cells[2])):
                    if z0 >= z1:
                        continue
                    for p in range(start[row + z0], start[row + z1]):
                        if k < count and order[p] <= k:
                            continue
                        b = own[order[p]]
                        d = (x[a, 0] - x[b, 0], x[a, 1] - x[b, 1], x[a, 2] - x[b, 2])
                        if periodic:
                            d = nearest_image(d, cell, cell[:6])
                        limit = radius[a] + radius[b] + reach
                        if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < limit * limit:
                            if found < out.shape[0]:
                                out[found, 0] = a
                                out[found, 1] = b
                            found += 1
    return found


@kernel
def _all_pairs(x, radius, members, begin, reach, cell, out):
    """Write near pairs of `members` sorted by size, in classes from `begin` on; returns their number."""
    found = 0
    for c in range(begin.shape[0] - 1):
        count = begin[c + 1] - begin[c]
        found = _class_pairs(x, radius, members[begin[c] :], count, reach, cell, out, found)
    return found


def _with_slopes(cell: Floats) -> Floats:
    """The placed `cell`; of one that moves with the least slopes (3,) of its images."""
    if len(cell) == 2:
        return cell
    gradient = int(cell[2, 0])
    off = np.where(np.arange(3) == gradient, 0.0, cell[3 + gradient])
    slopes = (off - cell[0] * np.rint(off * cell[1])) * cell[1, gradient]
    return np.vstack([cell, slopes])


def near_pairs(x: Floats, radius: Floats, members: Ints, reach: float, cell: Floats | None = None) -> Ints:
    """Pairs (n, 2) of the spheres `members` whose gap is below `reach` [m].

    `x` (B, 3) are the centres, `radius` (B,) the radii, the `cell` one in which the nearest images count
    (`placed_cell` in nsgalpha/model/periodic_cell.py). Few spheres, or an infinite reach, give all pairs.
    Within a pair and in the list the order of `members` is kept.

    Raises MemoryError, before there is one, if they are more than 50 million.
    """
    count = len(members)
    if count <= ALL_PAIRS or not np.isfinite(reach):
        check_room(count * (count - 1) // 2)
        i, j = np.triu_indices(count, 1)
        return np.ascontiguousarray(np.column_stack((members[i], members[j])))
    order = np.argsort(radius[members], kind="stable")
    sizes = radius[members[order]]
    steps = np.searchsorted(sizes, sizes[-1] * RATIO ** -np.arange(1.0, CLASSES))
    begin = np.unique([0, *steps, count])  # of each class of sizes
    cell, sphere = _with_slopes(cell) if cell is not None and len(cell) else np.zeros((2, 3)), members[order]
    out = np.empty((8 * count, 2), np.int64)
    while (found := _all_pairs(x, radius, sphere, begin, reach, cell, out)) > len(out):
        check_room(found)
        out = np.empty((found, 2), np.int64)
    place = np.empty(len(x), np.int64)
    place[members] = np.arange(count)
    i, j = place[out[:found]].T
    pairs = np.sort(np.minimum(i, j) * count + np.maximum(i, j))
    return np.ascontiguousarray(members[np.stack(np.divmod(pairs, count))].T)
