"""Spheres against polygons that bodies carry: set-valued contact with faces, edges and corners.

    table = model.add_body(position=(0, 0, 0), fixed=True)
    top = model.add_primitive([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], carrier=table)
    model.add(SpherePolygon(balls, top, mu=0.2))

Geometry: elements/geometry/face_geometry.py.
"""

from collections.abc import Sequence
from typing import Unpack

from elements.geometry.face_geometry import measure_sphere_polygon
from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapeSide
from nsgalpha.checks import refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Primitive, handle_list, sphere_list
from nsgalpha.model.registration import offered


@offered("elements")
@recorded
@shows(ContactLaw)
class SpherePolygon(ShapePairs):
    """Contact of every one of `spheres` with every one of `polygons`, with their faces, edges and corners.

    polygons: flat and convex, carried by bodies, `model.add_primitive(corners, carrier=body)`; for tables and
    cushions that stand still the body is `fixed`. One with a radius is a plate of twice that thickness with
    round edges. Both sides of a polygon are met. Tables of other shapes, or with holes, are several polygons
    side by side: a ball does not feel the seams. `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError if a handle is named twice, is no such sphere or
    polygon, or one of the spheres carries a polygon.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> table = model.add_body(position=(0, 0, 0), fixed=True)
    >>> top = model.add_primitive([(-1, -1, 0), (0, -1, 0), (0, 1, 0), (-1, 1, 0)], carrier=table)
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(-0.5, 0, 0.1), velocity=(2, 0, 0))
    >>> element = model.add(SpherePolygon(ball, top))
    >>> result = ns.simulate(model, t_end=0.5, h=1e-3)
    >>> result.position[[250, -1], ball].round(3)  # it slides to the edge and falls
    array([[ 0.   ,  0.   ,  0.1  ],
           [ 0.5  ,  0.   , -0.212]])
    """

    geometry: Geometry = measure_sphere_polygon

    def __init__(
        self,
        spheres: Body | Sequence[Body],
        polygons: Primitive | Sequence[Primitive],
        **law: Unpack[LawArguments],
    ) -> None:
        self.law = ContactLaw(**law)
        balls = sphere_list("spheres", spheres)
        faces = handle_list("polygons", polygons, Primitive)
        for polygon in faces:
            self._check(polygon, balls)
        super().__init__(ShapeSide("spheres", balls), ShapeSide("polygons", faces))

    def _check(self, polygon: Primitive, spheres: Sequence[Body]) -> None:
        """ValueError for one that no body carries, or one of the `spheres`."""
        carrier = polygon.carrier
        if len(polygon.corners) < 3 or not isinstance(carrier, Body):
            words = (
                "a polygon of a body: three corners or more, and a body, which may be fixed, as its carrier"
            )
            raise refuse("polygons", polygon.name, words, "state it by add_primitive(corners, carrier=body)")
        if any(carrier is sphere for sphere in spheres):
            message = f"spheres: {carrier.name!r} carries {polygon.name!r}; a body has no contact with itself"
            raise ValueError(message)
