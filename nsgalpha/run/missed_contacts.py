"""Missed contacts: bodies that pass through one another within a step. The module also finds overlaps of
bodies without an element (shapes: past_planes.py, shape_overlaps.py), and bodies within one another
(enclosure.py).

A contact is found where bodies overlap at the end of a step, or are near. Two spheres whose paths of one step
cross may be apart again at its end, or leave one another already. Nothing has happened between them. With `x`
the difference of their centres and `d` its change over the step, the least distance on the straight path is
that of the point `x + s d`, 0 <= s <= 1. They have passed if it lies within the path, the start is apart, and
either

    it is below half of the sum R of their radii, and the end is apart: a path around one another has a chord
    that leaves more, unless the step is longer than 1.7 R, and then what was found is none of the impact; or
    it is below 0.999 R on the path `d = h v` of their relative velocity, and that is what it was: no impulse
    acted. Bodies that go around one another so deep turn their velocity by 9 %, and 1 % is asked for.

Only steps in which a body moves further onto another than the smaller radius are checked (`stats.fast`). They
are taken once more from the last state before. So nothing is lost where the step is short enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.geometry.broad_phase import near_pairs
from nsgalpha.model.contact_element import SurfaceElement
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.force_element import ContactingElement
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.patch_element import PatchElement
from nsgalpha.model.periodic_cell import nearest_images, periods_between, placed_cell
from nsgalpha.model.state import State
from nsgalpha.run.back_faces import BackFaces
from nsgalpha.run.enclosure import LEAST_LOOKS, LOOKS, Enclosure
from nsgalpha.run.mesh_passages import MeshPassages
from nsgalpha.run.past_planes import MOST, PastPlanes
from nsgalpha.run.recorder import Recorded, spread_over
from nsgalpha.run.shape_overlaps import ShapeOverlaps
from nsgalpha.system.system import System

APART = 1e-6  # overlap at the ends of a path that is none, over the sum of the radii
THROUGH, GRAZED = 0.5, 0.999  # least distances over the sum of the radii, see above
SAME = 1e-2  # change of a relative velocity that no impact explains, over that velocity
DEEP = (
    1e-2  # overlap that counts, over the smaller radius: smaller ones are left by contact, or have an element
)
MOST_PAIRS = 2_000_000  # of one step that are looked at
LEAST_SECONDS, PART = 1.0, 0.2  # that may be spent on taking steps again, and as a part of the run
SPHERES = 20_000  # in all of them, beyond the least
SHAPES = 200_000  # polygons and grains of them
PIECES = 2_000  # shapes, beyond the least
FEW = 64  # spheres of which all pairs are known

Again = Callable[[State, int], Iterable[tuple[float, Floats, Floats, Flags]]]


@dataclass(frozen=True, slots=True)
class Passage:
    """Two bodies that passed through each other in the step that ends at `t` [s]."""

    a: str
    b: str
    t: float
    speed: float  # [m/s] of one relative to the other
    radius: float  # [m] the smaller one

    def __str__(self) -> str:
        where = f"{self.a!r} passed through {self.b!r} in the step to t = {self.t:g} s"
        remedy = f"the step is too long, take h = {self.radius / self.speed:.1g} s or less"
        return f"{where}, with {self.speed:.3g} m/s: {remedy}"


class MissedContacts:
    """The looks at a run of one model from the poses `x` (B, 3), `q` (B, 4) at `t` [s] on."""

    def __init__(self, system: System, x: Floats, q: Floats, t: float = 0.0) -> None:
        self.system = system
        self._cell = self._cell_at(t)  # when bodies were looked at last
        radius = system.bodies.radius[: system.count]
        self._spheres = np.flatnonzero(radius > 0.0)
        self._radius = system.bodies.radius
        periods = [
            (-1.0, 0.0, 1.0) if L > 0.0 else (0.0,) for L in (system.cell[0] if len(system.cell) else ())
        ]
        self._shifts = [np.array(each) for each in product(*periods)] if periods else [np.zeros(3)]
        self.passage: Passage | None = None
        self.unmet: dict[
            tuple[str, str], float
        ] = {}  # names of pairs, and when they were seen to overlap [s]
        self._seconds, self._begun = 0.0, perf_counter()
        fixed = [plane for plane in system.model.planes if plane.body is None and plane.motion is None]
        self._planes = np.array([plane.index for plane in fixed], np.int64)
        self._normal = np.array([plane.normal for plane in fixed], float).reshape(-1, 3)
        self._offset = np.array([plane.offset for plane in fixed], float)
        self._known = self._overlapping(x, system.inactive.present)  # at the start: meant so
        self._all_met: bool | None = None
        self.enclosed = Enclosure(system)
        self.past_planes = PastPlanes(system, x, q)
        self.overlapping = ShapeOverlaps(system, x, q)
        self.back_faces = BackFaces(system)
        self.passages = MeshPassages(system)

    def fast(self, again: Again, state: State, fast: Ints) -> None:
        """Check the steps in which a body was `fast`, numbered after the `state` on.

        again: takes so many steps once more from a state on. It yields time [s], positions and velocities (B,
        3) at the start and after each of them, and the presence of bodies from then on.
        """
        left = max(LEAST_SECONDS, PART * (perf_counter() - self._begun)) - self._seconds
        if self.passage is not None or left <= 0.0:
            return
        begun, wanted = perf_counter(), set(fast.tolist())
        before: tuple[float, Floats, Floats] | None = None
        there = self.system.inactive.present
        for k, (t, x, v, next_there) in enumerate(again(state, int(fast[-1]) + 1)):
            if before is not None and k - 1 in wanted:
                self._look(before, (t, x, v), there)
            there = next_there
            if self.passage is not None or perf_counter() - begun > left:
                break
            before = t, x, v
        self._seconds += perf_counter() - begun

    def _look(
        self, before: tuple[float, Floats, Floats], after: tuple[float, Floats, Floats], present: Flags
    ) -> None:
        """Find the first two spheres, of those that are `present`, that passed through each other.

        A step goes from the time [s], positions and velocities `before` to those `after`.
        """
        (t0, x0, v0), (t, x1, v1) = before, after
        h, moving = t - t0, self.system.frames.cell
        self._cell, moved_cell = self._cell_at(t0), self._cell_at(t)
        index, radius = self._spheres[present[self._spheres]], self._radius
        moved = np.linalg.norm(x1 - x0, axis=1)[index]
        movers = index[2.0 * moved > radius[index].min(initial=np.inf)]
        movers = movers[np.argsort(-np.linalg.norm((x1 - x0)[movers], axis=1))]
        movers = movers[: max(MOST_PAIRS // max(len(index), 1), 1)]
        period = self._cell[0] if len(self._cell) else np.zeros(3)
        for a, periods in product(movers.tolist(), self._shifts):
            shift = periods * period
            others = index[index != a]
            total = radius[a] + radius[others]
            x = nearest_images(x0[a] - x0[others], self._cell) + shift
            d = (x1 - x0)[a] - (x1 - x0)[others]
            v, change = v0[a] - v0[others], (v1 - v0)[a] - (v1 - v0)[others]
            if moving is not None:  # the difference of the images less that way of theirs
                n = periods_between(x0[a] - x0[others] - shift, self._cell)
                x = x0[a] - x0[others] - n @ self._cell[3:]
                d = d - n @ (moved_cell[3:] - self._cell[3:])
                v = v - n @ moving.at(t0)[1]
            apart = np.linalg.norm(x, axis=1) > (1.0 - APART) * total
            s, least = _nearest(x, d)
            through = (least < THROUGH * total) & (np.linalg.norm(x + d, axis=1) > (1.0 - APART) * total)
            free, grazed = _nearest(x, h * v)
            same = np.linalg.norm(change, axis=1) <= SAME * np.linalg.norm(v, axis=1)
            missed = same & (grazed < GRAZED * total) & (free > 0.0) & (free < 1.0)
            passed = apart & ((through & (s > 0.0) & (s < 1.0)) | missed)
            for k in np.flatnonzero(passed).tolist():
                b = int(others[k])
                there = x0.copy()
                there[[a, b]] += free[k] * h * v0[[a, b]] if missed[k] else s[k] * (x1 - x0)[[a, b]]
                if _code(a, b, len(radius)) in self._covered(there):
                    fastest = max(float(np.linalg.norm(each[k])) for each in (d / h, v))
                    self._keep(a, b, t, fastest)
                    return

    def _cell_at(self, t: float, joints: Floats | None = None) -> Floats:
        """The placed cell at the time `t` [s] of the last step, or of a state with `joints`."""
        cell, moving = self.system.cell, self.system.frames.cell
        return cell if moving is None else placed_cell(cell, moving.at(t, joints)[0])

    def _keep(self, a: int, b: int, t: float, speed: float) -> None:
        bodies = self.system.model.bodies
        thin = float(min(self._radius[a], self._radius[b]))
        self.passage = Passage(bodies[a].name, bodies[b].name, t, speed, thin)

    def look(self, seen: Recorded) -> None:
        """Look for overlaps in some of the states."""
        t, x, q, there = seen.t, seen.x, seen.q, seen.there
        self.enclosed.look(t, x, q, there)
        self.past_planes.prepare()
        for k in _some(len(t), self.past_planes.points, MOST):
            for pair, now in self.past_planes.look(float(t[k]), x[k], q[k], there[k]):
                self.unmet.setdefault(pair, now)
        for k in _some(len(t), self.overlapping.prepare(), PIECES):
            for pair, now in self.overlapping.look(float(t[k]), x[k], q[k], there[k]):
                self.unmet.setdefault(pair, now)
        for k in _some(len(t), self.back_faces.shapes, SHAPES):
            self.back_faces.look(float(t[k]), x[k], q[k], there[k])
        for k in _some(len(t), self.passages.shapes, SHAPES):
            self.passages.look(seen, k)
        if self._all_met is None:
            self._all_met = self._meets_all()
        if self._all_met:
            return
        for k in _some(len(t), len(self._spheres), SPHERES):
            self._cell = self._cell_at(float(t[k]), seen.joint[k])
            new = np.setdiff1d(self._overlapping(x[k], there[k]), self._known)
            if not len(new):
                continue
            self._known = np.union1d(self._known, new)
            for code in np.setdiff1d(new, self._covered(x[k], q=q[k])).tolist():
                names = self._names(code)
                if names is not None:
                    self.unmet.setdefault(names, float(t[k]))

    def _meets_all(self) -> bool:
        """True if few spheres may all touch one another and all fixed planes."""
        count = len(self._spheres)
        if count > FEW or not count:
            return not count
        everywhere = np.zeros((self.system.count, 3))
        pairs = self._overlapping(everywhere, np.ones(self.system.count, bool))
        walls = _wall(self._planes[:, None], self._spheres, len(self._radius)).ravel()
        farthest = float(np.abs(self._offset).max(initial=0.0))  # of these planes from there [m]
        return bool(np.isin(np.concatenate([pairs, walls]), self._covered(everywhere, farthest)).all())

    def __str__(self) -> str:
        """Sentences of the status on overlaps, or nothing."""
        others = self.enclosed, self.back_faces, self.passages
        return "; ".join(filter(None, (self._of_unmet(), *map(str, others))))

    @property
    def gave_energy(self) -> bool:
        """True if polygons have pushed grains from behind through to their front."""
        return bool(self.back_faces.grains) or self.passages.gave_energy

    def _of_unmet(self) -> str:
        if not self.unmet:
            return ""
        (a, b), t = next(iter(self.unmet.items()))
        more = f" and {len(self.unmet) - 1} other pairs" if len(self.unmet) > 1 else ""
        return f"{a!r} and {b!r}{more} overlap, first seen at t = {t:g} s: no element lets them touch"

    def _overlapping(self, x: Floats, there: Flags) -> Ints:
        """Codes of the pairs of spheres, and of spheres with fixed planes, that overlap at `x` (B, 3).

        `there` (N,) says which bodies are looked at.
        """
        index, radius, size = self._spheres[there[self._spheres]], self._radius, len(self._radius)
        if not len(index) or not np.isfinite(x).all():
            return np.empty(0, np.int64)
        deep = DEEP * radius[index].min()
        pairs = near_pairs(np.ascontiguousarray(x), radius, index, -deep, self._cell)
        a, b = pairs[:, 0], pairs[:, 1]
        apart = nearest_images(x[a] - x[b], self._cell)
        gap = np.linalg.norm(apart, axis=1) - radius[a] - radius[b]
        found = gap < -DEEP * np.minimum(radius[a], radius[b])
        gaps = x[index] @ self._normal.T - self._offset - radius[index, None]
        i, k = np.nonzero(gaps < -DEEP * radius[index, None])
        walls = _wall(self._planes[k], index[i], size)
        return np.concatenate([_code(a[found], b[found], size), walls])

    def _covered(self, x: Floats, reach: float = 0.0, q: Floats | None = None) -> Ints:
        """Codes of pairs nearer to each other than `reach` [m] at `x` that may touch or are jointed.

        Without rotations `q` (B, 4) the bodies may be turned in any way.
        """
        system, size = self.system, len(self._radius)
        full = np.zeros((system.size, 3))
        full[: len(x)] = x
        if len(self._cell) > 2:
            full[-3:] = self._cell[3:]
        joined = system.numbers
        codes = [_code(joined[:, 0], joined[:, 1], size)]
        for pairs in (*system.elements, *(element.pairs for element in system.compliant)):
            a, b, plane = system.near(pairs, full, reach, q)[:3]
            bodies = (plane == -1) & (b >= 0) & (b < system.count)
            walls = plane >= 0
            codes += [_code(a[bodies], b[bodies], size), _wall(plane[walls], a[walls], size)]
        for surface in system.surfaces:
            codes.append(np.array(sorted(self._of_surfaces(surface, size)), np.int64))
        for element in system.force_elements:
            if isinstance(element, ContactingElement):
                a, b = element.near(full)[0].T
                codes.append(_code(a, b, size))
        return np.concatenate(codes)

    def _of_surfaces(self, element: SurfaceElement | PatchElement, size: int) -> set[int]:
        """Codes of pairs of bodies, and bodies and planes, whose primitives may touch."""
        sides = [
            np.array(sorted({n for each in side for n in _owners(each)}), np.int64) for side in element.sides
        ]
        a, b = (part.ravel() for part in np.meshgrid(*sides))
        codes = set(_code(a, b, size).tolist())
        for side, others in zip(element.sides, reversed(sides), strict=True):
            planes = [each.carrier.index for each in side if _is_plane(each)]
            codes |= {int(_wall(plane, body, size)) for plane in planes for body in others.tolist()}
        return codes

    def _names(self, code: int) -> tuple[str, str] | None:
        model, size = self.system.model, len(self._radius)
        if code >= size * size:
            plane, body = divmod(code - size * size, size)
            return model.bodies[body].name, model.planes[plane].name
        a, b = divmod(code, size)
        return model.bodies[a].name, model.bodies[b].name


def _some(states: int, things: int, most: int) -> list[int]:
    """Numbers of those of the `states` that are looked at, none without `things`, of which `most` in all."""
    looks = min(states, LOOKS, max(LEAST_LOOKS, most // things)) if things else 0
    return spread_over(states, looks).tolist()


def _nearest(x: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Where on the paths from `x` to `x + d` (K, 3) the origin is nearest, 0 to 1, and how near."""
    way = (d * d).sum(axis=1)
    s = np.clip(-(x * d).sum(axis=1) / np.where(way > 0.0, way, 1.0), 0.0, 1.0)
    return s, np.linalg.norm(x + s[:, None] * d, axis=1)


def _is_plane(side: Any) -> bool:
    """True for the half-space behind a plane."""
    return isinstance(side, Solid) and isinstance(side.carrier, Plane) and side.index < 0


def _owners(side: Body | Primitive) -> list[int]:
    """Numbers of the bodies that a side of a contact belongs to."""
    if isinstance(side, Body):
        return [side.index]
    if isinstance(side.carrier, Body):
        return [side.carrier.index]
    return [] if side.rigid else list(side.corners)


def _code(a: Any, b: Any, size: int) -> Any:
    """The number of a pair of bodies, whichever comes first."""
    return np.minimum(a, b) * size + np.maximum(a, b)


def _wall(plane: Any, body: Any, size: int) -> Any:
    """Number of a pair of a plane and a body, after the pairs of bodies."""
    return size * size + plane * size + body
