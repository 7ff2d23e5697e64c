"""numba's compiler, as it compiles kernels.

Types of operations are looked up once (typing_cache.py). Code is generated at once or later
(deferred_codegen.py), and counts references only where a kernel makes arrays (array_ownership.py).
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import dropwhile
from typing import Any

from nsgalpha.jit.array_ownership import CodeWriter, References, drop_copies, makes_arrays
from nsgalpha.jit.deferred_codegen import postpone, resumed
from nsgalpha.jit.numba_internals import (
    CompilerBase,
    ConfigStack,
    DefaultPassBuilder,
    NativeLowering,
    register_pass,
)
from nsgalpha.jit.typing_cache import TypingCache

ALLOCATIONS = 50_000  # between two searches for garbage while a kernel is compiled; Python's own are 700
_sizes: dict[str, int] = {}


@register_pass(mutates_CFG=True, analysis_only=False)
class CodeGeneration(NativeLowering):
    """numba's pass that writes code for LLVM."""

    _name = "nsgalpha_code_generation"
    lowering_class: Any = CodeWriter

    def run_pass(self, state: Any) -> bool:
        """Write the code, unless it is written later."""
        postpone(state)
        drop_copies(state)
        flags = state.flags.copy()  # those of functions that numba adds
        flags.nrt = state.targetctx.enable_nrt = makes_arrays(state)
        state.targetctx.nrt = References(state.targetctx, flags.nrt)
        state.targetctx.get_abi_sizeof = partial(_size, state.targetctx.target_data)
        with ConfigStack().enter(flags):
            return bool(super().run_pass(state))


def _size(data: Any, kind: Any) -> int:
    """The size of a type of LLVM in bytes, for its target `data`: looked up once."""
    name = str(kind)
    if name not in _sizes:
        _sizes[name] = kind.get_abi_size(data)
    return _sizes[name]


@contextmanager
def _little_garbage() -> Iterator[None]:
    """Search for garbage rarely: there is little among the many objects of a compiler."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], ALLOCATIONS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Compiler(CompilerBase):
    """numba's compiler, with passes of nsgalpha."""

    _is_resumed = False

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, or do the passes that remain."""
        known = resumed(function, tuple(self.state.args))
        with _little_garbage():
            if known is not None:
                self.state, self._is_resumed = known, True
                return self._compile_core()
            self.state.typingctx = TypingCache(self.state.typingctx, self.state.flags)
            return super().compile_extra(function)

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        if self._is_resumed:
            passes = DefaultPassBuilder.define_nopython_lowering_pipeline(self.state)
            passes.passes = [*dropwhile(lambda each: each[0] is not NativeLowering, passes.passes)]
        else:
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (CodeGeneration if each is NativeLowering else each, name) for each, name in passes.passes
        ]
        passes.finalize()
        return [passes]
