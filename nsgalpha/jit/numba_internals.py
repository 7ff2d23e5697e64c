"""All names of numba outside of its documented interface, and whether this version has them.

Two modes compile the kernels, with the same results to the bit:

| mode | compiles by | first run |
|---|---|---|
| accelerated | numba with the passes, the cache and the processes of this folder | half a minute |
| plain | `numba.njit(cache=True)`, its public interface | up to 2.5 times as long |

The environment variable NSGALPHA_JIT chooses: `plain`, or `accelerated` for a version that was not tried.
Without it the versions in TRIED are accelerated. Another version is plain, and so is one that lacks a name;
the logger "nsgalpha" says so in one line.
"""

import logging
import os
from typing import Any

import numba
from numba import config
from numba.core import cgutils as cgutils  # both modes: code of handles and of calls by address
from numba.core import event as event  # both modes: messages on compilation
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate  # both modes: parts of handles

TRIED = ("0.60", "0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")  # versions of numba
MODES = ("", "accelerated", "plain")

AVAILABLE = not config.DISABLE_JIT  # type: ignore[attr-defined]
_missing = ""

try:
    from llvmlite.binding import add_symbol as add_symbol
    from llvmlite.binding import address_of_symbol as address_of_symbol
    from numba.core import imputils as imputils
    from numba.core import ir as ir
    from numba.core import sigutils as sigutils
    from numba.core.bytecode import FunctionIdentity as FunctionIdentity
    from numba.core.caching import CompileResultCacheImpl as CompileResultCacheImpl
    from numba.core.caching import FunctionCache as FunctionCache
    from numba.core.caching import IndexDataCacheFile as IndexDataCacheFile
    from numba.core.caching import NullCache as NullCache
    from numba.core.compiler import CompilerBase as CompilerBase
    from numba.core.compiler import DefaultPassBuilder as DefaultPassBuilder
    from numba.core.compiler_lock import global_compiler_lock as global_compiler_lock
    from numba.core.compiler_machinery import register_pass as register_pass
    from numba.core.datamodel import default_manager as default_manager  # type: ignore[attr-defined]
    from numba.core.dispatcher import Dispatcher as Dispatcher
    from numba.core.ir_utils import remove_dels as remove_dels
    from numba.core.ir_utils import replace_vars as replace_vars
    from numba.core.lowering import Lower as Lower
    from numba.core.postproc import PostProcessor as PostProcessor
    from numba.core.runtime.context import NRTContext as NRTContext
    from numba.core.targetconfig import ConfigStack as ConfigStack
    from numba.core.typed_passes import NativeLowering as NativeLowering
    from numba.core.types import Array as Array
    from numba.core.types import BaseTuple as BaseTuple
    from numba.core.types import BoundFunction as BoundFunction
    from numba.core.types import Function as Function
    from numba.core.types import NamedTupleClass as NamedTupleClass
    from numba.core.types import Type as Type
    from numba.core.types import unliteral as unliteral
    from numba.core.typing import Context as Context  # type: ignore[attr-defined]
    from numba.core.typing import signature as signature  # type: ignore[attr-defined]

    DispatcherType: Any = numba.types.Dispatcher
    #: Attributes that these classes must have. Further ones belong to objects: `_cache` of a dispatcher,
    #: `_linking_libraries` of a library, `_defns` of a target, `_impl_keys`, `templates`, `_inline` and
    #: `_compiled_overloads` of functions.
    HOOKS = {
        CompileResultCacheImpl: ("_locator_classes", "rebuild", "reduce"),
        CompilerBase: ("_compile_core", "compile_extra", "define_pipelines"),
        Context: ("_lookup_global", "resolve_function_type"),
        DefaultPassBuilder: ("define_nopython_lowering_pipeline", "define_nopython_pipeline"),
        Dispatcher: ("compile", "enable_caching", "get_call_template", "get_overload"),
        FunctionCache: ("_load_overload", "save_overload"),
        FunctionIdentity: ("_unique_ids",),
        Lower: ("extract_function_arguments",),
        NativeLowering: ("lowering_class", "run_pass"),
        IndexDataCacheFile: ("_data_name", "_load_data", "_load_index", "_open_for_write", "_save_index"),
    }
    for _class, _names in HOOKS.items():
        for _name in _names:
            if not hasattr(_class, _name):
                _missing = f"{_class.__name__}.{_name} is missing"
except ImportError as error:
    _missing = str(error)


def _is_accelerated() -> bool:
    """True in the accelerated mode; a reason against it is logged. Raises ValueError for another mode."""
    mode = os.environ.get("NSGALPHA_JIT", "")
    if mode not in MODES:
        raise ValueError(f"NSGALPHA_JIT is {mode!r}; it may be 'plain', 'accelerated' or unset")
    if mode == "plain" or not AVAILABLE:
        return False
    tried = mode == "accelerated" or ".".join(numba.__version__.split(".")[:2]) in TRIED
    reason = _missing if tried else "this version was not tried"
    if reason:
        message = "numba %s: %s; kernels are compiled in the plain mode, a first run takes longer"
        logging.getLogger("nsgalpha").warning(message, numba.__version__, reason)
    return not reason


ACCELERATED = _is_accelerated()
