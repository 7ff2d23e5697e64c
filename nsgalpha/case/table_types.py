"""Tables of case files as pydantic types, made from the signatures of their makers.

Every choice between tables is tagged "kind:name", which errors carry: so it is known which keys were allowed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args

from pydantic import AfterValidator, ConfigDict, Discriminator, PlainValidator, Tag, WithJsonSchema
from typing_extensions import TypeAliasType, TypedDict  # pydantic asks for this one

from nsgalpha.case.argument_annotations import NoForm, is_list, members, takes_none
from nsgalpha.case.plugin_catalogue import Catalogue, Maker, parameters
from nsgalpha.case.scalar_types import COLOUR, HANDLES, SIMPLE, WORD, ValueReader, value_reader
from nsgalpha.model.compliant_law import Law
from nsgalpha.model.handles import PrescribedMotion
from nsgalpha.model.regions import Bounded, Region
from nsgalpha.schemes.scheme_settings import MotionResistance
from nsgalpha.shown_text import has_controls

#: Types of arguments for which the catalogue has tables, and the key that names which.
SLOTS: dict[Any, str] = {
    Law: "laws",
    PrescribedMotion: "motions",
    MotionResistance: "resistances",
    Region: "regions",
    Bounded: "regions",
}
OF_MODELS = "starts", "cells", "walls"  # kinds whose makers take a model first
KEYS = {"laws": "law", "law_sets": "law"}
#: Keys that the tables of all elements and joints may have, for any maker.
DRAWN: dict[str, tuple[ValueReader, bool]] = {"colour": (COLOUR, False), "show": (SIMPLE[bool], False)}
OF_ELEMENTS = {"name": (WORD, False), "active": (SIMPLE[bool], False)} | DRAWN
OF_ALL = {"elements": OF_ELEMENTS, "joints": DRAWN}
ONE, LIST, NAME, NOT_A_TABLE, NO_NAME = "<one>", "<list>", "<name>", "<none>", "<unnamed>"


@dataclass(frozen=True, slots=True)
class CaseTable:
    """A checked table: its maker, and the given keys."""

    kind: str
    maker: Maker | None
    values: dict[str, Any]


Fields = Mapping[str, tuple[Any, bool]]  # pydantic type, and whether it must be given


class Tables:
    """The pydantic types of the tables of a catalogue; `keys` are those that each may have.

    without_form: arguments that cannot be given in a case file, as "Maker.argument", and why. refused: makers
    without a table, as "kind:name", and the reason.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.keys: dict[str, list[str]] = {}
        self.without_form: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self._unions: dict[tuple[str, ...], Any] = {}

    def table(self, tag: str, fields: Fields, maker: Maker | None = None, doc: str = "") -> Any:
        """A table with the `fields`, tagged "kind:name"."""
        kind, name = tag.split(":")
        self.keys[tag] = list(fields)
        hints = {key: (Required if must else NotRequired)[type_] for key, (type_, must) in fields.items()}
        typed: Any = TypedDict  # made at run time, which its own type does not foresee
        made = typed(name, hints)
        made.__pydantic_config__ = ConfigDict(extra="forbid", title=name)
        made.__doc__ = doc or (inspect.getdoc(maker) if maker else "") or ""
        return Annotated[made, AfterValidator(lambda values: CaseTable(kind, maker, values)), Tag(tag)]

    def choice(self, kind: str, choices: Mapping[str, Any], default: str | None = None) -> Any:
        """One of several tables, named by their key `type` (laws: `law`)."""
        key = KEYS.get(kind, "type")
        if not choices:
            return value(ValueReader(f"left out: no installed package offers {kind}", {"not": {}}, _none))

        def named(value: Any) -> str:
            if not isinstance(value, dict):
                return NOT_A_TABLE
            name = value.get(key, default)
            plain = isinstance(name, str | None) and not has_controls(name or "")
            return f"{kind}:{name}" if plain else NO_NAME + kind

        # a union of one would be none
        never = Annotated[Annotated[Any, WithJsonSchema({"not": {}})], Tag(NOT_A_TABLE + kind)]
        return Annotated[Union[(*choices.values(), never)], Discriminator(named)]

    def of_kind(self, kind: str) -> Any:
        """One of the tables of a `kind` of the catalogue."""
        return self._choice_of(kind, self.catalogue.of(kind))

    def _choice_of(self, kind: str, makers: Mapping[str, Maker], default: str | None = None) -> Any:
        known = (kind, default or "", *makers)
        if known not in self._unions:
            choices = {}
            for name, maker in makers.items():
                tag = f"{kind}:{name}"
                try:
                    choices[name] = self._of_maker(tag, maker, default)
                except NoForm as reason:  # it alone is left out
                    self.refused[tag] = str(reason)
            self._unions[known] = TypeAliasType(kind, self.choice(kind, choices, default))
        return self._unions[known]

    def _of_maker(self, tag: str, maker: Maker, default: str | None) -> Any:
        """The table of one maker. Raises NoForm for a maker without one."""
        kind, name = tag.split(":")
        key, without = KEYS.get(kind, "type"), ("model",) if kind in OF_MODELS else ()
        if key in parameters(maker):
            self.without_form[f"{maker.__qualname__}.{key}"] = reason = "is the key that names the table"
            raise NoForm(f"{name}, argument {key!r}: {reason}; call it other")
        own = {key: (literal(name), default is None), **self.arguments(maker, without)}
        takes_laws = any(Law in members(each.annotation) for each in parameters(maker).values())
        if kind == "elements" and self.catalogue.law_sets and takes_laws:
            own["laws"] = self.of_kind("law_sets"), False
        for each, (form, needed) in OF_ALL.get(kind, {}).items():
            own.setdefault(each, (value(form), needed))
        return self.table(tag, own, maker)

    def arguments(self, maker: Maker, without: Sequence[str] = ()) -> dict[str, tuple[Any, bool]]:
        """A field for each argument of `maker`; optional ones without TOML form are left out.

        An argument that must be given, but may be None, may be left out of a table.

        Raises NoForm for one that must be given and has no form.
        """
        found: dict[str, tuple[Any, bool]] = {}
        for name, parameter in parameters(maker, without).items():
            must = parameter.default is parameter.empty
            try:
                given = must and not takes_none(parameter.annotation)
                found[name] = self.field(parameter.annotation, parameter.default), given
            except NoForm as reason:
                self.without_form[f"{maker.__qualname__}.{name}"] = str(reason)
                if must:
                    raise NoForm(f"{maker.__qualname__}, argument {name!r}: {reason}") from None
        return found

    def field(self, annotation: Any, default: Any = None) -> Any:
        """The type of a value for an argument of the type `annotation`; NoForm if there is none."""
        if annotation is inspect.Parameter.empty or annotation is Any:
            raise NoForm("it has no type")
        singles = [self._slot(member) for member in members(annotation) if self._is_slot(member)]
        lists = [
            self._slot(get_args(member)[0])
            for member in members(annotation)
            if is_list(member) and self._is_slot(get_args(member)[0])
        ]
        if not singles and not lists:
            return value(value_reader(annotation), default)
        names = [member for member in members(annotation) if member in HANDLES]
        if names and not lists:
            return _name_or_table(value(value_reader(Union[(*names,)])), singles[0])
        if not lists:
            return singles[0]
        if not singles:
            return several(lists[0])
        one: Any = Annotated[singles[0], Tag(ONE)]
        many: Any = Annotated[several(lists[0]), Tag(LIST)]
        return Annotated[one | many, Discriminator(lambda given: LIST if isinstance(given, list) else ONE)]

    def _is_slot(self, annotation: Any) -> bool:
        stated = is_dataclass(annotation) or annotation in self.catalogue.parts
        return annotation in SLOTS or (stated and annotation not in HANDLES)

    def _slot(self, annotation: Any) -> Any:
        """The tables for a type: those of a kind, or of one parameter class."""
        if annotation in SLOTS:
            return self.of_kind(SLOTS[annotation])
        name = annotation.__qualname__
        found = self._choice_of("laws", {name: annotation}, name)
        if f"laws:{name}" in self.refused:
            raise NoForm(self.refused[f"laws:{name}"])
        return found


def _none(given: Any) -> Any:
    raise ValueError


def _name_or_table(name: Any, table: Any) -> Any:
    """The type of a name, or of a table."""
    one: Any = Annotated[table, Tag(ONE)]
    word: Any = Annotated[name, Tag(NAME)]
    return Annotated[one | word, Discriminator(lambda given: ONE if isinstance(given, dict) else NAME)]


def several(item: Any) -> Any:
    """The type of a list of tables."""
    return list[item]  # a type made at run time


def by_name(item: Any) -> Any:
    """The type of a table whose keys are names."""
    return dict[str, item]


def literal(name: str) -> Any:
    """The type of a key that has one value."""
    return Literal[name]


def value(read: ValueReader, default: Any = None) -> Any:
    """The type of a value that is no table."""

    def check(given: Any) -> Any:
        try:
            return read.read(given)
        except (ValueError, OverflowError):
            raise ValueError(f"must be {read.words}") from None

    schema = dict(read.schema)
    if isinstance(default, bool | int | float | str):
        schema["default"] = default
    return Annotated[Any, PlainValidator(check), WithJsonSchema(schema)]
