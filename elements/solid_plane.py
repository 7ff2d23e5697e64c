"""Solids that bodies carry: set-valued contact with planes.

    bricks = [model.add_box((0.2, 0.1, 0.06), mass=2.4, position=...) for ...]
    model.add(SolidPlane(bricks, floor, mu=0.5))

Geometry: elements/geometry/vertex_plane.py. Compliant contact of the same: `CompliantSolidPlane`.
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from elements.geometry.vertex_plane import measure_vertex_plane
from elements.law_arguments import shows
from elements.shape_pairs import PlanePoints, ShapePlanes
from nsgalpha.checks import refuse
from nsgalpha.model.carried_shapes import numbers_of, shapes_on
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.contact_keys import MOST_FEATURES, contact_key
from nsgalpha.model.convex_solids import Solid, plane_features, plane_points, polytopes_of
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane, Primitive, own
from nsgalpha.model.registration import offered

Shape = Body | Primitive
Shapes = Shape | Sequence[Shape]


def carried_faces(name: str, shapes: Shapes) -> list[Primitive]:
    """Faces of solids that are, or whose bodies are, among `shapes`.

    Raises ValueError for other handles, repeated ones, and bodies without faces.
    """
    found: list[Primitive] = []
    for each, carried in shapes_on(name, shapes):
        faces = [p for p in carried if isinstance(p, Primitive) and len(p.corners) > 2]
        if not faces or not isinstance(faces[0].carrier, Body):
            allowed = "a face of a solid that a rigid body carries"
            if isinstance(each, Body):
                allowed = "a body with the faces of a solid"
            remedy = "add_box, add_cylinder, add_solid; capsules have CapsulePlane, spheres SpherePlane"
            raise refuse(name, each.name, allowed, remedy)
        found += faces
    if not found:
        raise refuse(name, shapes, "at least one body or primitive")
    for face in found:
        own(found[0].model, name, face)
    return found


@offered("elements")
@recorded
@shows(ContactLaw)
class SolidPlane(ShapePlanes):
    """Contact of every one of `solids` with every one of `planes`.

    solids: bodies with a closed surface (`add_box`, `add_cylinder`, `add_cone`, `add_solid`), or all faces of
    such a surface. It need not be convex. Every vertex of a solid is a contact, unless it is in the middle of
    an edge or a face. Of cylinders and cones the apex, the deepest points of the rims, and 32 fixed points of
    each rim are. A radius of the faces rounds them. Spheres and capsules of the same body need separate
    elements. `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError for open surfaces, and solids with a width below 1e-6
    of their size. Raises ValueError for planes of the same body, and repeated handles.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> box = model.add_box((0.4, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1), velocity=(2, 0, 0))
    >>> element = model.add(SolidPlane(box, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> float(result.velocity[-1, box, 0].round(9))  # it slides: 2 m/s less mu g t
    1.0
    """

    geometry: Geometry = measure_vertex_plane

    def __init__(self, solids: Shapes, planes: Plane | Sequence[Plane], **law: Unpack[LawArguments]) -> None:
        self.law = ContactLaw(**law)
        faces = carried_faces("solids", solids)
        super().__init__("solids", faces, planes)
        self.polytopes: Sequence[Solid] = polytopes_of("solids", faces, convex=False)
        features = [plane_features(solid) for solid in self.polytopes]
        first = [faces[0].model.shapes.primitives[solid.index] for solid in self.polytopes]
        most = max(int(each.max()) for each in features)
        if most >= MOST_FEATURES:
            raise refuse("solids", f"a solid of {most} vertices", f"one of {MOST_FEATURES} at most")
        many = [len(each) for each in features]
        carriers = [solid.carrier.index for solid in self.polytopes if solid.carrier is not None]
        body, shape = (np.repeat(each, many) for each in (np.array(carriers), numbers_of("solids", first)))
        spheres = [plane_points(s, each) for s, each in zip(self.polytopes, features, strict=True)]
        place, radius = (np.concatenate(each) for each in zip(*spheres, strict=True))
        self._points = PlanePoints(body, place, radius, contact_key(shape, np.concatenate(features), 0, 0))
