"""Inlets and outlets: feeders insert bodies into a run, outlets remove them.

    model.add(Outlet(regions.HalfSpace(normal=(0, 0, 1), offset=-1.0)))     who falls below z = -1 m is gone
    model.add(Feeder(grains, regions.Box(low=low, high=high), rate=200.0))  200 grains per second

All bodies are stated in the model, so that arrays keep their shape. One that has not come yet, or is gone,
has no contact, force, motion and energy. Changes happen between steps: in the state that a step starts from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import finite, instance, integer, named_methods, number_in, positive, refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.handles import Body, Owner, Plane, Primitive, handle_list, own_all
from nsgalpha.model.model_names import Names, checked_name
from nsgalpha.model.regions import Bounded, Region
from nsgalpha.model.triangulated_surface import Surface

TO_COME, PRESENT, GONE = 0, 1, 2  # stages of a body
SHAPES = "regions.Ball, Box, Cylinder"


class OpenBoundary:
    """An outlet or a feeder."""

    bodies: list[Body] | None  # None: all that move
    start: float
    name: str | None  # of one that is in a model there is one

    def handles(self) -> Sequence[Body]:
        """The bodies that it names."""
        return self.bodies or ()


class WithBoundaries(Owner, Protocol):
    """A model with outlets and feeders."""

    open_boundaries: list[OpenBoundary]
    names: Names
    surfaces: list[Surface]


@named_methods
@recorded
class Outlet(OpenBoundary):
    """Removal of bodies whose centre is in a `region`, such as a silo's mouth.

    region: `regions.Ball`, `Box`, `Cylinder`, `HalfSpace`, or None for everywhere. bodies: those that it
    takes, by default all that are not fixed. start: time [s] from which on it does. name: for
    `result.events`.

    A body leaves at the end of the step in which its centre has come into the region. One that crosses it in
    less than a step is missed. With located impacts or an accuracy the step ends where the centre enters, and
    none is missed. Afterwards it is where it was, without motion, contact and energy. Bodies that
    joints hold, or with surfaces of compliant contact, cannot leave: a run refuses them by name.

    Raises ValueError if an argument is out of its range.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    >>> pit = model.add(ns.Outlet(ns.regions.HalfSpace(normal=(0, 0, 1), offset=-0.2), name="pit"))
    >>> result = ns.simulate(model, t_end=1.0, h=0.01)
    >>> print(*result.events)  # z = -5 t^2
    'sphere 0' left by 'pit' at t = 0.2 s
    >>> print(result.present[[0, -1], ball])
    [ True False]
    """

    def __init__(
        self,
        region: Region | None,
        *,
        bodies: Body | Sequence[Body] | None = None,
        start: float = 0.0,
        name: str | None = None,
    ) -> None:
        allowed = f"{SHAPES}, HalfSpace, or None for everywhere"
        self.region: Region | None = instance("region", region, Region | None, allowed)
        self.bodies = None if bodies is None else handle_list("bodies", bodies, Body)
        self.start = number_in("start", start, -math.inf, math.inf)
        self.name = None if name is None else checked_name(name)

    def depth(self, x: Floats) -> Floats:
        """How deep (K,) [m] centres `x` (K, 3) are in its region."""
        return np.full(len(x), np.inf) if self.region is None else self.region.depth(x)


@named_methods
@recorded
class Feeder(OpenBoundary):
    """Puts `bodies` into a run, one after another; before that they are not there.

    region: `regions.Ball`, `Box` or `Cylinder` in which each gets its centre, drawn evenly by the `seed`; by
    default it comes where the model states it. rate: bodies per second from `start` [s] on; or times: one
    for each body [s], not decreasing; by default all are due at `start`. Velocities and rotations are those
    that the model states.

    A body comes at the start of the first step at or after its time. With located impacts or an accuracy
    a step ends at that time, and random places that are free follow from the seed alone. It waits, and those
    behind it, while its place is taken: of random places several are tried in each step. A place is free if
    the sphere of no other body overlaps with its own. No element that lets it touch bodies or planes may see
    an overlap. Meshes and other surfaces of compliant contact are not looked at: keep the region clear of
    them.

    Raises ValueError if an argument is out of its range.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0)) for _ in range(3)]
    >>> spout = model.add(ns.Feeder(balls, rate=4.0, name="spout"))
    >>> result = ns.simulate(model, t_end=1.0, h=0.01)
    >>> print(result.events.t.round(9), result.position[-1, :, 2].round(3))
    [0.   0.25 0.5 ] [-5.    -2.812 -1.25 ]
    """

    bodies: list[Body]

    def __init__(
        self,
        bodies: Body | Sequence[Body],
        region: Bounded | None = None,
        *,
        rate: float | None = None,
        times: ArrayLike | None = None,
        start: float = 0.0,
        seed: int = 0,
        name: str | None = None,
    ) -> None:
        self.bodies = handle_list("bodies", bodies, Body)
        if not self.bodies:
            raise refuse("bodies", bodies, "one body or more")
        for body in self.bodies:
            if body.fixed:
                raise refuse("bodies", body.name, "bodies that are not fixed")
        self.region: Bounded | None = instance(
            "region", region, Bounded | None, f"{SHAPES}, or None for the places that the model states"
        )
        self.start = number_in("start", start, -math.inf, math.inf)
        self.seed = integer("seed", seed, 0)
        self.name = None if name is None else checked_name(name)
        self.times = self._times(rate, times)

    def _times(self, rate: float | None, times: ArrayLike | None) -> Floats:
        """Time (K,) [s] at which each body is due."""
        if rate is not None and times is not None:
            raise ValueError("rate and times: give one of them")
        count = len(self.bodies)
        if rate is not None:
            return self.start + np.arange(count) / positive("rate", rate)
        if times is None:
            return np.full(count, self.start)
        allowed = f"{count} times [s], one for each body, not decreasing"
        due = finite("times", times, allowed)
        if due.shape != (count,) or (np.diff(due) < 0.0).any():
            raise refuse("times", times, allowed)
        return np.maximum(due, self.start)


def stages(model: WithBoundaries) -> Ints:
    """Stages (N,) of the bodies as stated: those of feeders are yet to come."""
    found = np.full(len(model.bodies), PRESENT)
    for boundary in model.open_boundaries:
        if isinstance(boundary, Feeder):
            found[[body.index for body in boundary.bodies]] = TO_COME
    return found


def boundary_of(model: WithBoundaries, boundary: OpenBoundary, name: str | None) -> OpenBoundary:
    """The `boundary` as one of the `model`, with a free name. Raises ValueError otherwise."""
    if name is not None:
        raise refuse("name", name, "left out", f"{type(boundary).__name__} takes one itself: name=")
    own_all(model, type(boundary).__name__, boundary)
    boundary.name = model.names.free(
        boundary.name, type(boundary).__name__.lower(), len(model.open_boundaries)
    )
    model.names.take(boundary.name)
    return boundary


def bodies_of(model: WithBoundaries, boundary: OpenBoundary) -> Ints:
    """Numbers (K,) of the bodies that may pass a `boundary`."""
    known = [body for body in model.bodies if not body.fixed] if boundary.bodies is None else boundary.bodies
    return np.array([body.index for body in known], np.int64)


def check_boundaries(model: WithBoundaries, holding: Sequence[Any], surfaces: Sequence[Any]) -> None:
    """Raises ValueError, by its name, for a body that must stay, or with two feeders.

    holding: elements whose bodies must stay; surfaces: those of which only corners of primitives that deform
    must.
    """
    held = _held(model, holding, surfaces)
    fed: dict[int, str | None] = {}
    for boundary in model.open_boundaries:
        for index in bodies_of(model, boundary).tolist():
            name = model.bodies[index].name
            if index in held:
                remedy = "name the bodies that may pass: bodies=[...]"
                raise ValueError(f"{boundary.name}: {name!r} cannot come or go: {held[index]}; {remedy}")
            if isinstance(boundary, Feeder) and index in fed:
                other = fed[index]
                raise ValueError(f"{boundary.name}: {name!r} is a body of {other!r} too; leave it out of one")
            if isinstance(boundary, Feeder):
                fed[index] = boundary.name


def _held(model: WithBoundaries, holding: Sequence[Any], surfaces: Sequence[Any]) -> dict[int, str]:
    """The bodies that cannot come or go, by their numbers, and why."""
    held: dict[int, str] = {}
    for joint in model.joints:
        held |= {index: f"{joint.name} holds it" for each in joint.carriers for index in _carriers(each)}
    for surface in model.surfaces:
        held |= dict.fromkeys(surface.bodies.tolist(), f"it is a node of {surface.name!r}")
    for element in holding:
        why = f"{type(element).__name__} acts on what it carries"
        held |= {index: why for each in element.handles() for index in _carriers(each)}
    for element in surfaces:
        for each in element.handles():
            if isinstance(each, Primitive) and not each.rigid:
                held |= dict.fromkeys(each.corners, f"it is a corner of {each.name!r}")
    return held


def _carriers(handle: Any) -> list[int]:
    """Numbers of the bodies behind a handle."""
    if isinstance(handle, Body):
        return [handle.index]
    if isinstance(handle, Plane):
        return _carriers(handle.body)
    if isinstance(handle, Primitive):
        return _carriers(handle.carrier) if handle.rigid else list(handle.corners)
    return []
