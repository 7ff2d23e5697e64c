"""Kernels that others call by a symbol, in the place of a copy of each in every kernel above it.

numba links the code of a kernel into each kernel that calls it, and LLVM then optimises and emits it again,
level by level: most of the time of a first run. A kernel that is `shared` is optimised once. Its callers
contain a symbol that names its function and types, here bound to the address that it has in this process. The
file of a caller says which kernels it calls so; they are loaded, or compiled, before it.

What is linked may be inlined, what is shared is not: small functions stay linked.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from typing import Any

from nsgalpha.jit.compile_workers import is_aside
from nsgalpha.jit.numba_internals import add_symbol, address_of_symbol, cgutils, imputils

Types = tuple[Any, ...]
Shared = dict[str, tuple[str, str, Types]]  # by symbol: module, name and types of arguments
SMALL = 450  # instructions of Python in a function that is linked into its callers
NOWHERE = 1 << 40  # address of kernels that are not there, in a process that calls none


def shared_by(library: Any) -> Shared:
    """The kernels that the code of a `library` calls by symbols, those included that are linked into it."""
    found: Shared = dict(getattr(library, "_shared", {}))
    for each in library._linking_libraries:
        found.update(shared_by(each))
    return found


def load_shared(kernels: Shared) -> None:
    """Bind the symbols of `kernels`.

    Raises LookupError if one is not there: their callers import them, but a script may be imported or run.
    """
    for symbol, (module, name, types) in kernels.items():
        dispatcher: Any = getattr(getattr(sys.modules.get(module), name, None), "inner", None)
        if dispatcher is None:
            raise LookupError(f"{module}.{name}: is no kernel")
        if is_aside():
            _bind_nowhere(symbol)
        else:
            dispatcher.compile(types)


def is_global(dispatcher: Any) -> bool:
    """True if a kernel is found by the names of its module and its own."""
    function = dispatcher.py_func
    if function.__module__ == "__main__":  # a script, which others may import
        return False
    found = getattr(sys.modules.get(function.__module__), function.__qualname__, None)
    return found is not None and found is getattr(dispatcher, "outer", None)


def is_large(function: Any) -> bool:
    """True for a function that uses NumPy, or has more than SMALL instructions; inlined ones count."""
    return "np" in function.__code__.co_names or _length(function) > SMALL


def _length(function: Any) -> int:
    total = len(function.__code__.co_code) // 2
    for name in function.__code__.co_names:
        called = function.__globals__.get(name)
        if getattr(called, "targetoptions", {}).get("inline") == "always":
            total += _length(called.py_func)
    return total


def bind(dispatcher: Any, types: Types) -> None:
    """Bind the symbol of a compiled kernel to its address, and have it called by that."""
    result = dispatcher.overloads[types]
    symbol, _ = _named(dispatcher, types)
    add_symbol(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    dispatcher.targetctx.remove_user_function(result.entry_point)
    bind_call(dispatcher, types, result.entry_point, result.signature)


def bind_call(dispatcher: Any, types: Types, entry_point: Any, signature: Any) -> None:
    """Have a kernel called by its symbol where numba finds its `entry_point`."""
    call = _call(*_named(dispatcher, types), signature.return_type, signature.args)
    dispatcher.targetctx._defns[entry_point].append(call, signature.args)


def _named(dispatcher: Any, types: Types) -> tuple[str, tuple[str, str, Types]]:
    """The symbol of a kernel, and what it stands for."""
    function = dispatcher.py_func
    where = function.__module__, function.__qualname__, types
    digest = hashlib.blake2b(repr(where).encode(), digest_size=16).hexdigest()
    return f"nsgalpha_{function.__name__}_{digest}", where


def _bind_nowhere(symbol: str) -> None:
    if not address_of_symbol(symbol):
        add_symbol(symbol, NOWHERE)


def _call(symbol: str, where: tuple[str, str, Types], returned: Any, taken: Types) -> Callable[..., Any]:
    """Code of a call, as `numba.core.imputils.user_function` has it, but for the symbol."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if is_aside():
            _bind_nowhere(symbol)
        library, convention = context.active_code_library, context.call_conv
        library._shared = {**getattr(library, "_shared", {}), symbol: where}
        kind = convention.get_function_type(returned, taken)
        function = cgutils.get_or_insert_function(builder.module, kind, symbol)
        status, value = convention.call_function(builder, function, returned, taken, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        value = imputils.fix_returning_optional(context, builder, signature, status, value)
        return imputils.impl_ret_new_ref(context, builder, returned, value)

    return call
