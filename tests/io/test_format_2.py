"""Files of the present format that were written before contacts had features are read and go on."""

import gzip
from pathlib import Path

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.io.repair import whole_parts
from tests.interface.test_restart import scene

DATA = Path(__file__).parent / "data" / "format_2"


@pytest.fixture
def earlier(tmp_path):
    """`scene()` to 0.06 s in steps of 1 ms, every third recorded."""
    path = tmp_path / "earlier.h5"
    path.write_bytes(gzip.decompress((DATA / "before_features.h5.gz").read_bytes()))
    return path


def test_it_is_read_as_if_every_contact_were_the_first_of_its_pair(earlier):
    with h5py.File(earlier) as file:
        assert "feature" not in file["contacts"]
    found = ns.load(earlier)
    assert len(found.contacts.gap) > 10
    assert not np.asarray(found.contacts.feature).any()
    assert len(found.contacts.feature) == len(found.contacts.gap)
    assert whole_parts(earlier)[1] == []


def test_its_run_goes_on(earlier):
    whole = ns.simulate(scene(), t_end=0.09, h=1e-3, record_every=3)
    on = ns.resume(earlier, t_end=0.09)
    assert on.position[:] == pytest.approx(whole.position, abs=1e-9)  # the file is of another machine
    assert len(on.contacts.feature) == len(on.contacts.gap) == len(whole.contacts.gap)
    assert whole_parts(earlier)[1] == []
    again = ns.resume(earlier, t_end=0.12)
    assert len(np.asarray(again.contacts.feature)) == len(again.contacts.gap)
