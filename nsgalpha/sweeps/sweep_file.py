"""The file of a sweep: a line of JSON for each point, written as it comes.

The first line names the file type and the function it belongs to. A line is written at once: a sweep that is
killed leaves at most one that has no end, which is cut off. Floats are written with all their digits. The
rows are known by their points, so that a sweep may be continued with more of them. Each has a checksum: one
that was damaged is refused. Allowed contents of a row are in sweep_rows.py. Of two sweeps at a time the
second is refused: the lines of both would be mixed.
"""

import errno
import functools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from nsgalpha.checks import refuse
from nsgalpha.sweeps.sweep_points import Point
from nsgalpha.sweeps.sweep_rows import RowReader, encoded_point, line_of
from nsgalpha.sweeps.worker_task import DONE, ENDED_EARLY, TaskOutcome

FORMAT = "nsgalpha sweep, version 1"
KEPT = (DONE, ENDED_EARLY)  # others are tried again
LONGEST = 1 << 28  # bytes of a line
BEYOND = 1 << 62  # a byte that no file has, of which a lock keeps nobody from reading


class SweepStore:
    """The rows on disk; closed by `close()`."""

    def __init__(self, path: Path, build: Callable[..., Any]) -> None:
        self._known: dict[str, TaskOutcome] = {}
        head = json.dumps({"format": FORMAT, "function": name_of(build)}).encode()
        there = path.exists()
        if there and not path.is_file():  # one might wait for ever for its content
            what = "a folder" if path.is_dir() else "a pipe or a device"
            raise refuse("file", str(path), "a regular file", f"it is {what}")
        self._stream: BinaryIO = path.open("r+b" if there else "xb")
        try:
            if not _locked(self._stream):
                remedy = "wait until it has ended, or name another file"
                raise refuse("file", str(path), "a file that no other sweep is writing to", remedy)
            whole = self._read(path, head) if there else 0
            self._stream.seek(whole)
            self._stream.truncate()
            #: bytes of whole lines, and the point of the last that was appended
            self._written: tuple[int, Point | None] = whole, None
            if not whole:
                self._write(head, None)
        except BaseException:
            self._stream.close()
            raise

    def _read(self, path: Path, head: bytes) -> int:
        """Keep the rows; returns the bytes of the lines that have an end."""
        lines, reader, whole = _lines(self._stream), RowReader(), 0
        first = next(lines, b"")
        if not first.endswith(b"\n"):
            if not head.startswith(first):  # else the sweep was killed as it began
                raise _other(path)
            return 0
        _check_head(path, first, head)
        whole += len(first)
        for number, line in enumerate(lines, start=2):
            if not line.endswith(b"\n"):
                if len(line) >= LONGEST:
                    raise _damaged(path, number, f"it has more than {LONGEST} bytes")
                break
            try:
                point, outcome = reader.row(line)
            except (ValueError, TypeError, OverflowError, RecursionError) as error:
                raise _damaged(path, number, str(error)) from None
            self._known[point] = outcome
            whole += len(line)
        return whole

    def find(self, point: Point) -> TaskOutcome | None:
        """The outcome of `point` in the file, if it need not be run again."""
        found = self._known.get(json.dumps(encoded_point(point)))
        return found if found is not None and found.outcome in KEPT else None

    def append(self, point: Point, outcome: TaskOutcome) -> None:
        """Write a row. After Ctrl-C the same call again makes it whole, if it is not."""
        if self._written[1] is not point:
            self._write(line_of(point, outcome), point)

    def _write(self, line: bytes, point: Point | None) -> None:
        end, _ = self._written
        self._stream.seek(end)
        self._stream.write(line + b"\n")
        self._stream.flush()
        self._written = end + len(line) + 1, point

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _locked(stream: BinaryIO) -> bool:
    """False if another sweep has locked the file; else lock it until closed.

    File systems without locks let all pass.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(BEYOND)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
            stream.seek(0)
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
    return True


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    while line := stream.readline(LONGEST):
        yield line


def _check_head(path: Path, first: bytes, head: bytes) -> None:
    """ValueError unless the `first` line is that of this format, and of the function of `head`."""
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _other(path)
    if found != json.loads(head):
        remedy = f"it holds points of {found.get('function')}; name another file"
        raise refuse("file", str(path), f"a file of the function {json.loads(head)['function']}", remedy)


def _other(path: Path) -> ValueError:
    return refuse("file", str(path), "a file written by sweep, or a new one")


def _damaged(path: Path, number: int, reason: str) -> ValueError:
    remedy = "remove the line, and its point is run again"
    return ValueError(f"file = {str(path)!r}: line {number} is damaged: {reason}; {remedy}")


def name_of(function: Callable[..., Any]) -> str:
    """Module and name of a function; bound arguments of a `functools.partial` belong to it."""
    if isinstance(function, functools.partial):
        bound = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return f"{name_of(function.func)}({', '.join(bound)})"
    kind = function if isinstance(function, type) else type(function)
    return f"{function.__module__}.{getattr(function, '__qualname__', kind.__qualname__)}"
