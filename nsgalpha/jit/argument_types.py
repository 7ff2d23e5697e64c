"""Cached types of numba for rows of contacts when Python calls a kernel.

numba knows the arguments of a call by a fingerprint, but not those with a `Handle` in them, such as rows of
jointed bodies. It then asks for the type of every array, which takes a millisecond in each call.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.extending import typeof_impl

from nsgalpha.jit.addresses import fingerprint


@cache
def remember_types(rows: type) -> None:
    """Let numba cache the types of `rows`, a class of named tuples, from now on."""
    known: dict[Any, Any] = {}

    def typeof(value: Any, purpose: Any) -> Any:
        key = purpose.purpose, fingerprint(value)
        found = known.get(key)
        if found is None:
            found = known[key] = typeof_impl.dispatch(tuple)(value, purpose)
        return found

    typeof_impl.register(rows)(typeof)
