"""The capsules that rigid bodies carry, as arrays for the kernels.

The shapes of a body are numbered: its own sphere, if it has a radius, is number 0, its capsules follow in the
order in which they were added.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, ShapeTable
from nsgalpha.model.handles import Body, Owner, Primitive


def is_capsule(primitive: Primitive) -> bool:
    """True if it has two corners, fixed in the frame of a body."""
    return primitive.rigid and len(primitive.corners) == 2 and isinstance(primitive.carrier, Body)


def shape_numbers(model: Owner) -> dict[int, int]:
    """The number on its body of every capsule, by that of the primitive."""
    free = [int(body.radius > 0.0) for body in model.bodies]
    numbers = {}
    for primitive in model.shapes.primitives:
        if isinstance(primitive.carrier, Body) and is_capsule(primitive):
            numbers[primitive.index] = free[primitive.carrier.index]
            free[primitive.carrier.index] += 1
    return numbers


def ends_of(primitive: Primitive) -> Floats:
    """Corners (n, 3) [m] of a rigid primitive in the frame of its carrier."""
    return np.array([primitive.model.shapes.places[row] for row in primitive.corners])


def extent_of(primitive: Primitive) -> float:
    """Radius [m] of the sphere around the centre of the carrier that holds a rigid primitive."""
    return float(np.linalg.norm(ends_of(primitive), axis=1).max()) + abs(primitive.radius)


def shapes_of(model: Owner, radius: Floats) -> ShapeTable:
    """The shapes of all bodies and frames of the `model`, whose spheres have the `radius` (B,)."""
    capsules = [
        (p.carrier.index, p) for p in model.shapes.primitives if isinstance(p.carrier, Body) and is_capsule(p)
    ]
    capsules.sort(key=lambda each: each[0])
    many = np.bincount(np.array([body for body, _ in capsules], np.int64), minlength=len(radius))
    return ShapeTable(
        radius,
        np.cumsum(many) - many - (radius > 0.0),
        np.reshape(np.array([ends_of(capsule) for _, capsule in capsules], float), (-1, 2, 3)),
        np.array([capsule.radius for _, capsule in capsules], float),
    )
