"""The bodies that came or left, in the file of a run: a series beside the parts, outside of their checksums.

Who is there follows from it, and with that how a run goes on. Rows up to the last state are therefore all
there and make sense, or the file is refused.
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


def read_changes(file: Any, bodies: int, gates: float, end: float) -> Series:
    """The changes before the last state, at the time `end` [s], of so many bodies and gates.

    Raises ValueError for what no run has written.
    """
    if CHANGES not in file:
        return NO_CHANGES
    t, value = (_whole(file, f"{CHANGES}/{part}") for part in ("t", "value"))
    if t.ndim != 1 or value.shape[1:] != (CHANGE,) or value.ndim != 2:
        shapes = f"{t.shape} and {value.shape}"
        raise ValueError(f"{CHANGES}: {shapes}: must be times and {CHANGE} numbers for each")
    late = np.flatnonzero(~(t < end))  # what follows was written for a part that is not complete
    count = int(late[0]) if len(late) else len(t)
    if (t[count:] < end).any():
        raise ValueError(f"{CHANGES}/t: must be times that do not decrease; {REMEDY}")
    t, value = t[:count], value[:count]
    body, stage, gate = value.T if len(value) == count else np.full((CHANGE, 1), np.nan)
    start = (t == -np.inf)[: len(gate)] & (gate == -1) & (stage >= 0)
    passed = (gate >= 0) & (gate < gates) & (stage >= PRESENT)
    if not ((body >= 0) & (body < bodies) & (stage <= GONE) & (start | passed)).all():
        raise ValueError(f"{CHANGES}/value: must be numbers of bodies, stages and gates; {REMEDY}")
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
