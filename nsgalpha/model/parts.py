"""Parts of compound bodies: boxes, cylinders, cones, capsules, spheres and solids, each with a pose.

top = ns.parts.box((1.2, 0.8, 0.04), position=(0, 0, 0.72))
legs = [ns.parts.box((0.06, 0.06, 0.7), position=(x, y, 0.35)) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
table = model.add_compound([top, *legs], density=700, origin=(0, 0, 0))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, turned
from nsgalpha.checks import direction, listed, named, positive, refuse, truth, vector
from nsgalpha.model.mass_properties import (
    MassProperties,
    box_properties,
    capsule_properties,
    cone_properties,
    cylinder_properties,
    mesh_properties,
    sphere_properties,
)
from nsgalpha.model.mesh_sources import Source

Place = tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True, eq=False)
class Part:
    """A homogeneous part of a compound body; made by the functions of this module."""

    bulk: MassProperties = field(repr=False)
    position: Floats  # (3,) [m] of its centre of mass
    rotation: Floats  # (4,) of its axes
    density: float | None  # [kg/m^3]; None: that of the body


def _part(bulk: MassProperties, place: Place, density: float | None) -> Part:
    """A part with its centre of mass and axes at `place`: position, rotation."""
    x, q = vector("position", place[0]), direction("rotation", place[1], 4)
    return Part(bulk, x, q, None if density is None else positive("density", density, "it is in kg/m^3"))


@named
def box(
    size: ArrayLike,
    *,
    radius: float = 0.0,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    density: float | None = None,
) -> Part:
    """A box with edges of `size` (3,) [m] along its axes.

    radius [m]: of the rounding, see `Model.add_box`. position (3,) [m] of its middle and rotation (4,), a
    quaternion, are in the frame of the parts. density [kg/m^3]: its own, in place of that of the body.

    Raises ValueError if a value is out of its range.
    """
    return _part(box_properties(size, radius), (position, rotation), density)


@named
def cylinder(
    radius: float,
    length: float,
    *,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    density: float | None = None,
) -> Part:
    """A cylinder of `radius` and `length` [m] around its z axis; the others are those of `box`."""
    return _part(cylinder_properties(radius, length), (position, rotation), density)


@named
def cone(
    radius: float,
    height: float,
    *,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    density: float | None = None,
) -> Part:
    """A cone around its z axis; the others are those of `box`.

    The base is a quarter of the `height` [m] below the centre of mass.
    """
    return _part(cone_properties(radius, height), (position, rotation), density)


@named
def capsule(
    radius: float,
    length: float,
    *,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    density: float | None = None,
) -> Part:
    """A capsule around its z axis, `length` [m] between the centres of its caps; the others: see `box`."""
    return _part(capsule_properties(radius, length), (position, rotation), density)


@named
def sphere(radius: float, *, position: ArrayLike = (0.0, 0.0, 0.0), density: float | None = None) -> Part:
    """A sphere of `radius` [m]; the others are those of `box`."""
    return _part(sphere_properties(radius), (position, (1.0, 0.0, 0.0, 0.0)), density)


@named
def solid(
    source: Source,
    *,
    scale: float = 1.0,
    hull: bool = False,
    concavity: float | None = None,
    repair: bool = False,
    radius: float = 0.0,
    position: ArrayLike | None = None,
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    density: float | None = None,
) -> Part:
    """The solid within a mesh, with arguments of `Model.add_solid`.

    position (3,) [m] is that of its centre of mass. Without it the part stays where the source has it, and
    `rotation` turns it about the origin.
    """
    hull, repair = truth("hull", hull), truth("repair", repair)
    bulk = mesh_properties(source, scale, hull, concavity, repair=repair, radius=radius)
    if position is None:
        position = turned(direction("rotation", rotation, 4), bulk.centre)
    return _part(bulk, (position, rotation), density)


def joined(parts: Sequence[Part], density: float | None, mass: float | None) -> tuple[float, Floats, Floats]:
    """Mass [kg], centre of mass (3,) [m] and inertia (3, 3) [kg m^2] about it, in the frame of the parts.

    J = sum J_k + m_k (|d_k|^2 1 - d_k d_k^T), with the centres of the parts at d_k from that of the body.
    Parts that overlap count twice. Densities of parts are relative where the `mass` is given, 1 for those
    without. Raises ValueError if the mass cannot be found.
    """
    if mass is not None and density is not None:
        raise ValueError("mass and density: give one of them")
    if density is not None:
        density = positive("density", density, "it is in kg/m^3")
    own = [part.density if part.density is not None else density for part in parts]
    if mass is None and None in own:
        raise refuse("density", None, "given, or `mass`, where a part has none")
    weights = np.array([(1.0 if d is None else d) * p.bulk.volume for d, p in zip(own, parts, strict=True)])
    x = np.array([part.position for part in parts])
    centre = weights @ x / weights.sum()
    inertia = np.zeros((3, 3))
    for part, weight, d in zip(parts, weights, x - centre, strict=True):
        R = turned(part.rotation, np.eye(3)).T
        inertia += weight / part.bulk.volume * (R @ part.bulk.inertia @ R.T)
        inertia += weight * (d @ d * np.eye(3) - np.outer(d, d))
    total = float(weights.sum())
    whole = positive("mass", total if mass is None else mass)
    return whole, centre, whole / total * inertia


def placed(part: Part, centre: Floats) -> MassProperties:
    """The surface of a `part`, from the `centre` of mass of its body."""
    x = turned(part.rotation, part.bulk.vertices) + (part.position - centre)
    return part.bulk._replace(vertices=x)


def part_list(parts: Sequence[Part]) -> list[Part]:
    """`parts` as a list; ValueError for other things."""
    found = listed("parts", parts, "a list of parts, see ns.parts")
    for k, part in enumerate(found):
        if not isinstance(part, Part):
            raise refuse(
                f"parts[{k}]", part, "a part: ns.parts.box(...), cylinder, cone, capsule, sphere, solid"
            )
    if not found:
        raise refuse("parts", parts, "at least one part")
    return found
