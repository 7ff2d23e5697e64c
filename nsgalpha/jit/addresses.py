"""Compiled functions, and tuples of arrays, by their addresses.

    addresses(functions, SIGNATURE)  integers, an array that goes to the kernel
    call = caller(SIGNATURE)         in the kernel: call(address, (argument, ...))

A tuple of functions would do as well, but to hand one to a kernel takes numba milliseconds. The owner of an
address keeps the function, too.

    handle = Handle(arrays)          one number, instead of hundreds that every call would pass on
    handle.part                      an array or number of it, in Python and in the kernel
    handle_at(handle, address)       in the kernel: another handle of the same type
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from struct import Struct
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np
from numba import typeof, types
from numba.extending import (
    NativeValue,
    box,
    infer_getattr,
    intrinsic,
    lower_cast,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from nsgalpha.arrays import Ints
from nsgalpha.jit.decorators import of_signature
from nsgalpha.jit.numba_internals import AVAILABLE as AVAILABLE
from nsgalpha.jit.numba_internals import AttributeTemplate, cgutils

called_by_kernels: Any = intrinsic  # for type checkers
Named = TypeVar("Named", bound=tuple[Any, ...])


class Deferred:
    """A kernel of one `signature`, compiled when it is used for the first time."""

    def __init__(self, signature: Any, function: Callable[..., None]) -> None:
        self._function, self.signature = function, signature
        self.__doc__ = function.__doc__

    @cached_property
    def function(self) -> Any:
        """The compiled function, of this signature alone."""
        return of_signature(self._function, self.signature)

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

    An exception in the function continues in the kernel.
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
    """A named tuple of arrays, which may be nested, for kernels; it keeps them.

    In Python as in a kernel its parts are attributes. A kernel reads a part at the place of use, and passes a
    single number on to others. A part that is a tuple with arrays is again a handle there. The target of a
    handle stays the same while a kernel runs, but for the contents of its arrays.

    numba finds the type as `_numba_type_`, without a search. That is no property: numba takes an exception in
    one, as that of Ctrl-C, for a name that is not there, and continues.
    """

    def __init__(self, arrays: Any) -> None:
        self.arrays = arrays
        if AVAILABLE:
            self.type = self._numba_type_ = _type_of(arrays)
            words: list[int] = []
            _append_words(arrays, words)
            self._memory = np.array(words, np.int64)
            self.address = self._memory.ctypes.data
            _handles[self.address] = self

    def __getattr__(self, name: str) -> Any:
        if name == "arrays":  # of a copy in the making
            raise AttributeError(name)
        return getattr(self.arrays, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.arrays)


def named(arrays: Named) -> Named:
    """The `Handle` of `arrays`; type checkers see the named tuple."""
    return cast(Named, Handle(arrays))


@called_by_kernels
def handle_at(typing_context, like, address):
    """The handle at an `address`, of the type of the handle `like`."""
    return like(like, types.int64), lambda context, builder, signature, values: values[1]


class _HandleType(types.Type):
    def __init__(self, contents: Any) -> None:
        self.contents = contents
        super().__init__(name=f"Handle({contents})")

    def part(self, name: str) -> tuple[Any, int]:
        """Type of the part `name`, and the word at which it begins."""
        number = self.contents.fields.index(name)
        return self.contents[number], sum(map(_count, self.contents.types[:number]))


_known: dict[Any, Any] = {}


def _type_of(arrays: Any) -> Any:
    """The cached type of a handle of `arrays`: numba asks every array, which takes a millisecond."""
    key = fingerprint(arrays)
    if key not in _known:
        _known[key] = _HandleType(typeof(arrays))
    return _known[key]


def fingerprint(value: Any) -> Any:
    """All determinants of the type of `value`."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return type(value), *map(fingerprint, value)
    return value.type.name if isinstance(value, Handle) else type(value)


_AS_FLOAT, _AS_INTEGER = Struct("d"), Struct("q")


def _append_words(value: Any, words: list[int]) -> None:
    """Append the content at the address of a handle to `words`, in numbers of 64 bits."""
    if isinstance(value, np.ndarray):
        words += (value.__array_interface__["data"][0], value.size, *value.shape, *value.strides)
    elif isinstance(value, tuple):
        for each in value:
            _append_words(each, words)
    elif isinstance(value, Handle):
        words.append(value.address)
    elif isinstance(value, float):
        words += _AS_INTEGER.unpack(_AS_FLOAT.pack(value))
    elif value is not None:
        words.append(int(value))


def _count(kind: Any) -> int:
    """How many words there are of a value."""
    if isinstance(kind, types.Array):
        return 2 + 2 * kind.ndim
    if isinstance(kind, types.BaseTuple):
        return sum(_count(each) for each in _types(kind))
    return 0 if isinstance(kind, types.NoneType) else 1


def _has_arrays(kind: Any) -> bool:
    return isinstance(kind, types.BaseNamedTuple) and any(
        isinstance(each, types.Array) or _has_arrays(each) for each in _types(kind)
    )


def _types(kind: Any) -> tuple[Any, ...]:
    return kind.types


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
    handles = c.pyapi.unserialize(c.pyapi.serialize_object(_known_handle))
    address = c.pyapi.long_from_longlong(value)
    handle = c.pyapi.call_function_objargs(handles, (address,))
    c.pyapi.decref(handles)
    c.pyapi.decref(address)
    return handle


def _known_handle(address: int) -> Handle:
    return _handles[address]


@infer_getattr
class _Parts(AttributeTemplate):
    key = _HandleType

    def generic_resolve(self, handle: Any, name: str) -> Any:  # type: ignore[override]
        if name not in handle.contents.fields:
            return None
        kind, _ = handle.part(name)
        return _HandleType(kind) if _has_arrays(kind) else kind


@lower_getattr_generic(_HandleType)
def _part(context: Any, builder: Any, handle: Any, address: Any, name: str) -> Any:
    kind, first = handle.part(name)
    place = builder.add(address, context.get_constant(types.intp, 8 * first))
    return place if _has_arrays(kind) else _read(context, builder, kind, place)


@lower_cast(_HandleType, types.BaseTuple)
def _whole(context: Any, builder: Any, _: Any, kind: Any, address: Any) -> Any:
    return _read(context, builder, kind, address)


@lower_cast(types.NamedTuple, types.NamedTuple)
def _whole_parts(context: Any, builder: Any, found: Any, kind: Any, value: Any) -> Any:
    parts = cgutils.unpack_tuple(builder, value)
    whole = [context.cast(builder, *each) for each in zip(parts, found.types, kind.types, strict=True)]
    return context.make_tuple(builder, kind, whole)


def _read(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    """The value of a `kind` at the `address`; arrays have no owner, and no references."""
    if isinstance(kind, types.BaseTuple):
        parts, first = [], 0
        for each in _types(kind):
            place = builder.add(address, context.get_constant(types.intp, 8 * first))
            parts.append(_read(context, builder, each, place))
            first += _count(each)
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, types.NoneType):
        return context.get_dummy_value()
    if isinstance(kind, types.Array):
        words = [_word(builder, address, k) for k in range(_count(kind))]
        array = context.make_array(kind)(context, builder)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        array.itemsize = context.get_constant(types.intp, context.get_abi_sizeof(array.data.type.pointee))
        array.data, array.nitems = builder.inttoptr(words[0], array.data.type), words[1]
        array.shape = cgutils.pack_array(builder, words[2 : 2 + kind.ndim])
        array.strides = cgutils.pack_array(builder, words[2 + kind.ndim :])
        return array._getvalue()
    word = _word(builder, address, 0)
    if isinstance(kind, types.Float):
        return builder.bitcast(word, context.get_value_type(kind))
    return builder.trunc(word, context.get_value_type(kind)) if kind == types.boolean else word


def _word(builder: Any, address: Any, number: int) -> Any:
    """The word of that `number` from the `address` on, constant for kernels."""
    pointer = builder.gep(builder.inttoptr(address, cgutils.intp_t.as_pointer()), [cgutils.intp_t(number)])
    word = builder.load(pointer)
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word
