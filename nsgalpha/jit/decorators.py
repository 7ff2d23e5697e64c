"""Decorators of kernels: functions of arrays, compiled on first use and kept on disk.

| decorator | the function is |
|---|---|
| `kernel` | called from Python or by kernels |
| `fused` | a kernel for vectors of three as tuples, which may round a product and a sum once |
| `unlocked` | a kernel during whose calls from Python other threads run |
| `inlined` | a piece of a larger kernel, which becomes a part of its caller |
| `Deferred` (addresses.py) | of one signature, and called by its address |

Everything else follows from the operations of a function (accelerated_mode.py), or is left to numba
(plain_mode.py). Division by zero follows IEEE. Every decorator says whether sums are fused: numba
would pass this on from the first caller to its callees.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from nsgalpha.jit.numba_internals import ACCELERATED, AVAILABLE

_mode: Any = import_module(f"nsgalpha.jit.{'accelerated' if ACCELERATED else 'plain'}_mode")
unkept: Callable[[Any], str] = _mode.unkept
is_cached: Callable[[Any], bool] = _mode.is_cached


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python or kernels call, for the types of each call."""
    return _mode.compile_kernel(function) if AVAILABLE else function


def fused(function: Callable[..., Any]) -> Any:
    """Compile a kernel that may round a product and a sum once."""
    return _mode.compile_kernel(function, fastmath={"contract"}) if AVAILABLE else function


def unlocked(function: Callable[..., Any]) -> Any:
    """Compile a kernel that lets other threads of Python run while Python calls it."""
    return _mode.compile_kernel(function, nogil=True) if AVAILABLE else function


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a piece of a larger kernel within it; separately only when Python calls it."""
    return _mode.compiled(function, inline="always") if AVAILABLE else function


def of_signature(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a function now, for the types of one `signature`."""
    if not AVAILABLE:
        return function
    found = _mode.compiled(function)
    found.compile(signature)
    found.disable_compile()
    return found
