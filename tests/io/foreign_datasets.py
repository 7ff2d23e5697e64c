"""Datasets with values of other files, behind a program as filter, or that expand."""

import zlib
from typing import Any

import h5py


def virtual(group: Any, name: str, shape: tuple[int, ...]) -> None:
    """A dataset composed of another file."""
    layout = h5py.VirtualLayout(shape, float)
    layout[:] = h5py.VirtualSource("/etc/hosts", "x", shape)
    group.create_virtual_dataset(name, layout)


def filtered(group: Any, name: str, shape: tuple[int, ...], number: int, *options: int) -> Any:
    """A dataset of one chunk with the filter `number`; nothing is written to it."""
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_chunk(shape)
    created.set_filter(number, h5py.h5z.FLAG_OPTIONAL, options)
    space = h5py.h5s.create_simple(shape)
    return h5py.h5d.create(group.id, name.encode(), h5py.h5t.NATIVE_DOUBLE, space, created)


def packed_zeros(size: int) -> bytes:
    """The zlib stream (RFC 1950) of `size` zeros, whole pieces of a megabyte: the same block many times."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)  # blocks without header and checksum
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = size % 65521 << 16 | 1  # Adler-32
    return b"\x78\xda" + size // 2**20 * block + packer.flush() + checksum.to_bytes(4, "big")
