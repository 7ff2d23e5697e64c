"""The metadata of an HDF5 file, walked through before HDF5 itself goes there.

HDF5 follows addresses wherever they lead. A tree of names or chunks that contains itself fills the stack and
ends the process. A list of free places that leads back to itself never ends, beyond the reach of Ctrl-C. So
the object header of everything that is to be opened is read here first, with its dependents:

    groups      the tree of names, and the list of free places in the heap of names
    datasets    the tree of chunks

The levels of a tree must fall from node to node, and chunks be in order. Otherwise HDF5 looks for them
elsewhere, and reads beyond its memory. Newer kinds of trees may not be deep. Heaps of texts, in which a wrong
length makes HDF5 loop too, are looked at where one is read (hdf5_text.py). (HDF5 File Format Specification,
version 3.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import BinaryIO

SIGNATURE = b"\x89HDF\r\n\x1a\n"
LINK_INFO, LAYOUT, ATTRIBUTE, CONTINUATION, SYMBOL_TABLE, ATTRIBUTE_INFO = 0x02, 0x08, 0x0C, 0x10, 0x11, 0x15
NOWHERE = 2**64 - 1
CHUNKED, BY_TREE = 2, 5  # class of a layout, kind of its index
NAMES, CHUNKS = 0, 1  # types of trees
MOST_DEPTH = 3  # of a newer tree: millions of entries
MOST_HEADER = 2**24  # bytes
MOST_MISSING = 2**32  # bytes

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bytes:
    """The bytes of an open file from its superblock on."""

    stream: BinaryIO
    base: int
    size: int

    def take(self, address: int, count: int) -> bytes:
        """`count` bytes from `address`; ValueError if there are not as many."""
        if not 0 <= address <= address + count <= self.size:
            raise ValueError(f"metadata at byte {address} would be outside of the file")
        self.stream.seek(self.base + address)
        return self.stream.read(count)

    def unpack(self, layout: str, address: int) -> tuple[int, ...]:
        """Little-endian numbers from `address`."""
        return struct.unpack("<" + layout, self.take(address, struct.calcsize("<" + layout)))


def check_root(path: str | PathLike[str]) -> None:
    """ValueError unless HDF5 can open the file and its root group without losing its way."""
    with opened(path) as data:
        version = data.take(8, 1)[0]
        sizes = data.unpack("2B", 13 if version < 2 else 9)
        if sizes != (8, 8):
            raise ValueError(f"its addresses have {sizes[0]} bytes; only files with 8 are read")
        roots = [data.unpack("Q", 64 + 4 * version if version < 2 else 36)[0]]
        if version >= 2:
            roots.append(data.unpack("Q", 20)[0])  # an extension of the superblock
        for address in roots:
            if address != NOWHERE:
                _check(data, address)


def check_object(path: str | PathLike[str], address: int) -> None:
    """ValueError unless HDF5 can open the object at `address` without losing its way."""
    with opened(path) as data:
        _check(data, address)


def missing_bytes(path: str | PathLike[str]) -> int:
    """Missing bytes at the end of a file, by its stated length; 0 if absurd."""
    try:
        with opened(path) as data:
            version = data.take(8, 1)[0]
            (end,) = data.unpack("Q", 40 + 4 * version if version < 2 else 28)
    except (OSError, ValueError):
        return 0
    return end - data.size if data.size < end < data.size + MOST_MISSING else 0


@contextmanager
def opened(path: str | PathLike[str]) -> Iterator[Bytes]:
    """The file from its superblock on, which is at 0, 512, 1024, ...; ValueError for all damage met."""
    with Path(path).open("rb") as stream:
        end = stream.seek(0, 2)
        base = 0
        while base < end:
            stream.seek(base)
            if stream.read(8) == SIGNATURE:
                break
            base = 2 * base or 512
        else:
            raise ValueError("there is no signature of HDF5")
        try:
            yield Bytes(stream, base, end - base)
        except (struct.error, IndexError):
            raise ValueError("its metadata is damaged") from None


def messages(data: Bytes, address: int) -> Iterator[tuple[int, bytes]]:
    """Type and content of the messages of the object header at `address`."""
    new = data.take(address, 4) == b"OHDR"
    if new:
        version, flags = data.unpack("2B", address + 4)
        start = address + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        width = 1 << (flags & 3)
        length = int.from_bytes(data.take(start, width), "little")
        blocks = [(start + width, length)]
        head = 6 if flags & 4 else 4
    else:
        version, length = data.unpack("B7xI", address)
        blocks, head = [(address + 16, length)], 8
    if version != (2 if new else 1):
        raise ValueError(f"there is no object at byte {address}")
    known, total = set(), 0
    for start, length in blocks:  # which grow
        total += length
        if start in known or total > MOST_HEADER:
            raise ValueError(f"the header of the object at byte {address} has no end")
        known.add(start)
        block, at = data.take(start, length), 0
        while at + head <= length:
            kind, size = struct.unpack_from("<BH" if new else "<HH", block, at)
            content = block[at + head : at + head + size]
            if kind == CONTINUATION and len(content) >= 16:
                where, count = struct.unpack_from("<QQ", content)
                blocks.append((where + 4, max(count - 8, 0)) if new else (where, count))
            yield kind, content
            at += head + size


def _check(data: Bytes, address: int) -> None:
    """Raises ValueError unless the structures of the object at `address` have an end."""
    for kind, message in messages(data, address):
        if kind == SYMBOL_TABLE:
            tree, heap = struct.unpack_from("<QQ", message)
            _check_tree(data, tree, NAMES, 8)
            _check_names(data, heap)
        elif kind == LAYOUT:
            _check_layout(data, message)
        elif kind in (LINK_INFO, ATTRIBUTE_INFO):
            # creation order, if any, then the heap and the tree of names
            order = (8 if kind == LINK_INFO else 2) if message[1] & 1 else 0
            _check_depth(data, struct.unpack_from("<Q", message, 10 + order)[0])


def _check_layout(data: Bytes, message: bytes) -> None:
    version = message[0]
    dimensions, kind = message[1:3] if version < 3 else (message[2], message[1])
    if kind != CHUNKED:
        return
    if version <= 3:
        (tree,) = struct.unpack_from("<Q", message, 8 if version < 3 else 3)
        _check_tree(data, tree, CHUNKS, 8 + 8 * dimensions)
        return
    dimensions, width = message[3], message[4]
    index = message[5 + dimensions * width :]
    if index[0] == BY_TREE:
        _check_depth(data, struct.unpack_from("<Q", index, 7)[0])


def _check_tree(data: Bytes, root: int, kind: int, key: int) -> None:
    """ValueError unless levels fall and keys rise in the tree at `root`, and no node comes twice."""
    if root == NOWHERE:
        return
    known: set[int] = set()
    nodes: list[tuple[int, int | None, list[Key]]] = [(root, None, [])]
    while nodes:
        address, expected, bounds = nodes.pop()
        signature, found, level, count = struct.unpack("<4sBBH", data.take(address, 8))
        wrong = signature != b"TREE" or found != kind or expected not in (None, level)
        if wrong or address in known:
            raise ValueError(f"the tree at byte {root} is damaged, or contains itself, at byte {address}")
        known.add(address)
        if level == 0 and kind == NAMES:
            continue
        content = data.take(address + 24, count * (key + 8) + key)
        keys = (
            [_key(content[at : at + key]) for at in range(0, len(content), key + 8)] if kind == CHUNKS else []
        )
        within = not bounds or (bounds[0] <= keys[0] and keys[-1] <= bounds[1])
        if not (within and all(one < two for one, two in pairwise(keys))):
            message = f"the tree at byte {root} is damaged: its chunks are not in order at byte {address}"
            raise ValueError(message)
        for k in range(count if level else 0):
            (child,) = struct.unpack_from("<Q", content, key + k * (key + 8))
            nodes.append((child, level - 1, keys[k : k + 2]))


def _key(content: bytes) -> Key:
    """Where a chunk begins, of the key in a tree of chunks: length(4) mask(4) corner(8n)."""
    return struct.unpack(f"<{len(content) // 8 - 1}Q", content[8:])


def _check_names(data: Bytes, heap: int) -> None:
    """ValueError unless the list of free places in a heap of names ends."""
    signature, size, free, start = struct.unpack("<4s4xQQQ", data.take(heap, 32))
    known: set[int] = set()
    while free < NOWHERE and free != 1 and signature == b"HEAP":
        if free in known or free + 16 > size:
            message = f"the heap of names at byte {heap} is damaged: its list of free places has no end"
            raise ValueError(message)
        known.add(free)
        (free,) = data.unpack("Q", start + free)


def _check_depth(data: Bytes, tree: int) -> None:
    if tree == NOWHERE:
        return
    signature, depth = struct.unpack("<4s8xH", data.take(tree, 14))
    if signature != b"BTHD" or depth > MOST_DEPTH:
        raise ValueError(f"the tree at byte {tree} is damaged, or deeper than {MOST_DEPTH} nodes")
