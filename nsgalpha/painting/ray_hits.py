"""Hits of rays with balls and faces, compiled. Rays are (x, y, 1) in the axes of a camera: see painter.py."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import Floats
from nsgalpha.jit.decorators import fused, inlined, kernel, unlocked

Single = NDArray[np.float32]
Numbers = NDArray[np.int32]

BESIDE = 1e6  # the eye is beside a ball, which may be in any direction


class Rays(NamedTuple):
    """Rays (x, y, 1) in the `axes` of a camera, and their first hits."""

    thing: Numbers  # (height, width), -1: nothing
    depth: Single  # (height, width) [m]
    x: Single  # (width,)
    y: Single  # (height,)
    axes: Floats  # (3, 3), rows
    scale: float  # rays per unit


@inlined
def _extent(at, z, radius):
    """Least and largest x, or y, of rays that meet a ball there."""
    if z <= 1.0001 * radius:
        return -BESIDE, BESIDE
    workspace = radius * math.sqrt(at * at + z * z - radius * radius)
    square = z * z - radius * radius
    return (at * z - workspace) / square, (at * z + workspace) / square


@inlined
def _places(low, high, scale, count):
    """First and last + 1 of `count` rays between `low` and `high`."""
    first = min(max(math.floor(low * scale + 0.5 * count), 0), count)
    return first, max(min(max(math.ceil(high * scale + 0.5 * count), 0), count), first)


@kernel
def ball_window(ends, radius, scale, width, height):
    """Columns and rows, first and last + 1, of rays that meet balls at the `ends` (n, 3)."""
    left, right, top, bottom = math.inf, -math.inf, math.inf, -math.inf
    for k in range(ends.shape[0]):
        x0, x1 = _extent(ends[k, 0], ends[k, 2], radius)
        y0, y1 = _extent(ends[k, 1], ends[k, 2], radius)
        left, right, top, bottom = min(left, x0), max(right, x1), min(top, y0), max(bottom, y1)
    return *_places(left, right, scale, width), *_places(top, bottom, scale, height)


@fused
def _depth(x, y, c, radius, sign):
    """Depth of the first hit of a ball at `c`, or the last for a `sign` of 1."""
    a, b = 1.0 + x * x + y * y, c[0] * x + c[1] * y + c[2]
    # (d.c)^2 - d.d (c.c - r^2) without the difference of large numbers: the distance of centre and ray
    u, v, w = c[1] - c[2] * y, c[2] * x - c[0], c[0] * y - c[1] * x
    root = radius * radius * a - (u * u + v * v + w * w)
    depth = (b + sign * math.sqrt(root)) / a if root >= 0.0 else math.inf
    return depth if depth > 0.0 else math.inf


@kernel
def ball_depth(x, y, centre, radius, hollow):
    """Depth (rows, columns) of first hits, or last ones of a hollow ball."""
    depth = np.empty((y.shape[0], x.shape[0]), np.float32)
    sign = 1.0 if hollow else -1.0
    for i in range(y.shape[0]):
        for j in range(x.shape[0]):
            depth[i, j] = _depth(x[j], y[i], centre, radius, sign)
    return depth


@unlocked
def hit_balls(rays, which, centre, radius, hollow):
    """Let the balls `which` (n,) of K hit the `rays`, which keep the nearest."""
    x, y, depth = rays.x, rays.y, rays.depth
    for k in which:
        r, c = radius[k], centre[k]
        if r == 0.0 or c[2] <= -r:
            continue  # nothing, or behind the eye
        first, last, top, bottom = ball_window(centre[k : k + 1], r, rays.scale, x.shape[0], y.shape[0])
        sign = 1.0 if hollow[k] else -1.0
        for i in range(top, bottom):
            for j in range(first, last):
                found = np.float32(_depth(x[j], y[i], c, r, sign))
                if found < depth[i, j]:
                    depth[i, j], rays.thing[i, j] = found, k


@inlined
def _window(corner, first, last, rays):
    """Columns and rows, first and last + 1, of rays between the corners `first` to `last` of a face."""
    left, right, top, bottom = math.inf, -math.inf, math.inf, -math.inf
    for k in range(first, last):
        x, y = corner[k, 0], corner[k, 1]
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    height, width = rays.depth.shape
    return *_places(left, right, rays.scale, width), *_places(top, bottom, rays.scale, height)


@inlined
def _is_inside(corner, first, last, x, y, towards):
    """True if the ray (x, y, 1) meets a convex face, whose outward side is seen `towards` 1, or -1."""
    a = last - 1
    for b in range(first, last):
        x0, y0, x1, y1 = corner[a, 0], corner[a, 1], corner[b, 0], corner[b, 1]
        if towards * (x1 - x0) * (y - y0) > towards * (y1 - y0) * (x - x0):
            return False
        a = b
    return True


@unlocked
def hit_faces(rays, things, corner, start, normal, distance):
    """Let faces hit the `rays`, which keep the nearest, with the numbers `things` (F,).

    corner (P, 2): rays to the corners, those of face k from start[k] to start[k + 1]. Normals (F, 3), and
    distances (F,) of the planes along them [m].
    """
    x, y, depth = rays.x, rays.y, rays.depth
    for k in range(things.shape[0]):
        begin, end, away = start[k], start[k + 1], distance[k]
        if end == begin or away == 0.0:
            continue
        towards = -1.0 if away > 0.0 else 1.0
        first, last, top, bottom = _window(corner, begin, end, rays)
        for i in range(top, bottom):
            for j in range(first, last):
                if not _is_inside(corner, begin, end, x[j], y[i], towards):
                    continue
                found = np.float32(away / (normal[k, 0] * x[j] + (normal[k, 1] * y[i] + normal[k, 2])))
                if 0.0 < found < depth[i, j]:
                    depth[i, j], rays.thing[i, j] = found, things[k]
