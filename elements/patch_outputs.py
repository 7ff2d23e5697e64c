"""The patches of rounded triangles in a state: polygons, and their loads."""

from dataclasses import dataclass

import numpy as np

from elements.rounded_triangles import RoundedTriangles
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import instance, refuse
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.forces.patch_contacts import PatchGroup
from nsgalpha.model.model import Model
from nsgalpha.model.registration import offered
from nsgalpha.model.state import State
from nsgalpha.system.system import System


@dataclass(frozen=True, slots=True)
class ContactPatches:
    """Patches of the contacts of one element, arrays (C, ...); vectors are inertial."""

    primitive_a: Ints  # (C,) number in `model.primitives`, -1 for a body as a sphere
    primitive_b: Ints
    polygon: list[Floats]  # corners (n, 3) of each, in the plane through `centre` along `normal` [m]
    area: Floats  # (C,) of the polygons [m^2]
    centre: Floats  # (C, 3) point of contact of the encompassing spheres [m]
    nearest: Floats  # (C, 3) point of the polygon that is nearest to it [m]
    normal: Floats  # (C, 3) from B to A
    overlap: Floats  # (C,) of the spheres [m]
    overlap_there: Floats  # (C,) of their surfaces in `nearest` [m]
    effective_radius: Floats  # (C,) [m]
    circle: Floats  # (C,) radius of the circle in which the spheres meet [m]
    fraction: Floats  # (C,) part of the circle of the law that lies in the polygon
    force: Floats  # (C,) normal force on A [N]
    couple: Floats  # (C, 3) on A about `centre` [N m]


@offered()
def contact_patches(model: Model, state: State, element: RoundedTriangles) -> ContactPatches:
    """The patches of an `element` of `model` in `state`, such as `result.state(i)`.

    Raises ValueError if the element is not one of rounded triangles of the model, or the state is of another
    model.
    """
    instance("model", model, Model, "a Model")
    instance("state", state, State, "a State", "such as result.state()")
    compliant = evaluated(System(model), state)[0]
    known = zip(compliant.elements, compliant.groups, strict=True)
    groups = [group for each, group in known if id(each) == id(element)]
    if not groups or not isinstance(groups[0], PatchGroup):
        raise refuse("element", element, "RoundedTriangles of the model", "give the one that was added")
    group, p = groups[0], groups[0].active_patches()
    last = group.last

    def in_space(uv: Floats) -> Floats:
        return p.point + uv[:, :1] * p.t1 + uv[:, 1:] * p.t2

    corners = p.point[:, None] + p.polygon[..., :1] * p.t1[:, None] + p.polygon[..., 1:] * p.t2[:, None]
    shapes = [rows[:many] for rows, many in zip(corners, p.corners, strict=True)]
    pair = group.A.number[last.given.a], group.B.number[last.given.b]
    fraction, force = last.measured.fraction, last.response.force
    couple = np.einsum("cj,cji->ci", force[:, 3:5], last.E[:, 1:])
    places, sizes = (p.point, in_space(p.nearest), p.normal), (p.overlap, p.local, p.radius, p.circle)
    values = *pair, shapes, p.area, *places, *sizes, fraction, force[:, 0], couple
    return ContactPatches(*values)
