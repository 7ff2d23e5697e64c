"""Handles of the parts of a model: bodies, planes, primitives. They serve as indices into result arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import listed, refuse

PrescribedMotion = Callable[[float], tuple[ArrayLike, ...]]


class PrimitiveTable(Protocol):
    """The primitives of a model, with corners of rigid ones in their carriers' frames."""

    primitives: list[Primitive]
    places: list[Floats]


class Owner(Protocol):
    """The model that handles belong to."""

    bodies: list[Body]

    @property
    def joints(self) -> Sequence[Any]:
        """Its joints."""

    @property
    def drives(self) -> Sequence[Any]:
        """Its drives: relations of joint coordinates, and loads on them."""

    @property
    def elements(self) -> Sequence[Any]:
        """Its elements."""

    @property
    def shapes(self) -> PrimitiveTable:
        """Its primitives."""


class Numbered:
    """A thing that serves as an index, its number."""

    index: int

    def __index__(self) -> int:
        return self.index


@dataclass(frozen=True, eq=False)
class Body(Numbered):
    """Handle of a body: a rigid one (radius 0: without surface), or a point."""

    model: Owner = field(repr=False)
    index: int
    name: str
    radius: float
    mass: float
    inertia: Floats = field(repr=False)  # (3, 3), body frame
    position: Floats = field(repr=False)
    velocity: Floats = field(repr=False)
    angular_velocity: Floats = field(repr=False)
    rotation: Floats = field(repr=False)  # (4,)
    turns: bool  # points do not
    #: by name, a point [m], an axis and a second direction (1 to 3, 3), those given, body frame
    markers: Mapping[str, Floats] = field(default_factory=dict, repr=False)
    fixed: bool = False  # it stays where it is
    gravity: Floats | None = field(default=None, repr=False)  # (3,) [m/s^2] its own, None: the model's


class BodyRow(Sequence[Body]):
    """Bodies in a row, which serve as an index: `result.position[:, surface.nodes]`."""

    __slots__ = ("_bodies",)

    def __init__(self, bodies: Sequence[Body]) -> None:
        self._bodies = tuple(bodies)

    def __len__(self) -> int:
        return len(self._bodies)

    @overload
    def __getitem__(self, index: int) -> Body: ...
    @overload
    def __getitem__(self, index: slice) -> BodyRow: ...
    def __getitem__(self, index: int | slice) -> Body | BodyRow:
        return BodyRow(self._bodies[index]) if isinstance(index, slice) else self._bodies[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Ints:
        return np.array([body.index for body in self._bodies], dtype or np.int64)

    def __repr__(self) -> str:
        return f"<{len(self)} bodies>"


@dataclass(frozen=True, eq=False)
class Plane(Numbered):
    """Handle of a plane: fixed, prescribed (`motion`) or carried by a body (`body`)."""

    model: Owner = field(repr=False)
    index: int
    name: str
    normal: Floats
    offset: float
    body: Body | None
    motion: PrescribedMotion | None


@dataclass(frozen=True, eq=False)
class Primitive(Numbered):
    """Handle of a shape in points: a sphere, a segment, a flat convex polygon.

    A rigid primitive has rows of the model's table as corners, fixed in the frame of `carrier`, a body, a
    plane or space (None). Otherwise they are bodies, and the shape deforms with them.
    """

    model: Owner = field(repr=False)
    index: int
    name: str
    corners: tuple[int, ...] = field(repr=False)  # rows of the table or bodies, in order
    radius: float
    rigid: bool
    carrier: Body | Plane | None = field(repr=False)


class JointHandle:
    """A joint as an argument of other elements, with its number in the model."""

    name: str
    carriers: tuple[Body | Plane | None, Body | Plane | None]

    def __index__(self) -> int:
        for carrier in self.carriers:
            if isinstance(carrier, Body | Plane):
                for k, joint in enumerate(carrier.model.joints):
                    if joint is self:
                        return k
        raise ValueError(f"joint: {self.name} is in no model; add it to the model first: model.add(joint)")


@runtime_checkable
class HasHandles(Protocol):
    """Elements, laws, loads and resistances that refer to things of a model."""

    def handles(self) -> Sequence[Any]:
        """The bodies, planes and primitives that it refers to."""


Handle = TypeVar("Handle", Body, Plane, Primitive)


def handle_list(name: str, values: Handle | Sequence[Handle], kind: type[Handle]) -> list[Handle]:
    """Handles of `kind`, one or several, as a list. Raises ValueError for others and repetitions."""
    if not isinstance(values, Sequence | kind) or isinstance(values, str | bytes | range):
        raise refuse(name, values, f"a {kind.__name__} handle or a list of them, as returned by the model")
    items: list[Any] = [values] if isinstance(values, kind) else [*values]  # type: ignore[misc]
    for item in items:
        if not isinstance(item, kind):
            raise refuse(name, item, f"a {kind.__name__} handle, as returned by the model")
    known: set[int] = set()
    for item in items:
        if id(item) in known:
            raise ValueError(f"{name}: {item.name!r} is given twice; name each one once")
        known.add(id(item))
    return items


def planes_beside(
    name: str, carriers: Sequence[Body | Plane | None], planes: Plane | Sequence[Plane]
) -> list[Plane]:
    """`planes` as a list; ValueError if one is on a body of `carriers`, those of the argument `name`."""
    found = handle_list("planes", planes, Plane)
    for plane in found:
        if plane.body is not None and any(plane.body is carrier for carrier in carriers):
            raise ValueError(
                f"{name}: the body that carries {plane.name!r} is or carries one of them; a body has no "
                "contact with itself, leave it out"
            )
    return found


def own(model: Owner, name: str, handle: Any) -> None:
    """ValueError, with the `name` of the argument, unless `handle` is of the `model`."""
    if not isinstance(handle, Body | Plane | Primitive):
        raise refuse(name, handle, "a handle returned by add_sphere, add_plane, ... of the model")
    if handle.model is not model:
        message = f"{name}: {handle.name!r} belongs to another model; use the handles returned by this model"
        raise ValueError(message)


def own_all(model: Owner, name: str, thing: Any) -> None:
    """ValueError, with the `name` of the `thing`, if one of its `handles()` is of another model."""
    for handle in thing.handles() if isinstance(thing, HasHandles) else ():
        own(model, name, handle)


def couple(name: str, value: Any, allowed: str) -> tuple[Any, Any]:
    """The two things in a list or tuple `value`, or a ValueError."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) != 2:
        raise refuse(name, value, allowed)
    return value[0], value[1]


def pair_list(name: str, values: Any, allowed: str) -> list[tuple[Any, Any]]:
    """`values` as a list of pairs, or a ValueError."""
    pairs = listed(name, values, f"a list, each {allowed}")
    return [couple(f"{name}[{k}]", pair, allowed) for k, pair in enumerate(pairs)]


Sides = tuple[Sequence[Any], Sequence[Any]]  # handles


def pair_in_common(sides: Sides, others: Sides) -> tuple[str, str] | None:
    """Names of a pair, one of each of the `sides`, in common with `others`, or None."""
    for theirs in (others, others[::-1]):
        known = [{id(handle) for handle in side} for side in theirs]
        first, second = ([h for h in mine if id(h) in ids] for mine, ids in zip(sides, known, strict=True))
        for a in first:
            for b in second[:2]:
                if a is not b:
                    return a.name, b.name
    return None


def sphere_list(name: str, values: Body | Sequence[Body]) -> list[Body]:
    """Bodies as `handle_list`, and ValueError for one without a radius."""
    bodies = handle_list(name, values, Body)
    for body in bodies:
        if body.radius == 0.0:
            raise ValueError(
                f"{name}: radius of {body.name!r} = 0: must be positive for contact as a sphere; give it a "
                "radius, or a primitive to carry"
            )
    return bodies
