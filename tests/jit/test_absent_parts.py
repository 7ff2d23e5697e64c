"""Missing parts of a model are not compiled; one kernel serves all numbers."""

from typing import NamedTuple

import numpy as np
import pytest

from nsgalpha.jit.addresses import AVAILABLE, named
from nsgalpha.jit.decorators import inlined, is_cached, kernel

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")


class Extra(NamedTuple):
    values: np.ndarray  # (n,)


class Inner(NamedTuple):
    extra: Extra | None
    values: np.ndarray


class Outer(NamedTuple):
    inner: Inner
    scale: float


@kernel
def _add(extra, out):
    if extra is not None:
        out[0] += extra.values.sum()


@kernel
def _nested(outer, out):
    out[0] = 1.0
    _add(outer.inner.extra, out)


@kernel
def _named_on_the_way(outer, out):
    inner = outer.inner
    out[0] = 1.0
    if out[0] > 0.0:
        _add(inner.extra, out)


@inlined
def _inlined(inner, out):
    _add(inner.extra, out)


@kernel
def _through_a_part(outer, out):
    out[0] = 1.0
    _inlined(outer.inner, out)


@pytest.mark.parametrize("kernel", [_nested, _named_on_the_way, _through_a_part])
@pytest.mark.parametrize("of", [lambda arrays: arrays, named])
def test_a_branch_on_an_argument_that_is_none_is_left_out(kernel, of):
    """`extra.values` has no type for None: the branch is gone before types are found."""
    out, values = np.zeros(1), np.array([2.0, 3.0])
    for extra, expected in (None, 1.0), (Extra(values), 6.0), (None, 1.0):
        kernel(of(Outer(Inner(extra, values), 2.0)), out)
        assert out[0] == expected


@kernel
def _times(number, out):
    out[0] = 3.0 * number


@kernel
def _with_numbers(out):
    _times(0, out[:1])
    _times(1, out[1:])
    _times(out.shape[0], out[2:])


def test_a_kernel_is_one_for_all_numbers():
    out, on_disk = np.zeros(3), is_cached(_with_numbers)
    _with_numbers(out)
    assert out.tolist() == [0.0, 3.0, 9.0]
    assert len(_times.inner.overloads) == (0 if on_disk else 1)  # none is typed for a caller on disk
