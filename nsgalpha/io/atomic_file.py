"""Atomic creation of a result file: a draft until the first part, renamed then.

    create    a draft in a new folder that only its owner may enter: nobody has put a link there
    publish   the draft takes the name at once; without leave to overwrite only if the name is free
    refuge    at the end the name may be gone, or another file's: the open file still has all of the run

The file stays open all the while: changes of its name do not touch its data.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir, mkdtemp
from typing import Any

from nsgalpha.checks import shown
from nsgalpha.io import chunk_packing
from nsgalpha.io.new_file import new_file

DRAFTS = ".nsgalpha-"  # folders of drafts; those of runs that were killed at once may be deleted
COPIED = 1 << 24  # bytes at a time
MOST_COPIED = 1 << 28  # bytes of a file that is copied to be packed


class FilePlace:
    """The open HDF5 file of a run, and the path that it has, or will have."""

    def __init__(self, path: Path, file: Any, draft: Path | None, overwrite: bool) -> None:
        self.path, self.file, self._draft, self._overwrite = path, file, draft, overwrite
        self._replaced = False  # by a copy of the same

    @classmethod
    def create(cls, path: Path, overwrite: bool, open_new: Callable[[Path], Any]) -> FilePlace:
        """A draft of the file `path`, which `open_new` makes.

        It gets the mode of the file that it will replace, else that of any new file. Raises FileExistsError
        if there is a file that is to stay, OSError if none can be written.
        """
        try:
            mode = _mode_of(path, overwrite)
            folder = Path(mkdtemp(prefix=DRAFTS, dir=path.parent))
        except FileExistsError:
            raise
        except OSError as error:
            message = f"file = {shown(str(path))}: cannot be written ({error.strerror or error})"
            raise OSError(message) from None
        draft = folder / path.name
        try:
            place = cls(path, open_new(draft), draft, overwrite)
            if mode is not None:
                draft.chmod(mode)
        except BaseException as error:
            _remove(draft)
            if not isinstance(error, OSError):
                raise
            message = f"file = {shown(str(path))}: cannot be written ({error.strerror or error})"
            raise OSError(message) from None
        return place

    @property
    def published(self) -> bool:
        """True if the file has its name."""
        return self._draft is None

    @property
    def free(self) -> int:
        """Bytes that are free on the disk of the file, wherever it has been moved."""
        return disk_usage(self._descriptor).free

    def publish(self) -> None:
        """Give the draft its name. Raises FileExistsError if a file that must stay has it."""
        assert self._draft is not None
        if self._overwrite:
            self._draft.replace(self.path)
        else:
            _rename_to_free(self._draft, self.path)
        draft, self._draft = self._draft, None
        _remove(draft)

    def discard(self) -> None:
        """Close the draft and remove it."""
        self.file.close()
        if self._draft is not None:
            _remove(self._draft)

    def rewrite(self, ends: Mapping[str, int] | None = None) -> bool:
        """Replace the file by a packed copy, unless it is large. Returns True if replaced.

        The open file stays as it is, without a name. Where that cannot be, as for a file with several names,
        nothing is done.
        """
        found = os.fstat(self._descriptor)
        if not (self.published and self.ours) or self.path.is_symlink():
            return False
        if found.st_nlink != 1 or not found.st_size <= min(MOST_COPIED, self.free // 2):
            return False
        try:
            draft = Path(mkdtemp(prefix=DRAFTS, dir=self.path.parent)) / self.path.name
        except OSError:
            return False
        try:
            with new_file(draft, meta_block_size=1) as copy:
                chunk_packing.copy(self.file, copy, ends)
            draft.chmod(stat.S_IMODE(found.st_mode))
            if self.ours:
                draft.replace(self.path)
                self._replaced = True
        except OSError:
            pass
        finally:
            _remove(draft)
        return self._replaced

    @property
    def ours(self) -> bool:
        """True if the path still names the open file."""
        try:
            return self._replaced or os.path.samestat(self.path.stat(), os.fstat(self._descriptor))
        except OSError:
            return False

    def refuge(self, run: str) -> tuple[Path, str]:
        """A free path for an open file without a path, and a sentence; `run` identifies it."""
        folder = next((up for up in self.path.parents if os.access(up, os.W_OK)), Path(gettempdir()))
        name = f"{os.fsdecode(os.fsencode(self.path.stem)[:180])}-{run[:8]}{self.path.suffix[:32]}"
        happened = "replaced" if os.path.lexists(self.path) else "deleted"
        if os.fstat(self._descriptor).st_nlink:
            happened = "moved"
        return folder / name, (
            f"its file {str(self.path)!r} was {happened} meanwhile, and the run is in {str(folder / name)!r}"
        )

    def save(self, path: Path) -> None:
        """Give the open file the free `path`: a link to a moved file, or a copy."""
        try:
            with suppress(OSError):
                return self._link(path)
            self._copy(path)
        except OSError as error:
            raise OSError(
                f"file = {str(self.path)!r}: was deleted or replaced during the run, and its data could not "
                f"be saved as {str(path)!r} ({error})"
            ) from None

    def _link(self, path: Path) -> None:
        """Link the open file to `path`: Linux only, and only while it has a name."""
        folder = os.open("/proc/self/fd", os.O_RDONLY)
        try:
            os.link(str(self._descriptor), path, src_dir_fd=folder)
        finally:
            os.close(folder)

    def _copy(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        mode = stat.S_IMODE(os.fstat(self._descriptor).st_mode)
        with open(os.open(path, flags, mode), "wb") as copy:
            try:
                place = 0
                while block := os.pread(self._descriptor, COPIED, place):
                    copy.write(block)
                    place += len(block)
            except OSError:
                path.unlink()
                raise

    @property
    def _descriptor(self) -> int:
        return int(self.file.id.get_vfd_handle())


def _mode_of(path: Path, overwrite: bool) -> int | None:
    """Permissions of the file to replace, None without one. Raises FileExistsError if it must stay."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not overwrite:
        message = f"file = {str(path)!r}: exists; say Recording(overwrite=True), or give another name"
        raise FileExistsError(message)
    return None if stat.S_ISLNK(found.st_mode) else stat.S_IMODE(found.st_mode) & 0o777


def _rename_to_free(draft: Path, path: Path) -> None:
    """Give `draft` the name `path` unless that is taken; FileExistsError if it is."""
    try:
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: the name is taken first
            with path.open("xb"):
                draft.replace(path)
    except FileExistsError:
        message = f"file = {str(path)!r}: was written by another run since this one began; give another name"
        raise FileExistsError(message) from None


def _remove(draft: Path) -> None:
    """Remove a draft, if it is still there, and its folder."""
    draft.unlink(missing_ok=True)
    with suppress(OSError):  # somebody has put something there, who may look after it
        draft.parent.rmdir()
