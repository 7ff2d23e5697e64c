"""How the kernels are compiled: on first use, kept in numba's cache on disk.

`entry` marks the kernels that Python calls, `kernel` those that only kernels call: these get no
Python wrapper, which would take longer to compile than the kernel. Division by zero follows IEEE.
"""

from numba import njit

entry = njit(cache=True, error_model="numpy")
kernel = njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
part = njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, inline="always")
