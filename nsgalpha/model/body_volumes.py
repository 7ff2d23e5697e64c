"""Volumes of bodies, by the shapes that they carry.

Balls of a body may overlap, as in clumps, and count once. Capsules, closed surfaces and round ones (cylinders
and cones) are apart from each other. Open surfaces have no volume.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.model.carried_shapes import corners_of, is_ball, is_capsule
from nsgalpha.model.clumps import clump_properties
from nsgalpha.model.convex_solids import SIDES, connected, corners_and_faces, divided_faces, round_solids
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.mass_properties import capsule_properties
from nsgalpha.model.model import Model
from nsgalpha.model.rounded_polytopes import layer_moments

#: Area of a circle over that of the polygon which is shown in its place.
CIRCLE = math.pi / (0.5 * SIDES * math.sin(2.0 * math.pi / SIDES))


def body_volumes(model: Model) -> Floats:
    """Volumes (N,) [m^3] of the bodies of a model."""
    volume = np.zeros(len(model.bodies))
    balls: dict[int, list[tuple[float, ...]]] = {}
    for body in model.bodies:
        if body.radius > 0.0:
            balls.setdefault(body.index, []).append((0.0, 0.0, 0.0, body.radius))
    faces: list[Primitive] = []
    for each in model.shapes.primitives:
        carrier = each.carrier
        if not isinstance(carrier, Body):
            continue
        if is_ball(each):
            balls.setdefault(carrier.index, []).append((*corners_of(each)[0].tolist(), each.radius))
        elif is_capsule(each) and each.radius > 0.0:
            one, two = corners_of(each)
            bulk = capsule_properties(each.radius, float(np.linalg.norm(two - one)))
            volume[carrier.index] += bulk.volume
        elif each.rigid and len(each.corners) > 2:
            faces.append(each)
    known: dict[bytes, float] = {}  # of unions
    for index, own in balls.items():
        volume[index] += _union(np.array(own), known)
    for group in connected(divided_faces(faces)[0]):
        assert isinstance(group[0].carrier, Body)
        volume[group[0].carrier.index] += _within(group)
    return volume


def _union(balls: Floats, known: dict[bytes, float]) -> float:
    """Volume of the union of `balls` (K, 4)."""
    apart = (np.linalg.norm(one[:3] - two[:3]) >= one[3] + two[3] for one, two in combinations(balls, 2))
    if all(apart):
        return float((4.0 / 3.0 * np.pi * balls[:, 3] ** 3).sum())
    key = balls.tobytes()
    if key not in known:
        known[key] = clump_properties(balls, 1.0)[0].volume
    return known[key]


def _within(group: list[Primitive]) -> float:
    """Volume within the closed surface of a `group` of faces; 0 where it is inside out."""
    x, faces = corners_and_faces(group)
    x = x - x.mean(axis=0)
    rows = np.array([(face[0], *pair) for face in faces for pair in pairwise(face[1:])])
    a, b, c = (x[rows[:, k]] for k in range(3))
    volume = float((a * np.cross(b, c)).sum()) / 6.0
    if volume <= 0.0:
        return 0.0
    if group[0].radius > 0.0:
        return volume + layer_moments(x, rows, group[0].radius)[0]
    return volume * CIRCLE if round_solids("faces", group) else volume
