"""Handles: tuples of arrays that kernels read part by part."""

import copy
from typing import NamedTuple

import numpy as np
import pytest

from nsgalpha.jit.addresses import AVAILABLE, Handle, named
from nsgalpha.jit.decorators import kernel


class Inner(NamedTuple):
    flag: bool
    numbers: np.ndarray  # (n, 2)


class Pair(NamedTuple):
    first: float
    second: float


class Outer(NamedTuple):
    nothing: None
    scale: float
    inner: Inner
    pair: Pair
    count: int
    vector: np.ndarray  # (n,)
    below: Handle


def outer(flag=True):
    numbers = np.arange(12.0).reshape(6, 2)[::2]  # rows that are not next to each other
    below = Handle(Inner(not flag, np.full((1, 2), 7.0)))
    return Outer(None, 0.5, Inner(flag, numbers), Pair(2.0, -3.0), 4, np.array([1, 2], np.int64), below)


@kernel
def _read(handle, out):
    first, second = handle.pair
    inner = handle.inner
    out[0], out[1], out[2], out[3] = handle.scale, first, second, handle.count
    out[4], out[5] = inner.numbers[2, 1], inner.numbers.shape[0]
    out[6], out[7] = (1.0 if inner.flag else 0.0), (1.0 if handle.below.flag else 0.0)
    out[8], out[9] = handle.vector[1], handle.below.numbers.sum()
    if handle.nothing is None:
        out[10] = 1.0
    handle.inner.numbers[1, 0] = -8.0


@kernel
def _total(inner):
    return inner.numbers.sum()


@kernel
def _totals(handle, out):
    out[0] = _total(handle.inner)
    out[1] = _total(Inner(True, handle.inner.numbers))


@pytest.mark.parametrize("flag", [True, False])
def test_a_kernel_reads_every_part_as_python_does(flag):
    arrays = outer(flag)
    handle, out = Handle(arrays), np.zeros(11)
    _read(handle, out)
    assert out.tolist() == [0.5, 2.0, -3.0, 4, 9.0, 3, flag, not flag, 2, 14.0, 1.0]
    assert arrays.inner.numbers[1, 0] == -8.0
    assert handle.inner.numbers is arrays.inner.numbers
    assert handle.pair == (2.0, -3.0)
    with pytest.raises(AttributeError):
        _ = handle.absent


def test_a_part_with_arrays_is_a_handle_and_a_tuple_made_of_its_parts_is_a_tuple():
    out = np.zeros(2)
    _totals(named(outer()), out)
    assert out.tolist() == [27.0, 27.0]


@pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")
def test_handles_of_one_kind_are_of_one_type_and_keep_what_they_name():
    one, other = Handle(outer()), Handle(outer(False))
    assert one.type == other.type
    assert one.address != other.address
    assert Handle(Inner(True, np.zeros(2))).type != Handle(Inner(True, np.zeros((2, 2)))).type
    assert copy.copy(one).scale == 0.5
