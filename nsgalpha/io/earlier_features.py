"""Features of contacts in files of the formats 2 and 3, as keys and back.

They numbered the contacts of two shapes,

    number = (256 shape_a + shape_b) 8 + contact

with two contacts of a capsule and a plane, five of two capsules, and one of other pairs. Numbers that fit no
such pair are those of elements that number their contacts, and are keys as they are. A file keeps its format
when its run is continued.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Ints
from nsgalpha.io.stored_array import StoredArray
from nsgalpha.model.carried_shapes import is_capsule, shape_numbers
from nsgalpha.model.contact_keys import MOST_SHAPES, contact_key, key_parts
from nsgalpha.model.handles import Body
from nsgalpha.model.model import Model
from nsgalpha.model.state import ContactForces

SHAPES, CONTACTS, NUMBERS = 256, 8, 1 << 20  # of a body, of two shapes, and all
END_PLANE = ((0, 0), (1, 0))  # features of A and B by their contact
AXIS_AXIS, AXIS_SPHERE = ((0, 2), (1, 2), (2, 0), (2, 1), (2, 2)), ((2, 0),)
SPHERE_POLYGON = ((0, 0),)


class StoredKeys(StoredArray):
    """Keys of contacts, from the numbers in a file when they are read."""

    def __init__(self, model: Model, sides: tuple[StoredArray, ...], numbers: StoredArray) -> None:
        super().__init__(numbers._source, numbers._name, numbers.shape, np.int64, numbers._decode)
        self._model, self._sides = model, sides

    def _read(self, keys: tuple[Any, ...], whole: bool) -> Any:
        columns = [side._read(keys, whole) for side in self._sides]
        a, b, plane, number = (np.atleast_1d(each) for each in (*columns, super()._read(keys, whole)))
        found = keys_of_numbers(self._model, ContactForces(a, b, plane, np.empty(0), number))
        return found if np.ndim(columns[0]) else found[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return np.asarray, (np.asarray(self),)


class _Pair(NamedTuple):
    """Pairs of two kinds of shapes among contacts."""

    rows: Flags  # (C,)
    features: tuple[tuple[int, int], ...]  # of A and B by the number of their contact


def _pairs(model: Model, contacts: ContactForces, shape_a: Ints, shape_b: Ints) -> Iterator[_Pair]:
    """The pairs of `contacts` (C,) between the shapes with these numbers (C,) on their bodies."""
    numbers, round_ = shape_numbers(model), np.array([body.radius > 0.0 for body in model.bodies])
    known: dict[bool, list[int]] = {True: [], False: []}
    for primitive in model.shapes.primitives:
        if primitive.index in numbers and isinstance(primitive.carrier, Body):
            place = primitive.carrier.index * MOST_SHAPES + numbers[primitive.index]
            known[is_capsule(primitive)].append(place)
    body = contacts.plane == -1
    a, b = (np.asarray(each) * MOST_SHAPES for each in (contacts.a, contacts.b))
    capsule_a, capsule_b = (np.isin(each, known[True]) for each in (a + shape_a, b + shape_b))
    sphere_a, sphere_b = (
        (shape == 0) & round_[np.maximum(side, 0)]
        for shape, side in ((shape_a, contacts.a), (shape_b, contacts.b))
    )
    yield _Pair(capsule_a & (contacts.plane >= 0) & (shape_b == 0), END_PLANE)
    yield _Pair(capsule_a & body & capsule_b, AXIS_AXIS)
    yield _Pair(capsule_a & body & sphere_b, AXIS_SPHERE)
    yield _Pair(sphere_a & body & np.isin(b + shape_b, known[False]), SPHERE_POLYGON)


def keys_of_numbers(model: Model, contacts: ContactForces) -> Ints:
    """The keys (C,) of `contacts` whose features are such numbers."""
    pair, contact = np.divmod(np.asarray(contacts.feature, np.int64), CONTACTS)
    shape_a, shape_b = np.divmod(pair, SHAPES)
    keys = np.array(contacts.feature, np.int64)
    for rows, features in _pairs(model, contacts, shape_a, shape_b):
        k = np.flatnonzero(rows & (contact < len(features)))
        a, b = np.array(features)[contact[k]].T
        keys[k] = contact_key(shape_a[k], a, shape_b[k], b)
    return keys


def numbers_of_keys(model: Model, contacts: ContactForces) -> Ints:
    """The numbers (C,) of `contacts` whose features are keys."""
    numbers = np.array(contacts.feature, np.int64)
    shape_a, feature_a, shape_b, feature_b = key_parts(np.asarray(contacts.feature, np.int64))
    for rows, features in _pairs(model, contacts, shape_a, shape_b):
        for contact, (a, b) in enumerate(features):
            k = np.flatnonzero(rows & (feature_a == a) & (feature_b == b))
            numbers[k] = (shape_a[k] * SHAPES + shape_b[k]) * CONTACTS + contact
    return numbers
