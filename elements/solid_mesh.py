"""Convex solids on meshes of polygons that bodies carry, such as terrain: set-valued contact.

    ground = model.add_body(fixed=True, position=(0, 0, 0))
    model.add_mesh(*ns.height_field(heights, 0.5), carrier=ground)
    model.add(SolidMesh(rocks, ground, mu=0.5))

Geometry: elements/geometry/polytope_mesh.py, round_mesh.py.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from elements.geometry.mesh_pairs import measure_polytope_mesh, measure_solid_mesh
from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapeSide
from elements.solid_plane import Shapes, carried_faces
from elements.solid_solid import convex_side
from nsgalpha.arrays import POLYTOPE
from nsgalpha.checks import truth
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.contact_meshes import Mesh, meshes_of
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.registration import offered

SPARE_SLOTS = 24  # contacts of a solid and a mesh, beside four for each corner of the largest face
ROUND_SLOTS = 40  # the same where some solids are round


class MeshContacts(ShapePairs):
    """Contact of shapes, the `handles`, with meshes of `polygons` that have one side or two."""

    def __init__(
        self, side: ShapeSide, handles: Sequence[Primitive | Body], polygons: Shapes, two_sided: bool
    ) -> None:
        faces = carried_faces("polygons", polygons)
        self.meshes: Sequence[Mesh] = meshes_of("polygons", faces, truth("two_sided", two_sided))
        self._handles = [*handles, *faces]
        bodies = {*side.body.tolist()}
        for mesh in self.meshes:
            if bodies == {mesh.carrier.index}:
                message = f"polygons: {mesh.carrier.name!r} carries them and the other side"
                raise ValueError(f"{message}; a body has no contact with itself")
        first = [faces[0].model.shapes.primitives[mesh.index] for mesh in self.meshes]
        super().__init__(side, ShapeSide("polygons", first, [mesh.corners for mesh in self.meshes]))

    def handles(self) -> Sequence[Primitive | Body]:
        """The shapes of one side, and the polygons of the meshes."""
        return self._handles


@offered("elements")
@recorded
@shows(ContactLaw)
class SolidMesh(MeshContacts):
    """Contact of every one of `solids` with every mesh of `polygons`: terrain, chutes, vessels.

    solids: boxes, hulls, cylinders and cones, as in `SolidSolid`. polygons: those of bodies, or bodies that
    carry them, which may move. All polygons of one body are one mesh, open or closed, and need not be convex.
    It has one side, that from which the corners are counter-clockwise. A solid whose middle is behind it
    passes. `two_sided`: whether it holds solids on both sides, each on that of its middle. Flat edges are not
    felt. An open border is the edge of an upright wall, which is itself no surface. `law`: mu, e_n, e_t,
    rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw, and for solids those of SolidSolid. Raises ValueError for polygons with a
    radius, for edges of more than two polygons, and for neighbours of which one is inside out. The start of a
    run raises it for a mesh that has one side in one element, and two in another.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ground = model.add_body(fixed=True, position=(0, 0, 0))
    >>> hill = model.add_mesh(*ns.height_field(np.zeros((9, 9)), 0.5), carrier=ground)
    >>> crate = model.add_box((0.4, 0.2, 0.2), mass=1.0, position=(1, 2, 0.1), velocity=(2, 0, 0))
    >>> element = model.add(SolidMesh(crate, ground, mu=0.2))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> float(result.velocity[-1, crate, 0].round(9))  # it slides: 2 m/s less mu g t
    1.0
    """

    def __init__(
        self, solids: Shapes, polygons: Shapes, *, two_sided: bool = False, **law: Unpack[LawArguments]
    ) -> None:
        self.law = ContactLaw(**law)
        faces, self.polytopes, side = convex_side("solids", solids)
        sharp = [solid for solid in self.polytopes if solid.kind == POLYTOPE]
        most = max((len(face) for solid in sharp for face in solid.faces), default=0)
        self.geometry: Geometry = replace(measure_polytope_mesh, slots=4 * most + SPARE_SLOTS)
        if len(sharp) < len(self.polytopes) or any(solid.radius > 0.0 for solid in sharp):
            self.geometry = replace(measure_solid_mesh, slots=4 * most + ROUND_SLOTS)
        super().__init__(side, faces, polygons, two_sided)
