"""numba's compiler, with what these kernels need besides, and without what takes it long.

What takes long: the types of operations (typing_cache.py), code that counts references (array_lowering.py),
and the search for garbage.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import dropwhile
from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.typed_passes import NativeLowering

from nsgalpha.jit.array_lowering import ArrayLowering
from nsgalpha.jit.deferred_codegen import resumed
from nsgalpha.jit.typing_cache import TypingCache

ALLOCATIONS = 50_000  # between two searches for garbage while a kernel is compiled; Python's own are 700


class Compiler(CompilerBase):
    """numba's compiler, with passes of nsgalpha."""

    _is_resumed = False

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, or what is left of it."""
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
            (ArrayLowering if each is NativeLowering else each, name) for each, name in passes.passes
        ]
        passes.finalize()
        return [passes]


@contextmanager
def _little_garbage() -> Iterator[None]:
    """Garbage is searched for rarely: there is little among the many objects of a compiler."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], ALLOCATIONS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
