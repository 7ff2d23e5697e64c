"""The sides of an element of primitives as arrays, and the points in which they have their corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, Motion
from nsgalpha.compiled import entry
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.primitives import Measured, Points
from nsgalpha.stepping.rotation import to_inertial


@entry
def _place(owner, place, x, q, out):
    """Inertial coordinates `out` (P, 3) of points that are fixed in frames."""
    for k in range(owner.shape[0]):
        to_inertial(q[owner[k]], place[k], out[k])
        for i in range(3):
            out[k, i] += x[owner[k], i]


def coordinates(points: Points, motion: Motion) -> Floats:
    """Inertial coordinates (P, 3) of the points [m]."""
    out = np.empty_like(points.place)
    _place(points.owner, points.place, motion.x, motion.q, out)
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


def side_of(handles: Sequence[Body | Primitive], points: Points, ground: int) -> Side:
    """Arrays of the primitives, or of bodies as spheres; `ground` is the number of bodies."""
    bodies = [isinstance(handle, Body) for handle in handles]
    corners = [(h.index,) if isinstance(h, Body) else _rows(h, ground) for h in handles]
    width = max(len(rows) for rows in corners)
    rigid = np.array([b or h.rigid for b, h in zip(bodies, handles, strict=True)])  # type: ignore[union-attr]
    table = np.array([rows + (-1,) * (width - len(rows)) for rows in corners], np.int64)
    slots = np.full((len(handles), 1 if rigid.all() else width), ground, np.int64)
    slots[rigid, 0] = points.owner[table[rigid, 0]]
    slots[~rigid] = np.where(table[~rigid] >= 0, points.owner[table[~rigid]], ground)[:, : slots.shape[1]]
    return Side(
        np.array([-1 if b else h.index for b, h in zip(bodies, handles, strict=True)], np.int64),
        table,
        np.array([len(rows) for rows in corners], np.int64),
        np.array([h.radius for h in handles], float),
        rigid,
        slots,
        np.where(rigid, slots[:, 0], -1),
    )


def _rows(primitive: Primitive, ground: int) -> tuple[int, ...]:
    """Rows of the points: centres of the bodies, as many as the number of the ground, come first."""
    return tuple(corner + ground * primitive.rigid for corner in primitive.corners)


def boxes(points: Floats, side: Side) -> tuple[Floats, Floats]:
    """Lower and upper ends (K, 3) of the boxes around primitives."""
    x = points[np.where(side.corners >= 0, side.corners, side.corners[:, :1])]
    r = np.abs(side.radius)[:, None]
    return x.min(axis=1) - r, x.max(axis=1) + r


def crossings(XA: Floats, XB: Floats, measured: Measured) -> Floats:
    """(t_A . t_B)(t_A x t_B) . n (C,) of the unit axes of segments with the ends `XA`, `XB` (C, 2, 3).

    0 where one has no length, or is touched at an end; and for shapes without an axis.
    """
    crossing = np.zeros(len(XA))
    if XA.shape[1] != 2 or XB.shape[1] != 2:
        return crossing
    a, b = XA[:, 1] - XA[:, 0], XB[:, 1] - XB[:, 0]
    squares = (a * a).sum(axis=1) * (b * b).sum(axis=1)
    hulls = (measured.weight_a > 0.0).all(axis=1) & (measured.weight_b > 0.0).all(axis=1) & (squares > 0.0)
    both = (a * b).sum(axis=1) * (np.cross(a, b) * measured.normal).sum(axis=1)
    np.divide(both, squares, out=crossing, where=hulls)
    return crossing
