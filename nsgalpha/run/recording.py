"""The choice of the records of a run, their frequency, and their place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from nsgalpha.checks import count, path, positive, refuse, shown, typed


@typed
@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """States and contacts that a run keeps.

    every: steps between recorded states; start and end are always recorded. contacts: those of all recorded
    states, or, if False, only those needed to continue a run. These are those of the last state, and in a
    file of the last state in every part. file: an HDF5 file (docs/how-to/result-files.md); without one all is
    kept in memory. With one the memory is bounded, and records older than `seconds` are on disk for any fate
    of the process. overwrite: whether a file of that name is replaced.

    Raises ValueError if a value is out of its range or the folder of the file does not exist. Also raises it
    if the name belongs to something other than a file.
    """

    every: int = 1
    file: str | PathLike[str] | None = None
    contacts: bool = True
    seconds: float = 1.0
    overwrite: bool = False

    def __post_init__(self) -> None:
        count("every", self.every)
        positive("seconds", self.seconds, "1 is a good choice")
        if self.file is not None:
            self._check_file(path("file", self.file))

    def _check_file(self, file: Path) -> None:
        if not os.path.isdir(file.parent):
            raise refuse("file", str(file), "in a folder that exists", f"make {shown(str(file.parent))}")
        if os.path.isdir(file):  # False for a name that is too long
            raise refuse("file", str(file), "a file", "this is a folder")
        if os.path.exists(file) and not os.path.isfile(file):
            raise refuse("file", str(file), "a file", "this is a device, a pipe or a socket")
