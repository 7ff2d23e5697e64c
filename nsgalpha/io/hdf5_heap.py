"""Texts of variable length in HDF5 files of others, which files of the first format hold.

They lie in global heaps, where HDF5 believes every size that it finds: a wrong one makes it loop without end,
beyond the reach of Ctrl-C. So the heaps are looked at first, from the 16 bytes that refer to them: those of a
dataset in one piece, and those of an attribute in the header of its owner, of the first version.

    length(4) address(8) index(4)                                                    a reference
    "GCOL" version(1) 0(3) size(8)  { index(2) count(2) 0(4) length(8) text }*       heap, from its address
    version(1) 0 messages(2) references(4) size(4) 0(4)  { type(2) size(2) flags(1) 0(3) body }*     header
    version(1) flags(1) sizes of name(2), type(2), space(2)  [encoding(1)]  name type space data     attribute

(HDF5 File Format Specification, III.E, IV.A.1.a and IV.A.2.m.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from nsgalpha.io.hdf5 import place

if TYPE_CHECKING:
    import h5py

REFERENCE = struct.Struct("<IQI")
HEAP = struct.Struct("<4sB3xQ")
OBJECT = struct.Struct("<HH4xQ")
HEADER = struct.Struct("<BxHII4x")
MESSAGE = struct.Struct("<HHB3x")
ATTRIBUTE = struct.Struct("<BBHHH")
CONTINUED = struct.Struct("<QQ")
IS_ATTRIBUTE, IS_CONTINUED = 0x0C, 0x10
MOST_HEAP = 2**16  # bytes of a heap, unless one text is longer
MOST_HEADER = 2**20  # bytes of a block of a header
MOST_BLOCKS = 1000


def require_sound_dataset(group: h5py.Group, name: str, *, most: int) -> None:
    """Refuse a dataset of texts of up to `most` bytes unless HDF5 finds its way through their heaps."""
    data, where = group[name], place(group, name)
    size, offset = REFERENCE.size * data.size, data.id.get_offset()
    if size == 0:
        return
    if offset is None or data.id.get_storage_size() != size:
        raise ValueError(f"{where}, {data.shape}: must be stored in one piece of {size} bytes")
    with Path(data.file.filename).open("rb") as file:
        file.seek(offset)
        _require_heaps(file, file.read(size), where, most)


def require_sound_attribute(file: h5py.File, name: str, *, most: int) -> None:
    """Refuse a text of up to `most` bytes among the attributes of a file as `require_sound_dataset`."""
    from h5py import h5o

    where = f"attribute {name!r}"
    with Path(file.filename).open("rb") as raw:
        try:
            found = [value for each, value in _attributes(raw, h5o.get_info(file.id).addr) if each == name]
        except struct.error:
            found = []
        if len(found) != 1 or len(found[0]) < REFERENCE.size:
            raise ValueError(f"{where}: is a text of variable length outside a header of the first version")
        _require_heaps(raw, found[0][: REFERENCE.size], where, most)


def _attributes(file: BinaryIO, address: int) -> Iterator[tuple[str, bytes]]:
    """Names and data of the attributes in the header at an address; struct.error if there is none."""
    file.seek(address)
    version, _, _, size = HEADER.unpack(file.read(HEADER.size))
    if version != 1:
        return
    blocks = [(address + HEADER.size, size)]
    for start, length in blocks:
        if length > MOST_HEADER or len(blocks) > MOST_BLOCKS:
            return
        file.seek(start)
        block, at = file.read(length), 0
        while at + MESSAGE.size <= len(block):
            kind, size, _ = MESSAGE.unpack_from(block, at)
            at += MESSAGE.size
            body = block[at : at + size]
            at += size
            if kind == IS_CONTINUED:
                blocks.append(CONTINUED.unpack_from(body))
            elif kind == IS_ATTRIBUTE:
                yield _attribute(body)


def _attribute(body: bytes) -> tuple[str, bytes]:
    version, _, *sizes = ATTRIBUTE.unpack_from(body)
    at = ATTRIBUTE.size + (version == 3)
    name = body[at : at + sizes[0]].split(b"\0")[0].decode(errors="replace")
    for size in sizes:
        at += -(-size // 8) * 8 if version == 1 else size
    return name, body[at:]


def _require_heaps(file: BinaryIO, references: bytes, where: str, most: int) -> None:
    """Refuse texts unless they are short enough, and in heaps through which HDF5 finds its way."""
    heaps = set()
    for length, address, _ in REFERENCE.iter_unpack(references):
        if length > most:
            raise ValueError(f"{where}: has a text of {length} bytes; at most {most} are allowed")
        if length:
            heaps.add(address)
    for address in heaps:
        if not _is_sound(file, address, most):
            raise ValueError(f"{where}: is in a damaged heap of texts, at byte {address}")


def _is_sound(file: BinaryIO, address: int, most: int) -> bool:
    end = file.seek(0, 2)
    if address + HEAP.size > end:
        return False
    file.seek(address)
    signature, version, size = HEAP.unpack(file.read(HEAP.size))
    if signature != b"GCOL" or version != 1 or address + size > end or size > MOST_HEAP + most:
        return False
    return size >= HEAP.size and _objects_fill(file.read(size - HEAP.size))


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
