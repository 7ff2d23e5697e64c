"""Visual shapes of a model as columns of its file.

Rows are shapes, then all their points, faces and corners, one after another. Corners are numbers of the
points of their shape.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from nsgalpha.arrays import Ints
from nsgalpha.checks import refuse
from nsgalpha.io.body_tables import carrier_of
from nsgalpha.io.model_description import carrier_code
from nsgalpha.model.model import Model
from nsgalpha.model.visual_shapes import Visual

OF_SHAPES = ("carrier", "radius", "colour", "end", "face_end")
INTEGERS = ("carrier", "end", "face_end", "corner_end", "corner")
WIDTHS = {"colour": (4,), "place": (3,)}
COLUMNS = (*OF_SHAPES, "place", "corner_end", "corner")


def visual_tables(model: Model) -> dict[str, Any]:
    """Columns of the visual shapes (W,), of their points (P,), faces (F,) and corners (C,).

    end, face_end: points and faces up to and with each shape; corner_end: corners up to and with each face.
    carrier: as of primitives. colour (W, 4): nan where none is stated.
    """
    shapes = model.visuals
    faces = [face for each in shapes for face in each.faces]
    none = (np.nan,) * 4
    return {
        "carrier": np.array([carrier_code(each.carrier) for each in shapes], np.int64),
        "radius": np.array([each.radius for each in shapes], float),
        "colour": np.reshape([none if each.colour is None else each.colour for each in shapes], (-1, 4)),
        "end": np.cumsum([len(each.vertices) for each in shapes], dtype=np.int64),
        "face_end": np.cumsum([len(each.faces) for each in shapes], dtype=np.int64),
        "place": np.concatenate([np.zeros((0, 3)), *(each.vertices for each in shapes)]),
        "corner_end": np.cumsum([len(face) for face in faces], dtype=np.int64),
        "corner": np.array([corner for face in faces for corner in face], np.int64),
    }


def add_visuals(model: Model, tables: dict[str, Any]) -> None:
    """Add the visual shapes of `tables` to a model. Raises ValueError that names the column or the shape."""
    count = len(tables["carrier"])
    for name in COLUMNS:
        found, kind = tables[name], "i" if name in INTEGERS else "f"
        if found.dtype.kind != kind or found.shape[1:] != WIDTHS.get(name, ()) or not found.ndim:
            raise refuse(f"visuals/{name}", f"{found.dtype} {found.shape}", "rows of another kind")
        if name in OF_SHAPES and len(found) != count:
            raise refuse(f"visuals/{name}", len(found), f"a row for each of {count} shapes")
    points = _parts(tables, "end", "place")
    faces, corners = _parts(tables, "face_end", "corner_end"), _parts(tables, "corner_end", "corner")
    for k in range(count):
        code = int(tables["carrier"][k])
        if not 0 <= code <= len(model.bodies):
            raise refuse(f"visuals/carrier[{k}]", code, f"in [0, {len(model.bodies)}]")
        x = tables["place"][slice(*points[k])].astype(float)
        rows = [tables["corner"][slice(*each)] for each in corners[slice(*faces[k])]]
        if not len(x) or not np.isfinite(x).all() or not all(_is_sound(row, len(x)) for row in rows):
            raise refuse(f"visuals[{k}]", "other values", "finite points, and faces of three or more of them")
        colour, radius = tables["colour"][k].tolist(), float(tables["radius"][k])
        stated = not np.isnan(colour).any()
        if not (0.0 <= radius < np.inf and (not stated or all(0.0 <= each <= 1.0 for each in colour))):
            raise refuse(f"visuals[{k}]", [radius, *colour], "a radius >= 0, and a colour in [0, 1]")
        on = carrier_of(model, code)
        faces_of = [row.tolist() for row in rows]
        model.visuals.append(Visual(on, x, faces_of, radius, tuple(colour) if stated else None))


def _is_sound(row: Ints, count: int) -> bool:
    """True if `row` has corners of a face among `count` points."""
    return len(row) > 2 and row.min() >= 0 and bool(row.max() < count)


def _parts(tables: dict[str, Any], name: str, rows: str) -> list[tuple[int, int]]:
    """First and last + 1 of the parts of another column's rows."""
    starts, count = np.concatenate([[0], tables[name]]), len(tables[rows])
    if (np.diff(starts) < 0).any() or starts[-1] != count:
        raise refuse(f"visuals/{name}", int(starts[-1]), f"increasing, up to {count}")
    return [*pairwise(starts.tolist())]
