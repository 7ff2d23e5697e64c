"""Many spheres at once: their arguments as arrays, checked together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Flags, Floats
from nsgalpha.checks import UNIT_ROUNDING, finite, refuse
from nsgalpha.model.handles import Body, Owner
from nsgalpha.model.model_names import Names

MOTION = "position", "velocity", "angular_velocity", "rotation"


def add_spheres(
    model: Owner, names: Names, radius: ArrayLike, mass: ArrayLike, *motion: ArrayLike
) -> list[Body]:
    """See `Model.add_spheres`; `motion`: position, velocity, angular velocity, rotation."""
    position = finite("position", motion[0], "N rows of three finite numbers")
    if position.ndim != 2 or position.shape[1] != 3:
        raise refuse("position", motion[0], "N rows of three finite numbers")
    count = len(position)
    r, m = (_positive(name, value, count) for name, value in (("radius", radius), ("mass", mass)))
    x, v, w, q = (
        _rows(name, value, count, width)
        for name, value, width in zip(MOTION, motion, (3, 3, 3, 4), strict=True)
    )
    with np.errstate(over="ignore"):
        length = np.linalg.norm(q, axis=1)
        moment = 0.4 * m * r**2
    _check("rotation", q, (length > 0.0) & np.isfinite(length), "different from zero, of finite length")
    known = (moment > 0.0) & np.isfinite(moment)
    _check("mass", m, known, "such that the inertia 2/5 m r^2 is a number above 0")
    scaled = np.abs(length - 1.0) > UNIT_ROUNDING
    q[scaled] /= length[scaled, None]
    inertia = moment[:, None, None] * np.eye(3)
    made, first = [], len(model.bodies)
    for k, (radius_k, mass_k) in enumerate(zip(r.tolist(), m.tolist(), strict=True)):
        name = names.free(None, "sphere", first + k)
        motion_k = x[k], v[k], w[k], q[k]
        made.append(Body(model, first + k, name, radius_k, mass_k, inertia[k], *motion_k, turns=True))
        names.take(name)
    model.bodies += made
    return made


def _rows(name: str, value: ArrayLike, count: int, width: int) -> Floats:
    """`value` (width,) for all or (count, width), as a separate array (count, width)."""
    allowed = f"{width} finite numbers, or {count} rows of them"
    array = finite(name, value, allowed)
    if array.shape not in ((width,), (count, width)):
        raise refuse(name, value, allowed)
    return np.broadcast_to(array, (count, width)).copy()


def _positive(name: str, value: ArrayLike, count: int) -> Floats:
    """`value`, a number for all or (count,), as an array (count,)."""
    allowed = f"a positive number, or {count} of them"
    array = finite(name, value, allowed)
    if array.shape not in ((), (count,)):
        raise refuse(name, value, allowed)
    array = np.broadcast_to(array, count)
    _check(name, array, array > 0.0, "positive and finite")
    return array


def _check(name: str, values: Floats, right: Flags, allowed: str) -> None:
    """ValueError that names the first row that is not `right` (N,)."""
    for k in np.flatnonzero(~right)[:1]:
        raise refuse(f"{name}[{k}]", values[k].tolist(), allowed)
