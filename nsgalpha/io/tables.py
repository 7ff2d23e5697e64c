"""The tables of the file of a run: datasets that grow by rows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from nsgalpha.io.stored import CONTACTS, STATES
from nsgalpha.model.state import ContactHistory
from nsgalpha.run.result import Statistics

BODIES = 64  # of a chunk: that the motion of one body is read without that of all others
CHUNK_BYTES = 1 << 17


def make_tables(file: Any, bodies: int, states: int) -> None:
    """Empty tables of a run with so many bodies, in chunks of so many states."""
    widths = dict.fromkeys(STATES[1:], 3) | {"rotation": 4, "acceleration": 6, "auxiliary": 6}
    group = file.create_group("states")
    empty_table(group, "t", np.float64)
    for name, width in widths.items():
        chunk = (states, min(bodies, BODIES), width)
        empty_table(group, name, np.float64, (bodies, width), chunk)
    group = file.create_group("contacts")
    empty_table(group, "end", np.int64)
    widths = {"normal": 3, "impulse": 3, "wrench": 6, "multipliers": 6}
    kinds = dict.fromkeys(("body_a", "body_b", "plane"), np.int32) | {"status": np.int8}
    for name in CONTACTS:
        tail = (widths[name],) if name in widths else ()
        empty_table(group, name, kinds.get(name, np.float64), tail)
    group = file.create_group("statistics")
    for each in fields(Statistics):
        real = each.name in ("position_residual", "velocity_residual", "penetration")
        empty_table(group, each.name, np.float64 if real else np.int64)
    file.create_group("sensors")


def make_histories(file: Any, first: ContactHistory) -> None:
    """Empty tables for histories such as the first."""
    group = file.create_group("histories")
    empty_table(group, "end", np.int64)
    empty_table(group, "pair", np.int64, (4,))
    empty_table(group, "tangent", np.float64, (3,))
    empty_table(group, "values", np.float64, first.values.shape[1:])
    empty_table(group, "opened", np.float64, first.opened.shape)


def empty_table(
    group: Any, name: str, dtype: Any, tail: tuple[int, ...] = (), chunk: tuple[int, ...] | None = None
) -> None:
    """An empty dataset of rows (..., *tail)."""
    row = np.dtype(dtype).itemsize * int(np.prod(tail, dtype=int))
    rows = int(np.clip(CHUNK_BYTES // max(row, 1), 1, 4096))
    shape = tuple(max(size, 1) for size in tail)
    group.create_dataset(
        name,
        (0, *tail),
        maxshape=(None, *(size or None for size in tail)),
        dtype=dtype,
        chunks=chunk or (rows, *shape),
    )


def append_rows(data: Any, rows: Any) -> None:
    """Write `rows` behind those that a table has."""
    if len(rows):
        count = len(data)
        data.resize(count + len(rows), axis=0)
        data[count:] = rows
