"""Files of users: bounded reading of regular files, and writing without partial files."""

from __future__ import annotations

import csv
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

FORMULA = re.compile(r"[=@\t\r]|[-+].*[(|!]", re.DOTALL)  # how cells begin that spreadsheets compute
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would be waited for
BINARY = getattr(os, "O_BINARY", 0)


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """All of a regular file of at most `most` bytes.

    Raises OSError as `open` does, and for pipes, devices and sockets, before anything is read from them;
    ValueError for a file that is larger.
    """
    name = os.fspath(path)
    _check_regular(name, os.stat(name))  # opening a device may do something already
    with os.fdopen(os.open(name, os.O_RDONLY | NO_WAIT | BINARY), "rb") as stream:
        found = os.fstat(stream.fileno())
        _check_regular(name, found)
        content = stream.read(most + 1) if found.st_size <= most else b""
        size = max(found.st_size, len(content))
        if size > most:
            raise ValueError(f"{name!r} has {size / 1e6:.3g} MB: must be at most {most / 1e6:.3g} MB")
        return content


def _check_regular(name: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"{name!r} is a folder; name a file")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{name!r} is a pipe or a device; name a regular file")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside `path`, with its ending, which replaces it after writing.

    After any error within the file is as it was, with nothing beside it. The mode of a file that is replaced
    stays. A symbolic link is replaced itself, and its target left alone. A device, such as /dev/stdout, is
    written to as it is.

    Raises OSError if the folder does not exist or cannot be written to, or `path` is a folder.
    """
    target = Path(os.path.abspath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{str(path)!r}: its folder does not exist; make it, or name another one")
    if is_stream(target):
        yield target
        return
    draft = target.with_name(f".{token_hex(8)}{target.suffix}")
    try:  # begun here, so that no link of that name is followed
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        if target.is_file() and not target.is_symlink():
            os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
        yield draft
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def is_stream(path: Path) -> bool:
    """True for a pipe or a device, and for the target of /dev/stdout."""
    if path.is_symlink() and os.readlink(path).startswith("/proc/"):
        return True
    return path.exists() and not path.is_file()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` in UTF-8, with the ends of lines as they are; errors are those of `replacing`."""
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="")


def write_csv(path: str | os.PathLike[str], columns: Mapping[str, Iterable[Any]]) -> None:
    """Write a text file with commas: the names, then a line for each row.

    Errors are those of `replacing`. Numbers have all their digits. A text that a spreadsheet would run as a
    formula, such as `=A1`, has an apostrophe in front.
    """
    with replacing(path) as draft, draft.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([_cell(name) for name in columns])
        writer.writerows(zip(*(map(_cell, values) for values in columns.values()), strict=True))


def _cell(value: Any) -> Any:
    """A value as a cell that is only shown."""
    if value is None or isinstance(value, bool | int | float | complex):
        return value
    text = str(value)
    return f"'{text}" if FORMULA.match(text) else text
