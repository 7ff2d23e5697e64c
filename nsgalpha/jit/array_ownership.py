"""Ownership of arrays: which references a kernel need not count.

Arguments belong to the caller, and outlive the call; views of them make nothing new. A kernel that makes no
arrays, and returns none, counts no references at all.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from numba.types import Array, BaseTuple

from nsgalpha.jit.numba_internals import Lower, NamedTupleClass, NRTContext, cgutils, default_manager, ir

#: Operations whose result is a part of what they are given.
VIEWS = ("build_tuple", "cast", "exhaust_iter", "getattr", "phi", "static_getitem")


def makes_arrays(state: Any) -> bool:
    """True if the kernel in numba's `state`, whose types are known, makes arrays or returns some."""
    types = state.typemap
    return _has_owner(state.return_type) or any(
        _has_owner(types[each.target.name]) and _is_made(types, each.value)
        for block in state.func_ir.blocks.values()
        for each in block.find_insts(ir.Assign)
    )


@cache
def _has_owner(kind: Any) -> bool:
    """True if values of a type refer to memory that is counted."""
    return bool(default_manager[kind].contains_nrt_meminfo())


def _is_made(types: dict[str, Any], value: Any) -> bool:
    """True unless `value`, of a type with an owner, is known to be a view."""
    if not isinstance(value, ir.Expr) or value.op in VIEWS:
        return False
    if value.op == "getitem":
        return _has_owner(types[value.index.name])  # a[mask] is new, a[k] and a[1:] are views
    if value.op == "call":
        called = types[value.func.name]
        is_reshaped = getattr(called, "typing_key", None) == "array.reshape"
        return not (isinstance(called, NamedTupleClass) or is_reshaped)
    return True


def _is_container(kind: Any) -> bool:
    """True for a type whose values could keep an array."""
    if isinstance(kind, BaseTuple):
        return any(map(_is_container, kind))
    return _has_owner(kind) and not isinstance(kind, Array)


class References(NRTContext):
    """numba's writer of code that counts references, which takes no array apart to find its counter."""

    def get_meminfos(self, builder: Any, ty: Any, val: Any) -> list[Any]:
        """The type and the counter of each array in a value."""
        return [*_counters(builder, ty, val)]


def _counters(builder: Any, kind: Any, value: Any) -> Iterator[Any]:
    model = default_manager[kind]
    if model.has_nrt_meminfo():
        yield kind, model.get_nrt_meminfo(builder, value)
    for each, part in model.traverse(builder):
        if _has_owner(each):
            yield from _counters(builder, each, part(value))


class CodeWriter(Lower):
    """numba's writer of the code of a function, which borrows arguments where that is safe.

    A kernel that returns no arrays, and is given no container that could keep one, leaves none behind: its
    arguments name no owner then, and no references to them are counted.
    """

    def extract_function_arguments(self) -> Any:
        """The arguments."""
        kinds, given = self.fndesc.argtypes, super().extract_function_arguments()
        if not _has_owner(self.fndesc.restype) and not any(map(_is_container, kinds)):
            pairs = zip(kinds, given, strict=True)
            self.fnargs = [_unowned(self.context, self.builder, *each) for each in pairs]
        return self.fnargs


def _unowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The `value` of that `kind`, whose arrays name no owner: there are no references to count."""
    if isinstance(kind, Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, BaseTuple):
        for i, each in enumerate(kind):
            part = _unowned(context, builder, each, builder.extract_value(value, i))
            value = builder.insert_value(value, part, i)
    return value
