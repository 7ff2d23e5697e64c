"""Opening of a run's file: its type and format, checked before anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath, stat
from time import sleep
from typing import Any, TypeVar

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.io.hdf5 import DAMAGE, one_line, open_to_read, regular_file
from nsgalpha.io.hdf5_structure import missing_bytes
from nsgalpha.io.hdf5_text import checked_attribute
from nsgalpha.io.new_file import LIBRARY

FORMAT = "nsgalpha run"
OLDEST, VERSION = 2, 4  # formats that are read; the last is written
PACKED = 3  # format whose full chunks are packed, with the memory of the integrator in last states only
KEYED = 4  # format whose contacts are known by keys, see earlier_features.py
MOST_ATTRIBUTE = 2**16  # bytes that the header of an object holds
# seconds between two tries to read data that are being written, and their number
PAUSE, MOST_TRIES = 0.01, 50

_T = TypeVar("_T")


class RefusedFile(OSError, ValueError):
    """A file that is damaged, or has content that no run has written."""


@contextmanager
def refusing(path: str | PathLike[str]) -> Iterator[None]:
    """Context in which errors of a file's content become a RefusedFile that names it."""
    try:
        yield
    except (FileNotFoundError, PermissionError, RefusedFile):
        raise
    except DAMAGE as error:
        raise RefusedFile(f"path = {fspath(path)!r}: {one_line(error)}") from error


def steadily(path: str | PathLike[str], read: Callable[[], _T]) -> _T:
    """Return `read()`, repeated if it fails while another process writes half a chunk."""
    tries, before = 0, _stamp(path)
    while True:
        try:
            return read()
        except RefusedFile:
            sleep(PAUSE)
            tries, (before, last) = tries + 1, (_stamp(path), before)
            if tries > MOST_TRIES or (tries > 1 and before == last):
                raise


def _stamp(path: str | PathLike[str]) -> tuple[int, ...]:
    try:
        found = stat(path)
    except (OSError, ValueError):
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def open_file(path: str | PathLike[str], mode: str = "r") -> Any:
    """The open HDF5 file of a run; see `stored.load` for the errors."""
    import h5py

    try:
        with refusing(path):
            name = regular_file(path)
    except FileNotFoundError:
        message = f"path = {fspath(path)!r}: there is no such file; give that of a recording"
        raise FileNotFoundError(message) from None
    try:
        file = open_to_read(name) if mode == "r" else h5py.File(name, mode, libver=LIBRARY)
    except BlockingIOError:
        raise OSError(f"path = {name!r}: another process is writing to it; wait for its end") from None
    except DAMAGE as error:
        text = f"is no HDF5 file that can be opened ({one_line(error)})"
        if missing := missing_bytes(name):
            remedy = "nsgalpha info --repair keeps its whole parts"
            text = f"is cut off: {missing} bytes at its end are missing; {remedy}"
        raise RefusedFile(f"path = {name!r}: {text}") from None
    if mode != "r" and h5py.h5f.get_obj_count(file.id, h5py.h5f.OBJ_FILE) > 1:
        file.close()
        raise OSError(f"path = {name!r}: is open already in this process; wait for the end of its run")
    try:
        with refusing(name):
            _require_format(file)
    except RefusedFile:
        file.close()
        raise
    return file


def format_of(file: Any) -> int:
    """The version of the format."""
    return int(file.attrs["format_version"])


def attribute(file: Any, name: str, default: str | None = None) -> str:
    """A text attribute of the file. Raises ValueError for others, or without a `default`."""
    value = checked_attribute(file, name, most=MOST_ATTRIBUTE, default=default)
    if not isinstance(value, str):
        raise refuse(f"@{name}", value, "a text")
    return value


def set_attribute(file: Any, name: str, text: str) -> None:
    """Write a text into the header of the file, which has a checksum."""
    file.attrs[name] = np.bytes_(text.encode())


def _require_format(file: Any) -> None:
    if attribute(file, "format", "") != FORMAT:
        raise ValueError("is not the file of a run of nsgalpha")
    found = file.attrs.get_id("format_version") if "format_version" in file.attrs else None
    if found is None or found.shape != () or found.dtype.kind not in "iu":
        raise ValueError(f"format_version must be an integer in [{OLDEST}, {VERSION}]")
    version = format_of(file)
    if version > VERSION:
        maker = attribute(file, "nsgalpha", "of an unknown version")
        raise ValueError(f"was made by nsgalpha {maker}, which is later than this one (format {version})")
    if version < OLDEST:
        raise ValueError(f"format_version = {version}: must be in [{OLDEST}, {VERSION}]")
