"""Types of arguments for case files: without aliases, and with `Numbers` for ArrayLike.

NumPy states ArrayLike as a union or as an alias of one. Its members differ from version to version and become
members of every enclosing union. A package may have its own aliases, `type Speed = float`.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, NewType, Union, get_args, get_origin

import typing_extensions
from numpy.typing import ArrayLike

#: `type X = ...`, by Python and by typing_extensions, which pydantic brings
ALIASES: tuple[Any, ...] = (
    getattr(typing, "TypeAliasType", typing_extensions.TypeAliasType),
    typing_extensions.TypeAliasType,
)
SCALARS = frozenset({bool, int, float, complex, str, bytes})  # that are in ArrayLike, or said by it


class NoForm(TypeError):
    """A type that cannot be written in a case file; the message says why."""


class Numbers:
    """Stands for ArrayLike: a number, a list of them, a list of lists, ..."""


class Unreadable:
    """Stands for a type that cannot be found out; `reason` says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return self.reason


def arguments_of(maker: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The arguments of `maker` by name, with their types; one that cannot be found out is `Unreadable`."""
    known = _names(maker)
    return {
        name: each.replace(annotation=_readable(each.annotation, known))
        for name, each in inspect.signature(maker).parameters.items()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def _names(maker: Any) -> dict[str, Any]:
    """Things that stand for the names in the annotations of `maker`."""
    function = inspect.unwrap(vars(maker).get("__init__", maker) if isinstance(maker, type) else maker)
    module = vars(sys.modules[maker.__module__]) if maker.__module__ in sys.modules else {}
    return {**module, **getattr(function, "__globals__", {})}


def _readable(annotation: Any, known: Mapping[str, Any]) -> Any:
    try:
        if isinstance(annotation, str):
            annotation = eval(annotation, dict(known))  # as Python does with all of them
        return resolved(annotation)
    except Exception as error:  # annotations are code of others: any error is possible
        return Unreadable(f"its type cannot be read: {type(error).__name__}: {error}")


def resolved(annotation: Any, within: tuple[Any, ...] = ()) -> Any:
    """The type without aliases; `within` are those that it is part of.

    Raises NoForm for a type that is part of itself.
    """
    origin, given = get_origin(annotation), get_args(annotation)
    if annotation is ArrayLike or (origin is Union and {*given} == _members_of_array_like()):
        return Numbers
    alias = annotation if origin is None else origin
    if isinstance(alias, ALIASES):
        if alias in within:
            raise NoForm(f"{alias}: is part of itself")
        return resolved(_meaning(alias, given), (*within, alias))
    if isinstance(annotation, NewType):
        return resolved(annotation.__supertype__, within)
    if origin is Annotated:
        return resolved(given[0], within)
    if origin in (Union, UnionType):
        return _union(given, within)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        parts = tuple(each if each is ... else resolved(each, within) for each in given)
        return GenericAlias(origin, parts)
    return annotation


def _members_of_array_like() -> set[Any]:
    """Members of a union; none of an alias."""
    return {*get_args(ArrayLike)}


def _meaning(alias: Any, given: Sequence[Any]) -> Any:
    """The type of an alias with the types `given` for its parameters."""
    meaning = alias.__value__
    if not given:
        return meaning
    stated = dict(zip(alias.__type_params__, given, strict=True))
    used = tuple(stated[each] for each in getattr(meaning, "__parameters__", ()))
    return meaning[used] if used else stated.get(meaning, meaning)


def _union(given: Sequence[Any], within: tuple[Any, ...]) -> Any:
    """A union of types; beside ArrayLike nothing is said of single numbers."""
    left, numbers = [*given], _members_of_array_like()
    if numbers and numbers <= {*given}:
        left = [Numbers, *(each for each in given if each not in numbers)]
    parts = [resolved(each, within) for each in left]
    parts = [member for part in parts for member in (get_args(part) if is_union(part) else [part])]
    if Numbers in parts:
        parts = [each for each in parts if each not in SCALARS]
    return Union[(*parts,)]


def is_union(annotation: Any) -> bool:
    """True if it is a union of several types."""
    return get_origin(annotation) in (Union, UnionType)


def members(annotation: Any) -> list[Any]:
    """The types of a union, nested ones too, without None."""
    if not is_union(annotation):
        return [] if annotation in (None, NoneType) else [annotation]
    return [member for part in get_args(annotation) for member in members(part)]


def takes_none(annotation: Any) -> bool:
    """True if None is of the type."""
    if not is_union(annotation):
        return annotation in (None, NoneType)
    return any(map(takes_none, get_args(annotation)))


def is_list(annotation: Any) -> bool:
    """True if it is a `Sequence[...]`, a `list[...]` or a `tuple[X, ...]`."""
    origin = get_origin(annotation)
    if origin is tuple:
        return get_args(annotation)[1:] == (...,)
    return isinstance(origin, type) and issubclass(origin, Sequence)
