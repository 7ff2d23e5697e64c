"""The contacts of an element of rounded surfaces: pressures over patches, to bodies and nodes.

    geometry of the element    overlap, normal and point of the encompassing spheres, polygon of the patch
    law                        whole spheres: force, history, energy, friction by the force of the whole
    pressure of the law        radii and coefficients of p(r)
    integrals of the element   force F, first moment m = int x p dA, fraction of the circle in the patch

On side A act F n and the couple m x n, at the point of contact p of the spheres. Friction and energy are
those of the whole times the fraction. To the corners x_k of a triangle that deforms go, with its barycentric
coordinates b_k(x) in the projection along n, and their gradients g_k,

    F b_k(p) n + (m . g_k) n,        T b_k(y) - (T . g_k) ((p - Y) . n) n,    Y = sum b_k(y) x_k,

y the centroid of the patch: normal forces keep force and moment, tangential ones T all but the moment about
n. As a matrix B, as in attachments.py, this also gives the rates of the contact. The normal one is exact for
motions as a rigid body.

The spheres of deforming triangles are those at the start of the step. They follow the triangle: the distance
of the centre behind it is constant through the step.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Flags, Floats, Ints, Motion
from nsgalpha.forces.attachments import PATCH, THIRDS, barycentric, projected_gradients
from nsgalpha.forces.shape_arrays import Side, coordinates
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.forces.surface_pass import react_displaced
from nsgalpha.forces.surface_workspace import StepEnd, Workspace
from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.compliant_law import Contact, Response, no_response
from nsgalpha.model.patch_element import PatchElement, Patches, RoundedSide
from nsgalpha.system.system import System


@kernel
def _weigh(X, many, n, y, share, known, g, weight):
    """Fill the `weight` (N,) of the corners `X` (N, 3) at the point `y` of a patch with normal `n`.

    Polygons of other patches share alike. Returns the area of a triangle over its projection, 0 of others.
    """
    for j in range(weight.shape[0]):
        weight[j] = 1.0 / many if j < many else 0.0
    if many == 2:
        weight[0], weight[1] = 1.0 - share, share
    if many != 3 or not known:
        return 0.0
    N = projected_gradients(X, n, g)
    for j in range(3):
        weight[j] = barycentric(g, X, y, j)
    return math.sqrt(dot(N, N)) / abs(dot(N, n))


@kernel
def _store(table, patches, a, b, XA, XB, limits, end):
    """Write the `patches` of the primitives `a`, `b` (C,) with the corners `XA`, `XB` to an `end` of a step.

    `limits`: extent [m], part of the overlap by which it grows, largest area over its projection.
    """
    (extent, grows, steepest), section, g = limits, end.section, np.empty((3, 3))
    for c in range(a.shape[0]):
        n, known, overlap = row(patches.normal, c), patches.corners[c] > 0, patches.overlap[c]
        u, v = patches.centroid[c, 0], patches.centroid[c, 1]
        y = plus(plus(row(patches.point, c), u, row(patches.t1, c)), v, row(patches.t2, c))
        rejected = not known or not patches.local[c] > -(extent + grows * max(overlap, 0.0))
        for side in range(2):
            own, k, X = (table.A, a[c], XA[c]) if side == 0 else (table.B, b[c], XB[c])
            weight = section.weight_a[c] if side == 0 else section.weight_b[c]
            steep = _weigh(X, own.many[k], n, y, patches.share[c, side], known, g, weight)
            rejected = rejected or (not own.rigid[k] and not steep < steepest)
        end.gap[c] = -overlap
        for i in range(3):
            end.normal[c, i], section.point[c, i] = n[i], patches.point[c, i]
        circle = patches.circle[c]
        section.extent[0, c] = patches.radius[c] if known else 1.0  # of no patch: a number that does no harm
        section.extent[1, c], section.extent[2, c] = circle, math.pi * circle**2
        section.extent[3, c] = section.extent[5, c] = 1.0
        section.extent[4, c] = 1.0 if rejected else 0.0


class PatchGroup(SurfaceGroup):
    """The contacts of one element of rounded surfaces."""

    element: PatchElement  # type: ignore[assignment]

    def __init__(self, element: PatchElement, system: System) -> None:
        super().__init__(element, system)  # type: ignore[arg-type]
        # A zone of attraction reaches further than the point of contact of the spheres. At its rim the
        # parabola of their gap is below 2 reach + h_0 + d, and the gap itself below twice that.
        self.attracts = element.normal.extent > 0.0
        self.extent = self.law.reach
        if self.attracts:
            self.extent = 2.0 * (2.0 * self.law.reach + element.normal.extent)
        self._deepest = 0.0  # largest overlap [m] at the start of the step
        one = _pieces(self.A)
        other = one if self.among else _pieces(self.B) + int(one.max()) + 1
        A, B = self.A._replace(piece=one), self.B._replace(piece=other)
        self._table = named(self._table._replace(A=A, B=B, pieces=int(other.max()) + 1))
        self._mixed = sum(first == 0 for _, first, _ in self.law.parts) > 1
        self._forms: tuple[Floats, Floats] | None = None

    def _geometry(self) -> tuple[int, Floats, int]:
        """See SurfaceGroup: none."""
        return 0, np.empty(0), THIRDS if self.element.thirds else PATCH

    def _contact_keys(self) -> Ints:
        """See SurfaceGroup: there is one."""
        return np.zeros(1, np.int64)

    def _take_forms(self, points: Floats) -> tuple[Floats, Floats]:
        """Encompassing spheres of both sides: once for rigid ones, at present for deforming ones."""
        known = self._forms
        if known is None or not (self.A.rigid.all() and self.B.rigid.all()):
            one = self.element.forms(0, self._corners(self.A, points))
            other = one if self.among else self.element.forms(1, self._corners(self.B, points))
            known = self._forms = one, other
        return known

    def _corners(self, side: Side, points: Floats) -> Floats:
        """Corners (K, N, 3): of rigid primitives in the frames of their carriers."""
        rows = np.where(side.corners >= 0, side.corners, side.corners[:, :1])
        return np.where(side.rigid[:, None, None], self.points.place[rows], points[rows])

    def _margin(self, points: Floats) -> float:
        forms = self._forms or self._take_forms(points)
        sides = (0, self.A, forms[0]), (1, self.B, forms[1])
        bulges = [self.element.bulge(k, self._corners(side, points), form) for k, side, form in sides]
        return self.extent + self.attracts * self._deepest + sum(bulges)

    def begin(self, old: Motion) -> None:
        """Measure the candidates at the start of a step."""
        self._take_forms(coordinates(self.points, old))
        if not (self.A.rigid.all() and self.B.rigid.all()):
            self._ends.end.points[:] = np.nan  # measured with other forms
        super().begin(old)
        start = self.started()
        self._deepest = float(start.overlap.max(initial=0.0, where=~start.rejected))

    def _patches(self, a: Ints, b: Ints, XA: Floats, XB: Floats) -> Patches:
        forms = self._forms
        assert forms is not None
        A = RoundedSide(XA, self.A.many[a], self.A.radius[a], forms[0][a])
        B = RoundedSide(XB, self.B.many[b], self.B.radius[b], forms[1][b])
        return self.element.patches(A, B)

    def active_patches(self) -> Patches:
        """The patches of the active contacts."""
        given, place = self.last.given, self.last.place
        return self._patches(given.a, given.b, place.XA, place.XB)

    def _measure(self, end: StepEnd) -> None:
        """Measure the candidates at an `end` of the step."""
        a, b = self.candidates.a, self.candidates.b
        self._store(a, b, end.points[self.A.corners[a]], end.points[self.B.corners[b]], end)

    def _act_displaced(self, copies: Workspace, n: int) -> None:
        """Evaluate `n` displaced contacts."""
        first = self._first(copies, n)
        given, place = first.given, first.place
        self._store(given.a, given.b, place.XA, place.XB, copies.at)
        react_displaced(self._table, copies, n, self.h)
        super()._act_displaced(copies, n)

    def _store(self, a: Ints, b: Ints, XA: Floats, XB: Floats, end: StepEnd) -> None:
        """Measure the primitives `a`, `b` (C,) with the corners `XA`, `XB` (C, N, 3)."""
        self._measured = self._patches(a, b, XA, XB)
        limits = self.extent, float(self.attracts), self.element.steepest
        _store(self._table, self._measured, a, b, XA, XB, limits, end)

    def _act(self, workspace: Workspace, n: int, rows: Ints | slice) -> None:
        """See SurfaceGroup; the part of a contact is that of the pressure."""
        super()._act(workspace, n, rows)
        if n:
            self._first(workspace, n).measured.fraction[:] = self._fraction

    def _respond(self, contacts: Workspace, rows: Ints | slice) -> None:
        """Fill the response to the `contacts`: force and couple of the pressure on the patches."""
        response, contact, E = contacts.response, self._seen(contacts), contacts.E
        *parts, workspace = self._measured
        patches = Patches._make([*(part[rows] for part in parts), workspace])
        if self.element.geometric:
            contact.area[:] = contacts.measured.area
        if self.element.normal.attaches:
            contact = self._attached(contact)
        self.law(contact, response)
        own = self._of_normal_law(contact) if self._mixed else response
        pressure, slopes = self.element.normal.pressure(contact, own)
        found = self.element.integrals(patches, pressure)
        response.force[:, 0] -= own.force[:, 0]
        response.by_rate[:, 0, 0] -= own.by_rate[:, 0, 0]
        for part in response[:-1]:
            part *= found[:, 3].reshape(-1, *(1,) * (part.ndim - 1))
        response.force[:, 0] += found[:, 0]
        response.force[:, 3:5] += _couple(found, patches, E)
        if slopes is not None:
            by_rate = self.element.integrals(patches, slopes)
            response.by_rate[:, 0, 0] += by_rate[:, 0]
            response.by_rate[:, 3:5, 0] += _couple(by_rate, patches, E)
        outer = np.maximum(pressure.circle, np.maximum(pressure.zone, pressure.stick))
        contact.area[:], self._fraction = np.pi * outer**2, found[:, 3]

    def _of_normal_law(self, contact: Contact) -> Response:
        """Response of the normal law alone, where others contribute to the normal force."""
        law, size = self.law.parts[0][0], self.law.memory[0]
        part = no_response(len(contact.overlap), 1, size)
        seen = contact._replace(
            rate=np.ascontiguousarray(contact.rate[:, :1]),
            increment=np.ascontiguousarray(contact.increment[:, :1]),
            history=np.ascontiguousarray(contact.history[:, :size]),
        )
        law(seen, part)
        return part

    def _attached(self, contact: Contact) -> Contact:
        """Contacts with histories of a touch in all patches of touching bodies."""
        size = self.law.memory[0]
        known: Flags = np.any(contact.history[:, :size], axis=1)
        touching: Flags = np.isin(contact.pair, contact.pair[known | (contact.overlap >= 0.0)]) & ~known
        if not (touching & (contact.overlap < 0.0)).any():
            return contact
        touch = no_response(len(contact.overlap), 6, self.law.history)
        self.law(contact._replace(overlap=np.zeros_like(contact.overlap), area=contact.area.copy()), touch)
        history = contact.history.copy()
        history[touching, :size] = touch.history[touching, :size]
        return contact._replace(history=history)


def _pieces(side: Side) -> Ints:
    """Numbers (K,) of the primitives' owners: their carrier, or their deforming mesh."""
    K, width = side.slots.shape
    many = np.where(side.rigid, 1, side.many)
    rows, columns = np.nonzero(np.arange(width) < many[:, None])
    size = K + int(side.slots.max()) + 1
    graph = coo_array((np.ones(len(rows)), (rows, K + side.slots[rows, columns])), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    return labels[:K].astype(np.int64)


def _couple(found: Floats, patches: Patches, E: Floats) -> Floats:
    """Couples (C, 2) about the tangents of the frames `E` of the first moments in `found`, on A."""
    m = found[:, 1:2] * patches.t1 + found[:, 2:3] * patches.t2
    return np.einsum("cij,cj->ci", E[:, 1:], np.cross(m, patches.normal))
