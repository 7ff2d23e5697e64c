"""Keys of contacts, and the contacts of one table in another."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nsgalpha as ns
from elements import CapsulePlane, SpherePolygon
from nsgalpha.arrays import FORCE, SLIDING_FRICTION, candidate_table
from nsgalpha.geometry.contact_identity import carried, missing, rows_in
from nsgalpha.model.contact_keys import FEATURE_BITS, KEYS, MOST_FEATURES, MOST_SHAPES, contact_key, key_parts
from nsgalpha.stepping.warm_start import Memory

shapes, features = st.integers(0, MOST_SHAPES - 1), st.integers(0, MOST_FEATURES - 1)


@given(parts=st.tuples(shapes, features, shapes, features))
def test_a_key_holds_its_parts(parts):
    key = contact_key(*parts)
    assert 0 <= key < KEYS < 1 << 63
    assert key_parts(key) == parts
    arrays = [np.array([each]) for each in parts]
    assert contact_key(*arrays).tolist() == [key]
    assert np.array(key_parts(np.array([key]))).ravel().tolist() == [*parts]


def test_different_contacts_have_different_keys():
    low, high = (0, 0, 0, 0), (MOST_SHAPES - 1, MOST_FEATURES - 1, MOST_SHAPES - 1, MOST_FEATURES - 1)
    assert (contact_key(*low), contact_key(*high)) == (0, KEYS - 1)
    steps = [contact_key(*(int(k == i) for k in range(4))) for i in range(4)]
    assert steps == [1 << 31 + FEATURE_BITS, 1 << 31, 1 << FEATURE_BITS, 1]


class Table(NamedTuple):
    """Contacts, as rows of numbers."""

    a: np.ndarray
    b: np.ndarray
    plane: np.ndarray
    feature: np.ndarray


def table(rng, count):
    """Different contacts of few bodies: pairs, planes, and markers."""
    plane = rng.choice([-1, -1, 0, 1, FORCE, SLIDING_FRICTION], size=count)
    key = rng.choice([0, 1, 1 << FEATURE_BITS, 3 << 31, KEYS - 1], size=count)
    rows = np.column_stack([rng.integers(0, 4, count), rng.integers(0, 4, count), plane, key])
    rows = {(a, b if p == -1 else None, p, k): (a, b, p, k) for a, b, p, k in rows.tolist()}
    mixed = rng.permutation(np.array([*rows.values()], np.int64).reshape(-1, 4))
    return Table(*np.ascontiguousarray(mixed.T))


def names(contacts):
    """The contacts by name: body B counts where side B is no plane."""
    return [(a, b if p == -1 else None, p, k) for a, b, p, k in np.column_stack(contacts).tolist()]


@pytest.mark.parametrize("seed", range(30))
def test_contacts_are_found_in_another_table(seed):
    rng = np.random.default_rng(seed)
    before, after = table(rng, rng.integers(0, 150)), table(rng, rng.integers(0, 150))
    known = {name: k for k, name in enumerate(names(before))}
    expected = [known.get(name, -1) for name in names(after)]
    assert rows_in(before, after).tolist() == expected
    assert missing(after, before).tolist() == [k < 0 for k in expected]
    values = rng.normal(size=(len(before.a), 2))
    found = carried(before, after, values)
    assert found.shape == (len(after.a), 2)
    assert all(
        np.array_equal(row, values[k] if k >= 0 else [0, 0]) for row, k in zip(found, expected, strict=True)
    )


def test_contacts_that_stay_in_their_places_are_found_before_others():
    rng = np.random.default_rng(0)
    before = table(rng, 60)
    longer = Table(*(np.append(column[:20], column[30:]) for column in before))
    assert rows_in(before, longer).tolist() == [*range(20), *range(30, len(before.a))]
    assert rows_in(before, before).tolist() == [*range(len(before.a))]


def candidates(*rows):
    """Candidates with these numbers."""
    a, b, plane, feature = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    return candidate_table(a, b, plane, np.zeros_like(a), feature, np.ones(len(a)))


def test_a_contact_takes_its_past_along_and_no_other_contact_does():
    """Ends exchange their places, one is replaced, and a body has another place."""
    ends = [contact_key(0, end, 0, 0) for end in range(3)]
    before = candidates((0, 5, 0, ends[0]), (0, 5, 0, ends[1]), (1, 5, 0, ends[0]), (2, 3, -1, ends[0]))
    after = candidates((2, 3, -1, ends[0]), (0, 5, 0, ends[1]), (0, 5, 0, ends[0]), (1, 5, 0, ends[2]))
    memory = Memory(6)
    memory.follow(candidates(), before)
    past = memory.past
    for name in ("wrench", "struck", "turned"):
        getattr(past, name)[:] = np.arange(1.0, 5.0)[:, None]
    past.flying[:] = [True, False, False, False]
    memory.follow(before, after)
    for name in ("wrench", "struck", "turned"):
        assert getattr(memory.past, name)[:, 0].tolist() == [4.0, 2.0, 1.0, 0.0]
    assert memory.past.flying.tolist() == [False, False, True, False]
    assert not memory.past.touched.any()


def test_shapes_without_a_key_are_refused():
    model = ns.Model()
    body = model.add_sphere(mass=1.0, position=(0, 0, 0), radius=0.1)
    ends, corners = [(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    rods = [model.add_primitive(ends, radius=0.1, carrier=body) for _ in range(MOST_SHAPES)]
    floor, ball = (
        model.add_plane(normal=(0, 0, 1)),
        model.add_sphere(radius=0.1, mass=1.0, position=(3, 0, 0)),
    )
    assert CapsulePlane(rods[:-1], floor)
    with pytest.raises(
        ValueError, match=rf"capsules = '{rods[-1].name}': must be one of {MOST_SHAPES} on its body"
    ):
        CapsulePlane(rods, floor)
    face = model.add_primitive(corners, carrier=body)
    with pytest.raises(
        ValueError, match=rf"polygons = '{face.name}': must be one of {MOST_SHAPES} on its body"
    ):
        SpherePolygon(ball, face)
