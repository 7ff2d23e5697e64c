"""Compiled functions by their addresses: laws and geometries as data of a kernel.

    addresses(functions, SIGNATURE)  integers, an array that goes to the kernel
    call = caller(SIGNATURE)         in the kernel: call(address, (argument, ...))

A tuple of functions would do as well, but to hand one to a kernel takes numba milliseconds. Whoever keeps an
address keeps the function, too.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from nsgalpha.arrays import Ints
from nsgalpha.compiled import compiler

AVAILABLE = not config.DISABLE_JIT  # type: ignore[attr-defined]


_compile = compiler()


class Deferred:
    """A kernel of one `signature`, compiled when it is used for the first time."""

    def __init__(self, signature: Any, function: Callable[..., None]) -> None:
        self._dispatcher = _compile(function)
        self.signature = signature
        self.__doc__ = function.__doc__

    @cached_property
    def function(self) -> Any:
        """The compiled function, of this signature alone."""
        if hasattr(self._dispatcher, "disable_compile"):  # not if numba is switched off
            self._dispatcher.compile(self.signature)
            self._dispatcher.disable_compile()
        return self._dispatcher


def addresses(functions: Iterable[Any], signature: Any) -> Ints:
    """Addresses of `functions` that were compiled with the `signature` and no other.

    Where numba is switched off they are the functions themselves.
    """
    if not AVAILABLE:
        return np.array([*functions], object)
    found = [each.overloads[tuple(signature.args)] for each in functions]
    where = [each.library.get_pointer_to_function(each.fndesc.llvm_func_name) for each in found]
    return np.array(where, np.int64)


def caller(signature: Any) -> Any:
    """A function for kernels, `call(address, (argument, ...))`, for functions of the `signature` (void).

    An exception in the function goes on in the kernel.
    """
    if not AVAILABLE:
        return lambda function, arguments: function(*arguments)

    @intrinsic
    def call(typing_context, address, arguments):
        def generate(context, builder, _, values):
            where, packed = values
            given = cgutils.unpack_tuple(builder, packed)
            convention = context.call_conv
            kind = convention.get_function_type(types.none, signature.args)
            pointer = builder.inttoptr(where, kind.as_pointer())
            status, _ = convention.call_function(builder, pointer, types.none, signature.args, given)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return context.get_dummy_value()

        return types.none(types.int64, types.Tuple(signature.args)), generate

    return call
