"""Files of format 3, whose contacts are numbered by pairs of shapes, are read and continued."""

import gzip
import pickle
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.geometry.contact_identity import missing
from nsgalpha.io.earlier_features import CONTACTS, SHAPES, keys_of_numbers, numbers_of_keys
from nsgalpha.io.file_repair import whole_parts
from nsgalpha.model.state import ContactForces
from nsgalpha.system.system import System
from tests.interface.test_hard_capsules import dumbbells
from tests.io.kept import are_near

DATA = Path(__file__).parent / "data" / "format_3"


@pytest.fixture
def earlier(tmp_path):
    """`dumbbells()` to 0.4 s in steps of 2 ms, every fourth recorded."""
    path = tmp_path / "earlier.h5"
    path.write_bytes(gzip.decompress((DATA / "before_keys.h5.gz").read_bytes()))
    return path


def expected(a, b, plane, number):
    """Shapes and features by number: bodies 0 and 1 are balls with the capsules 1 and 2, 2 has capsule 0."""
    pair, contact = divmod(number, CONTACTS)
    shape_a, shape_b = divmod(pair, SHAPES)
    if a < 2 and shape_a == 0:
        features = [(0, 0)]
    elif plane >= 0:
        features = [(0, 0), (1, 0)]
    elif b < 2 and shape_b == 0:
        features = [(2, 0)]
    else:
        features = [(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]
    feature_a, feature_b = features[contact]
    return [shape_a, feature_a, shape_b, feature_b]


def test_its_contacts_have_keys(earlier):
    with h5py.File(earlier) as file:
        assert file.attrs["format_version"] == 3
        numbers = file["contacts/feature"][:].tolist()
    contacts = ns.load(earlier).contacts
    sides = (getattr(contacts, name)[:].tolist() for name in ("body_a", "body_b", "plane"))
    assert contacts.features.tolist() == [expected(*each) for each in zip(*sides, numbers, strict=True)]
    assert len(np.unique(contacts.features, axis=0)) > 6
    features = contacts.feature
    assert features[7] == features[:][7]
    assert np.array_equal(features[3:9:2], features[:][3:9:2])
    assert np.array_equal(pickle.loads(pickle.dumps(features)), features[:])


def test_its_last_forces_are_found(earlier):
    state, system = ns.load(earlier).state(), System(dumbbells())
    candidates = system.candidates(state.position, np.inf)
    assert len(state.forces.wrench) > 5
    assert not missing(state.forces, candidates).any()


def test_its_run_goes_on_in_its_numbers(earlier):
    last = ns.load(earlier)
    count = len(last.t)
    rest = ns.simulate(dumbbells(), t_end=0.48, h=2e-3, record_every=4, state=last.state())
    on = ns.resume(earlier, t_end=0.48)
    assert np.array_equal(on.position[count - 1 :], rest.position)
    assert np.array_equal(on.contacts.at(-1).feature[:], rest.contacts.at(-1).feature)
    # impacts from then on make 1e-5 of differences of rounding
    part, finer = (ns.simulate(dumbbells(), t_end=0.304, h=2e-3 / n, record_every=4 * n) for n in (1, 8))
    begun = SimpleNamespace(position=on.position[: len(part.t)])
    assert are_near(begun, part, finer)
    with h5py.File(earlier) as file:
        assert file.attrs["format_version"] == 3
        assert file["contacts/feature"].dtype == np.int32
        assert file["contacts/feature"][:].max() < SHAPES**2 * CONTACTS
    assert whole_parts(earlier)[1] == []
    assert len(np.asarray(ns.resume(earlier, t_end=0.5).contacts.feature)) > len(on.contacts.gap)


@pytest.mark.parametrize(("a", "b", "plane", "number"), [(2, 0, -1, 7), (0, -1, 0, 3)])
def test_numbers_of_other_elements_are_their_keys(a, b, plane, number):
    """A rod and a ball have no contact 7, a ball and a plane no contact 3."""
    sides, feature = (np.array([each]) for each in (a, b, plane)), np.array([number])
    contacts = ContactForces(*sides, np.empty((1, 6)), feature)
    assert keys_of_numbers(dumbbells(), contacts).tolist() == [number]
    assert numbers_of_keys(dumbbells(), contacts).tolist() == [number]
