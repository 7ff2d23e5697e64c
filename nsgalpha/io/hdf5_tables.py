"""Datasets of a run's file: tables that grow by rows, fixed tables, and texts.

All are stored in chunks with HDF5's checksum (Fletcher32), verified whenever a chunk is read. It is 0 for
zeros and takes bytes of ones for zeros, the content of a lost block of a disk. Therefore chunks are streams
of zlib of level 0 until they are full (chunk_packing.py). These are not compressed but have a head and a
checksum that differ from both. A chunk that is missing reads as `absent(dtype)`, a value that is never
written: so it is seen, too.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any
from zlib import crc32

import numpy as np

from nsgalpha.io.chunk_packing import append
from nsgalpha.io.hdf5 import checked_dataset, place, read_rows
from nsgalpha.model.state import STATE_WIDTHS, ContactHistory
from nsgalpha.run.run_records import CONTACT_WIDTHS, REAL_STATISTICS, STATISTICS, Contacts

STATES = ("t", "h", *STATE_WIDTHS)
CONTACTS = tuple(each.name for each in fields(Contacts)[1:])
#: Arrays that the first files have not: zeros.
ADDED = (
    "statistics/velocity_error",
    "statistics/fast",
    "statistics/singular",
    "statistics/resting",
    "statistics/h",
    "statistics/located",
    "statistics/trials",
    "statistics/handed",
    "statistics/error",
    "statistics/following",
    "statistics/speed",
    "states/h",
    "contacts/feature",
    "histories/feature",
)
JOINTS = "states/joints"  # of models with joints only
MEMORY = ("pair", "tangent", "values", "feature")  # rows of histories
HISTORIES = (*MEMORY, "opened", "end")

BODIES = 64  # of a chunk: that the motion of one body is read without that of all others
CHUNK_BYTES = 1 << 17
CHECKSUMS = {"shuffle": True, "fletcher32": True, "compression": "gzip", "compression_opts": 0}
TAIL = 8  # bytes of both checksums at the end of a chunk
ABSENT = np.array([0x7FF8DEADDEADDEAD], np.uint64).view(float)[0]  # a NaN that no calculation gives


def make_tables(file: Any, bodies: int, rows: int, states: int) -> None:
    """Empty tables of a run, in chunks of so many states."""
    group = file.create_group("states")
    empty_table(group, "t", np.float64)
    empty_table(group, "h", np.float64)
    for name, width in STATE_WIDTHS.items():
        chunk = (states, min(bodies, BODIES), width)
        empty_table(group, name, np.float64, (bodies, width), chunk)
    if rows:
        empty_table(group, "joints", np.float64, (rows, 3), (states, min(rows, BODIES), 3))
    group = file.create_group("contacts")
    empty_table(group, "end", np.int64)
    kinds: dict[str, Any] = dict.fromkeys(("body_a", "body_b", "plane"), np.int32)
    kinds |= {"feature": np.int64, "status": np.int8}
    for name in CONTACTS:
        empty_table(group, name, kinds.get(name, np.float64), contact_tail(name))
    group = file.create_group("statistics")
    for name in STATISTICS:
        empty_table(group, name, np.float64 if name in REAL_STATISTICS else np.int64)
    file.create_group("sensors")


def contact_tail(name: str) -> tuple[int, ...]:
    """The shape of a row in a column of contacts."""
    return (CONTACT_WIDTHS[name],) if name in CONTACT_WIDTHS else ()


def make_histories(file: Any, first: ContactHistory) -> None:
    """Empty tables for histories such as the first."""
    group = file.create_group("histories")
    empty_table(group, "end", np.int64)
    empty_table(group, "pair", np.int64, (4,))
    empty_table(group, "tangent", np.float64, (3,))
    empty_table(group, "values", np.float64, first.values.shape[1:])
    empty_table(group, "feature", np.int64)
    empty_table(group, "opened", np.float64, first.opened.shape)


def empty_table(
    group: Any, name: str, dtype: Any, tail: tuple[int, ...] = (), chunk: tuple[int, ...] | None = None
) -> None:
    """An empty dataset of rows (..., *tail)."""
    row = np.dtype(dtype).itemsize * int(np.prod(tail, dtype=int))
    rows = int(np.clip(CHUNK_BYTES // max(row, 1), 1, 4096))
    shape = tuple(max(size, 1) for size in tail)
    no_rows(group, name, dtype, chunk or (rows, *shape), (None, *(size or None for size in tail)), tail)


def no_rows(group: Any, name: str, dtype: Any, chunks: Any, most: Any, tail: tuple[int, ...]) -> None:
    """An empty dataset of rows (..., *tail) in `chunks`; `most` is its largest shape."""
    options = {"dtype": dtype, "chunks": chunks, "fillvalue": absent(np.dtype(dtype)), **CHECKSUMS}
    group.create_dataset(name, (0, *tail), maxshape=most, **options)


def append_rows(data: Any, rows: Any) -> int:
    """Write `rows` behind those that a table has; returns their checksum."""
    values: Any = np.ascontiguousarray(rows, data.dtype)
    if len(values):
        append(data, values)
    return crc32(values)


def write_table(group: Any, name: str, values: Any) -> None:
    """A table of one piece; truths are 0 and 1."""
    array = np.asarray(values)
    array = array.astype(np.int8) if array.dtype == bool else array
    rows = max(CHUNK_BYTES // max(array[:1].nbytes, 1), 1)
    chunk = None if array.size == 0 else (min(len(array), rows), *array.shape[1:])
    options = {} if chunk is None else {"chunks": chunk, "fillvalue": absent(array.dtype), **CHECKSUMS}
    group.create_dataset(name, data=array, **options)


def read_table(group: Any, name: str, *, kinds: str = "iuf", most: int = 1 << 33) -> Any:
    """The values of a table of one piece; ValueError if it is damaged."""
    data = checked_dataset(group, name, kinds=kinds, most=most)
    return present(np.asarray(read_rows(data)), place(group, name))


def write_text(group: Any, name: str, text: str) -> None:
    """A text, in UTF-8."""
    write_table(group, name, np.frombuffer(text.encode(), np.uint8))


def read_text(group: Any, name: str, most: int) -> str:
    """A text of at most `most` bytes; ValueError if it is damaged."""
    data = checked_dataset(group, name, kinds="u", most=most)
    try:
        return bytes(np.ravel(read_rows(data)).astype(np.uint8)).decode()
    except UnicodeDecodeError:
        raise ValueError(f"{place(group, name)} is no text in UTF-8") from None


def absent(dtype: Any) -> Any:
    """The value of rows that are not there."""
    if dtype == np.float64:
        return ABSENT
    if dtype.kind == "i":
        return np.iinfo(dtype).min
    return np.iinfo(dtype).max if dtype.kind == "u" else None


def present(values: Any, where: str) -> Any:
    """`values`, which were read; ValueError if some of them are not in the file."""
    array = np.asarray(values)
    if array.dtype == np.float64:
        lost = np.ascontiguousarray(array).view(np.uint64) == np.float64(ABSENT).view(np.uint64)
    else:
        lost = array == absent(array.dtype) if array.dtype.kind == "i" else np.zeros(1, bool)
    if lost.any():
        raise ValueError(f"{where}: rows of it are not in the file")
    return values
