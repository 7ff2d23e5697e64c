"""The one signature of compiled geometries: functions that measure a run of candidates.

    @geometry_kernel
    def measure(first, last, candidates, section, scene): ...

It measures the candidates `first` to `last` - 1 in the `scene`, and writes to `candidates` their gap [m],
unit normal from B to A, levers [m] (see contact_kinematics.py) and length [m], unless that is the radius of
body A; to `section`, as far as that has rows, the rest of what laws of compliant contact read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from nsgalpha.checks import refuse
from nsgalpha.jit.addresses import AVAILABLE, Deferred

_motion = empty_motion(0)
_scene = Scene(no_shapes(), no_planes(), np.empty(0), _motion.x, _motion.q, no_cell())

#: Signature of a compiled geometry.
GEOMETRY = nb.void(nb.int64, nb.int64, *map(nb.typeof, (no_candidates(), no_section(), _scene)))


@dataclass(frozen=True)
class Geometry:
    """A compiled geometry with its options, which it finds in `scene.options`.

    images: True if it measures two bodies to the nearest image in `scene.cell`; False if both sides stand
    where they are placed, whatever the cell; None if it knows no cells, and models that have one refuse it.
    """

    kernel: Deferred
    options: tuple[float, ...] = ()
    images: bool | None = None

    def with_options(self, *options: float) -> Geometry:
        """The same geometry with other numbers, as many as it has; ValueError for another number of them."""
        if len(options) != len(self.options):
            raise refuse("options", options, f"{len(self.options)} numbers")
        return replace(self, options=tuple(map(float, options)))


def geometry_kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    options: tuple[float, ...] = (),
    images: bool | None = None,
) -> Any:
    """Decorator of a geometry, compiled on first use and kept in the cache.

    options: the numbers that it takes, as they are by default. images: its way in periodic cells, see
    Geometry.
    """
    if function is None:
        return partial(geometry_kernel, options=options, images=images)
    return Geometry(Deferred(GEOMETRY, function), tuple(map(float, options)), images)


def tables(geometries: Sequence[Geometry]) -> tuple[Ints, Floats]:
    """Addresses (K,) of `geometries`, and their options (K, k)."""
    options = np.zeros((len(geometries), max((len(each.options) for each in geometries), default=0)))
    for row, geometry in zip(options, geometries, strict=True):
        row[: len(geometry.options)] = geometry.options
    address = [each.kernel.address for each in geometries]
    return np.array(address, np.int64 if AVAILABLE else object), options
