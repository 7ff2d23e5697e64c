"""Spheres against planes: set-valued contact. A plane is fixed, prescribed or carried by a body.

Geometry: elements/geometry/sphere_geometry.py (docs/theory.md, section 4).
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from elements.geometry.sphere_geometry import measure_sphere_plane
from elements.law_arguments import shows
from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane, pair_in_common, planes_beside, sphere_list
from nsgalpha.model.registration import offered


@offered("elements")
@recorded
@shows(ContactLaw)
class SpherePlane:
    """Contact of every one of `spheres` with every one of `planes` (one plane or several).

    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw, and ValueError if a body or plane is named twice, or a sphere meets a
    plane that it carries itself.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(7, 0, 0))
    >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.5))
    >>> result = ns.simulate(model, t_end=1.0, h=0.01)
    >>> result.velocity[-1, ball].round(9)  # it rolls, with 5/7 of its speed
    array([5., 0., 0.])
    """

    geometry: Geometry = measure_sphere_plane

    def __init__(
        self, spheres: Body | Sequence[Body], planes: Plane | Sequence[Plane], **law: Unpack[LawArguments]
    ) -> None:
        self.law = ContactLaw(**law)
        self._spheres = sphere_list("spheres", spheres)
        self._planes = planes_beside("spheres", self._spheres, planes)
        self._numbers = np.array([body.index for body in self._spheres], np.int64)

    def shared_pair(self, other: "SpherePlane") -> tuple[str, str] | None:
        """The names of a sphere and a plane in common with `other`, or None."""
        return pair_in_common((self._spheres, self._planes), (other._spheres, other._planes))

    def handles(self) -> Sequence[Body | Plane]:
        """The spheres and planes of the element."""
        return [*self._spheres, *self._planes]

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, Ints, Ints]:
        """Every sphere with the planes at rest that are nearer than `reach` [m], and with all others."""
        chosen = np.array([plane.index for plane in self._planes], np.int64)
        moves = [plane.body is not None or plane.motion is not None for plane in self._planes]
        gap = x[self._numbers] @ planes.normal[chosen].T - planes.offset[chosen] - radius[self._numbers, None]
        sphere, plane = np.nonzero((gap < reach) | moves)
        which = chosen[plane]
        return self._numbers[sphere], planes.body[which], which
