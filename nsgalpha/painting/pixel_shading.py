"""Colours of the rays of a picture, compiled: each by its first hit.

    colour (0.42 + 0.13 |n . s| + 0.55 l) + 0.35 max(n . h, 0)^60 of balls and rods in the light

The normal n points to the eye, and s is the direction of the ray. Halfway between the eye and the light is h.
The cosine l between n and the light is 0 in shadows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.geometry.rotations import turned_back
from nsgalpha.geometry.vector_triples import combined, dot, plus, row
from nsgalpha.jit.decorators import fused, inlined, unlocked
from nsgalpha.painting.ray_hits import Single

FILL, EDGE, LIGHT, GLEAM, SHARPNESS = 0.42, 0.13, 0.55, 0.35, 60
MARK = 0.6  # part of white in the marked octants of a ball
DARKER = 0.06  # squares of planes
BACKGROUND = 0.97


class Lamp(NamedTuple):
    """A camera far away. Things that it sees are in the light."""

    depth: Single  # (n, n) [m] of lit things
    axes: Floats  # (3, 3), rows
    start: Floats  # (3,) of the eye in its axes [m]
    scale: float  # of its rays per unit
    slack: float  # [m] off a surface, which does not shade itself then


class RoundShapes(NamedTuple):
    """Balls and rods as `painter.Rounds`, from the eye."""

    a: Floats
    axis: Floats  # (K, 3), zero for a ball
    radius: Floats
    colour: Floats
    rotation: Floats


class FlatShapes(NamedTuple):
    """Faces: corners from the eye, normals, edges of squares over their size."""

    corner: Floats  # (F, 3)
    normal: Floats  # (F, 3)
    squares: Floats  # (F, 2, 3)
    colour: Floats  # (F, 3)


@fused
def _times(s, a):
    """`s a`."""
    return s * a[0], s * a[1], s * a[2]


@fused
def _direction(a):
    """The direction of `a`."""
    return _times(1.0 / math.sqrt(dot(a, a)), a)


@inlined
def _of_round(rounds, k, point):
    """Normal and colour of a ball, every second octant marked, or rod."""
    axis, arm = row(rounds.axis, k), plus(point, -1.0, row(rounds.a, k))
    square = dot(axis, axis)
    if square > 0.0:
        arm = plus(arm, -min(max(dot(arm, axis) / square, 0.0), 1.0), axis)
    normal = _times(1.0 / rounds.radius[k], arm)
    colour = row(rounds.colour, k)
    if square == 0.0:
        own = turned_back(rounds.rotation[k], normal)
        if own[0] * own[1] * own[2] > 0.0:
            colour = plus(_times(1.0 - MARK, colour), MARK, (1.0, 1.0, 1.0))
    return normal, colour


@inlined
def _of_face(faces, k, point):
    """Normal and colour of a face, with squares along its first edge."""
    colour, edge, other = row(faces.colour, k), row(faces.squares[k], 0), row(faces.squares[k], 1)
    from_corner = plus(point, -1.0, row(faces.corner, k))
    odd = (math.floor(dot(from_corner, edge)) + math.floor(dot(from_corner, other))) % 2.0
    return row(faces.normal, k), _times(1.0 - DARKER * odd, colour)


@inlined
def _is_lit(lamp, point, normal):
    """False in the shadow of something; the `point` is from the eye."""
    off = plus(point, lamp.slack, normal)
    x = dot(off, row(lamp.axes, 0)) + lamp.start[0]
    y = dot(off, row(lamp.axes, 1)) + lamp.start[1]
    z = dot(off, row(lamp.axes, 2)) + lamp.start[2]
    n = lamp.depth.shape[0]
    j, i = math.floor(x / z * lamp.scale + 0.5 * n), math.floor(y / z * lamp.scale + 0.5 * n)
    if not (0 <= i < n and 0 <= j < n):
        return True
    return not z > lamp.depth[i, j] + lamp.slack


@unlocked
def shade_rays(image, rays, lamp, rounds, faces):
    """Write the colours of all hits to the `image` (height, width, 3), and that of the BACKGROUND."""
    first = rounds.radius.shape[0]
    towards = _times(-1.0, row(lamp.axes, 2))
    right, down, forward = row(rays.axes, 0), row(rays.axes, 1), row(rays.axes, 2)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            k = rays.thing[i, j]
            if k < 0:
                image[i, j, 0] = image[i, j, 1] = image[i, j, 2] = BACKGROUND
                continue
            ray = combined(rays.x[j], right, rays.y[i], down, 1.0, forward)
            point = _times(rays.depth[i, j], ray)
            seen = _direction(ray)
            if k < first:
                normal, colour = _of_round(rounds, k, point)
            else:
                normal, colour = _of_face(faces, k - first, point)
            away = dot(normal, seen)
            if away > 0.0:
                normal = _times(-1.0, normal)
            lit = max(dot(normal, towards), 0.0)
            if lit > 0.0 and not _is_lit(lamp, point, normal):
                lit = 0.0
            bright, gleam = FILL + EDGE * abs(away) + LIGHT * lit, 0.0
            if lit > 0.0 and k < first:
                gleam = GLEAM * max(dot(normal, _direction(plus(towards, -1.0, seen))), 0.0) ** SHARPNESS
            for axis in range(3):
                image[i, j, axis] = bright * colour[axis] + gleam


@unlocked
def lay_over(image, nearest, depth, colour, opacity):
    """Lay a translucent thing at the `depth` (rows, columns) over the `image` where nothing is nearer."""
    for i in range(depth.shape[0]):
        for j in range(depth.shape[1]):
            if depth[i, j] < nearest[i, j]:
                for axis in range(3):
                    seen = image[i, j, axis]
                    image[i, j, axis] = np.float32(seen + opacity * (colour[axis] - seen))


@unlocked
def averaged(image, fineness):
    """Picture (height, width, 3), 0 to 255, of the means of `fineness` times `fineness` rays."""
    height, width = image.shape[0] // fineness, image.shape[1] // fineness
    picture = np.empty((height, width, 3), np.uint8)
    factor = np.float32(255.0 / fineness**2)
    for i in range(height):
        for j in range(width):
            for axis in range(3):
                total = np.float32(0.0)
                for a in range(fineness):
                    for b in range(fineness):
                        total += image[fineness * i + a, fineness * j + b, axis]
                level = min(max(total * factor, np.float32(0.0)), np.float32(255.0))
                picture[i, j, axis] = np.uint8(level + np.float32(0.5))
    return picture
