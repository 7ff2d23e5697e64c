"""Reconstruction of a model from its description, by public constructors with their checks.

For any content of a file, nothing else is called. Each refusal is a ValueError that begins with the place,
such as `elements[3].normal: Hertz: modulus = -1: must be positive and finite`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.checks import choice, integer, refuse
from nsgalpha.io.body_tables import add_bodies, add_primitives
from nsgalpha.io.file_vocabulary import KINDS, word
from nsgalpha.io.model_description import DEEPEST, HANDLES, LISTS
from nsgalpha.io.open_file import refusing
from nsgalpha.model.appearance import USUAL, Appearance, stated_appearance
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.model import Model
from nsgalpha.model.switched_elements import Switched, When

MOST_TEXT = 2**25  # bytes of a description
NUMBERS = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
DTYPES = (*NUMBERS, "float16", "float32", "float64")
LARGEST = 2**1000  # integer that is converted to a float
ACTING = ("loads", "elements", "joints", "drives")
#: Contents that the first files do not have.
LATER = ("surfaces", "switches", "standing", "open_boundaries", "periodic", "cell_motion", "appearances")
FLOATS = ("inf", "-inf", "nan")


def parsed(text: str, place: str) -> Any:
    """The data of a JSON text; ValueError if it is damaged, or too long or deep."""
    if len(text) > MOST_TEXT:
        raise refuse(f"{place}, length", len(text), f"at most {MOST_TEXT} characters")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(f"{place}: lists in lists are deeper than {DEEPEST}") from None
    except ValueError as error:
        raise ValueError(f"{place}: is no JSON text ({error})") from None


def model_of(data: Any, names: list[str], bodies: dict[str, Any], primitives: dict[str, Any]) -> StoredModel:
    """The model of a description and the tables of its bodies and primitives.

    Raises ValueError for data that the public functions of `Model` would refuse, or names that are not
    installed: for elements and loads when they are asked for.
    """
    keys = dict.fromkeys(("gravity", "planes", *ACTING, *LATER), list)
    if isinstance(data, dict):
        for name in ("joints", "drives", *LATER):
            data.setdefault(name, [])  # which files of models without any do not have
    for name, each in of_table(data, keys, "description").items():
        if name != "gravity" and len(each) > MOST_TEXT // 2:
            raise refuse(name, len(each), "a list that fits into its text")
    reader = Reader()
    acting = {name: data[name] for name in ACTING}
    switches = [_switch(each, f"switches[{k}]", reader) for k, each in enumerate(data["switches"])]
    if switches and len(switches) != len(acting["elements"]):
        raise refuse("switches", len(switches), f"as many as the {len(acting['elements'])} elements")
    looks = dict(_appearance(each, f"appearances[{k}]", acting) for k, each in enumerate(data["appearances"]))
    periods = [None if each == 0.0 else each for each in data["periodic"]] or None
    moving = [reader.record(each, ("parts",), "cell_motion") for each in data["cell_motion"]]
    if len(moving) > 1:
        raise refuse("cell_motion", len(moving), "one motion or none")
    cell = periods, moving[0] if moving else None
    model = reader.model = StoredModel(data["gravity"], cell, reader, acting, switches, looks)
    add_bodies(model, names, bodies, data["standing"])
    for k, plane in enumerate(data["planes"]):
        _add_plane(model, reader, plane, f"planes[{k}]")
    add_primitives(model, primitives)
    for k, surface in enumerate(data["surfaces"]):
        _add_surface(model, surface, f"surfaces[{k}]")
    for k, boundary in enumerate(data["open_boundaries"]):
        _add_boundary(model, reader, boundary, f"open_boundaries[{k}]")
    return model


def value_of(data: Any, model: Model, kinds: Iterable[str], place: str) -> Any:
    """The record of one of the `kinds` in `data`, such as a scheme, that names bodies of `model`."""
    reader = Reader()
    reader.model = model
    return reader.record(data, tuple(kinds), place)


def of_table(data: Any, keys: Mapping[str, type], place: str) -> dict[str, Any]:
    """`data` as a table with exactly these keys and types. Raises ValueError otherwise."""
    if not isinstance(data, dict) or set(data) != set(keys):
        found = sorted(data) if isinstance(data, dict) else type(data).__name__
        raise refuse(place, found, f"a table with the keys {', '.join(keys)}")
    for name, kind in keys.items():
        allowed = int | float if kind is float else kind
        if not isinstance(data[name], allowed) or (kind in (int, float) and isinstance(data[name], bool)):
            raise refuse(f"{place}.{name}", type(data[name]).__name__, kind.__name__)
        if kind is float and isinstance(data[name], int) and abs(data[name]) > LARGEST:
            raise refuse(f"{place}.{name}", "an integer of many digits", "a number")
    return data


class Switch(NamedTuple):
    """The name of an element, and when it acts."""

    name: str | None
    active: When


class StoredModel(Model):
    """A model from a file; loads and elements, which need the solver, follow on demand."""

    source = ""  # path of the file, for errors

    def __init__(
        self,
        gravity: Any,
        cell: tuple[Any, Any],
        reader: Reader,
        acting: dict[str, list[Any]],
        switches: list[Switch],
        looks: dict[tuple[str, int], Appearance],
    ) -> None:
        super().__init__(gravity, periodic=cell[0], cell_motion=cell[1])
        self._reader, self._data, self._switches = reader, acting, switches
        self._looks = looks
        for (kind, number), look in looks.items():  # known before the elements are made
            getattr(self.appearances, kind)[number] = look
        for name in ACTING:
            delattr(self, name)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of joints, of drives, transmissions and loads on joints, and of elements."""
        joints, drives, elements = (len(self._data[name]) for name in ("joints", "drives", "elements"))
        return joints, drives, elements

    def __getattr__(self, name: str) -> Any:
        if name not in ACTING:
            raise AttributeError(f"a model has no {name!r}")
        described, self.__dict__[name] = self._data[name], []
        try:
            with refusing(self.source):
                for k, each in enumerate(described):
                    self._make(name, each, f"{name}[{k}]")
        except ValueError:
            del self.__dict__[name]
            raise
        return self.__dict__[name]

    def _make(self, name: str, described: Any, place: str) -> None:
        """Add a load, element, joint or drive; it is missing if a part is."""
        lost = lost_motion(self, described) if name == "joints" else None
        if name == "drives":
            lost = next((joint for joint in self.joints if isinstance(joint, Missing)), None)
        try:
            thing = lost or self._reader.record(described, (name,), place)
        except ValueError:
            thing = lost_motion(self, described)  # of a frame that a rope or the joint of a limit needs
            if thing is None:
                raise
        if isinstance(thing, Missing):
            self.__dict__[name].append(thing)
            return
        number, label = len(self.__dict__[name]), None
        try:
            if name == "loads":
                self.add_load(thing)
                return
            if name == "elements" and self._switches:
                label = self._switches[number].name
                if isinstance(thing, Switched):
                    thing.active = self._switches[number].active
            look = self._looks.get((name, number), USUAL)
            self.add(thing, name=label, colour=look.colour, show=look.show)
        except (TypeError, ValueError, AttributeError) as error:
            raise _placed(error, place, type(thing).__name__) from None


def lost_motion(model: Model, data: Any, depth: int = 0) -> Missing | None:
    """The missing motion of the plane of `model`, or the joint, that `data` name."""
    if depth > DEEPEST:  # which reading refuses
        return None
    if isinstance(data, dict) and type(data.get("plane")) is int and 0 <= data["plane"] < len(model.planes):
        motion = model.planes[data["plane"]].motion
        return motion if isinstance(motion, Missing) else None
    if isinstance(data, dict) and type(data.get("joint")) is int and 0 <= data["joint"] < len(model.joints):
        joint = model.joints[data["joint"]]
        return joint if isinstance(joint, Missing) else None
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return next(filter(None, (lost_motion(model, each, depth + 1) for each in inner)), None)


class Reader:
    """Makes values from plain data."""

    model: Model

    def record(self, data: Any, kinds: Sequence[str], place: str, depth: int = 0) -> Any:
        """The thing that a record of one of the `kinds` states, or its substitute."""
        if isinstance(data, dict) and list(data) == ["missing"] and isinstance(data["missing"], str):
            return Missing(data["missing"])
        checked = of_table(data, {"record": str, "version": int, "arguments": dict}, place)
        try:
            named = word(checked["record"], kinds)
            recorded = {
                name: self.read(each, f"{place}.{name}", depth + 1)
                for name, each in checked["arguments"].items()
            }
            with np.errstate(over="raise", invalid="raise"):
                return named.maker(**named.arguments(checked["version"], recorded))
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise _placed(error, place, str(checked["record"])) from None

    def read(self, data: Any, place: str, depth: int = 0) -> Any:
        """The value that `data` describes."""
        if depth > DEEPEST:
            raise refuse(place, f"depth {depth}", f"at most {DEEPEST} deep")
        if isinstance(data, list):
            return tuple(self.read(each, f"{place}[{k}]", depth + 1) for k, each in enumerate(data))
        if not isinstance(data, dict):
            return data
        if "record" in data or "missing" in data:
            return self.record(data, KINDS, place, depth)
        if "array" in data:
            return _array_of(data, place)
        ((kind, content),) = data.items() if len(data) == 1 else [("", None)]
        if kind in HANDLES:
            return self.handle(kind, content, place)
        if kind in LISTS and isinstance(content, list):
            single = next(name for name, each in HANDLES.items() if each is LISTS[kind])
            return tuple(self.handle(single, index, f"{place}[{k}]") for k, index in enumerate(content))
        if kind == "float" and content in FLOATS:
            return float(content)
        raise refuse(place, sorted(map(str, data)), "one of the forms that a description has")

    def handle(self, kind: str, index: Any, place: str) -> Any:
        """Body, plane, primitive or joint number `index`."""
        things: Sequence[Any] = getattr(self.model, dict(zip(HANDLES, LISTS, strict=True))[kind])
        if type(index) is not int or not 0 <= index < len(things):
            raise refuse(place, index, f"the number of one of {len(things)} {kind} handles")
        return things[index]


def _array_of(data: dict[str, Any], place: str) -> Any:
    """An array, or a number of another precision than Python's."""
    checked = of_table(data, {"array": list, "dtype": str, "shape": list}, place)
    numbers, dtype, shape = checked["array"], checked["dtype"], checked["shape"]
    if dtype not in DTYPES:
        raise refuse(f"{place}.dtype", dtype, f"one of {', '.join(DTYPES)}")
    if not all(type(size) is int and size >= 0 for size in shape) or prod(shape) != len(numbers):
        raise refuse(f"{place}.shape", shape, f"that of {len(numbers)} numbers")
    if not all(type(each) in (int, float, bool) for each in numbers):
        raise refuse(place, "other values", "numbers")
    try:
        return np.array(numbers, dtype).reshape(shape)[()]
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{place}: {error}") from None


def _placed(error: Exception, place: str, name: str) -> ValueError:
    """The refusal of a maker's argument, with the place in front."""
    text = " ".join(str(error).split())
    return ValueError(text if text.startswith(place) else f"{place}: {name}: {text}")


def _add_surface(model: Model, data: Any, place: str) -> None:
    keys = {"name": str, "nodes": list, "triangles": list, "thickness": object}
    surface = of_table(data, keys, place)
    many = len(model.bodies)
    if not all(type(node) is int and 0 <= node < many for node in surface["nodes"]):
        raise refuse(f"{place}.nodes", "other values", f"numbers of the {many} bodies")
    try:
        model.add_surface(
            [model.bodies[node] for node in surface["nodes"]],
            surface["triangles"],
            thickness=surface["thickness"],
            name=surface["name"],
        )
    except (TypeError, ValueError) as error:
        raise _placed(error, place, "surface") from None


def _add_boundary(model: Model, reader: Reader, data: Any, place: str) -> None:
    boundary = reader.record(data, ("open_boundaries",), place)
    try:
        model.add(boundary)
    except (TypeError, ValueError) as error:
        raise _placed(error, place, type(boundary).__name__) from None


def _switch(data: Any, place: str, reader: Reader) -> Switch:
    switch = of_table(data, {"name": object, "active": object}, place)
    name, active = switch["name"], switch["active"]
    if not isinstance(name, str | None):
        raise refuse(f"{place}.name", type(name).__name__, "a text or null")
    if not isinstance(active, bool):
        active = reader.record(active, ("motions",), f"{place}.active")
    return Switch(name, active)


def _appearance(data: Any, place: str, acting: dict[str, list[Any]]) -> tuple[tuple[str, int], Appearance]:
    look = of_table(data, {"of": str, "number": int, "colour": object, "show": bool}, place)
    many = len(acting[choice(f"{place}.of", look["of"], ("elements", "joints"))])
    number = integer(f"{place}.number", look["number"], 0, many - 1)
    if isinstance(look["colour"], str):
        raise refuse(f"{place}.colour", look["colour"], "four numbers or null")
    try:
        return (look["of"], number), stated_appearance(look["colour"], look["show"])
    except ValueError as error:
        raise _placed(error, place, "appearance") from None


def _add_plane(model: Model, reader: Reader, data: Any, place: str) -> None:
    keys = {"name": str, "normal": list, "offset": float, "body": object, "motion": object}
    plane = of_table(data, keys, place)
    body, motion = plane["body"], plane["motion"]
    try:
        model.add_plane(
            name=plane["name"],
            normal=plane["normal"],
            offset=plane["offset"],
            body=None if body is None else reader.handle("body", body, f"{place}.body"),
            motion=None if motion is None else reader.record(motion, ("motions",), f"{place}.motion"),
        )
    except (TypeError, ValueError) as error:
        raise _placed(error, place, "plane") from None
