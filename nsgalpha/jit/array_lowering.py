"""Code for arrays, in a few instructions.

numba takes an array apart, with its shape and strides, wherever it gets a name, to find the counter of its
references. It does so again wherever an element is read or written. That is most of its code for LLVM, which
drops it again.

For the size of every variable numba has LLVM read a module: here once for each type.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from numba.core import cgutils, types
from numba.core.compiler_machinery import register_pass
from numba.core.datamodel import default_manager  # type: ignore[attr-defined]
from numba.core.lowering import Lower
from numba.core.runtime.context import NRTContext
from numba.core.typed_passes import NativeLowering
from numba.np.arrayobj import fix_integer_index, load_item, store_item

from nsgalpha.jit.deferred_codegen import postpone

_sizes: dict[str, int] = {}


@register_pass(mutates_CFG=True, analysis_only=False)
class ArrayLowering(NativeLowering):
    """numba's pass that writes code for LLVM."""

    _name = "nsgalpha_brief_lowering"

    @property
    def lowering_class(self) -> Any:
        """The writer of the code of one function."""
        return _Lower

    def run_pass(self, state: Any) -> bool:
        """Write the code, unless it is written later."""
        postpone(state)
        state.targetctx.get_abi_sizeof = partial(_size, state.targetctx.target_data)
        state.targetctx.nrt = _References(state.targetctx, state.targetctx.enable_nrt)
        return bool(super().run_pass(state))


def _size(data: Any, kind: Any) -> int:
    """The size of a type of LLVM in bytes, by the layout of its target, `data`."""
    name = str(kind)
    if name not in _sizes:
        _sizes[name] = kind.get_abi_size(data)
    return _sizes[name]


class _References(NRTContext):
    """Code that counts references."""

    def get_meminfos(self, builder: Any, ty: Any, val: Any) -> list[Any]:
        """The type and the counter of each array in a value."""
        return [*_counters(builder, ty, val)]


def _counters(builder: Any, kind: Any, value: Any) -> Iterator[Any]:
    model = default_manager[kind]
    if model.has_nrt_meminfo():
        yield kind, model.get_nrt_meminfo(builder, value)
    for each, part in model.traverse(builder):
        if _has_counter(each):
            yield from _counters(builder, each, part(value))


@cache
def _has_counter(kind: Any) -> bool:
    return bool(default_manager[kind].contains_nrt_meminfo())


class _Lower(Lower):
    """Code of a function: elements of arrays of numbers by their address."""

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Code of `value[index]`."""
        array = self.typeof(value.name)
        if not self._is_element(array, signature):
            return super().lower_getitem(resty, expr, value, index, signature)
        place = self._place(array, value, index, signature.args[1])
        found = load_item(self.context, self.builder, array, place)
        return self.context.cast(self.builder, found, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Code of `target[index] = value`."""
        array, kind = self.typeof(target_var.name), self.typeof(value_var.name)
        if not self._is_element(array, signature) or not isinstance(kind, types.Number | types.Boolean):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        value = self.context.cast(self.builder, self.loadvar(value_var.name), kind, signature.args[2])
        place = self._place(array, target_var, index_var, signature.args[1])
        value = self.context.cast(self.builder, value, signature.args[2], array.dtype)
        store_item(self.context, self.builder, array, value, place)
        return None

    def _is_element(self, array: Any, signature: Any) -> bool:
        """True if an array of numbers has an index for each of its dimensions."""
        return (
            isinstance(array, types.Array)
            and array == signature.args[0]
            and isinstance(array.dtype, types.Number | types.Boolean)
            and len(_indices(signature.args[1])) == array.ndim
            and all(isinstance(each, types.Integer) for each in _indices(signature.args[1]))
            and not self.context.enable_boundscheck
        )

    def _place(self, array: Any, value: Any, index: Any, kind: Any) -> Any:
        """The address of an element."""
        context, builder = self.context, self.builder
        found, number = self.loadvar(value.name), self.loadvar(index.name)
        number = context.cast(builder, number, self.typeof(index.name), kind)
        numbers = cgutils.unpack_tuple(builder, number) if isinstance(kind, types.BaseTuple) else [number]
        part = default_manager[array].get
        shape = cgutils.unpack_tuple(builder, part(builder, found, "shape"))
        strides = cgutils.unpack_tuple(builder, part(builder, found, "strides"))
        fixed = [
            fix_integer_index(context, builder, *each)
            for each in zip(_indices(kind), numbers, shape, strict=True)
        ]
        data = part(builder, found, "data")
        return cgutils.get_item_pointer2(context, builder, data, shape, strides, array.layout, fixed)


def _indices(kind: Any) -> tuple[Any, ...]:
    return (*kind,) if isinstance(kind, types.BaseTuple) else (kind,)  # type: ignore[misc]
