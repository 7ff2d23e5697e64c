"""Descriptions of format 1, in which things were recorded by their attributes and the names of their classes.

    {"object": "elements.sphere_sphere:SphereSphere", "state": {...}}
    {"record": "module:NamedTuple", "items": [...]}
    {"function": "elements.geometry.sphere_geometry:measure_sphere_sphere"}  {"tuple": [...]}  {"list": [...]}
    {"bodies": [0, 1], "kind": "list"}  {"array": ...}  {"float": "inf"}  {"missing": "..."}

What occurs more than once has an "id" where it comes first and is {"same": id} afterwards. No name is
imported: an object is made by what the catalogues of the installed packages have for it in their table
`format_1`, which gets the attributes; functions, methods and what else was of a user's own are missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.io.file_vocabulary import maker_1, word_of
from nsgalpha.io.model_description import DEEPEST, HANDLES
from nsgalpha.io.model_reader import FLOATS, Reader, StoredModel, array_of, assembled, of_table, placed
from nsgalpha.model.constructor_record import Missing, statement_of

SCRIPTS = ("partial", "method", "model", "dict", "set")  # parts of loads and motions of a user
PARTS = ("gravity", "planes", "primitives", "carriers", "places", "loads", "elements")


class Named(Missing):
    """A function of which a file of format 1 has the `name`; it is found in tables, and never called."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the function {name}")
        self.name = name


def model_of_1(data: Any, names: list[str], bodies: dict[str, Any]) -> StoredModel:
    """The model of a description of format 1; errors as for `reading.model_of`."""
    of_table(data, dict.fromkeys(PARTS, list), "description")
    reader = Reader1()
    planes = [_plane(reader, plane, f"planes[{k}]") for k, plane in enumerate(data["planes"])]
    tables = _primitives(reader, data)
    return assembled({**data, "planes": planes}, reader, names, bodies, tables)


def missing_1(data: Any, depth: int = 0) -> list[str]:
    """The things that a description of format 1 lacks, in words: functions but for geometries of tables."""
    if isinstance(data, list) and depth < DEEPEST:
        return [text for value in data for text in missing_1(value, depth + 1)]
    if not isinstance(data, dict) or depth >= DEEPEST:  # which reading refuses
        return []
    for kind in ("missing", "function"):
        if isinstance(data.get(kind), str):
            return [data[kind] if kind == "missing" else f"the function {data[kind]}"]
    if set(data) & set(SCRIPTS):
        return [f"a {min(set(data) & set(SCRIPTS))} of a script"]
    values = (value for name, value in data.items() if name != "geometry")
    return [text for value in values for text in missing_1(value, depth + 1)]


class Reader1(Reader):
    """Makes values from descriptions of format 1."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def record(self, data: Any, kinds: Any, place: str, depth: int = 0) -> Any:
        """The thing that stands for a load, an element, a motion or a scheme."""
        thing = self.read(data, place, depth)
        stated = None if isinstance(thing, Missing) else statement_of(thing)
        named = None if stated is None else word_of(stated.maker)
        allowed = {*kinds, "parts"} if "elements" in kinds else {*kinds}
        if not isinstance(thing, Missing) and (named is None or not allowed & set(named.kinds)):
            raise refuse(place, type(thing).__name__, f"one of the {', '.join(kinds)}")
        return thing

    def read(self, data: Any, place: str, depth: int = 0) -> Any:
        """The value that `data` describes."""
        if depth > DEEPEST:
            raise refuse(place, f"depth {depth}", f"at most {DEEPEST} deep")
        if not isinstance(data, dict):
            return data
        if "same" in data:
            if type(data["same"]) is not int or data["same"] not in self._known:
                raise refuse(f"{place}.same", data["same"], "the id of something before")
            return self._known[data["same"]]
        value = self._read({key: each for key, each in data.items() if key != "id"}, place, depth + 1)
        if type(data.get("id")) is int:
            self._known[data["id"]] = value
        return value

    def _read(self, data: dict[str, Any], place: str, depth: int) -> Any:
        kind = next(iter(data), "")
        content = data.get(kind)
        if kind in HANDLES:
            return self.handle(kind, content, place)
        if kind == "bodies" and isinstance(content, list):
            return [self.handle("body", index, place) for index in content]
        if kind == "array":
            return array_of(data, place)
        if kind == "float" and content in FLOATS:
            return float(content)
        if kind in ("list", "tuple") and isinstance(content, list):
            items = [self.read(each, f"{place}[{k}]", depth) for k, each in enumerate(content)]
            return items if kind == "list" else tuple(items)
        if kind == "missing" and isinstance(content, str):
            return Missing(content)
        if kind == "function" and isinstance(content, str):
            return Named(content)
        if kind in SCRIPTS:
            return Missing(f"a {kind} of a script")
        if kind in ("object", "record"):
            return self._object(data, content, place, depth)
        raise refuse(place, sorted(map(str, data)), "one of the forms of format 1")

    def _object(self, data: dict[str, Any], name: Any, place: str, depth: int) -> Any:
        state = data.get("state") if "object" in data else {}
        if not isinstance(state, dict):
            raise refuse(f"{place}.state", type(state).__name__, "a table")
        try:
            maker = maker_1(name)
            attributes = {key: self.read(each, f"{place}.{key}", depth) for key, each in state.items()}
            if "_at" in attributes:  # numbers of bodies
                attributes["_at"] = [self.handle("body", int(k), place) for k in attributes["_at"]]
            return maker(**attributes)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise placed(error, place, str(name)) from None


def _plane(reader: Reader1, data: Any, place: str) -> dict[str, Any]:
    """A plane as in the present format; its motion stays as it is described."""
    if not isinstance(data, dict) or not {"name", "normal", "offset", "body", "motion"} <= set(data):
        raise refuse(place, type(data).__name__, "the table of a plane")
    body = data["body"]
    if not (body is None or (isinstance(body, dict) and type(body.get("body")) is int)):
        raise refuse(f"{place}.body", body, "a body or null")
    normal = np.ravel(reader.read(data["normal"], f"{place}.normal")).tolist()
    kept = {name: data[name] for name in ("name", "offset", "motion")}
    return {**kept, "normal": normal, "body": body and body["body"]}


def _primitives(reader: Reader1, data: dict[str, Any]) -> dict[str, Any]:
    """The tables of description.primitive_tables."""
    rows = data["primitives"]
    for k, row in enumerate(rows):
        if not isinstance(row, dict) or not {"name", "corners", "radius", "rigid", "carrier"} <= set(row):
            raise refuse(f"primitives[{k}]", type(row).__name__, "the table of a primitive")
    try:
        corners = [[int(c) for c in reader.read(row["corners"], "corners")] for row in rows]
        return {
            "name": [str(row["name"]) for row in rows],
            "radius": np.array([reader.read(row["radius"], "radius") for row in rows], float),
            "rigid": np.array([row["rigid"] is True for row in rows], bool),
            "carrier": np.array([_carrier(row["carrier"]) for row in rows], np.int64),
            "end": np.cumsum([len(each) for each in corners], dtype=np.int64),
            "corner": np.array([c for each in corners for c in each], np.int64),
            "place": np.reshape(np.array(data["places"], float), (-1, 3)),
            "place_carrier": np.array([_carrier(each) for each in data["carriers"]], np.int64),
        }
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"primitives: {' '.join(str(error).split())}") from None


def _carrier(data: Any) -> int:
    """The number of a carrier in the present format."""
    if data is None:
        return 0
    body, plane = (data.get(kind) if isinstance(data, dict) else None for kind in ("body", "plane"))
    if type(body) is int:
        return body + 1
    if type(plane) is int:
        return -plane - 1
    raise refuse("carrier", data, "a body, a plane or nothing")
