"""Reading of foreign HDF5 files: claims are checked before memory is taken.

A dataset of a few bytes on the disk can claim a shape of any size, lie in another file or be composed of
others. It can also call for a filter that is loaded as a program. `checked_dataset` refuses all of this, and
its return value can be read; hdf5_text.py reads attributes. A refusal is a ValueError that names the place,
the value and the allowed range; `naming(path)` adds the file, also to errors of h5py. Open groups by
`checked_group`: it checks the metadata of an object before HDF5 follows them (hdf5_structure.py).

    with naming(path), open_to_read(path) as file:
        t = checked_dataset(file, "states/t", kinds="f", most=10**9)[()]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fsdecode, strerror
from pathlib import Path
from stat import S_ISBLK, S_ISCHR, S_ISDIR, S_ISFIFO, S_ISREG
from typing import TYPE_CHECKING, Any

from nsgalpha.io.hdf5_chunks import require_chunks, require_sound_chunks
from nsgalpha.io.hdf5_structure import check_object, check_root
from nsgalpha.shown_text import printable, shortened

if TYPE_CHECKING:
    import h5py

SIZES = (1, 2, 4, 8)  # bytes of a number; longer ones may overflow on conversion
MOST_TEXT = 600  # characters of a message
OTHER_FILES = {S_ISDIR: "folder", S_ISFIFO: "pipe", S_ISCHR: "device", S_ISBLK: "device"}
# h5py's own errors of damaged data are of all these types
_OF_PYTHON = AttributeError, LookupError, OverflowError, RuntimeError, SystemError, TypeError, ValueError
DAMAGE = (*_OF_PYTHON, OSError)


def regular_file(path: str | PathLike[str]) -> str:
    """`path` as text, of a file that can be opened without waiting for anybody.

    Raises FileNotFoundError, ValueError for a folder, a pipe, a device or a socket, and OSError where the
    file system refuses to say.
    """
    name = fsdecode(path)
    try:
        mode = Path(name).stat().st_mode
    except FileNotFoundError:
        raise FileNotFoundError(f"{name}: no such file") from None
    except OSError as error:
        raise type(error)(f"{name}: cannot be read ({strerror(error.errno or 0)})") from None
    except ValueError as error:  # a null character
        raise ValueError(f"{name!r}: is no name of a file ({error})") from None
    if not S_ISREG(mode):
        kind = next((kind for test, kind in OTHER_FILES.items() if test(mode)), "socket")
        raise ValueError(f"{name}: is a {kind}, must be a regular file")
    return name


@contextmanager
def naming(path: str | PathLike[str]) -> Iterator[None]:
    """Context in which refusals and errors of h5py become a one-line ValueError with the file."""
    try:
        yield
    except DAMAGE as error:
        text = one_line(error)
        if text.startswith(f"{fsdecode(path)}: "):  # of the file as a whole: see regular_file, open_to_read
            raise
        raise ValueError(f"{fsdecode(path)}: {text}") from error


def one_line(error: BaseException) -> str:
    """Error message with names of the file made printable, one line, of bounded length."""
    text = " ".join(str(error.args[0] if error.args else error).split())
    return printable(shortened(text, MOST_TEXT))


def open_to_read(path: str | PathLike[str]) -> h5py.File:
    """The open file, without a lock: this or another process may be writing it.

    Raises as `regular_file`, PermissionError, and ValueError if it is no HDF5 file or is cut off.
    """
    import h5py

    name = regular_file(path)
    whole = Path(name).absolute()  # its objects are looked at by this name before HDF5 opens them
    try:
        _flush_writers(whole)
        check_root(whole)
        try:
            return h5py.File(whole, "r", locking=False)
        except OSError as error:
            if "locking" not in str(error):
                raise
            return h5py.File(whole, "r")  # open in this process, with a lock
    except PermissionError:
        raise PermissionError(f"{name}: cannot be read (permission denied)") from None
    except DAMAGE as error:
        raise ValueError(f"{name}: is not an HDF5 file, or is cut off ({one_line(error)})") from None


def _flush_writers(path: Path) -> None:
    """Flush the writes of this process to `path`, which otherwise only HDF5 finds in memory."""
    from h5py import h5f

    for file in h5f.get_obj_ids(h5f.OBJ_ALL, h5f.OBJ_FILE):
        if file.get_intent() & h5f.ACC_RDWR and Path(fsdecode(file.name)).absolute() == path:
            h5f.flush(file)


def place(group: h5py.Group, name: str) -> str:
    """Where `name` is in the file."""
    return f"{group.name}/{name}".lstrip("/")


def checked_group(group: h5py.Group, name: str) -> h5py.Group:
    """The group `name`, which may be a path, below `group`."""
    return _of_kind(group, name, "Group")


def checked_dataset(
    group: h5py.Group,
    name: str,
    *,
    kinds: str = "iuf",
    most: int,
    rows: int | None = None,
    whole: bool = True,
) -> h5py.Dataset:
    """The dataset `name`, possibly a path, below `group`, with its numbers readable in the file.

    Args:
        group: where to begin.
        name: path from there.
        kinds: allowed kinds of numbers, letters of `numpy.dtype.kind`.
        most: largest size of the values in memory [bytes].
        rows: first rows that must be there; all by default.
        whole: False if not all of it is read, which takes a look at its chunks; see `read_rows`.

    Raises ValueError; see `naming` for other errors of damaged files.
    """
    from h5py import h5t

    data = find_dataset(group, name)
    where = place(group, name)
    try:
        dtype = data.dtype
    except DAMAGE as error:
        raise ValueError(f"{where}: has a type of numbers that cannot be read ({one_line(error)})") from None
    if dtype.kind not in kinds or dtype.itemsize not in SIZES or dtype.subdtype is not None:
        wanted = "integers" if not set(kinds) - set("iu") else "numbers"
        raise ValueError(f"{where} is of type {dtype}, must be {wanted} of at most 8 bytes")
    if not data.id.get_type().equal(h5t.py_create(dtype)):  # bits in other places, which HDF5 may crash on
        raise ValueError(f"{where} is of a damaged type of numbers, almost {dtype}")
    if data.shape is None:
        raise ValueError(f"{where} has no values, not even an empty array of them")
    shape = data.shape if rows is None else (rows, *data.shape[1:])
    if rows is not None and not (data.shape and 0 <= rows <= data.shape[0]):
        raise ValueError(f"{where} has shape {data.shape}, must have {rows} rows")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > most:
        raise ValueError(f"{where} has shape {shape}, {claimed:.3g} bytes; at most {most:.3g} are allowed")
    _require_stored(data, where, shape, claimed, whole=whole)
    return data


def read_rows(data: h5py.Dataset, rows: slice | None = None) -> Any:
    """Rows of a checked dataset, or all; ValueError if they are damaged."""
    where = data.name.lstrip("/")
    if rows is not None:  # else `checked_dataset` has looked
        require_sound_chunks(data, where, rows)
    try:
        return data[() if rows is None else rows]
    except DAMAGE as error:
        raise ValueError(f"{where} cannot be read ({one_line(error)})") from None


def holds(group: h5py.Group, name: str) -> bool:
    """True if `group` has a link `name`, wherever it leads."""
    return bool(group.id.links.exists(name.encode(errors="surrogateescape")))


def _link(group: h5py.Group, name: str) -> Any:
    """Type of the link `name`, and address `u` of its target."""
    return group.id.links.get_info(name.encode(errors="surrogateescape"))


def _child(group: h5py.Group, name: str) -> Any:
    """The object at the path `name`, reached by plain links only."""
    import h5py
    from h5py import h5l

    here: Any = group
    for part in name.split("/"):
        if not isinstance(here, h5py.Group) or not holds(here, part):
            raise ValueError(f"{place(group, name)} is missing")
        link = _link(here, part)
        if link.type != h5l.TYPE_HARD:
            raise _no_plain_link(here, part)
        try:
            check_object(group.file.filename, link.u)
            here = here[part]
        except DAMAGE as error:
            raise ValueError(f"{place(group, name)} cannot be opened ({one_line(error)})") from None
    return here


def _no_plain_link(group: h5py.Group, name: str) -> ValueError:
    link = group.get(name, getlink=True)
    target = getattr(link, "path", "?")
    beyond = f"the file {link.filename!r}, " if hasattr(link, "filename") else ""
    return ValueError(
        f"{place(group, name)} is a link to {beyond}{target!r}; only data of the file itself are read"
    )


def find_dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    """The dataset `name`, which may be a path, below `group`, with nothing else checked."""
    return _of_kind(group, name, "Dataset")


def _of_kind(group: h5py.Group, name: str, kind: str) -> Any:
    import h5py

    found = _child(group, name)
    if not isinstance(found, getattr(h5py, kind)):
        raise ValueError(f"{place(group, name)} is no {kind.lower()}")
    return found


def _require_stored(
    data: h5py.Dataset, where: str, shape: tuple[int, ...], claimed: int, *, whole: bool = True
) -> None:
    """Refuse a dataset unless `shape` of it, `claimed` bytes, is stored in the file itself."""
    from h5py import h5d

    created = data.id.get_create_plist()
    layout = created.get_layout()
    if layout == h5d.VIRTUAL or created.get_external_count():
        raise ValueError(f"{where} is composed of other files; only data of the file itself are read")
    if layout == h5d.CHUNKED:
        require_chunks(data, where, shape)
        if whole:
            require_sound_chunks(data, where, slice(shape[0]))
        return
    stored, offset, size = data.id.get_storage_size(), data.id.get_offset(), data.file.id.get_filesize()
    absent = layout == h5d.CONTIGUOUS and (offset is None or offset + stored > size)
    if claimed and (stored < claimed or absent):
        raise ValueError(f"{where} has shape {data.shape}, {claimed} bytes, which are not in the file")
