"""All ways to open a run's file, with comparable readings."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import nsgalpha as ns
from nsgalpha.commands.command_line import commands, make_parser
from nsgalpha.io.hdf5_tables import CONTACTS, STATES, STATISTICS
from nsgalpha.io.model_description import body_tables, describe, primitive_tables
from nsgalpha.io.open_file import format_of, open_file, refusing
from nsgalpha.io.result_reader import plain_settings, stored_settings, versions

REFUSALS = (OSError, ValueError)  # the only errors that a file may cause
BAD_INPUT = 2  # exit code


def clean(error: BaseException, path: Path) -> bool:
    """Whether an error is a refusal that says which file is meant, in printable characters."""
    text = str(error)
    return isinstance(error, REFUSALS) and path.name in text and text.isprintable()


def readings(path: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names, and functions that read all content, each as a comparable value."""
    result = ns.load(path)
    for name in STATES:
        yield name, lambda name=name: value_of(getattr(result, name))
    for name in ("start", *CONTACTS):
        yield f"contacts.{name}", lambda name=name: value_of(getattr(result.contacts, name))
    for name in STATISTICS:
        yield f"stats.{name}", lambda name=name: value_of(getattr(result.stats, name))
    for row in (0, len(result.t) // 2, -1):
        yield f"state({row})", lambda row=row: value_of(result.state(row))
    yield "joints", lambda: value_of(result.joints)
    yield "changes", lambda: value_of(result.changes)
    for k in range(len(result.histories)):
        yield f"histories[{k}]", lambda k=k: value_of(result.histories[k])
    for name in sorted(result.sensors):
        yield f"sensors.{name}", lambda name=name: value_of(result.sensors[name])
    yield "status", lambda: repr(result.status)
    yield "bodies", lambda: _tables(body_tables(result.model))
    yield "primitives", lambda: _tables(primitive_tables(result.model))
    yield "names", lambda: [each.name for each in (*result.model.bodies, *result.model.primitives)]
    yield "elements", lambda: len(result.model.elements)
    yield "loads", lambda: len(result.model.loads)
    yield "number of joints", lambda: len(result.model.joints)
    yield "drives", lambda: [each.name for each in result.model.drives]
    yield "open_boundaries", lambda: [each.name for each in result.model.open_boundaries]
    yield "model", lambda: json.dumps(describe(result.model))
    yield "settings", lambda: _settings(path, result.model)
    yield "energy", lambda: value_of(result.energy("kinetic") + result.energy("potential"))


def numbers_of(path: Path) -> dict[str, Any]:
    """All readings of a good file."""
    return {name: read() for name, read in readings(path)}


def value_of(thing: Any) -> Any:
    """Comparable form of a value: numbers by their bits."""
    if thing is None or isinstance(thing, str):
        return thing
    if is_dataclass(thing):
        return [value_of(getattr(thing, each.name)) for each in fields(thing)]
    array = np.ascontiguousarray(thing)
    return str(array.dtype), array.shape, array.tobytes()


def command(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        found, parser = _commands()
        parsed = parser.parse_args(arguments)
        code = found[parsed.command].run(parsed)
    return code, out.getvalue(), err.getvalue()


def repaired(path: Path) -> dict[str, Any]:
    """Content kept by `nsgalpha info --repair`."""
    target = path.with_name(f"repaired-{path.name}")
    code, _, err = command("info", str(path), "--repair", str(target))
    try:
        if code:
            raise ValueError(err.strip())
        return numbers_of(target)
    finally:
        target.unlink(missing_ok=True)


def resumed(path: Path, steps: int = 3) -> dict[str, Any]:
    """Content of a copy after a few more steps."""
    copy = path.with_name(f"resumed-{path.name}")
    shutil.copy(path, copy)
    try:
        last = ns.load(copy)
        with open_file(copy) as file, refusing(copy):
            h = plain_settings(file)["h"]
        ns.resume(copy, t_end=float(last.t[-1]) + steps * h)
        return numbers_of(copy)
    finally:
        copy.unlink()


def refusals(path: Path, doors: Collection[str] | None = None) -> dict[str, str | None]:
    """Refusals by the `doors`, default all, of a file: None if read.

    An error that is no refusal passes through.
    """
    found: dict[str, str | None] = {}

    def tried(name: str, door: Callable[[], Any]) -> Any:
        found[name] = None
        try:
            return door()
        except REFUSALS as error:
            found[name] = str(error)
            if not clean(error, path):
                raise
        return None

    def told(*arguments: str) -> None:
        code, _, err = command(*arguments)
        if code not in (0, 1, BAD_INPUT):
            raise RuntimeError(f"exit code {code}: {err}")
        if code == BAD_INPUT:
            raise ValueError(err.strip())

    ways: dict[str, Callable[[], Any]] = {
        "info": lambda: told("info", str(path)),
        "info --json": lambda: told("info", str(path), "--json"),
        "info --repair": lambda: repaired(path),
        "report": lambda: told("report", str(path), "-o", str(path.parent / "report")),
        "resume": lambda: resumed(path),
    }
    for name, read in tried("load", lambda: list(readings(path))) or ():
        tried(name, read)
    for name, way in ways.items():
        # a page of the reading takes seconds
        if (doors is None or name in doors) and (name != "report" or found.get("info", "")):
            tried(name, way)
    return found


@cache
def _commands() -> Any:
    found = commands()
    return found, make_parser(found)


def _tables(tables: dict[str, Any]) -> dict[str, Any]:
    return {name: value_of(table) for name, table in tables.items()}


def _settings(path: Path, model: Any) -> str:
    with open_file(path) as file, refusing(path):
        scheme = type(stored_settings(file, model)["scheme"]).__name__
        return f"{plain_settings(file)} {scheme} {versions(file)} format {format_of(file)}"
