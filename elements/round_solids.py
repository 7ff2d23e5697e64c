"""Spheres and capsules on convex solids that bodies carry: set-valued contact.

    model.add(SphereSolid(balls, boxes, mu=0.3))
    model.add(CapsuleSolid(rods, boxes, mu=0.3))

Geometry: elements/geometry/round_on_polytope.py. Compliant contact of the same: `CompliantSolids`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from elements.capsule_contacts import Capsules, capsule_list
from elements.geometry.capsule_geometry import AXIS
from elements.geometry.round_on_polytope import (
    measure_capsule_convex,
    measure_capsule_solid,
    measure_sphere_solid,
)
from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapeSide
from elements.solid_plane import Shapes
from elements.solid_solid import convex_side
from nsgalpha.arrays import CONE, POLYTOPE
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Primitive, sphere_list
from nsgalpha.model.registration import offered


def _axis_parts(solid: Solid) -> int:
    """Number of contacts of an axis with colours of edges, or side, circles and apex."""
    if solid.kind == POLYTOPE:
        return 1 + max(edge[4] for edge in solid.edges)
    return 1 + 2 * len(solid.faces) + (solid.kind == CONE)


class RoundSolids(ShapePairs):
    """Contact of all round shapes of one side with all `solids` of the other."""

    def __init__(self, side: ShapeSide, solids: Shapes) -> None:
        self._faces, polytopes, other = convex_side("solids", solids)
        self.polytopes: Sequence[Solid] = polytopes
        super().__init__(side, other)

    def handles(self) -> Sequence[Primitive | Body]:
        """The round shapes, and the faces of the solids."""
        return [*self.sides[0], *self._faces]


@offered("elements")
@recorded
@shows(ContactLaw)
class SphereSolid(RoundSolids):
    """Contact of every one of `spheres` with every one of `solids`, at its nearest point.

    solids: bodies with a closed convex surface (`add_box`, `add_cylinder`, `add_cone`, `add_solid`), or all
    faces of such a surface. They may be fixed, and a radius of the faces rounds them. A body has no contact
    with its own solids. `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError for bodies without a radius, open or concave surfaces,
    and solids with a width below 1e-6 of their size. Raises ValueError for repeated handles.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> box = model.add_box((2, 2, 0.2), fixed=True, position=(0, 0, -0.1))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(-0.5, 0, 0.1), velocity=(2, 0, 0))
    >>> element = model.add(SphereSolid(ball, box, mu=0.2))
    >>> result = ns.simulate(model, t_end=0.5, h=1e-3)
    >>> float(result.velocity[-1, ball, 0].round(3))  # it rolls, with 5/7 of its speed
    1.429
    """

    geometry: Geometry = measure_sphere_solid

    def __init__(self, spheres: Body | Sequence[Body], solids: Shapes, **law: Unpack[LawArguments]) -> None:
        self.law = ContactLaw(**law)
        super().__init__(ShapeSide("spheres", sphere_list("spheres", spheres)), solids)


@offered("elements")
@recorded
@shows(ContactLaw)
class CapsuleSolid(RoundSolids):
    """Contact of every one of `capsules` with every one of `solids`: ends, and crossings of edges.

    capsules: as in `CapsulePlane`, solids: as in `SphereSolid`. A capsule on a face rests on its ends, and
    where one of these is beyond the face on the edge that the axis crosses. `law`: mu, e_n, e_t,
    rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError if a capsule is named twice or no body carries it, and
    for solids as `SphereSolid` does.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> box = model.add_box((1, 1, 0.2), fixed=True, position=(0, 0, -0.1))
    >>> rod = model.add_capsule(0.05, 1.2, mass=1.0, position=(0.2, 0, 0.05), rotation=(0.5, 0.5, 0.5, 0.5))
    >>> element = model.add(CapsuleSolid(model.primitives[-1], box, mu=0.3))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> result.position[-1, rod].round(9).tolist()
    [0.2, 0.0, 0.05]
    """

    def __init__(self, capsules: Capsules, solids: Shapes, **law: Unpack[LawArguments]) -> None:
        self.law = ContactLaw(**law)
        super().__init__(ShapeSide("capsules", capsule_list("capsules", capsules)), solids)
        parts = max(_axis_parts(solid) for solid in self.polytopes)
        measure = measure_capsule_solid
        if any(solid.kind != POLYTOPE for solid in self.polytopes):
            measure = measure_capsule_convex
        crossings = ((AXIS, part) for part in range(parts))
        self.geometry: Geometry = replace(measure, features=(*measure.features, *crossings))
