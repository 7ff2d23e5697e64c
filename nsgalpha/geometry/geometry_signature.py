"""The one signature of compiled geometries: functions that measure a run of candidates.

    @geometry_kernel
    def measure(first, last, candidates, section, scene): ...

It measures the candidates `first` to `last` - 1 in the `scene`. To `candidates` it writes their gap [m], unit
normal from B to A, levers [m] (see contact_kinematics.py) and length [m], unless that is the radius of body
A. To `section`, as far as that has rows, it writes the other inputs of laws of compliant contact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numba as nb
import numpy as np

from nsgalpha.arrays import (
    Floats,
    Ints,
    Scene,
    empty_motion,
    no_candidates,
    no_cell,
    no_planes,
    no_section,
    no_shapes,
)
from nsgalpha.jit.addresses import AVAILABLE, Deferred
from nsgalpha.model.geometry_interface import Geometry

_motion = empty_motion(0)
_scene = Scene(no_shapes(), no_planes(), np.empty(0), _motion.x, _motion.q, no_cell())

#: Signature of a compiled geometry.
GEOMETRY = nb.void(nb.int64, nb.int64, *map(nb.typeof, (no_candidates(), no_section(), _scene)))


def geometry_kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    options: tuple[float, ...] = (),
    images: bool | None = None,
    features: tuple[tuple[int, int], ...] = (),
) -> Any:
    """Decorator of a geometry, compiled on first use and kept in the cache.

    options: the numbers that it takes, as they are by default. images: its way in periodic cells.
    features: those of A and B of each contact of a pair, see Geometry.
    """
    if function is None:
        return partial(geometry_kernel, options=options, images=images, features=features)
    return Geometry(Deferred(GEOMETRY, function), tuple(map(float, options)), images, features)


def tables(geometries: Sequence[Geometry]) -> tuple[Ints, Floats]:
    """Addresses (K,) of `geometries`, and their options (K, k)."""
    options = np.zeros((len(geometries), max((len(each.options) for each in geometries), default=0)))
    for row, geometry in zip(options, geometries, strict=True):
        row[: len(geometry.options)] = geometry.options
    address = [each.kernel.address for each in geometries]
    return np.array(address, np.int64 if AVAILABLE else object), options
