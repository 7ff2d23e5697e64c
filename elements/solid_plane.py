"""Solids that bodies carry: set-valued contact with planes.

    bricks = [model.add_box((0.2, 0.1, 0.06), mass=2.4, position=...) for ...]
    model.add(SolidPlane(bricks, floor, mu=0.5))

Geometry: elements/geometry/vertex_plane.py. Compliant contact of the same: `CompliantSolidPlane`.
"""

from collections.abc import Sequence

import numpy as np

from elements.geometry.vertex_plane import measure_vertex_plane
from elements.law_arguments import shows
from elements.shape_pairs import ShapePlanes
from nsgalpha.checks import refuse
from nsgalpha.model.carried_shapes import numbers_of
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.contact_keys import MOST_FEATURES, contact_key
from nsgalpha.model.convex_solids import Solid, plane_features, polytopes_of
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.registration import offered

Shape = Body | Primitive
Shapes = Shape | Sequence[Shape]


def carried_faces(name: str, shapes: Shapes) -> list[Primitive]:
    """Faces of solids that are, or whose bodies are, among `shapes`.

    Raises ValueError for other handles, repeated ones, and bodies without faces.
    """
    if not isinstance(shapes, Sequence | Body | Primitive) or isinstance(shapes, str | bytes | range):
        raise refuse(name, shapes, "a list of bodies or primitives, as returned by the model")
    found: dict[int, Primitive] = {}
    carried: dict[int, list[Primitive]] = {}
    models: set[int] = set()
    for each in [shapes] if isinstance(shapes, Body | Primitive) else shapes:
        if not isinstance(each, Body | Primitive):
            raise refuse(name, each, "a list of bodies or primitives, as returned by the model")
        if isinstance(each, Body) and id(each.model) not in models:
            models.add(id(each.model))
            for primitive in each.model.shapes.primitives:
                if primitive.rigid and len(primitive.corners) > 2:
                    carried.setdefault(id(primitive.carrier), []).append(primitive)
        faces = _faces_of(name, each, carried)
        if any(id(face) in found for face in faces):
            raise ValueError(f"{name}: {each.name!r} is given twice; name each one once")
        found |= {id(face): face for face in faces}
    if not found:
        raise refuse(name, shapes, "at least one body or primitive")
    return list(found.values())


def _faces_of(name: str, shape: Shape, carried: dict[int, list[Primitive]]) -> list[Primitive]:
    """The faces of a body, by its id among those `carried`, or the face that `shape` is."""
    if isinstance(shape, Primitive):
        if len(shape.corners) < 3 or not isinstance(shape.carrier, Body):
            allowed = "a face of a solid that a rigid body carries"
            raise refuse(name, shape.name, allowed, "capsules have CapsulePlane, spheres SpherePlane")
        return [shape]
    if id(shape) not in carried:
        remedy = "add_box, add_cylinder, add_cone, add_solid; capsules have CapsulePlane, spheres SpherePlane"
        raise refuse(name, shape.name, "a body with the faces of a solid", remedy)
    return carried[id(shape)]


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

    def __init__(self, solids: Shapes, planes: Plane | Sequence[Plane], **law: float) -> None:
        self.law = ContactLaw(**law)
        faces = carried_faces("solids", solids)
        super().__init__("solids", faces, planes)
        self.polytopes: Sequence[Solid] = polytopes_of("solids", faces, convex=False, round_ones=True)
        features = [plane_features(solid) for solid in self.polytopes]
        first = [faces[0].model.shapes.primitives[solid.index] for solid in self.polytopes]
        most = max(int(each.max()) for each in features)
        if most >= MOST_FEATURES:
            raise refuse("solids", f"a solid of {most} vertices", f"one of {MOST_FEATURES} at most")
        many = [len(each) for each in features]
        carriers = [solid.carrier.index for solid in self.polytopes if solid.carrier is not None]
        self._body = np.repeat(np.array(carriers, np.int64), many)
        shape = np.repeat(numbers_of("solids", first), many)
        self._key = contact_key(shape, np.concatenate(features), 0, 0)
