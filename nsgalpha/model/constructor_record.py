"""Records of constructor calls, from which objects are serialised.

    @recorded
    class SphereSphere: ...

    SphereSphere(among=balls, mu=0.3).stated    ConstructorCall(SphereSphere, {"among": (...), "mu": 0.3})

Result files hold these calls instead of the attributes of elements, loads and laws. Reading one makes the
thing again, by the same public constructor with all its checks. Dataclasses are stated by their fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from nsgalpha.checks import named
from nsgalpha.model.handles import BodyRow

_Maker = TypeVar("_Maker", bound=Callable[..., Any])


class ConstructorCall(NamedTuple):
    """A call: `maker(**arguments)`."""

    maker: Callable[..., Any]
    arguments: Mapping[str, Any]


class Missing:
    """Substitute for an object that no file can hold. Raises ValueError when it is called."""

    law: None = None  # in the place of an element it has none, so that pictures can be drawn without it

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, *args: Any) -> Any:
        """Name the missing thing."""
        raise self.refusal("give the model: resume(path, model=...)")

    def refusal(self, remedy: str) -> ValueError:
        """The error to raise."""
        return ValueError(f"{self.text} cannot be kept in a file; {remedy}")


def recorded(maker: _Maker) -> _Maker:
    """`maker`, a class or a function, whose things have an attribute `stated`; lists in it are copies."""
    signature = inspect.signature(maker)
    variable = {p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD}

    def statement(made: Callable[..., Any], args: Any, given: Any) -> ConstructorCall:
        arguments = dict(signature.bind(*args, **given).arguments)
        for name in variable & set(arguments):
            arguments |= arguments.pop(name)
        return ConstructorCall(made, {name: _kept(value) for name, value in arguments.items()})

    cls: Any = maker
    if isinstance(maker, type):
        init = _own_init(cls)

        @wraps(init)
        def recording(self: Any, *args: Any, **given: Any) -> None:
            init(self, *args, **given)
            if type(self) is cls:
                self.stated = statement(maker, args, given)

        cls.__init__ = recording
        return maker

    checked: Any = named(maker)

    @wraps(checked)
    def making(*args: Any, **given: Any) -> Any:
        thing: Any = checked(*args, **given)
        thing.stated = statement(making, args, given)
        return thing

    return making  # type: ignore[return-value]


def _own_init(cls: Any) -> Callable[..., None]:
    """The `__init__` of a class, or a copy of an inherited one with the class's errors."""
    init: Any = cls.__init__
    if "__init__" in vars(cls) or not isinstance(init, FunctionType):
        return init
    own: Any = FunctionType(init.__code__, init.__globals__, "__init__", init.__defaults__, init.__closure__)
    own.__kwdefaults__, own.__annotations__ = init.__kwdefaults__, init.__annotations__
    own.__dict__ |= init.__dict__
    own.__qualname__ = f"{cls.__qualname__}.__init__"
    return own


def constructor_call(thing: Any) -> ConstructorCall | None:
    """How `thing` was stated; None if that is not known."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return ConstructorCall(
            type(thing), {each.name: getattr(thing, each.name) for each in fields(thing) if each.init}
        )
    stated = getattr(thing, "stated", None)
    return stated if isinstance(stated, ConstructorCall) else None


def _kept(value: Any) -> Any:
    """A copy of lists and arrays, which the script may change later."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return tuple(_kept(each) for each in value) if isinstance(value, list | tuple | BodyRow) else value
