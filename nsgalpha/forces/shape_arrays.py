"""Sides of an element of primitives as arrays, and the points of their corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import HALF_SPACE, Flags, Floats, Ints, Motion, Solids
from nsgalpha.geometry.rotations import to_inertial
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.convex_solids import Solid, library
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.system.primitive_measures import Points
from nsgalpha.system.system import System

Shape = Body | Primitive | Solid
ENDLESS = 1e100  # extent [m] of a half-space


@kernel
def place_points(owner, place, x, q, out):
    """Inertial coordinates `out` (P, 3) of points that are fixed in frames."""
    for k in range(owner.shape[0]):
        to_inertial(q[owner[k]], place[k], out[k])
        for i in range(3):
            out[k, i] += x[owner[k], i]


def coordinates(points: Points, motion: Motion) -> Floats:
    """Inertial coordinates (P, 3) of the points [m]."""
    out = np.empty_like(points.place)
    place_points(points.owner, points.place, motion.x, motion.q, out)
    return out


class Side(NamedTuple):
    """K primitives of one side, N corners at most, S slots."""

    number: Ints  # (K,) in the model; -1 for a body as a sphere
    corners: Ints  # (K, N) rows of the points; -1 where there are less
    many: Ints  # (K,) of corners
    radius: Floats  # (K,)
    rigid: Flags  # (K,)
    slots: Ints  # (K, S) bodies or frames; the ground where there are less
    carrier: Ints  # (K,) body or frame, -1 for those that deform
    solid: Ints  # (K,) number in the library of the element, -1 for other shapes
    extent: Floats  # (K,) of the rounding of the corners [m]: radius, or size of the solid
    piece: Ints  # (K,) number in the pairs of laws: the carrier, of patches the mesh; -1: the primitive alone


class Placed(NamedTuple):
    """Points of a model, then four corners of each solid: centre, ends of axes."""

    points: Points
    solids: Solids
    number: dict[int, int]  # in the library, by the id of the solid
    first: dict[int, int]  # first row of its corners


def placed(sides: Sequence[Sequence[Shape]], points: Points, system: System) -> Placed:
    """The `points` of a model with the corners of the solids among the `sides`."""
    solids = list({id(each): each for side in sides for each in side if isinstance(each, Solid)}.values())
    first = {id(solid): len(points.owner) + 4 * k for k, solid in enumerate(solids)}
    if solids:
        owner = np.repeat([system.frame_of(solid.carrier) for solid in solids], 4)
        lengths = np.array([solid.size[0] for solid in solids])
        frames = np.array([solid.frame for solid in solids])
        frames[:, 1:] = frames[:, :1] + lengths[:, None, None] * frames[:, 1:]
        place = np.concatenate([points.place, frames.reshape(-1, 3)])
        points = Points(np.concatenate([points.owner, owner]), place)
    return Placed(points, library(solids), {id(solid): k for k, solid in enumerate(solids)}, first)


def side_of(handles: Sequence[Shape], at: Placed, ground: int) -> Side:
    """Arrays of primitives and solids, or of bodies as spheres; `ground` is the number of bodies."""
    points = at.points
    bodies = [isinstance(handle, Body) for handle in handles]
    corners = [_rows(h, at, ground) for h in handles]
    width = max(len(rows) for rows in corners)
    rigid = np.array([b or h.rigid for b, h in zip(bodies, handles, strict=True)])  # type: ignore[union-attr]
    table = np.array([rows + (-1,) * (width - len(rows)) for rows in corners], np.int64)
    slots = np.full((len(handles), 1 if rigid.all() else width), ground, np.int64)
    slots[rigid, 0] = points.owner[table[rigid, 0]]
    slots[~rigid] = np.where(table[~rigid] >= 0, points.owner[table[~rigid]], ground)[:, : slots.shape[1]]
    number = np.array([-1 if b else h.index for b, h in zip(bodies, handles, strict=True)], np.int64)
    many = np.array([len(rows) for rows in corners], np.int64)
    radius = np.array([h.radius for h in handles], float)
    solid = np.array([at.number.get(id(h), -1) for h in handles], np.int64)
    extent = np.array([_extent(h) for h in handles], float)
    carrier = np.where(rigid, slots[:, 0], -1)
    return Side(number, table, many, radius, rigid, slots, carrier, solid, extent, carrier)


def _extent(handle: Shape) -> float:
    """How far [m] a shape reaches from its corners, a solid from its centre."""
    if isinstance(handle, Solid):
        return ENDLESS if handle.kind == HALF_SPACE else float(handle.size[0])
    return abs(handle.radius)


def _rows(handle: Shape, at: Placed, ground: int) -> tuple[int, ...]:
    """Rows of the points: first the centres of bodies, as many as the ground's number."""
    if isinstance(handle, Body):
        return (handle.index,)
    if isinstance(handle, Solid):
        first = at.first[id(handle)]
        return tuple(range(first, first + 4))
    return tuple(corner + ground * handle.rigid for corner in handle.corners)


def boxes(points: Floats, side: Side) -> tuple[Floats, Floats]:
    """Lower and upper ends (K, 3) of the boxes around primitives."""
    own = (side.corners >= 0) & (side.solid < 0)[:, None]  # the axes of a solid are within its size
    x = points[np.where(own, side.corners, side.corners[:, :1])]
    r = side.extent[:, None]
    return x.min(axis=1) - r, x.max(axis=1) + r


def smallest(points: Floats, system: System, sides: Sequence[Side]) -> float:
    """Diagonal [m] of the smallest primitive of the `sides` as it is stated; `points` are the places."""
    stated = points.copy()
    stated[: system.count] = [body.position for body in system.model.bodies]
    low, high = (np.concatenate(ends) for ends in zip(*(boxes(stated, s) for s in sides), strict=True))
    extents = np.linalg.norm(high - low, axis=1)
    return float(extents[extents < ENDLESS].min())
