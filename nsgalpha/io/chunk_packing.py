"""Packed chunks: those new and full at once, and the others after the run.

The chunk to which rows are still added lies in the file unpacked, as a stream of zlib of level 0. It is
written in its place again and again. A kill in between leaves all earlier rows in it (parts.rows_of). HDF5
would put another form of it in the same place, before its tree of chunks says so. Hence such a chunk is
packed in a copy of the file only, which replaces the file at the end of a run (atomic_file.py). Before a run
continues, the last chunks are unpacked in the same way.

Numbers of a run are the noise of their last digits in most of their bytes. HDF5's shuffle puts the first
bytes of all numbers of a chunk together, then the second ones, and so on. Each of these planes is packed if
that is worth it, or left as it is: a stream of zlib may consist of both.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, product
from typing import Any

import numpy as np

LEVEL = 3  # of zlib
SAMPLE, WORTH = 1024, 0.9  # bytes of a plane that are tried, and their part that may be left
HEAD, END = b"\x78\x01", b"\x03\x00"  # of a stream of zlib: length of the rest, and an empty last block
CHECKSUM = 4  # bytes of fletcher32
MOST = 1 << 16  # bytes of 16-bit words whose sums are taken at a time


def append(data: Any, values: Any) -> None:
    """Write `values` behind the rows of a table: chunks that they fill alone are packed."""
    step, count, more = data.chunks[0], len(data), len(values)
    data.resize(count + more, axis=0)
    low = -(-count // step) * step
    high = (count + more) // step * step
    if not data.shuffle or low >= high:  # a format before, or no new chunk is full
        data[count:] = values
        return
    if count < low:
        data[count:low] = values[: low - count]
    for first in range(low, high, step):
        rows = values[first - count : first - count + step]
        for corner in _corners(data):
            there = tuple(slice(at, at + chunk) for at, chunk in zip(corner, data.chunks[1:], strict=True))
            piece = rows[(slice(None), *there)]
            if piece.shape != data.chunks:
                whole = np.full(data.chunks, data.fillvalue, data.dtype)
                whole[tuple(map(slice, piece.shape))] = piece
                piece = whole
            _write(data, (first, *corner), packed(planes_of(np.ascontiguousarray(piece))))
    if high < count + more:
        data[high:] = values[high - count :]


def _corners(data: Any) -> Iterator[tuple[int, ...]]:
    """The places of the chunks of a row, along the other axes."""
    return product(
        *(range(0, length, chunk) for length, chunk in zip(data.shape[1:], data.chunks[1:], strict=True))
    )


def copy(file: Any, new: Any, ends: Mapping[str, int] | None = None) -> None:
    """Copy a file to a `new` one: all chunks packed, or those at `ends` unpacked."""
    import h5py

    for name, value in file.attrs.items():
        new.attrs[name] = value

    def one(name: str, thing: Any) -> None:
        if isinstance(thing, h5py.Group):
            new.require_group(name)
        elif thing.chunks is None or not thing.shuffle:
            file.copy(name, new, name)
        else:
            _copy_chunks(thing, new, name, None if ends is None else ends.get(name, len(thing)))

    file.visititems(one)


def _copy_chunks(data: Any, new: Any, name: str, end: int | None) -> None:
    from h5py import h5d

    if "/" in name:
        new.require_group(name.rpartition("/")[0])
    made = h5d.create(
        new.id, name.encode(), data.id.get_type(), data.id.get_space(), data.id.get_create_plist()
    )
    size, step = math.prod(data.chunks) * data.dtype.itemsize, data.chunks[0]
    for first in range(0, len(data), step):
        last = end is not None and first <= end < first + step
        for corner in ((first, *rest) for rest in _corners(data)):
            stored = data.id.read_direct_chunk(corner)[1]
            form = None if end is not None or len(stored) < size else packed
            form = unpacked if last else form
            if form is not None:
                content = _content(name, stored, size)
                body = form(np.frombuffer(content, np.uint8).reshape(data.dtype.itemsize, -1))
                stored = body + fletcher32(body).to_bytes(CHECKSUM, "little")
            made.write_direct_chunk(corner, stored)


def _content(name: str, stored: bytes, size: int) -> bytes:
    """The `size` bytes of a chunk as it is `stored`; OSError if it is damaged."""
    try:
        content = zlib.decompress(stored[:-CHECKSUM])
    except zlib.error as error:
        raise OSError(f"a chunk of {name} is damaged ({error})") from None
    if len(content) != size:
        raise OSError(f"a chunk of {name} is damaged ({len(content)} bytes, must be {size})")
    return content


def is_packed(file: Any, names: Iterable[str]) -> bool:
    """True if a last chunk of a table cannot take rows as it is."""
    for name in names:
        data = file[name]
        first = len(data) // data.chunks[0] * data.chunks[0]
        size = math.prod(data.chunks) * data.dtype.itemsize
        if first < len(data) and data.shuffle:
            for rest in _corners(data):
                if len(data.id.read_direct_chunk((first, *rest))[1]) < size:
                    return True
    return False


def _write(data: Any, corner: tuple[int, ...], body: bytes) -> None:
    """Write a chunk that is a stream of zlib already."""
    data.id.write_direct_chunk(corner, body + fletcher32(body).to_bytes(CHECKSUM, "little"))


def planes_of(values: Any) -> Any:
    """Bytes (size, n) of n numbers in the order of HDF5's shuffle."""
    return np.ascontiguousarray(values.reshape(-1, 1).view(np.uint8).T)


def packed(planes: Any) -> bytes:
    """A zlib stream of the shuffled bytes of numbers, joining neighbouring planes of one level."""
    pieces = [HEAD]
    for level, group in groupby(planes, key=_level):
        stream = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        pieces += [*map(stream.compress, group), stream.flush(zlib.Z_FULL_FLUSH)]  # blocks, none the last
    return b"".join([*pieces, END, zlib.adler32(planes).to_bytes(4, "big")])


def unpacked(planes: Any) -> bytes:
    """The same as it is, of level 0."""
    return zlib.compress(planes, 0)


def _level(plane: Any) -> int:
    """LEVEL for a plane that is worth it, else 0."""
    middle = max(len(plane) - SAMPLE, 0) // 2
    sample = plane[middle : middle + SAMPLE]
    return LEVEL if len(zlib.compress(sample, 1)) < WORTH * len(sample) else 0


def fletcher32(content: bytes) -> int:
    """The checksum of HDF5 behind a chunk: sums of its 16-bit words, modulo 65535."""
    words = np.frombuffer(content + b"\0" * (len(content) % 2), ">u2").astype(np.uint64)
    first = second = 0
    for begin in range(0, len(words), MOST):
        part = words[begin : begin + MOST]
        total = int(part.sum())
        second += first * len(part) + int(part @ np.arange(len(part), 0, -1, dtype=np.uint64))
        first += total
    low, high = (sum_ % 65535 or (65535 if sum_ else 0) for sum_ in (first, second))
    return high << 16 | low
