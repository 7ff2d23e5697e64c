"""Spheres and capsules on meshes of polygons that bodies carry, such as terrain: set-valued contact.

    model.add(SphereMesh(balls, ground, mu=0.5))
    model.add(CapsuleMesh(rods, ground, mu=0.5))

Geometry: elements/geometry/round_mesh.py. Meshes are as in `SolidMesh`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from elements.capsule_contacts import Capsules, capsule_list
from elements.geometry.mesh_pairs import measure_solid_mesh
from elements.law_arguments import shows
from elements.shape_pairs import ShapeSide
from elements.solid_mesh import SPARE_SLOTS, MeshContacts
from elements.solid_plane import Shapes
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, sphere_list
from nsgalpha.model.registration import offered


@offered("elements")
@recorded
@shows(ContactLaw)
class SphereMesh(MeshContacts):
    """Contact of every one of `spheres` with every mesh of `polygons`, of any number of triangles.

    polygons, two_sided: as in `SolidMesh`. `SpherePolygon` has thick polygons, and always both sides.
    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError for bodies without a radius, and for polygons as
    `SolidMesh` does.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ground = model.add_body(fixed=True, position=(0, 0, 0))
    >>> hill = model.add_mesh(*ns.height_field(np.zeros((9, 9)), 0.5), carrier=ground)
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(1, 2, 0.1), velocity=(2, 0, 0))
    >>> element = model.add(SphereMesh(ball, ground, mu=0.2))
    >>> result = ns.simulate(model, t_end=0.5, h=1e-3)
    >>> float(result.velocity[-1, ball, 0].round(3))  # it rolls, with 5/7 of its speed
    1.429
    """

    geometry: Geometry = replace(measure_solid_mesh, slots=SPARE_SLOTS)

    def __init__(
        self,
        spheres: Body | Sequence[Body],
        polygons: Shapes,
        *,
        two_sided: bool = False,
        **law: Unpack[LawArguments],
    ) -> None:
        self.law = ContactLaw(**law)
        listed = sphere_list("spheres", spheres)
        super().__init__(ShapeSide("spheres", listed), listed, polygons, two_sided)


@offered("elements")
@recorded
@shows(ContactLaw)
class CapsuleMesh(MeshContacts):
    """Contact of every one of `capsules` with every mesh of `polygons`.

    capsules: as in `CapsulePlane`, with balls off the centres of bodies. polygons, two_sided: as in
    `SolidMesh`. `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError if a capsule is named twice or no body carries it, and
    for polygons as `SolidMesh` does.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ground = model.add_body(fixed=True, position=(0, 0, 0))
    >>> hill = model.add_mesh(*ns.height_field(np.zeros((9, 9)), 0.5), carrier=ground)
    >>> rod = model.add_capsule(0.05, 0.4, mass=1.0, position=(1, 2, 0.05), rotation=(0.5, 0.5, 0.5, 0.5))
    >>> element = model.add(CapsuleMesh(model.primitives[-1], ground, mu=0.3))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> result.position[-1, rod].round(9).tolist()
    [1.0, 2.0, 0.05]
    """

    geometry: Geometry = replace(measure_solid_mesh, slots=SPARE_SLOTS)

    def __init__(
        self, capsules: Capsules, polygons: Shapes, *, two_sided: bool = False, **law: Unpack[LawArguments]
    ) -> None:
        self.law = ContactLaw(**law)
        listed = capsule_list("capsules", capsules)
        super().__init__(ShapeSide("capsules", listed), listed, polygons, two_sided)
