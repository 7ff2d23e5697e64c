"""Compliant contact of solids with capsules and balls, planes, and meshes such as terrain.

    bricks = [model.add_box((0.2, 0.1, 0.06), mass=2.4, position=...) for ...]
    model.add(CompliantSolids(among=bricks, normal=SpringDashpot(stiffness=1e6, damping=500.0)))
    model.add(CompliantSolidPlane(bricks, floor, normal=..., tangential=...))
    model.add(CompliantSolidMesh(bricks, ground, normal=..., tangential=...))

Two faces touch as a bed of springs does: a stiffness [N/m] is force over mean overlap, LinearPressure has one
for the area. Geometry and formulas: elements/geometry/solid_geometry.py, solid_patches.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

from elements.compliant_elements import shows_laws
from elements.geometry.solid_geometry import PARTS, measure_solids
from elements.geometry.solid_patches import measure_solid_patches
from elements.solid_plane import carried_faces
from nsgalpha.checks import refuse
from nsgalpha.forces import CompliantLaw, Laws
from nsgalpha.forces.radius_check import FACES, refuse_without_radius
from nsgalpha.model.carried_shapes import shapes_on
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.convex_solids import Solid, half_space, solids_of
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane, Primitive, couple, pair_in_common, planes_beside
from nsgalpha.model.mesh_patches import patches_of
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched

Shape = Body | Primitive
Shapes = Shape | Sequence[Shape]
SolidShape = Body | Primitive | Solid


class SolidContact(Switched):
    """Compliant contact of solids `a` with `b`, or among `a`; made by the functions of this module."""

    torque = True
    parts = tuple(range(PARTS))

    def __init__(
        self,
        a: tuple[Sequence[Any], Sequence[SolidShape]],
        b: tuple[Sequence[Any], Sequence[SolidShape]] | None,
        law: CompliantLaw,
        geometry: Geometry = measure_solids,
    ) -> None:
        self.geometry: Geometry = geometry
        self.stated_sides = a[0], a[0] if b is None else b[0]
        self.sides = a[1], a[1] if b is None else b[1]
        self.law = law
        _check_law(law, [*self.sides[0], *self.sides[1]])

    def shared_pair(self, other: SolidContact) -> tuple[str, str] | None:
        """The names of a pair in common with `other`, or None."""
        return pair_in_common(self.stated_sides, other.stated_sides)

    def handles(self) -> Sequence[Any]:
        """The bodies, primitives and planes of the element."""
        first, second = self.stated_sides
        return first if first is second else [*first, *second]


def _check_law(law: CompliantLaw, shapes: Sequence[SolidShape]) -> None:
    """Raises ValueError for laws across a gap, or laws that need a radius, which solids lack."""
    if law.reach > 0.0:
        raise refuse("reach", law.reach, "0", "solids act where they overlap: they have no gap")
    if not any(isinstance(shape, Solid) for shape in shapes):
        return
    refuse_without_radius(law, math.inf, FACES)


def _touching(name: str, shapes: Shapes, convex: bool) -> tuple[list[Any], list[SolidShape]]:
    """The handles, and the solids, capsules and balls that they are or carry."""
    found: list[SolidShape] = []
    faces: list[Primitive] = []
    handles = shapes_on(name, shapes)
    for item, own in handles:
        if not own:
            remedy = "add_box, add_cylinder, add_capsule, add_solid"
            raise refuse(name, item.name, "a body with a surface", remedy)
        for each in own:
            if isinstance(each, Primitive) and not each.rigid:
                raise refuse(name, each.name, "rigid primitives", "those in bodies are for CompliantSurfaces")
            if isinstance(each, Primitive) and len(each.corners) > 2:
                if each.radius > 0.0:
                    remedy = "soft contact knows sharp solids; take radius=0, or Contact"
                    raise refuse(name, item.name, "a solid without a radius", remedy)
                faces.append(each)
            elif each.radius > 0.0:
                found.append(each)
            else:
                allowed = "a ball or a capsule with a radius > 0, or the faces of a solid"
                raise refuse(name, each.name, allowed)
    found += solids_of(name, faces, convex=convex)
    if not found:
        raise refuse(name, shapes, "at least one body or primitive")
    return [item for item, _ in handles], found


@offered("elements")
@recorded
@shows_laws
def CompliantSolids(  # noqa: N802, it makes an element
    among: Shapes | None = None, *, between: tuple[Shapes, Shapes] | None = None, **law: Unpack[Laws]
) -> SolidContact:
    """Compliant contact of solids: all pairs `among` a set, or one of each of two sets `between`.

    Bodies carry them: convex solids (`add_box`, `add_cylinder`, `add_solid`), capsules and balls; or they are
    such primitives of space or of a plane, of which all faces are given. Shapes of one body have no contact.
    Two solids share four contacts; the stiffness [N/m] of a law is force over mean overlap.

    Raises ValueError for solids that are not closed or not convex, and laws that need a radius or a reach.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> low, high = (model.add_box((1, 1, 0.1), mass=1.0, position=(0, 0, z)) for z in (0.05, 0.15))
    >>> law = SpringDashpot(stiffness=1e5, damping=500.0)
    >>> on_floor = model.add(CompliantSolidPlane(low, model.add_plane(normal=(0, 0, 1)), normal=law))
    >>> element = model.add(CompliantSolids(among=[low, high], normal=law))
    >>> result = ns.simulate(model, t_end=0.5, h=1e-3)
    >>> result.position[-1, :, 2].round(6).tolist()  # m g/k apart
    [0.0498, 0.1497]
    """
    if (among is None) == (between is None):
        raise ValueError("among and between: give one of them")
    if among is not None:
        return SolidContact(_touching("among", among, True), None, CompliantLaw(**law))
    first, second = couple("between", between, "two lists of bodies or primitives")
    a, b = (_touching("between", side, True) for side in (first, second))
    if {id(each) for each in a[0]} & {id(each) for each in b[0]}:
        raise ValueError("between: a body is in both sets; contacts of one set are those `among` it")
    return SolidContact(a, b, CompliantLaw(**law))


@offered("elements")
@recorded
@shows_laws
def CompliantSolidPlane(  # noqa: N802
    solids: Shapes, planes: Plane | Sequence[Plane], **law: Unpack[Laws]
) -> SolidContact:
    """Compliant contact of every one of `solids`, side A, with every one of `planes`.

    As in `CompliantSolids`, but solids need not be convex: any closed surface is allowed. The force of
    LinearPressure is its stiffness times the volume behind the plane.

    Raises ValueError for surfaces that are not closed, a plane of the same body, and laws that need a radius
    or a reach.
    """
    a = _touching("solids", solids, False)
    carriers = [each if isinstance(each, Body) else each.carrier for each in a[0]]
    listed = planes_beside("solids", carriers, planes)
    if not listed:
        raise refuse("planes", planes, "at least one plane")
    halves: list[SolidShape] = [half_space(plane) for plane in listed]
    return SolidContact(a, (listed, halves), CompliantLaw(**law))


@offered("elements")
@recorded
@shows_laws
def CompliantSolidMesh(  # noqa: N802
    solids: Shapes, polygons: Shapes, **law: Unpack[Laws]
) -> SolidContact:
    """Compliant contact of every one of `solids`, side A, with meshes of `polygons`, such as terrain.

    solids: as in `CompliantSolids`, without capsules and balls, which have `CompliantPolygonCapsule` and
    `CompliantPolygonSphere`. polygons: those of bodies, or bodies that carry them, which may move. All
    polygons of one body are one mesh, open or closed, which need not be convex. Its front is the side from
    which the corners are counter-clockwise. A solid whose centre is behind a face passes there. Triangles
    in one plane act as the plane does. A solid has four contacts with every plane of the mesh.

    Raises ValueError for solids that are not convex, and laws that need a radius or a reach. Raises it for
    polygons with a radius, edges of more than two, and neighbours of which one is inside out.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ground = model.add_body(fixed=True, position=(0, 0, 0))
    >>> field = model.add_mesh(*ns.height_field(np.zeros((9, 9)), 0.5), carrier=ground)
    >>> crate = model.add_box((1, 1, 1), mass=1.0, position=(2.1, 1.7, 0.5))
    >>> law = SpringDashpot(stiffness=1e5, damping=500.0)
    >>> element = model.add(CompliantSolidMesh(crate, ground, normal=law))
    >>> result = ns.simulate(model, t_end=0.5, h=1e-3)
    >>> float(result.position[-1, crate, 2].round(9))  # m g/k lower
    0.4999
    """
    a = _touching("solids", solids, True)
    for each in a[1]:
        if not isinstance(each, Solid):
            remedy = (
                "CompliantPolygonSphere and CompliantPolygonCapsule are for these, CompliantContact for all"
            )
            raise refuse("solids", each.name, "a box, cylinder, cone or convex mesh", remedy)
    faces = carried_faces("polygons", polygons)
    patches: list[SolidShape] = [*patches_of("polygons", faces)]
    return SolidContact(a, (faces, patches), CompliantLaw(**law), measure_solid_patches)
