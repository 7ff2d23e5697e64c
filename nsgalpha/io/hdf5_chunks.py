"""Datasets in chunks, in foreign HDF5 files: filters, sizes, and lengths of unpacked chunks.

HDF5 unpacks a chunk to the length of its bytes, though that of the dataset's chunks is known. A megabyte may
become a gigabyte. Where less comes out HDF5 reads beyond it in memory.
"""

from __future__ import annotations

import math
import zlib
from itertools import product
from os import fsdecode
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import h5py

MOST_CHUNK = 2**27  # bytes of a chunk, which HDF5 holds as a whole, twice if there are filters
DEFLATE, SZIP, LZF = COMPRESSION = (1, 4, 32000)
SHUFFLE, FLETCHER32 = PLAIN = (2, 3)
CHECKSUM = 4  # bytes of fletcher32
LEAST_ENTRY = 8  # bytes of a file that a chunk takes at least


def require_chunks(data: h5py.Dataset, where: str, shape: tuple[int, ...]) -> None:
    """Raises ValueError unless `shape` of `data`, named `where`, is stored in consistent chunks."""
    created = data.id.get_create_plist()
    filters = [created.get_filter(k) for k in range(created.get_nfilters())]
    for code, _, _, name in filters:
        if code not in PLAIN + COMPRESSION:
            named = f"the filter {code} {fsdecode(name)}".rstrip()
            raise ValueError(f"{where} is stored with {named}, which is not loaded")
    codes = [code for code, *_ in filters]
    packers = [k for k, code in enumerate(codes) if code in COMPRESSION]
    if len(packers) > 1 or (packers and SHUFFLE in codes[packers[0] :]):
        raise ValueError(f"{where} is compressed by the filters {codes}, must be once, after the others")
    chunk = created.get_chunk()
    size = math.prod(chunk) * data.dtype.itemsize
    if size > MOST_CHUNK:
        raise ValueError(f"{where} has chunks of {size:.3g} bytes; at most {MOST_CHUNK:.3g} are allowed")
    if not math.prod(shape):
        return
    end = Path(data.file.filename).stat().st_size
    stored = _stored_chunks(data, end // LEAST_ENTRY)
    for info in stored:
        if info.byte_offset + info.size > end:
            raise ValueError(f"{where} has a chunk at byte {info.byte_offset} that is not in the file")
    if len({info.chunk_offset for info in stored}) < len(stored):
        raise ValueError(f"{where} has a chunk twice")
    needed = math.prod(-(-length // width) for length, width in zip(shape, chunk, strict=True))
    there = sum(all(map(int.__lt__, info.chunk_offset, shape)) for info in stored)
    if there < needed:
        raise ValueError(f"{where} has shape {data.shape}, but {there} of its {needed} chunks are stored")


def require_sound_chunks(data: h5py.Dataset, where: str, rows: slice) -> None:
    """ValueError unless the chunks that hold `rows` of `data` unpack to their size; HDF5 may crash."""
    chunk = data.chunks
    first, last, _ = rows.indices(data.shape[0] if data.shape else 0)
    if chunk is None or first >= last:
        return
    created = data.id.get_create_plist()
    codes = [created.get_filter(k)[0] for k in range(created.get_nfilters())]
    size = math.prod(chunk) * data.dtype.itemsize
    begins = [range(first - first % chunk[0], last, chunk[0])]
    begins += [range(0, length, width) for length, width in zip(data.shape[1:], chunk[1:], strict=True)]
    with Path(data.file.filename).open("rb") as file:
        for corner in product(*begins):
            info = data.id.get_chunk_info_by_coord(corner)
            if info.byte_offset is None:  # not there
                continue
            file.seek(info.byte_offset)
            used = [code for k, code in enumerate(codes) if not info.filter_mask >> k & 1]
            if not _unpacks_to(size, file.read(info.size), used):
                raise ValueError(f"{where} has a chunk that does not unpack to its {size} bytes")


def _stored_chunks(data: h5py.Dataset, most: int) -> list[Any]:
    """Offset, place and size of the stored chunks, the first ones if above `most`."""
    stored: list[Any] = []

    def stops(info: Any) -> bool | None:
        stored.append(info)
        return True if len(stored) > most else None

    data.id.chunk_iter(stops)
    return stored


def _unpacks_to(size: int, content: bytes, codes: list[int]) -> bool:
    """True if filters, in the order of writing, made `content` of `size` bytes."""
    for k, code in reversed(list(enumerate(codes))):
        if code == FLETCHER32:
            content = content[:-CHECKSUM]
        elif code in COMPRESSION:
            return _packs(code, content, size + CHECKSUM * codes[:k].count(FLETCHER32))
    return len(content) == size


def _packs(code: int, packed: bytes, size: int) -> bool:
    """True if `packed` is a compressed form of `size` bytes."""
    if code == DEFLATE:
        unpacked = zlib.decompressobj()
        try:
            return len(unpacked.decompress(packed, size + 1)) == size and unpacked.eof
        except zlib.error:
            return False
    if code == SZIP:
        return int.from_bytes(packed[:4], "little") == size
    return _lzf_length(packed) == size


def _lzf_length(packed: bytes) -> int:
    """How many bytes `packed` stands for, -1 if it breaks off."""
    at = total = 0
    while at < len(packed):
        head = packed[at]
        length = head >> 5
        if length == 0:  # as many bytes as they are
            at, total = at + head + 2, total + head + 1
            continue
        if length == 7:
            at += 1
            length += packed[at] if at < len(packed) else 0
        at, total = at + 2, total + length + 2
    return total if at == len(packed) else -1
