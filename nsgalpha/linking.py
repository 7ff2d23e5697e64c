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

import llvmlite.binding as llvm
from numba.core import cgutils, imputils, sigutils

Shared = dict[str, tuple[str, str, tuple[Any, ...]]]  # by symbol: module, name and types of arguments


def share(dispatcher: Any) -> None:
    """Let kernels call the kernel of `dispatcher` by a symbol, if it is a function of its module."""
    compile_one = dispatcher.compile
    known: set[tuple[Any, ...]] = set()

    def compile_and_bind(signature: Any) -> Any:
        found = compile_one(signature)
        types = tuple(sigutils.normalize_signature(signature)[0])
        if types not in known and _is_global(dispatcher):
            known.add(types)
            _bind(dispatcher, types)
        return found

    dispatcher.compile = compile_and_bind


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
    for module, name, types in kernels.values():
        dispatcher: Any = getattr(sys.modules.get(module), name, None)
        if not hasattr(dispatcher, "compile"):
            raise LookupError(f"{module}.{name}: is no kernel")
        dispatcher.compile(types)


def _is_global(dispatcher: Any) -> bool:
    function = dispatcher.py_func
    if function.__module__ == "__main__":  # a script, which others may import
        return False
    return getattr(sys.modules.get(function.__module__), function.__qualname__, None) is dispatcher


def _bind(dispatcher: Any, types: tuple[Any, ...]) -> None:
    """Bind the symbol of a compiled kernel to its address, and have it called by that."""
    result, function = dispatcher.overloads[types], dispatcher.py_func
    where = function.__module__, function.__qualname__, types
    digest = hashlib.blake2b(repr(where).encode(), digest_size=16).hexdigest()
    symbol = f"nsgalpha_{function.__name__}_{digest}"
    llvm.add_symbol(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    context, call = dispatcher.targetctx, _call(symbol, where, result.fndesc)
    context.remove_user_function(result.entry_point)
    context._defns[result.entry_point].append(call, result.fndesc.argtypes)


def _call(symbol: str, where: tuple[str, str, tuple[Any, ...]], described: Any) -> Callable[..., Any]:
    """Code of a call, as `numba.core.imputils.user_function` has it, but for the symbol."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        library, convention = context.active_code_library, context.call_conv
        library._shared = {**getattr(library, "_shared", {}), symbol: where}
        kind = convention.get_function_type(described.restype, described.argtypes)
        function = cgutils.get_or_insert_function(builder.module, kind, symbol)
        given = described.restype, described.argtypes, arguments
        status, value = convention.call_function(builder, function, *given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        value = imputils.fix_returning_optional(context, builder, signature, status, value)
        return imputils.impl_ret_new_ref(context, builder, described.restype, value)

    return call
