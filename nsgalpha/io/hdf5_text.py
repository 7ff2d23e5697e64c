"""Texts and numbers among the attributes of HDF5 files of others: `checked_attribute`.

A text of variable length lies in a heap, where HDF5 believes every length. A wrong one makes it loop without
end, beyond the reach of Ctrl-C. So the heap is looked at first:

    "GCOL" version(1) 0(3) size(8)  { index(2) count(2) 0(4) length(8) text }*      heap, from its address
    length(4) address(8) index(4)                                                  where the text should be

(HDF5 File Format Specification, III.E).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from nsgalpha.io.hdf5 import DAMAGE, one_line
from nsgalpha.io.hdf5_structure import ATTRIBUTE, Bytes, messages, opened

if TYPE_CHECKING:
    import h5py

REFERENCE = struct.Struct("<IQI")
HEAP = struct.Struct("<4sB3xQ")
OBJECT = struct.Struct("<H6xQ")
MOST_HEAP = 2**16  # bytes of a heap, unless one text is longer


def checked_attribute(
    owner: h5py.Group | h5py.Dataset, name: str, *, most: int, default: str | None = None
) -> str | float | int:
    """Text, number or integer of the attribute `name`. Raises ValueError without it or above its length.

    `most`: largest length of a text [bytes]. `default`: value of a missing attribute.
    """
    from h5py import h5o

    where = f"{owner.name}@{name}".lstrip("/")
    try:
        attribute = owner.attrs.get_id(name) if name in owner.attrs else None
    except DAMAGE as error:
        raise ValueError(f"{where}: the header of its object cannot be read ({one_line(error)})") from None
    if attribute is None:
        if default is None:
            raise ValueError(f"{where} is missing")
        return default
    if attribute.shape == () and attribute.dtype.kind in "iuf" and attribute.dtype.itemsize <= 8:
        value = owner.attrs[name]
        return float(value) if attribute.dtype.kind == "f" else int(value)
    if _text_type(attribute, where, most).kind == "O":
        with opened(owner.file.filename) as file:
            header = messages(file, h5o.get_info(owner.id).addr)
            stored = [_attribute(message) for kind, message in header if kind == ATTRIBUTE]
            found = [content[: REFERENCE.size] for each, content in stored if each == name]
            if len(found) != 1 or not found[0]:
                raise ValueError(f"{where} is not stored once in the header of its object")
            _check_reference(file, found[0], where, most)
    value = owner.attrs[name]
    return _decoded(value.encode(errors="surrogateescape") if isinstance(value, str) else value, where)


def _text_type(data: Any, where: str, most: int) -> Any:
    """The type of a text, of fixed length up to `most`, or of any length."""
    import h5py

    try:
        dtype = data.dtype
    except DAMAGE as error:
        raise ValueError(f"{where}: has a type that cannot be read ({one_line(error)})") from None
    is_text = dtype.kind == "S" or h5py.check_string_dtype(dtype) is not None
    if not is_text or data.shape != ():
        raise ValueError(f"{where} is of type {dtype} and shape {data.shape}, must be one text")
    if dtype.kind == "S" and dtype.itemsize > most:
        raise ValueError(f"{where} has {dtype.itemsize} bytes; at most {most} are allowed")
    return dtype


def _decoded(value: Any, where: str) -> str:
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise ValueError(f"{where} is no text in UTF-8") from None


def _attribute(message: bytes) -> tuple[str, bytes]:
    """Name and stored data of the attribute in a message."""
    version = message[0]
    at = 9 if version == 3 else 8
    parts = []
    for length in struct.unpack_from("<3H", message, 2):  # name, type, shape
        parts.append(message[at : at + length])
        at += -(-length // 8) * 8 if version == 1 else length
    return parts[0].split(b"\0")[0].decode(errors="surrogateescape"), message[at:]


def _check_reference(file: Bytes, reference: bytes, where: str, most: int) -> None:
    """ValueError unless the text that is referred to has at most `most` bytes, in a sound heap."""
    length, address, _ = REFERENCE.unpack(reference)
    if length > most:
        raise ValueError(f"{where} has {length} bytes; at most {most} are allowed")
    if length:
        _check_heap(file, address, where, most)


def _check_heap(file: Bytes, address: int, where: str, most: int) -> None:
    """Raises ValueError unless the lengths of texts in a heap lead exactly to its end."""
    content, at = b"", HEAP.size
    if address + HEAP.size <= file.size:
        signature, version, size = HEAP.unpack(file.take(address, HEAP.size))
        if signature == b"GCOL" and version == 1 and size <= MOST_HEAP + most and address + size <= file.size:
            content = file.take(address, size)
    while len(content) - at >= OBJECT.size:
        index, length = OBJECT.unpack_from(content, at)
        # object 0 is the free rest and counts its head; the others are padded to eight bytes
        step = length if index == 0 else OBJECT.size + -(-length // 8) * 8
        if step < OBJECT.size:
            break
        at += step
    if not len(content) - OBJECT.size < at <= len(content):
        raise ValueError(f"{where} is in a damaged heap of texts, at byte {address}")
