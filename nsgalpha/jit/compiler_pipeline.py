"""numba's compiler, as it compiles kernels.

Types of operations are looked up once (typing_cache.py). Code is generated at once or later
(deferred_codegen.py), and counts references only where a kernel makes arrays (array_ownership.py).
"""

from itertools import dropwhile
from typing import Any

from nsgalpha.jit.array_ownership import CodeWriter, makes_arrays
from nsgalpha.jit.deferred_codegen import postpone, resumed
from nsgalpha.jit.numba_internals import (
    CompilerBase,
    ConfigStack,
    DefaultPassBuilder,
    NativeLowering,
    NRTContext,
    register_pass,
)
from nsgalpha.jit.typing_cache import TypingCache


@register_pass(mutates_CFG=True, analysis_only=False)
class CodeGeneration(NativeLowering):
    """numba's pass that writes code for LLVM."""

    _name = "nsgalpha_code_generation"
    lowering_class: Any = CodeWriter

    def run_pass(self, state: Any) -> bool:
        """Write the code, unless it is written later."""
        postpone(state)
        flags = state.flags.copy()  # those of functions that numba adds
        flags.nrt = state.targetctx.enable_nrt = makes_arrays(state)
        state.targetctx.nrt = NRTContext(state.targetctx, flags.nrt)
        with ConfigStack().enter(flags):
            return bool(super().run_pass(state))


class Compiler(CompilerBase):
    """numba's compiler, with passes of nsgalpha."""

    _is_resumed = False

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, or what is left of it."""
        known = resumed(function, tuple(self.state.args))
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
