"""New HDF5 files whose trees of chunks are small.

Each dataset has a tree of its chunks. A node holds 64 of them in 2 kB, which in fifty datasets is more than
the numbers of a small run. The size of a node is a property of the file that h5py cannot set. A file
therefore begins as a copy of an empty one with nodes of 8 chunks, in the format of HDF5 1.8.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

LIBRARY = ("v108", "v108")  # whose headers have checksums, and that another process may read meanwhile

#: HDF5 File Format Specification, version 3: superblock of version 2 (II.A), headers of objects (IV.A.1.b).
EMPTY = bytes.fromhex(
    "894844460d0a1a0a 02080800 0000000000000000 3000000000000000 e400000000000000 6100000000000000 cc3f68d5"
    # its extension, with the message of the sizes of trees: 8 chunks, and groups as usual
    "4f484452 0220 9749066b 9749066b 9749066b 9749066b 16 13 0700 05 00 0400 1000 0400"
    "00 07000000000000000000 e3c07b1c"
    # the root group: no links, their storage as usual, and 88 bytes of space
    "4f484452 0200 78 02 1200 00 0000 ffffffffffffffff ffffffffffffffff 0a 0200 01 0000 00 5800 00"
    + "00" * 88
    + "c5b9c8ac"
)


def new_file(path: str | PathLike[str], **options: Any) -> Any:
    """A new file, open, with options of `h5py.File`; FileExistsError if there is one."""
    import h5py

    with Path(path).open("xb") as stream:
        stream.write(EMPTY)
    return h5py.File(path, "r+", libver=LIBRARY, **options)
