"""Capsules that rigid bodies carry: set-valued contact with planes, spheres and each other.

    rods = [model.add_primitive(ends, radius=0.01, carrier=body) for body in bodies]
    model.add(CapsulePlane(rods, floor, mu=0.3))
    model.add(CapsuleCapsule(among=rods, mu=0.3))

Geometry and its contacts: elements/geometry/capsule_geometry.py. A body may carry several capsules, and be a
sphere too; its own shapes have no contact with each other. A ball that a body carries off its centre, a
primitive with one corner, is a capsule without length.
"""

from collections.abc import Sequence
from typing import Unpack

from elements.geometry.capsule_geometry import (
    measure_capsule_parts,
    measure_capsule_plane,
    measure_capsule_sphere,
)
from elements.law_arguments import shows
from elements.shape_pairs import PlanePoints, ShapePairs, ShapePlanes, ShapeSide
from nsgalpha.checks import refuse
from nsgalpha.model.carried_shapes import is_ball, is_capsule
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.contact_keys import contact_key
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane, Primitive, couple, handle_list, sphere_list
from nsgalpha.model.registration import offered

Capsules = Primitive | Sequence[Primitive]


def capsule_list(name: str, values: Capsules) -> list[Primitive]:
    """`values` as a list of capsules and balls that bodies carry, or a ValueError."""
    capsules = handle_list(name, values, Primitive)
    for capsule in capsules:
        if not (is_capsule(capsule) or is_ball(capsule)) or capsule.radius <= 0.0:
            words = (
                "a capsule of a rigid body, or a ball: a radius > 0, two corners or one, a body as carrier"
            )
            remedy = "state it by add_primitive(ends, radius=..., carrier=body)"
            raise refuse(name, capsule.name, words, remedy)
    return capsules


@offered("elements")
@recorded
@shows(ContactLaw)
class CapsulePlane(ShapePlanes):
    """Contact of both ends of every one of `capsules` with every one of `planes`.

    capsules: primitives of bodies with two corners and a radius, or one corner, as balls have. `law`: mu,
    e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError if a capsule or plane is named twice, is not carried by
    a body, or meets a plane of the same body.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> rod = model.add_body(mass=1.0, inertia=(1e-3, 1e-1, 1e-1), position=(0, 0, 0.1), velocity=(2, 0, 0))
    >>> capsule = model.add_primitive([(-0.5, 0, 0), (0.5, 0, 0)], radius=0.1, carrier=rod)
    >>> element = model.add(CapsulePlane(capsule, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> float(result.velocity[-1, rod, 0].round(9))  # it slides: 2 m/s less mu g t
    1.0
    """

    geometry: Geometry = measure_capsule_plane

    def __init__(
        self, capsules: Capsules, planes: Plane | Sequence[Plane], **law: Unpack[LawArguments]
    ) -> None:
        self.law = ContactLaw(**law)
        listed = capsule_list("capsules", capsules)
        super().__init__("capsules", listed, planes)
        side = ShapeSide("capsules", listed)
        boxes, key = side.boxes, contact_key(side.number, 0, 0, 0)
        self._points = PlanePoints(boxes.body, boxes.middle, boxes.half.max(axis=1) + boxes.radius, key)


@offered("elements")
@recorded
@shows(ContactLaw)
class CapsuleSphere(ShapePairs):
    """Contact of every one of `capsules` with every one of `spheres`, bodies with a radius.

    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw, and ValueError if a handle is named twice, or is no such capsule or
    sphere.
    """

    geometry: Geometry = measure_capsule_sphere

    def __init__(
        self, capsules: Capsules, spheres: Body | Sequence[Body], **law: Unpack[LawArguments]
    ) -> None:
        self.law = ContactLaw(**law)
        one, two = capsule_list("capsules", capsules), sphere_list("spheres", spheres)
        super().__init__(ShapeSide("capsules", one), ShapeSide("spheres", two))


@offered("elements")
@recorded
@shows(ContactLaw)
class CapsuleCapsule(ShapePairs):
    """Contact of capsules: all pairs `among` a set, or one of each of two sets `between`.

    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError if a capsule is named twice or no body carries it, or
    not exactly one of `among` and `between` is given.
    """

    geometry: Geometry = measure_capsule_parts

    def __init__(
        self,
        among: Capsules | None = None,
        *,
        between: tuple[Capsules, Capsules] | None = None,
        **law: Unpack[LawArguments],
    ) -> None:
        self.law = ContactLaw(**law)
        if among is not None and between is None:
            super().__init__(ShapeSide("capsules", capsule_list("among", among)))
            return
        if among is not None or between is None:
            raise ValueError("among, between: give exactly one of them")
        sides = couple("between", between, "two lists of capsules")
        one, two = (capsule_list("between", side) for side in sides)
        both = {id(capsule) for capsule in one} & {id(capsule) for capsule in two}
        if both:
            raise ValueError("between: a capsule is in both sets; name it in one of them")
        super().__init__(ShapeSide("capsules", one), ShapeSide("capsules", two))
