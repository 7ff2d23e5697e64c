"""Ownership of arrays: which references a kernel need not count.

Arguments belong to the caller, and outlive the call; views of them make nothing new. A kernel that makes no
arrays, and returns none, counts no references at all. Other kernels count their new arrays, and arguments
that they return.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from nsgalpha.jit.numba_internals import (
    Array,
    BaseTuple,
    BoundFunction,
    DispatcherType,
    Lower,
    NamedTupleClass,
    NRTContext,
    PostProcessor,
    cgutils,
    default_manager,
    ir,
    remove_dels,
    replace_vars,
)

#: Operations whose result is a part of their operands.
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
            is_expression = isinstance(each, ir.Assign) and isinstance(each.value, ir.Expr)
            if is_expression and _is_made(types, each.target.name, each.value, state.typemap):
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


def drop_copies(state: Any) -> None:
    """Drop copies of variables, which would be counted, from the kernel in numba's `state`.

    The arguments of inlined functions are such copies. Variables that are assigned more than once stay.
    """
    blocks, types, times = state.func_ir.blocks, state.typemap, Counter[str]()
    assigned = [each for block in blocks.values() for each in block.find_insts(ir.Assign)]
    for each in assigned:
        times[each.target.name] += 1
    first: dict[str, Any] = {}
    for each in assigned:
        name, value = each.target.name, each.value
        once = isinstance(value, ir.Var) and times[name] == times[value.name] == 1
        if once and _has_owner(types[name]) and types[name] == types[value.name]:
            first[name] = value
    if not first:
        return
    for name, value in first.items():
        while value.name in first:
            value = first[value.name]
        first[name] = value
    remove_dels(blocks)
    for block in blocks.values():
        block.body = [
            each for each in block.body if not (isinstance(each, ir.Assign) and each.target.name in first)
        ]
    replace_vars(blocks, first)
    PostProcessor(state.func_ir).run(emit_dels=True)


def _is_container(kind: Any) -> bool:
    """True for a type whose values could keep an array."""
    if isinstance(kind, BaseTuple):
        return any(_is_container(each) for each in _parts(kind))
    if isinstance(kind, BoundFunction):
        return _is_container(kind.this)
    return _has_owner(kind) and not isinstance(kind, Array)


def _parts(kind: Any) -> Any:
    """The types of the parts of a tuple."""
    return kind.types


class References(NRTContext):
    """numba's writer of reference counting, which takes no array apart to find its counter."""

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

    A kernel without containers that could keep an array leaves none behind but those that it returns.
    Arguments of which it returns no part name no owner then, and no references to them are counted.
    """

    def extract_function_arguments(self) -> Any:
        """The arguments."""
        kinds, given = self.fndesc.argtypes, super().extract_function_arguments()
        all_types = self.fndesc.typemap
        returns = _has_owner(self.fndesc.restype)
        if not any(map(_is_container, all_types.values() if returns else kinds)):
            kept = _returned(self.func_ir, all_types) if returns else ()
            self.fnargs = [
                value if i in kept else _unowned(self.context, self.builder, kind, value)
                for i, (kind, value) in enumerate(zip(kinds, given, strict=True))
            ]
        return self.fnargs


def _returned(func_ir: Any, types: dict[str, Any]) -> set[int]:
    """Numbers of the arguments that the result of a kernel may have arrays of.

    A new array has none, and that of any other operation may have those of its operands.
    """
    sources: dict[str, set[Any]] = {}  # of a variable: names of others, numbers of arguments
    results = []
    for block in func_ir.blocks.values():
        for each in block.find_insts(ir.Assign):
            found, value = sources.setdefault(each.target.name, set()), each.value
            if isinstance(value, ir.Arg):
                found.add(value.index)
            elif not _is_copied(value, types):
                found.update(used.name for used in each.list_vars() if _may_share(types[used.name]))
        results += [each.value.name for each in block.find_insts(ir.Return)]
    reached: set[Any] = set()
    while results:
        name = results.pop()
        if name not in reached:
            reached.add(name)
            results += sources.get(name, ())
    return {each for each in reached if isinstance(each, int)}


def _may_share(kind: Any) -> bool:
    """True for types whose values have arrays: a method has that of its object."""
    return _has_owner(kind) or isinstance(kind, BoundFunction)


def _is_copied(value: Any, types: dict[str, Any]) -> bool:
    """True if an expression is `x.copy()`."""
    is_call = isinstance(value, ir.Expr) and value.op == "call"
    return is_call and getattr(types[value.func.name], "typing_key", "") == "array.copy"


def _unowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The `value` of that `kind`, whose arrays name no owner: there are no references to count."""
    if isinstance(kind, Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, BaseTuple):
        for i, each in enumerate(_parts(kind)):
            part = _unowned(context, builder, each, builder.extract_value(value, i))
            value = builder.insert_value(value, part, i)
    return value
