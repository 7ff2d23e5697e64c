"""Pruning of branches on parts that are None, before type inference: what a model lacks is not compiled.

    if bodies.joints is not None:
        begin_joints(bodies.joints)

numba leaves out branches on arguments that are None. Here the same is done for parts of arguments, as
`bodies.joints`: of named tuples, of handles (addresses.py) and of what was borrowed from them.
"""

from typing import Any

from numba.core import ir, types
from numba.core.analysis import dead_branch_prune
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import GuardException, get_definition


@register_pass(mutates_CFG=True, analysis_only=False)
class PruneNone(FunctionPass):
    """Put None where a part of an argument is None, and leave out the branches on it."""

    _name = "nsgalpha_prune_absent"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Change the code in `state`; True if it has changed."""
        found = False
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if _is(value, "getattr") and _type_of(state, value) == types.none:
                    constant = ir.Const(None, value.loc)
                    known = state.func_ir._definitions[statement.target.name]
                    known[known.index(value)] = statement.value = constant
                    found = True
        if found:
            dead_branch_prune(state.func_ir, state.args)
        return found


def _is(value: Any, operation: str) -> bool:
    return isinstance(value, ir.Expr) and value.op == operation


def _type_of(state: Any, value: Any) -> Any:
    """Type of an argument, or of a part of one; None if `value` is neither."""
    if isinstance(value, ir.Var):
        try:
            value = get_definition(state.func_ir, value)
        except GuardException:  # it has several
            return None
    if isinstance(value, ir.Arg):
        return state.args[value.index]
    if _is(value, "getattr"):
        kind = _type_of(state, value.value)
        kind = getattr(kind, "contents", kind)  # of a handle
        return dict(zip(getattr(kind, "fields", ()), getattr(kind, "types", ()), strict=True)).get(value.attr)
    if _is(value, "call") and len(value.args) == 1 and _is_borrowed(state, value.func):
        return _type_of(state, value.args[0])
    if _is(value, "static_getitem"):  # of a tuple that is unpacked at once
        whole = _defined(state, value.value)
        whole = _defined(state, whole.value) if _is(whole, "exhaust_iter") else whole
        return _type_of(state, whole.items[value.index]) if _is(whole, "build_tuple") else None
    return None


def _defined(state: Any, value: Any) -> Any:
    try:
        return get_definition(state.func_ir, value)
    except GuardException:
        return None


def _is_borrowed(state: Any, function: Any) -> bool:
    called = _defined(state, function)
    return getattr(getattr(called, "value", None), "passes_on", False)
