"""Fixtures of the tests of files."""

import h5py
import pytest

from nsgalpha.io.hdf5 import open_to_read


@pytest.fixture
def made(tmp_path):
    """A function: the file that `fill(file)` writes to, opened for reading."""
    opened = []

    def make(fill, **options):
        path = tmp_path / f"{len(opened)}a.h5"
        with h5py.File(path, "w", **options) as file:
            fill(file)
        opened.append(open_to_read(path))
        return opened[-1]

    yield make
    for file in opened:
        file.close()
