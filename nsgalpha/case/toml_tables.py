"""From TOML to checked tables: every problem of syntax, keys and types at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

from pydantic import ValidationError

from nsgalpha.case.case_errors import MOST_TOLD, CaseError, Problem, Source, key_path
from nsgalpha.case.case_schema import Schema
from nsgalpha.case.name_suggestions import shown, unknown_name
from nsgalpha.case.size_limits import Limits, check_text
from nsgalpha.case.table_types import KEYS, NOT_A_TABLE, CaseTable
from nsgalpha.case.toml_lines import Path
from nsgalpha.shown_text import meant
from nsgalpha.user_files import read_bytes


def read_text(path: str | PathLike[str], limits: Limits) -> str:
    """The text of a regular file; CaseError if there is none."""
    try:
        text = read_bytes(path, limits.size).decode("utf-8-sig")
    except FileNotFoundError:
        raise CaseError([f"{fspath(path)}: there is no such file"]) from None
    except UnicodeDecodeError:
        raise CaseError([f"{fspath(path)}: is no text in UTF-8; a case is a TOML file"]) from None
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).removeprefix(f"{fspath(path)!r} ")
        raise CaseError([f"{fspath(path)}: cannot be read: {reason}"]) from None
    return text.replace("\r\n", "\n")


def parse(text: str, name: str, limits: Limits) -> tuple[dict[str, Any], Source]:
    """The data of a TOML text, and where its keys are; CaseError for wrong syntax and beyond `limits`."""
    check_text(text, name, limits)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CaseError([_syntax(name, str(error), text)]) from None
    except ValueError as error:  # a number with too many digits, a date that is none
        raise CaseError([f"{name}: cannot be read: {error}"]) from None
    if not data:
        raise CaseError([f"{name}: is empty; a case has [[bodies]] and [run], `nsgalpha new` writes one"])
    return data, Source(name, text)


def _syntax(name: str, message: str, text: str) -> str:
    """`break.toml, line 3: expected '=' after a key (column 4)`, from tomllib's message."""
    found = re.search(r" \(at line (\d+), (column \d+)\)$", message)
    words = message[:1].lower() + message[1:]
    if found is None:
        return f"{name}: {words}"
    line = text.split("\n")[int(found[1]) - 1]
    return f"{name}, line {found[1]}: {words[: found.start()]} ({found[2]}){_spelling(line)}"


def _spelling(line: str) -> str:
    """`; write 0.1 for .1`, of the first value in a `line` that TOML spells in another way."""
    for word in re.findall(r"[=\[,]\s*([^\s,\]\[#'\"]+)", line):
        other = word.lower() if word in ("True", "False") else re.sub(r"^([+-]?)(?=\.\d)", r"\g<1>0", word)
        other = re.sub(r"^([+-]?\d+\.)(?!\d)", r"\g<1>0", other)
        if other != word:
            return f"; write {other} for {word}"
    return ""


class Checked(NamedTuple):
    """The valid tables of a case, and the problems of the others."""

    table: CaseTable
    problems: list[Problem]
    more: int  # problems beyond those listed
    numbers: dict[str, list[int]]  # of tables in the file, by the list, where some of that are left out
    lost: set[str]  # names of left-out tables


def check(data: Mapping[str, Any], schema: Schema, source: Source) -> Checked:
    """The checked tables; CaseError with all problems where nothing is left to look at."""
    if "cells" in data or "feeds" in data:
        data = {"bodies": [], **data}
    try:
        return Checked(schema.adapter.validate_python(data), [], 0, {}, set())
    except ValidationError as error:
        found = sorted(
            error.errors(include_url=False), key=lambda each: source.order(_real(each["loc"], data))
        )
    problems = [_problem(each, data, schema) for each in found[:MOST_TOLD]]
    more = len(found) - len(problems)
    rest, numbers, lost = _without(data, [_real(each["loc"], data) or each["loc"] for each in found])
    try:  # the model's errors for the others
        return Checked(schema.adapter.validate_python(rest), problems, more, numbers, lost)
    except ValidationError:
        raise source.error(problems, more=more) from None


def _without(
    data: Mapping[str, Any], paths: Sequence[Path]
) -> tuple[dict[str, Any], dict[str, list[int]], set[str]]:
    """The data without the tables at `paths`, numbers of the rest, names lost."""
    bad: dict[Any, set[Any]] = {}
    for path in paths:
        bad.setdefault(path[0], set()).update(path[1:2])
    rest, numbers, lost = dict(data), {}, set[str]()
    for key, items in bad.items():
        value = rest.pop(key, None)
        if isinstance(value, list) and items and all(isinstance(item, int) for item in items):
            numbers[key] = [k for k in range(len(value)) if k not in items]
            rest[key] = [value[k] for k in numbers[key]]
            lost.update(name for k in items for name in names_given(value[k]))
        elif isinstance(value, dict) and key == "groups":
            rest[key] = {name: group for name, group in value.items() if name not in items}
            lost.update(map(str, items))
        elif isinstance(value, list):
            lost.update(name for each in value for name in names_given(each))
    for key, stand_in in (("run", {"t_end": 1.0, "h": 1.0}), ("bodies", [])):
        rest.setdefault(key, stand_in)
    return rest, numbers, lost


def names_given(table: Any) -> list[str]:
    """The names and groups that a table states, as far as it is one."""
    if not isinstance(table, Mapping):
        return []
    found = [table.get("name", table.get("type", "plane"))]
    for key in ("names", "group"):
        value = table.get(key, ())
        found += [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return [name for name in found if isinstance(name, str)]


def _problem(error: Any, data: Mapping[str, Any], schema: Schema) -> Problem:
    """Pydantic's error in the words of the project."""
    kind, path = error["type"], _real(error["loc"], data)
    if kind == "extra_forbidden":
        allowed = _allowed(error["loc"][:-1], schema)
        return Problem(path, f"unknown key; {meant(str(path[-1]), allowed)}it can be {', '.join(allowed)}")
    if kind == "missing":
        return Problem((*path, error["loc"][-1]), "missing; it must be given")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _choice(path, error, schema)
    if kind == "literal_error":
        return Problem(path, f"must be {error['ctx']['expected']}")
    if kind == "value_error":
        return Problem(path, f"{shown(error['input'])}: {error['ctx']['error']}")
    if kind == "list_type":
        words = f"must be a list of tables, [[{key_path(path)}]]"
        return Problem(path, f"{shown(error['input'])}: {words}")
    if kind in ("dict_type", "dict_attributes_type"):
        return Problem(path, f"{shown(error['input'])}: must be a table")
    return Problem(path, f"{shown(error['input'])}: {error['msg']}")


def _choice(path: Path, error: Any, schema: Schema) -> Problem:
    """A table whose name is unknown or missing."""
    tags = str(error["ctx"]["expected_tags"]).replace("'", "").split(", ")
    known = [tag.partition(":")[2] for tag in tags if not tag.startswith(NOT_A_TABLE)]
    kind = tags[0].partition(":")[0]
    key = KEYS.get(kind, "type")
    if not isinstance(error["input"], dict):
        return Problem(path, f'{shown(error["input"])}: must be a table with {key} = "..."')
    if key not in error["input"]:
        return Problem(path, f"{key}: missing; it must be one of {', '.join(known)}")
    name = error["input"][key]
    if not isinstance(name, str):
        return Problem((*path, key), f"{shown(name)}: must be one of {', '.join(known)}")
    reason = schema.tables.refused.get(f"{kind}:{name}")
    if reason is not None:
        return Problem((*path, key), f"{shown(name)}: cannot be stated in a case file: {reason}")
    return Problem((*path, key), unknown_name(name, known))


def _real(loc: Sequence[str | int], data: Any) -> Path:
    """Keys of a pydantic location in the data; others are tags of choices."""
    path: list[str | int] = []
    for part in loc:
        here = isinstance(data, dict) and part in data
        here = here or (isinstance(data, list) and isinstance(part, int) and part < len(data))
        if here:
            path.append(part)
            data = data[part]
    return tuple(path)


def _allowed(loc: Sequence[str | int], schema: Schema) -> list[str]:
    """The keys of the table at a pydantic location."""
    names = ["case", *(part for part in loc if isinstance(part, str))]
    parent, owner = names[-2:] if len(names) > 1 else ("", names[0])
    known = owner, f"table:{parent.partition(':')[0]}.{owner}", f"table:{owner}"
    return next(schema.tables.keys[name] for name in known if name in schema.tables.keys)
