"""Rows of the file of a sweep: points and outcomes as JSON. A row holds numbers, texts and arrays of them.

Nothing else is made. Types are those of arrays of numbers and texts, and shapes fit the data. The memory of
texts of a fixed length is bounded for the whole file.
"""

import json
import math
from typing import Any
from zlib import crc32

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.sweeps.sweep_points import OUTCOME_COLUMNS, Point
from nsgalpha.sweeps.worker_task import DONE, ENDED_EARLY, FAILED, LOST, NOT_RUN, TaskOutcome

KINDS: dict[str, tuple[type, ...]] = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}
ROOM = 1 << 30  # bytes that the texts of all rows may take
KEYS = {"point", "outcome", "message", "seconds", "tries", "values"}
CHECK = "crc32"


def line_of(point: Point, outcome: TaskOutcome) -> bytes:
    """The line of a point, with its checksum, without the end."""
    columns = {name: getattr(outcome, name) for name in OUTCOME_COLUMNS}
    values = {name: encoded(name, value) for name, value in outcome.values.items()}
    text = json.dumps({"point": encoded_point(point), **columns, "values": values})
    return f'{text[:-1]}, "{CHECK}": {crc32(text.encode())}}}'.encode()


def encoded_point(point: Point) -> dict[str, Any]:
    """`point` for JSON; the order of its names does not matter."""
    return {name: encoded(name, point[name]) for name in sorted(point)}


def encoded(name: str, value: Any) -> Any:
    """`value` for JSON: as it is, or an array with its type and shape; ValueError for anything else."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [encoded(name, each) for each in value]
    array = np.asarray(value)
    if array.dtype.kind == "c":
        return {"complex": encoded(name, np.stack([array.real, array.imag]))}
    if array.dtype.kind not in KINDS:
        allowed = "a number, a text, None, or a list or array of them, if there is a file"
        raise refuse(name, value, allowed)
    if array.ndim == 0:
        return array.item()
    return {"array": array.ravel().tolist(), "type": array.dtype.str, "shape": array.shape}


class RowReader:
    """Reads the rows of one file."""

    def __init__(self) -> None:
        self._room = ROOM

    def row(self, line: bytes) -> tuple[str, TaskOutcome]:
        """The point as it is known, and its outcome.

        Raises ValueError, TypeError, OverflowError or RecursionError for a line that `line_of` cannot have
        written.
        """
        row = json.loads(line)
        if not isinstance(row, dict):
            raise ValueError("it is no row")
        check = row.pop(CHECK, None)  # which files of the first sweeps do not have
        if row.keys() != KEYS:
            raise ValueError(f"it has the names {', '.join(map(repr, row))}")
        if check is not None and check != crc32(json.dumps(row).encode()):
            raise ValueError("its checksum is another")
        point, outcome, values = row["point"], row["outcome"], row["values"]
        if not (isinstance(point, dict) and isinstance(values, dict)):
            raise ValueError("its point or values are no names with values")
        if outcome not in (DONE, ENDED_EARLY, FAILED, LOST, NOT_RUN) or not isinstance(row["message"], str):
            raise ValueError(f"its outcome is {outcome!r}")
        seconds, tries = row["seconds"], row["tries"]
        if type(seconds) not in (int, float) or not 0.0 <= seconds < math.inf:
            raise ValueError(f"seconds = {seconds!r}")
        if type(tries) is not int or tries < 0:
            raise ValueError(f"tries = {tries!r}")
        found = {name: self.decoded(value) for name, value in values.items()}
        return json.dumps(point), TaskOutcome(outcome, found, row["message"], float(seconds), tries)

    def decoded(self, value: Any) -> Any:
        """The value that `encoded` was given; ValueError for one that it cannot have written."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if not isinstance(value, dict):
            raise ValueError("a value is a list")
        if value.keys() != {"complex"}:
            return self._array(value)
        parts = self._array(value["complex"])
        if parts.dtype.kind != "f" or parts.shape[:1] != (2,):
            raise ValueError("a complex value has other parts than two")
        array = parts[0] + 1j * parts[1]
        return array.item() if array.ndim == 0 else array

    def _array(self, value: Any) -> Any:
        """An array that is written with its type and shape."""
        if not isinstance(value, dict) or value.keys() != {"array", "type", "shape"}:
            raise ValueError("a value is no array")
        items, shape = value["array"], value["shape"]
        if not isinstance(value["type"], str) or not (isinstance(items, list) and isinstance(shape, list)):
            raise ValueError("an array has no items, type or shape")
        if not all(type(size) is int and size >= 0 for size in shape) or math.prod(shape) != len(items):
            raise ValueError(f"an array of {len(items)} items has the shape {shape}")
        dtype = np.dtype(value["type"])
        if dtype.kind not in KINDS or not all(type(each) in KINDS[dtype.kind] for each in items):
            raise ValueError(f"an array of the type {value['type']} has other items")
        if dtype.kind in "iu":
            bounds = np.iinfo(dtype)
            if not all(bounds.min <= each <= bounds.max for each in items):
                raise ValueError(f"an item is out of bounds for the type {value['type']}")
        if dtype.kind == "U":
            self._room -= dtype.itemsize * max(len(items), 1)
            if self._room < 0:
                raise ValueError(f"the texts of the file take more than {ROOM} bytes")
        with np.errstate(over="ignore"):
            return np.array(items, dtype=dtype).reshape(shape)
