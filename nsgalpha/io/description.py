"""A model as plain data, and back: what a result file holds of it.

    {"body": 3}  {"plane": 0}  {"primitive": 2}             handles
    {"model": true}                                         the model itself
    {"array": [...], "dtype": "float64", "shape": [2, 3]}   arrays
    {"function": "elements.sphere_sphere:measure"}          found by its name, else {"missing": "what"}
    {"object": "elements.sphere_sphere:SphereSphere", "state": {...}}
    {"tuple": [...]}  {"set": [...]}  {"dict": [[key, value], ...]}  {"float": "inf"}
    {"record": "module:NamedTuple", "items": [...]}

Objects are described by their attributes, without code: whatever a user's element is made of can be stored.
What occurs more than once has an "id" where it comes first and is {"same": id} afterwards, so that
identities remain. Classes and functions are those of the installed packages when a model is read.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from functools import partial
from importlib import import_module
from inspect import ismethod
from itertools import count
from types import FunctionType
from typing import Any

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.model import Model

HANDLES = {"body": "bodies", "plane": "planes", "primitive": "primitives"}


def describe(model: Model) -> dict[str, Any]:
    """`model` but for its bodies, as plain data."""
    writer = _Writer()
    return {
        "gravity": model.gravity.tolist(),
        "planes": [_fields(plane, writer) for plane in model.planes],
        "primitives": [_fields(primitive, writer) for primitive in model.primitives],
        "carriers": [writer.write(carrier) for carrier in model.shapes.carriers],
        "places": [place.tolist() for place in model.shapes.places],
        "loads": [writer.write(load) for load in model.loads],
        "elements": [writer.write(element) for element in model.elements],
    }


def describe_value(value: Any) -> Any:
    """A scheme, or anything else that names bodies of the model, as plain data."""
    return _Writer().write(value)


def body_tables(model: Model) -> dict[str, Any]:
    """Columns of the bodies (N, ...): everything but their names."""
    columns = ("radius", "mass", "inertia", "position", "velocity", "angular_velocity", "rotation", "turns")
    return {name: np.array([getattr(body, name) for body in model.bodies]) for name in columns}


def model_of(data: dict[str, Any], names: list[str], bodies: dict[str, Any]) -> Model:
    """The model of a description and the tables of its bodies.

    Raises ValueError if a class or function that it names is not installed: for elements and loads when they
    are asked for.
    """
    model = StoredModel(data)
    for k, name in enumerate(names):
        row = {column: _plain(table[k]) for column, table in bodies.items()}
        _keep(model, model.bodies, Body(model, k, name, **row))
    reader = model._reader
    for plane in data["planes"]:
        _keep(model, model.planes, Plane(model, **reader.state(plane)))
    for primitive in data["primitives"]:
        _keep(model, model.primitives, Primitive(model, **reader.state(primitive)))
    model.shapes.carriers.extend(reader.read(carrier) for carrier in data["carriers"])
    model.shapes.places.extend(np.array(place) for place in data["places"])
    return model


class StoredModel(Model):
    """A model from a file; its loads and elements, which need the solver, are made when asked for."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data["gravity"])
        self._data, self._reader = data, _Reader(self)
        del self.loads, self.elements

    def __getattr__(self, name: str) -> Any:
        if name not in ("loads", "elements"):
            raise AttributeError(f"a model has no {name!r}")
        reader = self._reader
        self.loads = [reader.read(load) for load in self._data["loads"]]
        self.elements = [reader.read(element) for element in self._data["elements"]]
        return getattr(self, name)


def value_of(data: Any, model: Model) -> Any:
    """What `describe_value` has described."""
    return _Reader(model).read(data)


class Missing:
    """Stands for a function that no file can hold; ValueError when it is called."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, *args: Any) -> Any:
        """Say what is missing."""
        raise ValueError(f"{self.text} cannot be kept in a file; give the model: resume(path, model=...)")


def missing(data: Any) -> list[str]:
    """What a description lacks, in words."""
    if isinstance(data, dict):
        found = [data["missing"]] if "missing" in data else []
        return found + [text for value in data.values() for text in missing(value)]
    return [text for value in data for text in missing(value)] if isinstance(data, list) else []


def _keep(model: Model, things: list[Any], handle: Any) -> None:
    things.append(handle)
    model.take_name(handle)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else np.array(value)


def _fields(handle: Any, writer: _Writer) -> dict[str, Any]:
    return {
        each.name: writer.write(getattr(handle, each.name)) for each in fields(handle) if each.name != "model"
    }


def _attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object, from its dictionary and its slots."""
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    own = {name: getattr(value, name) for name in slots if name in dir(value)}
    return {**own, **getattr(value, "__dict__", {})}


class _Writer:
    """Describes values; those that it meets again are the same."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._numbers = count()

    def write(self, value: Any) -> Any:
        if isinstance(value, np.generic):  # a float of another precision calculates differently
            exact = value.dtype == np.float64 or value.dtype.kind in "biuU"
            value = value.item() if exact else np.array(value)
        if value is None or isinstance(value, str | bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, Body | Plane | Primitive):
            return {type(value).__name__.lower(): value.index}
        if isinstance(value, Model):
            return {"model": True}
        if id(value) in self._known:
            described = self._known[id(value)][1]
            if "id" not in described:
                described["id"] = next(self._numbers)
            return {"same": described["id"]}
        described = {}
        self._known[id(value)] = value, described
        described.update(self._described(value))
        return described

    def _described(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "fiub" or value.dtype.itemsize > 8:
                return {"missing": f"an array of {value.dtype}"}
            return {"array": value.ravel().tolist(), "dtype": value.dtype.name, "shape": list(value.shape)}
        if isinstance(value, list | tuple | range):
            bodies = [each for each in value if isinstance(each, Body)]
            if bodies and len(bodies) == len(value):
                return {"bodies": [each.index for each in bodies], "kind": type(value).__name__}
            items = [self.write(each) for each in value]
            if isinstance(value, tuple) and type(value) is not tuple:
                return _lacking(type(value)) or {"record": _name(type(value)), "items": items}
            return {"tuple" if isinstance(value, tuple) else "list": items}
        if isinstance(value, set | frozenset):
            items = sorted((self.write(each) for each in value), key=json.dumps)
            return {"set": items, "kind": type(value).__name__}
        if isinstance(value, dict):
            return {"dict": [[self.write(key), self.write(each)] for key, each in value.items()]}
        if isinstance(value, partial):
            return {"partial": [self.write(part) for part in (value.func, value.args, value.keywords)]}
        if ismethod(value):
            return {"method": [self.write(value.__self__), value.__name__]}
        if isinstance(value, type | FunctionType) or _found(_name(value)) is value:
            name = _name(value)
            if name.startswith("__main__:") or _found(name) is not value:
                return {"missing": f"the function {name.partition(':')[2]} of a script"}
            return {"function": name}
        lacking = _lacking(type(value))
        if lacking:
            return lacking
        state = {name: self.write(each) for name, each in _attributes(value).items()}
        return {"object": _name(type(value)), "state": state}


def _lacking(cls: type) -> dict[str, Any]:
    """What is missing of an object of this class, empty if the class is found by its name."""
    if cls.__module__ in ("__main__", "builtins") or _found(_name(cls)) is not cls:
        return {"missing": f"an object of the class {cls.__qualname__} of a script"}
    return {}


def _name(thing: Any) -> str:
    """Where a function or class is found."""
    return f"{getattr(thing, '__module__', '')}:{getattr(thing, '__qualname__', '')}"


def _found(name: str) -> Any:
    """What has the name "module:qualified.name", None if there is no such thing."""
    module, _, path = name.partition(":")
    if not module or not path or "<" in path:
        return None
    try:
        thing: Any = import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
    except (ImportError, AttributeError):
        return None
    return thing


class _Reader:
    """Makes values from their descriptions."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._known: dict[int, Any] = {}

    def state(self, data: dict[str, Any]) -> dict[str, Any]:
        return {name: self.read(each) for name, each in data.items()}

    def read(self, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if "same" in data:
            return self._known[data["same"]]
        value = self._read(data)
        if "id" in data:
            self._known[data["id"]] = value
        return value

    def _read(self, data: dict[str, Any]) -> Any:
        kind = next(key for key in data if key != "id")
        content = data[kind]
        if kind in HANDLES:
            return getattr(self.model, HANDLES[kind])[content]
        if kind == "bodies":
            handles = [self.model.bodies[index] for index in content]
            return handles if data["kind"] == "list" else tuple(handles)
        if kind == "array":
            return np.array(content, data["dtype"]).reshape(data["shape"])[()]
        if kind == "float":
            return float(content)
        if kind in ("list", "tuple"):
            items = [self.read(each) for each in content]
            return items if kind == "list" else tuple(items)
        if kind == "set":
            return (set if data["kind"] == "set" else frozenset)(self.read(each) for each in content)
        if kind == "model":
            return self.model
        if kind == "dict":
            return {self.read(key): self.read(each) for key, each in content}
        if kind == "partial":
            function, args, keywords = (self.read(part) for part in content)
            return partial(function, *args, **keywords)
        if kind == "method":
            return getattr(self.read(content[0]), content[1])
        if kind == "missing":
            return Missing(content)
        return self._object(kind, content, data)

    def _object(self, kind: str, name: str, data: dict[str, Any]) -> Any:
        thing = _found(name)
        if kind not in ("function", "object", "record") or thing is None:
            raise refuse("model", name, "installed", "install the package that the run was made with")
        if kind == "function":
            return thing
        if kind == "record":
            return thing(*(self.read(each) for each in data["items"]))
        if is_dataclass(thing) and isinstance(thing, type):
            return thing(**self.state(data["state"]))
        return self._plain_object(thing, data)

    def _plain_object(self, cls: type, data: dict[str, Any]) -> Any:
        value: Any = object.__new__(cls)
        if "id" in data:
            self._known[data["id"]] = value  # it may refer to itself
        for attribute, each in data["state"].items():
            object.__setattr__(value, attribute, self.read(each))
        return value
