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

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Flags, Floats, Ints, Motion
from nsgalpha.forces.attachments import slot_wrenches
from nsgalpha.forces.shape_arrays import Side, coordinates
from nsgalpha.forces.surface_contacts import Pass, SurfaceGroup
from nsgalpha.forces.surface_workspace import ContactPlaces, ContactWorkspace
from nsgalpha.model.compliant_law import Contact, Response, no_response
from nsgalpha.model.patch_element import PatchElement, Patches, RoundedSide
from nsgalpha.system.primitive_measures import Measured
from nsgalpha.system.system import System


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
        self._pieces = _pieces(self.A), _pieces(self.B)
        self._mixed = sum(first == 0 for _, first, _ in self.law.parts) > 1
        self._forms: tuple[Floats, Floats] | None = None

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
        self._end = None  # measured with other forms
        super().begin(old)
        self._deepest = float(self.start.overlap.max(initial=0.0, where=~self.start.rejected))

    def _patches(self, a: Ints, b: Ints, XA: Floats, XB: Floats) -> Patches:
        forms = self._forms
        assert forms is not None
        A = RoundedSide(XA, self.A.many[a], self.A.radius[a], forms[0][a])
        B = RoundedSide(XB, self.B.many[b], self.B.radius[b], forms[1][b])
        return self.element.patches(A, B)

    def active_patches(self) -> Patches:
        """The patches of the active contacts."""
        return self._patches(self.given.a, self.given.b, self.place.XA, self.place.XB)

    def _measured(self, points: Floats) -> Measured:
        """All candidates with the corners in `points`."""
        c = self.candidates
        XA, XB = points[self.A.corners[c.a]], points[self.B.corners[c.b]]
        return self._as_measured(self._patches(c.a, c.b, XA, XB), c.a, c.b, XA, XB)

    def _closed(self, measured: Measured) -> Flags:
        return ~measured.rejected & (measured.overlap > -self.law.reach)

    def _as_measured(self, p: Patches, a: Ints, b: Ints, XA: Floats, XB: Floats) -> Measured:
        y = p.point + p.centroid[:, :1] * p.t1 + p.centroid[:, 1:] * p.t2
        weights = [
            _weights(X, side.many[k], p.normal, y, p.share[:, j], p.corners > 0)
            for j, (X, side, k) in enumerate(((XA, self.A, a), (XB, self.B, b)))
        ]
        area = np.pi * p.circle**2
        extent = self.extent + self.attracts * np.maximum(p.overlap, 0.0)
        rejected = (p.corners == 0) | ~(p.local > -extent) | self._steep(a, b, XA, XB, p.normal)
        one = np.ones_like(area)
        radius = np.where(p.corners > 0, p.radius, one)  # of no patch: a number that does no harm
        at = p.overlap, p.normal, p.point, weights[0], weights[1]
        return Measured(*at, radius, p.circle, area, one, rejected, one)

    def _steep(self, a: Ints, b: Ints, XA: Floats, XB: Floats, n: Floats) -> Flags:
        """Contacts (C,) of a triangle that deforms and is too large for its projection along `n` (C, 3)."""
        steep = np.zeros(len(n), bool)
        for side, number, X in ((self.A, a, XA), (self.B, b, XB)):
            rows = np.flatnonzero(~side.rigid[number] & (side.many[number] == 3))
            if len(rows):
                x = X[rows]
                N = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
                projected = np.abs((N * n[rows]).sum(axis=1))
                steep[rows] |= ~(self.element.steepest * projected > np.linalg.norm(N, axis=1))
        return steep

    def _rows(self, given: ContactWorkspace, place: ContactPlaces, measured: Measured, B: Floats) -> None:
        super()._rows(given, place, measured, B)
        m, split = measured, self.split
        for side, number, X, weight, first, sign in (
            (self.A, given.a, place.XA, m.weight_a, 0, 1.0),
            (self.B, given.b, place.XB, m.weight_b, split, -1.0),
        ):
            rows = np.flatnonzero(~side.rigid[number] & (side.many[number] > 2))
            if len(rows):
                shares = np.full((len(rows), 3), 1.0 / 3.0) if self.element.thirds else weight[rows][:, :3]
                at = X[rows][:, :3], m.normal[rows], m.point[rows], shares
                B[rows, first : first + 3] = sign * _nodal_rows(*at)

    def _pass(self, given: ContactWorkspace, place: ContactPlaces) -> Pass:
        """Local motion, forces and the wrenches on the slots."""
        patches = self._patches(given.a, given.b, place.XA, place.XB)
        m = self._as_measured(patches, given.a, given.b, place.XA, place.XB)
        B, E, contact, response = self._begin_pass(given, place, m)
        if self.element.geometric:
            contact = contact._replace(area=m.area.copy())
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
        wrench = np.empty((*given.slots.shape, 6))
        slot_wrenches(E, response.force, B, wrench)
        self._silence(wrench)
        outer = np.maximum(pressure.circle, np.maximum(pressure.zone, pressure.stick))
        m = m._replace(fraction=found[:, 3])
        return Pass(m, B, E, contact.mass, response, wrench, np.pi * outer**2, contact.rate)

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

    def _pair(self, given: ContactWorkspace) -> Ints:
        """Numbers (C,) of the two pieces in contact: bodies, or meshes that deform."""
        one, other = self._pieces[0][given.a], self._pieces[1][given.b]
        most = 1 + max(int(self._pieces[0].max()), int(self._pieces[1].max()))
        if not self.among:
            return one * most + other
        return np.minimum(one, other) * most + np.maximum(one, other)


def _pieces(side: Side) -> Ints:
    """Numbers (K,) of the primitives' owners: their carrier, or their deforming mesh."""
    K, width = side.slots.shape
    many = np.where(side.rigid, 1, side.many)
    rows, columns = np.nonzero(np.arange(width) < many[:, None])
    size = K + int(side.slots.max()) + 1
    graph = coo_array((np.ones(len(rows)), (rows, K + side.slots[rows, columns])), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    return labels[:K].astype(np.int64)


def _gradients(X: Floats, n: Floats) -> Floats:
    """Gradients (C, 3, 3) of the barycentric coordinates in the projection of triangles along `n` (C, 3)."""
    e = X[:, [2, 0, 1]] - X[:, [1, 2, 0]]
    twice = (np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]) * n).sum(axis=1)
    return np.cross(n[:, None], e) / twice[:, None, None]


def _coordinates(g: Floats, X: Floats, y: Floats) -> Floats:
    """Barycentric coordinates (C, 3) of the points `y` (C, 3)."""
    return 1.0 / 3.0 + np.einsum("cki,ci->ck", g, y - X.mean(axis=1))


def _weights(X: Floats, many: Ints, n: Floats, y: Floats, share: Floats, known: Flags) -> Floats:
    """Weights (C, N) of corners at the points `y` (C, 3); polygons of other patches share alike."""
    index = np.arange(X.shape[1])
    weight = np.where(index < many[:, None], 1.0 / many[:, None], 0.0)
    two, three = many == 2, known & (many == 3)
    if two.any():
        weight[two, :2] = np.column_stack([1.0 - share, share])[two]
    if three.any():
        corners = X[three][:, :3]
        weight[three, :3] = _coordinates(_gradients(corners, n[three]), corners, y[three])
    return weight


def _nodal_rows(X: Floats, n: Floats, p: Floats, weight: Floats) -> Floats:
    """B (C, 3, 6, 6) of attachments.py: triangles that deform, in the point p with the `weight`s of y."""
    g = _gradients(X, n)
    B = np.zeros((len(X), 3, 6, 6))
    nn = n[:, :, None] * n[:, None, :]
    height = ((p - np.einsum("ck,cki->ci", weight, X)) * n).sum(axis=1)
    B[:, :, :3, :3] = _coordinates(g, X, p)[:, :, None, None] * nn[:, None]
    B[:, :, :3, :3] += weight[:, :, None, None] * (np.eye(3) - nn)[:, None]
    B[:, :, :3, :3] -= height[:, None, None, None] * g[:, :, :, None] * n[:, None, None, :]
    B[:, :, 3:, :3] = np.cross(g, n[:, None])[..., None] * n[:, None, None, :]
    return B


def _couple(found: Floats, patches: Patches, E: Floats) -> Floats:
    """Couples (C, 2) about the tangents of the frames `E` of the first moments in `found`, on A."""
    m = found[:, 1:2] * patches.t1 + found[:, 2:3] * patches.t2
    return np.einsum("cij,cj->ci", E[:, 1:], np.cross(m, patches.normal))
