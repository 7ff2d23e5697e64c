"""Spheres against polygons that bodies carry: set-valued contact with faces, edges and corners.

    table = model.add_body(position=(0, 0, 0), fixed=True)
    top = model.add_primitive([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], carrier=table)
    model.add(SpherePolygon(balls, top, mu=0.2))

Geometry: elements/geometry/face_geometry.py.
"""

from collections.abc import Sequence

import numpy as np

from elements.geometry.face_geometry import measure_sphere_polygon
from elements.law_arguments import shows
from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.checks import refuse
from nsgalpha.geometry.box_broad_phase import near_boxes
from nsgalpha.model.carried_shapes import extent_of, numbers_of
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.contact_keys import contact_key
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Primitive, handle_list, pair_in_common, sphere_list
from nsgalpha.model.registration import offered


@offered("elements")
@recorded
@shows(ContactLaw)
class SpherePolygon:
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
        self, spheres: Body | Sequence[Body], polygons: Primitive | Sequence[Primitive], **law: float
    ) -> None:
        self.law = ContactLaw(**law)
        self._spheres = sphere_list("spheres", spheres)
        self._polygons = handle_list("polygons", polygons, Primitive)
        self._body = np.array([body.index for body in self._spheres], np.int64)
        carriers = [self._carrier(polygon) for polygon in self._polygons]
        self._carriers = np.array([carrier.index for carrier in carriers], np.int64)
        self._extent = np.array([extent_of(polygon) for polygon in self._polygons])
        self._number = numbers_of("polygons", self._polygons)

    def _carrier(self, polygon: Primitive) -> Body:
        """The body of a polygon, or a ValueError."""
        carrier = polygon.carrier
        if len(polygon.corners) < 3 or not isinstance(carrier, Body):
            words = (
                "a polygon of a body: three corners or more, and a body, which may be fixed, as its carrier"
            )
            raise refuse("polygons", polygon.name, words, "state it by add_primitive(corners, carrier=body)")
        if any(carrier is sphere for sphere in self._spheres):
            message = f"spheres: {carrier.name!r} carries {polygon.name!r}; a body has no contact with itself"
            raise ValueError(message)
        return carrier

    def shared_pair(self, other: "SpherePolygon") -> tuple[str, str] | None:
        """The names of a sphere and a polygon in common with `other`, or None."""
        return pair_in_common((self._spheres, self._polygons), (other._spheres, other._polygons))

    def handles(self) -> Sequence[Body | Primitive]:
        """The spheres and polygons of the element."""
        return [*self._spheres, *self._polygons]

    def candidates(
        self, x: Floats, radius: Floats, planes: Planes, reach: float
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Spheres nearer than `reach` [m] to the sphere in which a polygon turns about its body."""
        grown = 0.5 * min(reach, float(np.ptp(x, axis=0).sum()))  # all are nearer than that
        bodies = np.concatenate([self._body, self._carriers])
        half = np.concatenate([radius[self._body], self._extent])[:, None] + grown
        found = near_boxes(x[bodies] - half, x[bodies] + half, len(self._body))
        a, polygon = self._body[found[:, 0]], found[:, 1] - len(self._body)
        b = self._carriers[polygon]
        return a, b, np.full(len(a), -1, np.int64), contact_key(0, 0, self._number[polygon], 0)
