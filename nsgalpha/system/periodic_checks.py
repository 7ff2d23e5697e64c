"""Checks of parts in a periodic cell: unsuitable ones are refused by name."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Bodies, Floats, turned
from nsgalpha.checks import refuse, shown
from nsgalpha.model.carried_shapes import extent_of
from nsgalpha.model.cell_motion import Periods
from nsgalpha.model.contact_element import CompliantElement, ContactElement, Pairs, SurfaceElement
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.inlets_outlets import Outlet
from nsgalpha.model.joint_interface import is_slider
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import ALONG
from nsgalpha.model.regions import HalfSpace

PERIODS = 3.0  # least period over the largest distance of centres that touch, see periodic_cell.py
ROUNDING = 1e-9  # of that


class HasContacts(Protocol):
    """The part of a system that knows who touches."""

    bodies: Bodies
    compliant: list[CompliantElement]


def check_cell(
    model: Model,
    elements: Sequence[ContactElement],
    compliant: Sequence[CompliantElement],
    others: Sequence[Any],
) -> Floats:
    """Least periods (3,) [m]. Raises ValueError, by its name, for parts unsuitable for the cell of `model`.

    elements, compliant: of bodies and planes; others: of surfaces and force elements, which know no images.
    """
    far = 0.0
    if model.periodic is None:
        return np.zeros(3)
    for each in others:
        far = max(far, _check_surface(model, each))
    if model.cell_motion is not None:
        _refuse_walls(model)
    for element in elements:
        far = max(far, _check_pairs(model.periodic, element, element, 0.0))
    for bodies in compliant:
        far = max(far, _check_pairs(model.periodic, bodies, bodies.pairs, bodies.law.reach))
    sliding = [joint.carriers[1] for joint in model.joints if is_slider(joint)]
    for plane in model.planes:
        if plane.body is not None:
            _check_carried(model.periodic, plane, any(each is plane.body for each in sliding))
        if plane.motion is None:
            refuse_across(model.periodic, f"the normal of {plane.name!r}", plane.normal)
    for boundary in model.open_boundaries:
        if isinstance(boundary, Outlet) and isinstance(boundary.region, HalfSpace):
            refuse_across(model.periodic, f"the half-space of {boundary.name!r}", boundary.region.normal)
    return np.array([0.0 if each is None else PERIODS * far for each in model.periodic])


def touching_distance(system: HasContacts) -> float:
    """Largest distance [m] of two centres at which an element acts."""
    reach = max((each.law.reach for each in system.compliant), default=0.0)
    return 2.0 * float(system.bodies.extent.max()) + max(reach, 0.0)


def _refuse_walls(model: Model) -> None:
    """ValueError for parts that are not the same in all images of a cell that moves."""
    others: list[Plane | Outlet] = [*model.planes]
    others += [each for each in model.open_boundaries if isinstance(each, Outlet)]
    for each in others:
        raise ValueError(
            f"cell_motion: {each.name!r} has no images that move: must be left out of a cell that moves; "
            "or leave cell_motion out, and shear a layer between planes that move"
        )


def _check_carried(periods: Periods, plane: Plane, slides: bool) -> None:
    """ValueError for a plane of a body that turns, or across a period."""
    assert plane.body is not None
    if not slides:
        raise ValueError(
            f"periodic: {plane.name!r} is carried by {plane.body.name!r}: must be fixed, on a slider, "
            "Prismatic(None, body), or have a prescribed motion; planes of bodies that turn have no images"
        )
    normal = turned(plane.body.rotation, plane.normal)
    refuse_across(periods, f"the normal of {plane.name!r}", normal)


def _knows_none(element: Any) -> ValueError:
    """The error for an element that knows no images."""
    return ValueError(
        f"periodic: {type(element).__name__} acts between bodies as they are placed, not between their "
        "images: must be left out of models with a periodic cell; set-valued contact, compliant contact of "
        "spheres, capsules and solids, springs and joints can be in one"
    )


def _check_pairs(periods: Periods, element: Any, pairs: Pairs, reach: float) -> float:
    """Largest distance [m] of centres that touch by images.

    ValueError for pairs that know no images, or could touch two of them.
    """
    images = pairs.geometry.images
    if images is None or (images and "cell" not in inspect.signature(pairs.candidates).parameters):
        raise _knows_none(pairs)
    if not images:
        return 0.0
    return _check_sizes(periods, pairs, pairs.handles(), reach)


def _check_surface(model: Model, element: Any) -> float:
    """`_check_pairs` of an element of surfaces, or a refusal of forces."""
    if not isinstance(element, SurfaceElement) or element.geometry.images is None:
        raise _knows_none(element)
    shapes = [each for side in element.sides for each in side]
    for each in shapes:
        if not (isinstance(each, Body) or isinstance(each.carrier, Body | Plane)):
            raise _knows_none(element)
    assert model.periodic is not None
    carried = [each for each in shapes if isinstance(each, Body) or isinstance(each.carrier, Body)]
    return _check_sizes(model.periodic, element, carried, element.law.reach)


def _check_sizes(periods: Periods, pairs: Any, shapes: Sequence[Any], reach: float) -> float:
    """Largest distance [m] of centres that touch by the `shapes`; ValueError if it is too large."""
    largest = _largest(shapes)
    far = sum(size for size, _ in largest) + max(reach, 0.0)
    for i, period in enumerate(periods):
        if period is not None and not period >= PERIODS * far * (1.0 - ROUNDING):
            of, least = type(pairs).__name__, f"at least {PERIODS * far:.6g} m"
            allowed = f"{least}, three times the distance {far:.6g} m of centres at which {of} acts"
            remedy = "take a larger cell, or None along this direction"
            if any(body.radius < size for size, body in largest):
                sizes = " and ".join(f"{body.name!r} {size:.6g} m" for size, body in largest)
                allowed += f" (from their centres reach {sizes})"
                remedy = f"take smaller bodies, a plane for a fixed one, {remedy[5:]}"
            raise refuse(f"periodic[{i}]", period, allowed, remedy)
    return far


def _largest(shapes: Sequence[Any]) -> list[tuple[float, Body]]:
    """The two bodies with such `shapes` that reach furthest, and how far from their centres [m]."""
    sizes: dict[int, tuple[float, Body]] = {}
    for each in shapes:
        body = each if isinstance(each, Body) else each.carrier
        if isinstance(each, Solid):
            size = float(np.linalg.norm(each.frame[0]) + each.size[0])
        else:
            size = each.radius if isinstance(each, Body) else extent_of(each)
        known, _ = sizes.get(body.index, (0.0, body))
        sizes[body.index] = max(size, known), body
    return sorted(sizes.values(), key=lambda one: one[0])[-2:]


def refuse_across(periods: Periods, name: str, normal: ArrayLike) -> None:
    """Raises ValueError, by `name`, for a plane with a component of its normal along a period."""
    n = np.asarray(normal)
    for i, period in enumerate(periods):
        if period is not None and abs(n[i]) > ALONG:
            raise ValueError(
                f"periodic: {name} points to {shown(n.tolist())}: must have no component along the periodic "
                f"{'xyz'[i]}; give periodic[{i}] = None, or turn gravity and not the plane"
            )
