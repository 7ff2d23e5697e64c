"""Ownership of arrays: which references a kernel need not count.

Arguments belong to the caller, and outlive the call; views of them make nothing new. A kernel that makes no
arrays, and returns none, counts no references at all.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from numba.types import Array, BaseTuple
from numba.types import Dispatcher as DispatcherType

from nsgalpha.jit.numba_internals import Lower, NamedTupleClass, NRTContext, cgutils, default_manager, ir

#: Operations whose result is a part of what they are given.
VIEWS = ("build_tuple", "cast", "exhaust_iter", "getattr", "phi", "static_getitem")


def makes_arrays(state: Any) -> bool:
    """True if the kernel in numba's `state`, whose types are known, makes arrays or returns some."""
    if _has_owner(state.return_type):
        return True
    types = {name: kind for name, kind in state.typemap.items() if _has_owner(kind)}
    for block in state.func_ir.blocks.values():
        for each in block.body:
            if isinstance(each, ir.SetItem | ir.StaticSetItem) and each.value.name in types:
                return True  # a[1:] = b
            if isinstance(each, ir.Assign) and isinstance(each.value, ir.Expr):
                if _is_made(types, each.target.name, each.value, state.typemap):
                    return True
    return False


@cache
def _has_owner(kind: Any) -> bool:
    """True if values of a type refer to memory that is counted."""
    return bool(default_manager[kind].contains_nrt_meminfo())


def _is_made(types: dict[str, Any], target: str, value: Any, all_types: dict[str, Any]) -> bool:
    """True if an expression may make an array: `types` has those of variables with an owner."""
    if value.op == "call":
        called = all_types[value.func.name]
        is_view = isinstance(called, NamedTupleClass) or getattr(called, "typing_key", "") == "array.reshape"
        if is_view or isinstance(called, DispatcherType):
            return target in types and not is_view
        return target in types or any(each.name in types for each in value.args)  # x.sum(), np.dot(x, y)
    if value.op == "getitem":
        return value.index.name in types  # a[mask] is new, a[k] and a[1:] are views
    return target in types and value.op not in VIEWS


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
