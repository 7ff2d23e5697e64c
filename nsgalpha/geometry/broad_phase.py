"""Broad phase: which spheres are near each other, by a cell list.

Cells are at least as wide as the largest distance at which two spheres count as near. Only the 27 cells
around a sphere are therefore searched, half of them to see each pair once. Cost and memory are linear in the
number of spheres; the number of cells is bounded by widening them in sparse scenes. In a periodic cell the
nearest images count; a pair is listed once, however many of its images are near.
"""

import math

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.geometry.nearest_images import nearest_image
from nsgalpha.jit.decorators import inlined, kernel

ALL_PAIRS = 40  # spheres up to which all pairs are listed
SKIN = 0.2  # least reach, over the mean radius
MOST = 50_000_000  # pairs; more is no scene, but bodies in one place, or far too fast
LOOK_AHEAD = 10  # steps that the fastest body may take within the reach


def reach_of(v: Floats, extent: Floats, h: float) -> float:
    """Gap [m] below which bodies are listed that have an `extent` (N,), and `v` (B, 3) in steps of `h`."""
    spheres = extent[extent > 0.0]
    if len(spheres) <= ALL_PAIRS:
        return np.inf
    speed = float(np.sqrt((v**2).sum(axis=1).max()))
    return max(SKIN * float(spheres.mean()), 2.0 * LOOK_AHEAD * h * speed)


def check_room(pairs: int) -> None:
    """MemoryError if there are more `pairs` than any scene has."""
    if pairs > MOST:
        raise MemoryError(
            f"{pairs:.3g} pairs are near each other: must be at most {MOST:.0e}; move the bodies apart, "
            "or take a shorter step"
        )


@inlined
def _bounds(x, radius, members):
    """Lowest and highest coordinates (3,) of the centres of `members`, and their largest radius."""
    low = np.full(3, np.inf)
    high = np.full(3, -np.inf)
    largest = 0.0
    for m in members:
        largest = max(largest, radius[m])
        for i in range(3):
            low[i] = min(low[i], x[m, i])
            high[i] = max(high[i], x[m, i])
    return low, high, largest


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
def _cell_pairs(x, radius, members, reach, out):
    """Write near pairs to `out` (capacity, 2) while they fit; returns how many there are."""
    n = members.shape[0]
    low, high, largest = _bounds(x, radius, members)
    width = 2.0 * largest + reach
    cells = np.ones(3, np.int64)
    while True:
        total = 1.0
        for i in range(3):
            size = np.floor((high[i] - low[i]) / width) + 1.0
            total *= size
            cells[i] = np.int64(min(size, 1e6))
        if total <= 8.0 * n + 64.0:
            break
        width *= 1.26
    cell = np.empty((n, 3), np.int64)
    for k in range(n):
        for i in range(3):
            cell[k, i] = min(np.int64((x[members[k], i] - low[i]) / width), cells[i] - 1)
    start, order = _sorted(cell, cells)
    found = 0
    for k in range(n):
        for dx in range(-1, 2):
            cx = cell[k, 0] + dx
            if cx < 0 or cx >= cells[0]:
                continue
            for dy in range(-1, 2):
                cy = cell[k, 1] + dy
                if cy < 0 or cy >= cells[1]:
                    continue
                z0, z1 = max(cell[k, 2] - 1, 0), min(cell[k, 2] + 1, cells[2] - 1)
                row = (cx * cells[1] + cy) * cells[2]
                for p in range(start[row + z0], start[row + z1 + 1]):
                    j = order[p]
                    if j <= k:
                        continue
                    a, b = members[k], members[j]
                    distance = 0.0
                    for i in range(3):
                        distance += (x[a, i] - x[b, i]) ** 2
                    limit = radius[a] + radius[b] + reach
                    if distance < limit * limit:
                        if found < out.shape[0]:
                            out[found, 0] = a
                            out[found, 1] = b
                        found += 1
    return found


@kernel
def _cell_pairs_of_images(x, radius, members, reach, cell, out):
    """`_cell_pairs` with the nearest images in the periodic `cell` (2, 3).

    A period has a whole number of cells, each at least as wide as the largest distance. The cells around one
    are each visited once, where the first and the last along a direction are neighbours, or are one.
    """
    n = members.shape[0]
    low, high, largest = _bounds(x, radius, members)
    for i in range(3):
        if cell[0, i] > 0.0:
            low[i], high[i] = 0.0, cell[0, i]
    least = 2.0 * largest + reach
    cells = np.ones(3, np.int64)
    while True:
        total = 1.0
        for i in range(3):
            size = np.floor((high[i] - low[i]) / least)
            size = max(size, 1.0) if cell[0, i] > 0.0 else size + 1.0
            total *= size
            cells[i] = np.int64(min(size, 1e6))
        if total <= 8.0 * n + 64.0:
            break
        least *= 1.26
    width = np.empty(3)
    for i in range(3):
        width[i] = cell[0, i] / cells[i] if cell[0, i] > 0.0 else least
    place = np.empty((n, 3), np.int64)
    for k in range(n):
        for i in range(3):
            at = x[members[k], i]
            at -= cell[0, i] * math.floor(at * cell[1, i])  # in the cell
            place[k, i] = min(max(np.int64((at - low[i]) / width[i]), 0), cells[i] - 1)
    start, order = _sorted(place, cells)
    found = 0
    side = np.empty((3, 3), np.int64)  # cells to visit along each direction, and how many
    many = np.empty(3, np.int64)
    for k in range(n):
        for i in range(3):
            many[i] = 0
            for step in range(-1, 2):
                c = place[k, i] + step
                if cell[0, i] > 0.0:
                    if (step == -1 and cells[i] < 3) or (step == 1 and cells[i] < 2):
                        continue
                    c = (c + cells[i]) % cells[i]
                elif c < 0 or c >= cells[i]:
                    continue
                side[i, many[i]] = c
                many[i] += 1
        for ix in range(many[0]):
            for iy in range(many[1]):
                row = (side[0, ix] * cells[1] + side[1, iy]) * cells[2]
                for iz in range(many[2]):
                    c = row + side[2, iz]
                    for p in range(start[c], start[c + 1]):
                        j = order[p]
                        if j <= k:
                            continue
                        a, b = members[k], members[j]
                        d = (x[a, 0] - x[b, 0], x[a, 1] - x[b, 1], x[a, 2] - x[b, 2])
                        d = nearest_image(d, cell)
                        limit = radius[a] + radius[b] + reach
                        if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < limit * limit:
                            if found < out.shape[0]:
                                out[found, 0] = a
                                out[found, 1] = b
                            found += 1
    return found


def near_pairs(x: Floats, radius: Floats, members: Ints, reach: float, cell: Floats | None = None) -> Ints:
    """Pairs (n, 2) of the spheres `members` whose gap is below `reach` [m].

    `x` (B, 3) are the centres, `radius` (B,) the radii, the `cell` (nsgalpha/arrays.py) one in which the
    nearest images count. Few spheres, or an infinite reach, give all pairs. Within a pair and in the list
    the order of `members` is kept.

    Raises MemoryError, before there is one, if they are more than 50 million.
    """
    count = len(members)
    if count <= ALL_PAIRS or not np.isfinite(reach):
        check_room(count * (count - 1) // 2)
        i, j = np.triu_indices(count, 1)
        return np.ascontiguousarray(np.column_stack((members[i], members[j])))
    out = np.empty((8 * count, 2), np.int64)
    found = _listed(x, radius, members, reach, cell, out)
    if found > len(out):
        check_room(found)
        out = np.empty((found, 2), np.int64)
        found = _listed(x, radius, members, reach, cell, out)
    out = out[:found]
    place = np.empty(len(x), np.int64)
    place[members] = np.arange(count)
    return out[np.lexsort((place[out[:, 1]], place[out[:, 0]]))]


def _listed(x: Floats, radius: Floats, members: Ints, reach: float, cell: Floats | None, out: Ints) -> int:
    """Number of near pairs; `out` has as many of them as fit."""
    if cell is None or not len(cell):
        return int(_cell_pairs(x, radius, members, reach, out))
    return int(_cell_pairs_of_images(x, radius, members, reach, cell, out))
