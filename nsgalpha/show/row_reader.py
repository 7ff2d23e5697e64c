"""Rows of arrays that may lie in a file: few reads of needed rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags
from nsgalpha.model.inlets_outlets import PRESENT, stages
from nsgalpha.run.body_events import stages_at
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import Contacts

NEAR = 1 << 19  # bytes between two rows that are read at once rather than twice
MOST = 1 << 25  # bytes that are read at once


def rows_at(values: Any, rows: Sequence[int] | np.ndarray) -> Any:
    """`values[rows]` of increasing numbers `rows`: in a file few slices are read."""
    rows = np.asarray(rows, np.int64)
    if isinstance(values, np.ndarray) or len(rows) == 0:
        return np.asarray(values[:0] if len(rows) == 0 else values[rows])
    row = max(int(np.prod(values.shape[1:], dtype=int)) * values.dtype.itemsize, 1)
    parts, first = [], 0
    far = np.flatnonzero(np.diff(rows) * row > NEAR) + 1
    for last in [*far.tolist(), len(rows)]:
        while first < last:
            end = min(int(np.searchsorted(rows, rows[first] + max(MOST // row, 1))), last)
            read = values[int(rows[first]) : int(rows[end - 1]) + 1]
            parts.append(read[rows[first:end] - rows[first]])
            first = end
    return np.concatenate(parts)


def picked(result: Result, records: Sequence[int]) -> Result:
    """The result with the recorded states of the increasing numbers `records` alone, in memory.

    Accelerations, memory of the integrator that no picture shows, are zero.
    """
    names = ("t", "position", "rotation", "velocity", "angular_velocity")
    memory = np.zeros((len(records), len(result.model.bodies), 6))
    return replace(
        result,
        **{name: rows_at(getattr(result, name), records) for name in names},
        acceleration=memory,
        auxiliary=memory,
        contacts=_picked_contacts(result.contacts, records),
        joints=rows_at(result.joints, records) if result.joints.shape[1] else np.empty((len(records), 0, 3)),
        histories=[result.histories[record] for record in records] if len(result.histories) else [],
    )


def present_at(result: Result, record: int) -> Flags:
    """True (N,) for the bodies that are there in the recorded state number `record`."""
    start, t = stages(result.model), np.asarray(result.t[record : record + 1])
    return stages_at(start, t, result.changes.t, result.changes.value)[0] == PRESENT


def _picked_contacts(contacts: Contacts, records: Sequence[int]) -> Contacts:
    start = np.asarray(contacts.start)
    counts = np.diff(start)[list(records)]
    rows = np.concatenate([np.arange(start[record], start[record + 1]) for record in records])
    names = [each.name for each in fields(contacts) if each.name != "start"]
    columns = {name: rows_at(getattr(contacts, name), rows) for name in names}
    return replace(contacts, start=np.concatenate([[0], np.cumsum(counts)]), **columns)
