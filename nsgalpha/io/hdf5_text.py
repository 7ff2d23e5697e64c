"""Texts in HDF5 files of others: `checked_text` for datasets, `checked_attribute` for attributes.

A text of variable length lies in a global heap, where HDF5 believes every size that it finds: a wrong one
makes it loop without end, beyond the reach of Ctrl-C. So the heap of a dataset's text is looked at first:

    "GCOL" version(1) 0(3) size(8)  { index(2) count(2) 0(4) length(8) text }*      heap, from its address
    length(4) address(8) index(4)                                                  the dataset's 16 bytes

(HDF5 File Format Specification, III.E). The heap of an attribute cannot be found through h5py: texts of fixed
length, `numpy.bytes_`, are the safe way to store one.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsgalpha.io.hdf5 import DAMAGE, find_dataset, one_line, place, require_stored

if TYPE_CHECKING:
    import h5py

REFERENCE = struct.Struct("<IQI")
HEAP = struct.Struct("<4sB3xQ")
OBJECT = struct.Struct("<HH4xQ")
MOST_HEAP = 2**16  # bytes of a heap, unless one text is longer


def checked_text(group: h5py.Group, name: str, *, most: int) -> str:
    """The text of the dataset `name`, which may be a path, below `group`; ValueError as `checked_dataset`.

    `most`: largest length of the text [bytes].
    """
    data = find_dataset(group, name)
    where = place(group, name)
    dtype = _text_type(data, where, most)
    require_stored(data, where, (), dtype.itemsize)
    if dtype.kind == "O":
        _require_sound_heap(data, where, most)
    return _decoded(data[()], where)


def checked_attribute(owner: h5py.Group | h5py.Dataset, name: str, *, most: int) -> str | float | int:
    """The text, number or integer of the attribute `name`; ValueError if there is none, or it is longer.

    `most`: largest length of a text [bytes].
    """
    where = f"{owner.name}@{name}".lstrip("/")
    if name not in owner.attrs:
        raise ValueError(f"{where} is missing")
    attribute = owner.attrs.get_id(name)
    if attribute.shape == () and attribute.dtype.kind in "iuf" and attribute.dtype.itemsize <= 8:
        value = owner.attrs[name]
        return float(value) if attribute.dtype.kind == "f" else int(value)
    _text_type(attribute, where, most)
    value = owner.attrs[name]
    text = _decoded(value.encode(errors="surrogateescape") if isinstance(value, str) else value, where)
    if len(text) > most:
        raise ValueError(f"{where} has {len(text)} characters; at most {most} are allowed")
    return text


def _text_type(data: Any, where: str, most: int) -> Any:
    """The type of one text, of fixed length up to `most` or of any length."""
    import h5py

    try:
        dtype = data.dtype
    except DAMAGE as error:
        raise ValueError(f"{where}: has a type that cannot be read ({one_line(error)})") from None
    if data.shape != () or (dtype.kind != "S" and h5py.check_string_dtype(dtype) is None):
        raise ValueError(f"{where} is of type {dtype} and shape {data.shape}, must be one text")
    if dtype.kind == "S" and dtype.itemsize > most:
        raise ValueError(f"{where} has {dtype.itemsize} bytes; at most {most} are allowed")
    return dtype


def _decoded(value: Any, where: str) -> str:
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise ValueError(f"{where} is no text in UTF-8") from None


def _require_sound_heap(data: h5py.Dataset, where: str, most: int) -> None:
    """Refuse a text of variable length unless it is in a heap through which HDF5 finds its way."""
    offset, stored = data.id.get_offset(), data.id.get_storage_size()
    if offset is None or stored != REFERENCE.size:
        raise ValueError(
            f"{where} is stored in chunks or in {stored} bytes, must be {REFERENCE.size} in one piece"
        )
    with Path(data.file.filename).open("rb") as file:
        file.seek(offset)
        length, address, _ = REFERENCE.unpack(file.read(REFERENCE.size))
        if length > most:
            raise ValueError(f"{where} has {length} bytes; at most {most} are allowed")
        if length == 0:
            return
        start = data.file.userblock_size + address
        end = data.file.id.get_filesize()
        try:
            file.seek(start)
            signature, version, size = HEAP.unpack(file.read(HEAP.size))
            sound = signature == b"GCOL" and version == 1 and start + size <= end
            sound = sound and size <= MOST_HEAP + most
            sound = sound and _objects_fill(file.read(size - HEAP.size))
        except (OSError, OverflowError, ValueError, struct.error):
            sound = False
    if not sound:
        raise ValueError(f"{where} is in a damaged heap of texts, at byte {start}")


def _objects_fill(heap: bytes) -> bool:
    """True if the lengths of the objects of a heap lead from each to the next, and so to its end."""
    at = 0
    while len(heap) - at >= OBJECT.size:
        index, _, length = OBJECT.unpack_from(heap, at)
        # object 0 is the free rest and counts its head; the others are padded to eight bytes
        step = length if index == 0 else OBJECT.size + -(-length // 8) * 8
        if step < OBJECT.size:
            return False
        at += step
    return at <= len(heap)
