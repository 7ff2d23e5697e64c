"""What a run records, how often, and where."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from nsgalpha.checks import count, positive, refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """States and contacts that a run keeps.

    every: steps between recorded states; start and end are always recorded. contacts: those of all recorded
    states, or, if False, only those from which a run goes on, of the last state and in a file of the last
    state in every part that is written. file: an HDF5 file (docs/how-to/result-files.md); without one all is
    kept in memory. With one the memory is bounded, and what was recorded `seconds` before is on disk,
    whatever becomes of the process. overwrite: whether a file of that name is replaced.

    Raises ValueError if a value is out of its range, the folder of the file does not exist, or its name is
    that of something else than a file.
    """

    every: int = 1
    file: str | PathLike[str] | None = None
    contacts: bool = True
    seconds: float = 1.0
    overwrite: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "every", count("every", self.every))
        object.__setattr__(self, "seconds", positive("seconds", self.seconds, "1 is a good choice"))
        object.__setattr__(self, "contacts", bool(self.contacts))
        if self.file is not None:
            self._check_file(Path(fspath(self.file)))

    def _check_file(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise refuse("file", str(path), "in a folder that exists", f"make {str(path.parent)!r}")
        if os.path.exists(path) and not os.path.isfile(path):  # False, too, where a name is too long
            found = "folder" if os.path.isdir(path) else "device, a pipe or a socket"
            raise refuse("file", str(path), "a file", f"this is a {found}")
