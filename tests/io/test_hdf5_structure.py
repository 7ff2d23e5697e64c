"""HDF5 files whose metadata lead back to themselves, or whose chunks expand without bound, are refused."""

import re
import struct

import h5py
import numpy as np
import pytest

from tests.fresh_python import run_python
from tests.io.foreign_datasets import packed_zeros


def node(content, kind, level=None):
    """Offset of the last node of a tree of names (0) or chunks (1)."""
    found = [match.start() for match in re.finditer(b"TREE", content)]
    return [at for at in found if content[at + 4] == kind and level in (None, content[at + 5])][-1]


def tree_of_chunks_in_itself(content):
    at = node(content, 1, level=0)
    content[at + 5] = 1
    content[at + 24 + 24 : at + 24 + 32] = at.to_bytes(8, "little")


def tree_of_chunks_with_a_node_twice(content):
    at = node(content, 1, level=1)
    content[at + 24 + 56 : at + 24 + 64] = content[at + 24 + 24 : at + 24 + 32]


def tree_of_names_in_itself(content):
    at = node(content, 0)
    content[at + 5] = 1
    for k in range(int.from_bytes(content[at + 6 : at + 8], "little")):
        content[at + 32 + 16 * k : at + 40 + 16 * k] = at.to_bytes(8, "little")


def free_places_without_end(content):
    at = content.rindex(b"HEAP")
    _, free, start = struct.unpack_from("<QQQ", content, at + 8)
    struct.pack_into("<QQ", content, start + free, free, 16)


def chunk_outside_of_the_file(content):
    at = node(content, 1, level=0)
    content[at + 24 + 24 : at + 24 + 32] = (2**40).to_bytes(8, "little")


CYCLES = {
    tree_of_chunks_in_itself: "contains itself",
    tree_of_chunks_with_a_node_twice: "its chunks are not in order",
    tree_of_names_in_itself: "contains itself",
    free_places_without_end: "its list of free places has no end",
    chunk_outside_of_the_file: "x has a chunk at byte 1099511627776 that is not in the file",
}
PROBE = """
import faulthandler, resource, sys
from nsgalpha.io.hdf5 import *
faulthandler.dump_traceback_later(20, exit=True)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28,) * 2)
try:
    with naming(sys.argv[1]), open_to_read(sys.argv[1]) as file:
        checked_group(file, "g")
        print(checked_dataset(file, "g/x", most=10**8)[()].sum())
except ValueError as error:
    print(error)
"""


def probed(path):
    """Report of a process with 256 MB to spare on the file."""
    return run_python("-c", PROBE, path).stdout


@pytest.mark.parametrize("damage", CYCLES, ids=lambda damage: damage.__name__)
def test_what_leads_back_to_itself_is_refused(damage, tmp_path):
    """HDF5 alone ends the process, or never ends."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        group = file.create_group("g")
        group.create_dataset("x", data=np.arange(1000.0), chunks=(4,))
        for k in range(8):
            group[f"name {k}"] = k
        del group["name 3"]
    assert probed(path) == "499500.0\n"
    content = bytearray(path.read_bytes())
    damage(content)
    path.write_bytes(content)
    assert CYCLES[damage] in probed(path)


def test_a_chunk_that_expands_without_bound_is_refused(tmp_path):
    """A megabyte that would take a gigabyte, in a dataset of ten numbers."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        data = file.create_group("g").create_dataset("x", (10,), float, chunks=(10,), compression="gzip")
        data.id.write_direct_chunk((0,), packed_zeros(2**30))
    assert "g/x has a chunk that does not unpack to its 80 bytes" in probed(path)
