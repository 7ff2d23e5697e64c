"""The model: bodies, planes, loads and elements, as a user states them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.checks import (
    direction,
    inertia_tensor,
    number_in,
    positive,
    refuse,
    vector,
)
from nsgalpha.model.state import State

if TYPE_CHECKING:
    from nsgalpha.arrays import Floats
    from nsgalpha.model.element import CompliantElement, ContactElement

Load = Callable[[float, State], ArrayLike | tuple[ArrayLike, ArrayLike]]
PrescribedMotion = Callable[[float], tuple[ArrayLike, ...]]


@dataclass(frozen=True, eq=False)
class Body:
    """Handle of a rigid sphere of a model; serves as an index into result arrays."""

    model: Model = field(repr=False)
    index: int
    name: str
    radius: float
    mass: float
    inertia: Floats = field(repr=False)  # (3, 3), body frame
    position: Floats = field(repr=False)
    velocity: Floats = field(repr=False)
    angular_velocity: Floats = field(repr=False)
    rotation: Floats = field(repr=False)  # (4,)

    def __index__(self) -> int:
        return self.index


@dataclass(frozen=True, eq=False)
class Plane:
    """Handle of a plane: fixed, prescribed (`motion`) or carried by a body (`body`)."""

    model: Model = field(repr=False)
    index: int
    name: str
    normal: Floats
    offset: float
    body: Body | None
    motion: PrescribedMotion | None

    def __index__(self) -> int:
        return self.index


Handle = TypeVar("Handle", Body, Plane)
Element = TypeVar("Element", bound="ContactElement | CompliantElement")


class Model:
    """Rigid spheres, planes, loads and the elements that act between them.

    gravity: acceleration [m/s^2], inertial frame (3,).

    Raises ValueError if `gravity` is not three finite numbers.
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.gravity = vector("gravity", gravity)
        self.bodies: list[Body] = []
        self.planes: list[Plane] = []
        self._names: set[str] = set()
        self.loads: list[Load] = []
        self.elements: list[ContactElement | CompliantElement] = []

    @property
    def spheres(self) -> list[Body]:
        """All spheres of the model, in the order in which they were added."""
        return list(self.bodies)

    def add_sphere(
        self,
        *,
        radius: float,
        mass: float,
        position: ArrayLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
    ) -> Body:
        """Add a rigid body with a spherical surface and return its handle.

        radius [m]; mass [kg]; position of the centre of mass (3,) [m], the centre of the sphere;
        velocity (3,) [m/s] and angular_velocity (3,) [rad/s], both inertial; inertia [kg m^2], body
        frame: a number, three principal values or a tensor (3, 3), by default the homogeneous
        ball's 2/5 m r^2; rotation: quaternion (4,), scalar first, body to inertial, of any length.

        Raises ValueError if a value is out of its range or the name is in use.
        """
        radius = positive("radius", radius)
        mass = positive("mass", mass)
        tensor = inertia_tensor("inertia", 0.4 * mass * radius**2 if inertia is None else inertia)
        body = Body(
            self,
            len(self.bodies),
            self._name(name, "sphere", len(self.bodies)),
            radius,
            mass,
            tensor,
            vector("position", position),
            vector("velocity", velocity),
            vector("angular_velocity", angular_velocity),
            direction("rotation", rotation, 4),
        )
        self.bodies.append(body)
        self._names.add(body.name)
        return body

    def add_plane(
        self,
        *,
        normal: ArrayLike,
        offset: float = 0.0,
        name: str | None = None,
        body: Body | None = None,
        motion: PrescribedMotion | None = None,
    ) -> Plane:
        """Add the plane `normal . x = offset` and return its handle; spheres are on the normal's side.

        normal (3,) of any length; for a unit normal the offset is the distance [m] from the origin.
        Without more the plane is fixed. With `body` it is carried by that body, and normal and offset
        are in the body's frame. With `motion` its frame moves as told: `motion(t)` returns position
        (3,) [m] and velocity (3,) [m/s] of the frame's origin, and, if it turns, rotation (4,) and
        inertial angular velocity (3,) [rad/s]; normal and offset are in that frame.

        Raises ValueError if the normal is zero, a value is not finite, the name is in use, the body
        belongs to another model, or both `body` and `motion` are given.
        """
        if body is not None and motion is not None:
            raise ValueError("body and motion: give one of them; a plane is carried or prescribed")
        if body is not None:
            self._own("body", body)
        if motion is not None and not callable(motion):
            raise refuse("motion", motion, "a callable motion(t)")
        unit = direction("normal", normal)
        length = float(np.linalg.norm(vector("normal", normal)))
        plane = Plane(
            self,
            len(self.planes),
            self._name(name, "plane", len(self.planes)),
            unit,
            number_in("offset", offset, -np.inf, np.inf) / length,
            body,
            motion,
        )
        if motion is not None:
            frame_motion(plane, 0.0)
        self.planes.append(plane)
        self._names.add(plane.name)
        return plane

    def add_load(self, load: Load) -> None:
        """Add a load `load(t, state)`, inertial: force (N, 3) [N], or (force, torque (N, 3) [N m]).

        Raises ValueError if it is not callable.
        """
        if not callable(load):
            raise refuse("load", load, "a callable f(t, state)")
        self.loads.append(load)

    def add(self, element: Element) -> Element:
        """Add an element and return it.

        Raises ValueError if it refers to a body or plane of another model.
        """
        for handle in element.handles():
            self._own(type(element).__name__, handle)
        self.elements.append(element)
        return element

    def initial_state(self) -> State:
        """The state in which the model was stated, at t = 0."""
        return State(
            0.0,
            np.array([body.position for body in self.bodies]),
            np.array([body.rotation for body in self.bodies]),
            np.array([body.velocity for body in self.bodies]),
            np.array([body.angular_velocity for body in self.bodies]),
        )

    def _own(self, name: str, handle: Any) -> None:
        if not isinstance(handle, Body | Plane):
            raise refuse(name, handle, "a handle returned by add_sphere or add_plane")
        if handle.model is not self:
            raise ValueError(
                f"{name}: {handle.name!r} belongs to another model; use the handles returned by this model"
            )

    def _name(self, name: str | None, kind: str, number: int) -> str:
        if name is None:
            name = next(free for k in count(number) if (free := f"{kind} {k}") not in self._names)
        elif name in self._names:
            raise ValueError(f"name = {name!r}: must be used once in a model; choose another name")
        return name


def handle_list(name: str, values: Handle | Sequence[Handle], kind: type[Handle]) -> list[Handle]:
    """One handle or several of `kind` as a list; ValueError if another thing or a handle given twice."""
    if not isinstance(values, Sequence | kind):
        raise refuse(name, values, f"a {kind.__name__} handle or a list of them, as returned by the model")
    items: list[Any] = [values] if isinstance(values, kind) else [*values]  # type: ignore[misc]
    for item in items:
        if not isinstance(item, kind):
            raise refuse(name, item, f"a {kind.__name__} handle, as returned by the model")
    for i, item in enumerate(items):
        if any(item is other for other in items[:i]):
            raise ValueError(f"{name}: {item.name!r} is given twice; name each one once")
    return items


def frame_motion(plane: Plane, t: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Position, rotation, velocity and angular velocity of a prescribed plane's frame at time `t` [s].

    Raises ValueError if the callable returns something else than two or four finite vectors.
    """
    assert plane.motion is not None
    parts: Sequence[ArrayLike] = plane.motion(t)
    if not isinstance(parts, tuple | list) or len(parts) not in (2, 4):
        raise ValueError(
            f"motion of {plane.name!r} returned {parts!r}: must be (position, velocity) or "
            "(position, velocity, rotation, angular_velocity)"
        )
    label = f"motion of {plane.name!r} at t = {t:g}"
    rotation = parts[2] if len(parts) == 4 else (1.0, 0.0, 0.0, 0.0)
    spin = parts[3] if len(parts) == 4 else (0.0, 0.0, 0.0)
    return (
        vector(f"{label}, position", parts[0]),
        direction(f"{label}, rotation", rotation, 4),
        vector(f"{label}, velocity", parts[1]),
        vector(f"{label}, angular velocity", spin),
    )
