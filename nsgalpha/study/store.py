"""The file of a sweep: a line of JSON for each point, written as it comes.

The first line says what the file is and which function it belongs to. A line is written at once: a sweep
that is killed leaves at most one that has no end, which is cut off. Floats are written with all their
digits. The rows are known by their points, so that a sweep may be continued with more of them.
"""

import functools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nsgalpha import checks
from nsgalpha.checks import refuse
from nsgalpha.study.points import Point
from nsgalpha.study.task import DONE, ENDED_EARLY, OUTCOMES, Outcome

FORMAT = "nsgalpha sweep, version 1"
KEPT = (DONE, ENDED_EARLY)  # others are tried again
LARGEST = 1_000_000_000  # bytes of an array
STORED = re.compile(r"[|<>]([biuf]\d{1,2}|U\d{1,5})")  # types of arrays


class Store:
    """The rows on disk; closed by `close()`."""

    def __init__(self, path: Path, build: Callable[..., Any]) -> None:
        self._known: dict[str, Outcome] = {}
        head = {"format": FORMAT, "function": name_of(build)}
        if path.exists() and not (path.is_file() or path.is_dir()):  # one might wait for ever for its text
            raise refuse("file", str(path), "a regular file", "it is a pipe or a device")
        whole = path.read_bytes() if path.exists() else b""
        whole = whole[: whole.rfind(b"\n") + 1]
        first, *rows = whole.splitlines() or [b""]
        if first:
            self._read(path, head, first, rows)
        self._stream = path.open("r+b" if path.exists() else "xb")
        self._stream.truncate(len(whole))
        self._stream.seek(len(whole))
        if not first:
            self._write(head)

    def _read(self, path: Path, head: dict[str, str], first: bytes, rows: list[bytes]) -> None:
        try:
            found = json.loads(first)
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise refuse("file", str(path), "a file written by sweep, or a new one")
        if found != head:
            remedy = f"it holds points of {found.get('function')}; name another file"
            raise refuse("file", str(path), f"a file of the function {head['function']}", remedy)
        for number, row in enumerate(rows, start=2):
            try:
                point, outcome = _row(row)
            except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError) as error:
                remedy = f"line {number} is none ({error}); delete it, and its point is run again"
                raise refuse("file", str(path), "a file of rows written by sweep", remedy) from None
            self._known[json.dumps(point)] = outcome

    def find(self, point: Point) -> Outcome | None:
        """What the file says of `point`, if it need not be run again."""
        found = self._known.get(json.dumps(encoded_point(point)))
        return found if found is not None and found.outcome in KEPT else None

    def append(self, point: Point, outcome: Outcome) -> None:
        """Write a row."""
        self._write(
            {
                "point": encoded_point(point),
                "outcome": outcome.outcome,
                "message": outcome.message,
                "seconds": outcome.seconds,
                "tries": outcome.tries,
                "values": {name: encoded(name, value) for name, value in outcome.values.items()},
            }
        )

    def _write(self, row: dict[str, Any]) -> None:
        self._stream.write(json.dumps(row).encode() + b"\n")
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _row(text: bytes) -> tuple[dict[str, Any], Outcome]:
    """The point and the outcome of a line; one of several errors if it is no row."""
    row = checks.instance("row", json.loads(text), dict, "a row")
    found = checks.instance("values", row["values"], dict, "names and values")
    values = {checks.text("name", name): decoded(value) for name, value in found.items()}
    return checks.instance("point", row["point"], dict, "names and values"), Outcome(
        checks.choice("outcome", row["outcome"], OUTCOMES),
        values,
        checks.instance("message", row["message"], str, "a text"),
        checks.number_in("seconds", row["seconds"], 0.0, math.inf),
        checks.integer("tries", row["tries"], 0),
    )


def name_of(function: Callable[..., Any]) -> str:
    """Module and name of a function; what a `functools.partial` has bound belongs to it."""
    if isinstance(function, functools.partial):
        bound = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return f"{name_of(function.func)}({', '.join(bound)})"
    kind = function if isinstance(function, type) else type(function)
    return f"{function.__module__}.{getattr(function, '__qualname__', kind.__qualname__)}"


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
    if array.dtype.kind not in "biufU":
        allowed = "a number, a text, None, or a list or array of them, if there is a file"
        raise refuse(name, value, allowed)
    if array.ndim == 0:
        return array.item()
    return {"array": array.ravel().tolist(), "type": array.dtype.str, "shape": array.shape}


def decoded(value: Any) -> Any:
    """What `encoded` was given."""
    if not isinstance(value, dict):
        return value
    if "complex" in value:
        real, imaginary = decoded(value["complex"])
        array = real + 1j * imaginary
        return array.item() if array.ndim == 0 else array
    kind, numbers = checks.text("type", value["type"]), checks.listed("array", value["array"], "a list")
    if not STORED.fullmatch(kind) or np.dtype(kind).itemsize * len(numbers) > LARGEST:
        raise refuse("type", kind, "that of an array of numbers or texts")
    return np.array(numbers, dtype=kind).reshape(value["shape"])
