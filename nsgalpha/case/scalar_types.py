"""Scalar types of case files: numbers, words, names of bodies, and lists of them.

A type of an argument decides how it is read: `float | None` is a finite number, `Numbers` numbers,
`Sequence[Body]` a name, a group or a list of these. A `ValueReader` is that with its words for messages and
its JSON schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from nsgalpha.case.argument_annotations import NoForm, Numbers, Unreadable, is_list, members
from nsgalpha.checks import refuse
from nsgalpha.model.appearance import ALLOWED, DIGITS, rgba
from nsgalpha.model.handles import Body, JointHandle, Plane, Primitive
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.shown_text import has_controls

HANDLES: dict[Any, str] = {
    Body: "body",
    Plane: "plane",
    Primitive: "primitive",
    JointHandle: "joint",
    Surface: "surface",
}
LONGEST = 1000  # characters of a word


@dataclass(frozen=True, slots=True)
class ValueReader:
    """How a value is read.

    words: the allowed value. schema: the same for an editor. read: returns the value, ValueError if it is
    none.
    """

    words: str
    schema: dict[str, Any]
    read: Callable[[Any], Any]

    def checked(self, name: str, value: Any) -> Any:
        """The value, or a ValueError that names it."""
        try:
            return self.read(value)
        except ValueError:
            raise refuse(name, value, self.words) from None


@dataclass(frozen=True, slots=True)
class Reference:
    """Names of things of the model, of the `kinds` Body, Plane, Primitive, Surface; `single`: of just one."""

    kinds: tuple[Any, ...]
    names: tuple[str, ...]
    single: bool


def value_reader(annotation: Any) -> ValueReader:
    """Reader of values of the type. Raises NoForm for a type without TOML form."""
    left = members(annotation)
    choices: list[ValueReader] = []
    if Numbers in left:
        choices.append(NUMBERS)
        left.remove(Numbers)
    several = tuple(kind for member in left if _of_handles(member) for kind in members(get_args(member)[0]))
    if several:
        choices.append(_names(several))
        left = [member for member in left if not _of_handles(member) and member not in several]
    if by_name := [kinds for member in left if (kinds := _handles_by_name(member))]:
        choices.append(_names_of(by_name[0]))
    if single := tuple(member for member in left if member in HANDLES):
        choices.append(_name(single))
        left = [member for member in left if member not in single]
    of_scripts = [get_origin(k) in (Callable, Mapping) or getattr(k, "_is_protocol", False) for k in left]
    choices += [_plain(k) for k, alone in zip(left, of_scripts, strict=True) if not alone]
    if not choices:
        raise _no_form(annotation)
    return choices[0] if len(choices) == 1 else _any_of(choices)


def _of_handles(annotation: Any) -> bool:
    """True if it is a list of handles."""
    return is_list(annotation) and set(members(get_args(annotation)[0])) <= set(HANDLES)


def _handles_by_name(annotation: Any) -> tuple[Any, ...]:
    """Kinds of the handles in a dict of names and handles; none for other types."""
    given = get_args(annotation)
    if get_origin(annotation) is not Mapping or given[0] is not str:
        return ()
    listed = [
        kind for member in members(given[1]) if _of_handles(member) for kind in members(get_args(member)[0])
    ]
    return tuple(listed)


def _plain(annotation: Any) -> ValueReader:
    """Of a type that is no union."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    if is_list(annotation):
        return list_of(value_reader(get_args(annotation)[0]))
    if get_origin(annotation) is tuple:
        return _tuple_of([value_reader(part) for part in get_args(annotation)])
    raise _no_form(annotation)


def _no_form(annotation: Any) -> NoForm:
    if isinstance(annotation, Unreadable):
        return NoForm(annotation.reason)
    name = getattr(annotation, "__qualname__", None) if isinstance(annotation, type) else None
    return NoForm(f"{name or annotation}: has no form in a case file")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    if not math.isfinite(float(value)):
        raise ValueError
    return float(value)


def _numbers(value: Any) -> Any:
    """Integers stay integers: rows of vertices are numbers, too."""
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    number = _number(value)
    return value if isinstance(value, int) else number


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST or has_controls(value):
        raise ValueError
    return value


def _array(items: dict[str, Any], depth: int = 1) -> dict[str, Any]:
    """The schema of a list of `items`, of lists of them, ..."""
    return {"type": "array", "items": _array(items, depth - 1)} if depth else items


TEXT_SCHEMA: dict[str, Any] = {"type": "string"}
NUMBER = ValueReader("a finite number", {"type": "number"}, _number)
NUMBERS = ValueReader(
    "finite numbers", {"anyOf": [_array(NUMBER.schema, depth) for depth in range(4)]}, _numbers
)
WORD_SCHEMA: dict[str, Any] = {
    "type": "string",
    "maxLength": LONGEST,
    "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$",
}
WORD = ValueReader(f"a word of at most {LONGEST} characters, in one line", WORD_SCHEMA, _word)
COLOUR = ValueReader(
    ALLOWED,
    {
        "anyOf": [
            {"type": "string", "pattern": f"^{DIGITS.pattern}$"},
            {
                "type": "array",
                "items": {"type": "number", "minimum": 0, "maximum": 1},
                "minItems": 3,
                "maxItems": 4,
            },
        ]
    },
    rgba,
)
SIMPLE: dict[Any, ValueReader] = {
    float: NUMBER,
    int: ValueReader("an integer", {"type": "integer"}, _integer),
    bool: ValueReader("true or false", {"type": "boolean"}, _truth),
    str: WORD,
}


def list_of(item: ValueReader) -> ValueReader:
    """A list."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError
        return [item.read(each) for each in value]

    return ValueReader(f"a list, each {item.words}", _array(item.schema), read)


def _tuple_of(items: list[ValueReader]) -> ValueReader:
    """A list of fixed length."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(items):
            raise ValueError
        return tuple(item.read(each) for item, each in zip(items, value, strict=True))

    kinds = list(dict.fromkeys(item.words for item in items))
    words = f"a list of {len(items)}: " + (f"each {kinds[0]}" if len(kinds) == 1 else ", ".join(kinds))
    different = [
        item.schema for k, item in enumerate(items) if item.schema not in [i.schema for i in items[:k]]
    ]
    schema = _array(different[0] if len(different) == 1 else {"anyOf": different})
    schema |= {"minItems": len(items), "maxItems": len(items)}
    return ValueReader(words, schema, read)


def _any_of(choices: list[ValueReader]) -> ValueReader:
    """One of several."""

    def read(value: Any) -> Any:
        for choice in choices:
            try:
                return choice.read(value)
            except ValueError:
                continue
        raise ValueError

    words = " or ".join(each.words for each in choices)
    return ValueReader(words, {"anyOf": [each.schema for each in choices]}, read)


def _kinds(kinds: tuple[Any, ...]) -> str:
    return " or ".join(dict.fromkeys(HANDLES[kind] for kind in kinds))


def _name(kinds: tuple[Any, ...]) -> ValueReader:
    """The name of one thing."""

    def read(value: Any) -> Reference:
        return Reference(kinds, (_word(value),), True)

    return ValueReader(f"the name of a {_kinds(kinds)}", TEXT_SCHEMA, read)


def _names(kinds: tuple[Any, ...]) -> ValueReader:
    """Names and groups."""

    def read(value: Any) -> Reference:
        listed = value if isinstance(value, list) else [value]
        return Reference(kinds, tuple(_word(each) for each in listed), False)

    schema = {"anyOf": [TEXT_SCHEMA, _array(TEXT_SCHEMA)]}
    return ValueReader(f"the name of a {_kinds(kinds)}, a group, 'all', or a list of names", schema, read)


def _names_of(kinds: tuple[Any, ...]) -> ValueReader:
    """Names and groups by names, a table."""
    each = _names(kinds)

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or not value:
            raise ValueError
        return {_word(name): each.read(given) for name, given in value.items()}

    schema = {"type": "object", "minProperties": 1, "additionalProperties": each.schema}
    return ValueReader(f"a table of names, each with {each.words}", schema, read)
