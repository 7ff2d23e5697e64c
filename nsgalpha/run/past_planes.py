"""Shapes that come behind a fixed plane although no element keeps them from it; spheres: missed_contacts.py.

A shape is all that a body carries, a surface with its nodes, or a primitive with bodies as points. Its lowest
point decides, that of its corners less their radius. Behind by less than DEEP of half of its diagonal is no
overlap. An element that refers to the plane and to a body of the shape lets them touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags, Floats, turned
from nsgalpha.model.handles import Body, HasHandles, Plane, Primitive
from nsgalpha.system.system import System

DEEP = 1e-2  # depth that counts, over half of the diagonal of the shape
MOST = 4_000_000  # points that are looked at in one part of a run


class PastPlanes:
    """The looks at a run from the positions `x` (B, 3) and rotations `q` (B, 4) on."""

    def __init__(self, system: System, x: Floats, q: Floats) -> None:
        self.system, model = system, system.model
        self._planes = [each for each in model.planes if each.body is None and each.motion is None]
        self._ready = not (self._planes and (model.shapes.primitives or model.surfaces))
        self.points = 0
        if not self._ready:
            self._start = x.copy(), q.copy(), system.inactive.present.copy()

    def look(self, t: float, x: Floats, q: Floats, there: Flags) -> Iterator[tuple[tuple[str, str], float]]:
        """Names of shapes and planes that overlap at `t` [s] for the first time, and since when."""
        self.prepare()
        if not self.points:
            return
        new = self._behind(x, q, there) & ~self._known
        self._known |= new
        for shape, plane in np.argwhere(new):
            yield (self._names[shape], self._planes[plane].name), t

    def prepare(self) -> None:
        """Find shapes that may fall through a plane, and those behind one at the start."""
        if self._ready:
            return
        self._ready = True
        shapes = self._shapes()
        met = [_Met(self.system.model, plane) for plane in self._planes]
        known = np.array([[each.meets(owners) for each in met] for _, owners, _, _ in shapes])
        if known.all():
            return
        self._names = [name for name, _, _, _ in shapes]
        self._carrier = np.concatenate([rows for _, rows, _, _ in shapes])
        self._place = np.concatenate([place for _, _, place, _ in shapes])
        self._radius = np.concatenate([radius for _, _, _, radius in shapes])
        self._first = np.concatenate([[0], np.cumsum([len(rows) for _, rows, _, _ in shapes])[:-1]])
        self._normal = np.array([plane.normal for plane in self._planes])
        self._offset = np.array([plane.offset for plane in self._planes])
        self.points = len(self._carrier) * len(self._planes)
        x, q, there = self._start
        X = self._points(x, q)
        high = np.maximum.reduceat(X + self._radius[:, None], self._first)
        low = np.minimum.reduceat(X - self._radius[:, None], self._first)
        self._deep = DEEP * 0.5 * np.linalg.norm(high - low, axis=1)
        self._known = known
        self._known |= self._behind(x, q, there)  # at the start: meant so

    def _shapes(self) -> list[tuple[str, Any, Floats, Floats]]:
        """Names, carriers (P,), places (P, 3) in their frames, and radii (P,) of the points of each shape."""
        model, found = self.system.model, []
        rigid: dict[int, list[Primitive]] = {}
        in_surface = {int(node) for each in model.surfaces for node in each.bodies}
        for each in model.shapes.primitives:
            if isinstance(each.carrier, Body) and each.rigid:
                rigid.setdefault(each.carrier.index, []).append(each)
            elif not each.rigid and not in_surface.issuperset(each.corners):
                rows = np.array(each.corners, np.int64)
                found.append((each.name, rows, np.zeros((len(rows), 3)), np.full(len(rows), each.radius)))
        for body, carried in rigid.items():
            radii = {row: abs(each.radius) for each in carried for row in each.corners}
            place = np.array([model.shapes.places[row] for row in radii], float)
            rows = np.full(len(radii), body)
            found.append((model.bodies[body].name, rows, place, np.array([*radii.values()], float)))
        for surface in model.surfaces:
            rows = surface.bodies
            found.append((surface.name, rows, np.zeros((len(rows), 3)), np.zeros(len(rows))))
        return found

    def _points(self, x: Floats, q: Floats) -> Floats:
        return np.asarray(x[self._carrier] + turned(q[self._carrier], self._place))

    def _behind(self, x: Floats, q: Floats, there: Flags) -> Flags:
        """True (S, P) for shapes of which a part is behind a plane."""
        X = self._points(x, q)
        if not np.isfinite(X).all():
            return np.zeros_like(self._known)
        height = X @ self._normal.T - self._radius[:, None]
        lowest = np.minimum.reduceat(height, self._first) - self._offset
        return np.asarray((lowest < -self._deep[:, None]) & there[self._carrier[self._first]][:, None])


class _Met:
    """The bodies that elements let touch a plane, or that joints hold to it."""

    def __init__(self, model: Any, plane: Plane) -> None:
        self.bodies: set[int] = set()
        for element in model.elements:
            handles = element.handles() if isinstance(element, HasHandles) else ()
            if any(_is_of(each, plane) for each in handles):
                self.bodies |= {body for each in handles for body in _bodies(each)}
        for joint in model.joints:
            if any(_is_of(each, plane) for each in joint.carriers):
                self.bodies |= {body for each in joint.carriers for body in _bodies(each)}

    def meets(self, owners: Any) -> bool:
        return not self.bodies.isdisjoint(owners.tolist())


def _is_of(handle: Any, plane: Plane) -> bool:
    """True for the plane itself, and for its carried shapes."""
    return handle is plane or (isinstance(handle, Primitive) and handle.carrier is plane)


def _bodies(handle: Any) -> tuple[int, ...]:
    if isinstance(handle, Body):
        return (handle.index,)
    if isinstance(handle, Primitive):
        carrier = handle.carrier
        return (carrier.index,) if isinstance(carrier, Body) else () if handle.rigid else handle.corners
    return ()
