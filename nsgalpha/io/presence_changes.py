"""Bodies that came or left, in a run's file: a series outside of the checksums.

The bodies that are present, and thus the continuation of a run, follow from it. Rows up to the last state are
therefore all there and consistent, or the file is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.io.hdf5 import checked_dataset
from nsgalpha.io.part_checksums import REMEDY, rows_of
from nsgalpha.model.inlets_outlets import GONE, PRESENT
from nsgalpha.run.body_events import CHANGE
from nsgalpha.run.run_records import NO_CHANGES, Series

CHANGES = "changes"
MOST = 1 << 30  # bytes


def read_changes(file: Any, bodies: int, open_boundaries: float, end: float) -> Series:
    """Changes before the last state, at `end` [s], of so many bodies and open boundaries.

    Raises ValueError for content that no run has written.
    """
    if CHANGES not in file:
        return NO_CHANGES
    t, value = (_whole(file, f"{CHANGES}/{part}") for part in ("t", "value"))
    if t.ndim != 1 or value.shape[1:] != (CHANGE,) or value.ndim != 2:
        shapes = f"{t.shape} and {value.shape}"
        raise ValueError(f"{CHANGES}: {shapes}: must be times and {CHANGE} numbers for each")
    late = np.flatnonzero(~(t < end))  # the rest was written for a part that is not complete
    count = int(late[0]) if len(late) else len(t)
    if (t[count:] < end).any():
        raise ValueError(f"{CHANGES}/t: must be times that do not decrease; {REMEDY}")
    t, value = t[:count], value[:count]
    body, stage, boundary = value.T if len(value) == count else np.full((CHANGE, 1), np.nan)
    start = (t == -np.inf)[: len(boundary)] & (boundary == -1) & (stage >= 0)
    passed = (boundary >= 0) & (boundary < open_boundaries) & (stage >= PRESENT)
    if not ((body >= 0) & (body < bodies) & (stage <= GONE) & (start | passed)).all():
        raise ValueError(f"{CHANGES}/value: must be numbers of bodies, stages and open boundaries; {REMEDY}")
    if (t[1:] < t[:-1]).any() or (value != np.rint(value)).any():
        raise ValueError(f"{CHANGES}/t: must be times that do not decrease; {REMEDY}")
    return Series(t, value)


def _whole(file: Any, name: str) -> Any:
    """All rows of a table, past a chunk that a kill has torn."""
    data = checked_dataset(file, name, kinds="f", most=MOST, whole=False)
    found = rows_of(data, 0, len(data)) if data.shape else None
    if found is None:
        raise ValueError(f"{name} is damaged; {REMEDY}")
    return np.asarray(found, float)
