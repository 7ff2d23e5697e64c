"""Broad phase of shapes where they are: boxes that turn with the bodies.

A shape lies within a radius around a box with any axes. Pairs of boxes that are near along the
axes of space are sought (box_broad_phase.py). They are kept unless they are apart along an axis of one of
them, or along the product of two (S. Gottschalk, M. Lin, D. Manocha, OBBTree, SIGGRAPH 1996, section 5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.geometry.box_broad_phase import images_beside, near_boxes
from nsgalpha.geometry.broad_phase import check_room
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import cross, dot, plus, row
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.periodic_cell import ways_around, wrapped

PARALLEL = 1e-6  # sine of the angle between edges whose product is no axis


class Boxes(NamedTuple):
    """Boxes (K) of shapes in the frames of their bodies."""

    body: Ints  # (K,)
    middle: Floats  # (K, 3) [m]
    axes: Floats  # (K, 3, 3) unit vectors, each a row
    half: Floats  # (K, 3) lengths along the axes [m]
    radius: Floats  # (K,) around the box [m]


class Placed(NamedTuple):
    """Boxes (K) in space."""

    middle: Floats  # (K, 3) [m]
    axes: Floats  # (K, 3, 3) unit vectors, each a row
    low: Floats  # (K, 3) ends of boxes along the axes of space, with the radius and a part of the reach [m]
    high: Floats  # (K, 3)


def boxes_around(body: Ints, corners: Sequence[Floats], radius: Floats) -> Boxes:
    """Boxes around shapes, which are the hulls of `corners`, (n, 3) each, with a `radius` around them.

    The axes are those of the body, of the second moments, or of the first three corners. The axes with
    the least sum of the squares of the lengths are taken.
    """
    count = len(body)
    middle, half, axes = np.zeros((count, 3)), np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1))
    many = np.array([len(each) for each in corners], np.int64)
    for n in np.unique(many[many > 1]).tolist():
        rows = np.flatnonzero(many == n)
        X = np.array([corners[k] for k in rows.tolist()], float)
        moments = np.linalg.svd(X - X.mean(axis=1, keepdims=True), full_matrices=n < 3)[2]
        kinds = axes[rows], moments, _of_corners(X)
        tried = [_within(X, kind) for kind in kinds]
        best = np.argmin([(lengths**2).sum(axis=1).round(12) for _, lengths in tried], axis=0)
        place = np.arange(len(rows))
        axes[rows] = np.array(kinds)[best, place]
        middle[rows] = np.array([centre for centre, _ in tried])[best, place]
        half[rows] = np.array([lengths for _, lengths in tried])[best, place]
    one = np.flatnonzero(many == 1)
    middle[one] = np.reshape([corners[k][0] for k in one.tolist()], (-1, 3))
    return Boxes(body, middle, axes, half, radius)


def spheres_around(body: Ints, corners: Sequence[Floats], radius: Floats) -> Boxes:
    """Spheres around the centres of bodies that hold these shapes, as boxes without length."""
    count = len(body)
    extent = np.array([np.linalg.norm(each, axis=1).max() for each in corners]) + radius
    return Boxes(body, np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3)), extent)


def _of_corners(X: Floats) -> Floats:
    """Axes (K, 3, 3) along the first edge of polygons (K, n, 3), across, and along the normal."""
    out = np.tile(np.eye(3), (len(X), 1, 1))
    if X.shape[1] < 3:
        return out
    edge, normal = X[:, 1] - X[:, 0], np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    length, area = np.linalg.norm(edge, axis=1), np.linalg.norm(normal, axis=1)
    flat = area > PARALLEL * length**2
    out[flat, 0] = edge[flat] / length[flat, None]
    out[flat, 2] = normal[flat] / area[flat, None]
    out[flat, 1] = np.cross(out[flat, 2], out[flat, 0])
    return out


def _within(X: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Middle and half lengths (K, 3) of the boxes with `axes` around the corners (K, n, 3)."""
    along = np.einsum("kni,kji->knj", X, axes)
    low, high = along.min(axis=1), along.max(axis=1)
    return np.einsum("kj,kji->ki", 0.5 * (low + high), axes), 0.5 * (high - low)


@kernel
def _place(boxes, x, q, grown, placed):
    """Write the boxes in space to `placed`; their ends are `grown` by a length [m]."""
    for k in range(boxes.body.shape[0]):
        b, size = boxes.body[k], boxes.radius[k] + grown
        middle = plus(row(x, b), 1.0, turned(q[b], row(boxes.middle, k)))
        for i in range(3):
            placed.middle[k, i] = middle[i]
            placed.low[k, i], placed.high[k, i] = middle[i] - size, middle[i] + size
        for j in range(3):
            axis = turned(q[b], row(boxes.axes[k], j))
            for i in range(3):
                placed.axes[k, j, i] = axis[i]
                placed.low[k, i] -= boxes.half[k, j] * abs(axis[i])
                placed.high[k, i] += boxes.half[k, j] * abs(axis[i])


@inlined
def _between(d, n, axes, half):
    """Distance [m] of two boxes along `n`, a unit vector; `d`: one middle, seen from the other."""
    apart = abs(dot(d, n))
    for j in range(3):
        apart -= abs(dot(n, row(axes[0], j))) * half[0][j] + abs(dot(n, row(axes[1], j))) * half[1][j]
    return apart


@kernel
def _are_near(d, axes, half, limit):
    """True unless an axis separates two boxes by more than the `limit` [m]."""
    for side in axes:
        for j in range(3):
            if _between(d, row(side, j), axes, half) > limit:
                return False
    for i in range(3):
        for j in range(3):
            n = cross(row(axes[0], i), row(axes[1], j))
            sine = math.sqrt(dot(n, n))
            if half[0][i] > 0.0 and half[1][j] > 0.0 and sine > PARALLEL:
                n = n[0] / sine, n[1] / sine, n[2] / sine
                if _between(d, n, axes, half) > limit:
                    return False
    return True


@kernel
def _keep_near(found, boxes, placed, reach, near):
    """Write to `near` (n,) which of the pairs `found` (n, 2) of boxes have gaps up to the `reach` [m].

    `boxes`, `placed`: those of both sides.
    """
    (one, two), (at, beside) = boxes, placed
    for k in range(found.shape[0]):
        a, b = found[k, 0], found[k, 1]
        if one.body[a] == two.body[b]:
            near[k] = False
            continue
        d = plus(row(at.middle, a), -1.0, row(beside.middle, b))
        axes, half = (at.axes[a], beside.axes[b]), (one.half[a], two.half[b])
        near[k] = _are_near(d, axes, half, one.radius[a] + two.radius[b] + reach)


def _placed(boxes: Boxes, x: Floats, q: Floats, reach: float) -> Placed:
    """The boxes where the bodies are."""
    count = len(boxes.body)
    placed = Placed(np.empty((count, 3)), np.empty((count, 3, 3)), np.empty((count, 3)), np.empty((count, 3)))
    _place(boxes, x, q, 0.5 * reach, placed)
    return placed


def near_turned_boxes(
    one: Boxes, two: Boxes, x: Floats, q: Floats, reach: float, cell: Floats | None = None
) -> tuple[Ints, Ints]:
    """Pairs of boxes of different bodies with gaps up to `reach` [m], in order.

    Returns the numbers (n,) on either side. `x` (B, 3), `q` (B, 4): poses of the bodies. One side that is
    both is paired with itself, the smaller number first. In a placed `cell` nearest images count; a pair is
    there once.

    Raises MemoryError as `near_boxes` does.
    """
    split, among = len(one.body), one is two
    if not np.isfinite(reach):
        check_room(split * (split - 1) // 2 if among else split * len(two.body))
        a, b = np.triu_indices(split, 1) if among else np.indices((split, len(two.body))).reshape(2, -1)
        near = one.body[a] != two.body[b]
        return a[near], b[near]
    if cell is not None and len(cell):
        return _near_images((one, two), (wrapped(x, cell), q), reach, cell)
    at = _placed(one, x, q, reach)
    return _near((one, two), (at, at if among else _placed(two, x, q, reach)), reach)


def _near(sides: tuple[Boxes, Boxes], placed: tuple[Placed, Placed], reach: float) -> tuple[Ints, Ints]:
    """`near_turned_boxes` of two sides that are `placed`."""
    (one, two), (at, beside) = sides, placed
    low, high, among, split = at.low, at.high, one is two, len(one.body)
    if not len(two.body):
        return two.body, two.body
    if not among:
        low, high = np.concatenate([low, beside.low]), np.concatenate([high, beside.high])
    found = near_boxes(low, high, split)
    found[:, 1] -= 0 if among else split
    near = np.empty(len(found), bool)
    _keep_near(found, sides, placed, reach, near)
    a, b = found.T
    return a[near], b[near]


def _near_images(
    sides: tuple[Boxes, Boxes], poses: tuple[Floats, Floats], reach: float, cell: Floats
) -> tuple[Ints, Ints]:
    """`near_turned_boxes` of bodies whose `poses` are in the `cell`.

    Side B has its boxes there, and images of them around the cell as far as they reach boxes of A. Among one
    side images on half of the ways have all pairs, in which A may be the larger number.
    """
    (one, two), many = sides, len(sides[1].body)
    at, ways = _placed(one, *poses, reach), ways_around(cell)
    beside = at if one is two else _placed(two, *poses, reach)
    ways = ways[: len(ways) // 2] if one is two else np.vstack([np.zeros(3), ways])
    way, number = images_beside((at.low, at.high), (beside.low, beside.high), ways)
    images = Boxes(two.body[number], *(column[number] for column in two[1:]))
    middle, low, high = (each[number] + ways[way] for each in (beside.middle, beside.low, beside.high))
    there = Placed(middle, beside.axes[number], low, high)
    a, b = _near((one, images), (at, there), reach)
    b = number[b]
    if one is two:
        c, d = _near(sides, (at, at), reach)
        a, b = np.append(c, np.minimum(a, b)), np.append(d, np.maximum(a, b))
    a, b = np.divmod(np.unique(a * many + b), many)
    return a, b
