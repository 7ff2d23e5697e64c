"""Description of a model as plain data, besides the tables of bodies and primitives.

    {"body": 3}  {"plane": 0}  {"primitive": 2}  {"joint": 1}  {"surface": 0}
    {"bodies": [0, 1]}  {"planes": [...]}  {"primitives": [...]}  {"joints": [...]}
    {"array": [...], "dtype": "float64", "shape": [2, 3]}    {"float": "inf"}
    {"record": "SphereSphere", "version": 1, "arguments": {"among": {"bodies": [0, 1]}, "mu": 0.3}}
    {"missing": "the function pull of a script"}

Numbers, texts, None and lists stand for themselves. A record is the constructor call of a thing
(nsgalpha/model/constructor_record.py) with a word of file_vocabulary.py. Things without one are missing.
model_reader.py makes the model again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.io.file_vocabulary import word_of
from nsgalpha.model.constructor_record import Missing, constructor_call
from nsgalpha.model.handles import Body, JointHandle, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.switched_elements import Switched
from nsgalpha.model.triangulated_surface import Surface

HANDLES: dict[str, type] = {
    "body": Body,
    "plane": Plane,
    "primitive": Primitive,
    "joint": JointHandle,
    "surface": Surface,
}
LISTS = {"bodies": Body, "planes": Plane, "primitives": Primitive, "joints": JointHandle, "surfaces": Surface}
DEEPEST = 64  # records, tables and lists within one another
COLUMNS = ("radius", "mass", "inertia", "position", "velocity", "angular_velocity", "rotation", "turns")


def describe(model: Model) -> dict[str, Any]:
    """`model` but for its bodies and primitives, as plain data."""
    boundaries = [plain(boundary) for boundary in model.open_boundaries]
    return {
        "gravity": model.gravity.tolist(),
        "planes": [
            {
                "name": plane.name,
                "normal": plane.normal.tolist(),
                "offset": plane.offset,
                "body": None if plane.body is None else plane.body.index,
                "motion": plain(plane.motion),
            }
            for plane in model.planes
        ],
        "loads": [plain(load) for load in model.loads],
        "elements": [plain(element) for element in model.elements],
        **({"switches": _switches(model)} if _are_switched(model) else {}),
        **({"standing": standing} if (standing := _standing(model)) else {}),
        **({"surfaces": [_surface(surface) for surface in model.surfaces]} if model.surfaces else {}),
        **({"joints": [_record(joint) for joint in model.joints]} if model.joints else {}),
        **(
            {"periodic": [0.0 if each is None else each for each in model.periodic]} if model.periodic else {}
        ),
        **({"cell_motion": [plain(model.cell_motion)]} if model.cell_motion is not None else {}),
        **({"open_boundaries": boundaries} if boundaries else {}),
        **({"drives": [plain(drive) for drive in model.drives]} if model.drives else {}),
        **({"appearances": _appearances(model)} if model.appearances else {}),
    }


def _standing(model: Model) -> list[dict[str, Any]]:
    """Bodies that are fixed or have their own gravity."""
    return [
        {
            "body": body.index,
            "fixed": body.fixed,
            "gravity": [] if body.gravity is None else body.gravity.tolist(),
        }
        for body in model.bodies
        if body.fixed or body.gravity is not None
    ]


def _are_switched(model: Model) -> bool:
    """True if an element has a name or does not always act."""
    acting = (each.active is True for each in model.elements if isinstance(each, Switched))
    return bool(model.labels) or not all(acting)


def _switches(model: Model) -> list[dict[str, Any]]:
    """Names of the elements, and when they act."""
    return [
        {"name": model.labels.get(k), "active": plain(each.active) if isinstance(each, Switched) else True}
        for k, each in enumerate(model.elements)
    ]


def _appearances(model: Model) -> list[dict[str, Any]]:
    """Colour and visibility of elements and joints, where they were stated."""
    return [
        {"of": kind, "number": number, "colour": each.colour and list(each.colour), "show": each.show}
        for kind, known in (("elements", model.appearances.elements), ("joints", model.appearances.joints))
        for number, each in known.items()
    ]


def _surface(surface: Surface) -> dict[str, Any]:
    """How `surface` was stated."""
    return {
        "name": surface.name,
        "nodes": surface.bodies.tolist(),
        "triangles": surface.triangles.tolist(),
        "thickness": None if surface.thickness is None else surface.thickness.tolist(),
    }


def body_tables(model: Model) -> dict[str, Any]:
    """Columns of the bodies (N, ...): everything but their names."""
    return {name: np.array([getattr(body, name) for body in model.bodies]) for name in COLUMNS}


def primitive_tables(model: Model) -> dict[str, Any]:
    """Columns of the primitives (P,), all corners one after another, and the points of rigid ones.

    end: corners up to and with each primitive. carrier: 0 space, k + 1 body k, -k - 1 plane k.
    """
    shapes = model.shapes
    columns: dict[str, Floats | Ints] = {
        "radius": np.array([each.radius for each in shapes.primitives], float),
        "rigid": np.array([each.rigid for each in shapes.primitives], bool),
        "carrier": np.array([carrier_code(each.carrier) for each in shapes.primitives], np.int64),
        "end": np.cumsum([len(each.corners) for each in shapes.primitives], dtype=np.int64),
        "corner": np.array([row for each in shapes.primitives for row in each.corners], np.int64),
        "place": np.reshape(shapes.places, (-1, 3)),
        "place_carrier": np.array([carrier_code(each) for each in shapes.carriers], np.int64),
    }
    return columns


def carrier_code(carrier: Body | Plane | None) -> int:
    """Number of a carrier in files, see primitive_tables."""
    if carrier is None:
        return 0
    return carrier.index + 1 if isinstance(carrier, Body) else -carrier.index - 1


def plain(value: Any) -> Any:
    """`value` as plain data; contents that no file can hold are missing."""
    if isinstance(value, np.generic):  # a float of another precision calculates differently
        exact = value.dtype == np.float64 or value.dtype.kind in "biuU"
        value = value.item() if exact else np.array(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    for name, kind in HANDLES.items():
        if isinstance(value, kind):
            return {name: int(value)}  # type: ignore[call-overload]
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiub" or value.dtype.itemsize > 8:
            return {"missing": f"an array of {value.dtype}"}
        return {"array": value.ravel().tolist(), "dtype": value.dtype.name, "shape": list(value.shape)}
    if isinstance(value, list | tuple):
        return _listed(value)
    return _record(value)


def _listed(values: list[Any] | tuple[Any, ...]) -> Any:
    for name, kind in LISTS.items():
        if values and all(isinstance(each, kind) for each in values):
            return {name: [int(each) for each in values]}
    return [plain(each) for each in values]


def _record(thing: Any) -> dict[str, Any]:
    """How `thing` was stated."""
    stated = constructor_call(thing)
    named = None if stated is None else word_of(stated.maker)
    if stated is None or named is None:
        return {"missing": _text(thing)}
    arguments = {name: plain(value) for name, value in stated.arguments.items()}
    return {"record": named.name, "version": named.version, "arguments": arguments}


def _text(thing: Any) -> str:
    """The missing things, in words."""
    if isinstance(thing, Missing):
        return thing.text
    name = getattr(thing, "__qualname__", None)
    if isinstance(name, str) and not isinstance(thing, type):
        return f"the function {name} of a script"
    return f"an object of the class {type(thing).__qualname__}, which no installed package offers to files"


def missing(data: Any, depth: int = 0) -> list[str]:
    """The things that a description lacks, in words."""
    if depth > DEEPEST:  # which reading refuses
        return []
    if isinstance(data, dict):
        if list(data) == ["missing"] and isinstance(data["missing"], str):
            return [data["missing"]]
        return [text for value in data.values() for text in missing(value, depth + 1)]
    return [text for value in data for text in missing(value, depth + 1)] if isinstance(data, list) else []
