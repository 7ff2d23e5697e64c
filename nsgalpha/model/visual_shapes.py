"""Shapes that are drawn in place of those for contact, and met by nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints, turned
from nsgalpha.checks import direction, positive, refuse, vector
from nsgalpha.model.appearance import RGBA, Colour, rgba
from nsgalpha.model.handles import Body
from nsgalpha.model.mesh_sources import Source, mesh_of
from nsgalpha.model.parts import Part, placed
from nsgalpha.model.primitive_table import polygon_faults


@dataclass(frozen=True, eq=False)
class Visual:
    """A surface, ball or segment that is drawn and met by nothing."""

    carrier: Body | None  # None: fixed in space
    vertices: Floats = field(repr=False)  # (V, 3) [m] in the frame of the carrier
    faces: list[list[int]] = field(repr=False)  # convex polygons; none of a ball or segment
    radius: float = 0.0  # [m] of a ball or segment
    colour: RGBA | None = None  # None: that of the carrier

    def moved(self, position: Floats, rotation: Floats, carrier: Body | None = None) -> Visual:
        """The shape at a place (3,) [m], (4,) in another frame, that of the `carrier`."""
        return replace(self, carrier=carrier, vertices=turned(rotation, self.vertices) + position)


def visual_shape(
    source: Part | Source,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    *,
    scale: float = 1.0,
    colour: Colour | None = None,
) -> Visual:
    """A shape without carrier; see Model.add_visual."""
    place = vector("position", position), direction("rotation", rotation, 4)
    dye = None if colour is None else rgba(colour)
    if isinstance(source, Part):
        bulk, factor = placed(source, np.zeros(3)), positive("scale", scale)
        made = Visual(None, factor * bulk.vertices, bulk.faces, factor * bulk.radius, dye)
    else:
        made = visual_surface(*mesh_of(source, scale), dye)
    return made.moved(*place)


def visual_surface(name: str, x: Floats, triangles: Ints, colour: RGBA | None) -> Visual:
    """The surface of corners `x` (V, 3) [m] and `triangles` (T, 3), but for those without area.

    Raises ValueError, with the `name` of the mesh, if no triangle has an area.
    """
    sound = triangles[polygon_faults(x[triangles]) == 0]
    if not len(sound):
        raise refuse("source", name, "a mesh of triangles with an area")
    return Visual(None, x, sound.tolist(), 0.0, colour)


def dressed(model: Any) -> set[int]:
    """Numbers of the bodies that have visual shapes."""
    return {each.carrier.index for each in model.visuals if each.carrier is not None}
