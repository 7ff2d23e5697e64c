"""Damaged and edited files: changes of bytes, tables and texts.

Each mutation takes the path of a copy, which it changes, and a random generator, and returns a description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from nsgalpha.io.hdf5_tables import write_text

Random = np.random.Generator
SIGNATURES = re.compile(rb"TREE|SNOD|HEAP|OHDR|OCHK|FRHP|FHDB|FHIB|BTHD|BTIN|BTLF")
MOST_VALUES = 10**7  # of a dataset that is edited
AROUND = 600  # bytes after a signature that are taken for metadata


def in_use(content: bytes) -> np.ndarray[Any, Any]:
    """Places of bytes, most of which are metadata: those after the signatures of HDF5's structures."""
    mask = np.zeros(len(content), bool)
    mask[:96] = True
    for found in SIGNATURES.finditer(content):
        mask[found.start() : found.start() + AROUND] = True
    filled = np.frombuffer(content, np.uint8) != 0
    filled[1:] |= filled[:-1]
    return np.flatnonzero(mask & filled)


def a_place(content: bytes, random: Random) -> int:
    """A byte that is in use, as often in metadata as elsewhere."""
    places = in_use(content) if random.random() < 0.6 else np.flatnonzero(np.frombuffer(content, np.uint8))
    return int(random.choice(places))


def flip(path: Path, random: Random) -> str:
    """One to three bits are others."""
    content = bytearray(path.read_bytes())
    before = bytes(content)
    bits = [(a_place(before, random), int(random.integers(8))) for _ in range(random.integers(1, 4))]
    for place, bit in bits:
        content[place] ^= 1 << bit
    path.write_bytes(content)
    return f"bits {bits}"


def overwrite(path: Path, random: Random) -> str:
    """A run of bytes is 0, 255 or noise."""
    content = bytearray(path.read_bytes())
    place, count = a_place(bytes(content), random), int(2 ** random.uniform(0, 10))
    count = min(count, len(content) - place)
    value = [bytes(count), b"\xff" * count, random.bytes(count)][random.integers(3)]
    content[place : place + count] = value
    path.write_bytes(content)
    return f"{count} bytes at {place} are {value[:2]!r}..."


def swap(path: Path, random: Random) -> str:
    """Two blocks have changed places."""
    content = bytearray(path.read_bytes())
    size = int(2 ** random.integers(3, 13))
    a, b = (min(a_place(bytes(content), random), len(content) - size) for _ in range(2))
    content[a : a + size], content[b : b + size] = content[b : b + size], content[a : a + size]
    path.write_bytes(content)
    return f"{size} bytes at {a} and {b} are swapped"


def truncate(path: Path, random: Random) -> str:
    """The end is missing."""
    content = path.read_bytes()
    size = int(random.integers(len(content)))
    path.write_bytes(content[:size])
    return f"cut off at {size} of {len(content)}"


def chunk_index(path: Path, random: Random) -> str:
    """A bit of the places and contents of chunks."""
    content = bytearray(path.read_bytes())
    trees = [found.start() for found in re.finditer(rb"TREE\x01", content)]
    tree = int(random.choice(trees))
    entries = int.from_bytes(content[tree + 6 : tree + 8], "little")
    place = tree + int(random.integers(4, 24 + 48 * max(entries, 1)))
    bit = int(random.integers(8))
    content[place] ^= 1 << bit
    path.write_bytes(content)
    return f"bit {place - tree}, {bit} of the tree at {tree}"


DAMAGE: tuple[Callable[[Path, Random], str], ...] = (flip, overwrite, swap, truncate, chunk_index)


HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308, 1e-320,
    float("nan"), float("inf"), "", "..", "os:system", "\x1b[31m", "\x00", "a" * 5000, [], {}, [[]], [None],
    {"body": 0}, {"body": -1}, {"body": 99}, {"body": True}, {"body": 1.0}, {"bodies": [0, 0]}, {"plane": 1},
    {"primitive": 0}, {"primitives": [0, 1]}, {"bodies": []}, {"float": "nan"}, {"float": "inf"},
    {"float": "1"}, {"missing": "x"}, {"missing": None}, {"array": [1.0], "dtype": "float64", "shape": [1]},
    {"array": [1], "dtype": "object", "shape": [1]}, {"array": [], "dtype": "float64", "shape": [0, 3]},
    {"array": [1.0], "dtype": "float16", "shape": [10**9]}, {"record": "Drag", "version": 1, "arguments": {}},
    {"record": "Hertz", "version": 1, "arguments": {"modulus": 1e5}},
    {"record": "os:system", "version": 1, "arguments": {"command": "true"}}, {"function": "os:system"},
    {"object": "builtins:exec", "state": {"x": 1}}, {"tuple": [1, 2]}, {"bodies": "x"},
)  # fmt: skip


def nodes(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values within plain data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(path for key, each in items for path in nodes(each, (*at, key)))]


def edit_json(data: Any, random: Random) -> str:
    """Replace, remove, rename or repeat a value in `data`."""
    paths = nodes(data)[1:]
    *parents, key = paths[random.integers(len(paths))]
    owner = data
    for each in parents:
        owner = owner[each]
    kind = random.integers(8)
    if kind == 0:
        del owner[key]
        return f"{parents} {key} removed"
    if kind == 1:
        if isinstance(owner, dict):
            owner[str(random.choice(["x", "among", "version"]))] = owner.pop(key)
        else:
            owner.append(owner[key])
        return f"{parents} {key} renamed or repeated"
    if kind == 2:
        donor = data
        for each in paths[random.integers(len(paths))]:
            donor = donor[each]
        owner[key] = json.loads(json.dumps(donor))
        return f"{parents} {key} = {str(donor)[:60]}"
    owner[key] = HOSTILE[random.integers(len(HOSTILE))]
    return f"{parents} {key} = {str(owner[key])[:60]}"


def description(path: Path, random: Random) -> str:
    """The JSON of the model or of the settings is another one."""
    with h5py.File(path, "r+") as file:
        name = "settings" if random.random() < 0.3 else "model/description"
        text = bytes(file[name][:]).decode()
        data = json.loads(text)
        said = [edit_json(data, random) for _ in range(random.integers(1, 3))]
        try:
            text = json.dumps(data)
        except ValueError:  # integers that are too long
            text = text.replace("0", "9" * 5000, 1)
        group, _, last = name.rpartition("/")
        del file[name]
        write_text(file[group] if group else file, last, text)
    return f"{name}: {'; '.join(said)}"


def structure(path: Path, random: Random) -> str:
    """A table, group or attribute is gone, another, or of another kind."""
    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        said = []
        for _ in range(random.integers(1, 3)):
            name = str(random.choice(names))
            if random.random() < 0.12:
                said.append(_attribute(file, random))
            elif name in file:
                said.append(_object(file, name, random))
    return "; ".join(said)


def _attribute(file: Any, random: Random) -> str:
    key = str(random.choice(sorted(file.attrs)))
    values: list[Any] = [
        None,
        0,
        -1,
        99,
        float("nan"),
        "",
        "[]",
        "{}",
        '{"ok": 1}',
        "\x1b",
        np.arange(5),
        b"\xff\xfe",
    ]
    value = values[random.integers(len(values))]
    del file.attrs[key]
    if value is not None:
        file.attrs[key] = value
    return f"attribute {key} = {value!r}"


def _object(file: Any, name: str, random: Random) -> str:
    data, kind = file[name], int(random.integers(9))
    if kind == 0:
        del file[name]
        return f"{name} deleted"
    if kind == 1:
        donors: list[str] = []
        file.visit(donors.append)
        donor = str(random.choice([each for each in donors if not name.startswith(each)] or ["filled"]))
        del file[name]
        if donor in file:
            file[name] = file[donor]
        return f"{name} is {donor}"
    if kind == 2:
        del file[name]
        file[name] = (
            h5py.SoftLink("/filled") if random.random() < 0.5 else h5py.ExternalLink("/etc/hosts", "/")
        )
        return f"{name} is a link"
    if isinstance(data, h5py.Group):
        del file[name]
        file[name] = np.zeros(3)
        return f"{name} is a dataset"
    if (data.size or 0) > MOST_VALUES:  # as an edit before has made it
        return f"{name} is as it was"
    values = np.asarray(data[()])
    if kind == 3 and data.maxshape and None in data.maxshape:
        rows = int(random.choice([0, 1, max(len(data) - 1, 0), len(data) + 3, 10**9]))
        data.resize(rows, axis=0)
        return f"{name} has {rows} rows"
    if kind == 4 and np.size(values) and values.dtype.kind in "iuf":
        index = tuple(int(random.integers(n)) for n in values.shape)
        choice = (
            [-1, 0, 1, 3, 100, 127] if values.dtype.kind in "iu" else [np.nan, np.inf, -1.0, 0.0, 1e308, 2.0]
        )
        value = choice[random.integers(6)]
        try:
            data[index] = value
        except (OverflowError, OSError):
            return f"{name} is as it was"
        return f"{name}{list(index)} = {value}"
    del file[name]
    if kind == 5:
        file.create_group(name)
        return f"{name} is a group"
    if kind == 6:
        dtypes = [
            "f4",
            "i1",
            "u8",
            "S5",
            "c16",
            "f2",
            [("a", "i4")],
            "bool",
            h5py.string_dtype(),
            h5py.ref_dtype,
        ]
        dtype = dtypes[random.integers(len(dtypes))]
        file.create_dataset(name, np.shape(values), dtype=dtype)
        return f"{name} is of type {dtype}"
    if kind == 7:
        shape = [(), (0,), (3,), (1, 1, 1, 1), (2**40,), (2**20, 2**20), (0, 5)][random.integers(7)]
        chunks = None if 0 in shape or shape == () else tuple(min(n, 64) for n in shape)
        file.create_dataset(
            name, shape, dtype=values.dtype if values.dtype.kind in "iuf" else "f8", chunks=chunks
        )
        return f"{name} has shape {shape}"
    file.create_dataset(name, data=np.flip(values) if np.ndim(values) else values)
    return f"{name} is reversed"


EDITS: tuple[Callable[[Path, Random], str], ...] = (structure, description)
