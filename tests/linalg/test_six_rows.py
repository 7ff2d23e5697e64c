"""Products of six rows in vectors, with numba and without."""

import numpy as np
import pytest

from nsgalpha.jit.decorators import fused
from nsgalpha.linalg import six_rows
from nsgalpha.linalg.six_rows import COLUMNS, ROWS, subtract_product


def padded(rng, *shape):
    A = np.zeros((*shape, COLUMNS))
    A[..., :ROWS] = rng.normal(size=(*shape, ROWS))
    return A


@fused
def subtract(C, A, B):
    for i in range(C.shape[0]):
        subtract_product(C[i], A[i], B[i])


@pytest.mark.parametrize("product", [subtract, six_rows._subtract_product_in_python])
@pytest.mark.parametrize("shape", [(3, ROWS), (3,)], ids=["blocks", "rows"])
def test_the_product_of_blocks_or_of_a_row_is_subtracted(product, shape):
    rng = np.random.default_rng(len(shape))
    C, A, B = padded(rng, *shape), padded(rng, *shape), padded(rng, 3, ROWS)
    expected = C - np.einsum("n...k,nkj->n...j", A[..., :ROWS], B)
    if product is subtract:
        product(C, A, B)
    else:
        for part in zip(C, A, B, strict=True):
            product(*part)
    np.testing.assert_allclose(C, expected, rtol=0.0, atol=1e-14)
    assert (C[..., ROWS:] == 0.0).all()
