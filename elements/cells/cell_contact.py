"""Contact of surfaces whose nodes are bodies: with one another, with planes, spheres and pipettes.

The energy an area of a surface at the gap g, integrated over its triangles as they are,

    phi = -w + k g^2/2               g < 0
    phi = -w (1 - (g/h)^2)^2         0 <= g < h

with the stiffness k, the work of adhesion w and the reach h. Areas of contact between cells are the actual
ones, those on planes their projections (cell_contact_pass.py). A surface is thus pulled on along the border
of the contact. A drop of the tension gamma has the angle of Young and Dupre there, w = gamma (1 + cos phi).
Between two surfaces each is integrated over, and counts a half. Points have contact with the nearest point of
each of the other surfaces. There is no friction, and a surface has no contact with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elements.cells.cell_contact_pass import ContactPass, Force, Near, Place, Table, nodes_of
from elements.cells.surface_gaps import PIPETTE, PLANE, RULES, SPHERE, TRIANGLE
from elements.shells.membranes import NoMemory
from nsgalpha import checks
from nsgalpha.arrays import Floats, Ints, turned
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.handles import Body, Plane, handle_list, sphere_list
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched
from nsgalpha.model.triangulated_surface import Surface

SKIN = 0.1  # of a mean edge, by which candidates are farther apart than the reach
DEPTH = 0.5  # of a mean edge, to which two surfaces may overlap


@offered()
@checks.parameter_set
class Pipette:
    """The wall of a pipette: all that is farther from its axis than `radius` R_p [m], from `point` [m] on.

    axis (3,) of any length, into the pipette; lip [m] > 0: radius with which its edge is rounded.

    Raises ValueError that names the argument.
    """

    radius: float = checks.positive_field()
    lip: float = checks.positive_field("sharp edges have no normal")
    point: ArrayLike = (0.0, 0.0, 0.0)
    axis: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", tuple(checks.vector("point", self.point).tolist()))
        object.__setattr__(self, "axis", tuple(checks.direction("axis", self.axis).tolist()))

    @property
    def row(self) -> Floats:
        """Point, axis, radius, lip."""
        return np.array([*self.point, *self.axis, self.radius, self.lip])  # type: ignore[misc]


@offered("elements")
@recorded
class SurfaceContact(Switched):
    """Adhesive contact, without friction, of `surfaces` with one another and with planes, spheres, pipettes.

    stiffness k [Pa/m] > 0: pressure over overlap. work w [J/m^2] >= 0: of adhesion; reach h [m]: gap from
    which on it acts, > 0 where there is work. planes: fixed or with a motion. spheres: bodies. points: in
    each triangle, 3, 6 or 12. among: whether surfaces have contact with one another; two of them that overlap
    by more than half a mean edge have none.

    Triangles have contact on their outer sides; of two surfaces those that face each other.
    Raises ValueError that names the argument.

    >>> from elements import GlobalArea, SurfaceContact, icosphere
    >>> model = ns.Model()
    >>> x, triangles = icosphere(2)
    >>> nodes = [model.add_point(position=each) for each in x]
    >>> drop = model.add_surface(nodes, triangles)
    >>> film = model.add(GlobalArea(drop, stiffness=0, tension=1))
    >>> plate = model.add_plane(normal=(0, 0, 1), offset=-0.95)
    >>> contact = model.add(SurfaceContact(drop, planes=plate, stiffness=1e3))
    >>> print(ns.surface_outputs(model, model.initial_state(), drop).contact_area.sum().round(2))
    0.24
    """

    law = NoMemory()
    count = 0
    energy_known = True

    def __init__(
        self,
        surfaces: Surface | Sequence[Surface],
        *,
        stiffness: float,
        work: float = 0.0,
        reach: float = 0.0,
        planes: Plane | Sequence[Plane] = (),
        spheres: Body | Sequence[Body] = (),
        pipettes: Pipette | Sequence[Pipette] = (),
        among: bool = True,
        points: int = 6,
    ) -> None:
        self.surfaces = surface_list(surfaces)
        self.planes, self.spheres = handle_list("planes", planes, Plane), sphere_list("spheres", spheres)
        self.pipettes = _pipettes(pipettes)
        for plane in self.planes:
            if plane.body is not None:
                raise checks.refuse(
                    "planes", plane.name, "fixed, or with a motion", "surfaces do not move a body by a plane"
                )
        self.among = checks.truth("among", among) and len(self.surfaces) > 1
        if not (self.among or self.planes or self.spheres or self.pipettes):
            message = "surfaces: one has nothing to touch; give another one, planes, spheres or pipettes"
            raise ValueError(message)
        k, w = checks.positive("stiffness", stiffness), checks.number_in("work", work, 0.0, np.inf)
        h = checks.number_in("reach", reach, 0.0, np.inf)
        if w > 0.0 and h == 0.0:
            raise checks.refuse(
                "reach", reach, "positive where there is work", "such as a part of an edge of the mesh"
            )
        many = checks.integer("points", points)
        if many not in RULES:
            raise checks.refuse("points", points, "3, 6 or 12")
        edge = float(np.concatenate([each.reference.length for each in self.surfaces]).mean())
        #: distance [m] beyond the reach within which parts are candidates
        self.skin = SKIN * edge
        triangles = [each.bodies[each.triangles] for each in self.surfaces]
        self._of = np.repeat(np.arange(len(triangles)), [len(each) for each in triangles])
        balls = np.array([body.index for body in self.spheres], np.int64)
        radii = np.array([body.radius for body in self.spheres], float)
        own, (rule, weights) = np.ascontiguousarray(np.concatenate(triangles)), RULES[many]
        self._table = Table(own, balls, radii, rule, weights, Force(k, w, h, DEPTH * edge))
        #: numbers of the bodies whose motion changes the neighbours
        self.bodies = np.concatenate([*(each.bodies for each in self.surfaces), balls])

    @property
    def force(self) -> Force:
        """The law of the pressure."""
        return self._table.law

    @property
    def depth(self) -> float:
        """See SelfContactElement."""
        return self.force.depth

    def contacting_surfaces(self, x: Floats) -> Ints:
        """See SelfContactElement."""
        return np.arange(len(self.surfaces) if self.among else 0)

    @property
    def nodes(self) -> Ints:
        """None: they are found with the positions."""
        return np.empty((0, 6), np.int64)

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that it refers to."""
        nodes = [node for each in self.surfaces for node in each.nodes]
        return [*nodes, *self.planes, *self.spheres]

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return self.neighbour_pass(motion, self.candidates(motion.x))

    def neighbour_pass(self, motion: ElementMotion, candidates: Near) -> ContactPass:
        """See NeighbourElement."""
        return ContactPass(self._table, Place(motion.x, self._walls(motion.t)), candidates)

    def contact(self, made: ForcePass, surface: Surface) -> tuple[Floats, Floats]:
        """Areas of contact (N,) of the nodes of `surface`, and forces (N, 3); see surface_outputs."""
        assert isinstance(made, ContactPass)
        total = np.zeros((int(self.bodies.max()) + 1, 7))
        np.add.at(total[:, 6], made.nodes[:, :3], made.touching)
        made.add_forces(total[:, :6])
        at = total[surface.bodies]
        return at[:, 6], at[:, :3]

    def _walls(self, t: float) -> Floats:
        """Planes and pipettes as rows of eight numbers at the time `t` [s]."""
        rows = np.zeros((len(self.planes) + len(self.pipettes), 8))
        for row, plane in zip(rows, self.planes, strict=False):
            row[:3], row[3] = plane.normal, plane.offset
            if plane.motion is not None:
                place, rotation, _, _ = frame_motion(plane, t)
                row[:3] = turned(rotation, plane.normal)
                row[3] += row[:3] @ place
        for row, pipette in zip(rows[len(self.planes) :], self.pipettes, strict=True):
            row[:] = pipette.row
        return rows

    def candidates(self, x: Floats) -> Near:
        """See NeighbourElement."""
        active = self._acting(x)
        own = [self._of_walls(active), self._of_spheres(x, active)]
        found = np.concatenate([*own, self._of_surfaces(x, active)] if self.among else own)
        found = found[np.argsort(found[:, 0] * self._others + found[:, 1], kind="stable")]
        code = found[:, 0] * self._others + found[:, 1]
        first = np.flatnonzero(np.diff(code, prepend=-1))
        group = np.column_stack([found[first, 0], first, np.append(first, len(found))[1:]])
        return Near(np.ascontiguousarray(group), np.ascontiguousarray(found[:, 2:]))

    @property
    def _others(self) -> int:
        """How many things there are to touch."""
        return len(self.surfaces) + len(self.spheres) + len(self.planes) + len(self.pipettes)

    def _acting(self, x: Floats) -> Ints:
        """The triangles that may have contact with the bodies in `x` (B, 3)."""
        return np.arange(len(self._of))

    def _of_walls(self, active: Ints) -> Ints:
        """Rows (n, 4) of all triangles with walls: triangle, partner, kind of wall, number of wall."""
        walls = len(self.planes) + len(self.pipettes)
        triangle, wall = np.tile(active, walls), np.repeat(np.arange(walls), len(active))
        kind = np.where(wall < len(self.planes), PLANE, PIPETTE)
        return np.column_stack([triangle, len(self.surfaces) + len(self.spheres) + wall, kind, wall])

    def _of_spheres(self, x: Floats, active: Ints) -> Ints:
        """The same of spheres, those in reach."""
        X, margin = x[self._table.triangles[active]], self.force.reach + self.skin
        middle = X.mean(axis=1)
        extent = np.linalg.norm(X - middle[:, None], axis=2).max(axis=1)
        found = [np.empty((0, 4), np.int64)]
        for k, (body, radius) in enumerate(zip(self._table.spheres, self._table.radius, strict=True)):
            near = np.linalg.norm(middle - x[body], axis=1) < radius + extent + margin
            at = active[near]
            same = [np.full_like(at, value) for value in (len(self.surfaces) + k, SPHERE, k)]
            found.append(np.column_stack([at, *same]))
        return np.concatenate(found)

    def _of_surfaces(self, x: Floats, active: Ints) -> Ints:
        """The same of triangles of other surfaces."""
        X = x[self._table.triangles[active]]
        grown = 0.5 * (max(self.force.reach, self.force.depth) + self.skin)
        a, b = active[near_boxes(X.min(axis=1) - grown, X.max(axis=1) + grown, len(X))].T
        other = self._of[a] != self._of[b]
        a, b = np.concatenate([a[other], b[other]]), np.concatenate([b[other], a[other]])
        return np.column_stack([a, self._of[b], np.full_like(a, TRIANGLE), b])

    def candidate_nodes(self, candidates: Near) -> Ints:
        """See NeighbourElement."""
        group, candidate = candidates
        triangle = np.repeat(group[:, 0], group[:, 2] - group[:, 1])
        meets = candidate[:, 0] >= SPHERE  # a wall couples no other bodies
        return nodes_of(self._table, triangle[meets], *candidate[meets].T)


def surface_list(surfaces: Surface | Sequence[Surface]) -> list[Surface]:
    """List of one surface or several. Raises ValueError for other things, repetitions and several models."""
    single = isinstance(surfaces, Surface)
    found: list[Any] = (
        [surfaces] if single else checks.listed("surfaces", surfaces, "a Surface, or a list of them")
    )
    for each in found:
        checks.instance(
            "surfaces", each, Surface, "a Surface, or a list of them", "model.add_surface returns one"
        )
    if not found:
        raise checks.refuse("surfaces", surfaces, "at least one surface")
    for k, each in enumerate(found):
        if any(each is other for other in found[:k]):
            raise ValueError(f"surfaces: {each.name!r} is given twice; name each one once")
        if each.model is not found[0].model:
            raise checks.refuse("surfaces", each.name, "of one model")
    return found


def _pipettes(pipettes: Pipette | Sequence[Pipette]) -> list[Pipette]:
    found = (
        [pipettes]
        if isinstance(pipettes, Pipette)
        else checks.listed("pipettes", pipettes, "Pipette(...), or a list")
    )
    for each in found:
        if not isinstance(each, Pipette):
            raise checks.refuse("pipettes", each, "Pipette(...)")
    return found
