"""Rounded triangles: meshes with the pressures of smooth surfaces.

    skin = model.add_mesh(vertices, triangles, carrier=body)
    model.add(RoundedTriangles(skin, floor, normal=Hertz(modulus=1e7)))

Every triangle is a piece of a sphere, which is given or fitted. Fitted spheres go through its corners, with
the centre on the line through the circumcentre x_cc along the normal N. The centre follows by least squares
through the levers y_k, the far corners of its neighbours,

    centre = x_cc - s N,  s = -sum h_k q_k/(2 sum h_k^2),
    h_k = N . (y_k - x_cc),  q_k = |y_k - x_cc|^2 - R_cc^2,

flat where the levers are in its plane. Contacts and patches: elements/geometry/rounded_geometry.py; pressures
over them: elements/geometry/radial_pressures.py; forces on bodies and nodes:
nsgalpha/forces/patch_contacts.py.
"""

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from elements.compliant_elements import shows_laws
from elements.geometry.radial_pressures import integrate_pressures
from elements.geometry.rounded_geometry import FITTED, FLAT, GIVEN, ROUND, measure_rounded
from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import choice, finite, floats, number_in, refuse
from nsgalpha.forces import CompliantLaw, Laws
from nsgalpha.model.compliant_law import traits_of
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.handles import Body, Primitive, pair_in_common
from nsgalpha.model.patch_element import Patches, Pressure, PressureLaw, RoundedSide
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched

Shape = Body | Primitive
Shapes = Shape | Sequence[Shape]
Levers = tuple[Ints, Ints]  # (K, 3) primitives and corners, -1: no neighbour
LARGE = 1e9  # times the circumradius: a centre beyond belongs to a flat triangle
NEAR = 0.1  # of the radius: how near a given sphere comes to the corners


@offered("elements")
@recorded
@shows_laws
class RoundedTriangles(Switched):
    """Compliant contact of rounded `triangles` with `others`, or among themselves, by pressures over patches.

    triangles: primitives of three corners, counter-clockwise from outside, rigid or in points.
    others: triangles likewise, bodies and primitives that are spheres, segments as cylinders, rigid polygons
    of more corners, which are flat.
    radius, centre: encompassing spheres of `triangles`, (K,) [m] and (K, 3) in the frames of their carriers.
    Deforming triangles carry them along from where they are stated; > 0 convex, < 0 concave, inf flat. By
    default they are fitted, to the corners of the neighbours: those with two corners in common, of one mesh.
    other_radius, other_centre: the same of `others`; rows of other shapes do not count.
    area: "geometric", the circle in which the spheres meet, for laws that take an area, or "hertz", pi R d,
    half of it.
    quadrature: "exact", or "printed", 16 points in each triangle of a fan.
    friction_by: tangential forces reach the corners of a triangle that deforms by the weights of the
    "centroid" of the patch, or by "thirds", as printed. steepest [-] > 1, default 10: deforming triangles
    whose area is more than this many times its projection on the plane of contact have no patch. The weights
    of their corners would be as large.

    The normal law is one with a pressure: Hertz, LinearPressure, MaugisDugdale, GeometricMaugisDugdale,
    TruncatedTraction. Tangential laws see its force on whole spheres; they, and those under contact such as
    `Resistance`, act by the part of the circle in the patch.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        triangles: Shapes,
        others: Shapes | None = None,
        *,
        radius: ArrayLike | None = None,
        centre: ArrayLike | None = None,
        other_radius: ArrayLike | None = None,
        other_centre: ArrayLike | None = None,
        area: str = "geometric",
        quadrature: str = "exact",
        friction_by: str = "centroid",
        steepest: float = 10.0,
        **law: Unpack[Laws],
    ) -> None:
        first = _shapes("triangles", triangles)
        for shape in first:
            if not _is_triangle(shape):
                raise refuse("triangles", shape.name, "primitives of three corners", "give it under others")
        second = first if others is None else _shapes("others", others)
        self.sides: tuple[Sequence[Shape], Sequence[Shape]] = (first, second)
        if others is None and not (other_radius is None and other_centre is None):
            raise ValueError("other_radius, other_centre: there are no others; leave them out")
        if others is not None and {id(each) for each in first} & {id(each) for each in second}:
            message = "others: a triangle is in both sets; contacts of one set are those without others"
            raise ValueError(message)
        self.printed = choice("quadrature", quadrature, ("exact", "printed")) == "printed"
        self.geometric = choice("area", area, ("geometric", "hertz")) == "geometric"
        self.thirds = choice("friction_by", friction_by, ("centroid", "thirds")) == "thirds"
        remedy = "a large number takes all that face each other"
        self.steepest = number_in("steepest", steepest, 1.0, math.inf, open_low=True, remedy=remedy)
        self.parts, self.torque = (0,), True
        self.law = CompliantLaw(**law)
        self.normal = _pressure_law(self.law, law)
        own = _Spheres(first, ("radius", radius), ("centre", centre))
        given = ("other_radius", other_radius), ("other_centre", other_centre)
        self._spheres = own, own if others is None else _Spheres(second, *given)

    def shared_pair(self, other: "RoundedTriangles") -> tuple[str, str] | None:
        """The names of a pair in common with `other`, or None."""
        return pair_in_common(self.sides, other.sides)

    def handles(self) -> Sequence[Shape]:
        """The bodies and primitives of the element."""
        first, second = self.sides
        return first if first is second else [*first, *second]

    def forms(self, side: int, X: Floats) -> Floats:
        """Encompassing spheres (K, 6) of the primitives of a side with the corners `X` (K, N, 3)."""
        return self._spheres[side].forms(X)

    def bulge(self, side: int, X: Floats, form: Floats) -> float:
        """Largest distance [m] of a rounded surface from its triangle."""
        return _bulge(X, form)

    def patches(self, A: RoundedSide, B: RoundedSide) -> Patches:
        """Contacts and their patches."""
        C, most = len(A.X), A.X.shape[1] + B.X.shape[1] + 1
        overlap, radius, circle, local, area = np.zeros((5, C))
        (normal, point, t1, t2), (centroid, nearest, share) = np.zeros((4, C, 3)), np.zeros((3, C, 2))
        spheres = overlap, normal, point, radius, circle, local
        corners, polygon, work = np.zeros(C, np.int64), np.zeros((C, most, 2)), np.empty((3, most, 2))
        values = *spheres, polygon, corners, area, centroid, nearest, t1, t2, share, work
        found = Patches(*values)
        measure_rounded(A, B, found)
        return found

    def integrals(self, patches: Patches, pressure: Pressure) -> Floats:
        """Force [N], first moment (2) [N m] and fraction of the outer circle in the patch, rows (C, 4)."""
        out = np.empty((len(patches.corners), 4))
        integrate_pressures(patches.polygon, patches.corners, np.column_stack(pressure), self.printed, out)
        return out


def _is_triangle(shape: Shape) -> bool:
    return isinstance(shape, Primitive) and len(shape.corners) == 3


def _shapes(name: str, values: Shapes) -> list[Shape]:
    """`values` as a list of different handles of shapes that can be in contact."""
    items = list(values) if isinstance(values, Sequence) else [values]
    if not items:
        raise refuse(name, values, "at least one body or primitive")
    for shape in items:
        if not isinstance(shape, Body | Primitive):
            raise refuse(name, shape, "bodies or primitives, as returned by the model")
        corners = len(shape.corners) if isinstance(shape, Primitive) else 1
        if corners < 3 and shape.radius == 0.0:
            raise refuse(f"{name}: radius of {shape.name!r}", 0.0, "a number other than 0 m")
        if corners > 2 and shape.radius != 0.0:
            what = f"{name}: radius of {shape.name!r}"
            raise refuse(what, shape.radius, "0", "the radius of a rounded triangle is an argument here")
        if corners > 3 and isinstance(shape, Primitive) and not shape.rigid:
            raise refuse(name, shape.name, "a rigid polygon, or a triangle", "divide it into triangles")
    if len({id(shape) for shape in items}) < len(items):
        raise ValueError(f"{name}: one is given twice; name each one once")
    return items


def _pressure_law(law: CompliantLaw, given: Laws) -> PressureLaw:
    """The normal law, or a ValueError for laws that have no place here."""
    for name in ("rolling", "twisting", "bond"):
        if given.get(name) is not None:
            remedy = "rounded triangles take laws under normal, tangential, contact"
            raise refuse(name, given[name], "None", remedy)
    if any(traits.resets for traits in law.traits):
        raise refuse("contact", given.get("contact"), "without Reset", "the pressure of the normal law acts")
    normal: Any = given.get("normal")
    laws = normal if isinstance(normal, list | tuple) else [normal]
    if any(traits_of(each).by_body for each in laws):
        remedy = "give pairs of materials their own elements"
        raise refuse("normal", normal, "a law with single numbers", remedy)
    if len(laws) != 1 or not isinstance(laws[0], PressureLaw):
        allowed = "one law with a pressure: Hertz, LinearPressure, MaugisDugdale, GeometricMaugisDugdale, ..."
        raise refuse("normal", normal, allowed)
    return laws[0]


class _Spheres:
    """The encompassing spheres of one side, given or fitted."""

    def __init__(
        self, shapes: list[Shape], radius: tuple[str, ArrayLike | None], centre: tuple[str, ArrayLike | None]
    ) -> None:
        self.triangle = np.array([_is_triangle(shape) for shape in shapes])
        flat = [isinstance(shape, Primitive) and len(shape.corners) > 3 for shape in shapes]
        self.kind = np.where(flat, FLAT, ROUND)
        self.levers = _neighbours(shapes)
        self.given: Floats | None = None
        (name_r, radii), (name_c, centres) = radius, centre
        if (radii is None) != (centres is None):
            raise ValueError(f"{name_r}, {name_c}: give both, or neither")
        if radii is None or centres is None or not self.triangle.any():
            return
        K = len(shapes)
        R = floats(name_r, radii, f"({K},), none of them 0")
        c = floats(name_c, centres, f"({K}, 3), a row for each primitive")
        if R.shape != (K,) or not (np.isinf(R) | (np.isfinite(R) & (R != 0.0)))[self.triangle].all():
            raise refuse(name_r, radii, f"({K},), none of them 0", "inf is flat")
        if c.shape != (K, 3):
            raise refuse(name_c, f"array {c.shape}", f"({K}, 3), a row for each primitive")
        bent = self.triangle & np.isfinite(R)
        finite(name_c, c[bent])
        self.given = _given_forms(name_r, shapes, bent, R, c)

    def forms(self, X: Floats) -> Floats:
        """Spheres (K, 6) of the primitives with the corners `X` (K, N, 3)."""
        if self.given is not None:
            return self.given
        form = np.zeros((len(X), 6))
        form[:, 0] = self.kind
        if self.triangle.any():
            s, radius = _fitted(X, self.levers)
            form[self.triangle, 0] = np.where(np.abs(s) < LARGE * radius, FITTED, FLAT)[self.triangle]
            form[:, 1] = np.where(self.triangle & np.isfinite(s), s, 0.0)
        return form


def _given_forms(name: str, shapes: list[Shape], bent: Flags, R: Floats, centre: Floats) -> Floats:
    """Rows of given spheres; ValueError for one that the corners are not on."""
    form = np.zeros((len(shapes), 6))
    for k, shape in enumerate(shapes):
        if not isinstance(shape, Primitive) or len(shape.corners) < 3:
            continue
        form[k, 0] = FLAT
        if not bent[k]:
            continue
        X = corners_of(shape)
        N = np.cross(X[1] - X[0], X[2] - X[0])
        twice = float(np.linalg.norm(N))
        N /= twice
        off = np.abs(np.linalg.norm(X - centre[k], axis=1) - abs(R[k])).max()
        s = float(N @ (X[0] - centre[k]))
        if off > NEAR * abs(R[k]) or s * R[k] < 0.0:
            allowed = f"the distance of the centre from the corners of {shape.name!r}, to {NEAR:g} of it"
            raise refuse(f"{name}[{k}]", float(R[k]), allowed, "> 0 has the centre behind the triangle")
        foot = centre[k] + s * N
        at = [float(N @ np.cross(X[(j + 1) % 3] - foot, X[(j + 2) % 3] - foot)) / twice for j in range(3)]
        form[k] = GIVEN, s, R[k], *at
    return form


def corners_of(shape: Primitive) -> Floats:
    """Corners (N, 3) [m] of a primitive, in the frame of its carrier or at its bodies."""
    model = shape.model
    places = model.shapes.places if shape.rigid else [body.position for body in model.bodies]
    return np.array([places[row] for row in shape.corners], float)


def _neighbours(shapes: list[Shape]) -> Levers:
    """Primitive and corner (K, 3) of the lever across each edge, -1 where there is none."""
    edges: dict[tuple[bool, int, int], list[tuple[int, int]]] = {}
    owner, corner = np.full((2, len(shapes), 3), -1)
    for k, shape in enumerate(shapes):
        if not isinstance(shape, Primitive) or len(shape.corners) != 3:
            continue
        for j in range(3):
            p, q = sorted((shape.corners[(j + 1) % 3], shape.corners[(j + 2) % 3]))
            for other, far in edges.setdefault((shape.rigid, p, q), []):
                owner[k, j], corner[k, j] = other, far
                owner[other, far], corner[other, far] = k, j
            edges[shape.rigid, p, q].append((k, j))
    return owner, corner


def _fitted(X: Floats, levers: Levers) -> tuple[Floats, Floats]:
    """Distances s (K,) of the centres behind the triangles, inf where flat, and circumradii (K,)."""
    owner, corner = levers
    a, e, g = X[:, 0], X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]
    N = np.cross(e, g)
    square = (N * N).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # rows of other shapes
        arm = np.cross(N, e) * (g * g).sum(axis=1)[:, None] + np.cross(g, N) * (e * e).sum(axis=1)[:, None]
        arm /= 2.0 * square[:, None]
        N /= np.sqrt(square)[:, None]
        y = X[owner, corner] - (a + arm)[:, None]
        h = np.where(owner >= 0, np.einsum("kji,ki->kj", y, N), 0.0)
        q = (y * y).sum(axis=2) - (arm * arm).sum(axis=1)[:, None]
        sums = (h * h).sum(axis=1)
        s = np.where(sums > 0.0, -(h * q).sum(axis=1) / (2.0 * sums), math.inf)
    return s, np.sqrt((arm * arm).sum(axis=1))


def _bulge(X: Floats, form: Floats) -> float:
    """Largest height [m] of the caps on triangles, between their spheres and their planes."""
    fitted, given = form[:, 0] == FITTED, form[:, 0] == GIVEN
    height = 0.0
    if fitted.any():
        e, g = X[fitted, 1] - X[fitted, 0], X[fitted, 2] - X[fitted, 0]
        sides = [np.linalg.norm(v, axis=1) for v in (e, g, e - g)]
        radius = sides[0] * sides[1] * sides[2] / (2.0 * np.linalg.norm(np.cross(e, g), axis=1))
        s = np.abs(form[fitted, 1])
        height = float((radius**2 / (np.sqrt(radius**2 + s * s) + s)).max())
    if given.any():
        height = max(height, float((np.abs(form[given, 2]) - np.abs(form[given, 1])).max()))
    return height
