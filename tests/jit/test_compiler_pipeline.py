"""Omitted compiler passes do not change compiled code."""

import gc
import sys

import numpy as np
import pytest
from numba.core.errors import TypingError

from nsgalpha.jit.addresses import AVAILABLE
from nsgalpha.jit.decorators import inlined, kernel

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")


@kernel
def _elements(floats, flags, out):
    n = len(out)
    for k in range(n):
        out[k] = floats[k, -1] if flags[k] else floats[-1 - k, 0]
    floats[-1, -1] = 7
    flags[-1] = out[0] > 0.0


@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_elements_are_found_from_either_end_in_every_layout(layout):
    floats = np.arange(12.0).reshape(3, 4)
    given = np.array(floats, order=layout) if layout != "A" else np.repeat(floats, 2, axis=0)[::2]
    flags, out = np.array([True, False, True]), np.zeros(3)
    _elements(given, flags, out)
    assert list(out) == [3.0, 4.0, 11.0]
    floats[-1, -1] = 7.0
    np.testing.assert_array_equal(given, floats)
    assert list(flags) == [True, False, True]


@kernel
def _whole_rows(table, numbers, complex_values):
    table[1] = numbers
    table[2] = 5.0
    complex_values[0] += 1j
    return table[1:, 0].sum() + table[0][2]


def test_rows_slices_and_other_numbers_too():
    table, complex_values = np.arange(12.0).reshape(3, 4), np.zeros(1, complex)
    assert _whole_rows(table, np.full(4, 9.0), complex_values) == 9.0 + 5.0 + 2.0
    assert list(table[1]) == [9.0] * 4
    assert list(table[2]) == [5.0] * 4
    assert complex_values[0] == 1j


@kernel
def _parts_of_tuples(arrays):
    one, two = arrays[:2]
    return one[0] + 10.0 * two[0] + 100.0 * arrays[2:][0][0] + 1000.0 * arrays[-1][0]


def test_parts_of_tuples_too():
    arrays = tuple(np.full(1, float(k)) for k in range(1, 5))
    assert _parts_of_tuples(arrays) == 4321.0
    assert _parts_of_tuples(arrays[:3]) == 3321.0


@kernel
def _halves(values):
    return values[: len(values) // 2], values[len(values) // 2 :].copy()


@kernel
def _passed_on(values, turns):
    kept = values
    for _ in range(turns):
        one, two = _halves(kept)
        kept = two if turns > 1 else one
        two[0] += 1.0
    return kept, np.ones(3)


def test_references_to_arrays_are_counted():
    values = np.arange(8.0)
    before = sys.getrefcount(values)
    for turns in (1, 2, 1, 2):
        part, fresh = _passed_on(values, turns)
        assert sys.getrefcount(fresh) == 2
        assert list(part) == ([0.0, 1.0, 2.0, 3.0] if turns == 1 else [7.0, 7.0])
    del part
    assert sys.getrefcount(values) == before


@kernel
def _is_given_and_made(values, other, turns):
    kept, made = values, other.copy()
    for k in range(turns):
        last = made
        made = _doubled(last)
        last[0] = k  # of an array that is doubled already
    return (kept, made), other[1:].sum()


@inlined
def _doubled(values):
    given = values
    out = np.empty(given.shape[0])
    for i in range(given.shape[0]):
        out[i] = 2.0 * given[i]
    return out


def test_a_kernel_that_returns_an_argument_keeps_it():
    values, other = np.arange(3.0), np.arange(1.0, 4.0)
    before = sys.getrefcount(values), sys.getrefcount(other)
    (kept, made), total = _is_given_and_made(values, other, 3)
    assert (list(made), total) == ([8.0, 16.0, 24.0], 5.0)
    assert sys.getrefcount(other) == before[1]
    del values
    assert list(kept) == [0.0, 1.0, 2.0]
    assert list(other) == [1.0, 2.0, 3.0]


@kernel
def _in_a_list(values, other):
    found = [values]
    found.append(other[1:])
    return found[1]


def test_a_list_in_a_kernel_keeps_its_arrays():
    values, other = np.arange(3.0), np.arange(4.0)
    before = sys.getrefcount(other)
    part = _in_a_list(values, other)
    assert sys.getrefcount(other) > before
    assert list(part) == [1.0, 2.0, 3.0]
    del part
    assert sys.getrefcount(other) == before


@kernel
def _sum_of_views(values):
    return values[0] + values[1:].sum()


@kernel
def _sum_of_copies(values):
    return values[0] + values[1:].copy().sum()


def test_operations_of_kernels_with_and_without_counts_are_kept_apart():
    values = np.array([3.0, 1.0, 2.0])
    before = sys.getrefcount(values)
    for function in (_sum_of_views, _sum_of_copies, _sum_of_views):
        assert function(values) == 6.0
    assert sys.getrefcount(values) == before


@kernel
def _one_more(value):
    return value + 1


@kernel
def _impossible(value):
    return value + "x"


def test_the_search_for_garbage_is_as_before_after_a_compilation():
    before = gc.get_threshold()
    gc.set_threshold(701, 11, 12)
    try:
        assert _one_more(1) == 2
        assert gc.get_threshold() == (701, 11, 12)
        with pytest.raises(TypingError):
            _impossible(1)
        assert gc.get_threshold() == (701, 11, 12)
    finally:
        gc.set_threshold(*before)
