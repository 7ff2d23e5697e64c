"""Earlier files of the present format, without features, are read and continued."""

import gzip
from pathlib import Path

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.io.file_repair import whole_parts
from tests.interface.test_restart import scene
from tests.io.kept import are_near
from tests.io.test_store import grains

DATA = Path(__file__).parent / "data" / "format_2"


def unpacked(folder, name):
    path = folder / "earlier.h5"
    path.write_bytes(gzip.decompress((DATA / name).read_bytes()))
    return path


@pytest.fixture
def earlier(tmp_path):
    """`scene()` to 0.06 s in steps of 1 ms, every third recorded."""
    return unpacked(tmp_path, "before_features.h5.gz")


@pytest.fixture
def remembering(tmp_path):
    """`grains(None)` to 3 ms in steps of 0.1 ms, every tenth recorded."""
    return unpacked(tmp_path, "before_features_of_memories.h5.gz")


def test_it_is_read_as_if_every_contact_were_the_first_of_its_pair(earlier):
    with h5py.File(earlier) as file:
        assert "feature" not in file["contacts"]
    found = ns.load(earlier)
    assert len(found.contacts.gap) > 10
    assert not np.asarray(found.contacts.feature).any()
    assert len(found.contacts.feature) == len(found.contacts.gap)
    assert whole_parts(earlier)[1] == []


def test_its_run_goes_on(earlier):
    last = ns.load(earlier)
    count, whole = len(last.t), ns.simulate(scene(), t_end=0.09, h=1e-3, record_every=3)
    rest = ns.simulate(scene(), t_end=0.09, h=1e-3, record_every=3, state=last.state())
    on = ns.resume(earlier, t_end=0.09)
    assert on.position[count - 1 :] == pytest.approx(rest.position, abs=1e-12)
    assert are_near(on, whole, ns.simulate(scene(), t_end=0.09, h=1.25e-4, record_every=24))
    assert len(on.contacts.feature) == len(on.contacts.gap) == len(whole.contacts.gap)
    assert whole_parts(earlier)[1] == []
    with h5py.File(earlier) as file:
        assert file["statistics/velocity_error"].dtype == file["statistics/singular"].dtype == float
    again = ns.resume(earlier, t_end=0.12)
    assert len(np.asarray(again.contacts.feature)) == len(again.contacts.gap)


def test_its_memories_are_those_of_first_contacts_and_go_on(remembering):
    with h5py.File(remembering) as file:
        assert "feature" not in file["histories"]
    found = ns.load(remembering)
    assert [len(history.feature) for history in found.histories] == [12, 12, 12, 12]
    assert not any(history.feature.any() for history in found.histories)
    assert whole_parts(remembering)[1] == []
    whole = ns.simulate(grains(None)[0], t_end=6e-3, h=1e-4, record_every=10)
    on = ns.resume(remembering, t_end=6e-3)
    assert on.position[:] == pytest.approx(whole.position, abs=1e-9)  # the file is of another machine
    assert on.histories[-1].values == pytest.approx(whole.histories[-1].values, abs=1e-9)
    assert len(on.histories[-1].feature) == len(on.histories[-1].pair)
    assert whole_parts(remembering)[1] == []
