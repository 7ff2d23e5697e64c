"""Compliant contact of primitives: segments, polygons, and spheres with them.

    capsules = [model.add_primitive(ends, radius=0.01, carrier=rod) for rod in rods]
    model.add(CompliantCapsules(among=capsules, normal=Hertz(modulus=1e7)))

Side A are the first ones named, and forces are between whole sides. Rigid primitives pass them to their
carrier, those with own points by the lever rule (nsgalpha/forces/attachments.py). Geometries and their
formulas: docs/design/geometries.md. Primitives that have a carrier or a corner in common have no contact.

`torque=False` leaves out the moment of forces on primitives that deform. Histories belong to pairs: rolling
from one polygon to the next a contact begins without history.
"""

import math
from collections.abc import Sequence
from typing import Unpack

from elements.compliant_elements import shows_laws
from elements.geometry import (
    measure_capsule_capsule,
    measure_capsule_sphere,
    measure_cylinder_sphere,
    measure_disk_sphere,
    measure_polygon_capsule,
    measure_polygon_polygon,
    measure_polygon_sphere,
    measure_sphere_sphere,
)
from elements.geometry.capsule_geometry import CROWN
from elements.law_arguments import shows
from nsgalpha.checks import instance, integer, listed, number_in, positive, refuse, truth
from nsgalpha.forces import CompliantLaw, Laws
from nsgalpha.forces.radius_check import FACES, POINTS, refuse_without_radius
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Primitive, couple, pair_in_common
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched

Shape = Body | Primitive
Shapes = Shape | Sequence[Shape]


@offered()
@shows(CompliantLaw)
class CompliantSurfaces(Switched):
    """Compliant contact of primitives `a` with `b`, or among `a`, in a geometry.

    `geometry` is a compiled one (nsgalpha/geometry/geometry_signature.py), `parts` are the numbers of the
    contacts that every pair has. `torque`: whether primitives that deform take up moments. The others are the
    arguments of `nsgalpha.forces.CompliantLaw`, which raises the errors; ValueError too for a law with
    numbers for each body where primitives deform.
    """

    one_sided = (
        False  # True if polygons, side A, push spheres or capsules to their front only, from any depth
    )
    passes_behind = False  # True if they do so only after these have passed to their front

    def __init__(
        self,
        geometry: Geometry,
        a: Sequence[Shape],
        b: Sequence[Shape] | None = None,
        *,
        parts: tuple[int, ...] = (0,),
        torque: bool = True,
        **law: Unpack[Laws],
    ) -> None:
        remedy = "geometry_kernel makes one"
        self.geometry: Geometry = instance("geometry", geometry, Geometry, "a compiled geometry", remedy)
        self.torque = truth("torque", torque)
        rows = listed("parts", parts, "numbers of contacts, in a tuple")
        self.parts = tuple(sorted({integer("parts", row, 0, self.geometry.most - 1) for row in rows}))
        first = _shapes("a", a, (1, 2, 3), "a list of bodies or primitives")
        second = first if b is None else _shapes("b", b, (1, 2, 3), "a list of bodies or primitives")
        self.sides: tuple[Sequence[Shape], Sequence[Shape]] = (first, second)
        self.law = CompliantLaw(**law)
        self._refuse_without_bodies()
        self._refuse_without_radius()

    def _refuse_without_radius(self) -> None:
        """ValueError for laws that need a radius which the pairs of some primitives have not."""
        if all(any(_corners(shape) > 2 for shape in side) for side in self.sides):
            refuse_without_radius(self.law, math.inf, FACES)
        for shape in self.handles():
            if _corners(shape) < 3 and shape.radius == 0.0:
                others = self.sides[0 if shape in self.sides[1] else 1]
                branch = max(abs(other.radius) if _corners(other) < 3 else 0.0 for other in others)
                if branch > 0.0 or _corners(others[0]) > 2:  # else they are points, which never overlap
                    refuse_without_radius(self.law, 0.0, f"{shape.name!r}: {POINTS}", branch)
                break

    def _refuse_without_bodies(self) -> None:
        """ValueError if a law reads numbers of bodies and a primitive, which deforms, is of none."""
        for (part, _, _), traits in zip(self.law.parts, self.law.traits, strict=True):
            for shape in self.handles() if traits.by_body else ():
                if isinstance(shape, Primitive) and not shape.rigid:
                    name = type(part).__name__
                    raise ValueError(
                        f"bodies: {name} has numbers for each body, and {shape.name!r} is in several: must "
                        f"be rigid, or a body; give {name} one number for all"
                    )

    def shared_pair(self, other: "CompliantSurfaces") -> tuple[str, str] | None:
        """The names of a pair in common with `other`, or None."""
        if not set(self.parts) & set(other.parts):
            return None
        return pair_in_common(self.sides, other.sides)

    def handles(self) -> Sequence[Shape]:
        """The bodies and primitives of the element."""
        first, second = self.sides
        return first if first is second else [*first, *second]


def _corners(shape: Shape) -> int:
    """Number of corners, 1 of a body as a sphere."""
    return len(shape.corners) if isinstance(shape, Primitive) else 1


def _behind(flip_normals: bool, reject_large_overlap: bool) -> tuple[float, float]:
    return truth("flip_normals", flip_normals), truth("reject_large_overlap", reject_large_overlap)


def _shapes(name: str, values: Shapes, corners: tuple[int, ...], what: str) -> list[Shape]:
    """`values` as a list of handles with a number of corners that is among `corners`."""
    items = list(values) if isinstance(values, Sequence) else [values]
    known: set[int] = set()
    for item in items:
        if not isinstance(item, Body | Primitive):
            raise refuse(name, item, f"{what}, as returned by the model")
        many = _corners(item)
        if many not in corners and not (corners[-1] < many and corners[-1] > 2):
            raise refuse(name, item.name, what, f"this one has {many} corners")
        if id(item) in known:
            raise ValueError(f"{name}: {item.name!r} is given twice; name each one once")
        known.add(id(item))
    if not items:
        raise refuse(name, values, f"at least one of {what}")
    return items


SPHERE, SEGMENT, POLYGON = ((1,), "a sphere"), ((2,), "a segment of two corners"), ((3,), "a polygon")


def _sides(
    kind: tuple[tuple[int, ...], str], among: Shapes | None, between: tuple[Shapes, Shapes] | None
) -> tuple[list[Shape], list[Shape] | None]:
    """The two sides of contacts among one set or between two."""
    if (among is None) == (between is None):
        raise ValueError("among and between: give one of them")
    if among is not None:
        return _shapes("among", among, *kind), None
    assert between is not None
    sides = couple("between", between, "two lists of primitives")
    first, second = (_shapes("between", side, *kind) for side in sides)
    if {id(item) for item in first} & {id(item) for item in second}:
        raise ValueError("between: a primitive is in both sets; contacts of one set are those `among` it")
    return first, second


@offered("elements")
@recorded
@shows_laws
def CompliantPrimitiveSpheres(  # noqa: N802, it makes an element
    among: Shapes | None = None, *, between: tuple[Shapes, Shapes] | None = None, **law: Unpack[Laws]
) -> CompliantSurfaces:
    """Compliant contact of spheres and points on bodies; a negative radius is hollow."""
    return CompliantSurfaces(measure_sphere_sphere, *_sides(SPHERE, among, between), **law)


@offered("elements")
@recorded
@shows_laws
def CompliantCapsules(  # noqa: N802
    among: Shapes | None = None,
    *,
    between: tuple[Shapes, Shapes] | None = None,
    crown: float = CROWN,
    torque: bool = True,
    **law: Unpack[Laws],
) -> CompliantSurfaces:
    """Compliant contact of capsules, all points within a radius of a segment.

    crown [-] in [0, 0.5): part of the radius by which they are thinner at the ends. Parallel ones then touch
    in a point that does not jump.
    """
    part = number_in("crown", crown, 0.0, 0.5, open_high=True, remedy="0 are exact capsules")
    sides = _sides(SEGMENT, among, between)
    return CompliantSurfaces(measure_capsule_capsule.with_options(part), *sides, torque=torque, **law)


@offered("elements")
@recorded
@shows_laws
def CompliantCapsuleSphere(  # noqa: N802
    capsules: Shapes, spheres: Shapes, *, torque: bool = True, **law: Unpack[Laws]
) -> CompliantSurfaces:
    """Compliant contact of every one of `capsules` with every one of `spheres`, bodies or primitives."""
    sides = _shapes("capsules", capsules, *SEGMENT), _shapes("spheres", spheres, *SPHERE)
    return CompliantSurfaces(measure_capsule_sphere, *sides, torque=torque, **law)


@offered("elements")
@recorded
@shows_laws
def CompliantCylinderSphere(  # noqa: N802
    cylinders: Shapes, spheres: Shapes, *, torque: bool = True, **law: Unpack[Laws]
) -> CompliantSurfaces:
    """Compliant contact of the hulls of `cylinders` with `spheres`: from within where the radius is negative.

    The ends are disks: `CompliantDiskSphere` of the same primitives.
    """
    sides = _shapes("cylinders", cylinders, *SEGMENT), _shapes("spheres", spheres, *SPHERE)
    return CompliantSurfaces(measure_cylinder_sphere, *sides, torque=torque, **law)


@offered("elements")
@recorded
@shows_laws
def CompliantDiskSphere(  # noqa: N802
    disks: Shapes, spheres: Shapes, *, rim: bool = True, **law: Unpack[Laws]
) -> CompliantSurfaces:
    """Compliant contact of `disks`, rigid segments whose first corner is the centre, with `spheres`.

    The second corner is behind the disk: the other end of the cylinder that it closes. rim: spheres beside a
    solid disk touch its rim (default); False: no contact there, as printed in the documentation of mpacts.
    """
    sides = _shapes("disks", disks, *SEGMENT), _shapes("spheres", spheres, *SPHERE)
    for disk in sides[0]:
        if isinstance(disk, Primitive) and not disk.rigid:
            raise refuse("disks", disk.name, "rigid primitives", "give coordinates and a carrier, not bodies")
    return CompliantSurfaces(measure_disk_sphere.with_options(truth("rim", rim)), *sides, **law)


@offered("elements")
@recorded
@shows_laws
def CompliantPolygonSphere(  # noqa: N802
    polygons: Shapes,
    spheres: Shapes,
    *,
    flip_normals: bool = False,
    flip_submerged: bool = False,
    reject_large_overlap: bool = False,
    torque: bool = True,
    **law: Unpack[Laws],
) -> CompliantSurfaces:
    """Compliant contact of every one of `polygons` with every one of `spheres`, bodies or primitives.

    Forces are those of a plane times the part of the contact circle in the polygon: inner edges of a mesh are
    not felt. flip_normals: polygons have two sides, and push a sphere to that of its centre; flip_submerged:
    to the other side only where the centre is behind by more than the radius. reject_large_overlap: no
    contact once the centre of the sphere has passed through.

    Raises ValueError if both flip_normals and flip_submerged are given.
    """
    sides = _shapes("polygons", polygons, *POLYGON), _shapes("spheres", spheres, *SPHERE)
    flips, rejects = _behind(flip_normals, reject_large_overlap)
    if truth("flip_submerged", flip_submerged):
        if flips:
            raise ValueError("flip_normals and flip_submerged: give one of them")
        flips = 2.0
    geometry = measure_polygon_sphere.with_options(flips, rejects)
    element = CompliantSurfaces(geometry, *sides, torque=torque, **law)
    element.one_sided, element.passes_behind = not (flips or rejects), bool(rejects and not flips)
    return element


@offered("elements")
@recorded
@shows_laws
def CompliantPolygonCapsule(  # noqa: N802
    polygons: Shapes,
    capsules: Shapes,
    *,
    parts: Sequence[str] = ("ends", "hull"),
    flip_normals: bool = False,
    reject_large_overlap: bool = False,
    torque: bool = True,
    **law: Unpack[Laws],
) -> CompliantSurfaces:
    """Compliant contact of every one of `polygons` with the `parts` of every one of `capsules`.

    Three contacts: the spheres at the ends, and the hull between. For other laws at the hull give two
    elements. The other arguments are those of `CompliantPolygonSphere`.
    """
    rows = {"ends": (0, 1), "hull": (2,)}
    named = [parts] if isinstance(parts, str) else listed("parts", parts, "'ends', 'hull' or both")
    if not named or not all(isinstance(part, str) and part in rows for part in named):
        raise refuse("parts", parts, "'ends', 'hull' or both")
    sides = _shapes("polygons", polygons, *POLYGON), _shapes("capsules", capsules, *SEGMENT)
    flips, rejects = _behind(flip_normals, reject_large_overlap)
    element = CompliantSurfaces(
        measure_polygon_capsule.with_options(flips, rejects),
        *sides,
        parts=tuple(row for part in rows if part in named for row in rows[part]),
        torque=torque,
        **law,
    )
    element.one_sided, element.passes_behind = not (flips or rejects), bool(rejects and not flips)
    return element


@offered("elements")
@recorded
@shows_laws
def CompliantPolygons(  # noqa: N802
    among: Shapes | None = None,
    *,
    between: tuple[Shapes, Shapes] | None = None,
    largest_overlap: float | None = None,
    printed: bool = False,
    torque: bool = True,
    **law: Unpack[Laws],
) -> CompliantSurfaces:
    """Compliant contact of facing polygons, for laws of the area such as LinearPressure.

    largest_overlap [m] > 0: pairs that overlap more anywhere have no contact, they meet from behind; by
    default there is no such limit. printed: overlaps of the documentation of mpacts, 2 tan(alpha) in place of
    2 tan(alpha/2), with the angle alpha between the planes. The overlap is the distance of the faces.
    """
    largest = math.inf if largest_overlap is None else positive("largest_overlap", largest_overlap)
    sides, twice = _sides(POLYGON, among, between), float(truth("printed", printed))
    return CompliantSurfaces(
        measure_polygon_polygon.with_options(largest, twice), *sides, torque=torque, **law
    )
