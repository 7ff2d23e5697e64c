"""The elements of every two kinds of shapes, for `Contact` and `CompliantContact`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, Unpack

from elements.capsule_contacts import CapsuleCapsule, CapsulePlane, CapsuleSphere
from elements.compliant_elements import CompliantSpherePlane, CompliantSphereSphere
from elements.compliant_primitives import (
    CompliantPolygonCapsule,
    CompliantPolygonSphere,
    CompliantSurfaces,
)
from elements.compliant_solids import CompliantSolidMesh, CompliantSolidPlane, CompliantSolids, SolidContact
from elements.round_meshes import CapsuleMesh, SphereMesh
from elements.round_solids import CapsuleSolid, SphereSolid
from elements.solid_mesh import MeshContacts, SolidMesh
from elements.solid_plane import SolidPlane
from elements.solid_solid import SolidSolid
from elements.sphere_plane import SpherePlane
from elements.sphere_polygon import SpherePolygon
from elements.sphere_sphere import SphereSphere
from nsgalpha.checks import refuse, truth
from nsgalpha.forces import Laws
from nsgalpha.model.carried_shapes import shape_numbers, shapes_on
from nsgalpha.model.contact_element import LawArguments
from nsgalpha.model.contact_keys import MOST_SHAPES
from nsgalpha.model.handles import Body, Primitive

LawOf = Mapping[str, Any] | Callable[[Any], Mapping[str, Any]]  # arguments of a law, or those for an element


class Makers(NamedTuple):
    """The elements of two kinds of shapes, by both kinds. The order of kinds is that of their arguments."""

    soft: bool
    of: Mapping[tuple[str, str], Callable[..., Any]]

    def with_sides(self, two_sided: bool) -> Makers:
        """The same with meshes of polygons that have two sides, or one."""
        if not truth("two_sided", two_sided):
            return self
        both = {kinds: partial(self.of[kinds], two_sided=True) for kinds in self.of if "polygons" in kinds}
        return self._replace(of={**self.of, **both})


SOFT_SOLIDS = CompliantSolids, CompliantSolidPlane, CompliantSolidMesh
OF_POLYGONS = (MeshContacts, SpherePolygon, CompliantSurfaces)  # elements with polygons of open meshes


def _spheres_on_polygons(
    spheres: list[Body], polygons: list[Primitive], two_sided: bool = False, **law: Unpack[LawArguments]
) -> SpherePolygon | SphereMesh:
    """Their element: `SphereMesh` for two sides, and for more polygons than keys of contacts can number."""
    numbers = shape_numbers(polygons[0].model)
    many = two_sided or max(numbers[polygon.index] for polygon in polygons) >= MOST_SHAPES
    if many and not any(polygon.radius for polygon in polygons):
        return SphereMesh(spheres, polygons, two_sided=two_sided, **law)
    return SpherePolygon(spheres, polygons, **law)


def _soft_spheres_on_polygons(
    spheres: list[Body | Primitive], polygons: list[Primitive], two_sided: bool = False, **law: Unpack[Laws]
) -> CompliantSurfaces:
    """Their element; faces beyond a ridge do not act on spheres before it."""
    return CompliantPolygonSphere(polygons, spheres, flip_normals=two_sided, reject_large_overlap=True, **law)


def _soft_shapes_on_polygons(
    shapes: list[Body | Primitive], polygons: list[Primitive], law: LawOf, two_sided: bool = False
) -> list[CompliantSurfaces | SolidContact]:
    """Elements of the balls, capsules and solids that are, or are carried by, `shapes`."""
    balls: list[Body | Primitive] = []
    capsules: list[Body | Primitive] = []
    solids: list[Body | Primitive] = []
    for handle, own in shapes_on("among", shapes):
        faces = [each for each in own if isinstance(each, Primitive) and len(each.corners) > 2]
        solids += [handle] if len(faces) == len(own) else faces
        for each in own:
            corners = len(each.corners) if isinstance(each, Primitive) else 1
            if corners < 3:
                (capsules if corners > 1 else balls).append(each)
    found: list[CompliantSurfaces | SolidContact] = []
    of_round = law if isinstance(law, Mapping) else law(CompliantPolygonSphere)
    if balls:
        found.append(_soft_spheres_on_polygons(balls, polygons, two_sided, **of_round))
    if capsules:
        sides: dict[str, Any] = {"flip_normals": two_sided, "reject_large_overlap": True}
        found.append(CompliantPolygonCapsule(polygons, capsules, **sides, **of_round))
    if solids:
        if two_sided:
            first = getattr(solids[0], "carrier", None) or solids[0]
            remedy = (
                "compliant solids meet the front of open meshes; state them in a CompliantContact without it"
            )
            raise refuse("two_sided", True, f"left out with solids such as {first.name!r}", remedy)
        of_solids = law if isinstance(law, Mapping) else law(CompliantSolidMesh)
        found.append(CompliantSolidMesh(solids, polygons, **of_solids))
    return found


_HARD: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("spheres", "spheres"): SphereSphere,
    ("capsules", "spheres"): CapsuleSphere,
    ("capsules", "capsules"): CapsuleCapsule,
    ("solids", "solids"): SolidSolid,
    ("cylinders", "solids"): SolidSolid,
    ("cylinders", "cylinders"): SolidSolid,
    ("cylinders", "cones"): SolidSolid,
    ("cones", "cones"): SolidSolid,
    ("cones", "solids"): SolidSolid,
    ("spheres", "solids"): SphereSolid,
    ("spheres", "cylinders"): SphereSolid,
    ("spheres", "cones"): SphereSolid,
    ("capsules", "solids"): CapsuleSolid,
    ("capsules", "cylinders"): CapsuleSolid,
    ("capsules", "cones"): CapsuleSolid,
    ("spheres", "polygons"): _spheres_on_polygons,
    ("capsules", "polygons"): CapsuleMesh,
    ("solids", "polygons"): SolidMesh,
    ("cylinders", "polygons"): SolidMesh,
    ("cones", "polygons"): SolidMesh,
    ("spheres", "planes"): SpherePlane,
    ("capsules", "planes"): CapsulePlane,
    ("solids", "planes"): SolidPlane,
    ("cylinders", "planes"): SolidPlane,
    ("cones", "planes"): SolidPlane,
}
_SOFT: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("spheres", "spheres"): CompliantSphereSphere,
    ("spheres", "solids"): CompliantSolids,
    ("solids", "solids"): CompliantSolids,
    ("spheres", "polygons"): _soft_spheres_on_polygons,
    ("solids", "polygons"): _soft_shapes_on_polygons,
    ("spheres", "planes"): CompliantSpherePlane,
    ("solids", "planes"): CompliantSolidPlane,
}
SET_VALUED, COMPLIANT = Makers(False, _HARD), Makers(True, _SOFT)
