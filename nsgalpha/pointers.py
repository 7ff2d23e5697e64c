"""Compiled functions, and tuples of arrays, by their addresses.

    addresses(functions, SIGNATURE)  integers, an array that goes to the kernel
    call = caller(SIGNATURE)         in the kernel: call(address, (argument, ...))

A tuple of functions would do as well, but to hand one to a kernel takes numba milliseconds. Whoever keeps an
address keeps the function, too.

    handle = Handle(arrays)          one number, instead of hundreds that every call would pass on
    arrays = contents(handle)        in the kernel

    arrays = borrowed(arrays)        in a kernel that counts references: those to arrays of its caller, which
                                     outlive it, are not counted. It must not give them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numba import config, typeof, types
from numba.core import cgutils
from numba.extending import NativeValue, box, intrinsic, models, register_model, typeof_impl, unbox

from nsgalpha.arrays import Ints
from nsgalpha.compiled import compiler, uncounted

AVAILABLE = not config.DISABLE_JIT  # type: ignore[attr-defined]


class Deferred:
    """A kernel of one `signature`, compiled with `options` when it is used for the first time."""

    def __init__(self, signature: Any, function: Callable[..., None], **options: bool) -> None:
        self._dispatcher = compiler(**options)(function)
        self.signature = signature
        self.__doc__ = function.__doc__

    @cached_property
    def function(self) -> Any:
        """The compiled function, of this signature alone."""
        if hasattr(self._dispatcher, "disable_compile"):  # not if numba is switched off
            self._dispatcher.compile(self.signature)
            self._dispatcher.disable_compile()
        return self._dispatcher

    @cached_property
    def address(self) -> Any:
        """Its address; the function itself where numba is switched off."""
        return addresses([self.function], self.signature)[0]


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


_handles: WeakValueDictionary[int, Handle] = WeakValueDictionary()


class Handle:
    """A named tuple of arrays, which may be nested, for kernels; it keeps them."""

    def __init__(self, arrays: Any) -> None:
        self.arrays = arrays
        if AVAILABLE:
            self.type = _HandleType(typeof(arrays))
            self._memory = np.zeros(_size(arrays), np.uint8)
            self.address = self._memory.ctypes.data
            _pack(self.address, arrays)
            _handles[self.address] = self

    @property
    def _numba_type_(self) -> Any:
        """Its type, which numba finds by this name without a search, ten times as fast."""
        return self.type


class _HandleType(types.Type):
    def __init__(self, contents: Any) -> None:
        self.contents = contents
        super().__init__(name=f"Handle({contents})")


@typeof_impl.register(Handle)
def _typeof_handle(value: Handle, _: Any) -> Any:
    return value.type


@register_model(_HandleType)
class _HandleModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, cgutils.intp_t)


@unbox(_HandleType)
def _unbox_handle(_: Any, handle: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(handle, "address")
    value = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(value, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@box(_HandleType)
def _box_handle(_: Any, value: Any, c: Any) -> Any:
    handles = c.pyapi.unserialize(c.pyapi.serialize_object(_handle_at))
    address = c.pyapi.long_from_longlong(value)
    handle = c.pyapi.call_function_objargs(handles, (address,))
    c.pyapi.decref(handles)
    c.pyapi.decref(address)
    return handle


def _handle_at(address: int) -> Handle:
    return _handles[address]


@intrinsic
def _contents(typing_context, handle):
    def generate(context, builder, signature, values):
        pointer = builder.inttoptr(values[0], context.get_value_type(signature.return_type).as_pointer())
        return _unowned(context, builder, signature.return_type, builder.load(pointer))

    return handle.contents(handle), generate


def _unowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The `value` of that `kind`, whose arrays name no owner: there are no references to count."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for i, each in enumerate(kind.types):  # type: ignore[attr-defined]
            part = _unowned(context, builder, each, builder.extract_value(value, i))
            value = builder.insert_value(value, part, i)
    return value


@intrinsic
def _borrowed(typing_context, arrays):
    def generate(context, builder, signature, values):
        return _unowned(context, builder, signature.args[0], values[0])

    return arrays(arrays), generate


@intrinsic
def _store(typing_context, address, arrays):
    def generate(context, builder, signature, values):
        pointer = builder.inttoptr(values[0], context.get_value_type(signature.args[1]).as_pointer())
        builder.store(values[1], pointer)
        return context.get_dummy_value()

    return types.none(types.int64, arrays), generate


@intrinsic
def _bytes(typing_context, arrays):
    def generate(context, builder, signature, _):
        return context.get_constant(
            types.int64, context.get_abi_sizeof(context.get_value_type(signature.args[0]))
        )

    return types.int64(arrays), generate


@uncounted
def _pack(address, arrays):
    """Put the `arrays`, which others keep, where the `address` says."""
    _store(address, arrays)  # type: ignore[call-arg]


@uncounted
def _size(arrays):
    """Bytes of the tuple `arrays` itself."""
    return _bytes(arrays)  # type: ignore[call-arg]


contents: Any = _contents if AVAILABLE else lambda handle: handle.arrays
borrowed: Any = _borrowed if AVAILABLE else lambda arrays: arrays
