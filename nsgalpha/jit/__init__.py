"""The compiler: how kernels are compiled, linked and kept on disk; the only place that knows numba."""
