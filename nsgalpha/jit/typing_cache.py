"""Cache of the types of operations.

For the type of `a + b` numba asks all its signatures of `+`, dozens of them, at every place that has one. It
does so again in each round of its search: a sixth of a first run. The answer follows from the types of a and
b.
"""

from typing import Any

from nsgalpha.jit.numba_internals import Context, Function, Type

_found: dict[Any, tuple[Any, Any]] = {}  # by operation, types and flags: a signature, and its implementation


class TypingCache(Context):
    """Stands for a `context` of numba's where one kernel is compiled, with `flags`."""

    def __init__(self, context: Any, flags: Any) -> None:
        self.__dict__ |= context.__dict__  # the same tables
        self._context, self._flags = context, repr(flags)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Signature of `func` for arguments of such types."""
        known = self._lookup_global(func) or func
        if not isinstance(known, Function | str):
            return self._context.resolve_function_type(func, args, kws)
        given = (each if isinstance(each, Type) else repr(each) for each in args)  # types, but for a[2:]
        key = known, *given, *dict(kws).items(), self._flags
        if key not in _found:
            signature = self._context.resolve_function_type(func, args, kws)
            if signature is None or _is_inlined(known, signature):
                return signature
            _found[key] = signature, _way(known, signature)
        signature, way = _found[key]
        if isinstance(known, Function):
            _ways(known)[signature.args] = way  # where others may have put theirs
        return signature


def _ways(known: Any) -> Any:
    """The code of an operation, by types of arguments."""
    return known._impl_keys


def _way(known: Any, signature: Any) -> Any:
    return _ways(known)[signature.args] if isinstance(known, Function) else None


def _is_inlined(known: Any, signature: Any) -> bool:
    """True if numba inlines a function at its call, and searches it with the type."""
    all_templates = (each for each in getattr(known, "templates", ()) if hasattr(each, "_inline"))
    inlined = (each for each in all_templates if not each._inline.is_never_inline)
    return any(each._compiled_overloads.get(signature.args) is _way(known, signature) for each in inlined)
