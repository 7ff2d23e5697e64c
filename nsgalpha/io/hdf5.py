"""Reading HDF5 files of others: everything that a file claims is checked before memory is taken for it.

A dataset of a few bytes on the disk can claim a shape of any size, lie in another file, be composed of
others or call for a filter that is loaded as a program. `checked_dataset` and `checked_text` refuse all of
this; what they return can be read. Each refusal is a ValueError `place: what is there, what is allowed`;
`naming(path)` puts the file in front of it, and of what h5py says of damage.

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

if TYPE_CHECKING:
    import h5py

SIZES = (1, 2, 4, 8)  # bytes of a number; longer ones may overflow on conversion
MOST_CHUNK = 2**27  # bytes of a chunk, which HDF5 holds as a whole, twice if there are filters
MOST_LINKS = 10**6
EXPANSION = 1040  # bytes that one byte may become; 1032 for deflate, less for lzf and szip
PLAIN_FILTERS = (2, 3)  # shuffle, fletcher32: neither expands
COMPRESSION = (1, 4, 32000)  # deflate, szip, lzf
STORED = (0,)  # parameters of a deflate that does not compress
OTHER_FILES = {S_ISDIR: "folder", S_ISFIFO: "pipe", S_ISCHR: "device", S_ISBLK: "device"}
# h5py's own errors of damaged data are of all these types
DAMAGE = (
    AttributeError,
    LookupError,
    OSError,
    OverflowError,
    RuntimeError,
    SystemError,
    TypeError,
    ValueError,
)


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
    """Within it, a refusal or an error of h5py becomes a ValueError of one line that begins with the file."""
    try:
        yield
    except DAMAGE as error:
        text = one_line(error)
        if text.startswith(f"{fsdecode(path)}: "):  # of the file as a whole: see regular_file, open_to_read
            raise
        raise ValueError(f"{fsdecode(path)}: {text}") from error


def one_line(error: BaseException) -> str:
    """The message of an error, printable; some of h5py's have several lines, or quotes around them."""
    text = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def open_to_read(path: str | PathLike[str]) -> h5py.File:
    """The open file, without a lock: another process, or this one, may be writing to it.

    Raises as `regular_file`, PermissionError, and ValueError if it is no HDF5 file or is cut off.
    """
    import h5py

    name = regular_file(path)
    try:
        try:
            return h5py.File(name, "r", locking=False)
        except OSError as error:
            if "locking" not in str(error):
                raise
            return h5py.File(name, "r")  # open in this process, with a lock
    except PermissionError:
        raise PermissionError(f"{name}: cannot be read (permission denied)") from None
    except DAMAGE as error:
        raise ValueError(f"{name}: is not an HDF5 file, or is cut off ({one_line(error)})") from None


def place(group: h5py.Group, name: str) -> str:
    """Where `name` is in the file."""
    return f"{group.name}/{name}".lstrip("/")


def plain_links(group: h5py.Group) -> None:
    """Refuse `group` if a link below it leads by a name, into the file or out of it, instead of to an
    object.
    """
    from h5py import h5l

    found: list[tuple[bytes, int]] = []
    count = 0

    def stops(name: bytes, info: Any) -> bool | None:
        nonlocal count  # an exception would not pass through HDF5
        count += 1
        if info.type != h5l.TYPE_HARD:
            found.append((name, info.type))
        return True if found or count > MOST_LINKS else None

    group.id.links.visit(stops, info=True)
    for name, _ in found:
        _require_plain_link(group, fsdecode(name))
    if count > MOST_LINKS:
        raise ValueError(f"{place(group, '')}: has more than {MOST_LINKS} links")


def checked_group(group: h5py.Group, name: str) -> h5py.Group:
    """The group `name`, which may be a path, below `group`."""
    import h5py

    part = _child(group, name)
    if not isinstance(part, h5py.Group):
        raise ValueError(f"{place(group, name)} is no group")
    return part


def checked_dataset(
    group: h5py.Group, name: str, *, kinds: str = "iuf", most: int, rows: int | None = None
) -> h5py.Dataset:
    """The dataset `name`, which may be a path, below `group`: its numbers are in the file, and can be read.

    Args:
        group: where to begin.
        name: path from there.
        kinds: allowed kinds of numbers, letters of `numpy.dtype.kind`.
        most: largest size of the values in memory [bytes].
        rows: first rows that must be there; all by default.

    Raises ValueError; see `naming` for other errors of damaged files.
    """
    data = _dataset(group, name)
    where = place(group, name)
    try:
        dtype = data.dtype
    except DAMAGE as error:
        raise ValueError(f"{where}: has a type of numbers that cannot be read ({one_line(error)})") from None
    if dtype.kind not in kinds or dtype.itemsize not in SIZES or dtype.subdtype is not None:
        wanted = "integers" if not set(kinds) - set("iu") else "numbers"
        raise ValueError(f"{where} is of type {dtype}, must be {wanted} of at most 8 bytes")
    if data.shape is None:
        raise ValueError(f"{where} has no values, not even an empty array of them")
    shape = data.shape if rows is None else (rows, *data.shape[1:])
    if rows is not None and not (data.shape and 0 <= rows <= data.shape[0]):
        raise ValueError(f"{where} has shape {data.shape}, must have {rows} rows")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > most:
        raise ValueError(f"{where} has shape {shape}, {claimed:.3g} bytes; at most {most:.3g} are allowed")
    _require_stored(data, where, shape, claimed)
    return data


def checked_text(group: h5py.Group, name: str, *, most: int) -> str:
    """The text of the dataset `name`, which may be a path, below `group`; ValueError as for
    `checked_dataset`.

    `most`: largest length of the text [bytes].
    """
    import h5py

    data = _dataset(group, name)
    where = place(group, name)
    dtype = data.dtype
    if data.shape != () or (dtype.kind != "S" and h5py.check_string_dtype(dtype) is None):
        raise ValueError(f"{where} is of type {dtype} and shape {data.shape}, must be one text")
    if dtype.kind == "S" and dtype.itemsize > most:
        raise ValueError(f"{where} has {dtype.itemsize} bytes; at most {most} are allowed")
    _require_stored(data, where, (), dtype.itemsize)
    text = bytes(data[()])
    if len(text) > most:
        raise ValueError(f"{where} has {len(text)} bytes; at most {most} are allowed")
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{where} is no text in UTF-8") from None


def _child(group: h5py.Group, name: str) -> Any:
    """The object at the path `name`, reached by plain links only."""
    here: Any = group
    for part in name.split("/"):
        if not hasattr(here, "keys") or here.id.links.exists(part.encode()) is False:
            raise ValueError(f"{place(group, name)} is missing")
        _require_plain_link(here, part)
        try:
            here = here[part]
        except DAMAGE as error:
            raise ValueError(f"{place(group, name)} cannot be opened ({one_line(error)})") from None
    return here


def _require_plain_link(group: h5py.Group, name: str) -> None:
    from h5py import h5l

    if group.id.links.get_info(name.encode()).type != h5l.TYPE_HARD:
        link = group.get(name, getlink=True)
        target = getattr(link, "path", "?")
        beyond = f"the file {link.filename!r}, " if hasattr(link, "filename") else ""
        raise ValueError(
            f"{place(group, name)} is a link to {beyond}{target!r}; only what the file holds is read"
        )


def _dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    import h5py

    data = _child(group, name)
    if not isinstance(data, h5py.Dataset):
        raise ValueError(f"{place(group, name)} is no dataset")
    return data


def _require_stored(data: h5py.Dataset, where: str, shape: tuple[int, ...], claimed: int) -> None:
    """Refuse a dataset unless `shape` of it, `claimed` bytes, is stored in the file itself."""
    from h5py import h5d

    created = data.id.get_create_plist()
    layout = created.get_layout()
    if layout == h5d.VIRTUAL or created.get_external_count():
        raise ValueError(f"{where} is composed of other files; only what the file holds is read")
    if layout == h5d.CHUNKED:
        _require_chunks(data, where, shape, claimed)
        return
    stored, offset, size = data.id.get_storage_size(), data.id.get_offset(), data.file.id.get_filesize()
    absent = layout == h5d.CONTIGUOUS and (offset is None or offset + stored > size)
    if claimed and (stored < claimed or absent):
        raise ValueError(f"{where} has shape {data.shape}, {claimed} bytes, which are not in the file")


def _require_chunks(data: h5py.Dataset, where: str, shape: tuple[int, ...], claimed: int) -> None:
    """`_require_stored` for a dataset in chunks: allowed filters, and chunks that are there."""
    created = data.id.get_create_plist()
    filters = [created.get_filter(k) for k in range(created.get_nfilters())]
    for code, _, _, name in filters:
        if code not in PLAIN_FILTERS + COMPRESSION:
            raise ValueError(
                f"{where} is stored with the filter {code} ({fsdecode(name)}), which is not loaded"
            )
    compressed = sum(code in COMPRESSION and values != STORED for code, _, values, _ in filters)
    if compressed > 1:
        raise ValueError(f"{where} is compressed {compressed} times, must be once at most")
    chunk = created.get_chunk()
    chunk_bytes = math.prod(chunk) * data.dtype.itemsize
    if chunk_bytes > MOST_CHUNK:
        raise ValueError(
            f"{where} has chunks of {chunk_bytes:.3g} bytes; at most {MOST_CHUNK:.3g} are allowed"
        )
    if not claimed:
        return
    stored = data.id.get_storage_size()
    if stored * (EXPANSION if compressed else 1) < claimed or stored > data.file.id.get_filesize():
        raise ValueError(f"{where} has shape {data.shape}, {claimed} bytes, but {stored} are stored")
    needed = math.prod(-(-length // size) for length, size in zip(shape, chunk, strict=True))
    if (there := data.id.get_num_chunks()) < needed:
        raise ValueError(f"{where} has shape {data.shape}, but {there} of its {needed} chunks are stored")
