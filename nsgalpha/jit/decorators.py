"""Decorators of kernels: functions of arrays, compiled on first use and kept on disk.

| decorator | the function is |
|---|---|
| `kernel` | called from Python or by kernels |
| `inlined` | a piece of a larger kernel, which becomes a part of its caller |
| `Deferred` (addresses.py) | of one signature, and called by its address |

Everything else follows from what a function does (accelerated_mode.py), or is left to numba (plain_mode.py).
Division by zero follows IEEE. No product is fused with a sum: results do not depend on the processor, on the
mode, or on which kernel is compiled first.
"""

from collections.abc import Callable
from typing import Any

from nsgalpha.jit.numba_internals import ACCELERATED, AVAILABLE

if ACCELERATED:
    from nsgalpha.jit.accelerated_mode import compile_kernel, compiled, unkept
    from nsgalpha.jit.accelerated_mode import is_cached as is_cached
else:
    from nsgalpha.jit.plain_mode import compile_kernel, compiled, unkept
    from nsgalpha.jit.plain_mode import is_cached as is_cached

__all__ = ["inlined", "is_cached", "kernel", "of_signature", "unkept"]


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python or kernels call, for the types of each call."""
    return compile_kernel(function) if AVAILABLE else function


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a piece of a larger kernel within it, and on its own only when Python calls it."""
    return compiled(function, inline="always") if AVAILABLE else function


def of_signature(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a function now, for the types of one `signature`."""
    if not AVAILABLE:
        return function
    found = compiled(function)
    found.compile(signature)
    found.disable_compile()
    return found
