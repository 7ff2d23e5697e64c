"""The periodic cell of a model: its content repeats after every period.

    Model(periodic=(0.2, 0.1, None))        periods of 0.2 m along x and 0.1 m along y; z has none

Bodies meet the nearest image of one another (nsgalpha/geometry/nearest_images.py). That is the only one that
they can touch if a period is at least three times the largest distance of two touching centres. Nor does
another image replace it within a step: a body would have to move further than its radius.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, no_cell, turned
from nsgalpha.checks import listed, positive, refuse
from nsgalpha.model.cell_motion import CellMotion, Periods, WithCell, period_vectors

ALONG = 1e-12  # component of a unit normal that is none
ALLOWED = "three periods [m], each positive or None, such as (0.2, 0.1, None)"


def stated_periods(value: Any) -> Periods | None:
    """The argument `periodic` as three periods [m], None where absent; None without any.

    Raises ValueError for other values.
    """
    if value is None:
        return None
    given = listed("periodic", value, ALLOWED)
    if len(given) != 3:
        raise refuse("periodic", value, ALLOWED)
    x, y, z = (_period(f"periodic[{i}]", each) for i, each in enumerate(given))
    return None if x is None and y is None and z is None else (x, y, z)


def _period(name: str, value: Any) -> float | None:
    """One period [m]; an infinite one is none."""
    if value is None or (isinstance(value, float) and value == np.inf):
        return None
    return positive(name, value, "give the period in metres, or None for a direction without one")


def cell_of(periods: Periods | None, motion: CellMotion | None = None) -> Floats:
    """The cell for the kernels, see `Scene`; (0, 3) if there are no `periods`."""
    if periods is None:
        return no_cell()
    length = np.array([each or 0.0 for each in periods])
    with np.errstate(divide="ignore"):
        rows = [length, np.where(length > 0.0, 1.0 / length, 0.0)]
    return np.array(rows if motion is None else [*rows, np.full(3, float(motion.axes[1]))])


def placed_cell(cell: Floats, x: Floats) -> Floats:
    """The `cell` at one time: periods, and ways to the next images, which end `x` (B, 3)."""
    if len(cell) < 3:
        return cell
    length = x[-3:].diagonal()
    with np.errstate(divide="ignore"):
        inverse = np.where(length > 0.0, 1.0 / length, 0.0)
    return np.vstack([length, inverse, cell[2], x[-3:]])


def cell_at(model: WithCell, t: float) -> Floats:
    """`placed_cell` of a `model` at the time `t` [s]; ValueError if its periods are those of a run."""
    return placed_cell(cell_of(model.periodic, model.cell_motion), period_vectors(model, t)[0])


def periods_between(d: Floats, cell: Floats) -> Floats:
    """Numbers (..., 3) of periods by which differences `d` (..., 3) exceed those to nearest images.

    `cell` is a placed one.
    """
    if len(cell) < 3:
        return np.rint(d * cell[1])
    gradient, vectors, inverse = int(cell[2, 0]), cell[3:], cell[1]
    n = np.zeros(np.shape(d))
    n[..., gradient] = np.rint(d[..., gradient] * inverse[gradient])
    rest = d - n @ vectors
    for i in range(3):
        if i != gradient:
            n[..., i] = np.rint(rest[..., i] * inverse[i])
    return n


def images_of(cell: Floats, x: Floats, near: float) -> Floats:
    """Images of a `cell` that moves for lists of pairs up to `near` [m] apart, (4, 3); else (0, 3).

    They are the ways to the next images, which end `x` (B, 3), the axis of the gradient and `near`.
    """
    return np.vstack([x[-3:], [cell[2, 0], near, 0.0]]) if len(cell) > 2 else np.empty((0, 3))


def stray_velocities(cell: Floats, x: Floats, v: Floats) -> Floats:
    """Velocities `v` (B, 3) about the mean field of a `cell` that moves, whose images end `x` and `v`."""
    return v - mean_field(x, x[-3:], v[-3:]) if len(cell) > 2 else v


def mean_field(x: Floats, vectors: Floats, rates: Floats) -> Floats:
    """Velocities (..., 3) at the places `x` (..., 3) in a field that moves every image as its cell.

    It is 0 at the origin. vectors, rates (..., 3, 3): see `period_vectors`.
    """
    periodic = np.einsum("...ii->...i", vectors) > 0.0
    filled = vectors + np.eye(3) * ~periodic[..., None]
    return np.einsum("...i,...ij,...jk->...k", x, np.linalg.inv(filled), rates)


def nearest_images(d: Floats, cell: Floats) -> Floats:
    """Differences `d` (..., 3) of places to the nearest images in a placed `cell`; as they are in none."""
    if len(cell) > 2:
        return d - periods_between(d, cell) @ cell[3:]
    return d - cell[0] * periods_between(d, cell) if len(cell) else d


def ways_around(cell: Floats) -> Floats:
    """Ways (n, 3) [m] to all cells around a placed `cell`.

    The last half of them is opposite to the first, in reversed order. A sheared cell has those that are least
    askew: places in it are nearest to images on these ways.
    """
    vectors = np.diag(cell[0]) if len(cell) < 3 else cell[3:].copy()
    if len(cell) > 2:
        gradient = int(cell[2, 0])
        off = np.where(np.arange(3) == gradient, 0.0, vectors[gradient])
        vectors[gradient] -= cell[0] * np.rint(off * cell[1])
    counts = np.array([*product(*((-1.0, 0.0, 1.0) if L > 0.0 else (0.0,) for L in cell[0]))])
    return counts[counts.any(axis=1)] @ vectors


def wrapped(x: Floats, cell: Floats) -> Floats:
    """Places `x` (..., 3) [m] in a placed `cell`: in [0, L) along periodic directions."""
    x = np.array(x, float)
    if not len(cell):
        return x
    order = [0, 1, 2]
    if len(cell) > 2:
        gradient = int(cell[2, 0])
        order.remove(gradient)
        order.insert(0, gradient)  # first: it shifts the place along the flow
        n = np.floor(x[..., gradient] / cell[0, gradient])
        x[..., order[1:]] -= n[..., None] * cell[3 + gradient, order[1:]]
    for i in order:
        if (period := cell[0, i]) > 0.0:
            at = x[..., i] - period * np.floor(x[..., i] / period)
            x[..., i] = np.where((at >= 0.0) & (at < period), at, 0.0)
    return x


def wrapped_at(model: WithCell, x: Floats, t: Floats | float) -> Floats:
    """`wrapped` places `x` in the cell of a `model` at `t` [s].

    That is one time, or there is one for each row of `x`.
    """
    if np.ndim(t) == 0 or model.cell_motion is None:
        cell = cell_of(model.periodic) if model.cell_motion is None else cell_at(model, float(t))
        return wrapped(x, cell)
    each = zip(x, np.asarray(t).tolist(), strict=True)
    return np.array([wrapped(places, cell_at(model, time)) for places, time in each])


def same_in_all_periods(periods: Periods | None, name: str, normal: Floats, rows: Floats) -> tuple[int, str]:
    """Rows of a plane's motion (n, 13) up to the first that differs between periods.

    `normal` is in its frame. A plane may move along a period, but not turn: far points would move faster. A
    text says why, if it does.
    """
    if periods is None:
        return len(rows), ""
    along = [each is not None for each in periods]
    across = (np.abs(turned(rows[:, 3:7], normal)[:, along]) > ALONG).any(axis=1)
    wrong = np.flatnonzero(across | rows[:, 10:].any(axis=1))
    if not len(wrong):
        return len(rows), ""
    return int(wrong[0]), (
        f"periodic: the motion of {name!r} turns it: must keep its normal across the periodic directions, "
        "without angular velocity; move it without turning, or leave the cell out"
    )
