"""The signature of compiled loads (load_interface.py). Stating a load takes no compiler."""

from collections.abc import Callable
from typing import Any

import numba as nb

from nsgalpha.jit.addresses import Deferred

_scalar = nb.float64[::1]
_table = nb.float64[:, ::1]

#: Signature of a compiled load: t, x, q, v, w, bodies, parameters, wrenches.
LOAD = nb.void(nb.float64, _table, _table, _table, _table, nb.int64[::1], _scalar, _table)


def compiled(function: Callable[..., None]) -> Any:
    """The compiled function of this signature."""
    return Deferred(LOAD, function).function
