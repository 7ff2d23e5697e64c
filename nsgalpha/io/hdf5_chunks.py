"""Datasets in chunks, in HDF5 files of others: filters, sizes, and how far compressed chunks expand.

HDF5 unpacks a chunk to whatever length its bytes have, though that of the dataset's chunks is known: a
megabyte may become a gigabyte.
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
PLAIN = (2, 3)  # shuffle, fletcher32
EXPANSION = {DEFLATE: 1032, SZIP: math.inf, LZF: 90}  # bytes that one byte may become
MOST_UNPACKED = 2**28  # bytes that a chunk may become without a look at what is packed
CHECKSUM = 4  # bytes of fletcher32
LEAST_ENTRY = 8  # bytes of a file that a chunk takes at least


def require_chunks(data: h5py.Dataset, where: str, shape: tuple[int, ...]) -> None:
    """ValueError unless `shape` of `data`, named `where`, is stored in chunks that are what they say."""
    created = data.id.get_create_plist()
    filters = [created.get_filter(k) for k in range(created.get_nfilters())]
    for code, _, _, name in filters:
        if code not in PLAIN + COMPRESSION:
            named = f"the filter {code} {fsdecode(name)}".rstrip()
            raise ValueError(f"{where} is stored with {named}, which is not loaded")
    codes = [code for code, *_ in filters]
    packers = [k for k, code in enumerate(codes) if code in COMPRESSION]
    if len(packers) > 1 or (packers and 2 in codes[packers[0] :]):
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
    needed = math.prod(-(-length // width) for length, width in zip(shape, chunk, strict=True))
    there = sum(all(map(int.__lt__, info.chunk_offset, shape)) for info in stored)
    if there < needed:
        raise ValueError(f"{where} has shape {data.shape}, but {there} of its {needed} chunks are stored")


def require_bounded(data: h5py.Dataset, where: str, rows: slice) -> None:
    """ValueError if a chunk that holds some of the `rows` of `data` expands to more than its size."""
    chunk = data.chunks
    first, last, _ = rows.indices(data.shape[0] if data.shape else 0)
    if chunk is None or first >= last:
        return
    created = data.id.get_create_plist()
    codes = [created.get_filter(k)[0] for k in range(created.get_nfilters())]
    packers = [k for k, code in enumerate(codes) if code in COMPRESSION]
    if not packers:
        return
    size = math.prod(chunk) * data.dtype.itemsize
    begins = [range(first - first % chunk[0], last, chunk[0])]
    begins += [range(0, length, width) for length, width in zip(data.shape[1:], chunk[1:], strict=True)]
    with Path(data.file.filename).open("rb") as file:
        for corner in product(*begins):
            info = data.id.get_chunk_info_by_coord(corner)
            for k in packers:
                may_become = EXPANSION[codes[k]] * (info.size or 0)
                if may_become > MOST_UNPACKED and not info.filter_mask >> k & 1:
                    file.seek(info.byte_offset)
                    if not _fits(codes[k], file.read(info.size), size + CHECKSUM):
                        raise ValueError(f"{where} has a chunk that expands to more than its {size} bytes")


def _stored_chunks(data: h5py.Dataset, most: int) -> list[Any]:
    """Offset, place and size of the chunks that are stored, of the first ones if they are above `most`."""
    stored: list[Any] = []

    def stops(info: Any) -> bool | None:
        stored.append(info)
        return True if len(stored) > most else None

    data.id.chunk_iter(stops)
    return stored


def _fits(code: int, packed: bytes, size: int) -> bool:
    """True if `packed` expands to at most `size` bytes; lzf does not say."""
    if code == DEFLATE:
        unpacked = zlib.decompressobj()
        try:
            unpacked.decompress(packed, size + 1)
        except zlib.error:
            return False
        return unpacked.eof
    if code == SZIP:
        return int.from_bytes(packed[:4], "little") <= size
    return False
