"""The compiler: kernels are compiled, linked and cached here; nothing else knows numba."""
