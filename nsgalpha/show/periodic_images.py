"""Periodic images: bodies of a cell drawn within it, and its outline.

In a cell that is sheared images slide along its faces, and the edges stay. A cell whose periods change has no
edges; under target stresses bodies are shown where they are placed. So are those that joints, ropes, springs
or meshes tie to others, so that nothing is drawn across the cell.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.model.appearance import Rod
from nsgalpha.model.handles import Body
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import wrapped_at
from nsgalpha.show.joint_shapes import ROD, SceneBuilder, joints_of, strings_of

CELL = "periodic cell"


def shown_places(model: Model, x: Floats, t: Floats | float) -> Floats:
    """Positions `x` (..., N, 3) [m] of the bodies as they are shown at the time or times `t` [s]."""
    if model.periodic is None:
        return x
    placed = tied(model)
    return x if placed.all() else np.where(placed[:, None], x, wrapped_at(model, x, t))


def shown_path(model: Model, body: Body, x: Floats, t: Floats) -> Floats:
    """The way (m, 3) [m] of one `body` through the places `x` (n, 3), with NaN where it leaves the cell.

    It is there at the times `t` (n,) [s].
    """
    x = np.asarray(x)
    if model.periodic is None or tied(model)[body.index]:
        return x
    inside = wrapped_at(model, x, t)
    moved = inside if model.cell_motion is not None else np.round((x - inside) / _lengths(model))
    least = 0.5 * _lengths(model) if model.cell_motion is not None else 0.5
    crossed = np.flatnonzero((np.abs(np.diff(moved, axis=0)) > least).any(1))
    return np.insert(inside, crossed + 1, np.nan, axis=0)


def shifts_of(model: Model, body: Ints, x: Floats, t: float) -> Floats:
    """Ways (K, 3) [m] from centres `x` (K, 3) of bodies, by numbers, to where they are shown at `t` [s]."""
    if model.periodic is None:
        return np.zeros_like(x)
    placed = tied(model)[body]
    return np.zeros_like(x) if placed.all() else np.where(placed[:, None], 0.0, wrapped_at(model, x, t) - x)


def tied(model: Model) -> Flags:
    """True (N,) for bodies that something is drawn between; all under a target stress."""
    if model.cell_motion is not None and model.cell_motion.is_controlled:
        return np.ones(len(model.bodies), bool)
    found = np.zeros(len(model.bodies), bool)
    drawn: list[Any] = [*joints_of(model), *(each for each in model.elements if isinstance(each, Rod))]
    ends = [each.carriers for each in drawn]
    ends += [[carrier for carrier, _ in pair] for element in strings_of(model) for pair in element.ends()]
    found[[each.index for pair in ends for each in pair if isinstance(each, Body)]] = True
    for primitive in model.primitives:
        if not primitive.rigid:
            found[list(primitive.corners)] = True
    for surface in model.surfaces:
        found[surface.bodies] = True
    return found


def add_cell(
    model: Model, build: SceneBuilder, box: tuple[Floats, Floats], size: Callable[[], float]
) -> None:
    """Add the edges of the periodic cell, bounded by the `box`, to a scene."""
    if model.periodic is None or (model.cell_motion is not None and model.cell_motion.strained):
        return
    low = [box[0][i] if each is None else 0.0 for i, each in enumerate(model.periodic)]
    high = [box[1][i] if each is None else each for i, each in enumerate(model.periodic)]
    corners = list(product((0, 1), repeat=3))
    build.begin(CELL, "cell")
    ground = build.mover(None)
    points = [build.point(ground, np.where(corner, high, low)) for corner in corners]
    radius = 0.25 * ROD * size()
    for i, j in combinations(range(8), 2):
        if np.abs(np.subtract(corners[i], corners[j])).sum() == 1:
            build.rod(points[i], points[j], radius)


def _lengths(model: Model) -> Floats:
    """The periods (3,) [m], 1 without, infinite ones of a cell that moves."""
    none = 1.0 if model.cell_motion is None else np.inf
    return np.array([each or none for each in model.periodic or (None,) * 3])
