"""The accelerated mode: the compiled parts of a kernel follow from its operations.

* Python calls a kernel through a separate function, `_from_python`. That has the wrapper, which makes
  arguments of objects and may take longer to compile than the kernel. None is compiled for a kernel that only
  kernels call.
* A small kernel is linked into its callers, and LLVM inlines it. A large one is called by a symbol, and
  compiled once (symbol_linking.py).
* A kernel that makes no arrays, and returns none, works in those of its caller. It counts no references
  (array_ownership.py): such atomic operations take half of the time where arrays are small.
* Types are found at once, code is generated when a kernel is called (deferred_codegen.py), by other processes
  (compile_workers.py).
* Machine code is kept as long as no source has changed (kernel_cache.py).

numba passes unspecified options from the first caller to its callees: all are set explicitly.
"""

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba import njit

from nsgalpha.jit.compiler_pipeline import Compiler
from nsgalpha.jit.deferred_codegen import DeferredCodegen
from nsgalpha.jit.kernel_cache import KernelCache
from nsgalpha.jit.kernel_cache import is_cached as is_cached
from nsgalpha.jit.kernel_cache import unkept as unkept
from nsgalpha.jit.numba_internals import NullCache, unliteral

OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": False,
    "no_cfunc_wrapper": True,
    "pipeline_class": Compiler,
}


def compile_kernel(function: Callable[..., Any], **options: Any) -> Any:
    """The dispatcher by which Python calls a kernel; kernels take it for the kernel itself.

    A closure is one dispatcher: a separate function would not tell it from its sisters.
    """
    if "<locals>" in function.__qualname__:
        return compiled(function, **options)
    nogil = options.pop("nogil", False)
    inner = compiled(function, no_cpython_wrapper=True, **options)
    outer = compiled(_from_python(function, inner), nogil=nogil)
    outer.inner, inner.outer = inner, outer
    outer.get_call_template, outer.get_overload = inner.get_call_template, inner.get_overload
    return outer


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """The dispatcher of a function, as `numba.njit` makes it, with this folder's cache and compiler."""
    dispatcher = njit(**{**OPTIONS, **options})(function)
    dispatcher.of_nsgalpha = True
    _take_numbers(dispatcher)
    try:
        dispatcher._cache = KernelCache(function)
    except (OSError, RuntimeError):  # no folder to keep it in, or sources that cannot be read
        dispatcher._cache = NullCache()
    DeferredCodegen(dispatcher)
    return dispatcher


def _from_python(function: Any, inner: Any) -> FunctionType:
    """A function of the same arguments that calls the kernel `inner`."""
    name, arguments = function.__name__, ", ".join(inspect.signature(function).parameters)
    scope: dict[str, Any] = {"kernel": inner, "__name__": function.__module__}
    source = f"def {name}({arguments}): return kernel({arguments})"
    exec(compile(source, function.__code__.co_filename, "exec"), scope)
    found: FunctionType = scope[name]
    found.__code__ = found.__code__.replace(co_firstlineno=function.__code__.co_firstlineno)
    found.__doc__, found.__module__ = function.__doc__, function.__module__
    found.__qualname__ = f"{function.__qualname__}_from_python"
    return found


def _take_numbers(dispatcher: Any) -> None:
    """Compile a kernel once for all literal numbers.

    numba would compile it again for each number that its callers write.
    """
    of_call = dispatcher.get_call_template

    @functools.wraps(of_call)
    def get_call_template(types: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return of_call(tuple(map(unliteral, types)), {name: unliteral(named[name]) for name in named})

    dispatcher.get_call_template = get_call_template
