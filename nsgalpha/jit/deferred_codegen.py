"""Deferred code generation: type inference runs at once, code is generated when a kernel is called.

To find its own types a caller needs those of the kernels that it calls. To write its code it needs that of
kernels that are linked into it, and of others a symbol (symbol_linking.py), to which an address is bound
before it runs. So code of the latter is written aside (compile_workers.py) and then found in the cache, that
of the former is written where it is linked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

from nsgalpha.jit import compile_workers
from nsgalpha.jit.numba_internals import NullCache, global_compiler_lock, signature, sigutils
from nsgalpha.jit.symbol_linking import bind, bind_call, is_global, is_large

Types = tuple[Any, ...]


class Postponed(Exception):
    """Raised through numba's compiler: the types in `state` are known, the code is written later."""

    def __init__(self, state: Any) -> None:
        super().__init__(f"{state.func_id.func_qualname}: its code is written later")
        self.state = state


class Unwritten(compile_workers.Job):
    """Stands for the result of a compilation, of a kernel whose code is not written."""

    objectmode = False

    def __init__(self, state: Any, write: Any) -> None:
        super().__init__(state, write)
        self.signature = signature(state.return_type, *state.args)
        self.entry_point = object()


_offered: tuple[Any, Types] | None = None  # a kernel that may be postponed: its function and types
_resumed: tuple[Any, Types, Any] | None = None  # a kernel whose types are known, and they
_unwritten: list[Unwritten] = []
_depth = 0  # kernels that are compiled for one another


def postpone(state: Any) -> None:
    """Raises Postponed if the kernel in `state`, whose types are known, was only asked for these."""
    global _offered
    if _offered is not None and (state.func_id.func, tuple(state.args)) == _offered:
        _offered = None
        raise Postponed(state)


def resumed(function: Any, types: Types) -> Any:
    """The state of a kernel of which only the code is left to be written; None if nothing is known."""
    global _resumed
    if _resumed is None or (function, types) != _resumed[:2]:
        return None
    state, _resumed = _resumed[2], None
    return state


@contextmanager
def _within() -> Iterator[None]:
    """Compilation of a kernel; at the end of the first one all that is left unwritten is given up."""
    global _depth
    with global_compiler_lock:
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if not _depth:
                for each in _unwritten:
                    each.state = None
                _unwritten.clear()
                compile_workers.forget()


class DeferredCodegen:
    """How the kernel of a `dispatcher` is compiled."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._compile, self._template = dispatcher.compile, dispatcher.get_call_template
        self._overload = dispatcher.get_overload
        self._bound: set[Types] = set()
        self._is_called = False
        dispatcher.compile, dispatcher.get_call_template = self.compile, self.get_call_template
        dispatcher.get_overload = self.get_overload

    @cached_property
    def _is_shared(self) -> bool:
        """True if kernels call it by a symbol."""
        return is_global(self._dispatcher) and is_large(self._dispatcher.py_func)

    def get_call_template(self, types: Types, named: dict[str, Any]) -> Any:
        """Types, for a caller that looks for its own."""
        self._is_called = True
        try:
            return self._template(types, named)
        finally:
            self._is_called = False

    def get_overload(self, signature: Any) -> Any:
        """The kernel, for a caller whose code is written."""
        types = tuple(sigutils.normalize_signature(signature)[0])
        found = self._dispatcher.overloads.get(types)
        if isinstance(found, Unwritten) and not (self._is_shared and compile_workers.is_aside()):
            self.compile(types)
        return self._overload(signature)

    def compile(self, signature: Any) -> Any:
        """Compile or load it; only its types if a caller looks for its own."""
        is_called, self._is_called = self._is_called, False
        types = tuple(sigutils.normalize_signature(signature)[0])
        with _within():
            found = self._dispatcher.overloads.get(types)
            if found is None and is_called and self._may_be_postponed():
                found = self._find_types(types)
            if isinstance(found, Unwritten):
                if is_called:
                    return found.entry_point
                compile_workers.wait_for(found)
                self._write(types, found)
            entry_point = self._compile(signature)
            if self._is_shared and types not in self._bound:
                self._bound.add(types)
                bind(self._dispatcher, types)
            return entry_point

    def _may_be_postponed(self) -> bool:
        """True if its code would be found when others have written it."""
        kept = self._dispatcher._cache
        return (
            not isinstance(kept, NullCache)
            and not kept.unkept
            and is_global(self._dispatcher)
            and compile_workers.may_begin()
        )

    def _find_types(self, types: Types) -> Any:
        """The first half; the whole if it is in the cache."""
        global _offered
        before, _offered = _offered, (self._dispatcher.py_func, types)
        try:
            self._compile(types)
        except Postponed as postponed:
            found = Unwritten(postponed.state, partial(self.compile, types))
            self._dispatcher.overloads[types] = found
            _unwritten.append(found)
            if self._is_shared:
                bind_call(self._dispatcher, types, found.entry_point, found.signature)
                compile_workers.add(found)
        finally:
            _offered = before
        return self._dispatcher.overloads[types]

    def _write(self, types: Types, found: Unwritten) -> None:
        """The second half, unless it is in the cache."""
        global _resumed
        del self._dispatcher.overloads[types]
        self._dispatcher.targetctx._defns.pop(found.entry_point, None)
        if found.state is not None:
            _resumed = self._dispatcher.py_func, types, found.state
        self._compile(types)
        _resumed = None
