"""The types that numba finds for tuples of arrays when Python calls a kernel, remembered.

numba knows the arguments of a call by a fingerprint, but not those with a `Handle` in them, as bodies with
joints have: it then asks for the type of every array, which takes a millisecond in each call. Here the kinds
of the arrays are the fingerprint.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba.extending import typeof_impl

from nsgalpha.arrays import Bodies
from nsgalpha.pointers import Handle
from nsgalpha.stepping.instant import Constants
from nsgalpha.stepping.kinematics import Rows


def _fingerprint(value: Any) -> Any:
    """All that the type of `value` follows from."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return type(value), *map(_fingerprint, value)
    return value.type.name if isinstance(value, Handle) else type(value)


@cache
def remember_types() -> None:
    """Let numba remember the types of the tuples that have a `Handle`, from now on."""
    known: dict[Any, Any] = {}

    def typeof(value: Any, purpose: Any) -> Any:
        key = purpose.purpose, _fingerprint(value)
        found = known.get(key)
        if found is None:
            found = known[key] = typeof_impl.dispatch(tuple)(value, purpose)
        return found

    for kind in (Bodies, Constants, Rows):
        typeof_impl.register(kind)(typeof)
