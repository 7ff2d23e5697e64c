"""The output of all geometries, and their use on arrays of primitives."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.checks import count, floats, function, instance, refuse
from nsgalpha.compiled import kernel
from nsgalpha.model.primitives import Measured, Primitives, no_measured
from nsgalpha.schemes.explicit.triples import store


class Extent(NamedTuple):
    """The measures of one contact beside its overlap, as in `Measured`."""

    effective_radius: float  # [m]
    contact_radius: float  # [m]
    area: float  # [m^2]
    fraction: float


@kernel
def put(out, c, overlap, normal, point, extent, rejected):
    """Contact `c`, but for its weights."""
    out.overlap[c] = overlap
    store(normal, out.normal, c, 0)
    store(point, out.point, c, 0)
    out.effective_radius[c] = extent.effective_radius
    out.contact_radius[c] = extent.contact_radius
    out.area[c] = extent.area
    out.fraction[c] = extent.fraction
    out.rejected[c] = rejected


def measured(
    measure: Callable[..., None], A: Primitives, B: Primitives, *options: Any, contacts: int = 1
) -> Measured:
    """Contacts of every primitive of `A` with the one of the same number of `B`.

    `options` are those of `measure`, which writes `contacts` for every pair.

    Raises ValueError if A and B are not as many.
    """
    function("measure", measure, "a compiled geometry")
    for name, side in (("A", A), ("B", B)):
        instance(name, side, Primitives, "Primitives", "primitives(corners, radius) makes them")
    each = count("contacts", contacts)
    pairs = len(A.corners)
    if len(B.corners) != pairs:
        raise refuse(
            "B", f"{len(B.corners)} primitives", f"as many as A, {pairs}", "repeat the rows of pairs"
        )
    out = no_measured(each * pairs, A.corners.shape[1], B.corners.shape[1])
    number = np.arange(pairs)
    measure(0, pairs, number, number, A, B, out, *options)
    return out


def primitives(corners: ArrayLike, radius: ArrayLike = 0.0) -> Primitives:
    """Primitives that share no points, from `corners` (K, N, 3) [m] and `radius` [m], (K,) or one of all.

    Raises ValueError for arrays of other shapes, and values that are not finite.
    """
    x = floats("corners", corners, "finite, of the shape (primitives, points, 3)")
    if x.ndim != 3 or x.shape[2] != 3 or not np.isfinite(x).all():
        raise refuse("corners", f"array {x.shape}", "finite, of the shape (primitives, points, 3)")
    K, N, _ = x.shape
    r = floats("radius", radius, f"finite, one number or {K}")
    if r.shape not in ((), (K,)) or not np.isfinite(r).all():
        raise refuse("radius", radius, f"finite, one number or {K}")
    return Primitives(
        x.reshape(-1, 3), np.arange(K * N, dtype=np.int64).reshape(K, N), np.broadcast_to(r, K).copy()
    )
