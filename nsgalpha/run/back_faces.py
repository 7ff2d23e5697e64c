"""Grains behind one-sided polygons, which also push bodies from behind to their front.

Take a sphere of the radius r, or the end of a capsule. Its centre is behind a face by up to r, with its foot
in the face. It is pushed through to the front with a force that no overlap of that size explains. It was
stated so, or came around the face, or sank in deeper than its radius. Points have no radius, and may be at
any depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags, Floats, Motion, empty_motion
from nsgalpha.forces.shape_arrays import boxes, coordinates, placed, side_of
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.contact_element import SurfaceElement
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.system.system import System


class BackFaces:
    """The looks at a run for grains behind polygons."""

    def __init__(self, system: System) -> None:
        self.system = system
        sided = [each for each in system.surfaces if isinstance(each, SurfaceElement)]
        self._elements = [_Faces(each, system) for each in sided if getattr(each, "one_sided", False)]
        self.shapes = sum(each.count for each in self._elements)
        #: names of grains, and behind which polygon and when they were seen first [s]
        self.grains: dict[str, tuple[str, float]] = {}

    def look(self, t: float, x: Floats, q: Floats, there: Flags) -> None:
        """Look at the time `t` [s] at bodies (N) at `x`, `q` that are `there` (N,)."""
        if not (np.isfinite(x).all() and np.isfinite(q).all()):
            return
        motion, count = empty_motion(self.system.size), self.system.count
        motion.x[:count], motion.q[:count] = x, q
        self.system.place_frames(motion, t)
        present = np.ones(self.system.size, bool)
        present[:count] = there
        for faces in self._elements:
            if acts_at(faces.element, t):
                for grain, face in faces.behind(motion, present):
                    self.grains.setdefault(grain, (face, t))

    def __str__(self) -> str:
        """A sentence of the status, or nothing."""
        if not self.grains:
            return ""
        grain, (face, t) = next(iter(self.grains.items()))
        more = f" (and {len(self.grains) - 1} others)" if len(self.grains) > 1 else ""
        return (
            f"{grain!r}{more} was behind the polygon {face!r}, first seen at t = {t:g} s: it pushes to its "
            "front alone, turn it (its corners are counter-clockwise from the front), or flip_normals=True"
        )


class _Faces:
    """The polygons, side A, and the spheres or capsules of an element."""

    def __init__(self, element: SurfaceElement, system: System) -> None:
        self.element = element
        self._handles = element.sides
        at = placed(element.sides, system.points(), system)
        self._points = at.points
        self._A, self._B = (side_of(side, at, system.count) for side in element.sides)
        self.count = len(self._A.number) + len(self._B.number)

    def behind(self, motion: Motion, present: Flags) -> Iterator[tuple[str, str]]:
        """Names of grains and of the polygons that they are behind."""
        A, B = self._A, self._B
        points = coordinates(self._points, motion)
        low, high = (np.concatenate(ends) for ends in zip(boxes(points, A), boxes(points, B), strict=True))
        found = near_boxes(low, high, len(A.number))
        a, b = found[:, 0], found[:, 1] - len(A.number)
        of_a, of_b = A.slots[a], B.slots[b]
        kept = ~(of_a[:, :, None] == of_b[:, None, :]).any(axis=(1, 2)) & (B.radius[b] > 0.0)
        kept &= present[of_a].all(axis=1) & present[of_b].all(axis=1)
        a, b = a[kept], b[kept]
        if not len(a):
            return
        corners = A.corners[a]
        X = points[np.where(corners >= 0, corners, corners[:, :1])]
        inside = np.zeros(len(a), bool)
        for end in range(B.corners.shape[1]):
            centre = points[np.maximum(B.corners[b, end], 0)]
            inside |= (B.corners[b, end] >= 0) & _is_behind(X, A.radius[a], centre, B.radius[b])
        for face, grain in np.column_stack([a, b])[inside].tolist():
            yield _name(self._handles[1][grain]), self._handles[0][face].name


def _is_behind(X: Floats, half: Floats, centre: Floats, r: Floats) -> Flags:
    """True for centres (K, 3) behind faces with corners `X` (K, N, 3), by up to their radii `r` (K,)."""
    n = np.cross(X, np.roll(X, -1, axis=1)).sum(axis=1)
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    height = ((centre - X[:, 0]) * n).sum(axis=1) - half
    edges, away = np.roll(X, -1, axis=1) - X, centre[:, None] - X
    over = (np.cross(n[:, None], edges) * away).sum(axis=2) >= 0.0
    return np.asarray((height < 0.0) & (height >= -r) & over.all(axis=1))


def _name(handle: Any) -> str:
    """Name of a shape's body, or its own if none carries it."""
    carrier = handle.carrier if isinstance(handle, Primitive) else None
    return str(carrier.name if isinstance(carrier, Body) else handle.name)
