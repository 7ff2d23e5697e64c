"""Hostile changes of a run's file, and the doors that must refuse it.

Checksums are made right again: a hostile author can do that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from nsgalpha.io.hdf5_tables import write_table, write_text
from nsgalpha.io.part_checksums import CHECKED, checked_tables, counts

Change = Callable[[Path], object]
Doors = tuple[str, ...]
NAN, INF = float("nan"), float("inf")
LOAD = ("load", "info", "info --json", "report", "resume")
MODEL = LOAD[1:]
RESUME = ("settings", "resume")
OPEN = (*LOAD, "info --repair")


@dataclass(frozen=True, slots=True)
class Hostile:
    """A changed file, the doors that refuse it, and their message."""

    run: str
    change: Change
    says: str
    doors: Doors = LOAD


def table(name: str, change: Callable[[Any], Any]) -> Change:
    """The values of a dataset are others."""

    return hdf5(lambda file: replace(file, name, change(file[name][()])))


def replace(file: Any, name: str, values: Any) -> None:
    """Write `values` in place of a dataset, and the checksums that go with them."""
    group, _, last = name.rpartition("/")
    owner = file[group] if group else file
    whole = name not in CHECKED or np.ndim(values) == 0
    known = file[name]
    if whole or values.shape[1:] != known.shape[1:] or values.dtype != known.dtype:
        del file[name]
        if np.ndim(values) == 0:
            file[name] = values
        else:
            write_table(owner, last, values)
        return
    known.resize(len(values), axis=0)
    known[...] = values
    sign(file)


def sign(file: Any) -> None:
    """Set the checksums of all parts to those of the tables' contents."""
    from zlib import crc32

    rows = np.vstack([np.zeros((1, 4), int), file["parts/filled"][:]])
    for part, (first, last) in enumerate(pairwise(rows)):
        for column, name in enumerate(checked_tables(file)):
            if name in file and name != "parts":
                i, j = first[counts(name)], last[counts(name)]
                file["parts/checksum"][part, column] = crc32(np.ascontiguousarray(file[name][i:j]))


def put(index: Any, value: Any) -> Callable[[Any], Any]:
    """One value is another."""

    def change(values: Any) -> Any:
        values[index] = value
        return values

    return change


def text(name: str, change: Callable[[Any], Any]) -> Change:
    """The JSON of the description or of the settings is another one."""

    return raw(name, lambda known: json.dumps(change(json.loads(known))))


def raw(name: str, content: str | bytes | Callable[[bytes], str]) -> Change:
    """The text of a dataset is another one."""

    def change(file: Any) -> None:
        new = content(bytes(file[name][:])) if callable(content) else content
        group, _, last = name.rpartition("/")
        del file[name]
        owner = file[group] if group else file
        if isinstance(new, str):
            write_text(owner, last, new)
        else:
            write_table(owner, last, np.frombuffer(new, np.uint8))

    return hdf5(change)


def at(*keys: Any, value: Any) -> Callable[[Any], Any]:
    """`value` at the keys; "$" in it is the file's folder."""

    def change(data: Any) -> Any:
        owner = data
        for key in keys[:-1]:
            owner = owner[key]
        owner[keys[-1]] = value
        return data

    return change


def model(*keys: Any, value: Any) -> Change:
    """A value of the description is another one."""
    return text("model/description", at(*keys, value=value))


def settings(key: str, value: Any) -> Change:
    """A setting is another one."""
    return text("settings", at(key, value=value))


def attribute(name: str, value: Any) -> Change:
    """An attribute of the file is another one; None: there is none."""

    def change(file: Any) -> None:
        file.attrs.pop(name, None)
        if value is not None:
            file.attrs[name] = value

    return hdf5(change)


def hdf5(change: Callable[[Any], object]) -> Change:
    """`change(file)`, of the open file."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            change(file)

    return do


def content(change: Callable[[bytes], bytes]) -> Change:
    """The bytes are others."""

    return lambda path: path.write_bytes(change(path.read_bytes()))


def add(
    files: dict[str, Hostile], name: str, run: str, change: Change, says: str, doors: Doors = LOAD
) -> None:
    """One more of `files`."""
    if name in files:
        raise ValueError(f"{name!r} is there twice")
    files[name] = Hostile(run, change, says, doors)


def record(name: str, version: Any = 1, **arguments: Any) -> dict[str, Any]:
    """A record of format 2."""
    return {"record": name, "version": version, "arguments": arguments}
