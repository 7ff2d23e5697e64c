"""The capsules that rigid bodies carry, as arrays for the kernels.

The shapes of a body are numbered: its own sphere, if it has a radius, is number 0, its capsules follow in the
order in which they were added.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Segments
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


def segments_of(model: Owner, size: int) -> Segments:
    """The capsules of all bodies of the `model`, whose bodies and frames are `size`."""
    capsules = [
        (p.carrier.index, p) for p in model.shapes.primitives if isinstance(p.carrier, Body) and is_capsule(p)
    ]
    capsules.sort(key=lambda each: each[0])
    many = np.bincount([body for body, _ in capsules], minlength=size)
    own = np.zeros(size, np.int64)
    own[: len(model.bodies)] = [body.radius > 0.0 for body in model.bodies]
    return Segments(
        np.cumsum(many) - many - own,
        np.reshape([ends_of(primitive) for _, primitive in capsules], (-1, 2, 3)),
        np.array([primitive.radius for _, primitive in capsules], float),
    )
