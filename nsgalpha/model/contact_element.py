"""The interface of a contact element, and the law that a set-valued one carries.

The method knows no concrete element. One is any object with the attributes of `ContactElement` or
`CompliantElement`: it lists its candidate pairs and names the compiled function that measures them. The
kind of its law says how it acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypedDict, TypeGuard, runtime_checkable

import numpy as np

from nsgalpha.arrays import LEAST_AXIS, Floats, Ints, Planes
from nsgalpha.checks import choice, direction, number_in, positive, refuse, typed, vector
from nsgalpha.model.appearance import Rod
from nsgalpha.model.compliant_law import CompliantLaw
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.contact_meshes import Mesh
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.force_element import ForceElement
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Plane
from nsgalpha.model.patch_element import PatchElement
from nsgalpha.model.time_function import TimeFunction

OWNERS = "first", "second"  # sides that may have the axis of friction and the running surface

#: Option of geometries that measure an angle: that measured last, with its whole turns.
LAST_ANGLE = 17


@typed
@dataclass(frozen=True, slots=True, kw_only=True)
class ContactLaw:
    """Newton's impact law with Coulomb friction in up to three components (docs/theory.md, section 3).

    mu: sliding friction coefficient [-], >= 0. e_n: normal restitution [-], in [0, 1].
    e_t: tangential restitution [-], in (-1, 1], 1 of a superball; needs mu > 0.
    rolling_radius, drilling_radius: the resisting torques are at most this length [m] times the normal
    force, >= 0.
    mu_static [-] >= mu > 0: coefficient at rest, with stribeck_velocity v_s [m/s] > 0. At the sliding speed v
    where a step begins the coefficient is mu + (mu_static - mu) exp(-(v/v_s)^2).
    mu_across [-] > 0: coefficient across `axis` (3,), along which it is mu: friction is within an ellipse
    about the axis in the tangent plane. On surfaces across the axis all directions are across it.
    surface_velocity (3,) [m/s]: of a surface that runs on its body, a belt or track; needs mu > 0. Only its
    part within the tangent plane counts.
    owner: side of the axis and of the surface velocity, "second" or "first". Both vectors are in coordinates
    of the body of that side, or of the frame of its plane. Sides are those of `between`, or in the order of
    the arguments: of `SphereSolid` solids are the second.

    Raises ValueError that names the parameter, its value and its range.
    """

    mu: float = 0.0
    e_n: float = 0.0
    e_t: float = 0.0
    rolling_radius: float = 0.0
    drilling_radius: float = 0.0
    mu_static: float | None = None
    stribeck_velocity: float | None = None
    mu_across: float | None = None
    axis: Sequence[float] | None = None
    surface_velocity: Sequence[float] | None = None
    owner: str = "second"

    def __post_init__(self) -> None:
        infinity = float("inf")
        number_in("mu", self.mu, 0.0, infinity, remedy="0 is frictionless")
        number_in("e_n", self.e_n, 0.0, 1.0, remedy="0 is plastic, 1 elastic")
        number_in("e_t", self.e_t, -1.0, 1.0, open_low=True)
        if self.e_t != 0.0 and self.mu == 0.0:
            raise refuse("e_t", self.e_t, "0 where mu is 0", "without friction it has no effect")
        number_in("rolling_radius", self.rolling_radius, 0.0, infinity, remedy="it is a length in metres")
        number_in("drilling_radius", self.drilling_radius, 0.0, infinity, remedy="it is a length in metres")
        self._check_static()
        self._check_axis()
        self._check_owner()

    def _check_static(self) -> None:
        """Both numbers of static friction, or none."""
        if (self.mu_static is None) != (self.stribeck_velocity is None):
            missing = "stribeck_velocity" if self.stribeck_velocity is None else "mu_static"
            raise refuse(missing, None, "given", "mu_static and stribeck_velocity belong together")
        if self.mu_static is None or self.stribeck_velocity is None:
            return
        positive("stribeck_velocity", self.stribeck_velocity, "it is a speed in m/s")
        if self.mu == 0.0:
            raise refuse("mu", self.mu, "positive beside mu_static", "it is the coefficient of fast sliding")
        number_in("mu_static", self.mu_static, self.mu, float("inf"), remedy="it is not less than mu")

    def _check_axis(self) -> None:
        """Coefficient across the axis, and the axis as a unit vector, or none."""
        if (self.mu_across is None) != (self.axis is None):
            missing = "axis" if self.axis is None else "mu_across"
            raise refuse(missing, None, "given", "mu_across and axis belong together")
        if self.mu_across is None or self.axis is None:
            return
        positive("mu_across", self.mu_across, "leave it and the axis out for isotropic friction")
        if self.mu == 0.0:
            raise refuse("mu", self.mu, "positive beside mu_across", "it is the coefficient along the axis")
        axis = direction("axis", self.axis)
        object.__setattr__(self, "axis", tuple(axis.tolist()))

    def _check_owner(self) -> None:
        """Surface velocity as numbers, and the side that has it and the axis."""
        if self.surface_velocity is not None:
            velocity = vector("surface_velocity", self.surface_velocity)
            if self.mu == 0.0:
                raise refuse("mu", self.mu, "positive beside surface_velocity", "friction alone feels it")
            object.__setattr__(self, "surface_velocity", tuple(velocity.tolist()))
        choice("owner", self.owner, OWNERS)
        if self.owner != "second" and not self.has_owner:
            raise refuse("owner", self.owner, "left out without an axis or surface_velocity")

    @property
    def has_owner(self) -> bool:
        """True if a side has an axis or a running surface."""
        return self.axis is not None or self.surface_velocity is not None


class LawArguments(TypedDict, total=False):
    """Arguments of `ContactLaw`, and of all set-valued elements."""

    mu: float
    e_n: float
    e_t: float
    rolling_radius: float
    drilling_radius: float
    mu_static: float | None
    stribeck_velocity: float | None
    mu_across: float | None
    axis: Sequence[float] | None
    surface_velocity: Sequence[float] | None
    owner: str


@runtime_checkable
class Pairs(Protocol):
    """A set of possible contacts of one kind."""

    @property
    def geometry(self) -> Geometry:
        """Measures the candidates."""

    def shared_pair(self, other: Any) -> tuple[str, str] | None:
        """Names of a pair in common with `other`, of the same class and geometry, or None."""

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that the element refers to."""

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, ...]:
        """Bodies `a`, `b` and planes (-1: none) of all pairs whose gap at `x` (B, 3) is below `reach`.

        A pair stands there once if its geometry states the features of its contacts. Else it stands there
        once for each of them, all of them whenever one is, in the same order. A fourth array (C,) has the
        keys of the shapes, or numbers the contacts of each pair.
        """


@runtime_checkable
class NamedPairs(Pairs, Protocol):
    """Pairs that may have been given one by one, with contact even between jointed bodies."""

    named: bool


@runtime_checkable
class OrderedPairs(Pairs, Protocol):
    """Pairs of two sides, which an axis or a surface velocity needs."""

    ordered: bool  # A of all contacts is of the first side, B of the second


@runtime_checkable
class TurnedPairs(Pairs, Protocol):
    """Pairs of shapes where they are: `candidates` takes the rotations of the bodies, `q` (B, 4), as well."""

    @property
    def all_pairs(self) -> int:
        """Number of all pairs of shapes, near or not."""


@runtime_checkable
class AnchoredPairs(Pairs, Protocol):
    """Pairs of a compliant element, some with a fixed point in space as side B."""

    anchors: Floats  # (K, 3) [m]; `b` = -1 - k among the candidates is the k-th of them


@runtime_checkable
class ContactElement(Pairs, Protocol):
    """Set-valued contact of its pairs under one law."""

    law: ContactLaw


@runtime_checkable
class SolidPairs(ContactElement, Protocol):
    """Set-valued contact of solids that bodies carry."""

    polytopes: Sequence[Solid]  # in the frames of their bodies


@runtime_checkable
class MeshPairs(ContactElement, Protocol):
    """Set-valued contact with meshes of triangles that bodies carry."""

    meshes: Sequence[Mesh]


class Friction(NamedTuple):
    """Friction in a joint, or a motor: `|r| <= bound + part |F|`, F the reaction force of the joint."""

    joint: int  # number in the model
    bound: float  # [N, N m]
    part: float  # [-, m]
    speed: Sequence[tuple[float, float]]  # times [s] and rates [m/s, rad/s]: linear between, constant beyond
    motion: TimeFunction | None = None  # in its place a rate that is a function of time


class Measures(NamedTuple):
    """Bounded length or angle between two markers of a contact, as a joint row."""

    kind: int  # DISTANCE, SLIDE, or TURN of nsgalpha/constraints/geometric_stiffness.py
    carriers: Sequence[Any]  # of the two markers: a body, a prescribed plane, None
    points: Floats  # (2, 3) [m], each in the frame of its carrier
    axis: Floats  # (3,) along or about which, in the frame of the first


@runtime_checkable
class MarkerContact(ContactElement, Protocol):
    """Contact of one row between two markers, see nsgalpha/contact/rows/marker_rows.py."""

    name: str
    turns: bool  # a torque about an angle, not a force
    second_is_a: bool  # side A of the contact is the second side of the joint or rope

    def violation(self, depth: float) -> str:
        """The refusal of a start that violates it by `depth` [m, rad]."""

    def friction(self) -> Friction | None:
        """Its friction, if it has any."""

    def measures(self) -> Measures:
        """The length or angle that it bounds."""


def is_marker(element: Any) -> TypeGuard[MarkerContact]:
    """True for a contact between markers; one attribute is looked for first, which is faster."""
    return hasattr(element, "second_is_a") and isinstance(element, MarkerContact)


@runtime_checkable
class SurfaceElement(Protocol):
    """Compliant contact of primitives, or of spheres as such, under one law."""

    law: CompliantLaw
    geometry: Geometry
    parts: tuple[int, ...]  # numbers of the contacts of every pair
    torque: bool  # whether the moment of the force goes to primitives that deform
    sides: tuple[Sequence[Any], Sequence[Any]]  # shapes; the same one: all pairs among it

    def shared_pair(self, other: Any) -> tuple[str, str] | None:
        """Names of a pair in common with `other`, of the same class and geometry, or None."""

    def handles(self) -> Sequence[Any]:
        """The bodies and primitives that the element refers to."""


@runtime_checkable
class CompliantElement(Protocol):
    """Compliant contact of its pairs under one law."""

    law: CompliantLaw
    pairs: Pairs

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that the element refers to."""


def check_element(name: str, element: Any) -> None:
    """Raises ValueError unless `element` has a law of a kind and its attributes."""
    if isinstance(element, ForceElement) and not isinstance(element, type):
        return
    law = getattr(element, "law", None)
    kinds = (
        CompliantElement | SurfaceElement | PatchElement if isinstance(law, CompliantLaw) else ContactElement
    )
    known = isinstance(law, ContactLaw | CompliantLaw) and isinstance(element, kinds)
    if not isinstance(element, PatchElement):
        known = known and isinstance(getattr(element, "pairs", element).geometry, Geometry)
    if not known or isinstance(element, type):
        remedy = (
            "take one of the package elements, or give yours the attributes in nsgalpha.model.contact_element"
        )
        raise refuse(name, element, "an element", remedy)
    if isinstance(law, ContactLaw) and law.has_owner:
        _check_owner(element, law)


def _check_owner(element: ContactElement, law: ContactLaw) -> None:
    """ValueError unless it is clear which side of an `element` has the axis or the surface velocity."""
    planes = [handle for handle in element.handles() if isinstance(handle, Plane)]
    if not (planes or (isinstance(element, OrderedPairs) and element.ordered)):
        raise refuse_owner(law.axis, law.surface_velocity)
    if law.axis is None or law.owner == "first":
        return
    for plane in planes:
        if float(np.linalg.norm(np.cross(law.axis, plane.normal))) < LEAST_AXIS:
            raise refuse("axis", tuple(law.axis), f"across the normal of {plane.name!r}")


def refuse_owner(axis: Sequence[float] | None, surface_velocity: Sequence[float] | None) -> ValueError:
    """The error of an axis or a surface velocity in a contact among one set."""
    name, value = ("surface_velocity", surface_velocity) if axis is None else ("axis", axis)
    remedy = "it belongs to the second of two sides; state them by `between`"
    return refuse(name, value, "left out in contacts among one set", remedy)


class ElementKinds(NamedTuple):
    """The elements of a model by kind, each in the order of the model."""

    set_valued: list[ContactElement]
    markers: list[MarkerContact]  # those of `set_valued` that are between markers
    compliant: list[CompliantElement]
    surfaces: list[SurfaceElement | PatchElement]
    force_elements: list[ForceElement]


def sort_elements(elements: Sequence[Any]) -> ElementKinds:
    """The `elements` by kind. Raises ValueError if set-valued contact was switched, or one is missing.

    The law is looked at first: the type of an object costs less than the attributes of a protocol.
    """
    kinds = ElementKinds([], [], [], [], [])
    for element in elements:
        if isinstance(element, Missing):
            raise element.refusal("take the model of the script, its result, or an element of a package")
        if isinstance(element.law, ContactLaw):
            if "active" in getattr(element, "__dict__", {}):
                raise ValueError(
                    f"active: {type(element).__name__} is set-valued contact, which always acts; end the "
                    "run and continue with a model without it"
                )
            kinds.set_valued.append(element)
            if is_marker(element):
                kinds.markers.append(element)
        elif isinstance(element, SurfaceElement | PatchElement):
            kinds.surfaces.append(element)
        elif isinstance(element, ForceElement):
            kinds.force_elements.append(element)
        else:
            kinds.compliant.append(element)
    return kinds


def is_drawn(element: Any) -> bool:
    """True for drawn elements: contacts, springs and ropes."""
    if is_marker(element):
        return isinstance(element, Rod)
    return isinstance(element.law, CompliantLaw | ContactLaw)


def laws_of(element: Any) -> list[Any]:
    """The laws of single components of a compliant element, none of a set-valued one."""
    return [law for law, _, _ in element.law.parts] if isinstance(element.law, CompliantLaw) else []
