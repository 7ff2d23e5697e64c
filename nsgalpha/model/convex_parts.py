"""Concave solids divided into convex parts by CoACD (extra "convex").

X. Wei et al., Approximate convex decomposition for 3D meshes with collision-aware concavity and tree search,
ACM Trans. Graph. 41 (2022) 42. Parts are hulls of pieces between planes. The concavity is the largest
distance of a piece from its hull, over the half width of the solid. The last divisions are kept, by their
content.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import refuse
from nsgalpha.model.hulls import hull_of

LEAST, MOST = 0.01, 1.0  # concavity
SNAPPED = 1e-6  # distance of corners, over the size, that are one
KEPT = 64  # divisions

_known: OrderedDict[bytes, list[tuple[Floats, Ints]]] = OrderedDict()


def convex_parts(name: str, x: Floats, triangles: Ints, concavity: Any) -> list[tuple[Floats, Ints]]:
    """Vertices (V, 3) and triangles (T, 3) of each part of the solid within a closed surface.

    concavity: of the parts, .01 to 1. Raises ValueError for another value, and for the source `name` if it
    cannot be divided, ImportError without coacd.
    """
    if (
        isinstance(concavity, bool)
        or not isinstance(concavity, int | float)
        or not LEAST <= concavity <= MOST
    ):
        raise refuse("concavity", concavity, f"{LEAST} to {MOST:g}", "the smaller, the more parts")
    key = sha256(x.tobytes() + triangles.tobytes() + np.float64(concavity).tobytes()).digest()
    if key not in _known:
        _known[key] = _divided(name, x, triangles, float(concavity))
        if len(_known) > KEPT:
            _known.popitem(last=False)
    _known.move_to_end(key)
    return _known[key]


def _divided(name: str, x: Floats, triangles: Ints, concavity: float) -> list[tuple[Floats, Ints]]:
    """The parts, as coacd finds them."""
    try:
        import coacd
    except ImportError:
        raise ImportError("concavity: coacd divides solids: pip install nsgalpha[convex]") from None
    coacd.set_log_level("error")
    size = float(np.ptp(x, axis=0).max())
    origin, places = x.mean(axis=0), cKDTree(x)
    mesh = coacd.Mesh((x - origin) / size, triangles.astype(np.int32))
    parts = []
    for vertices, _ in coacd.run_coacd(mesh, threshold=concavity, seed=0):
        corners = origin + size * np.asarray(vertices, np.float64)
        apart, nearest = places.query(corners)
        near = apart <= SNAPPED * size
        corners[near] = x[nearest[near]]
        parts.append(hull_of(name, np.unique(corners, axis=0)))
    if not parts:
        raise refuse("source", name, "a solid that coacd can divide", "take hull=True, or repair it")
    return parts
