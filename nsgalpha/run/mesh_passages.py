"""Bodies that meshes of one side let pass from behind to their front.

A mesh holds shapes whose middle is before it. One from behind passes, and is then held on the other side. It
is seen in stored states, by one of two signs:

    within    the middle is behind a triangle, its foot in the triangle, and this foot within the shape
    through   the straight path of the middle from the last state passes a triangle from behind, and none
              from the front

A path around a border ends before the mesh, too. So `through` counts where the border is further away than
the shape can have moved. Soft contact with `reject_large_overlap` gives the force of a whole radius to a
grain that has passed. Other soft contact of one side: back_faces.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import CONE, CYLINDER, Flags, Floats, turned
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.carried_shapes import corners_of
from nsgalpha.model.contact_element import MeshPairs, SolidPairs, SurfaceElement
from nsgalpha.model.contact_meshes import Mesh, meshes_of
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.switched_elements import acts_at
from nsgalpha.run.recorder import Recorded
from nsgalpha.system.system import System

DEEP = 1e-2  # of the radius or half width of a shape: depth of a point that counts as within
BESIDE = 1e-9  # of the radius of a mesh: distance beside a triangle that a path passes
STRAIGHT = 2.0  # times the way by the speeds at both ends: a longer one is no motion, but an insertion


class MeshPassages:
    """The looks at a run for bodies that come through meshes from behind."""

    def __init__(self, system: System) -> None:
        self._meshes = [] if len(system.cell) else [*_hard(system), *_soft(system)]
        self.shapes = sum(each.count for each in self._meshes)
        #: names of bodies, the body of the mesh, a remedy, and when they were seen first [s]
        self.bodies: dict[str, tuple[str, str, float]] = {}
        self.gave_energy = False  # whether soft contact is among them

    def look(self, seen: Recorded, k: int) -> None:
        """Look at the state `k` of those seen."""
        t, x, q, there = float(seen.t[k]), seen.x[k], seen.q[k], seen.there[k]
        if not (np.isfinite(x).all() and np.isfinite(q).all()):
            return
        speeds = np.linalg.norm(seen.v[k], axis=1), np.linalg.norm(seen.w[k], axis=1)
        for each in self._meshes:
            for body in each.passing(t, (x, q), speeds, there):
                self.gave_energy |= each.soft
                self.bodies.setdefault(body, (each.mesh.carrier.name, each.remedy, t))

    def __str__(self) -> str:
        """A sentence of the status, or nothing."""
        if not self.bodies:
            return ""
        body, (mesh, remedy, t) = next(iter(self.bodies.items()))
        more = f" (and {len(self.bodies) - 1} others)" if len(self.bodies) > 1 else ""
        return (
            f"{body!r}{more} passes through the mesh of {mesh!r} from behind, first seen at t = {t:g} s: the "
            f"mesh acts to its front alone; turn its polygons (their corners are counter-clockwise from the "
            f"front), or give {remedy}"
        )


class _Shapes(NamedTuple):
    """Shapes of one side of an element."""

    handles: Sequence[Body | Primitive]
    solids: Sequence[Solid | None]  # None for balls and capsules
    body: Any  # (S,) ints
    middle: Floats  # (S, 3) in the frame of the body
    outer: Floats  # (S,) radius of a ball around the middle that holds the shape [m]

    def hold(self, k: int, point: Floats) -> bool:
        """True if the shape `k` holds a `point` of the frame of its body."""
        solid = self.solids[k]
        if solid is None:
            ends, r = corners_of(self.handles[k]), abs(self.handles[k].radius)
            axis = ends[-1] - ends[0]
            s = np.clip((point - ends[0]) @ axis / max(axis @ axis, 1e-300), 0.0, 1.0)
            return bool(np.linalg.norm(point - ends[0] - s * axis) < (1.0 - DEEP) * r)
        deep = DEEP * solid.size[1]
        if (solid.planes[:, :3] @ point - solid.planes[:, 3]).max() > -deep:
            return False
        if solid.kind not in (CYLINDER, CONE):
            return True
        base, n = solid.vertices[solid.faces[0]].mean(axis=0), solid.planes[0, :3]
        height, R = (base - point) @ n, solid.size[2]
        if solid.kind == CONE:
            R *= 1.0 - height / ((base - solid.vertices[-1]) @ n)
        return bool(np.linalg.norm(point - base + height * n) < R - deep)


def _shapes(handles: Sequence[Any], solids: Sequence[Solid]) -> _Shapes:
    """The `handles`, spheres, capsules, balls and first faces of `solids`."""
    of_face = {solid.index: solid for solid in solids}
    found = [None if isinstance(each, Body) else of_face.get(each.index) for each in handles]
    body, middle, outer = [], np.zeros((len(handles), 3)), np.zeros(len(handles))
    for k, (each, solid) in enumerate(zip(handles, found, strict=True)):
        X = corners_of(each) if solid is None else solid.vertices
        middle[k] = X.mean(axis=0)
        if solid is not None and solid.kind == CONE:
            middle[k] = 0.5 * (X[:-1].mean(axis=0) + X[-1])
        outer[k] = np.linalg.norm(X - middle[k], axis=1).max() + abs(each.radius)
        body.append(each.index if isinstance(each, Body) else each.carrier.index)
    return _Shapes(handles, found, np.array(body, np.int64), middle, outer)


def _hard(system: System) -> Iterator[_OneSided]:
    """Set-valued contact with meshes of one side."""
    for element in system.elements:
        if not isinstance(element, MeshPairs):
            continue
        sides: Any = getattr(element, "sides", None)
        if sides is None:
            continue
        shapes = _shapes(sides[0], element.polytopes if isinstance(element, SolidPairs) else ())
        for mesh in element.meshes:
            if not mesh.two_sided:
                yield _OneSided(system, element, mesh, shapes)


def _soft(system: System) -> Iterator[_OneSided]:
    """Soft contact with polygons that act on grains from behind only after these have passed."""
    for element in system.surfaces:
        if not (isinstance(element, SurfaceElement) and getattr(element, "passes_behind", False)):
            continue
        faces, others = element.sides
        try:
            meshes = meshes_of("polygons", [*faces])
        except ValueError:  # that deform, or that are no mesh
            continue
        carried = [each for each in others if isinstance(each, Body) or isinstance(each.carrier, Body)]
        for mesh in meshes:
            yield _OneSided(system, element, mesh, _shapes(carried, ()), soft=True)


class _Looked(NamedTuple):
    """The last look."""

    t: float
    centre: Floats  # (S, 3) middles in the frame of the mesh
    speed: Floats  # (S,) against the mesh
    present: Flags


class _OneSided:
    """A mesh and the shapes of an element."""

    def __init__(
        self, system: System, element: Any, mesh: Mesh, shapes: _Shapes, *, soft: bool = False
    ) -> None:
        self.system, self.element, self.mesh, self.shapes, self.soft = system, element, mesh, shapes, soft
        self.remedy = "flip_normals=True (two_sided=True of CompliantContact)" if soft else "two_sided=True"
        X = mesh.corners[mesh.triangles]
        self._low, self._high = X.min(axis=1), X.max(axis=1)
        edges = np.concatenate([mesh.triangles[:, [k, k - 1]] for k in range(3)])
        _, number, many = np.unique(np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True)
        self._border = mesh.corners[edges[number[many == 1]]]  # (B, 2, 3)
        self._last: _Looked | None = None
        self.count = len(shapes.body) + len(mesh.triangles)

    def passing(
        self, t: float, pose: tuple[Floats, Floats], speeds: tuple[Floats, Floats], there: Flags
    ) -> Iterator[str]:
        """Names of bodies that pass at the time `t` [s]."""
        (x, q), (v, w) = pose, speeds
        shapes, body, b = self.shapes, self.shapes.body, self.mesh.carrier.index
        back = q[b] * (1.0, -1.0, -1.0, -1.0)
        apart = x[body] + turned(q[body], shapes.middle) - x[b]
        c = turned(np.tile(back, (len(body), 1)), apart)
        speed = v[body] + w[body] * np.linalg.norm(shapes.middle, axis=1)
        speed = speed + v[b] + w[b] * np.linalg.norm(c, axis=1)
        now = _Looked(t, c, speed, self._present(there) & acts_at(self.element, t))
        last, self._last = self._last, now
        begin = c if last is None else np.where((last.present & now.present)[:, None], last.centre, c)
        kept = np.flatnonzero(now.present)
        low = np.concatenate([np.minimum(begin, c - shapes.outer[:, None])[kept], self._low])
        high = np.concatenate([np.maximum(begin, c + shapes.outer[:, None])[kept], self._high])
        found = near_boxes(low, high, len(kept))
        k, triangle = kept[found[:, 0]], found[:, 1] - len(kept)
        names = set()
        if not self.soft:
            names |= {*self._within(c, k, triangle, q, back)}
        if last is not None:
            names |= {*self._through(begin, last, now, (k, triangle))}
        for number in sorted(names):
            yield self.system.model.bodies[body[number]].name

    def _present(self, there: Flags) -> Flags:
        """True (S,) for shapes that may touch the mesh."""
        body, system = self.shapes.body, self.system
        b = np.full(len(body), self.mesh.carrier.index)
        meet = system.apart.may_meet(body, b, self.element) & system.inactive.may_touch(body, b)
        return np.asarray(meet & there[body] & there[b] & (body != b))

    def _within(self, c: Floats, k: Any, triangle: Any, q: Floats, back: Floats) -> Iterator[int]:
        """Numbers of shapes that hold a point of a triangle, with their middle behind it."""
        planes, sides = self.mesh.table.planes[triangle], self.mesh.table.sides[triangle]
        h = (planes[:, :3] * c[k]).sum(axis=1) - planes[:, 3]
        over = (sides[:, :, :3] * c[k][:, None]).sum(axis=2) >= sides[:, :, 3]
        for row in np.flatnonzero((h < 0.0) & (h > -self.shapes.outer[k]) & over.all(axis=1)):
            own = q[self.shapes.body[k[row]]] * (1.0, -1.0, -1.0, -1.0)
            up = turned(own[None], turned(q[self.mesh.carrier.index][None], planes[row, None, :3]))[0]
            if self.shapes.hold(int(k[row]), self.shapes.middle[k[row]] - h[row] * up):
                yield int(k[row])

    def _through(self, begin: Floats, last: _Looked, now: _Looked, pairs: tuple[Any, Any]) -> Iterator[int]:
        """Numbers of shapes whose middle has come through a triangle from behind since the `last` look."""
        k, triangle = pairs
        planes, sides = self.mesh.table.planes[triangle], self.mesh.table.sides[triangle]
        h0, h1 = (((planes[:, :3] * each[k]).sum(axis=1) - planes[:, 3]) for each in (begin, now.centre))
        crosses = (h0 < 0.0) != (h1 < 0.0)
        s = np.where(crosses, h0 / np.where(crosses, h0 - h1, 1.0), 0.0)
        y = begin[k] + s[:, None] * (now.centre - begin)[k]
        beside = BESIDE * float(self.mesh.table.size[0])
        over = (sides[:, :, :3] * y[:, None]).sum(axis=2) >= sides[:, :, 3] - beside
        crosses &= over.all(axis=1)
        down = {*k[crosses & (h1 < 0.0)].tolist()}
        for row in np.flatnonzero(crosses & (h0 < 0.0)).tolist():
            shape = int(k[row])
            path = float(np.linalg.norm(now.centre[shape] - begin[shape]))
            way = float(max(last.speed[shape], now.speed[shape])) * (now.t - last.t)
            room = self._to_border(y[row]) - self.shapes.outer[shape]
            if shape not in down and path <= STRAIGHT * way and room > max(path, way):
                yield shape

    def _to_border(self, y: Floats) -> float:
        """Distance [m] of a point from the border; infinite for closed meshes."""
        a, e = self._border[:, 0], self._border[:, 1] - self._border[:, 0]
        s = np.clip(((y - a) * e).sum(axis=1) / np.maximum((e * e).sum(axis=1), 1e-300), 0.0, 1.0)
        return float(np.linalg.norm(a + s[:, None] * e - y, axis=1).min(initial=np.inf))
