"""The plain mode: `numba.njit(cache=True)`, and nothing that is not numba's public interface.

numba takes a kernel on disk for fresh as long as its own file is unchanged, even if the kernels
it calls change. The folder is therefore one for the present state of all sources that kernels depend on.
numba's files are named by numbers: processes that compile one kernel for different types at the same time may
take each other's code. Compile before you start several processes.
"""

import hashlib
import inspect
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import config as numba_config
from numba import njit

from nsgalpha.jit.source_digest import sources_of
from nsgalpha.jit.trusted_files import distrusted

config: Any = numba_config
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False}


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """The compiled `function`, kept on disk where a folder can be had."""
    folder = _folder(Path(inspect.getfile(function)).resolve())
    if _unkept(folder):
        return njit(**{**OPTIONS, **options})(function)
    before, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        found = njit(cache=True, **{**OPTIONS, **options})(function)
    finally:
        config.CACHE_DIR = before
    found.of_nsgalpha = True
    return found


compile_kernel = compiled


@cache
def _folder(path: Path) -> str:
    """The folder of the kernels in the file `path`, for the present state of their sources."""
    given = config.CACHE_DIR or os.path.join(os.path.expanduser("~"), ".cache", "nsgalpha")
    digests = "".join(each.digest for each in sources_of(path))
    return os.path.join(given, "plain-" + hashlib.blake2b(digests.encode(), digest_size=16).hexdigest())


@cache
def _unkept(folder: str) -> str:
    """The reason why nothing can be kept in `folder`; "" if it can."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        return f"{folder!r} cannot be made: {error.strerror}"
    return distrusted(folder) or ("" if os.access(folder, os.W_OK) else f"{folder!r} cannot be written to")


def unkept(dispatcher: Any) -> str:
    """The reason why a kernel's machine code is not kept on disk; "" if it is."""
    return _unkept(_folder(Path(inspect.getfile(dispatcher.py_func)).resolve()))


def is_cached(dispatcher: Any) -> bool:
    """True if machine code of a kernel, of the present sources, is on disk."""
    function, folder = dispatcher.py_func, dispatcher.stats.cache_path
    name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-*.nbi"
    return folder is not None and any(Path(folder).glob(name))
