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
from typing import Any, NamedTuple

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
from nsgalpha.checks import refuse
from nsgalpha.jit.addresses import AVAILABLE, Deferred, named
from nsgalpha.jit.decorators import inlined
from nsgalpha.model.geometry_interface import Geometry

_motion = empty_motion(0)
_scene = Scene(no_shapes(), no_planes(), np.empty(0), _motion.x, _motion.q, no_cell())

#: Signatures of a compiled geometry, and of its selection.
SELECTION = nb.void(nb.int64, *map(nb.typeof, (no_candidates(), _scene, np.empty(0, np.int64))))
GEOMETRY = nb.void(nb.int64, nb.int64, *map(nb.typeof, (no_candidates(), no_section(), _scene)))


def geometry_kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    options: tuple[float, ...] = (),
    images: bool | None = None,
    features: tuple[tuple[int, int], ...] = (),
    select: Callable[..., None] | None = None,
    slots: int = 0,
) -> Any:
    """Decorator of a geometry, compiled on first use and kept in the cache.

    options: the numbers that it takes, as they are by default. images: its way in periodic cells.
    features: those of A and B of each contact of a pair. select, slots: in their place a function that
    selects them, for at most so many contacts,

        def select(c, candidates, scene, keys): ...

    It selects the features of the pair of candidate `c`, and puts their keys by `put_key`. See Geometry.
    """
    if function is None:
        return partial(
            geometry_kernel, options=options, images=images, features=features, select=select, slots=slots
        )
    if (select is None) != (slots == 0):
        raise refuse("slots", slots, "> 0 with select, and 0 without")
    chosen = None if select is None else Deferred(SELECTION, select)
    return Geometry(Deferred(GEOMETRY, function), tuple(map(float, options)), images, features, chosen, slots)


@inlined
def put_key(keys, key):
    """Add a `key` to `keys` (slots + 1,), whose last entry is their number."""
    last = keys.shape[0] - 1
    if keys[last] < last:
        keys[keys[last]] = key
    keys[last] += 1


class Selection(NamedTuple):
    """Selections of features by K geometries."""

    address: Ints  # (K,) of their functions, 0 without one
    slots: Ints  # (K,) contacts of a pair at most, 0 without one


def selection_of(geometries: Sequence[Geometry]) -> Selection | None:
    """Selections of features by the `geometries`; None if no geometry selects."""
    slots = np.array([each.slots for each in geometries], np.int64)
    if not slots.any():
        return None
    address = [0 if each.select is None else each.select.address for each in geometries]
    return named(Selection(np.array(address, np.int64 if AVAILABLE else object), slots))


def tables(geometries: Sequence[Geometry]) -> tuple[Ints, Floats]:
    """Addresses (K,) of `geometries`, and their options (K, k)."""
    options = np.zeros((len(geometries), max((len(each.options) for each in geometries), default=0)))
    for row, geometry in zip(options, geometries, strict=True):
        row[: len(geometry.options)] = geometry.options
    address = [each.kernel.address for each in geometries]
    return np.array(address, np.int64 if AVAILABLE else object), options
