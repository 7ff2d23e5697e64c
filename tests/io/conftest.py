"""Fixtures of the tests of files."""

import h5py
import pytest

from nsgalpha.io.hdf5 import open_to_read
from tests.io.file_runs import make_runs


@pytest.fixture(scope="session")
def originals(tmp_path_factory):
    """Files of small runs, by the names of file_runs.py; tests change copies of them."""
    return make_runs(tmp_path_factory.mktemp("runs"))


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
