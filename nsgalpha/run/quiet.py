"""A remark of numba that is not for users."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from numba import NumbaExperimentalFeatureWarning


@contextmanager
def quiet() -> Iterator[None]:
    """Silence numba's remark that functions as arguments of compiled functions are experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        yield
