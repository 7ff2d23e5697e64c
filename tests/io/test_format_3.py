"""Files of format 3, whose contacts are numbered by pairs of shapes, are read and continued."""

import gzip
import pickle
from pathlib import Path

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.io.earlier_features import CONTACTS, SHAPES, keys_of_numbers, numbers_of_keys
from nsgalpha.io.file_repair import whole_parts
from nsgalpha.model.state import ContactForces
from tests.interface.test_hard_capsules import dumbbells

DATA = Path(__file__).parent / "data" / "format_3"


@pytest.fixture
def earlier(tmp_path):
    """`dumbbells()` to 0.4 s in steps of 2 ms, every fourth recorded."""
    path = tmp_path / "earlier.h5"
    path.write_bytes(gzip.decompress((DATA / "before_keys.h5.gz").read_bytes()))
    return path


def same_keys(one, two):
    """Both have the same contacts."""
    for name in ("start", "body_a", "body_b", "plane", "feature"):
        assert np.array_equal(getattr(one, name)[:], getattr(two, name)[:]), name


def test_its_contacts_have_keys(earlier):
    with h5py.File(earlier) as file:
        assert file.attrs["format_version"] == 3
        assert file["contacts/feature"][:].max() < SHAPES**2 * CONTACTS
    found = ns.load(earlier)
    same_keys(found.contacts, ns.simulate(dumbbells(), t_end=0.4, h=2e-3, record_every=4).contacts)
    assert len(np.unique(found.contacts.feature)) > 6
    features, shapes = found.contacts.feature, found.contacts.features
    assert features[7] == features[:][7]
    assert np.array_equal(features[3:9:2], features[:][3:9:2])
    assert np.array_equal(pickle.loads(pickle.dumps(features)), features[:])
    assert {*np.unique(shapes[:, ::2])} == {0, 1, 2}
    assert {*np.unique(shapes[:, 1::2])} == {0, 1, 2}


def test_its_run_goes_on_in_its_numbers(earlier):
    count = len(ns.load(earlier).contacts.gap)
    whole = ns.simulate(dumbbells(), t_end=0.6, h=2e-3, record_every=4)
    on = ns.resume(earlier, t_end=0.6)
    assert len(on.contacts.gap) > count + 10
    same_keys(on.contacts, whole.contacts)
    assert on.position[:] == pytest.approx(whole.position, abs=1e-9)  # the file is of another machine
    assert on.contacts.wrench[-1] == pytest.approx(whole.contacts.wrench[-1], abs=1e-6)
    with h5py.File(earlier) as file:
        assert file.attrs["format_version"] == 3
        assert file["contacts/feature"].dtype == np.int32
    assert whole_parts(earlier)[1] == []
    same_keys(ns.resume(earlier, t_end=0.61).contacts.at(-1), ns.load(earlier).contacts.at(-1))


@pytest.mark.parametrize(("a", "b", "plane", "number"), [(2, 0, -1, 7), (0, -1, 0, 3)])
def test_numbers_of_other_elements_are_their_keys(a, b, plane, number):
    """A rod and a ball have no contact 7, a ball and a plane no contact 3."""
    sides, feature = (np.array([each]) for each in (a, b, plane)), np.array([number])
    contacts = ContactForces(*sides, np.empty((1, 6)), feature)
    assert keys_of_numbers(dumbbells(), contacts).tolist() == [number]
    assert numbers_of_keys(dumbbells(), contacts).tolist() == [number]
