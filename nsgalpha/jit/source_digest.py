"""Sources of kernels: their digest is a part of the machine code's file name.

Regular files of a bounded size are read. Other things called `*.py`, pipes, devices and folders, are no
sources, and unreadable files count by their size and date.

Sources may change while a process lasts, and be loaded again. It may then have some in memory as they were,
and others as they are. Its machine code is that of no state of the files: none is read or kept then.
"""

from __future__ import annotations

import hashlib
import os
import stat
from functools import cache
from pathlib import Path

from nsgalpha.user_files import read_bytes

_PACKAGE = Path(__file__).resolve().parents[1]
#: Folders on which no kernel of others depends.
WITHOUT_KERNELS = ("api", "case", "commands", "io", "robots", "show", "sweeps", "testing")
LARGEST = 4_000_000  # bytes of a source that is read

State = tuple[int, int, int]  # size, time of the last change [ns] and number of a file


class Sources:
    """The `.py` files in `folder` that the `pattern` names, as they are now; but not of folders `without`.

    digest: of their names and contents. changed: why they are not as they were, "" if they are.
    """

    def __init__(self, folder: Path, pattern: str, without: tuple[str, ...]) -> None:
        self._folder, self._pattern, self._without = folder, pattern, without
        self._is_ours = folder.parent == Path(__file__).resolve().parents[2]  # hundreds, of as many kernels
        self.changed = ""
        self._states = self._look_at_all()
        total = hashlib.blake2b(digest_size=16)
        for path in sorted(self._states):
            content = _content(path, self._states[path])
            total.update(f"{path.relative_to(folder)} {len(content)} ".encode(errors="surrogateescape"))
            total.update(content)
        self.digest = total.hexdigest()

    def look(self, path: Path) -> None:
        """See whether sources have changed: all, of the packages here only the one at `path`."""
        if self.changed:
            return
        now = {path: _state(path)} if self._is_ours else self._look_at_all()
        before = {path: self._states.get(path)} if self._is_ours else self._states
        if now != before:
            self.changed = f"sources in {str(self._folder)!r} have changed since they were imported"

    def _look_at_all(self) -> dict[Path, State]:
        found = {
            path: _state(path)
            for path in self._folder.glob(self._pattern)
            if path.relative_to(self._folder).parts[0] not in self._without
        }
        return {path: state for path, state in found.items() if state is not None}


@cache
def sources(folder: Path, pattern: str, without: tuple[str, ...] = ()) -> Sources:
    """Sources of a folder, which are read once in a process."""
    return Sources(folder, pattern, without)


def sources_of(path: Path) -> tuple[Sources, ...]:
    """Sources that a kernel in the file `path` may depend on, those of its package last."""
    ours = sources(_PACKAGE, "**/*.py", WITHOUT_KERNELS)
    if path.is_relative_to(_PACKAGE):
        apart = path.relative_to(_PACKAGE).parts[0] in WITHOUT_KERNELS
        return (ours, sources(path.parent, path.name)) if apart else (ours,)
    own = path.parent
    pattern = "**/*.py" if (own / "__init__.py").is_file() else "*.py"
    while (own.parent / "__init__.py").is_file():
        own = own.parent
    return ours, sources(_PACKAGE.parent / "elements", "**/*.py"), sources(own, pattern)


def _state(path: Path) -> State | None:
    """The state of a regular file; None for all else."""
    try:
        found = os.stat(path)
    except OSError:  # a link to nowhere
        return None
    return (found.st_size, found.st_mtime_ns, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _content(path: Path, state: State) -> bytes:
    try:
        return read_bytes(path, LARGEST)
    except (OSError, ValueError):  # not for this user, or larger
        return repr(state).encode()
