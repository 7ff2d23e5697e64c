"""Products of short rows in vectors, with numba and without."""

import numpy as np
import pytest

from nsgalpha.jit.decorators import fused
from nsgalpha.linalg import short_rows
from nsgalpha.linalg.short_rows import FILLED, subtract_six, subtract_three


@fused
def threes(C, A, B):
    for i in range(C.shape[0]):
        subtract_three(C[i], A[i], B[i])


@fused
def sixes(C, A, B):
    for i in range(C.shape[0]):
        subtract_six(C[i], A[i], B[i])


def in_python(size):
    def subtract(C, A, B):
        for part in zip(C, A, B, strict=True):
            short_rows._product_in_python(size)(*part)

    return subtract


@pytest.mark.parametrize(
    ("size", "subtract"),
    [(3, threes), (6, sixes), (3, in_python(3)), (6, in_python(6))],
    ids=["3", "6", "3 in Python", "6 in Python"],
)
@pytest.mark.parametrize("row", [False, True], ids=["blocks", "rows"])
def test_the_product_of_blocks_or_of_a_row_is_subtracted(size, subtract, row):
    rng = np.random.default_rng(size)

    def padded(*shape):
        A = np.zeros((*shape, FILLED[size]))
        A[..., :size] = rng.normal(size=(*shape, size))
        return A

    shape = (3,) if row else (3, size)
    C, A, B = padded(*shape), padded(*shape), padded(3, size)
    expected = C - np.einsum("n...k,nkj->n...j", A[..., :size], B)
    subtract(C, A, B)
    np.testing.assert_allclose(C, expected, rtol=0.0, atol=1e-14)
    assert (C[..., size:] == 0.0).all()
