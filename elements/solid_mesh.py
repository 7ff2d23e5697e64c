"""Convex solids on meshes of polygons that bodies carry, such as terrain: set-valued contact.

    ground = model.add_body(fixed=True, position=(0, 0, 0))
    model.add_mesh(*ns.height_field(heights, 0.5), carrier=ground)
    model.add(SolidMesh(rocks, ground, mu=0.5))

Geometry: elements/geometry/polytope_mesh.py.
"""

from collections.abc import Sequence
from dataclasses import replace

from elements.geometry.polytope_mesh import measure_polytope_mesh
from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapeSide
from elements.solid_plane import Shapes, carried_faces
from elements.solid_solid import convex_side
from nsgalpha.checks import refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.contact_meshes import Mesh, meshes_of
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.registration import offered

SPARE_SLOTS = 24  # contacts of a solid and a mesh, beside four for each corner of the largest face


@offered("elements")
@recorded
@shows(ContactLaw)
class SolidMesh(ShapePairs):
    """Contact of every one of `solids` with every mesh of `polygons`: terrain, chutes, vessels.

    solids: boxes and convex hulls, as in `SolidSolid`. polygons: those of bodies, or bodies that carry them,
    which may move. All polygons of one body are one mesh, open or closed, and need not be convex. It has one
    side, that from which the corners are counter-clockwise. A solid whose centre is behind it passes. Flat
    edges are not felt. An open border is the edge of an upright wall, which is itself no surface. `law`:
    mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw, and for solids those of SolidSolid. Raises ValueError for polygons with a
    radius, for edges of more than two polygons, and for neighbours of which one is inside out.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ground = model.add_body(fixed=True, position=(0, 0, 0))
    >>> hill = model.add_mesh(*ns.height_field(np.zeros((9, 9)), 0.5), carrier=ground)
    >>> crate = model.add_box((0.4, 0.2, 0.2), mass=1.0, position=(1, 2, 0.1), velocity=(2, 0, 0))
    >>> element = model.add(SolidMesh(crate, ground, mu=0.2))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> float(result.velocity[-1, crate, 0].round(9))  # it slides: 2 m/s less mu g t
    1.0
    """

    def __init__(self, solids: Shapes, polygons: Shapes, **law: float) -> None:
        self.law = ContactLaw(**law)
        faces, polytopes, side = convex_side("solids", solids)
        self.polytopes: Sequence[Solid] = polytopes
        for solid in polytopes:
            if solid.radius > 0.0:
                raise refuse(
                    "solids", solid.name, "a solid without a radius", "SolidPlane takes rounded ones"
                )
        most = max(len(face) for solid in polytopes for face in solid.faces)
        self.geometry: Geometry = replace(measure_polytope_mesh, slots=4 * most + SPARE_SLOTS)
        listed = carried_faces("polygons", polygons)
        meshes: Sequence[Mesh] = meshes_of("polygons", listed)
        self.meshes, self._handles = meshes, [*faces, *listed]
        carriers = {id(face.carrier) for face in faces}
        for mesh in meshes:
            if carriers == {id(mesh.carrier)}:
                message = f"polygons: {mesh.carrier.name!r} carries them and the other side"
                raise ValueError(f"{message}; a body has no contact with itself")
        first = [listed[0].model.shapes.primitives[mesh.index] for mesh in meshes]
        super().__init__(side, ShapeSide("polygons", first, [mesh.corners for mesh in meshes]))

    def handles(self) -> Sequence[Primitive | Body]:
        """The faces of the solids, and the polygons of the meshes."""
        return self._handles
