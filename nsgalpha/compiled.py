"""How the kernels are compiled: on first use, kept in numba's cache on disk.

`entry` marks the kernels that Python calls, `kernel` those that only kernels call: these get no
Python wrapper, which would take longer to compile than the kernel. A `part` is a piece of a larger
kernel, compiled within it, and on its own only when Python calls it. Division by zero follows IEEE.
"""

from typing import Any

from numba import njit

_COMMON: dict[str, Any] = {"cache": True, "error_model": "numpy"}
_INTERNAL: dict[str, Any] = {**_COMMON, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

entry = njit(**_COMMON)
kernel = njit(**_INTERNAL)
part = njit(**_COMMON, inline="always")
